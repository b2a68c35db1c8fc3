// Takes 4.6 ms to build, where a TextInput, a RadioButtonGroup and a Button would take 21.
// The question of an exercise, the student's name, and the answer.

export function render({ model, el }) {
  const send = (kind, text) => model.send_msg({ kind, text })
  const label = h("span", { class: "label" }), title = h("h2", { class: "title" }), question = h("p", { class: "question" })
  const shown = h("p", { class: "remark", role: "status" })
  const name = h("input", { type: "text", id: "exercise-name", maxlength: 40, autocomplete: "off", onchange: () => send("name", name.value) })
  const text = h("textarea", { id: "exercise-answer", rows: 2, maxlength: 2000, oninput: showSent })
  const choices = h("div", { class: "choices", role: "radiogroup", "aria-label": said("Your answer") })
  const give = h("button", { type: "button", class: "primary", onclick: () => send("answer", text.value) })
  const sent = h("span", { class: "remark", role: "status" })
  // Beside an answer that is chosen: the reason for it.
  const why = h("textarea", { id: "exercise-why", rows: 2, maxlength: 2000, oninput: showSent })
  const giveWhy = h("button", { type: "button", class: "primary", onclick: () => send("why", why.value) })
  const reason = h("div", { class: "reason" }, h("label", { class: "label", for: "exercise-why" }, said("Why?")), h("div", { class: "write" }, why, giveWhy))
  const write = h("div", { class: "write" }, text, give)
  el.replaceChildren(h("section", { class: "exercise", "aria-label": said("Exercise") },
    h("div", { class: "asked" }, label, title, question, shown),
    h("div", { class: "answering" },
      h("div", { class: "who" }, h("label", { class: "label", for: "exercise-name" }, said("Your name, if you like")), name),
      h("label", { class: "label", for: "exercise-answer" }, said("Your answer")), choices, write, reason, sent)))

  let offered = ""
  function offer() {
    if (offered === JSON.stringify(model.shown.choices)) return
    offered = JSON.stringify(model.shown.choices)
    choices.replaceChildren(...model.shown.choices.map(choice => h("label", { class: "choice" },
      h("input", { type: "radio", name: "exercise-choice", value: choice, onchange: () => send("answer", choice) }), choice)))
    choices.hidden = model.shown.choices.length === 0
    write.hidden = !choices.hidden
    reason.hidden = choices.hidden
  }
  // What it says of sending; a page without a server has words of its own.
  const words = { give: "Send", given: "Sent to your teacher", changed: "Changed since you sent it", revealed: "Your teacher has revealed the answer.", ...model.shown.words }
  setText(give, words.give)
  setText(giveWhy, words.give)
  function showSent() {
    const given = model.shown.answer || model.shown.why
    const same = write.hidden ? why.value.trim() === model.shown.why : text.value.trim() === given
    setText(sent, given && same ? words.given : given ? words.changed : "")
  }
  let before = null, beforeWhy = null
  function draw() {
    const s = model.shown
    setText(label, said("Exercise"))
    setText(title, s.title)
    setText(question, s.question)
    question.hidden = !s.question
    setText(shown, s.revealed && s.hides ? words.revealed : "")
    offer()
    name.placeholder = s.page
    if (document.activeElement === null || focused() !== name) name.value = s.name
    if (s.answer !== before && focused() !== text) text.value = s.answer
    before = s.answer
    if (s.why !== beforeWhy && focused() !== why) why.value = s.why
    beforeWhy = s.why
    for (const input of choices.querySelectorAll("input")) input.checked = input.value === s.answer
    showSent()
  }
  if (model.shown.choices) draw()
  model.on("shown", draw)
}
