// The ranking values of the GLA over its trials: a line for each constraint, the mean of the runs, and a thin one for each run.
//
// trace    {total, every, rows: [run][row * K + i]}: the centred values after each `every` of `total` trials; before the first all are 0

const TRACE = { width: 720, height: 220, top: 8, left: 44, foot: 40, names: 130, line: 15, runs: 20, lines: 200, points: 8000, fewest: 32 }
const KEPT = { numbers: 5000, rows: 100, fewest: 20, runs: 5 }

// Places of some rows, as evenly spaced as may be, with the last one.
const spaced = (length, most) => length <= most ? range(0, length) : range(0, most).map(j => Math.floor((j + 1) * length / most) - 1)

// The trace of a run, or null before there is any.
function traceOf({ job, draws }) {
  const rows = draws.map(joinedDraws).filter(own => own.length)
  return rows.length ? { total: job.settings.trials, every: traceEvery(job.settings.trials), rows } : null
}

// As much of a trace as a page keeps.
function keptTrace(trace, k) {
  if (!trace) return null
  const runs = trace.rows.slice(0, KEPT.runs), length = Math.min(...runs.map(own => own.length / k)), most = Math.max(KEPT.fewest, Math.min(KEPT.rows, Math.floor(KEPT.numbers / k / runs.length)))
  const step = Math.ceil(length / most), chosen = range(0, Math.floor(length / step)).map(j => (j + 1) * step - 1)
  return { total: trace.total, every: trace.every * step, rows: runs.map(own => chosen.flatMap(j => [...own.slice(j * k, (j + 1) * k)].map(x => Number(x.toFixed(3))))) }
}

// Places of names that want to stand at some heights, a line apart at least, between two ends.
function apart(heights, line, low, high) {
  const order = range(0, heights.length).sort((a, b) => heights[a] - heights[b]), places = Array(heights.length)
  let least = low
  for (const i of order) { places[i] = Math.max(heights[i], least); least = places[i] + line }
  let most = high
  for (const i of order.toReversed()) { places[i] = Math.min(places[i], most); most = places[i] - line }
  return places
}

// About so many round numbers between two ends.
function ticksBetween(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find(n => n * power >= rough) * power
  return range(Math.ceil(low / step), Math.floor(high / step) + 1).map(n => n * step)
}

function traceChart(names, { total, every, rows }) {
  const k = names.length, shared = Math.min(...rows.map(own => own.length / k)), height = Math.max(TRACE.height, k * TRACE.line)
  const [lowest, highest] = extent(rows.flatMap(own => extent(own))), spread = highest - lowest || 1, low = Math.min(0, lowest) - 0.04 * spread, high = Math.max(0, highest) + 0.04 * spread
  const end = total, { left, top } = TRACE, right = TRACE.width - TRACE.names
  const x = trial => left + trial / end * (right - left), y = value => top + (high - value) / (high - low) * height, two = n => n.toFixed(1)
  // as many lines and points as are drawn in a few milliseconds
  const drawn = rows.slice(0, Math.max(1, Math.min(TRACE.runs, Math.floor(TRACE.lines / k)))), most = Math.max(TRACE.fewest, Math.floor(TRACE.points / k / (drawn.length + 1)))
  const path = (length, valueAt) => `M${two(x(0))} ${two(y(0))}` + spaced(length, most).map(j => `L${two(x((j + 1) * every))} ${two(y(valueAt(j)))}`).join("")
  const mean = (i, j) => rows.reduce((sum, own) => sum + own[j * k + i], 0) / rows.length
  const ends = names.map((_, i) => y(mean(i, shared - 1))), places = apart(ends, TRACE.line, top + 6, top + height - 4), last = x(shared * every)
  const text = (words, at) => svg("text", { class: "trace-axis", ...at }, words)
  const levels = ticksBetween(low, high, 5), digits = Math.max(0, -Math.floor(Math.log10(levels[1] - levels[0] || 1) + 1e-9))
  const axis = [
    ...levels.flatMap(value => [svg("path", { d: `M${left} ${two(y(value))}H${right}`, stroke: "var(--ot-line)" }), text(decimal(value, digits), { x: left - 6, y: y(value) + 4, "text-anchor": "end" })]),
    ...ticksBetween(0, end, 4).map(trial => text(number(Math.round(trial)), { x: x(trial), y: top + height + 16, "text-anchor": "middle" })),
    text(word("Trials"), { x: (left + right) / 2, y: top + height + 32, "text-anchor": "middle" }),
  ]
  const lines = names.map((name, i) => svg("g", { class: "trace", fill: "none", stroke: "var(--ot-gla)" }, svg("title", {}, `${name}: ${decimal(mean(i, shared - 1))}`),
    ...drawn.length > 1 ? drawn.map(own => svg("path", { d: path(own.length / k, j => own[j * k + i]), "stroke-opacity": 0.25 })) : [],
    svg("path", { d: path(shared, j => mean(i, j)), "stroke-width": 1.8 }),
    svg("path", { d: `M${two(last)} ${two(ends[i])}L${right + 8} ${two(places[i])}`, stroke: "var(--ot-line2)" }),
    svg("text", { class: "trace-name", x: right + 12, y: places[i] + 4, stroke: "none" }, name.length > 14 ? `${[...name].slice(0, 13).join("")}…` : name)))
  const size = { viewBox: `0 0 ${TRACE.width} ${height + top + TRACE.foot}`, width: TRACE.width, height: height + top + TRACE.foot }
  const words = names.map((name, i) => `${isolated(name)} ${decimal(mean(i, shared - 1))}`).join("; ")
  return h("div", { class: "scroll", tabindex: 0 }, svg("svg", { ...size, role: "img", "aria-label": word("Ranking values over the trials; at the end: {values}", { values: words }) }, ...axis, ...lines))
}

const traceParts = (tableau, trace) => trace ? [traceChart(tableau.constraints, trace)] : []
