// Run, Pause, Step, Stop, Reset; progress; learners; "Can I trust it?". Keys: Space . Esc

const DRAWER = 1099.98

export function render({ model, el }) {
  const send = (kind, more = {}) => model.send_msg({ kind, ...more })
  const act = (kind, name, key) => h("button", {
    type: "button", class: "square", "aria-label": name, "aria-keyshortcuts": key, onclick: () => send(kind),
  }, icon(kind), h("span", { class: "tip", "aria-hidden": "true" }, name, key && h("kbd", {}, key)))

  const word = h("span")
  const glyph = h("span", { class: "icon" })
  const primary = h("button", { type: "button", class: "primary", "aria-keyshortcuts": "Space", onclick: () => send("toggle") }, glyph, word)
  const step = act("step", "Step", "."), stop = act("stop", "Stop", "Esc"), reset = act("reset", "Reset")
  const ask = h("div", { class: "ask", hidden: true, role: "alertdialog", "aria-label": "Stop the run?" },
    h("span", { class: "grow" }, "Stop the run?"),
    h("button", { type: "button", onclick: () => { send("stop"); settle() } }, "Stop it"),
    h("button", { type: "button", class: "plain", onclick: () => settle() }, "Go on"))
  const controls = h("div", { class: "controls", role: "group", "aria-label": "Run" }, primary, step, stop, reset)

  const title = h("b"), rest = h("span", { class: "rest cut" }), percent = h("span", { class: "percent" })
  const fill = h("div", { class: "fill" })
  const bar = h("div", { class: "track", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0, "aria-valuemax": 100 }, fill)
  const left = h("span"), right = h("span")
  const progress = h("div", { class: "progress" },
    h("div", { class: "line" }, title, rest, percent), bar, h("div", { class: "line small2" }, left, right))

  const lanes = h("div", { class: "lanes", role: "group", "aria-label": "Learner" })
  const trust = h("div", { class: "trust", role: "group", "aria-label": "Can I trust it?" })
  const fault = h("div", { class: "fault", role: "alert", hidden: true })

  el.replaceChildren(h("style", {}, CSS), h("div", { class: "head" }, controls, ask, progress, fault, lanes, trust))

  function settle() { ask.hidden = true; primary.focus() }

  function row(lane) {
    const box = h("input", { type: "checkbox", "aria-label": lane.label, onchange: () => send("lane", { name: lane.name, on: box.checked }) })
    box.style.setProperty("--hue", `var(--ot-${lane.hue})`)
    box.style.setProperty("--rim", `var(--ot-${lane.hue}-edge)`)
    const detail = h("span", { class: "detail" }), said = h("span", { class: "said" })
    const node = h("label", { class: "lane" }, box, h("span", { class: "cut" }, h("b", {}, lane.label), " ", detail), said)
    return { node, box, detail, said }
  }

  let rows = {}
  function showLanes(list) {
    if (Object.keys(rows).join() !== list.map(lane => lane.name).join()) {
      rows = Object.fromEntries(list.map(lane => [lane.name, row(lane)]))
      lanes.replaceChildren(h("div", { class: "label" }, model.group), ...Object.values(rows).map(r => r.node))
      lanes.hidden = list.length === 0
    }
    for (const lane of list) {
      const { box, detail, said, node } = rows[lane.name]
      box.checked = lane.on
      setText(detail, lane.detail)
      setText(said, lane.said)
      setClass(node, "failed", lane.failed)
    }
  }

  function tip(entry) { return entry && h("span", { class: "tip wide", role: "tooltip" }, h("b", {}, entry.name), entry.text) }

  let shownTrust = null
  function showTrust(report) {
    const key = JSON.stringify(report)
    if (key === shownTrust) return
    shownTrust = key
    trust.hidden = !report
    if (!report) return
    const mark = { good: "check", warn: "warn", bad: "warn", plain: "dot" }[report.kind]
    trust.replaceChildren(
      h("div", { class: "line" }, h("span", { class: "label" }, "Can I trust it?"),
        h("span", { class: `badge ${report.kind}`, role: "status" }, icon(mark), report.text)),
      h("div", { class: "stats" }, ...report.stats.map(stat => h("div", { class: "well" },
        h("div", { class: "label" }, stat.tip ? h("span", { class: "term", tabindex: 0 }, stat.label, tip(stat.tip)) : stat.label),
        h("span", { class: "stat" }, stat.value), stat.note ? h("span", { class: "remark" }, ` ${stat.note}`) : null))),
      report.advice ? h("div", { class: "advice" }, h("b", {}, "Do not read these numbers yet."), ` ${report.advice}`) : "")
  }

  function showFault(said) {
    const key = JSON.stringify(said)
    if (fault.dataset.key === key) return
    fault.dataset.key = key
    fault.hidden = !said
    if (!said) return
    fault.replaceChildren(
      h("div", { class: "row" }, icon("warn"), h("b", {}, said.title)),
      ...said.rows.map(r => h("div", { class: "what" }, r.place ? h("span", { class: "place" }, r.place) : null,
        h("span", {}, r.what), r.cure ? h("span", { class: "cure" }, `${r.cure}.`) : null)),
      said.detail ? h("details", {}, h("summary", {}, "Details"), h("pre", {}, said.detail)) : "")
  }

  function update() {
    const s = model.state
    setText(word, s.primary)
    setAttribute(primary, "aria-label", s.primary)
    if (glyph.dataset.name !== s.primary) { glyph.dataset.name = s.primary; glyph.innerHTML = ICONS[s.primary === "Pause" ? "pause" : "run"] }
    primary.disabled = !s.can_run
    step.disabled = !s.can_run
    stop.disabled = !s.can_stop
    reset.disabled = !s.can_reset
    if (!s.can_stop) ask.hidden = true
    const p = s.progress
    setText(title, p.title); setText(rest, p.rest); setText(left, p.left); setText(right, p.right)
    const known = p.share != null
    const shown = known && s.phase !== "idle" && s.phase !== "waiting"
    setText(percent, shown ? `${Math.floor(100 * p.share + 1e-9)}\u2009%` : "")
    setClass(bar, "busy", !known)
    setAttribute(bar, "data-phase", s.phase)
    setAttribute(bar, "aria-valuenow", shown ? Math.floor(100 * p.share) : null)
    setAttribute(bar, "aria-valuetext", `${p.title} ${p.rest}`)
    fill.style.width = known ? `${100 * p.share}%` : ""
    showLanes(s.lanes)
    showTrust(s.trust)
    showFault(s.fault)
  }

  listen(model, "keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === " " && !takesSpace(event) && !primary.disabled) { event.preventDefault(); send("toggle") }
    else if (event.key === "." && !takesKeys(event) && !step.disabled) { event.preventDefault(); send("step") }
    else if (event.key === "Escape" && !ask.hidden) settle()
    else if (event.key === "Escape" && !takesKeys(event) && model.state.can_stop) { ask.hidden = false; ask.querySelector("button").focus() }
  })
  const pulse = setInterval(() => send("alive"), 15000)
  model.on("remove", () => clearInterval(pulse))
  model.on("state", update)
  update()
}

const CSS = `
.head { display: flex; flex-direction: column; gap: 14px; }
[hidden] { display: none !important; }
.controls { display: flex; gap: 8px; }
.controls .primary { flex: 1; height: 36px; font-weight: 600; }
.controls button { position: relative; }
.tip { position: absolute; z-index: 60; top: calc(100% + 6px); right: 0; padding: 6px 10px; border-radius: 8px; background: var(--ot-ink);
  color: var(--ot-surface); font: 400 12.5px/1.45 var(--ot-ui); white-space: nowrap; display: flex; gap: 8px; align-items: center;
  visibility: hidden; opacity: 0; transition: opacity 120ms ease-out 0ms; pointer-events: none; }
.tip.wide { width: 240px; white-space: normal; display: block; left: -10px; right: auto; text-align: left; }
.well:nth-child(even) .tip.wide { left: auto; right: -10px; }
.tip.wide b { display: block; }
button:hover > .tip, button:focus-visible > .tip, .term:hover > .tip, .term:focus > .tip { visibility: visible; opacity: 1; transition-delay: 300ms; }
.term { position: relative; }
.line { display: flex; align-items: baseline; gap: 6px; }
.progress .line:first-child { margin-bottom: 5px; }
.rest { color: var(--ot-ink2); flex: 1; }
.percent { margin-left: auto; }
.small2 { font-size: 12px; color: var(--ot-ink2); justify-content: space-between; min-height: 18px; margin-top: 4px; }
.track { height: 6px; border-radius: 3px; background: var(--ot-shade); overflow: hidden; }
.fill { height: 100%; border-radius: 3px; background: var(--ot-accent); width: 0; }
.track[data-phase=paused] .fill { background: var(--ot-ink2); }
.track[data-phase=stopped] .fill, .track[data-phase=failed] .fill { background: var(--ot-line2); }
.busy .fill { width: 34%; animation: busy 1.4s linear infinite; }
@keyframes busy { from { margin-left: -34%; } to { margin-left: 100%; } }
.lanes, .trust { border-top: 1px solid var(--ot-line); padding-top: 14px; }
.lanes .label { margin-bottom: 4px; }
.lane { display: flex; align-items: center; gap: 9px; min-height: 28px; cursor: pointer; }
.lane b { font-weight: 600; }
.lane .detail { color: var(--ot-ink2); }
.lane .said { margin-left: auto; font-size: 12px; color: var(--ot-ink3); white-space: nowrap; flex: none; }
.lane.failed .said { color: var(--ot-bad); font-weight: 600; }
.lane input { appearance: none; flex: none; width: 16px; height: 16px; margin: 0; border: 1px solid var(--ot-ctl); border-radius: 4px; background: var(--ot-surface); cursor: pointer; }
.lane input:checked { background: var(--hue); border-color: var(--rim); }
.lane input:checked::after { content: ""; display: block; width: 8px; height: 4px; margin: 3px 0 0 3px; border: solid var(--ot-surface); border-width: 0 0 1.8px 1.8px; transform: rotate(-45deg); }
.trust .line { align-items: center; justify-content: space-between; min-height: 22px; }
.stats { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
.stats:not(:empty) { margin-top: 8px; }
.stats .well { padding: 8px 10px; min-width: 0; }
.advice { margin-top: 8px; padding: 10px 12px; border-radius: 8px; background: var(--ot-bad-bg); color: var(--ot-bad); font-size: 12px; }
.ask { display: flex; align-items: center; gap: 6px; padding: 8px 10px; border-radius: 8px; background: var(--ot-inset); }
.ask button { height: 28px; padding: 0 10px; }
.fault { padding: 10px 12px; border-radius: 8px; background: var(--ot-bad-bg); color: var(--ot-bad); font-size: 12px; overflow-wrap: anywhere; }
.fault .what { margin-top: 6px; color: var(--ot-ink); }
.fault .what span { display: block; }
.fault .place { color: var(--ot-ink2); }
.fault .cure { color: var(--ot-ink2); }
.fault details { margin-top: 6px; }
.fault pre { max-height: 160px; overflow: auto; font: 11px/1.4 var(--ot-code); color: var(--ot-ink2); white-space: pre-wrap; }
@media (max-width: ${DRAWER}px) {
  .controls { position: fixed; top: 8px; left: 60px; z-index: 1; visibility: visible; }
  .controls .primary { min-width: 96px; }
}
`
