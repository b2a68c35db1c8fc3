// Takes 6.2 ms to build, where ten FloatSliders would take 78.
// The ranking-value line: one bell curve per constraint, dragged by its handle or its name.
//
// model.names      [{stem, below}]   names, with what stands below the line
// model.values     [x]               ranking values; from Python, or our own coming back
// model.home       [x]               where Home leads; empty: nowhere
// model.noise      s                 standard deviation of every bell
// model.bound      b                 values stay within -b and b
// model.span       [low, high]       what the axis shows; if there is none, as much as the bells need
//
// Sends {values, done}; Python answers each message once its numbers are up to date, and
// only then the next one goes out: a slow tableau never falls behind the hand.

const SVG = h("div", { html: "<svg></svg>" }).firstChild.namespaceURI
const KEY = 0.05, SHIFT_KEY = 0.5      // steps of the arrow keys
const AXIS = 40, LINE = 16, TOP = 4    // pixels: below the axis, a row of names, above them
const GAP = 8                          // pixels between two names
const ASIDE = 4                        // pixels between a name and the dotted line of another
const NAMES = 0.55                     // share of the height that names may take
const LONGEST = 0.4                    // share of the width that a name may take; a longer one is cut
const CENTRING = 180                   // ms
const PATIENCE = 1000                  // ms without an answer after which we send again

function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, x))
const still = matchMedia("(prefers-reduced-motion: reduce)")

export function render({ model, el }) {
  let values = [], bells = [], span = [-3, 3], width = 0, height = 0
  let active = null, pointed = null, dragging = null, animation = null
  let waiting = false, wanted = null, sentAt = 0
  const sent = []                      // our own recent values, to know them when they come back

  const picture = s("svg", { width: "100%", height: "100%", role: "group", "aria-label": said("Ranking values") })
  const axis = s("g", { class: "axis", "aria-hidden": "true" })
  const curves = s("g", { class: "curves", "aria-hidden": "true" })
  const handles = s("g")
  const more = s("text", { class: "more", "text-anchor": "middle", "aria-hidden": "true" })
  picture.append(axis, more, curves, handles)
  picture.copyData = () => ["constraint\tranking value", ...model.names.map(({ stem, below }, i) => `${stem}${below ? `_${below}` : ""}\t${values[i]}`)].join("\n")
  el.replaceChildren(h("style", {}, CSS), picture)

  const X = v => (v - span[0]) / (span[1] - span[0]) * width
  const V = x => span[0] + x / width * (span[1] - span[0])

  // ---- messages

  function send(done = false) {
    wanted = { values: values.slice(), done: done || Boolean(wanted?.done) }
    if (waiting && performance.now() - sentAt < PATIENCE) return
    waiting = true
    requestAnimationFrame(post)
  }

  function post() {
    if (!wanted) { waiting = false; return }
    sentAt = performance.now()
    sent.push(JSON.stringify(wanted.values))
    if (sent.length > 50) sent.shift()
    model.send_msg(wanted)
    wanted = null
  }

  function answered() {
    waiting = false
    if (wanted) send()
  }

  function receive() {
    const own = sent.indexOf(JSON.stringify(model.values))
    sent.splice(0, own + 1)            // what was sent before it will not come back any more
    if (own >= 0 || dragging !== null) return
    cancelAnimationFrame(animation)
    values = model.values.slice()
    if (values.length !== bells.length) { build(); return }
    fit()
    draw()
  }

  // ---- moving

  function move(i, value) {
    const before = values[i]
    values[i] = clamp(value, -model.bound, model.bound)
    if (values[i] === before) return
    if (dragging === null && (values[i] < span[0] || values[i] > span[1])) fit()
    draw()
    send()
  }

  // Shift all so that their mean is 0; nothing else changes, so the bells glide.
  function centre() {
    const mean = values.reduce((a, b) => a + b, 0) / values.length
    const ends = values.map(v => clamp(v - mean, -model.bound, model.bound))
    const starts = values, began = performance.now(), old = span, fresh = fitted(ends)
    values = ends
    send(true)
    const frame = now => {
      const share = still.matches ? 1 : clamp((now - began) / CENTRING, 0, 1)
      const eased = 1 - (1 - share) ** 2
      span = old.map((x, k) => x + (fresh[k] - x) * eased)
      draw(ends.map((v, i) => starts[i] + (v - starts[i]) * eased))
      if (share < 1) animation = requestAnimationFrame(frame)
    }
    frame(began)
  }

  function onKey(i, event) {
    const step = event.shiftKey ? SHIFT_KEY : KEY
    const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step,
      PageUp: SHIFT_KEY, PageDown: -SHIFT_KEY }[event.key]
    const home = event.key === "Home" && model.home.length === values.length
    if (by === undefined && !home) return
    event.preventDefault()
    event.stopPropagation()
    move(i, home ? model.home[i] : Math.round((values[i] + by) * 1e6) / 1e6)
  }

  function activate(i) {
    if (active === i) return
    active = i
    draw()
  }

  // ---- drawing

  function fitted(those) {
    const low = Math.min(...those), high = Math.max(...those), room = 2.4 * model.noise
    return those.length ? [low - room, high + room] : [-3, 3]
  }

  function fit() { span = model.span ?? fitted(values) }

  function bell(name, i) {
    const label = s("text", { class: "name" }, name.stem), stem = label.firstChild
    if (name.below) label.append(s("tspan", { dy: "0.28em", "font-size": "78%" }, name.below))
    const value = s("tspan", { class: "value" })
    label.append(value)
    const grip = s("g", {},
      s("rect", { class: "hit", x: -12, y: -13, width: 24, height: 26 }),
      s("rect", { class: "ring", x: -9, y: -12, width: 18, height: 24, rx: 9 }),
      s("rect", { class: "knob", x: -6, y: -9, width: 12, height: 18, rx: 6 }),
      s("path", { class: "grip", d: "M-1.5 -3v6M1.5 -3v6" }))
    const fullName = [name.stem, name.below].filter(Boolean).join(" ")
    const slider = s("g", { class: "slider", role: "slider", tabindex: 0, "aria-orientation": "horizontal",
      "aria-label": said("Ranking value of {name}", { name: fullName }) }, s("title", {}, fullName), label, grip)
    const curve = s("path", { class: "curve" }), area = s("path", { class: "area" }), drop = s("path", { class: "drop" })
    curves.append(area, curve, drop)
    handles.append(slider)
    slider.addEventListener("pointerdown", e => grab(i, e))
    slider.addEventListener("pointermove", e => drag(i, e))
    slider.addEventListener("lostpointercapture", () => release(i))
    slider.addEventListener("keydown", e => onKey(i, e))
    slider.addEventListener("pointerenter", () => point(i))
    slider.addEventListener("pointerleave", () => point(null))
    slider.addEventListener("focus", () => activate(i))
    slider.addEventListener("blur", () => { if (active === i) activate(null) })
    return { fullName, name, stem, label, value, below: Boolean(name.below), grip, slider, curve, area, drop }
  }

  function point(i) {
    if (pointed === i || dragging !== null) return
    pointed = i
    draw()
  }

  // Where the pointer is, in the picture's own pixels: the page may be enlarged.
  function place(event) {
    const box = picture.getBoundingClientRect()
    return (event.clientX - box.left) * width / (box.width || 1)
  }

  let offset = 0
  function grab(i, event) {
    if (event.button) return
    cancelAnimationFrame(animation)
    event.preventDefault()
    const slider = bells[i].slider
    slider.setPointerCapture(event.pointerId)
    slider.focus({ preventScroll: true })
    dragging = i
    offset = place(event) - X(values[i])
    activate(i)
  }

  function drag(i, event) {
    if (dragging !== i) return
    const x = clamp(place(event) - offset, 0, width)
    move(i, V(x))
  }

  function release(i) {
    if (dragging !== i) return
    dragging = null
    centre()
  }

  // A name that is too long ends in an ellipsis; the whole one is in the handle's title.
  let cutFor = 0
  function cutNames() {
    if (cutFor === width) return
    cutFor = width
    for (const { name, stem, label } of bells) {
      setText(stem, name.stem)
      const share = LONGEST * width / label.getComputedTextLength(), letters = [...name.stem]
      if (share < 1) setText(stem, `${letters.slice(0, Math.max(1, Math.floor(share * letters.length) - 1)).join("")}…`)
    }
  }

  // Names go into the lowest row in which they touch no other. Where there is not room for all,
  // the one focused and the one pointed at come first, then the highest ranked.
  function layNames(shown, most) {
    const urgency = i => i === active ? 2 : i === pointed ? 1 : 0
    const order = shown.map((_, i) => i).sort((a, b) => urgency(b) - urgency(a) || shown[b] - shown[a])
    const rows = []
    const places = []
    for (const i of order) {
      const half = bells[i].label.getComputedTextLength() / 2
      const x = clamp(X(shown[i]), half + 2, Math.max(half + 2, width - half - 2))
      const free = taken => taken.every(other => Math.abs(other.x - x) > other.half + half + GAP)
      let row = rows.findIndex(free)
      if (row < 0 && rows.length < most) row = rows.push([]) - 1
      if (row >= 0) rows[row].push({ x, half })
      places[i] = { x, half, row, hidden: row < 0 }
    }
    bells.forEach((_, i) => stepAside(i, shown, places))
    return { places, rows: Math.max(1, rows.length), hidden: places.filter(place => place.hidden).length }
  }

  // The dotted lines of names above go down past those below, which stand beside them if they can.
  function stepAside(i, shown, places) {
    const { row, half } = places[i]
    if (row < 0) return
    const above = places.flatMap((place, k) => place.row > row ? [X(shown[k])] : [])
    const crossed = above.find(x => Math.abs(x - places[i].x) < half + ASIDE)
    if (crossed === undefined) return
    const x = crossed + Math.sign(places[i].x - crossed || 1) * (half + ASIDE)
    const touches = (other, k) => k !== i && other.row === row && Math.abs(other.x - x) <= other.half + half + GAP
    const within = x > half && x < width - half && Math.abs(x - X(shown[i])) < half
    if (within && !places.some(touches)) places[i].x = x
  }

  function draw(shown = values) {
    if (!width || !height || !bells.length) return
    cutNames()
    bells.forEach((b, i) => {
      setText(b.value, i === active ? ` ${figures(values[i])}` : "")
      setAttribute(b.value, "dy", b.below && i === active ? "-0.22em" : null)
      setClass(b.slider, "active", i === active)
      for (const node of [b.curve, b.area, b.drop]) setClass(node, "active", i === active)
      setAttribute(b.slider, "aria-valuenow", values[i].toFixed(2))
      setAttribute(b.slider, "aria-valuetext", `${b.fullName} ${figures(values[i])}`)
      setAttribute(b.slider, "aria-valuemin", -model.bound)
      setAttribute(b.slider, "aria-valuemax", model.bound)
    })
    const ground = height - AXIS
    const { places, rows, hidden } = layNames(shown, Math.max(1, Math.floor((ground * NAMES - TOP) / LINE)))
    const roof = Math.min(TOP + rows * LINE + 8, ground - 24)
    bells.forEach((b, i) => drawBell(b, shown[i], places[i], ground, roof, rows))
    drawAxis(ground)
    const cut = hidden === 1 ? said("1 label hidden") : said("{n} labels hidden", { n: hidden })
    setText(more, !hidden ? said("ranking value") : width > 420 ? `${cut}; ${said("hover over a handle")}` : `${cut}; ${said("hover")}`)
    more.setAttribute("x", width / 2)
    more.setAttribute("y", height - 3)
  }

  function drawBell(b, value, place, ground, roof, rows) {
    const points = []
    const n = Math.max(24, Math.round(width / 6))
    for (let k = 0; k <= n; k++) {
      const x = k / n * width, z = (V(x) - value) / model.noise
      points.push(`${x.toFixed(1)} ${(ground - (ground - roof) * Math.exp(-z * z / 2)).toFixed(1)}`)
    }
    const line = `M${points.join("L")}`, x = X(value), text = TOP + 12 + (rows - 1 - place.row) * LINE
    b.curve.setAttribute("d", line)
    b.area.setAttribute("fill-opacity", 0.2 / Math.max(4, bells.length))
    b.area.setAttribute("d", `${line}L${width} ${ground}L0 ${ground}Z`)
    b.drop.setAttribute("d", `M${x} ${place.hidden ? roof : text + 5}V${ground - 9}`)
    b.label.setAttribute("transform", `translate(${place.x} ${text})`)
    b.label.style.visibility = place.hidden ? "hidden" : ""   // still measured, unlike what is not displayed
    b.grip.setAttribute("transform", `translate(${x} ${ground})`)
  }

  function drawAxis(ground) {
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10000].find(t => X(t) - X(0) >= 75) ?? 100000
    const nodes = [s("path", { d: `M0 ${ground}H${width}` })]
    for (let k = Math.ceil(span[0] / step); k * step <= span[1]; k++) {
      const x = X(k * step)
      if (x < 12 || x > width - 12) continue
      nodes.push(s("text", { x, y: ground + 20, "text-anchor": "middle" }, figures(k * step, Number.isInteger(Math.round(k * step * 10) / 10) ? 0 : 1)))
    }
    nodes.push(s("text", { x: 0, y: height - 3 }, said("lower ranked")),
      s("text", { x: width, y: height - 3, "text-anchor": "end" }, said("higher ranked")))
    axis.replaceChildren(...nodes)
  }

  function build() {
    curves.replaceChildren()
    handles.replaceChildren()
    active = pointed = dragging = null
    values = model.values.slice()
    bells = model.names.length === values.length ? model.names.map(bell) : []
    cutFor = 0
    fit()
    draw()
  }

  const watcher = new ResizeObserver(() => {
    width = picture.clientWidth
    height = picture.clientHeight
    draw()
  })
  watcher.observe(picture)
  document.fonts?.ready.then(() => { cutFor = 0; draw() })
  build()
  model.on("values", receive)
  model.on("names", build)
  model.on(["noise", "bound"], () => { fit(); draw() })
  model.on("msg:custom", answered)
  model.on("remove", () => watcher.disconnect())
}

const CSS = `
:host { display: block; }
svg { display: block; overflow: visible; touch-action: none; user-select: none; font: 400 11px var(--ot-ui); }
.axis path { stroke: var(--ot-line2); stroke-width: 1; }
.axis text, .more { fill: var(--ot-ink3); font-feature-settings: "tnum"; }
.curves { pointer-events: none; }
.curve { fill: none; stroke: var(--ot-ink2); stroke-width: 1.3; }
.area { fill: var(--ot-ink); }
.drop { stroke: var(--ot-ink2); stroke-dasharray: 1.5 3; fill: none; }
.curve.active { stroke: var(--ot-accent); stroke-width: 2; }
.area.active { fill: var(--ot-accent); fill-opacity: .11; }
.drop.active { stroke: var(--ot-accent); }
.slider { cursor: ew-resize; outline: none; touch-action: none; }
.name { font: 400 15px var(--ot-forms); font-variant-caps: small-caps; letter-spacing: .03em; fill: var(--ot-ink);
  text-anchor: middle; white-space: pre; paint-order: stroke; stroke: var(--ot-surface); stroke-width: 4px; }
.name tspan { stroke: none; }
.value { font: 600 13px var(--ot-ui); font-variant-caps: normal; letter-spacing: 0; font-feature-settings: "tnum"; }
.active .name { fill: var(--ot-accent); }
.hit { fill: transparent; }
.knob { fill: var(--ot-surface); stroke: var(--ot-ink2); stroke-width: 1.8; }
.grip { stroke: var(--ot-ink2); stroke-width: 1.1; }
.active .knob, .active .grip { stroke: var(--ot-accent); }
.ring { fill: none; stroke: none; }
.slider:focus-visible .ring { stroke: var(--ot-accent); stroke-width: 2; }
`
