// Takes 4.9 ms to build, where a Tabulator of thirty rows would take 20.
// The lexicon: one row per item, edited in place; features are drawn with arrows
// until the cell has the focus, then as text.

const COLUMNS = ["", "Item", "Features", "", "", ""]
// The last columns, before a run and after it: [head, what it shows].
const PRIOR = [
  ["Prior", "Probability in its category before any sentence is seen: mean and 95 % interval"],
  ["Mean", ""],
  ["Alpha", "Pseudo-count before any sentence is seen"],
]
const LEARNT = [
  ["Posterior", "Probability in its category: what was learnt, with its 95 % interval"],
  ["Mean", ""],  // or EM, MAP: what the model says
  ["Uses", "Expected uses in the corpus"],
]
// How a selector is written in each convention: [to the right, to the left].
const CONVENTIONS = {
  seed: "=x →, x= ←",
  stabler2011: "x= →, =x ←",
  nondirectional: "first =x →, then ←",
}

export function render({ model, el }) {
  const find = h("input", { class: "find", type: "search", placeholder: "Find an item", "aria-label": "Find an item",
    oninput: () => send({ kind: "find", text: find.value }) })
  const body = h("tbody")
  const more = h("p", { class: "remark more" })
  const heads = COLUMNS.map((name, i) => h("th", { class: i === 4 || i === 5 ? "num" : null, scope: "col" }, name))
  const table = h("table", { "aria-label": "Lexicon" }, h("thead", {}, h("tr", {}, ...heads)), body)
  const title = h("b", { class: "title" }), notes = h("span", {})
  const words = h("p", { class: "words", id: "about" }, title, notes)
  const unfold = h("button", { class: "unfold", type: "button", "aria-controls": "about", onclick: () => fold(!about.classList.contains("open")) })
  const about = h("div", { class: "about" }, words, unfold)
  const known = h("datalist", { id: "categories" })
  const start = h("input", { class: "start", list: "categories", spellcheck: "false", autocomplete: "off", "aria-label": "Start category",
    title: "Category of complete sentences; several are separated by blanks",
    onchange: () => send({ kind: "start", value: start.value }), onkeydown: event => { if (event.key === "Enter") start.blur() } })
  const convention = h("select", { "aria-label": "Convention for selectors",
    title: "How selectors are written: which one selects to its right, which one to its left", onchange: () => send({ kind: "convention", value: convention.value }) },
    ...Object.entries(CONVENTIONS).map(([value, words]) => h("option", { value }, words)))
  const choices = h("div", { class: "choices" }, h("label", {}, "Start category", start), h("label", {}, "Selectors", convention), known)
  const mark = (sign, kind, words) => h("span", {}, h("span", { class: `token ${kind}` }, sign), words)
  const legend = h("p", { class: "legend", title: "=x→ selects a phrase of category x to its right, x=← to its left; =>x and x<= select to the right and take its head; ==>x and x<== hop onto its head; ≈x adjoins to a phrase of category x to its right, x≈ to its left; +f attracts a phrase with −f, which moves" },
    mark("=x→", "right", "selects right"), mark("x=←", "left", "left"), mark("+f", "licensor", "attracts"), mark("−f", "licensee", "moves"))
  const warning = h("p", { class: "warning", role: "status" })
  const written = textBox({ model, label: "Lexicon as text", placeholder: "@start c\nmary :: d\nslept :: d= v\nε :: =v c",
    hint: "One entry a line: word :: features. Prolog and mgtdb lists are read too.",
    apply: text => send({ kind: "apply", text }), cancel: () => send({ kind: "cancel" }) })
  const scroll = h("div", { class: "scroll" }, table, more)
  el.replaceChildren(h("div", { class: "root" }, about, choices, warning, find, scroll, legend, written.node))
  let rows = []

  const send = message => model.send_msg(message)

  function cell(name, row, index) {
    const changed = () => send({ kind: "edit", index: Number(input.dataset.index), field: name, text: input.value })
    let before = ""
    const input = h("input", { class: "form", spellcheck: "false", autocomplete: "off", oninput: changed,
      onfocus: () => { before = input.value },
      onkeydown: event => {
        if (event.key !== "Escape" || input.value === before) return keys(event)
        event.stopPropagation()  // it would ask whether to stop a run
        input.value = before
        changed()
      } })
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
    const next = all[all.indexOf(event.target) + by]
    if (next || event.key !== "Enter") { next?.focus(); return }
    const features = [...body.querySelectorAll("input[data-field=features]")].pop()
    if (!features.value.trim()) { features.focus(); return }
    event.target.blur()
    awaited = [[""]]
    send({ kind: "append" })
  }

  function make() {
    const tr = h("tr", {}, h("td", { class: "category cut" }), cell("phon"), cell("features"),
      h("td", { class: "posterior" }, h("div", { class: "track" }, h("i", { class: "range" }), h("i", { class: "dot" }))),
      h("td", { class: "num mean" }), h("td", { class: "num uses" }, h("span", {}),
        h("button", { class: "plain", type: "button", onclick: event =>
          send({ kind: "remove", index: Number(event.currentTarget.dataset.index) }) }, "×")))
    const fault = h("tr", { class: "fault" }, h("td"), h("td", { colspan: 5, role: "alert" }))
    return [tr, fault]
  }

  function fill([tr, fault], row) {
    const [category, phon, features, posterior, mean, uses] = tr.children
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
    setText(phon.lastChild, row.phon || (row.features ? "ε" : ""))
    setAttribute(category, "title", row.category)
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
    setText(uses.firstChild, model.learnt ? row.uses : row.alpha)
    uses.lastChild.dataset.index = row.index
    setAttribute(uses.lastChild, "aria-label", `Remove row ${row.index + 1}`)
    // Features and forms in quotation marks keep their case; a minus never ends a line.
    const before = fault.lastChild.textContent
    setText(fault.lastChild, row.fault.replace(/^[a-z]/, c => c.toUpperCase()).replace(/(^|[\s'‘(])-(?=\S)/g, "$1\u2212"))
    fault.hidden = !row.fault
    if (row.fault && fault.lastChild.textContent !== before && tr.contains(focused())) fault.scrollIntoView({ block: "nearest" })
  }

  function draw() {
    const shown = JSON.parse(model.rows)
    while (rows.length < shown.length) { const pair = make(); rows.push(pair); body.append(...pair) }
    while (rows.length > shown.length) rows.pop().forEach(node => node.remove())
    shown.forEach((row, i) => fill(rows[i], row))
    find.hidden = !model.searchable || model.text.shown
    setText(more, model.hidden ? `${model.hidden.toLocaleString("en")} more; find them by typing above.` : "")
  }

  // What a lexicon says of itself has two lines until it is unfolded, or as many as it needs if they are fewer.
  function fold(open) {
    setClass(about, "open", open)
    setText(unfold, open ? "less" : "more")
    setAttribute(unfold, "aria-expanded", String(open))
    setAttribute(unfold, "aria-label", open ? "Less about this lexicon" : "More about this lexicon")
    unfold.hidden = !open && words.scrollHeight <= words.clientHeight + 1
  }
  const refold = new ResizeObserver(() => fold(about.classList.contains("open")))
  refold.observe(words)
  model.on("remove", () => refold.disconnect())

  function describe() {
    const now = model.about
    const before = words.textContent
    setText(title, now.title || "")
    setText(notes, (now.notes || []).join(" "))
    fold(about.classList.contains("open") && words.textContent === before)
    about.hidden = !now.title && !now.notes?.length
    if (focused() !== start && start.value !== now.start) start.value = now.start || ""
    convention.value = now.convention
    known.replaceChildren(...(now.categories || []).map(name => h("option", { value: name })))
    const questions = now.questions || []
    warning.hidden = !now.fault && !questions.length
    const offer = name => h("button", { type: "button", onclick: () => send({ kind: "start", value: name }) }, name)
    warning.replaceChildren(now.fault || "", ...(now.offered?.length ? [h("span", { class: "offers" }, "Start category:", ...now.offered.map(offer))] : []),
      ...questions.map(({ what, choices }) => h("span", { class: "offers" }, what, ...choices.map(([words, kind, value]) =>
        h("button", { type: "button", onclick: () => send({ kind, value }) }, words)))))
  }

  function write() {
    const now = model.text
    for (const part of [choices, scroll, legend]) part.hidden = Boolean(now.shown)
    const ask = name => h("button", { type: "button", onclick: () => send({ kind: "apply", text: written.value(), start: name }) }, name)
    written.show(now, now.categories?.length
      ? h("p", { class: "offers" }, "The text names no start category. Start category:", ...now.categories.slice(0, 8).map(ask)) : null)
    draw()
  }

  function columns() {
    const last = (model.learnt ? LEARNT : PRIOR).map(each => [...each]), [head, point] = model.point
    last[1] = [head, `Probability in its category: ${point}`]
    last.forEach(([name, meaning], i) => { setText(heads[i + 3], name); setAttribute(heads[i + 3], "title", meaning) })
    const rows = JSON.parse(model.rows), longest = name => Math.max(1, ...rows.map(row => row[name].length))
    table.style.setProperty("--category", `${Math.min(84, 9 + 7.5 * longest("category"))}px`)
    table.style.setProperty("--item", `${Math.max(58, 18 + 7.4 * longest("phon"))}px`)
  }

  function colour() {
    table.style.setProperty("--fill", `var(--ot-${model.hue})`)
    table.style.setProperty("--rim", `var(--ot-${model.hue === "ink3" ? "ink3" : `${model.hue}-edge`})`)
  }

  // What is typed before an added row is there becomes its item and, after Tab, its features; Enter begins a further row.
  // On the page letters are shortcuts.
  let awaited = null
  listen(model, "pointerdown", () => { awaited = null }, true)
  listen(model, "click", event => {
    if (event.composedPath().some(node => node.classList?.contains("mg-adds"))) awaited = [[""]]
  }, true)
  listen(model, "keydown", event => {
    if (awaited === null || event.ctrlKey || event.metaKey || event.altKey || takesText(event)) return
    if (event.key === "Escape" || (event.key === "Tab" && event.shiftKey)) { awaited = null; return }
    const cells = awaited[awaited.length - 1], last = cells.length - 1
    if (event.key.length === 1) cells[last] += event.key
    else if (event.key === "Backspace") cells[last] = cells[last].slice(0, -1)
    else if (event.key === "Tab" && !last) cells.push("")
    else if (event.key === "Enter" && last) awaited.push([""])
    event.preventDefault()
    event.stopPropagation()
  }, true)
  function open(index, tries = 100) {
    const inputs = ["phon", "features"].map(field => body.querySelector(`input[data-field=${field}][data-index="${index}"]`))
    if (!inputs[0]) { if (tries) setTimeout(() => open(index, tries - 1), 50); else awaited = null; return }
    if (awaited === null) return
    const typed = awaited.shift()
    typed.forEach((text, i) => {
      inputs[i].focus()
      if (!text) return
      inputs[i].value = text
      inputs[i].dispatchEvent(new Event("input"))
    })
    inputs[0].scrollIntoView({ block: "nearest" })
    if (!awaited.length) { awaited = null; return }
    focused().blur()
    send({ kind: "append" })
  }

  describe()
  write()
  columns()
  colour()
  model.on("msg:custom", ({ added }) => open(added))
  model.on("about", describe)
  model.on("text", write)
  model.on("learnt", columns)
  model.on("point", columns)
  model.on("learnt", draw)
  model.on("rows", columns)
  model.on("rows", draw)
  model.on("hidden", draw)
  model.on("searchable", draw)
  model.on("hue", colour)
}
