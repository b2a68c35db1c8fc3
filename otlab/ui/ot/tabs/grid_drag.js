// A constraint is dragged by its head, a candidate by the handle at the end of its row, within its input.
// Tabulator's own movable rows and columns tell Panel nothing: Python would keep the old order.

function gridDrag({ el, model, send, headerOf, cellAt, closeMenu }) {
  const DRAGGED = 6 // px
  let drag = null
  let dropped = false
  const start = (event, at) => {
    dropped = false
    const resizing = event.composedPath().some((n) => n.classList?.contains("tabulator-col-resize-handle"))
    const handle = at?.header || (at?.field === "menu" && at.cell)
    drag = handle && !resizing && !model.fixed && event.button === 0
      ? { field: at.field, row: at.header ? null : at.row, x: event.clientX, y: event.clientY } : null
  }
  const move = (event) => {
    if (!drag) return
    if (!drag.mark) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAGGED) return
      closeMenu(false)
      drag.mark = document.createElement("div")
      drag.mark.className = "drop"
      el.append(drag.mark)
    }
    if (drag.row === null) overColumns(event.clientX)
    else overRows(event.clientY)
  }
  const put = (left, top, width, height) => {
    Object.assign(drag.mark.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
  }
  // `gap` counts the places between columns, or rows, from 0 before the first.
  const overColumns = (x) => {
    const boxes = model.names.map((_, k) => headerOf(`c_${k}`).getBoundingClientRect())
    const table = headerOf("c_0").closest(".tabulator").getBoundingClientRect()
    drag.gap = boxes.filter((box) => x > (box.left + box.right) / 2).length
    const edge = drag.gap < boxes.length ? boxes[drag.gap].left : boxes.at(-1).right
    put(edge - 1, table.top, 2, table.height)
  }
  const overRows = (y) => {
    const rows = [...cellAt(drag.row, "menu").closest(".tabulator-table").querySelectorAll(":scope > .tabulator-row")]
    const boxes = rows.map((row) => row.getBoundingClientRect())
    const starts = rows.map((row) => row.querySelector("[tabulator-field='input']").textContent.trim() !== "")
    const first = starts.lastIndexOf(true, drag.row)
    const next = starts.indexOf(true, drag.row + 1)
    const end = next < 0 ? rows.length : next
    const over = boxes.filter((box) => y > (box.top + box.bottom) / 2).length
    drag.gap = Math.max(first, Math.min(end, over))
    const edge = drag.gap < rows.length ? boxes[drag.gap].top : boxes.at(-1).bottom
    put(boxes[0].left, edge - 1, boxes[0].width, 2)
  }
  const drop = () => {
    const { mark, gap, row, field } = drag ?? {}
    drag = null
    if (!mark) return
    mark.remove()
    dropped = true
    const at = row ?? Number(field.slice(2))
    const to = gap > at ? gap - 1 : gap
    if (to === at) return
    if (row === null) send("constraint-to", { field, to })
    else send("candidate-to", { row, to })
  }
  // Whether a drag was under way and is not any longer.
  const cancel = () => {
    if (!drag?.mark) return false
    drag.mark.remove()
    drag = null
    return true
  }
  // Whether a click is the end of a drag; asked once.
  const endedHere = () => {
    const was = dropped
    dropped = false
    return was
  }
  return { start, move, drop, cancel, endedHere }
}
