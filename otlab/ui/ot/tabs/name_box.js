// What is added to the grid is named there, once the server has added it. Until then what is typed goes
// into a box beside the button: on the page itself letters are shortcuts.

// Put a box below what it belongs to, within the window. Presenter mode makes the box's own pixels larger.
function placeBelow(box, anchor) {
  const at = anchor.getBoundingClientRect(), zoom = box.currentCSSZoom ?? 1
  const within = (start, room, size) => `${Math.max(8, Math.min(start / zoom, room / zoom - size - 8))}px`
  box.style.left = within(at.left, innerWidth, box.offsetWidth)
  box.style.top = within(at.bottom + 4, innerHeight, box.offsetHeight)
}

function nameBox(el) {
  const PATIENCE = 30_000 // ms that a busy server may take
  const UNASKED = {} // added without a click on this page
  let awaited = 0 // added, and not yet in the grid
  let box = null
  let patience = null

  function close() {
    box?.node.remove()
    box = null
  }
  function begin(anchor) {
    close()
    awaited += 1
    clearTimeout(patience)
    patience = setTimeout(() => { awaited = 0; close() }, PATIENCE)
    const input = h("input", { spellcheck: "false", autocomplete: "off", onkeydown: event => {
      event.stopPropagation()
      if (event.key === "Enter" && !event.repeat) { input.readOnly = true; box.named = true }
      if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); close() }
    } })
    const node = h("div", { class: "menu name", role: "dialog", "aria-label": "Name of what is added" }, h("label", {}, "Name", input))
    box = { node, input, named: false }
    el.append(node)
    placeBelow(node, anchor)
    input.focus()
  }
  // The box of what the server says it has added; null if another is to come, which is named instead, or if
  // the box was left.
  function arrive() {
    if (!awaited) return UNASKED
    awaited -= 1
    return awaited ? null : box
  }
  // What was typed into a box when what it names is in the grid: `text`, and whether Enter was pressed
  // (`named`); null if that is not to be named now.
  function take(from) {
    if (from === UNASKED) return { text: "", named: false }
    if (from === null || from !== box) return null
    const typed = { text: box.input.value, named: box.named }
    close()
    return typed
  }
  return { begin, arrive, take, close, holds: event => box !== null && event.composedPath().includes(box.node) }
}
