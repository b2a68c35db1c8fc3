// Takes 4.5 ms to build, where a MenuButton of panel-material-ui would take 8.8.
// The menu of a card: what it shows as PNG and SVG, its numbers for a spreadsheet.
// Shown in the card's head while there is something to save.

const LEAST = [90, 50]  // pixels: a smaller drawing is an icon or a sample of a colour
const LATE = 400        // ms after the last change before the card is looked at again
const DONE = 1100       // ms for which "Copied" stands in the menu

export function render({ model, view, el }) {
  const entry = (label, does) => h("button", { class: "plain", type: "button", role: "menuitem", onclick: does }, label)
  const png = entry("Save PNG", () => save("png"))
  const svg = entry("Save SVG", () => save("svg"))
  const copy = entry("Copy data", copyTable)
  const files = model.files.map(([key, label]) => entry(label, () => { close(); model.send_msg({ key }) }))
  model.on("msg:custom", message => {
    saveSentFile(message)
    setText(status, `${message.name} saved`)
  })
  const entries = h("div", { class: "entries", role: "menu", popover: "auto", onkeydown: turn, ontoggle: opened }, png, svg, copy, ...files)
  const button = h("button", { class: "plain more", type: "button", "aria-haspopup": "menu", "aria-expanded": "false", title: "Save or copy", onclick: open }, icon("more"))
  const status = h("span", { class: "hidden", role: "status" })
  el.replaceChildren(button, entries, status)

  let card = view.parent
  while (card && !card.model.css_classes?.includes("ot-card")) card = card.parent

  function figures(from = card) {
    const found = []
    for (const child of from?.children?.() ?? []) {
      if (child.model.type === "Figure") { if (child.el.checkVisibility()) found.push(child) }
      else if (child.model.visible !== false) found.push(...figures(child))
    }
    return found
  }
  const elements = () => [...within(card.el)].filter(node => !el.contains(node))
  const isDrawing = node => {
    if (Number(node.getAttribute("width") || LEAST[0]) < LEAST[0]) return false  // small icons are told by their attribute: measuring them makes the browser lay the page out
    if (!(node instanceof SVGSVGElement) && node.dataset?.picture == null || !node.checkVisibility()) return false
    const { width, height } = node.getBoundingClientRect()
    return width >= LEAST[0] && height >= LEAST[1]
  }
  const hasNumbers = node => node.copyData || node.dataset?.copy || isTable(node)

  // ---- whether there is something to take

  let timer = 0
  function look() {
    timer = 0
    if (!card?.el.isConnected || !card.el.checkVisibility()) return
    const all = elements(), plots = figures()
    const pictures = plots.length > 0 || all.some(isDrawing)
    png.hidden = svg.hidden = !pictures
    copy.hidden = !plots.length && !all.some(hasNumbers)
    for (const file of files) file.hidden = model.withheld
    setClass(view.el, "ot-none", !pictures && copy.hidden)
    setAttribute(button, "aria-label", `Save or copy: ${model.title}`)
  }
  function later() { timer ||= setTimeout(look, LATE) }
  const document_ = view.model.document
  document_?.on_change(later)
  const sized = new ResizeObserver(later)
  if (card) sized.observe(card.el)
  // A head of two lines leaves its plots less room: Bokeh measures them again, but draws them as high as before.
  const fitted = new ResizeObserver(() => figures().forEach(plot => plot.compute_layout()))
  if (view.parent) fitted.observe(view.parent.el)
  model.on("remove", () => {
    clearTimeout(timer)
    sized.disconnect()
    fitted.disconnect()
    document_?.remove_on_change(later)
  })
  setClass(view.el, "ot-none", true)
  later()

  // ---- the menu

  function open() {
    look()
    if (entries.matches(":popover-open")) { entries.hidePopover(); return }
    entries.showPopover()
    const at = button.getBoundingClientRect(), { width } = entries.getBoundingClientRect()
    entries.style.left = `${Math.max(8, at.right - width)}px`
    entries.style.top = `${at.bottom + 4}px`
    shown()[0]?.focus()
  }
  function opened(event) { setAttribute(button, "aria-expanded", String(event.newState === "open")) }
  function close() {
    entries.hidePopover()
    button.focus()
  }
  const shown = () => [png, svg, copy, ...files].filter(item => !item.hidden)
  function turn(event) {
    const items = shown(), at = items.indexOf(el.getRootNode().activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === "Tab") entries.hidePopover()
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    items.at(to % items.length).focus()
  }

  // ---- what it does

  function fileName(ending) {
    const source = document.documentElement.dataset.otlabSource
    const words = [source, model.title.toLowerCase()].filter(Boolean).join(" ")
    return `${words.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "_")}.${ending}`
  }
  async function save(ending) {
    close()
    const picture = cardPicture(card.el, new Map(figures().map(plot => [plot.el, plot])))
    const file = ending === "png" ? await asPng(picture) : new Blob([picture.text], { type: "image/svg+xml" })
    saveFile(file, fileName(ending))
    setText(status, `${fileName(ending)} saved`)
  }
  async function copyTable() {
    const text = cardData(elements(), figures())
    await copyText(text, entries)
    setText(copy, "Copied")
    setText(status, "Data copied")
    setTimeout(() => { setText(copy, "Copy data"); if (entries.matches(":popover-open")) close() }, DONE)
  }
}
