// Takes 4.8 ms to build, where a HeatMap of HoloViews would take 55.
// States against gold tags: a grid of squares, rows to select, matched cells outlined; a scale and numbers below.

const SLANTED = 12.5, ANGLE = Math.PI / 3, LINE = 13  // px a column needs for a slanted head; its slope; its height
const LEAST_HEAD = 40, MOST_HEAD = 96                 // px

export function render({ model, el }) {
  const box = h("div", { class: "grid", role: "group", "aria-label": model.label })
  const area = h("div", { class: "area" }, box)
  const words = h("span", { class: "words", role: "status" })
  const scale = h("span", { class: "scale", role: "img", "aria-label": "Colour scale from 0 to 100 %" }, "0",
    h("i", { style: `background:linear-gradient(to right, ${[0, .1, .25, .5, .75, 1].map(colour).join(", ")})` }), "100\u202f%")
  area.copyData = () => {
    const { rows, columns } = model.data
    return [["", ...columns], ...rows.map(row => [row.name, ...row.counts])].map(row => row.join("\t")).join("\n")
  }
  el.replaceChildren(h("div", { class: "whole", "data-picture": "" }, area, h("div", { class: "foot small" }, scale, words)))
  area.wholeHeads = whole => { setClass(box, "whole-heads", whole); fit(whole ? Infinity : MOST_HEAD) }  // for a saved picture
  let drawn = ""

  function colour(share) {
    return `color-mix(in srgb, var(--ot-gibbs) ${Math.round(100 * Math.pow(share, 0.75))}%, var(--ot-inset))`
  }
  function label(name) { return /[\p{L}\p{N}]/u.test(name) ? name : `“${name}”` }
  function build() {
    const { rows, columns } = model.data
    const key = JSON.stringify([columns, rows.length, model.every])
    if (key !== drawn) {
      drawn = key
      setClass(area, "every", model.every)
      const square = model.every ? "minmax(16px, 1fr)" : "minmax(7px, 1fr)"
      box.style.gridTemplateColumns = `fit-content(118px) repeat(${columns.length}, ${square})`
      box.replaceChildren(h("span", { class: "corner" }), ...columns.map(name => h("span", { class: "head", title: name }, h("i", { class: /[\p{L}\p{N}]/u.test(name) ? "" : "mark" }, name))),
        ...rows.flatMap(row => line(row, columns)))
      fit()
    }
    update()
  }
  // Heads are whole: slanted where columns are wide enough for it, with room above and at the right for the longest.
  function fit(most = MOST_HEAD) {
    const heads = [...box.querySelectorAll(".head")]
    if (!heads.length || !heads[0].clientWidth) return
    area.style.paddingRight = ""
    const upright = heads[0].clientWidth < SLANTED
    setClass(box, "dense", upright)
    let high = LEAST_HEAD, over = 0
    const edge = box.getBoundingClientRect().right
    for (const head of heads) {
      const name = head.firstElementChild, long = name.offsetWidth
      if (name.classList.contains("mark")) continue
      high = Math.max(high, (upright ? long : long * Math.sin(ANGLE) + LINE * Math.cos(ANGLE)) + 4)
      const middle = head.getBoundingClientRect(), side = long * Math.cos(ANGLE) + LINE * Math.sin(ANGLE)
      if (!upright) over = Math.max(over, (middle.left + middle.right) / 2 + side - edge)
    }
    box.style.gridTemplateRows = `${Math.min(high, most)}px`
    if (over > 2) area.style.paddingRight = `${Math.ceil(over)}px`
  }
  new ResizeObserver(() => fit()).observe(el)
  function line(row, columns) {
    const button = h("button", { type: "button", class: "name", onclick: event => { const state = Number(event.currentTarget.dataset.state); if (state >= 0) model.send_msg(state) } })
    return [button, ...columns.map(() => h("span", { class: "cell" }))]
  }
  function update() {
    const { rows, columns } = model.data, width = columns.length + 1
    setText(words, model.scale)
    rows.forEach((row, r) => {
      const at = width * (r + 1), name = box.children[at]
      setText(name, row.name)
      setAttribute(name, "data-state", row.state)
      setAttribute(name, "aria-pressed", String(row.state >= 0 && row.state === model.selected))
      setClass(name, "named", row.named)
      row.shares.forEach((share, c) => {
        const cell = box.children[at + 1 + c]
        const tone = Math.round(100 * Math.pow(share, 0.75))
        if (cell.dataset.tone !== String(tone)) { cell.dataset.tone = tone; cell.style.background = colour(share) }
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
    const total = row.tokens || 1, tag = row.tag_tokens[c] || 1, n = row.counts[c], [here, there] = model.nouns
    setText(words, `${isolated(row.name)}, ${isolated(label(columns[c]))}: ${n.toLocaleString("en-US")} tokens, ` +
      `${(100 * n / total).toFixed(1)}\u202f% of the ${here}, ${(100 * n / tag).toFixed(1)}\u202f% of the ${there}`)
  })
  box.addEventListener("mouseleave", () => setText(words, model.scale))
  build()
  model.on("data", build)
  model.on("every", build)
  model.on("scale", update)
  model.on("selected", update)
}
