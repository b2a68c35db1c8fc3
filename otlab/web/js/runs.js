// Runs of the learners, in a worker: the same steps as in Python, so that a seed gives the same numbers.
//
// job    {learner, tableau, settings, seed, chains: [number]}; answers go to post({...}).
// A job stops by itself once `halted()` is true, and reports what each chain has by then; a chain that has not
// begun reports nothing.

const SLICE = 12, BETWEEN = 90      // ms of computing at a time, and between two reports
const SITES_AT_ONCE = 200000

const pause = () => new Promise(done => { const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { port1.close(); done() }; port2.postMessage(0) })

// Trials between two rows of the trace of a run of the GLA.
const traceEvery = trials => Math.max(1, Math.ceil(trials / 256))

function glaChain(kernels, { tableau, settings, seed }, chain) {
  const data = trialData(tableau, relationsOf(tableau)), k = tableau.constraints.length
  const pairs = settings.apriori ?? []
  const { chance, marks, ...whole } = data, full = x => kernels.numbers(Array(k).fill(x))
  const given = {
    rng: kernels.generator(seed, chain),
    data: { ...kernels.allIntegers(whole), chance: kernels.numbers(chance), marks: kernels.array("i8", [marks.length, k], marks.flat()) },
    rule: { number: settings.rule, higher: kernels.integers(pairs.map(([higher]) => higher)), lower: kernels.integers(pairs.map(([, lower]) => lower)), gap: 0 },
    values: full(settings.initial),
  }
  const total = settings.trials, every = traceEvery(total), trace = kernels.array("f8", [Math.floor(total / every), k])
  const ends = settings.levels.map((_, s, { length }) => s === length - 1 ? total : Math.floor((s + 1) * total / length))
  const steps = settings.levels.map(full), noise = full(settings.noise)
  const ratio = settings.last ? (settings.last / settings.levels[0]) ** (1 / Math.max(1, total - 1)) : 1   // a plasticity that falls from trial to trial
  let trial = 0, errors = 0, size = 1, sent = 0
  return {
    finished: () => trial === total,
    // Some trials, within one stage of the schedule.
    step(n) {
      const stage = ends.findIndex(end => end > trial), end = Math.min(trial + n, ends[stage])
      const first = Math.floor(trial / every), rows = { at: trace.at + BigInt(8 * k * first), shape: [Math.floor(end / every) - first, k] }
      const [wrong, reached] = kernels.call("trials", {
        ...given, size, n: end - trial, record: { rows, every, due: every - trial % every },
        stage: { plasticity: steps[stage], base: steps[stage], noise, ratio, spread: settings.spread },
      })
      errors += wrong
      size = reached
      trial = end
    },
    report() {
      const first = sent
      sent = Math.floor(trial / every)
      const draws = Float64Array.from(range(first, sent).flatMap(row => [...centred(trace.view.subarray(row * k, (row + 1) * k))]))
      return { done: trial, errors, draws, values: centred(given.values.view) }
    },
  }
}

function gibbsChain(kernels, { tableau, settings, seed }, chain) {
  const { noise, bound, sweeps, apriori: pairs = [] } = settings, counts = countsOf(tableau), k = tableau.constraints.length
  const relations = relationsOf(tableau).map(r => ({ ...r, count: r.members.reduce((sum, row) => sum + counts[row], 0) }))
    .filter(r => r.count && r.conjuncts.length)
  const rng = kernels.generator(seed, chain), reach = Math.min(3 * noise, bound / 2)
  const start = centred(putInOrder(Array.from({ length: k }, () => -reach + (reach - -reach) * kernels.uniform(rng)), pairs))
  const y = relations.flatMap(relation => {
    const own = [...feasibleValues(kernels, rng, relation)].map(rank => noise * rank)
    return Array(relation.count).fill(own).flat()
  })
  const layout = samplerLayout(relations), most = starts => Math.max(0, ...starts.slice(1).map((end, n) => end - starts[n]))
  const zeros = n => kernels.array("f8", [n], new Float64Array(n)), higher = kernels.integers(pairs.map(pair => pair[0])), lower = kernels.integers(pairs.map(pair => pair[1])), empty = kernels.numbers([])
  const thin = 1 << Math.max(0, 31 - Math.clz32(Math.floor(sweeps / 50000) || 1)), draws = kernels.array("f8", [Math.floor(sweeps / thin), k])
  const given = {
    rng, y: kernels.numbers(y), values: kernels.numbers(start), draws, thin, layout: kernels.allIntegers(layout),
    model: { noise, bound, prior_mean: empty, precision: empty, higher, lower },
    scratch: {
      after: zeros(most(layout.slot_start)), before: zeros(most(layout.side_start)), current: zeros(most(layout.side_start)),
      proposal: zeros(k), sums: zeros(k), counts: kernels.integers(layout.counts.map(() => 0)),
    },
  }
  let sweep = 0, drawn = 0, sent = 0
  return {
    finished: () => sweep === sweeps,
    step(n) {
      const last = Math.min(sweeps, sweep + n)
      ;[sweep, drawn] = kernels.call("sweeps", { ...given, sweep, drawn, last, budget: SITES_AT_ONCE })
    },
    report() {
      const first = sent
      sent = Math.floor(sweep / thin)
      return { done: sweep, thin, draws: draws.view.slice(first * k, sent * k), values: centred(given.values.view) }
    },
  }
}

function maxentChain(kernels, { tableau, settings }) {
  const k = tableau.constraints.length, lowest = settings.free ? -Infinity : 0, full = x => kernels.numbers(Array(k).fill(x))
  const weights = full(0), probability = kernels.numbers(tableau.candidates.map(() => 0)), prior = Number.isFinite(settings.sd)
  const finite = prior || hasFiniteOptimum(tableau, settings.free)
  let found = null
  return {
    finished: () => found !== null,
    step() {
      found = kernels.call("maxent", {
        violations: kernels.array("f8", [tableau.candidates.length, k], tableau.violations.flat()), starts: kernels.integers(tableau.offsets),
        counts: kernels.numbers(countsOf(tableau)), mean: full(0), sd: full(prior ? settings.sd : Infinity), lowest, weights, probability,
      })
    },
    report: () => ({ done: 1, weights: weights.view.slice(), probability: [...probability.view], logLikelihood: found[0], slope: found[1], finite }),
  }
}

const CHAINS = { gla: glaChain, gibbs: gibbsChain, maxent: maxentChain }

async function runJob({ module, signatures, job }, post, halted = () => false) {
  const kernels = await kernelsOf(module, signatures)
  if (job.learner === "plan") return post({ plan: planOf(job.tableau, relationsOf(job.tableau)), ranking: rankingOf(job.tableau, job.apriori) })
  if (job.learner === "typology") return post({ languages: typologyOf(job.tableau) })
  if (job.learner === "summary") return post({ summary: summaryOf(kernels, job) })
  const chains = job.chains.map(number => ({ number, size: 20, begun: false, chain: CHAINS[job.learner](kernels, job, number) }))
  const report = () => post({ chains: chains.filter(({ begun }) => begun).map(({ number, chain }) => ({ number, ...chain.report() })) })
  let reported = -Infinity   // the first report comes with the first slice
  while (!halted() && chains.some(({ chain }) => !chain.finished())) {
    for (const one of chains) {
      if (one.chain.finished()) continue
      if (halted()) break
      one.begun = true
      const began = performance.now()
      one.chain.step(one.size)
      const took = performance.now() - began
      // so many steps that a slice takes its share of the time
      one.size = Math.max(1, Math.round(one.size * Math.min(4, SLICE / chains.length / Math.max(took, 0.02))))
    }
    if (performance.now() - reported > BETWEEN) { report(); reported = performance.now() }
    await pause()
  }
  report()
  post({ ended: true, finished: chains.every(({ chain }) => chain.finished()) })
}

// ---- what draws or runs say together

function quantile(sorted, q) {
  const place = q * (sorted.length - 1), low = Math.floor(place), high = Math.min(low + 1, sorted.length - 1)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

function columnSummary(column) {
  const sorted = column.toSorted(), n = column.length, mean = sumOf(column) / n
  const sd = n > 1 ? Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1)) : NaN
  return { mean, sd, median: quantile(sorted, 0.5), low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) }
}

// draws of each chain [chain][draw * K + i], of the same length
function summaryOf(kernels, { tableau, draws, noise, chains, sampled }) {
  const k = tableau.constraints.length, rows = draws.flatMap(chain => range(0, chain.length / k).map(j => chain.subarray(j * k, (j + 1) * k)))
  const columns = range(0, k).map(i => columnSummary(Float64Array.from(rows, row => row[i])))
  const plan = planOf(tableau, relationsOf(tableau)), found = { columns, predicted: null, trust: null }
  if (sampled) {
    const out = kernels.array("f8", [3 * k]), pooled = kernels.array("f8", [rows.length, k])
    draws.reduce((at, chain) => (pooled.view.set(chain, at), at + chain.length), 0)
    kernels.call("trust", { draws: pooled, chains, out })
    const trust = [...out.view]
    found.trust = { rhat: trust.slice(0, k), ess: trust.slice(k, 2 * k), essSquares: trust.slice(2 * k) }
  }
  if (plan) {
    const most = Math.min(1000, Math.max(200, Math.floor(5000000 / Math.max(1, plan.arrays.constraint.length))), rows.length)
    const chosen = range(0, most).map(j => rows[evenly(j, most, rows.length)])
    const under = probabilitiesOf(kernels, plan, chosen, noise)
    found.predicted = tableau.candidates.map((_, r) => columnSummary(Float64Array.from(under, row => row[r])))
  }
  return found
}

// The j-th of some evenly spaced places, a half rounded to the even one, as NumPy does.
function evenly(j, most, length) {
  const place = most > 1 ? j * ((length - 1) / (most - 1)) : 0, low = Math.floor(place)
  if (j === most - 1 && most > 1) return length - 1
  return place - low > 0.5 || (place - low === 0.5 && low % 2) ? low + 1 : low
}

function verdict({ rhat, ess, essSquares }) {
  const known = values => values.filter(Number.isFinite), largest = Math.max(...known(rhat)), smallest = Math.min(...known([...ess, ...essSquares]))
  if (!Number.isFinite(largest) || !Number.isFinite(smallest)) return { words: "Too early to say", rhat: NaN, ess: NaN }
  const words = largest > 1.05 || smallest < 100 ? "Not converged" : smallest >= 400 ? "Converged" : "Keep running"
  return { words, rhat: largest, ess: smallest }
}

// The draws that count: those after the warm-up, or the later half of a run stopped within it.
function countedDraws(chains, k, thin, sweeps) {
  const length = Math.min(...chains.map(draws => draws.length / k)), skipped = Math.floor(Math.min(1000, Math.floor(sweeps / 10)) / thin)
  const first = skipped < length ? skipped : Math.floor(length / 2)
  return chains.map(draws => draws.slice(first * k, length * k))
}
