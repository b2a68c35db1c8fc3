// Has no peer: of what is done in a grid, Panel's Tabulator passes on clicks and edits only.
// What the grid cannot do by itself: paste of a block, undo keys, arrows, leaving by Tab, menus
// of columns and rows, names for screen readers, and the ring around a faulty cell. What is typed
// into cells is sent too, so that all that is done reaches the server in the order in which it was done.
//
// A cell is either open (Tabulator's editor is in it) or only looked at: it has the focus, and
// typing or Enter opens it. One cell at a time is in the page's Tab order.

const HEADER = ".tabulator-col[tabulator-field^='c_']"

function deep(root, selector) {
  const found = root.querySelector(selector)
  if (found) return found
  for (const node of root.querySelectorAll("*")) {
    const inside = node.shadowRoot && deep(node.shadowRoot, selector)
    if (inside) return inside
  }
  return null
}

// Whenever the page turns dark or light, Panel Material UI gives a table more style sheets, and all of its rows are
// then styled and measured anew. This one takes its colours from variables. What the server sets does not come this way.
function keepStyles(table) {
  const { stylesheets } = table.properties
  Object.defineProperty(table, "stylesheets", { get: () => stylesheets.get_value(), set() {}, configurable: true })
}

export function render({ model, view, el }) {
  for (const one of view.model.document.all_models) if (one.css_classes?.includes(model.grid)) keepStyles(one)
  let last = null
  let menu = null
  const named = nameBox(el)
  // Tabulator opens any cell that gets the focus. It may where the mouse, Tab or open() gave it; a cell
  // that gets it back because it was drawn anew is only looked at.
  let mayOpen = false
  const grid = () => deep(document, `.${model.grid}`)
  // A cell is edited before Panel has sent its new text: ours follows, and comes before what is done next.
  const edited = []
  const sendEdited = () => { for (const one of edited.splice(0)) model.send_msg({ kind: "type", ...one }) }
  const onEdited = ({ detail: cell }) => {
    const [row, field, text] = [cell.getData()._index, cell.getField(), String(cell.getValue())]
    edited.push({ row, field, text, seen: model.changes })
    queueMicrotask(sendEdited)
  }
  document.addEventListener(model.grid, onEdited)
  const send = (kind, more = {}) => { sendEdited(); model.send_msg({ kind, ...more }) }
  const inside = (event) => event.composedPath().some((n) => n.classList?.contains(model.grid))
  const rowOf = (cell) => {
    const row = cell?.closest(".tabulator-row")
    return row ? [...row.parentNode.querySelectorAll(":scope > .tabulator-row")].indexOf(row) : null
  }
  const place = (event) => {
    if (!inside(event)) return null
    const path = event.composedPath()
    const cell = path.find((n) => n.classList?.contains("tabulator-cell"))
    const header = path.find((n) => n.matches?.(HEADER))
    const field = (cell || header)?.getAttribute("tabulator-field") ?? null
    return { cell, header, field, row: rowOf(cell) }
  }
  const cellAt = (row, field) => {
    const root = grid()?.shadowRoot || grid()
    const rows = root ? root.querySelectorAll(".tabulator-row") : []
    return rows[row]?.querySelector(`[tabulator-field="${field}"]`) ?? null
  }

  const headerOf = (field) =>
    (grid()?.shadowRoot || grid())?.querySelector(`.tabulator-col[tabulator-field="${field}"]`) ?? null
  const headers = () => (grid()?.shadowRoot || grid())?.querySelectorAll(HEADER) ?? []
  const isOpen = (cell) => cell?.classList.contains("tabulator-editing")
  const only = (cell) => { // the one cell in the Tab order
    const root = grid()?.shadowRoot || grid()
    for (const other of root?.querySelectorAll(".tabulator-cell[tabindex='0']") ?? []) other.tabIndex = -1
    if (cell) cell.tabIndex = 0
  }
  // A cell that Python writes to is drawn anew and loses the focus: until the next key or click it is given back.
  const PATIENCE = 20000 // ms that a busy server may take
  let keeping = null
  let keepsCell = false // not a head
  const keepNothing = () => {
    clearInterval(keeping)
    keepsCell = false
  }
  const keepFocus = () => {
    keepNothing()
    keepsCell = true
    const end = performance.now() + PATIENCE
    keeping = setInterval(() => {
      if (performance.now() > end) keepNothing()
      else if (last && document.activeElement === document.body) focusQuietly(cellAt(last.row, last.field))
    }, 60)
  }
  const lookAt = (cell) => {
    if (!cell) return
    focusQuietly(cell)
    cell.scrollIntoView({ block: "nearest", inline: "nearest" })
    last = { field: cell.getAttribute("tabulator-field"), row: rowOf(cell) }
    keepFocus()
  }
  // A header too is drawn anew, and the table scrolled back to its first column, once it has its new name.
  const lookAtHeader = (field) => {
    keepNothing()
    const end = performance.now() + PATIENCE
    const look = () => {
      if (performance.now() > end) keepNothing()
      const header = headerOf(field)
      if (!header || !(document.activeElement === document.body || header.matches(":focus"))) return
      header.focus()
      header.scrollIntoView({ block: "nearest", inline: "nearest" })
    }
    headerOf(field)?.focus()
    keeping = setInterval(look, 60)
  }
  const focusQuietly = (cell) => {
    if (!cell) return
    only(cell)
    mayOpen = false
    cell.focus()
  }
  const open = (cell, text) => {
    if (!cell || cell.getAttribute("tabulator-field") === "menu") return
    cell.blur()
    mayOpen = true
    cell.focus()
    mayOpen = false
    const input = cell.querySelector("input")
    if (!input) return
    if (text === undefined) { input.select(); return }
    input.value = text
    input.dataset.touched = "1"
    input.dispatchEvent(new Event("input", { bubbles: true }))
  }
  const neighbour = (cell, across, down) => {
    const row = cell.closest(".tabulator-row")
    const rows = [...row.parentNode.querySelectorAll(":scope > .tabulator-row")]
    const fields = ["input", "candidate", "count", ...model.names.map((_, k) => `c_${k}`), "menu"]
    const at = fields.indexOf(cell.getAttribute("tabulator-field"))
    const next = rows[rows.indexOf(row) + down]
    return next?.querySelector(`[tabulator-field="${fields[at + across]}"]`) ?? null
  }

  const closeMenu = (refocus = true) => {
    if (!menu) return
    const { box, target } = menu
    menu = null
    box.remove()
    if (refocus) lookAtTarget(target)
    following = refocus
  }
  // What a menu was opened for may be moved once more after the menu was closed: the focus follows it.
  let following = false
  const lookAtTarget = (target) => {
    if ("row" in target) lookAt(cellAt(target.row, "menu"))
    else lookAtHeader(target.field)
  }
  const openMenu = (anchor, title, target, items, rename) => {
    closeMenu(false)
    const box = document.createElement("div")
    box.className = "menu"
    box.setAttribute("role", "dialog")
    box.setAttribute("aria-label", title)
    if (rename !== undefined) {
      const label = document.createElement("label")
      label.textContent = "Name"
      const input = document.createElement("input")
      input.value = rename
      input.addEventListener("keydown", (e) => {
        e.stopPropagation()
        if (e.key === "Enter") { send("rename", { ...menu.target, name: input.value }); closeMenu() }
        if (e.key === "Escape") closeMenu()
      })
      label.append(input)
      box.append(label)
    }
    const list = document.createElement("div")
    list.setAttribute("role", "menu")
    list.setAttribute("aria-label", title)
    for (const [kind, text, more] of items) {
      const item = document.createElement("button")
      item.setAttribute("role", "menuitem")
      item.textContent = text
      const stays = /(left|right|up|down|first|last)$/.test(kind)
      item.addEventListener("click", () => {
        const { anchor, target } = menu
        send(kind, { ...target, ...more })
        if (!stays) closeMenu()
        if (kind === "add-candidate") named.begin(anchor)
      })
      list.append(item)
    }
    box.append(list)
    box.addEventListener("keydown", (e) => {
      const all = [...box.querySelectorAll("input, button")]
      const at = all.indexOf(el.getRootNode().activeElement)
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
      if (step) { e.preventDefault(); all[(at + step + all.length) % all.length].focus() }
      if (e.key === "Escape" || e.key === "Tab") { e.preventDefault(); closeMenu() }
      e.stopPropagation()
    })
    el.append(box)
    placeBelow(box, anchor)
    menu = { box, anchor, target }
    const first = box.querySelector("input, button")
    first.focus()
    first.select?.()
  }
  // A new row or column is drawn a moment after it was added.
  const openName = ({ row, field, name }, from, tries = 200) => {
    const place = row === null ? headerOf(field) : cellAt(row, field)
    if (!place || (row === null ? model.names[Number(field.slice(2))] : place.textContent) !== name) {
      if (tries) setTimeout(() => openName({ row, field, name }, from, tries - 1), 50)
      else named.take(from)
      return
    }
    place.scrollIntoView({ block: "nearest", inline: "nearest" })
    const typed = named.take(from)
    if (!typed) return
    if (row === null) nameColumn(place, field, typed)
    else nameRow(place, row, field, typed)
  }
  // The tab of the grid may have been opened a moment ago.
  const pointAt = ({ row, field }, tries = 100) => {
    const cell = cellAt(row, field)
    if (cell?.offsetParent) lookAt(cell)
    else if (tries) setTimeout(() => pointAt({ row, field }, tries - 1), 50)
  }
  const nameColumn = (header, field, typed) => {
    openColumn(header, field)
    if (!typed.text) return
    if (typed.named) { send("rename", { field, name: typed.text }); closeMenu(); return }
    const input = menu.box.querySelector("input")
    input.value = typed.text
    input.setSelectionRange(typed.text.length, typed.text.length)
  }
  const nameRow = (cell, row, field, typed) => {
    open(cell, typed.text || undefined)
    if (!typed.named) return
    cell.querySelector("input")?.blur()
    lookAt(cellAt(row + 1, field) ?? cellAt(row, field))
  }
  const openColumn = (header, field) => {
    if (model.fixed) return
    const k = Number(field.slice(2))
    const items = [["move-left", "Move left"], ["move-right", "Move right"], ["move-first", "Move to first"],
      ["move-last", "Move to last"], ["remove-constraint", "Remove"]]
    openMenu(header, `Constraint ${model.names[k]}`, { field }, [...counts.columnItems(field), ...items], model.names[k])
  }
  const openRow = (cell, row) => model.fixed ||
    openMenu(cell, "Row", { row }, [
      ...counts.cellItems(row, cell.getAttribute("tabulator-field")),
      ["candidate-up", "Move candidate up"], ["candidate-down", "Move candidate down"],
      ["candidate-first", "Move candidate to first"], ["candidate-last", "Move candidate to last"],
      ["add-candidate", "Add a candidate here"], ["remove-candidate", "Remove candidate"],
      ["input-up", "Move input up"], ["input-down", "Move input down"],
      ["input-first", "Move input to first"], ["input-last", "Move input to last"],
      ["remove-input", "Remove input"],
    ])

  const counts = gridCounts({ el, model, send, root: () => grid()?.shadowRoot || grid(), place, cellAt })
  const dragging = gridDrag({ el, model, send, headerOf, cellAt, closeMenu })
  const onPointer = (event) => {
    keepNothing()
    counts.close()
    following = false
    mayOpen = true
    if (menu && !event.composedPath().includes(menu.box)) closeMenu(false)
    if (!named.holds(event)) named.close()
    const at = place(event)
    if (at?.cell) last = { field: at.field, row: at.row }
    dragging.start(event, at)
  }
  const onClick = (event) => {
    if (dragging.endedHere()) return
    const adder = event.composedPath().find((n) => n.classList?.contains(`${model.grid}-adds`))
    if (adder) { named.begin(adder); return }
    const at = place(event)
    if (at?.header && !event.composedPath().some((n) => n.classList?.contains("tabulator-col-resize-handle")))
      openColumn(at.header, at.field)
    else if (at?.field === "menu" && at.cell) openRow(at.cell, at.row)
  }
  const onContext = (event) => {
    const at = place(event)
    if (!at || (!at.header && !at.cell)) return
    event.preventDefault()
    if (at.header) openColumn(at.header, at.field)
    else openRow(at.cell, at.row)
  }
  const onPaste = (event) => {
    const text = event.clipboardData.getData("text/plain")
    const block = /[\t\n]/.test(text.trimEnd())
    const target = event.composedPath()[0]
    if (!inside(event)) { // nothing was clicked: the block goes to the top left
      if (!block || isField(target) || !grid()?.offsetParent) return
      event.preventDefault()
      send("paste", { text, field: "", row: 0 })
      return
    }
    const at = place(event).cell ? place(event) : last
    if (!at || at.field === "menu" || (!block && isField(target))) return
    event.preventDefault()
    event.stopPropagation()
    deep(document, `.${model.grid} .tabulator-editing input`)?.blur()
    send("paste", { text, field: at.field, row: at.row })
  }
  const isField = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) || node.isContentEditable
  const onKey = (event) => {
    following = false
    const plain = event.key !== "Tab" && !event.ctrlKey && !event.metaKey && !event.altKey
    const kept = plain && keepsCell && document.activeElement === document.body && cellAt(last.row, last.field)
    if (kept) { // it was drawn anew just now: the key is meant for it
      focusQuietly(kept)
      onCellKey(event, { cell: kept, ...last })
      return
    }
    // Tabulator draws cells anew at any time, each in the page's Tab order: set right before the focus moves.
    if (event.key === "Tab") {
      name()
      const here = place(event)?.cell
      if (here) only(here)
    }
    // Tab in an open cell opens the next cell, as in a spreadsheet. Tab from outside only focuses a cell, and
    // another Tab leaves the grid.
    mayOpen = event.key === "Tab" && Boolean(deep(document, `.${model.grid} .tabulator-editing`)) && inside(event)
    if (event.key === "Escape" && dragging.cancel()) {
      event.stopPropagation()
      return
    }
    const target = event.composedPath()[0]
    if (target.matches?.(HEADER)) keepNothing()
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable
    if ((event.ctrlKey || event.metaKey) && /^[zZyY]$/.test(event.key)) {
      if (!inside(event) && typing) return
      if (typing && target.value !== target.defaultValue && target.dataset.touched) return
      event.preventDefault()
      event.stopPropagation()
      send(event.key.toLowerCase() === "y" || event.shiftKey ? "redo" : "undo")
      return
    }
    if (!inside(event)) return
    const at = place(event)
    if (at.header && /^(Enter| |ContextMenu)$/.test(event.key)) {
      event.preventDefault()
      openColumn(at.header, at.field)
    } else if (at.cell) onCellKey(event, at)
  }
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
  const onCellKey = (event, at) => {
    const input = isOpen(at.cell) ? at.cell.querySelector("input") : null
    const took = () => { event.preventDefault(); event.stopPropagation() }
    if (event.key === "Tab") keepNothing()
    const arrow = !event.altKey && !event.ctrlKey && !event.metaKey && ARROWS[event.key]
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      took()
      openRow(at.cell, at.row)
    } else if (arrow && !(input && arrow[0] && insideText(input, arrow[0]))) {
      took()
      const next = neighbour(at.cell, ...arrow)
      input?.blur()
      lookAt(next && cellAt(rowOf(next), next.getAttribute("tabulator-field")))
    } else if (event.key === "Escape" && input) {
      // Tabulator puts the old value back; the focus stays here.
      setTimeout(() => lookAt(cellAt(at.row, at.field)), 0)
    } else if (event.key === "Enter" && input) {
      setTimeout(() => lookAt(cellAt(at.row + 1, at.field) ?? cellAt(at.row, at.field)), 0)
    } else if (event.key === "Tab" && input) leaveAtTheEdge(event, at)
    else if (!input) onKeyInClosedCell(event, at, took)
  }
  const onKeyInClosedCell = (event, at, took) => {
    if (at.field === "menu") {
      if (/^(Enter| )$/.test(event.key)) { took(); openRow(at.cell, at.row) }
      return
    }
    if (model.fixed) return
    if (/^(Enter|F2)$/.test(event.key)) { took(); open(at.cell) }
    else if (/^(Delete|Backspace)$/.test(event.key)) { took(); open(at.cell, "") }
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      took()
      open(at.cell, event.key)
    }
  }
  // Whether an arrow still moves the caret: there is text on its way.
  const insideText = (input, by) => {
    const { selectionStart: from, selectionEnd: to, value } = input
    if (value && from === 0 && to === value.length) return false
    return by < 0 ? to > 0 : from < value.length
  }
  // Tab in the last cell, and Shift Tab in the first, would stay there for ever.
  const leaveAtTheEdge = (event, at) => {
    const rows = [...at.cell.closest(".tabulator-table").querySelectorAll(":scope > .tabulator-row")]
    const editable = (row) => [...row.querySelectorAll(".tabulator-cell")].filter(
      (c) => /^(input|candidate|count|c_\d+)$/.test(c.getAttribute("tabulator-field")))
    const edge = event.shiftKey ? editable(rows[0])[0] : editable(rows.at(-1)).at(-1)
    if (at.cell !== edge) return
    event.stopPropagation()
    const after = deep(document, `.${model.grid}-after`)?.shadowRoot
    const next = event.shiftKey ? [...headers()].at(-1) : after && deep(after, "button:not(:disabled)")
    if (!next) return
    event.preventDefault()
    at.cell.querySelector("input")?.blur()
    next.focus()
  }
  const onFocus = (event) => {
    const at = place(event)
    const input = event.composedPath()[0]
    if (!at?.cell || input.tagName !== "INPUT") return
    const column = model.titles[at.field] ?? at.field
    const candidate = cellAt(at.row, "candidate")?.textContent ?? ""
    input.setAttribute("aria-label", `${column} of ${candidate}`)
    input.spellcheck = false
    only(at.cell)
  }
  const onInput = (event) => { if (inside(event)) event.composedPath()[0].dataset.touched = "1" }

  const name = () => {
    counts.mark()
    const root = grid()
    const table = root && (root.matches("[role=grid]") ? root : (deep(root.shadowRoot || root, "[role=grid]")))
    if (!table) return
    table.setAttribute("aria-label", "Violations")
    hearWithin(table.getRootNode())
    for (const header of headers()) {
      header.tabIndex = 0
      header.setAttribute("aria-haspopup", "menu")
      header.title = model.titles[header.getAttribute("tabulator-field")] ?? ""
    }
    for (const cell of table.querySelectorAll("[tabulator-field='menu'].tabulator-cell")) {
      cell.setAttribute("aria-label", "Row menu")
      cell.setAttribute("aria-haspopup", "menu")
      if (!cell.hasAttribute("tabindex")) cell.tabIndex = -1
    }
    for (const holder of table.querySelectorAll(".tabulator-tableholder")) holder.tabIndex = -1
    const stops = table.querySelectorAll(".tabulator-cell[tabindex='0']")
    if (stops.length > 1) only((last && cellAt(last.row, last.field)) || stops[0])
  }
  const naming = setInterval(name, 500)
  model.on("marks", () => counts.mark())
  model.on("msg:custom", (data) => {
    const message = data ?? {}
    if (message.kind === "tell") { counts.tell(message); return }
    if (message.kind === "point") { pointAt(message); return }
    if (message.kind === "name") { openName(message, named.arrive()); return }
    if (message.kind === "moved") {
      const target = message.row === null ? { field: message.field } : { row: message.row }
      if (menu) menu.target = target
      else if (following) lookAtTarget(target)
      return
    }
    const table = grid()?.shadowRoot || grid()
    for (const cell of table?.querySelectorAll(".faulty") ?? []) cell.classList.remove("faulty")
    if (message.kind === "fault") setTimeout(() => cellAt(message.row, message.field)?.classList.add("faulty"), 60)
    name()
  })
  const onFocusEvent = (event) => {
    const cell = event.composedPath()[0].classList?.contains("tabulator-cell")
    if (cell && !mayOpen && (inside(event) || event.currentTarget === within)) event.stopPropagation()
  }
  // The browser scrolls a head that gets the focus into view; Tabulator moves only the heads with the cells.
  const onScroll = (event) => {
    const heads = event.target
    if (!heads.classList?.contains("tabulator-header-contents")) return
    const cells = heads.closest(".tabulator").querySelector(".tabulator-tableholder")
    if (cells.scrollLeft === heads.scrollLeft) return
    cells.scrollLeft = heads.scrollLeft
    heads.scrollLeft = cells.scrollLeft
  }
  // A focus or scroll event between two parts of the grid does not reach the document.
  let within = null
  const hearWithin = (root) => {
    if (root === within) return
    within = root
    root.addEventListener("focus", onFocusEvent, true)
    root.addEventListener("scroll", onScroll, true)
  }
  const onMove = (event) => { dragging.move(event); counts.over(event) }
  const onWheel = () => { keepNothing(); counts.close() }
  const heard = { focus: onFocusEvent, pointerdown: onPointer, pointermove: onMove, pointerup: dragging.drop, click: onClick, contextmenu: onContext, paste: onPaste,
                  wheel: onWheel, keydown: onKey, focusin: onFocus, input: onInput }
  for (const [kind, listener] of Object.entries(heard)) document.addEventListener(kind, listener, true)
  model.on("remove", () => {
    clearInterval(naming)
    counts.close()
    keepNothing()
    document.removeEventListener(model.grid, onEdited)
    for (const [kind, listener] of Object.entries(heard)) document.removeEventListener(kind, listener, true)
  })
}
