// A switch between two or three views: radio buttons that look like one control.

export function render({ model, el }) {
  const group = h("div", { class: "segments", role: "radiogroup", "aria-label": model.label, onkeydown: turn })
  el.replaceChildren(h("style", {}, CSS), group)

  function build() {
    group.replaceChildren(...model.options.map(([value, label]) =>
      h("button", { type: "button", role: "radio", "data-value": value, onclick: () => model.send_msg(value) }, label)))
    update()
  }
  function update() {
    for (const node of group.children) {
      const on = node.dataset.value === model.value
      setAttribute(node, "aria-checked", String(on))
      setAttribute(node, "tabindex", on ? 0 : -1)
    }
  }
  function turn(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    const all = [...group.children], at = all.findIndex(node => node.dataset.value === model.value)
    const next = all[(at + by + all.length) % all.length]
    next.focus()
    model.send_msg(next.dataset.value)
  }

  build()
  model.on("options", build)
  model.on("value", update)
}

const CSS = `
.segments { display: inline-flex; border: 1px solid var(--ot-ctl); border-radius: 8px; overflow: hidden; }
.segments button { height: 26px; border: 0; border-radius: 0; background: var(--ot-surface); color: var(--ot-ink2); font-size: 12.5px; font-weight: 500; padding: 0 10px; }
.segments button + button { border-left: 1px solid var(--ot-line2); }
.segments button[aria-checked=true] { background: var(--ot-soft); color: var(--ot-accent); font-weight: 600; }
.segments button:focus-visible { outline-offset: -2px; border-radius: 7px; }
`
