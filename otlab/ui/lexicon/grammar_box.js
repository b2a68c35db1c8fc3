// The grammar: a preset, or any rules, one a line.

export function render({ model, el }) {
  const presets = h("select", { "aria-label": "Preset", onchange: () => model.send_msg({ kind: "preset", value: presets.value }) })
  const area = h("textarea", { "aria-label": "Grammar", rows: "5", spellcheck: "false", wrap: "off" })
  const said = h("p", { class: "said", role: "status" })
  let timer = 0
  area.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(() => model.send_msg({ kind: "text", value: area.value }), 250)
  })
  el.replaceChildren(h("div", { class: "head" }, h("span", { class: "label" }, "Grammar"), presets), area, said)
  function draw() {
    presets.replaceChildren(...[...model.presets, ["", "own rules"]].map(([value, name]) => h("option", { value, selected: value === model.preset }, name)))
    if (focused() !== area && area.value !== model.text) area.value = model.text
    area.rows = Math.min(9, Math.max(3, area.value.trim().split("\n").length))
    setClass(area, "bad", model.bad)
    setAttribute(area, "aria-invalid", String(model.bad))
    setText(said, model.said)
    setClass(said, "bad", model.bad)
  }
  draw()
  for (const name of ["text", "preset", "said", "bad"]) model.on(name, draw)
}
