// Has no peer: Panel's Tabulator does not pass on keys.
// Arrow keys choose another row of a list of the class model.list while its rows have the keyboard.

export function render({ model }) {
  listen(model, "keydown", event => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const path = event.composedPath()
    const holder = path.find(node => node.matches?.(".tabulator-tableholder"))
    if (!by || !holder || !path.some(node => node.matches?.(`.${model.list}`))) return
    const rows = [...holder.querySelectorAll(".tabulator-row")]
    const next = rows[rows.findIndex(row => row.matches(".tabulator-selected")) + by]
    if (!next) return
    event.preventDefault()
    next.scrollIntoView({ block: "nearest" })
    next.click()
  })
}
