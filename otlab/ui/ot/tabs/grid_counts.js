// Counted cells: how they are marked, what their menus offer, and the places that were counted, told while the
// pointer rests on a cell.

function gridCounts({ el, model, send, root, place, cellAt }) {
  const REST = 250 // ms
  let waiting = null
  let box = null
  let asked = null

  function mark() {
    const table = root()
    if (!table) return
    let sheet = table.querySelector("style[data-counts]")
    if (!sheet) {
      sheet = document.createElement("style")
      sheet.dataset.counts = "1"
      table.append(sheet)
    }
    if (sheet.textContent !== model.marks) sheet.textContent = model.marks
  }
  function close() {
    clearTimeout(waiting)
    box?.remove()
    box = asked = null
  }
  function over(event) {
    const at = place(event)
    const key = at?.cell && model.counted.includes(at.field) ? `${at.row}:${at.field}` : null
    if (key === asked) return
    close()
    if (key === null) return
    asked = key
    waiting = setTimeout(() => send("count-hover", { row: at.row, field: at.field }), REST)
  }
  function tell({ row, field, text }) {
    const cell = cellAt(row, field)
    if (asked !== `${row}:${field}` || !cell || !text) return
    box?.remove()
    box = document.createElement("div")
    box.className = "counted"
    box.setAttribute("role", "tooltip")
    box.innerHTML = text
    el.append(box)
    const at = cell.getBoundingClientRect()
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`
    box.style.top = `${Math.max(8, Math.min(at.bottom + 4, innerHeight - box.offsetHeight - 8))}px`
  }
  const cellItems = (row, field) => {
    const special = model.special[`${row}:${field}`]
    if (!special) return []
    const readings = special.readings.map(n => ["count-reading", `Take the reading ${n}`, { field, reading: n }])
    return special.typed ? [["count-use", "Use the count again", { field }], ...readings] : readings
  }
  const columnItems = field => {
    if (!model.counted.includes(field)) return []
    const typed = Object.entries(model.special).some(([key, one]) => one.typed && key.endsWith(`:${field}`))
    const again = typed ? [["count-column", "Use the count again in all cells"]] : []
    return [...again, ["count-typed", "Keep the numbers, without the formula"]]
  }
  return { mark, over, close, tell, cellItems, columnItems }
}
