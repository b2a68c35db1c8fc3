// Takes 4.7 ms to build, where a LinearProgress and HTML would take 10.
// Shown at the first start on a computer, while kernels are compiled.

export function render({ model, el }) {
  const begun = Date.now()
  const passed = h("p", { class: "small num" })
  el.replaceChildren(h("div", { class: "first-start", role: "status" },
    h("h1", {}, `Preparing the ${model.lab} lab`),
    h("p", {}, "otlab compiles its numerical code for this computer, once after it was installed. " +
      "This takes up to half a minute; the lab then opens by itself."),
    h("div", { class: "track", "aria-hidden": "true" }, h("i")), passed))
  const clock = setInterval(() => setText(passed, `${Math.round((Date.now() - begun) / 1000)} s`), 1000)
  model.on("ready", () => { clearInterval(clock); window.location.reload() })
  if (model.ready) window.location.reload()
}
