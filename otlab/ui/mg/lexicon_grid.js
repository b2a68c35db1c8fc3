// The lexicon: one row an item, typed into directly; features are drawn with arrows
// until the cell has the keyboard, then they are text.

const COLUMNS = ["", "Item", "Features", "Posterior", "Mean", "Uses", ""]

export function render({ model, el }) {
  const find = h("input", { class: "find", type: "search", placeholder: "Find an item", "aria-label": "Find an item",
    oninput: () => send({ kind: "find", text: find.value }) })
  const body = h("tbody")
  const more = h("p", { class: "remark more" })
  const heads = COLUMNS.map((name, i) => h("th", { class: i === 4 || i === 5 ? "num" : null, scope: "col" }, name))
  const table = h("table", { "aria-label": "Lexicon" }, h("thead", {}, h("tr", {}, ...heads)), body)
  el.replaceChildren(h("div", { class: "root" }, find, h("div", { class: "scroll" }, table, more)))
  let rows = []

  const send = message => model.send_msg(message)

  function cell(name, row, index) {
    const input = h("input", { class: "form", spellcheck: "false", autocomplete: "off",
      oninput: event => send({ kind: "edit", index: Number(input.dataset.index), field: name, text: event.target.value }),
      onkeydown: keys })
    input.dataset.field = name
    const pretty = h("span", { class: "pretty", "aria-hidden": "true" })
    return h("td", { class: name }, input, pretty)
  }

  function keys(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key]
    if (!by) return
    event.preventDefault()
    const field = event.target.dataset.field
    const all = [...body.querySelectorAll(`input[data-field=${field}]`)]
    all[all.indexOf(event.target) + by]?.focus()
  }

  function make() {
    const tr = h("tr", {}, h("td", { class: "category" }), cell("phon"), cell("features"),
      h("td", { class: "posterior" }, h("div", { class: "track" }, h("i", { class: "range" }), h("i", { class: "dot" }))),
      h("td", { class: "num mean" }), h("td", { class: "num uses" }),
      h("td", { class: "tools" }, h("button", { class: "plain", type: "button", onclick: event =>
        send({ kind: "remove", index: Number(event.currentTarget.dataset.index) }) }, "×")))
    const fault = h("tr", { class: "fault" }, h("td"), h("td", { colspan: 6, role: "alert" }))
    return [tr, fault]
  }

  function fill([tr, fault], row) {
    const [category, phon, features, posterior, mean, uses, tools] = tr.children
    setText(category, row.category)
    setClass(tr, "first", Boolean(row.category))
    setClass(tr, "used", row.used)
    setClass(tr, "faulty", Boolean(row.fault))
    for (const [td, value, name] of [[phon, row.phon, "Item"], [features, row.features, "Features"]]) {
      const input = td.firstChild
      input.dataset.index = row.index
      if (focused() !== input && input.value !== value) input.value = value
      setAttribute(input, "aria-label", `${name} of row ${row.index + 1}`)
      setAttribute(input, "aria-invalid", row.fault ? "true" : null)
    }
    setText(phon.lastChild, row.phon)
    setClass(phon, "marked", row.marked)
    const key = JSON.stringify(row.tokens)
    if (features.dataset.key !== key) {
      features.dataset.key = key
      features.lastChild.replaceChildren(...row.tokens.map(([text, kind]) => h("span", { class: `token ${kind}` }, text)))
    }
    const known = row.mean !== null
    setClass(posterior.firstChild, "empty", !known)
    if (known) {
      const [range, dot] = posterior.firstChild.children
      range.style.left = `${100 * row.low}%`
      range.style.width = `${100 * (row.high - row.low)}%`
      dot.style.left = `${100 * row.mean}%`
    }
    setText(mean, known ? row.mean.toFixed(2) : "")
    setText(uses, row.uses)
    tools.firstChild.dataset.index = row.index
    setAttribute(tools.firstChild, "aria-label", `Remove row ${row.index + 1}`)
    // Features and forms in quotation marks keep their case; a minus never ends a line.
    setText(fault.lastChild, row.fault.replace(/^[a-z]/, c => c.toUpperCase()).replace(/ -(?=\S)/g, " \u2212"))
    fault.hidden = !row.fault
  }

  function draw() {
    const shown = JSON.parse(model.rows)
    while (rows.length < shown.length) { const pair = make(); rows.push(pair); body.append(...pair) }
    while (rows.length > shown.length) rows.pop().forEach(node => node.remove())
    shown.forEach((row, i) => fill(rows[i], row))
    find.hidden = !model.searchable
    setText(more, model.hidden ? `${model.hidden.toLocaleString("en")} more; find them by typing above.` : "")
  }

  function colour() {
    table.style.setProperty("--fill", `var(--ot-${model.hue})`)
    table.style.setProperty("--rim", `var(--ot-${model.hue === "ink3" ? "ink3" : `${model.hue}-edge`})`)
  }

  draw()
  colour()
  model.on("rows", draw)
  model.on("hidden", draw)
  model.on("searchable", draw)
  model.on("hue", colour)
}
