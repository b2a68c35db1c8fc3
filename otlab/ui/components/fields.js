// Takes 5.7 ms to build, where fifteen FloatInputs of panel-material-ui would take 93.
// Labelled fields in two columns; rare ones folded, their value visible.

export function render({ model, el }) {
  const rows = {}
  const summaries = {}
  const lock = h("div", { class: "remark", role: "status" })

  const typing = new Set()  // fields with text that has not been sent: no update may wipe it

  function send(name, text) { typing.delete(name); model.send_msg({ name, text }) }

  function input(spec) {
    const id = `field-${spec.name}`
    if (spec.kind === "choice") {
      const node = h("select", { id, onchange: () => send(spec.name, node.value) },
        ...spec.options.map(([value, label]) => h("option", { value }, label)))
      return node
    }
    if (spec.kind === "switch") {
      const node = h("input", { id, type: "checkbox", role: "switch", onchange: () => send(spec.name, node.checked ? "on" : "off") })
      return node
    }
    const node = h("input", {
      id, type: "text", autocomplete: "off", spellcheck: "false",
      oninput: () => { typing.add(spec.name); rows[spec.name].slider?.drop() },
      // After Enter it is sent already; by then an older answer may stand in the field.
      onchange: () => { if (typing.has(spec.name)) send(spec.name, node.value) },
      onkeydown: event => { if (event.key === "Enter") send(spec.name, node.value) },
    })
    return node
  }

  // A slider on a logarithmic scale. While it is dragged, the next value waits for the last to be answered.
  function scale(spec, node) {
    const [low, high] = spec.slide, [less, more] = spec.ends
    const range = h("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": `${less} to ${more}`, oninput: slid, onchange: slid })
    let waiting = false, next = null
    const answered = () => { waiting = false; if (next != null) { const text = next; next = null; pass(text) } }
    function pass(text) {
      if (waiting) { next = text; return }
      waiting = true
      send(spec.name, text)
      setTimeout(answered, 400)
    }
    function slid() {
      const value = Number((low * (high / low) ** (range.value / 100)).toPrecision(2))
      if (String(value) === node.value) return
      node.value = value
      setAttribute(range, "aria-valuetext", `${spec.label} ${value}`)
      pass(String(value))
    }
    function show(text) {
      answered()
      const value = Number(text)
      if (!(value > 0) || waiting) return
      range.value = 100 * Math.log(value / low) / Math.log(high / low)
      setAttribute(range, "aria-valuetext", `${spec.label} ${text}`)
    }
    const place = h("div", { class: "scale" }, range, h("span", {}, less), h("span", {}, more))
    // What is typed counts, and not a place of the slider that still waits to be sent.
    return { place, show, moving: () => waiting, drop: () => { next = null } }
  }

  function field(spec) {
    const node = input(spec)
    const label = h("label", { for: node.id, class: "label" }, spec.tip
      ? h("span", { class: "term" }, spec.label) : spec.label)
    const tip = spec.tip && h("span", { class: "tip", id: `${node.id}-tip`, role: "tooltip" }, h("b", {}, spec.tip.name), spec.tip.text)
    const note = h("span", { class: "note", id: `${node.id}-note`, "aria-live": "polite" })
    const dice = spec.kind === "seed" && h("button", {
      class: "plain dice", type: "button", "aria-label": "Draw another seed", title: "Draw another seed",
      onclick: () => model.send_msg({ name: spec.name, roll: true }),
    }, icon("dice"))
    const box = h("div", { class: `box ${spec.kind}` }, node, dice || null, spec.kind === "choice" ? h("span", { class: "arrow" }, icon("chevron")) : null)
    const slider = spec.slide && scale(spec, node)
    rows[spec.name] = { spec, node, note, slider }
    setAttribute(node, "aria-describedby", `${node.id}-note${tip ? ` ${node.id}-tip` : ""}`)
    return h("div", { class: `field ${spec.wide ? "wide" : ""} ${slider ? "sliding" : ""}` }, label, tip || null, box, slider?.place ?? null, note)
  }

  function fold(spec) {
    const value = h("span", { class: "value cut" })
    summaries[spec.label] = value
    return h("details", { class: "wide" },
      h("summary", {}, icon("chevron"), h("span", { class: "cut" }, spec.label), value),
      h("div", { class: "grid" }, ...spec.fields.map(field)))
  }

  function build() {
    for (const name of Object.keys(rows)) delete rows[name]
    el.replaceChildren(lock,
      h("div", { class: "grid", role: "group", "aria-label": "Settings" },
        ...model.spec.map(spec => spec.kind === "fold" ? fold(spec) : field(spec))))
    update()
  }

  function update() {
    for (const node of el.querySelectorAll("input, select, .dice")) node.disabled = model.locked
    setText(lock, model.locked ? "Locked by the exercise" : "")
    const { values, errors, pending, summaries: texts, hidden } = model.state
    for (const [name, { spec, node, note, slider }] of Object.entries(rows)) {
      const wrong = errors[name]
      const later = pending.includes(name)
      slider?.show(values[name])
      if (spec.kind === "switch") node.checked = values[name] === "on"
      else if (node.value !== values[name] && !typing.has(name) && !slider?.moving()) node.value = values[name]
      setAttribute(node, "aria-invalid", wrong ? "true" : null)
      setText(note, wrong ?? (later ? "from the next run" : ""))
      setClass(note, "wrong", wrong)
      node.closest(".field").hidden = hidden.includes(name)
    }
    for (const [title, node] of Object.entries(summaries)) {
      setText(node, texts[title])
      node.closest("details").hidden = hidden.includes(title)
    }
  }

  build()
  model.on("spec", build)
  model.on("state", update)
  model.on("locked", update)
}
