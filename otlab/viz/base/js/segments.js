// Utterances as phones, a bar between two phones as high as the probability of a boundary there; the slider cuts them.

parts("segments", (host, { utterances, threshold }) => {
  const shown = h("output", {}, "")
  const slider = h("input", { type: "range", min: 0.01, max: 0.99, step: 0.01, value: threshold, "aria-label": "Threshold", oninput: () => draw() })
  const result = h("p", { "aria-live": "polite" })
  const rows = utterances.map(({ phones, p, gold }) => {
    const edges = p.map(() => h("i", {}))
    const cells = phones.flatMap((phone, k) => [h("span", { class: "phone" }, phone), ...(k < edges.length ? [h("span", { class: "gap", title: p[k].toFixed(2) }, edges[k])] : [])])
    const words = h("span", { class: "remark", dir: "auto" })
    return { p, gold, phones, edges, words, node: h("li", {}, h("span", { class: "cells", dir: "auto", "aria-hidden": "true" }, ...cells), words) }
  })
  host.replaceChildren(h("div", { class: "bar" }, h("span", {}, "Threshold"), slider, shown), result,
    h("ul", { class: "utterances scroll", tabindex: 0 }, ...rows.map(row => row.node)))

  function draw() {
    const least = Number(slider.value)
    let found = 0, right = 0, gold = 0
    for (const row of rows) {
      let text = row.phones[0]
      row.p.forEach((p, k) => {
        const here = p >= least, there = row.gold ? row.gold[k] : null
        found += here
        gold += Boolean(there)
        right += here && Boolean(there)
        row.edges[k].className = there === null ? (here ? "open" : "low") : here ? (there ? "hit" : "false") : there ? "missed" : "low"
        row.edges[k].style.height = row.edges[k].className === "missed" ? "22px" : `${Math.round(24 * p)}px`
        text += (here ? " " : "") + row.phones[k + 1]
      })
      setText(row.words, text)
    }
    setText(shown, least.toFixed(2))
    const scored = rows[0]?.gold ? `; ${right} of them are right, and ${gold - right} of ${gold} are missed` : ""
    setText(result, `${found} boundaries within the utterances shown${scored}.`)
  }
  draw()
})
