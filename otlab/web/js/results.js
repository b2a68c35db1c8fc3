// Pictures and tables of results.

const NS = h("div", { html: "<svg></svg>" }).firstChild.namespaceURI
function svg(tag, attributes, ...children) {
  const node = document.createElementNS(NS, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}
const decimal = (x, digits = 2) => Number.isFinite(x) ? (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits).replace("-", "−") : "–"
const percentage = p => Number.isFinite(p) ? `${(100 * p).toFixed(1)}\u2009%` : "–"

const table = (label, heads, rows) => h("div", { class: "scroll" }, h("table", { class: "plain", "aria-label": label },
  h("thead", {}, h("tr", {}, ...heads.map(head => h("th", { scope: "col" }, head)))),
  h("tbody", {}, ...rows.map(row => h("tr", {}, ...row.map((cell, n) => h(n ? "td" : "th", n ? {} : { scope: "row", dir: "auto" }, cell)))))))

// A histogram of draws as wide as the values of all constraints.
function histogram(draws, low, high, hue) {
  const bins = 48, counts = Array(bins).fill(0), width = 160, height = 24
  for (const x of draws) counts[Math.min(bins - 1, Math.max(0, Math.floor((x - low) / (high - low || 1) * bins)))]++
  const top = Math.max(...counts, 1)
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    ...counts.map((n, b) => svg("rect", { x: b * width / bins, y: height - n / top * height, width: width / bins, height: n / top * height, fill: `var(--ot-${hue})` })))
}

// Dots on an axis: the ends of runs.
function dots(values, low, high, hue) {
  const width = 160, height = 24
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("path", { d: `M0 ${height - 4}H${width}`, stroke: "var(--ot-line2)" }),
    ...values.map(x => svg("circle", { cx: 4 + (x - low) / (high - low || 1) * (width - 8), cy: height - 9, r: 3.5, fill: `var(--ot-${hue})`, "fill-opacity": 0.6 })))
}

// Draws of each constraint, pooled over chains of [draw * K + i].
const pooled = (chains, k, i) => chains.flatMap(draws => { const own = []; for (let j = i; j < draws.length; j += k) own.push(draws[j]); return own })

function extent(values) {
  let low = Infinity, high = -Infinity
  for (const x of values) { if (x < low) low = x; if (x > high) high = x }
  return low <= high ? [low, high] : [0, 1]
}

function gibbsTable(tableau, draws, summary) {
  const k = tableau.constraints.length, columns = tableau.constraints.map((_, i) => pooled(draws, k, i)), [low, high] = extent(draws.flatMap(chain => extent(chain)))
  return table("Posterior of the ranking values", ["Constraint", "Posterior", "Median", "SD", "95 % interval", "R-hat", "ESS"], tableau.constraints.map((name, i) => {
    const own = summary?.columns[i], trust = summary?.trust
    return [name, histogram(columns[i], low, high, "gibbs"), decimal(own?.median), decimal(own?.sd), own ? `${decimal(own.low)} to ${decimal(own.high)}` : "–",
      decimal(trust?.rhat[i], 3), trust && Number.isFinite(trust.ess[i]) ? Math.round(trust.ess[i]) : "–"]
  }))
}

function glaTable(tableau, ends) {
  const [low, high] = extent(ends.flatMap(values => [...values]))
  return table("Ranking values at the end of each run", ["Constraint", "Runs", "Mean", "SD"], tableau.constraints.map((name, i) => {
    const own = columnSummary(Float64Array.from(ends, values => values[i]))
    return [name, dots(ends.map(values => values[i]), low, high, "gla"), decimal(own.mean), decimal(own.sd)]
  }))
}

function maxentTable(tableau, weights) {
  const high = Math.max(1e-9, ...weights.map(Math.abs))
  return table("Weights", ["Constraint", "", "Weight"], tableau.constraints.map((name, i) => [name,
    h("span", { class: "track" }, h("i", { style: `width:${100 * Math.abs(weights[i]) / high}%;background:var(--ot-maxent)` })), decimal(weights[i], 3)]))
}

// Observed and predicted shares of every candidate; each column {name, hue, values: [{mean, low, high}]}.
function predictedTable(tableau, columns) {
  const observed = tableau.inputs.flatMap((_, k) => { const own = rowsOf(tableau, k).map(r => tableau.frequencies[r]), all = sumOf(own); return own.map(n => n / all) })
  const bar = (p, hue) => h("span", { class: "share" }, h("span", { class: "track" }, h("i", { style: `width:${100 * (p || 0)}%;background:var(--ot-${hue})` })), percentage(p))
  const rows = tableau.inputs.flatMap((input, k) => rowsOf(tableau, k).map(row => [`${isolated(input)} → ${isolated(tableau.candidates[row])}`, bar(observed[row], "ink"),
    ...columns.map(({ values, hue }) => bar(values[row].mean, hue))]))
  return table("Observed and predicted shares", ["Candidate", "Observed", ...columns.map(column => column.name)], rows)
}
