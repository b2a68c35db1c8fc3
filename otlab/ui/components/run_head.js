// Takes 4.5 ms to build, where six Buttons, four Checkboxes and a LinearProgress would take 63.
// Run, Pause, Step, Stop, Reset; progress; learners; "Can I trust it?". Keys: Space . Esc

const REPLAY = 8000   // ms that a whole replay takes

export function render({ model, el }) {
  const send = (kind, more = {}) => model.send_msg({ kind, ...more })
  const act = (kind, name, key) => h("button", {
    type: "button", class: "square", "aria-label": name, "aria-keyshortcuts": key, onclick: () => { send(kind); if (kind !== "step") primary.focus() },
  }, icon(kind), h("span", { class: "tip", "aria-hidden": "true" }, name, key && h("kbd", {}, key)))

  const word = h("span")
  const glyph = h("span", { class: "icon" })
  const primary = h("button", { type: "button", class: "primary", "aria-keyshortcuts": "Space", onclick: toggle }, glyph, word)
  const step = act("step", "Step", "."), stop = act("stop", "Stop", "Esc"), reset = act("reset", "Reset")
  const held = h("p", { class: "held", role: "status", hidden: true })
  const ask = h("div", { class: "ask", hidden: true, role: "alertdialog", "aria-label": "Stop the run?" },
    h("span", { class: "grow" }, "Stop the run?"),
    h("button", { type: "button", onclick: () => { send("stop"); settle() } }, "Stop it"),
    h("button", { type: "button", class: "plain", onclick: () => settle() }, "Go on"))
  const controls = h("div", { class: "controls", role: "group", "aria-label": "Run" }, primary, step, stop, reset)

  const title = h("b"), rest = h("span", { class: "rest cut" }), percent = h("span", { class: "percent" })
  const fill = h("div", { class: "fill" })
  const bar = h("div", { class: "track", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0, "aria-valuemax": 100 }, fill)
  const left = h("span"), right = h("span")

  // Of a run that has ended: a slider in the bar's place shows it as it was. One question at a time: a slow page never falls behind the hand.
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.005, "aria-label": "Replay", oninput: () => { halt(); replay(Number(slider.value)) } })
  const player = h("button", { type: "button", class: "square plain", "aria-label": "Play the run again", title: "Play the run again", onclick: () => playing ? halt() : play() }, icon("run"))
  const replays = h("div", { class: "replay", hidden: true }, player, slider)
  const progress = h("div", { class: "progress" },
    h("div", { class: "line" }, title, rest, percent), bar, replays, h("div", { class: "line small2" }, left, right))
  let playing = null, asked = 0, wanted = null

  function replay(share) {
    wanted = share
    if (asked && performance.now() - asked < 2000) return
    asked = performance.now()
    send("replay", { share })
    wanted = null
  }
  function answered(message) {
    if (message?.done !== "replay") return
    asked = 0
    if (wanted !== null) replay(wanted)
  }
  function play() {
    if (Number(slider.value) >= 1) slider.value = 0
    player.replaceChildren(icon("pause"))
    const begin = performance.now(), from = Number(slider.value)
    playing = setInterval(() => {
      slider.value = Math.min(1, from + (performance.now() - begin) / REPLAY)
      replay(Number(slider.value))
      if (Number(slider.value) >= 1) halt()
    }, 60)
  }
  function halt() {
    clearInterval(playing)
    playing = null
    player.replaceChildren(icon("run"))
  }

  const learners = h("div", { class: "learners", role: "group", "aria-label": "Learner" })
  const trust = h("div", { class: "trust", role: "group", "aria-label": "Can I trust it?" })
  const fault = h("div", { class: "fault", role: "alert", hidden: true })

  el.replaceChildren(h("div", { class: "head" }, controls, held, ask, progress, fault, learners, trust))

  // The click is acknowledged at once, however long the server takes to start the run.
  // The button's label is sent too: the second of two quick clicks on Run must not pause.
  function toggle() {
    send("toggle", { label: model.state.primary })
    setAttribute(primary, "aria-busy", "true")
    if (["running", "waiting", "preparing"].includes(model.state.phase)) return
    setText(title, model.state.phase === "paused" ? "Resuming…" : "Starting…")
    setText(rest, "")
    setText(left, "")
  }

  function settle() { ask.hidden = true; primary.focus() }

  // A tick stands until the server says the same: what it sent before it heard of the click is older.
  const ticked = {}
  function tick(name, on) {
    ticked[name] = { on, at: performance.now() }
    send("row", { name, on })
  }
  function isOn({ name, on }) {
    const own = ticked[name]
    if (!own || own.on === on || performance.now() - own.at > 2000) delete ticked[name]
    return ticked[name] ? own.on : on
  }

  function row(learner) {
    const box = h("input", { type: "checkbox", "aria-label": learner.spoken, onchange: () => tick(learner.name, box.checked) })
    box.style.setProperty("--hue", `var(--ot-${learner.hue})`)
    box.style.setProperty("--rim", `var(--ot-${learner.hue}-edge)`)
    const detail = h("span", { class: "detail" }), status = h("span", { class: "status" })
    const node = h("label", { class: "learner" }, box, h("span", { class: "cut" }, h("b", {}, learner.label), " ", detail), status)
    return { node, box, detail, status }
  }

  // Of many learners, those that are off to begin with are folded; open as soon as one of them is on.
  let rows = {}
  function arrange(list) {
    rows = Object.fromEntries(list.map(learner => [learner.name, row(learner)]))
    const nodes = folded => list.filter(learner => learner.folded === folded).map(learner => rows[learner.name].node)
    const others = nodes(true)
    const fold = h("details", { class: "others", open: list.some(learner => learner.folded && learner.on) },
      h("summary", {}, icon("chevron"), `${others.length} more`), ...others)
    learners.replaceChildren(h("div", { class: "label" }, model.group), ...nodes(false), others.length ? fold : "")
    learners.hidden = list.length === 0
  }

  function showRows(list) {
    if (Object.keys(rows).join() !== list.map(learner => learner.name).join()) arrange(list)
    if (list.some(learner => learner.folded && learner.on && !rows[learner.name].box.checked)) learners.querySelector("details").open = true
    for (const learner of list) {
      const { box, detail, status, node } = rows[learner.name]
      box.checked = isOn(learner)
      box.disabled = learner.locked
      setText(detail, learner.detail)
      setText(status, learner.status)
      setClass(node, "failed", learner.failed)
    }
  }

  function tip(entry) { return entry && h("span", { class: "tip wide", role: "tooltip" }, h("b", {}, entry.name), entry.text) }

  // The first sentence of what the badge means; the others on demand.
  const unfolded = { means: false, advice: window.innerHeight > 940 }
  function foldable(kind, first, others) {
    if (!others) return h("div", { class: kind }, first)
    const rest = h("span", {}, ` ${others} `)
    const turn = h("button", { type: "button", class: "plain", onclick: () => { unfolded[kind] = !unfolded[kind]; show() } })
    const show = () => { rest.hidden = !unfolded[kind]; setText(turn, unfolded[kind] ? "Less" : "More"); setAttribute(turn, "aria-expanded", unfolded[kind]) }
    show()
    return h("div", { class: kind }, first, " ", rest, turn)
  }
  const sentences = text => text.split(/(?<=[.]) (?=\p{Lu})/u)
  function explained(text) {
    const [first, ...others] = sentences(text)
    return foldable("means", first, others.join(" "))
  }
  function advised(text) {
    const [first, ...others] = sentences(text)
    return foldable("advice", h("span", {}, h("b", {}, "Do not read these numbers yet."), ` ${first}`), others.join(" "))
  }

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
      report.heading ? h("div", { class: "heading" }, report.heading) : "",
      h("div", { class: "stats" }, ...report.stats.map(stat => h("div", { class: "well" },
        h("div", { class: "label" }, stat.tip ? h("span", { class: "term", tabindex: 0 }, stat.label, tip(stat.tip)) : stat.label),
        h("span", { class: "stat" }, stat.value), stat.note ? h("span", { class: "remark" }, ` ${stat.note}`) : null))),
      report.meaning ? explained(report.meaning) : "",
      report.advice ? advised(report.advice) : "",
      report.longer ? h("div", { class: "line longer" },
        h("button", { type: "button", onclick: () => send("run_longer") }, report.longer.text),
        h("span", { class: "remark" }, report.longer.time)) : "",
      ...report.remedies.map((words, at) => h("div", { class: "line longer" },
        h("button", { type: "button", onclick: () => send("remedy", { at }) }, words))))
  }

  function showFault(message) {
    const key = JSON.stringify(message)
    if (fault.dataset.key === key) return
    fault.dataset.key = key
    fault.hidden = !message
    if (!message) return
    fault.replaceChildren(
      h("div", { class: "row" }, icon("warn"), h("b", {}, message.title)),
      ...message.rows.map(r => h("div", { class: "what" }, r.place ? h("span", { class: "place" }, r.place) : null,
        h("span", {}, r.what), r.hint ? h("span", { class: "remedy" }, `${r.hint}.`) : null)),
      message.detail ? h("details", {}, h("summary", {}, "Details"), h("pre", {}, message.detail)) : "")
  }

  // Cards without a result say "Press Run", and while a run is prepared that it is (states.css).
  function tellCards(phase) {
    const begun = ["waiting", "preparing"].includes(phase), { style } = document.documentElement
    style.setProperty("--ot-at-rest", begun ? "none" : "contents")
    style.setProperty("--ot-begun", begun ? "contents" : "none")
  }

  function update() {
    const s = model.state
    tellCards(s.phase)
    setAttribute(primary, "aria-busy", null)
    setText(word, s.primary)
    setAttribute(primary, "aria-label", s.primary)
    if (glyph.dataset.name !== s.primary) { glyph.dataset.name = s.primary; glyph.innerHTML = ICONS[s.primary === "Pause" ? "pause" : "run"] }
    held.hidden = !s.held
    setText(held, s.held)
    primary.disabled = !s.can_run
    step.disabled = !s.can_run
    stop.disabled = !s.can_stop
    reset.disabled = !s.can_reset
    if (!s.can_stop) ask.hidden = true
    const p = s.progress
    setText(title, p.title); setText(rest, p.rest); setText(left, p.left); setText(right, p.right)
    const known = p.share != null
    const shown = known && !p.endless && !["idle", "waiting", "failed"].includes(s.phase)
    setText(percent, shown ? `${Math.floor(100 * p.share + 1e-9)}\u2009%` : "")
    setClass(bar, "busy", !known)
    setAttribute(bar, "data-phase", s.phase)
    setAttribute(bar, "aria-valuenow", shown ? Math.floor(100 * p.share) : null)
    setAttribute(bar, "aria-valuetext", `${p.title} ${p.rest}`)
    fill.style.width = known ? `${100 * p.share}%` : ""
    replays.hidden = !s.replay
    bar.hidden = Boolean(s.replay)
    if (!s.replay && playing) halt()
    if (s.replay) {
      if (s.replay.share < 1) setText(right, s.replay.text)
      setAttribute(slider, "aria-valuetext", s.replay.text)
      if (!asked && !playing) slider.value = s.replay.share
    }
    showRows(s.rows)
    showTrust(s.trust)
    showFault(s.fault)
  }

  listen(model, "keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === " " && !takesSpace(event) && !primary.disabled) { event.preventDefault(); toggle() }
    else if (event.key === "." && !takesKeys(event) && !step.disabled) { event.preventDefault(); send("step") }
    else if (event.key === "Escape" && !ask.hidden) settle()
    else if (event.key === "Escape" && !takesKeys(event) && model.state.can_stop) { ask.hidden = false; ask.querySelector("button").focus() }
  })
  const pulse = setInterval(() => send("alive"), 15000)
  const see = () => send("seen", { on: !document.hidden })
  document.addEventListener("visibilitychange", see)
  if (document.hidden) see()
  // Without the server nothing of a run in progress is known: no time is left to count.
  const lost = () => { if (["running", "waiting", "preparing"].includes(model.state.phase)) setText(right, "connection lost") }
  document.addEventListener("otlab-lost", lost)
  model.on("remove", () => {
    halt(); clearInterval(pulse)
    document.removeEventListener("visibilitychange", see); document.removeEventListener("otlab-lost", lost)
  })
  model.on("state", update)
  model.on("msg:custom", message => { answered(message); update() })
  update()
}
