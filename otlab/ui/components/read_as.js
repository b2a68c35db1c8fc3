// Has no peer: Panel has no view of the ways in which a file can be read.
// How a file was read: a sentence, a choice of other readings, and its first lines as a table.

export function render({ model, el }) {
  const sentence = h("p", { class: "sentence", role: "status" })
  const note = h("p", { class: "small" })
  const choice = h("select", { id: "read-as", onchange: () => model.send_msg({ reading: Number(choice.value) }) })
  const chooser = h("div", { class: "row" }, h("label", { for: "read-as", class: "label" }, "Read as"), choice)
  const table = h("table", {})
  const scroll = h("div", { class: "well lines", tabindex: "0", role: "region", "aria-label": "First lines as they are read" }, table)
  el.replaceChildren(sentence, note, chooser, scroll)

  function head(name, i) {
    const role = model.columns[i] ?? ""
    if (!model.roles.length || model.locked || i >= model.columns.length) return h("th", { scope: "col" }, role && role !== "not used" ? role : name)
    const select = h("select", { "aria-label": `Column ${name}`, onchange: () => model.send_msg({ column: i, role: select.value }) },
      ...model.roles.map(each => h("option", { value: each, selected: each === role }, each)))
    return h("th", { scope: "col" }, h("span", { class: "label" }, name), select)
  }

  function update() {
    setText(sentence, model.sentence)
    setText(note, [model.note, model.locked].filter(Boolean).join(". "))
    choice.replaceChildren(...model.options.map((label, i) => h("option", { value: i }, label)))
    choice.value = String(model.chosen)
    choice.disabled = Boolean(model.locked)
    chooser.hidden = model.options.length < 2
    const heads = model.heads.map(head)
    table.replaceChildren(
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...model.lines.map(line => h("tr", {}, ...model.heads.map((_, i) =>
        h("td", { dir: "auto", class: model.columns[i] === "not used" ? "unused" : null }, line[i] ?? ""))))))
    scroll.hidden = !model.lines.length
  }

  update()
  const shown = ["sentence", "note", "options", "chosen", "heads", "columns", "roles", "lines", "locked"]
  for (const property of shown) model.on(property, update)
}
