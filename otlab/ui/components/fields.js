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
      h("style", {}, CSS),
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

const CSS = `
.grid { display: grid; grid-template-columns: 1fr 1fr; gap: 10px 10px; align-items: start; }
.wide { grid-column: 1 / -1; }
.field { position: relative; min-width: 0; }
.field .label { display: block; margin-bottom: 4px; white-space: nowrap; color: var(--ot-ink2); }
.field .term { border-bottom-color: transparent; }
.field:hover .term { border-bottom-color: var(--ot-ink3); }
.box { position: relative; display: flex; }
.box input[type=text], .box select { width: 100%; height: 32px; padding: 0 10px; border: 1px solid var(--ot-ctl); border-radius: 8px;
  background: var(--ot-surface); color: var(--ot-ink); font: 400 13px var(--ot-ui); font-feature-settings: "tnum"; appearance: none; }
.box input[type=text]:focus-visible, .box select:focus-visible { outline-offset: -1px; }
.box.seed input { padding-right: 34px; }
.box.choice select { padding-right: 26px; text-overflow: ellipsis; }
.box select option { background: var(--ot-surface); color: var(--ot-ink); }
.arrow { position: absolute; right: 8px; top: 8px; pointer-events: none; color: var(--ot-ink2); }
.dice { position: absolute; right: 3px; top: 3px; width: 26px; height: 26px; padding: 0 !important; }
input[aria-invalid] { border-color: var(--ot-bad) !important; box-shadow: 0 0 0 1px var(--ot-bad); background: var(--ot-bad-bg) !important; }
.note { display: block; font-size: 11px; line-height: 1.35; color: var(--ot-accent); }
.note:not(:empty) { margin-top: 3px; }
.note.wrong { color: var(--ot-bad); }
details summary { display: flex; align-items: center; gap: 8px; height: 28px; cursor: pointer; list-style: none; border-radius: 5px; }
details summary::-webkit-details-marker { display: none; }
summary > .icon { transition: transform 120ms ease-out; color: var(--ot-ink2); }
details[open] summary > .icon { transform: rotate(180deg); }
details .value { margin-left: auto; color: var(--ot-ink3); }
details .grid { padding: 6px 0 8px; }
.box.switch input { width: 16px; height: 16px; margin: 4px 0; accent-color: var(--ot-accent); }
.tip { position: absolute; z-index: 50; left: 0; top: 22px; width: 232px; padding: 8px 12px; border-radius: 8px; background: var(--ot-ink);
  color: var(--ot-surface); font-size: 12.5px; visibility: hidden; opacity: 0; transition: opacity 120ms ease-out 0ms; pointer-events: none; }
.field:nth-child(even) .tip { left: auto; right: 0; }
.tip b { display: block; }
.label:hover + .tip { visibility: visible; opacity: 1; transition-delay: 300ms; }
`
