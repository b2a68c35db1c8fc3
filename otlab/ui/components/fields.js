// Labelled fields in two columns; rare ones folded, their value visible.

export function render({ model, el }) {
  const rows = {}
  const summaries = {}

  function send(name, text) { model.send_msg({ name, text }) }

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
      onchange: () => send(spec.name, node.value),
      onkeydown: event => { if (event.key === "Enter") send(spec.name, node.value) },
    })
    return node
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
    rows[spec.name] = { spec, node, note }
    setAttribute(node, "aria-describedby", `${node.id}-note${tip ? ` ${node.id}-tip` : ""}`)
    return h("div", { class: `field ${spec.wide ? "wide" : ""}` }, label, tip || null, box, note)
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
    el.replaceChildren(
      h("div", { class: "grid", role: "group", "aria-label": "Settings" },
        ...model.spec.map(spec => spec.kind === "fold" ? fold(spec) : field(spec))))
    update()
  }

  function update() {
    const { values, errors, pending, summaries: said } = model.state
    for (const [name, { spec, node, note }] of Object.entries(rows)) {
      const wrong = errors[name]
      const later = pending.includes(name)
      if (spec.kind === "switch") node.checked = values[name] === "on"
      else if (node.value !== values[name]) node.value = values[name]
      setAttribute(node, "aria-invalid", wrong ? "true" : null)
      setText(note, wrong ?? (later ? "from the next run" : ""))
      setClass(note, "wrong", wrong)
    }
    for (const [title, node] of Object.entries(summaries)) setText(node, said[title])
  }

  build()
  model.on("spec", build)
  model.on("state", update)
}
