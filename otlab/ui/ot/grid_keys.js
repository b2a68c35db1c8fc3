// What the grid cannot do by itself: paste of a block, undo keys, leaving by Tab, menus of
// columns and rows, names for screen readers, and the ring around a faulty cell.

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

export function render({ model, el }) {
  let last = null
  let menu = null
  const grid = () => deep(document, `.${model.grid}`)
  const send = (kind, more = {}) => model.send_msg({ kind, ...more })
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

  const closeMenu = (refocus = true) => {
    if (!menu) return
    const { anchor } = menu
    menu.box.remove()
    menu = null
    if (refocus) anchor.focus?.()
  }
  const openMenu = (anchor, title, target, items, rename) => {
    closeMenu(false)
    const box = document.createElement("div")
    box.className = "menu"
    if (rename !== undefined) {
      const label = document.createElement("label")
      label.textContent = "Name"
      const input = document.createElement("input")
      input.value = rename
      input.addEventListener("keydown", (e) => {
        e.stopPropagation()
        if (e.key === "Enter") { send("rename", { ...target, name: input.value }); closeMenu() }
        if (e.key === "Escape") closeMenu()
      })
      label.append(input)
      box.append(label)
    }
    const list = document.createElement("div")
    list.setAttribute("role", "menu")
    list.setAttribute("aria-label", title)
    for (const [kind, text] of items) {
      const item = document.createElement("button")
      item.setAttribute("role", "menuitem")
      item.textContent = text
      item.addEventListener("click", () => { send(kind, target); closeMenu() })
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
    const at = anchor.getBoundingClientRect()
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`
    box.style.top = `${Math.max(8, Math.min(at.bottom + 4, innerHeight - box.offsetHeight - 8))}px`
    menu = { box, anchor }
    const first = box.querySelector("input, button")
    first.focus()
    first.select?.()
  }
  const openColumn = (header, field) => {
    const k = Number(field.slice(2))
    const items = [["move-left", "Move left"], ["move-right", "Move right"], ["remove-constraint", "Remove"]]
    openMenu(header, `Constraint ${model.names[k]}`, { field }, items, model.names[k])
  }
  const openRow = (cell, row) =>
    openMenu(cell, "Row", { row }, [
      ["candidate-up", "Move candidate up"], ["candidate-down", "Move candidate down"],
      ["add-candidate", "Add a candidate here"], ["remove-candidate", "Remove candidate"],
      ["input-up", "Move input up"], ["input-down", "Move input down"], ["remove-input", "Remove input"],
    ])

  const onPointer = (event) => {
    if (menu && !event.composedPath().includes(menu.box)) closeMenu(false)
    const at = place(event)
    if (at?.cell) last = { field: at.field, row: at.row }
  }
  const onClick = (event) => {
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
    const at = inside(event) ? (place(event).cell ? place(event) : last) : null
    const text = event.clipboardData.getData("text/plain")
    if (!at || at.field === "menu" || !/[\t\n]/.test(text.trimEnd())) return
    event.preventDefault()
    event.stopPropagation()
    deep(document, `.${model.grid} .tabulator-editing input`)?.blur()
    send("paste", { text, field: at.field, row: at.row })
  }
  const onKey = (event) => {
    const target = event.composedPath()[0]
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
    } else if (event.key === "Tab" && at.cell) leaveAtTheEdge(event, at)
  }
  // Tab in the last cell, and Shift Tab in the first, would stay there for ever.
  const leaveAtTheEdge = (event, at) => {
    const rows = [...at.cell.closest(".tabulator-table").querySelectorAll(":scope > .tabulator-row")]
    const editable = (row) => [...row.querySelectorAll(".tabulator-cell")].filter(
      (c) => /^(input|candidate|count|c_\d+)$/.test(c.getAttribute("tabulator-field")))
    const edge = event.shiftKey ? editable(rows[0])[0] : editable(rows.at(-1)).at(-1)
    if (at.cell !== edge) return
    event.stopPropagation()
    at.cell.querySelector("input")?.blur()
    const ends = deep(document, `.${model.grid}-after`)?.shadowRoot?.querySelector("button")
    if (!event.shiftKey && ends) { event.preventDefault(); ends.focus() }
  }
  const onFocus = (event) => {
    const at = place(event)
    const input = event.composedPath()[0]
    if (!at?.cell || input.tagName !== "INPUT") return
    const column = model.titles[at.field] ?? at.field
    const candidate = cellAt(at.row, "candidate")?.textContent ?? ""
    input.setAttribute("aria-label", `${column} of ${candidate}`)
    input.spellcheck = false
  }
  const onInput = (event) => { if (inside(event)) event.composedPath()[0].dataset.touched = "1" }

  const name = () => {
    const root = grid()
    const table = root && (root.matches("[role=grid]") ? root : (deep(root.shadowRoot || root, "[role=grid]")))
    if (!table) return
    table.setAttribute("aria-label", "Violations")
    for (const header of table.querySelectorAll(HEADER)) {
      header.tabIndex = 0
      header.setAttribute("aria-haspopup", "menu")
      header.title = model.titles[header.getAttribute("tabulator-field")] ?? ""
    }
  }
  const naming = setInterval(name, 500)
  model.on("msg:custom", (data) => {
    const said = data ?? {}
    const table = grid()?.shadowRoot || grid()
    for (const cell of table?.querySelectorAll(".faulty") ?? []) cell.classList.remove("faulty")
    if (said.kind === "fault") setTimeout(() => cellAt(said.row, said.field)?.classList.add("faulty"), 60)
    name()
  })
  const heard = { pointerdown: onPointer, click: onClick, contextmenu: onContext, paste: onPaste,
                  keydown: onKey, focusin: onFocus, input: onInput }
  for (const [kind, listener] of Object.entries(heard)) document.addEventListener(kind, listener, true)
  model.on("remove", () => {
    clearInterval(naming)
    for (const [kind, listener] of Object.entries(heard)) document.removeEventListener(kind, listener, true)
  })
}
