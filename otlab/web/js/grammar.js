// What follows from a tableau: counts, ordering relations, the arrays of the kernels. Twins of Python's
// otlab/ot/conditions.py, probability_plan.py, apportionment.py, learners/sampler.py, learners/error_driven.py.
//
// tableau   {inputs, candidates, offsets, constraints, violations: [row][constraint], frequencies, noise, bound, total}
// A set of constraints or of rivals is the bits of a BigInt.

const MOST_TRANSITIONS = 20000
const bit = i => 1n << BigInt(i)
function bitsOf(set) {
  const found = []
  for (let i = 0; set; i++, set >>= 1n) if (set & 1n) found.push(i)
  return found
}
const union = sets => sets.reduce((all, set) => all | set, 0n)
const offsetsOf = sizes => sizes.reduce((ends, size) => [...ends, ends.at(-1) + size], [0])
const range = (first, last) => Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k)
const rowsOf = (tableau, k) => range(tableau.offsets[k], tableau.offsets[k + 1])

// The sum as NumPy adds up, with eight sums that take turns; from 129 numbers on in halves.
function sumOf(x, first = 0, n = x.length) {
  if (n < 8) { let total = 0; for (let i = 0; i < n; i++) total += x[first + i]; return n ? total : 0 }
  if (n > 128) { const half = Math.floor(n / 2) - Math.floor(n / 2) % 8; return sumOf(x, first, half) + sumOf(x, first + half, n - half) }
  const r = Array.from({ length: 8 }, (_, k) => x[first + k])
  let i = 8
  for (; i < n - n % 8; i += 8) for (let k = 0; k < 8; k++) r[k] += x[first + i + k]
  let total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
  for (; i < n; i++) total += x[first + i]
  return total
}
function centred(values) { const mean = sumOf(values) / values.length; return Float64Array.from(values, v => v - mean) }

// ---- counts

function apportioned(frequencies, total) {
  const sum = sumOf(frequencies)
  if (!sum) return frequencies.map(() => 0)
  const exact = frequencies.map(f => f / sum * total), counts = exact.map(x => Math.floor(x + 1e-9))
  const rest = exact.map((x, r) => Math.round((x - counts[r]) * 1e9))
  const order = range(0, counts.length).sort((a, b) => rest[b] - rest[a])
  order.slice(0, total - counts.reduce((a, b) => a + b, 0)).forEach(r => counts[r]++)
  return counts
}

// How often each candidate counts as observed; null if frequencies are no counts and there is no total.
function countsOf(tableau) {
  if (tableau.total) return tableau.inputs.flatMap((_, k) => apportioned(rowsOf(tableau, k).map(r => tableau.frequencies[r]), tableau.total))
  return tableau.frequencies.every(Number.isInteger) ? [...tableau.frequencies] : null
}

// ---- ordering relations

const implies = (one, other) => !(one.winners & ~other.winners) && !(other.losers & ~one.losers)

function consistent(conjuncts) {
  let left = conjuncts
  while (left.length) {
    const demoted = union(left.map(erc => erc.losers)), open = left.filter(erc => !(erc.winners & ~demoted))
    if (open.length === left.length) return false
    left = open
  }
  return true
}

// The conjuncts of a row against its rivals, those left out that always hold or follow; null if it never wins.
function conjunctsOf(tableau, row, rivals) {
  const own = tableau.violations[row], found = new Map()
  for (const rival of rivals) {
    let winners = 0n, losers = 0n
    tableau.violations[rival].forEach((marks, i) => { if (marks > own[i]) winners |= bit(i); else if (marks < own[i]) losers |= bit(i) })
    if (!winners) return null
    // Of equal ones the first rival counts, in the place of the last.
    const key = `${winners}:${losers}`, first = found.get(key)?.rival ?? rival
    found.delete(key)
    found.set(key, { winners, losers, rival: first })
  }
  const distinct = [...found.values()].filter(erc => erc.losers)
  const needed = distinct.filter(erc => !distinct.some(other => other !== erc && implies(other, erc)))
  return consistent(needed) ? needed : null
}

// The relation of every class of candidates with the same violations.
function relationsOf(tableau) {
  return tableau.inputs.flatMap((_, input) => {
    const same = new Map()
    for (const row of rowsOf(tableau, input)) {
      const key = tableau.violations[row].join()
      if (!same.has(key)) same.set(key, [])
      same.get(key).push(row)
    }
    const classes = [...same.values()]
    return classes.map(members => {
      const conjuncts = conjunctsOf(tableau, members[0], classes.filter(other => other !== members).map(other => other[0]))
      return { input, row: members[0], members, conjuncts: conjuncts ?? [], bounded: !conjuncts }
    })
  })
}

// Rows that are observed but can never win.
const impossibleRows = (tableau, relations) => relations.filter(relation => relation.bounded)
  .flatMap(relation => relation.members.filter(row => tableau.frequencies[row] > 0))

// ---- exact probabilities

// The moves of every state of one relation, targets before sources; null if there are too many.
function statesOf(conjuncts) {
  const winners = bitsOf(union(conjuncts.map(erc => erc.winners)))
  const side = name => winners.map(i => union(conjuncts.map((erc, n) => erc[name] & bit(i) ? bit(n) : 0n)))
  const prefer = side("winners"), oppose = side("losers"), graph = new Map(), waiting = [bit(conjuncts.length) - 1n]
  let transitions = 0
  while (waiting.length) {
    const state = waiting.pop()
    if (!state || graph.has(state)) continue
    const moves = winners.flatMap((i, w) => prefer[w] & state && !(oppose[w] & state) ? [[i, state & ~prefer[w]]] : [])
    graph.set(state, moves)
    waiting.push(...moves.map(move => move[1]))
    if ((transitions += moves.length) > MOST_TRANSITIONS) return null
  }
  const number = new Map([[0n, -1]]), needs = new Map([[0n, 0n]]), states = []
  const mentioned = conjuncts.map(erc => erc.winners | erc.losers)
  for (const state of [...graph.keys()].sort((a, b) => bitsOf(a).length - bitsOf(b).length)) {
    needs.set(state, union(bitsOf(state).map(n => mentioned[n])))
    const moves = graph.get(state).filter(([, target]) => number.has(target))
      .map(([i, target]) => ({ constraint: i, target: number.get(target), below: needs.get(state) & ~needs.get(target) & ~bit(i) }))
    if (moves.length) { number.set(state, states.length); states.push(moves) }
  }
  return states
}

// The integrals of all candidates; null if a relation is too large for exact probabilities.
function planOf(tableau, relations) {
  const entry = tableau.candidates.map(() => 0), share = tableau.candidates.map(() => 1)
  const known = new Map([["", 1]]), parts = []
  for (const relation of relations) {
    relation.members.forEach(row => { share[row] = 1 / relation.members.length })
    if (relation.bounded) continue
    const key = relation.conjuncts.map(erc => `${erc.winners}:${erc.losers}`).sort().join()
    if (!known.has(key)) {
      const states = statesOf(relation.conjuncts.toSorted((a, b) => a.rival - b.rival))
      if (!states) return null
      known.set(key, 2 + parts.length)
      parts.push(states)
    }
    relation.members.forEach(row => { entry[row] = known.get(key) })
  }
  const moves = parts.flat(2), below = moves.map(move => bitsOf(move.below))
  const active = bitsOf(union(moves.map(move => move.below | bit(move.constraint)))), index = new Map(active.map((i, a) => [i, a]))
  return {
    entry, share, active,
    arrays: {
      states: offsetsOf(parts.map(part => part.length)), transitions: offsetsOf(parts.flat().map(state => state.length)),
      constraint: moves.map(move => index.get(move.constraint)), target: moves.map(move => move.target),
      below_offsets: offsetsOf(below.map(set => set.length)), below: below.flat().map(i => index.get(i)),
    },
  }
}

// Ask the kernels for the probability of each candidate under each row of values; returns rows of numbers.
function probabilitiesOf(kernels, plan, draws, noise) {
  const mark = kernels.mark(), entries = plan.arrays.states.length + 1, size = draws.length
  const given = kernels.array("f8", [size, draws[0].length], draws.flatMap(row => [...row]))
  const out = kernels.array("f8", [size, entries])
  kernels.call("probabilities", { draws: given, noise, active: kernels.integers(plan.active), plan: kernels.allIntegers(plan.arrays), out })
  const view = out.view, found = range(0, size).map(d => plan.entry.map((e, row) => view[d * entries + e] * plan.share[row]))
  kernels.release(mark)
  return found
}

// ---- the GLA

function aliasTable(weights) {
  const sum = sumOf(weights), scaled = weights.map(w => w / sum * weights.length)
  const chance = weights.map(() => 1), alias = range(0, weights.length)
  const small = alias.filter(j => scaled[j] < 1), large = alias.filter(j => scaled[j] >= 1)
  while (small.length && large.length) {
    const low = small.pop(), high = large.pop()
    chance[low] = scaled[low]
    alias[low] = high
    scaled[high] -= 1 - scaled[low]
    ;(scaled[high] < 1 ? small : large).push(high)
  }
  return { chance, alias }
}

function trialData(tableau, relations) {
  const representative = range(0, tableau.candidates.length), canWin = representative.map(() => false)
  for (const relation of relations) {
    relation.members.forEach(row => { representative[row] = relation.row })
    canWin[relation.row] = !relation.bounded
  }
  const actives = [], rivals = [], violations = [], best = [], inputOf = []
  tableau.inputs.forEach((_, k) => {
    const rows = rowsOf(tableau, k), active = range(0, tableau.constraints.length)
      .filter(i => rows.some(r => tableau.violations[r][i] !== tableau.violations[rows[0]][i]))
    actives.push(active)
    rivals.push(rows.filter(r => canWin[r]))
    rows.forEach(r => { violations.push(active.map(i => tableau.violations[r][i])); inputOf.push(k) })
    for (const i of active) {
      const fewest = Math.min(...rivals.at(-1).map(r => tableau.violations[r][i]))
      best.push(rivals.at(-1).filter(r => tableau.violations[r][i] === fewest))
    }
  })
  const attested = range(0, tableau.candidates.length).filter(r => tableau.frequencies[r] > 0)
  const lengths = parts => offsetsOf(parts.map(part => part.length))
  return {
    ...aliasTable(attested.map(r => tableau.frequencies[r])),
    observed: attested.map(r => representative[r]), input_of: inputOf,
    rival_start: lengths(rivals), rivals: rivals.flat(), active_start: lengths(actives), active: actives.flat(),
    violation_start: lengths(violations).slice(0, -1), violations: [...violations.flat(), 0],
    best_start: lengths(best), best: [...best.flat(), 0], marks: tableau.violations,
  }
}

// ---- the Gibbs sampler

const sitesOf = relation => bitsOf(union(relation.conjuncts.map(erc => erc.winners | erc.losers)))

// The arrays of relations with their counts; each observation has disharmonies of its own.
function samplerLayout(relations) {
  const parts = relations.map(relation => {
    const sites = sitesOf(relation), slots = [], sides = []
    const wins = sites.map(() => []), losses = sites.map(() => [])
    for (const erc of relation.conjuncts) {
      for (const [members, memberships] of [[erc.winners, wins], [erc.losers, losses]]) {
        for (const [n, i] of bitsOf(members).entries()) {
          if (!n) sides.push(slots.length)
          memberships[sites.indexOf(i)].push([sides.length - 1, slots.length])
          slots.push(sites.indexOf(i))
        }
        slots.push(-1)
      }
    }
    return { sites, slots, sides, wins, both: wins.map((won, s) => [...won, ...losses[s]]) }
  })
  const both = parts.flatMap(part => part.both), starts = offsetsOf(both.map(members => members.length)), counts = relations.map(r => r.count)
  return {
    counts, vector_start: offsetsOf(counts), value_start: offsetsOf(parts.map((part, r) => counts[r] * part.sites.length)),
    site_start: offsetsOf(parts.map(part => part.sites.length)), site_constraint: parts.flatMap(part => part.sites),
    member_start: starts, lose_start: parts.flatMap(part => part.wins).map((won, s) => starts[s] + won.length),
    member_side: both.flat().map(([side]) => side), member_slot: both.flat().map(([, slot]) => slot),
    side_start: offsetsOf(parts.map(part => part.sides.length)), side_slot: parts.flatMap(part => part.sides),
    slot_start: offsetsOf(parts.map(part => part.slots.length)), slot_site: parts.flatMap(part => part.slots),
  }
}

// Ranks in a random order that observes a relation, one for each site.
function feasibleValues(kernels, generator, relation) {
  const sites = sitesOf(relation), values = new Float64Array(sites.length)
  let unranked = sites, left = relation.conjuncts
  for (let rank = sites.length; rank > 0; rank--) {
    const losers = union(left.map(erc => erc.losers)), possible = unranked.filter(i => !(losers & bit(i)))
    const chosen = possible[kernels.below(generator, possible.length)]
    values[sites.indexOf(chosen)] = rank
    unranked = unranked.filter(i => i !== chosen)
    left = left.filter(erc => !(erc.winners & bit(chosen)))
  }
  return values
}
