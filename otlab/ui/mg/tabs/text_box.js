// A box in which what a card shows is edited as text, with what is wrong with it. What is typed is the model's `draft`:
// a tab that is left and opened again shows it, and the page asks before it is left.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

function textBox({ model, label, placeholder, hint, apply, cancel }) {
  const box = h("textarea", { class: "code", spellcheck: "false", "aria-label": label, placeholder,
    oninput: () => { model.draft = box.value; direct(box.value) } })
  // With dir="auto" Chromium lays out 30,000 lines in seconds: only a text that needs it has it.
  const direct = text => setAttribute(box, "dir", RIGHT_TO_LEFT.test(text) ? "auto" : null)
  const host = h("div", { class: "long", hidden: true })
  let long = null, coming = null, last = ""  // the box of a long text and the text it will hold; the text shown last
  const value = () => coming ?? (long ? long.value : box.value)
  const applied = () => { last = value(); apply(last) }
  const wrong = h("div", { class: "wrong", role: "alert" })
  const told = h("span", { class: "hint" }, hint)
  const node = h("div", { class: "written", hidden: true }, box, host, wrong, h("div", { class: "answer" },
    h("button", { class: "primary", type: "button", onclick: applied }, "Apply"),
    h("button", { type: "button", onclick: cancel }, "Cancel"), told))

  function close() {
    if (long) long.close()
    long = coming = null
  }
  async function put(text, takesFocus) {
    const isMuch = isLong(text) && !RIGHT_TO_LEFT.test(text)
    coming = isMuch ? text : null
    box.hidden = isMuch
    const ace = isMuch ? await loadAce() : null
    if (isMuch && coming !== text) return  // closed, or replaced by another, while Ace was loaded
    if (!ace) close()
    box.hidden = Boolean(ace)
    host.hidden = !ace
    if (ace) {
      long ??= longText(ace, host.appendChild(h("div")), box.getAttribute("aria-label"), typed => { model.draft = typed })
      long.put(text)
      coming = null
    } else { direct(text); box.value = text }
    if (takesFocus) (long ?? box).focus()
  }

  // Select a line of the text.
  function goTo(line) {
    if (long) return long.goTo(line)
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
    node.hidden = !shown
    if (opened) put(model.draft ?? text, true)
    else if (shown && last !== text) put(text)
    if (shown) last = text
    else close()
    wrong.hidden = !faults.length
    const count = h("p", {}, h("b", {}, `${faults.length} ${faults.length === 1 ? "fault" : "faults"}, nothing was changed`))
    wrong.replaceChildren(...(question ? [question] : faults.length ? [count, h("table", {}, ...faults.map(row))] : []))
  }
  const leave = event => { if (!node.hidden && (model.draft !== null || long?.waits)) event.preventDefault() }
  window.addEventListener("beforeunload", leave)
  model.on("remove", () => { close(); window.removeEventListener("beforeunload", leave) })
  return { node, value, show }
}
