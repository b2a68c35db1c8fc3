// States against gold tags: a grid of squares, rows to select, matched cells outlined.

export function render({ model, el }) {
  const box = h("div", { class: "grid", role: "group", "aria-label": model.label })
  el.replaceChildren(box)
  let drawn = ""

  function build() {
    const { rows, columns } = model.data
    const key = JSON.stringify([columns, rows.length])
    if (key !== drawn) {
      drawn = key
      setClass(box, "dense", columns.length > 27)
      box.style.gridTemplateColumns = `minmax(76px, 118px) repeat(${columns.length}, minmax(7px, 1fr))`
      box.replaceChildren(h("span", {}), ...columns.map(name => h("span", { class: "head", title: name }, h("i", {}, name))),
        ...rows.flatMap(row => line(row, columns)))
    }
    update()
  }
  function line(row, columns) {
    const button = h("button", { type: "button", class: "name", onclick: event => { const state = Number(event.currentTarget.dataset.state); if (state >= 0) model.send_msg(state) } })
    return [button, ...columns.map(() => h("span", { class: "cell" }))]
  }
  function update() {
    const { rows, columns } = model.data, width = columns.length + 1
    rows.forEach((row, r) => {
      const at = width * (r + 1), name = box.children[at]
      setText(name, row.name)
      setAttribute(name, "data-state", row.state)
      setAttribute(name, "aria-pressed", String(row.state >= 0 && row.state === model.selected))
      setClass(name, "named", row.named)
      row.shares.forEach((share, c) => {
        const cell = box.children[at + 1 + c]
        const tone = Math.round(100 * Math.pow(share, 0.75))
        const ground = `color-mix(in srgb, var(--ot-gibbs) ${tone}%, var(--ot-inset))`
        if (cell.dataset.tone !== String(tone)) { cell.dataset.tone = tone; cell.style.background = ground }
        setClass(cell, "match", row.match === c)
        setClass(cell, "chosen", row.state >= 0 && row.state === model.selected)
      })
    })
  }
  box.addEventListener("mouseover", event => {
    const cell = event.target.closest(".cell")
    if (!cell) return
    const { rows, columns } = model.data, at = [...box.children].indexOf(cell), width = columns.length + 1
    const row = rows[Math.floor(at / width) - 1], c = at % width - 1
    if (!row) return
    const total = row.tokens || 1, tag = row.tag_tokens[c] || 1, n = row.counts[c]
    cell.title = `${row.name}, ${columns[c]}: ${n.toLocaleString("en-US")} tokens; ` +
      `${(100 * n / total).toFixed(1)} % of the state, ${(100 * n / tag).toFixed(1)} % of the tag`
  })
  build()
  model.on("data", build)
  model.on("selected", update)
}
