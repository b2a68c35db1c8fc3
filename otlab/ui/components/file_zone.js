// Drop a file, or choose one; its bytes go to Python.

export function render({ model, el }) {
  const input = h("input", { type: "file", accept: model.accept, class: "hidden", "aria-label": model.label, onchange: () => take(input.files) })
  const zone = h("label", { class: "zone" }, icon("upload"),
    h("span", {}, h("b", {}, model.label), h("span", { class: "small" }, model.hint)), input)

  async function take(files) {
    const file = files?.[0]
    if (!file) return
    if (file.size > model.most) { model.send_msg({ name: file.name, size: file.size }); return }
    const bytes = new Uint8Array(await file.arrayBuffer())
    let text = ""
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768))
    model.send_msg({ name: file.name, data: btoa(text) })
    input.value = ""
  }

  const over = on => event => { event.preventDefault(); setClass(zone, "over", on) }
  zone.addEventListener("dragenter", over(true))
  zone.addEventListener("dragover", over(true))
  zone.addEventListener("dragleave", over(false))
  zone.addEventListener("drop", event => { over(false)(event); take(event.dataTransfer.files) })
  model.on("msg:custom", () => input.click())
  el.replaceChildren(h("style", {}, CSS), zone)
}

const CSS = `
.zone { display: flex; align-items: center; gap: 14px; padding: 16px; border: 1.5px dashed var(--ot-ctl); border-radius: 8px;
  background: var(--ot-inset); color: var(--ot-ink); cursor: pointer; transition: background-color 120ms ease-out; position: relative; }
.zone span span, .zone b { display: block; }
.zone:hover, .zone.over { background: var(--ot-soft); border-color: var(--ot-accent); }
.zone:focus-within { outline: 2px solid var(--ot-accent); outline-offset: 2px; }
.zone > .icon { color: var(--ot-ink3); }
`
