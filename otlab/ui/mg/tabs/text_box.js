// A box in which what a card shows is edited as text, with what is wrong with it. What is typed is the model's `draft`:
// a tab that is left and opened again shows it, and the page asks before it is left.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

function textBox({ model, label, placeholder, hint, apply, cancel }) {
  const box = h("textarea", { class: "code", spellcheck: "false", "aria-label": label, placeholder,
    oninput: () => { model.draft = box.value; direct(box.value) } })
  // With dir="auto" Chromium lays out 30,000 lines in seconds: only a text that needs it has it.
  const direct = text => setAttribute(box, "dir", RIGHT_TO_LEFT.test(text) ? "auto" : null)
  const put = text => { direct(text); box.value = text }
  const applied = () => { box.dataset.text = box.value; apply(box.value) }
  const wrong = h("div", { class: "wrong", role: "alert" })
  const told = h("span", { class: "hint" }, hint)
  const node = h("div", { class: "written", hidden: true }, box, wrong, h("div", { class: "answer" },
    h("button", { class: "primary", type: "button", onclick: applied }, "Apply"),
    h("button", { type: "button", onclick: cancel }, "Cancel"), told))

  // Select a line of the text.
  function goTo(line) {
    const lines = box.value.split("\n"), begin = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0)
    box.focus()
    box.setSelectionRange(begin, begin + lines[line - 1].length)
    box.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(box).lineHeight))
  }
  const row = ({ line, what, hint }) => h("tr", { onclick: () => line && goTo(line) }, h("td", {}, line ? `line ${line}` : ""), h("td", {}, what), h("td", {}, hint))

  // `question` stands in place of the faults, if there is one.
  function show({ shown, text, faults = [], about }, question = null) {
    if (about) { setAttribute(box, "aria-label", about.label); setAttribute(box, "placeholder", about.placeholder); setText(told, about.hint) }
    const opened = shown && node.hidden
    if (opened) put(model.draft ?? text)
    else if (shown && box.dataset.text !== text) put(text)
    if (shown) box.dataset.text = text
    node.hidden = !shown
    if (opened) box.focus()
    wrong.hidden = !faults.length
    const count = h("p", {}, h("b", {}, `${faults.length} ${faults.length === 1 ? "fault" : "faults"}, nothing was changed`))
    wrong.replaceChildren(...(question ? [question] : faults.length ? [count, h("table", {}, ...faults.map(row))] : []))
  }
  const leave = event => { if (!node.hidden && model.draft !== null) event.preventDefault() }
  window.addEventListener("beforeunload", leave)
  model.on("remove", () => window.removeEventListener("beforeunload", leave))
  return { node, box, show }
}
