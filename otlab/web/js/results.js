// Pictures and tables of results.

const NS = h("div", { html: "<svg></svg>" }).firstChild.namespaceURI
function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}
const decimal = (x, digits = 2) => Number.isFinite(x) ? figures(x, digits) : "–"
const percentage = p => Number.isFinite(p) ? `${figures(100 * p, 1)}\u2009%` : "–"

// A name with a word so long that the numbers beside it would be out of sight: it is broken where its column ends.
const LONG = 24
const inColumn = text => typeof text === "string" && text.split(/\s/).some(part => [...part].length > LONG) ? h("span", { class: "long", dir: ownDirection(text) }, text) : text
// A name is read in its own direction; a text of several names, each of them isolated, in that of the page: input before candidate.
const ownDirection = text => typeof text === "string" && text.includes("\u2068") ? null : "auto"

const table = (label, heads, rows) => h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, h("table", { class: "plain", "aria-label": label },
  h("thead", {}, h("tr", {}, ...heads.map(head => h("th", { scope: "col" }, inColumn(head))))),
  h("tbody", {}, ...rows.map(row => h("tr", {}, ...row.map((cell, n) => h(n ? "td" : "th", n ? {} : { scope: "row", dir: ownDirection(cell) }, inColumn(cell))))))))

const BINS = 48

// How many draws of constraint i, of all chains of [draw * K + i], are in each of some intervals between two ends.
function binned(chains, k, i, low, high) {
  const counts = Array(BINS).fill(0), width = high - low || 1
  for (const draws of chains) for (let j = i; j < draws.length; j += k) counts[Math.min(BINS - 1, Math.max(0, Math.floor((draws[j] - low) / width * BINS)))]++
  return counts
}

// A histogram of counts in intervals, as wide as the values of all constraints.
function histogram(counts, hue) {
  const width = 160, height = 24, top = Math.max(...counts, 1), step = width / counts.length
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    ...counts.map((n, b) => svg("rect", { x: b * step, y: height - n / top * height, width: step, height: n / top * height, fill: `var(--ot-${hue})` })))
}

// A dot with the reach of two standard deviations.
function reach(middle, sd, low, high, hue) {
  const width = 160, height = 24, place = x => 4 + (x - low) / (high - low || 1) * (width - 8), wide = Number.isFinite(sd) ? 2 * sd : 0
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("path", { d: `M${place(middle - wide)} 12H${place(middle + wide)}`, stroke: `var(--ot-${hue})`, "stroke-width": 3, "stroke-opacity": 0.5 }),
    svg("circle", { cx: place(middle), cy: 12, r: 4.5, fill: `var(--ot-${hue})` }))
}

// Dots on an axis: the ends of runs.
function dots(values, low, high, hue) {
  const width = 160, height = 24
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("path", { d: `M0 ${height - 4}H${width}`, stroke: "var(--ot-line2)" }),
    ...values.map(x => svg("circle", { cx: 4 + (x - low) / (high - low || 1) * (width - 8), cy: height - 9, r: 3.5, fill: `var(--ot-${hue})`, "fill-opacity": 0.6 })))
}

function extent(values) {
  let low = Infinity, high = -Infinity
  for (let j = 0; j < values.length; j++) { const x = values[j]; if (x < low) low = x; if (x > high) high = x }
  return low <= high ? [low, high] : [0, 1]
}

// Estimates of each constraint, with a histogram where draws were counted.
function posteriorTable(names, columns, trust, span, hue, kind) {
  const drawn = columns.every(({ bins }) => bins), middle = ({ median, mean }) => unknown(median ?? mean)
  const [low, high] = span ?? extent(columns.flatMap(column => [-2, 2].map(far => middle(column) + far * (column.sd ?? 0))))
  const weights = kind === "weight", title = trust ? (weights ? word("Posterior of the weights") : word("Posterior of the ranking values")) : weights ? word("The weights") : word("The ranking values")
  return table(title, [word("Constraint"), drawn ? word("Posterior") : "± 2 SD", word("Median"), word("SD"), word("{share} interval", { share: "95\u2009%" }), "R-hat", "ESS"], names.map((name, i) => {
    const own = columns[i], ess = trust?.ess[i]
    return [name, drawn ? histogram(own.bins, hue) : reach(middle(own), own.sd ?? NaN, low, high, hue), decimal(middle(own)), decimal(unknown(own.sd)),
      own.low === undefined ? "–" : word("{low} to {high}", { low: decimal(own.low), high: decimal(own.high) }), decimal(trust?.rhat[i], 3), Number.isFinite(ess) ? number(Math.round(ess), { useGrouping: false }) : "–"]
  }))
}

function gibbsTable(tableau, draws, summary) {
  const k = tableau.constraints.length, [low, high] = extent(draws.flatMap(chain => extent(chain)))
  const columns = tableau.constraints.map((_, i) => ({ ...summary?.columns[i], bins: binned(draws, k, i, low, high) }))
  return posteriorTable(tableau.constraints, columns, summary?.trust, [low, high], "gibbs", "ranking value")
}

const verdictIn = words => ({ Converged: word("Converged"), "Not converged": word("Not converged"), "Keep running": word("Keep running") })[words] ?? word("Too early to say")

function badgeOf(trust) {
  const badge = verdict(trust), kind = badge.words === "Converged" ? "good" : badge.words === "Not converged" ? "bad" : "warn"
  return h("p", {}, h("span", { class: `badge ${kind}` }, verdictIn(badge.words)), ` R-hat ${decimal(badge.rhat, 3)}, ESS ${Number.isFinite(badge.ess) ? number(Math.round(badge.ess), { useGrouping: false }) : "–"}`)
}

function glaTable(tableau, ends) {
  const [low, high] = extent(ends.flatMap(values => [...values]))
  return table(word("Ranking values at the end of each run"), [word("Constraint"), word("Runs"), word("Mean"), word("SD")], tableau.constraints.map((name, i) => {
    const own = columnSummary(Float64Array.from(ends, values => values[i]))
    return [name, dots(ends.map(values => values[i]), low, high, "gla"), decimal(own.mean), decimal(own.sd)]
  }))
}

function maxentTable(tableau, weights) {
  const high = Math.max(1e-9, ...weights.map(Math.abs))
  return table(word("Weights"), [word("Constraint"), "", word("Weight")], tableau.constraints.map((name, i) => [name,
    h("span", { class: "track" }, h("i", { style: `width:${100 * Math.abs(weights[i]) / high}%;background:var(--ot-maxent)` })), decimal(weights[i], 3)]))
}

// Observed and predicted shares of every candidate; each column {name, hue, values: [{mean, low, high}]}.
function predictedTable(tableau, columns) {
  const observed = tableau.inputs.flatMap((_, k) => { const own = rowsOf(tableau, k).map(r => tableau.frequencies[r]), all = sumOf(own); return own.map(n => n / all) })
  const bar = (p, hue) => h("span", { class: "share" }, h("span", { class: "track" }, h("i", { style: `width:${100 * (p || 0)}%;background:var(--ot-${hue})` })), percentage(p))
  const rows = tableau.inputs.flatMap((input, k) => rowsOf(tableau, k).map(row => [`${isolated(input)} → ${isolated(tableau.candidates[row])}`, bar(observed[row], "ink"),
    ...columns.map(({ values, hue }) => bar(values[row].mean, hue))]))
  return table(word("Observed and predicted shares"), [word("Candidate"), word("Observed"), ...columns.map(column => column.name)], rows)
}

const noOptimum = () => word("no finite optimum: some weights grow without end; give a prior")

// What a run has found so far; each learner in its own way.
function resultParts(result) {
  if (result.kept) return keptParts(result)
  const { job, chains, draws, counted, summary } = result, k = job.tableau.constraints.length, seen = chains.filter(Boolean)
  const remark = words => h("p", { class: "remark" }, words), total = name => number(seen.reduce((sum, chain) => sum + chain[name], 0))
  if (job.learner === "gibbs") {
    const shown = counted ?? draws.map(joinedDraws).map(all => all.subarray(Math.floor(all.length / k / 10) * k))
    return [...(summary?.trust ? [badgeOf(summary.trust)] : []), gibbsTable(job.tableau, shown, summary)]
  }
  if (job.learner === "maxent") return [maxentTable(job.tableau, seen[0].weights), remark(word("Log likelihood {value}", { value: decimal(seen[0].logLikelihood, 4) })), ...(seen[0].finite ? [] : [remark(noOptimum())])]
  const parts = [glaTable(job.tableau, seen.map(chain => chain.values)), ...traceParts(job.tableau, traceOf(result)), remark(word("Errors: {errors} in {trials} trials", { errors: total("errors"), trials: total("done") }))]
  const drifted = job.tableau.constraints.filter((_, i) => Math.abs(columnSummary(Float64Array.from(seen, chain => chain.values[i])).median) > 20 * job.settings.noise)
  if (drifted.length) parts.push(remark(word("{constraints} do not settle: no ranking values fit these data exactly, so they drift for as long as the GLA runs; only the predictions settle.", { constraints: drifted.map(isolated).join(", ") })))
  const never = impossibleRows(job.tableau, relationsOf(job.tableau))
  if (never.length) parts.push(remark(word("{candidates}: observed, but no ranking lets it win; it is an error at each trial.", { candidates: never.map(row => isolated(job.tableau.candidates[row])).join(", ") })))
  return parts
}

const joinedDraws = pieces => { const out = new Float64Array(pieces.reduce((n, piece) => n + piece.length, 0)); pieces.reduce((at, piece) => (out.set(piece, at), at + piece.length), 0); return out }
