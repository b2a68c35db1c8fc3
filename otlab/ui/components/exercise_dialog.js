// The dialog that makes an exercise of what the lab has open, and then shows its two links.

function exerciseDialog(model, place) {
  const close = () => dialog.close()
  const body = h("div")
  const dialog = h("dialog", { class: "making", "aria-label": "Make an exercise" }, body)
  const field = (label, node) => h("label", { class: "asked" }, h("span", { class: "label" }, label), node)
  const box = (name, value, label, on = false) => h("label", { class: "tick" }, h("input", { type: "checkbox", name, value, checked: on }), label)
  const group = (label, ...boxes) => h("fieldset", {}, h("legend", { class: "label" }, label), h("div", { class: "ticks" }, ...boxes))

  // What was typed stays while the dialog is closed, until the links are made or something else is open.
  let asked = ""
  function ask(offer) {
    if (asked === JSON.stringify(offer)) return
    asked = JSON.stringify(offer)
    if (offer.refused) { body.replaceChildren(h("h2", { class: "title" }, "Make an exercise"), h("p", {}, offer.refused), h("button", { type: "button", onclick: close }, "Close")); return }
    const title = h("input", { type: "text", maxlength: 200, value: offer.title })
    const question = h("textarea", { rows: 3, maxlength: 4000, placeholder: "What do you expect, and why?" })
    const choices = h("textarea", { rows: 2, maxlength: 4000, placeholder: "One a line; empty: students write their own" })
    // What is guessed, where there is a choice.
    const kinds = h("select", { name: "guess" }, ...offer.predict.map(([kind, label]) => h("option", { value: kind }, label)))
    const guess = h("label", { class: "tick", hidden: true }, "They guess", kinds)
    const predict = offer.predict.length > 0 ? box("predict", "", "Students guess the result before they can run") : null
    predict?.addEventListener("change", event => { guess.hidden = offer.predict.length < 2 || !event.target.checked })
    const form = h("form", { onsubmit: make },
      h("h2", { class: "title" }, "Make an exercise"),
      h("p", {}, "Students get what is open here, each their own copy: data, settings and learners as they stand."),
      field("Title", title), field("Question", question), field("Answers to choose from", choices),
      group("Locked", ...offer.locks.map(([value, label]) => box("locked", value, label, value === "data"))),
      group("Hidden until you reveal the answer", ...offer.hides.map(value => box("hidden", value, value))),
      h("div", { class: "ticks" },
        predict, guess,
        box("own_seed", "", "Each page draws with its own seed", true)),
      h("div", { class: "row ends" }, h("button", { type: "button", onclick: close }, "Cancel"), h("button", { class: "primary" }, "Make the links")))
    function make(event) {
      event.preventDefault()
      const ticked = name => [...form.querySelectorAll(`[name=${name}]:checked`)].map(node => node.value)
      model.send_msg({ kind: "exercise", asked: { title: title.value, question: question.value, choices: choices.value,
        locked: ticked("locked"), hidden: ticked("hidden"), predict: ticked("predict").length > 0, guess: kinds.value, own_seed: ticked("own_seed").length > 0 } })
    }
    body.replaceChildren(form)
    question.focus()
  }

  function show(made) {
    asked = ""
    const local = /^(localhost|127\.|\[::1\])/.test(window.location.hostname)
    const here = local && made.hosts.length ? `${made.hosts[0]}/` : new URL(".", window.location.href).href
    const link = (label, address, open) => {
      const copied = h("span", { class: "remark", role: "status" })
      const copy = h("button", { type: "button", onclick: async () => { await copyText(address, dialog); setText(copied, "Copied") } }, "Copy")
      return h("div", { class: "given" }, h("span", { class: "label" }, label), h("input", { type: "text", readonly: true, value: address, "aria-label": label, onfocus: event => event.target.select() }),
        h("div", { class: "row" }, copy, open ? h("a", { href: open, target: "_blank" }, "Open the board") : null, copied))
    }
    const student = new URLSearchParams(made.student.split("?")[1]).get("exercise")
    const files = made.forms.length === 0 ? null : h("div", { class: "given" }, h("span", { class: "label" }, "Without a server: a file for students, or for a course (Moodle, ILIAS)"),
      h("div", { class: "row" }, ...made.forms.map(([form, label]) => h("button", { type: "button", onclick: () => model.send_msg({ kind: "exercise_file", student, form }) }, label))),
      h("p", { class: "small" }, "Students save their answers as files; the board reads a folder of them."))
    const alone = local && !made.hosts.length
    body.replaceChildren(...[
      h("h2", { class: "title" }, "The exercise is ready"),
      link("Link for students", here + made.student),
      link("Your link: the board. Keep it to yourself", here + made.teacher, `./${made.teacher}`),
      files,
      h("p", { class: "small" }, ...(alone ? ["Only this computer can open these links. For a class, start otlab with: ", h("code", { class: "command" }, "otlab serve --address 0.0.0.0 --password WORD")] : ["Whoever has a link can open it; nobody can guess it."])),
      h("div", { class: "row ends" }, h("button", { type: "button", class: "primary", onclick: close }, "Done"))].filter(Boolean))
    body.querySelector("button").focus()
  }

  place.append(dialog)
  return {
    open: () => model.send_msg({ kind: "offer" }),
    // What the server says: what can be asked, or the links that were made.
    take: message => {
      if (message.student) show(message)
      else ask(message)
      if (!dialog.open) dialog.showModal()
    },
  }
}
