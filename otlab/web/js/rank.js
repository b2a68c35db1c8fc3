// Strata by recursive constraint demotion, and the rankings that every one has in common: twins of
// otlab/ot/analysis/rank.py, strata.py and reduction.py.

const MOST_GROUPS = 2000
const keyOf = erc => `${erc.winners}:${erc.losers}`
const namesIn = (set, names) => bitsOf(set).map(i => isolated(names[i]))
const ercText = ({ winners, losers }, names) => [namesIn(winners, names).join(` ${word("or")} `) || word("nothing"), namesIn(losers, names).join(` ${word("and")} `)].filter(Boolean).join(" ≫ ")

// Rows of an input with the same violations, by class.
function classesOf(tableau, k) {
  const same = new Map()
  for (const row of rowsOf(tableau, k)) {
    const key = tableau.violations[row].join()
    same.set(key, [...(same.get(key) ?? []), row])
  }
  return [...same.values()]
}

// The winner of each input with data: its most frequent candidate, the first one on a tie.
function winnersOf(tableau) {
  const winners = new Map(), tied = []
  tableau.inputs.forEach((input, k) => {
    const classes = classesOf(tableau, k), counts = classes.map(rows => sumOf(rows.map(row => tableau.frequencies[row]))), most = Math.max(...counts)
    if (!(most > 0)) return
    winners.set(k, classes[counts.indexOf(most)][0])
    if (counts.filter(n => n === most).length > 1) tied.push(input)
  })
  return { winners, tied }
}

function winnerErcs(tableau, winners) {
  return [...winners].flatMap(([k, winner]) => classesOf(tableau, k).map(rows => rows[0]).filter(row => row !== winner).map(rival => {
    const side = better => union(tableau.constraints.map((_, i) => better(tableau.violations[rival][i], tableau.violations[winner][i]) ? bit(i) : 0n))
    return { winners: side((other, own) => other > own), losers: side((other, own) => other < own), rival }
  }))
}

// Strata, each constraint as high as it can be, and the ERCs that are left when none can be ranked.
function demoted(ercs, k) {
  let remaining = ercs, unranked = range(0, k)
  const strata = []
  while (unranked.length) {
    const opposed = union(remaining.map(erc => erc.losers)), free = unranked.filter(c => !(opposed & bit(c)))
    if (!free.length) break
    const stratum = union(free.map(bit))
    strata.push(free)
    unranked = unranked.filter(c => !free.includes(c))
    remaining = remaining.filter(erc => !(erc.winners & stratum))
  }
  return { strata, unsatisfied: remaining }
}

const distinctErcs = ercs => [...ercs.reduce((seen, erc) => seen.has(keyOf(erc)) ? seen : seen.set(keyOf(erc), erc), new Map()).values()]
const pruned = ercs => { const distinct = distinctErcs(ercs); return distinct.filter(erc => !distinct.some(other => other !== erc && implies(other, erc))) }

function minimalConflict(ercs) {
  return ercs.reduce((needed, erc) => { const rest = needed.filter(other => other !== erc); return consistent(rest) ? needed : rest }, ercs)
}

function fused(ercs) {
  const losers = union(ercs.map(erc => erc.losers))
  return { winners: union(ercs.map(erc => erc.winners)) & ~losers, losers }
}

// The skeletal basis: as few ERCs as possible, each with as few constraints as possible; null if that takes too long.
function skeletonOf(ercs) {
  const found = new Map(), known = new Set(), waiting = [pruned(ercs.filter(erc => erc.losers))]
  while (waiting.length) {
    const group = waiting.shift(), key = group.map(keyOf).sort().join()
    if (!group.length || known.has(key)) continue
    known.add(key)
    if (known.size > MOST_GROUPS) return null
    const whole = fused(group), residues = bitsOf(whole.winners).map(c => group.filter(erc => !((erc.winners | erc.losers) & bit(c))))
    const rest = fused(distinctErcs(residues.flat()))
    if (!(rest.losers && implies(rest, whole))) found.set(keyOf(whole), { winners: whole.winners, losers: whole.losers & ~rest.losers })
    waiting.push(...residues)
  }
  return [...found.values()]
}

// Pairs [higher, lower] that every ranking has, without those that follow from others.
function crucialPairs(ercs, k) {
  const below = range(0, k).map(a => range(0, k).filter(b => a !== b && !consistent([...ercs, { winners: bit(b), losers: bit(a) }])))
  return below.flatMap((lower, a) => lower.filter(b => !lower.some(c => below[c].includes(b))).map(b => [a, b]))
}

// `apriori`: pairs [higher, lower] that every ranking respects.
function rankingOf(tableau, apriori = []) {
  const { winners, tied } = winnersOf(tableau), k = tableau.constraints.length, ercs = [...aprioriErcs(apriori), ...winnerErcs(tableau, winners)]
  const distinct = distinctErcs(ercs.filter(erc => erc.losers)), { strata, unsatisfied } = demoted(distinct, k), size = set => bitsOf(set).length
  if (unsatisfied.length) return { winners, tied, strata: [], culprit: minimalConflict(pruned(unsatisfied).sort((a, b) => size(b.winners) - size(a.winners))), pairs: [], skeleton: [] }
  return { winners, tied, strata, culprit: [], pairs: crucialPairs(pruned(distinct), k), skeleton: skeletonOf(distinct) }
}

// ---- the diagram: otlab/viz/ot/hasse.py, with the same measures

const HASSE = { letter: 10.4, padding: 26, gap: 18, passage: 10, row: 84, box: 30, margin: 12, longest: 24 }

function hasseOf(names, pairs) {
  const level = names.map(() => 0), shown = names.map(name => [...name].length > HASSE.longest ? `${[...name].slice(0, HASSE.longest - 1).join("")}…` : name)
  names.forEach(() => pairs.forEach(([a, b]) => { level[b] = Math.max(level[b], level[a] + 1) }))
  const ranked = [...new Set(pairs.flat())].sort((a, b) => a - b), rows = range(0, 1 + Math.max(-1, ...ranked.map(i => level[i]))).map(() => [])
  const of = new Map(ranked.map(i => [i, { level: level[i], name: shown[i], full: names[i], links: [] }]))
  for (const place of of.values()) rows[place.level].push(place)
  const paths = pairs.map(([a, b]) => {
    const passages = range(level[a] + 1, level[b]).map(n => ({ level: n, name: "", links: [] })), path = [of.get(a), ...passages, of.get(b)]
    passages.forEach(place => rows[place.level].push(place))
    path.slice(1).forEach((place, n) => { place.links.push(path[n]); path[n].links.push(place) })
    return path
  })
  // each level in the order of the means of its neighbours above, then below
  for (let sweep = 0; sweep < 8; sweep++) {
    const down = sweep % 2 === 0, order = range(1, rows.length).map(n => down ? n : rows.length - 1 - n)
    for (const n of order) {
      const near = rows[down ? n - 1 : n + 1], share = new Map(near.map((place, i) => [place, (i + 0.5) / near.length]))
      const key = new Map(rows[n].map((place, i) => { const own = place.links.filter(other => share.has(other)).map(other => share.get(other)); return [place, own.length ? sumOf(own) / own.length : (i + 0.5) / rows[n].length] }))
      rows[n] = rows[n].toSorted((a, b) => key.get(a) - key.get(b))
    }
  }
  const { letter, padding, gap, passage, row, box, margin } = HASSE, wide = place => place.name ? [...place.name].length * letter + padding : passage
  const widths = rows.map(places => sumOf(places.map(wide)) + gap * (places.length - 1)), inner = Math.max(60, ...widths), height = 2 * margin + Math.max(0, rows.length - 1) * row + box
  rows.forEach((places, n) => {
    let x = margin + (inner - widths[n]) / 2
    for (const place of places) { place.x = x + wide(place) / 2; place.y = margin + box / 2 + n * row; x += wide(place) + gap }
  })
  const lines = paths.map(path => {
    let [{ x: at, y }] = path, above = y + box / 2, drawn = `M${at} ${above}`
    for (const place of path.slice(1)) {
      const below = place.name ? place.y - box / 2 : place.y, middle = (above + below) / 2
      drawn += path.length === 2 ? `L${place.x} ${below}` : `C${at} ${middle} ${place.x} ${middle} ${place.x} ${below}`
      ;[at, above] = [place.x, below]
    }
    return svg("path", { d: drawn, fill: "none", "stroke-width": 1.4, stroke: "var(--ot-ink2)" })
  })
  const boxes = rows.flat().filter(place => place.name).map(place => svg("g", {}, svg("title", {}, place.full),
    svg("rect", { x: place.x - wide(place) / 2, y: place.y - box / 2, width: wide(place), height: box, rx: box / 2, fill: "var(--ot-surface)", stroke: "var(--ot-line2)" }),
    svg("text", { x: place.x, y: place.y + 5, "text-anchor": "middle", class: "hasse-name" }, place.name)))
  const width = inner + 2 * margin, words = pairs.map(([a, b]) => word("{higher} above {lower}", { higher: isolated(names[a]), lower: isolated(names[b]) })).join("; ")
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": word("Hasse diagram: {ranked}", { ranked: words }) }, ...lines, ...boxes)
}

// What the card of the ranking shows.
function rankingParts(tableau, { winners, tied, strata, culprit, pairs, skeleton }) {
  const names = tableau.constraints, remark = words => h("p", { class: "remark" }, words)
  if (!winners.size) return null
  const parts = tied.length ? [remark(word("{inputs}: several candidates are the most frequent; the first one counts as the winner.", { inputs: tied.map(isolated).join(", ") }))] : []
  if (culprit.length) {
    const inputOf = row => tableau.offsets.findIndex(first => first > row) - 1
    const said = erc => {
      if (erc.rival < 0) return word("given beforehand: {ranking}", { ranking: ercText(erc, names) })
      const k = inputOf(erc.rival), values = { input: isolated(tableau.inputs[k]), winner: isolated(tableau.candidates[winners.get(k)]), loser: isolated(tableau.candidates[erc.rival]), ranking: ercText(erc, names) }
      return erc.winners ? word("/{input}/: {winner} beats {loser} only if {ranking}", values) : word("/{input}/: {winner} beats {loser}, though no constraint prefers it", values)
    }
    return [...parts, h("p", {}, culprit.length > 1 ? word("No ranking does all of this; leaving out any one of them, there is one:") : word("No ranking does this:")), h("ul", {}, ...culprit.map(erc => h("li", {}, said(erc))))]
  }
  parts.push(h("ol", { class: "strata" }, ...strata.map(stratum => h("li", {}, ...stratum.flatMap((i, n) => [n ? ", " : "", h("span", { class: "stratum", dir: "auto" }, names[i])])))))
  if (pairs.length) parts.push(h("div", { class: "scroll", tabindex: 0 }, hasseOf(names, pairs)))
  const either = (skeleton ?? []).filter(({ winners: higher }) => bitsOf(higher).length > 1)
  if (either.length) parts.push(remark(word("Not in the diagram, and needed too:")), h("ul", {}, ...either.map(erc => h("li", {}, ercText(erc, names)))))
  const free = names.filter((_, i) => !pairs.flat().includes(i))
  if (free.length) parts.push(remark(word("Above or below no other constraint in every ranking: {constraints}", { constraints: free.map(isolated).join(", ") })))
  return parts
}
