// Takes 4.9 ms to build, where a Tabulator of thirty rows would take 21.
// The corpus: sentence, how often, how many readings, surprisal; a click chooses it.

// A text with words between asterisks, as nodes: those in italics.
const cited = text => text.split("*").map((part, i) => i % 2 ? h("i", {}, part) : part)

export function render({ model, el }) {
  const body = h("tbody")
  const heads = ["Sentence", "Count", "Readings", "Entropy (nats)", "−log P (nats)"].map((name, i) => h("th", { class: i ? "num" : null, scope: "col" }, name))
  const none = h("p", { class: "small" }, "No sentence yet. Type one into the field Sentence, then press Sentence to count it here; or press Edit as text and paste a corpus.")
  const written = textBox({ model, label: "Corpus as text", placeholder: "", hint: "",
    apply: text => model.send_msg({ kind: "apply", text }), cancel: () => model.send_msg({ kind: "cancel" }) })
  const scroll = h("div", { class: "scroll" }, h("table", { "aria-label": "Corpus" }, h("thead", {}, h("tr", {}, ...heads)), body), none)
  el.replaceChildren(h("div", { class: "root" }, scroll, written.node))
  let rows = [], chosen = -1

  // A sentence that was chosen elsewhere is brought into sight, with the note below it.
  function reveal(row) {
    const end = row.note.hidden ? row.tr : row.note
    const above = row.tr.offsetTop - scroll.querySelector("thead").offsetHeight
    const below = end.offsetTop + end.offsetHeight - scroll.clientHeight
    if (scroll.scrollTop > above) scroll.scrollTop = above
    else if (scroll.scrollTop < below) scroll.scrollTop = below
  }

  function make() {
    const choose = h("button", { class: "plain sentence", type: "button", dir: "auto", onclick: () => model.send_msg({ kind: "choose", index: index() }) })
    const count = h("input", { type: "number", min: "-1", step: "1", onchange: event =>
      model.send_msg({ kind: "count", index: index(), text: event.target.value }) })
    const badge = h("span", { class: "readings" })
    const tr = h("tr", {}, h("td", {}, choose), h("td", { class: "num" }, count), h("td", { class: "num" }, badge), h("td", { class: "num entropy" }), h("td", { class: "num" }))
    const note = h("tr", { class: "note" }, h("td", { colspan: 5 }))
    const index = () => Number(tr.dataset.index)
    return { tr, note, choose, count, badge }
  }

  function fill(row, data, i) {
    row.tr.dataset.index = i
    setText(row.choose, data.sentence.replace(/(^|\s)-(?=\S)/g, "$1-\u2060"))  // no line ends within a suffix
    setAttribute(row.choose, "aria-label", data.sentence)
    setAttribute(row.choose, "title", data.sentence)
    setAttribute(row.choose, "aria-pressed", String(data.chosen))
    if (focused() !== row.count && row.count.value !== String(data.count)) row.count.value = data.count
    setAttribute(row.count, "aria-label", `Count of ${data.sentence}`)
    setText(row.badge, data.readings)
    setAttribute(row.badge, "class", `readings ${data.kind}`)
    setAttribute(row.badge, "title", data.kind === "warn" ? `entropy ${data.entropy} nats` : null)
    setText(row.tr.children[3], data.entropy)
    setText(row.tr.lastChild, data.surprisal)
    setClass(row.tr, "chosen", data.chosen)
    setClass(row.tr, "starred", data.kind === "bad")
    if (row.note.dataset.text !== data.note) { row.note.dataset.text = data.note; row.note.firstChild.replaceChildren(...cited(data.note)) }
    row.note.hidden = !data.note
  }

  function draw() {
    const shown = JSON.parse(model.rows)
    while (rows.length < shown.length) { const row = make(); rows.push(row); body.append(row.tr, row.note) }
    while (rows.length > shown.length) { const row = rows.pop(); row.tr.remove(); row.note.remove() }
    shown.forEach((data, i) => fill(rows[i], data, i))
    none.hidden = shown.length > 0
    const now = shown.findIndex(data => data.chosen)
    if (now !== chosen && now >= 0) requestAnimationFrame(() => rows[now] && reveal(rows[now]))
    chosen = now
  }
  function write() {
    scroll.hidden = Boolean(model.text.shown)
    written.show(model.text)
  }
  draw()
  write()
  model.on("rows", draw)
  model.on("text", write)
}
