// Takes 4.7 ms to build, where twenty rows with a Button each would take 215.
// Utterances as phones, a bar between two phones as high as the posterior of a boundary there.

export function render({ model, el }) {
  const order = h("select", { "aria-label": "Order", onchange: () => model.send_msg({ kind: "order", value: order.value }) },
    ...[["corpus", "In corpus order"], ["uncertain", "Least certain first"]].map(([value, name]) => h("option", { value }, name)))
  const legend = h("div", { class: "legend" })
  const everything = h("button", { class: "plain", type: "button", onclick: () => model.send_msg({ kind: "all" }) }, "Show all utterances")
  const list = h("div", { class: "rows", role: "list", "aria-label": "Segmentation" })
  const place = h("span", { class: "remark" })
  const turn = (name, by, glyph) => h("button", { class: "plain", type: "button", "aria-label": name, title: name,
    onclick: () => model.send_msg({ kind: "turn", by }) }, glyph)
  const back = turn("Earlier utterances", -1, "‹"), on = turn("Later utterances", 1, "›")
  const frame = h("div", { class: "frame" }, h("div", { class: "head" }, legend, h("span", { class: "grow" }), everything, order),
    list, h("div", { class: "foot" }, back, place, on))
  el.replaceChildren(frame)
  const rows = []

  function entry(form, words) { return `<span><i class="edge ${form}"></i>${words}</span>` }

  function make() {
    // The phones are to be seen, the utterance with its words is to be heard.
    const spoken = h("span", { class: "hidden", dir: "ltr" })
    const cells = h("button", { class: "cells", type: "button", dir: "auto" }, spoken)
    const gloss = h("span", { class: "gloss cut", dir: "auto" })
    const node = h("div", { class: "utterance", role: "listitem" }, cells, gloss)
    const row = { node, cells, spoken, gloss, phones: [], bars: [], u: -1 }
    cells.addEventListener("click", () => model.send_msg({ kind: "choose", utterance: row.u }))
    return row
  }

  function sized(row, n) {
    while (row.phones.length < n) {
      if (row.phones.length) { const bar = h("i"); row.bars.push(bar); row.cells.append(h("span", { class: "gap", "aria-hidden": "true" }, bar)) }
      const phone = h("span", { class: "phone", "aria-hidden": "true" }); row.phones.push(phone); row.cells.append(phone)
    }
    while (row.phones.length > n) {
      row.phones.pop().remove()
      if (row.bars.length) row.bars.pop().parentNode.remove()
    }
  }

  function form(p, gold) {
    const found = p >= model.shown.threshold
    if (gold == null) return found ? "open" : "low"
    return found ? (gold ? "hit" : "false") : (gold ? "missed" : "low")
  }

  function fill(row, data) {
    row.u = data.u
    sized(row, data.phones.length)
    data.phones.forEach((phone, k) => setText(row.phones[k], phone))
    const words = [data.phones[0]]
    row.bars.forEach((bar, k) => {
      const p = data.p[k], gold = data.gold ? data.gold[k] : null, kind = model.shown.known ? form(p, gold) : "low"
      setAttribute(bar, "class", `edge ${kind}`)
      bar.style.height = kind === "missed" ? "22px" : `${model.shown.known ? Math.round(24 * p) : 0}px`
      setAttribute(bar.parentNode, "title", model.shown.known ? p.toFixed(2) : null)
      if (model.shown.known && p >= model.shown.threshold) words.push("")
      words[words.length - 1] += data.phones[k + 1]
    })
    setText(row.spoken, `Utterance ${data.u + 1}: ${words.join(" ")}`)
    setAttribute(row.node, "title", data.gloss && `gold: ${data.gloss}`)
    setClass(row.node, "chosen", data.u === model.shown.chosen)
    setText(row.gloss, data.gloss)
  }

  function draw() {
    legend.innerHTML = model.shown.gold
      ? entry("hit", "boundary found") + entry("false", "not in gold") + entry("missed", "missed")
      : entry("open", "boundary found")
    everything.hidden = !model.shown.word
    setText(place, model.shown.place)
    while (rows.length < model.shown.rows.length) { const row = make(); rows.push(row); list.append(row.node) }
    while (rows.length > model.shown.rows.length) rows.pop().node.remove()
    model.shown.rows.forEach((data, i) => fill(rows[i], data))
  }
  draw()
  model.on("shown", draw)

  // Told once the size has settled: an answer while the page is still being laid out would be lost.
  let room = 0, settling = 0
  const tell = () => {
    const now = Math.max(4, Math.floor(list.clientHeight / 33))
    if (now !== room) { room = now; model.send_msg({ kind: "room", rows: now }) }
  }
  const watcher = new ResizeObserver(() => { clearTimeout(settling); settling = setTimeout(tell, 250) })
  watcher.observe(list)
  model.on("remove", () => watcher.disconnect())
}
