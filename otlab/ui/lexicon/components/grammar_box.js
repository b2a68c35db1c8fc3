// Takes 5.0 ms to build, where a Select, a TextAreaInput and a Button would take 22.
// The grammar: a preset, or any rules, one per line.

export function render({ model, el }) {
  const presets = h("select", { "aria-label": "Preset", onchange: () => model.send_msg({ kind: "preset", value: presets.value }) })
  const area = h("textarea", { "aria-label": "Grammar", rows: "5", spellcheck: "false", wrap: "off" })
  const message = h("p", { class: "message", role: "status" })
  const NOTATION = [["A -> B C", "a rule a line; the first left side is the start"], ["A -> B+", "one or more of B"],
    ["2 A -> 'a'", "weight (pseudo-count) 2; a quoted phone"],
    ["@A 1500 100 0", "A is adapted: at most 1,500 kept, concentration 100, discount 0 (py-cfg's \u2011b and \u2011a)"],
    ["Phon", "any phone of the text; also Vowel, Consonant"], ["# …", "a comment"]]
  const notation = h("dl", { hidden: true }, ...NOTATION.flatMap(([code, words]) => [h("dt", {}, code), h("dd", {}, words)]))
  const explain = h("button", { class: "plain", type: "button", "aria-expanded": "false", onclick: () => {
    notation.hidden = !notation.hidden
    setAttribute(explain, "aria-expanded", String(!notation.hidden))
  } }, icon("chevron"), "Notation")
  let timer = 0
  area.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(() => model.send_msg({ kind: "text", value: area.value }), 250)
  })
  el.replaceChildren(h("div", { class: "head" }, h("span", { class: "label" }, "Grammar"), explain, presets), notation, area, message)
  function draw() {
    presets.replaceChildren(...[...model.presets, ["", "own rules"]].map(([value, name]) => h("option", { value, selected: value === model.preset }, name)))
    if (focused() !== area && area.value !== model.text) area.value = model.text
    area.rows = Math.min(9, Math.max(3, area.value.trim().split("\n").length))
    setClass(area, "bad", model.bad)
    setAttribute(area, "aria-invalid", String(model.bad))
    setText(message, model.message)
    setClass(message, "bad", model.bad)
  }
  draw()
  for (const name of ["text", "preset", "message", "bad"]) model.on(name, draw)
}
