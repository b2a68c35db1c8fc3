// Probability of each candidate under given ranking values: otlab/ot/kernels/probability.py in JavaScript.
//
// plan.entry           [e]    each candidate's entry: 0 never wins, 1 always, 2 + r by relation r
// plan.share           [x]    one over the number of candidates with the same violations
// plan.active          [i]    constraints that some relation mentions
// plan.states, transitions, constraint, target, below_offsets, below    the relations; see PlanArrays
// plan.nodes, weights, from_left    Gauss-Legendre on -1 to 1, and its running integrals [j][k]
// plan.panel, tail, reach, rare     constants of the quadrature

const ROOT_HALF = Math.sqrt(0.5), DENSITY = 1 / Math.sqrt(2 * Math.PI)

// The complementary error function: a series of positive terms near 0 (Abramowitz & Stegun 7.1.6),
// a continued fraction further out (7.1.14), both to the last digits.
function erfc(x) {
  if (x < 0) return 2 - erfc(-x)
  if (x > 40) return 0
  const peak = Math.exp(-x * x)
  if (x < 2) {
    let term = x, sum = x
    for (let n = 1; term > 1e-17 * sum; n++) sum += term *= 2 * x * x / (2 * n + 1)
    return 1 - 2 / Math.sqrt(Math.PI) * peak * sum
  }
  let fraction = x
  for (let n = Math.ceil(170 / (x * x)) + 8; n > 0; n--) fraction = x + n / 2 / fraction
  return peak / (Math.sqrt(Math.PI) * fraction)
}

// The active constraints' values in units of the noise, the lowest at 0, wide gaps reduced.
function standardise(plan, values, noise) {
  const active = plan.active, order = active.map((_, a) => a).sort((a, b) => values[active[a]] - values[active[b]])
  const z = new Float64Array(active.length)
  for (let n = 1; n < order.length; n++) {
    const gap = (values[active[order[n]]] - values[active[order[n - 1]]]) / noise
    z[order[n]] = z[order[n - 1]] + Math.min(gap, 2 * plan.reach)
  }
  return z
}

// Quadrature weights, densities and cumulative probabilities of each constraint at every node.
function tabulate(plan, z, widest) {
  const low = Math.min(...z) - plan.tail, high = Math.max(...z) + plan.tail, order = plan.nodes.length
  const panels = Math.ceil((high - low) / widest), half = 0.5 * (high - low) / panels, size = panels * order
  const nodes = new Float64Array(size), weights = new Float64Array(size)
  for (let p = 0; p < panels; p++) {
    for (let k = 0; k < order; k++) {
      nodes[p * order + k] = low + half * (2 * p + 1 + plan.nodes[k])
      weights[p * order + k] = half * plan.weights[k]
    }
  }
  const along = f => Array.from(z, centre => nodes.map(t => f(t - centre)))
  return {
    size, half, weights,
    density: along(d => DENSITY * Math.exp(-0.5 * d * d)),
    cumulative: along(d => 0.5 * erfc(-d * ROOT_HALF)),
  }
}

// The integral of f from the left end to every node.
function runningIntegral(plan, f, half) {
  const order = plan.nodes.length, out = new Float64Array(f.length)
  let base = 0
  for (let start = 0; start < f.length; start += order) {
    let whole = 0
    for (let j = 0; j < order; j++) {
      const height = half * f[start + j], row = plan.from_left[j]
      whole += height * plan.weights[j]
      for (let k = 0; k < order; k++) out[start + k] += height * row[k]
    }
    for (let k = 0; k < order; k++) out[start + k] += base
    base += whole
  }
  return out
}

// The probability of relation r: an integral for each set of rivals not yet beaten, the smallest first.
function integrate(plan, r, tables) {
  const first = plan.states[r], last = plan.states[r + 1], won = []
  const f = new Float64Array(tables.size), factor = new Float64Array(tables.size)
  for (let state = first; state < last; state++) {
    f.fill(0)
    for (let move = plan.transitions[state]; move < plan.transitions[state + 1]; move++) {
      factor.set(tables.density[plan.constraint[move]])
      for (let b = plan.below_offsets[move]; b < plan.below_offsets[move + 1]; b++) {
        const cumulative = tables.cumulative[plan.below[b]]
        for (let k = 0; k < factor.length; k++) factor[k] *= cumulative[k]
      }
      const later = won[plan.target[move]]
      for (let k = 0; k < f.length; k++) f[k] += later ? factor[k] * later[k] : factor[k]
    }
    if (state < last - 1) won.push(runningIntegral(plan, f, tables.half))
  }
  return f.reduce((sum, height, k) => sum + tables.weights[k] * height, 0)
}

function candidateProbabilities(plan, values, noise) {
  const entries = [0, 1], relations = plan.states.length - 1
  if (relations) {
    const z = standardise(plan, values, noise), coarse = tabulate(plan, z, plan.panel)
    const spread = Math.min(Math.max(...z) - Math.min(...z), plan.reach)
    let fine = null
    for (let r = 0; r < relations; r++) {
      let p = integrate(plan, r, coarse)
      if (p < plan.rare && p !== 0) {   // far tails: panels on which their products are smooth
        fine ??= tabulate(plan, z, Math.min(plan.panel, 6 / Math.max(spread, 1)))
        p = integrate(plan, r, fine)
      }
      entries.push(Math.max(p, 0))
    }
  }
  return plan.entry.map((entry, row) => entries[entry] * plan.share[row])
}
