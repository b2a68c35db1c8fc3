// A text area, and a button that hands its text over.
// A TextAreaInput and a Button of panel-material-ui take 23 ms to build against 5.7.

export function render({ model, el }) {
  const area = h("textarea", { "aria-label": "Text", rows: "9", spellcheck: "false", placeholder: "One utterance a line, with or without blanks" })
  const go = h("button", { class: "primary", type: "button", onclick: () => model.send_msg(area.value) }, "Load this text")
  el.replaceChildren(h("span", { class: "label" }, "Text"), area, go)
}
