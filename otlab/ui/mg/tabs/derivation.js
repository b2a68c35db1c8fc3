// Takes 4.7 ms to build, where HTML with eight Buttons and a slider would take 61.
// One sentence's readings, the picture of one of them, and its steps.

const SMALLEST = 0.25, LARGEST = 3, STEP = 1.2  // of the tree's own size
const SIZE = 0.88  // at this size the smallest letters are 11 px: no tree has smaller ones unless that is asked for
const LINE = 32  // px: the tools and the note, where they have a line of their own
const FORMATS = [["forest", "Copy LaTeX (forest)"], ["qtree", "Copy LaTeX (qtree)"], ["brackets", "Copy brackets"],
  ["svg", "Save SVG"], ["png", "Save PNG"]]

// A text with words between asterisks, as nodes: those in italics.
const cited = text => text.split("*").map((part, i) => i % 2 ? h("i", {}, part) : part)

export function render({ model, el }) {
  const readings = h("div", { class: "cards", role: "radiogroup", "aria-label": "Readings", onkeydown: turn })
  const picture = h("div", { class: "picture", tabindex: 0, role: "group", "aria-label": "Derivation", onclick: event => {
    const asked = event.target.closest("[data-add], [data-say]")?.dataset
    if (asked?.add) send({ kind: "add", item: asked.add })
    if (asked?.say != null) send({ kind: "say", text: asked.say })
  }, onwheel: event => {
    moved = hint.hidden = true
    if (!event.ctrlKey && !event.metaKey || !tree()) return
    event.preventDefault()
    zoom(scale * STEP ** (event.deltaY < 0 ? 1 : -1), event)
  }, onpointerdown: drag, onkeydown: event => {
    const by = { "+": STEP, "=": STEP, "-": 1 / STEP }[event.key]
    if (!tree() || event.ctrlKey || event.metaKey || !by && event.key !== "0") return
    event.preventDefault()
    by ? zoom(scale * by) : refit()
  } })
  const tool = (name, does, ...content) => h("button", { class: "square", type: "button", "aria-label": name, title: name, onclick: does }, ...content)
  const percent = h("button", { class: "percent", type: "button", title: "Fit the tree into the card (0)", onclick: () => refit() }, "Fit")
  const entries = FORMATS.map(([format, name]) => h("button", { class: "plain", type: "button", role: "menuitem", onclick: () => {
    menu.open = false
    send({ kind: "export", format })
  } }, name))
  const menu = h("details", { class: "menu", onkeydown: event => {
    if (event.key === "Escape" && menu.open) { event.stopPropagation(); menu.open = false; menu.firstChild.focus() }
  } }, h("summary", { role: "button", "aria-label": "Copy or save this tree", title: "Copy or save this tree" }, icon("download")), h("div", { class: "entries", role: "menu" }, ...entries))
  const status = h("span", { class: "status", role: "status" })
  const earlier = tool("Earlier readings", () => send({ kind: "page", by: -1 }), icon("left"))
  const later = tool("Later readings", () => send({ kind: "page", by: 1 }), icon("right"))
  const where = h("span", { class: "where" })
  const pager = h("div", { class: "pager" }, where, h("span", {}, earlier, later))
  const hint = h("span", {}, "Drag to see the rest of the tree")
  const other = h("button", { class: "plain", type: "button", onclick: () => toFit(!(fitted && whole)) })
  const more = h("p", { class: "more", hidden: true }, hint, other)
  const tools = h("div", { class: "tools" }, status, tool("Smaller", () => zoom(scale / STEP), icon("minus")), percent, tool("Larger", () => zoom(scale * STEP), icon("plus")), menu)
  const back = h("button", { class: "square", type: "button", "aria-label": "First step", onclick: () => go(0) }, icon("reset"))
  const play = h("button", { class: "square", type: "button", "aria-label": "Play steps", onclick: toggle }, icon("run"))
  const dots = h("div", { class: "dots", role: "slider", tabindex: 0, "aria-label": "Step", onkeydown: stepKeys })
  const caption = h("p", { class: "caption", "aria-live": "polite" })
  const stepper = h("div", { class: "stepper well" }, back, play, dots, caption)
  el.replaceChildren(h("div", { class: "root" }, h("div", { class: "listed" }, readings, pager), h("div", { class: "stage" }, picture, tools, more), stepper))
  let timer = null, svg = "", scale = 1, fitted = true, whole = false
  let inView = "", moved = false  // the tree whose root was brought into view, and whether the reader has moved it since

  const send = message => model.send_msg(message)
  const state = () => model.state
  const go = at => send({ kind: "step", at: Math.max(0, Math.min(state().steps.length - 1, at)) })

  function toggle() {
    if (timer) return halt()
    if (state().at === state().steps.length - 1) go(0)
    timer = setInterval(() => state().at === state().steps.length - 1 ? halt() : go(state().at + 1), 900)
    play.replaceChildren(icon("pause"))
  }
  function halt() {
    clearInterval(timer)
    timer = null
    play.replaceChildren(icon("run"))
  }
  function stepKeys(event) {
    const to = { ArrowRight: state().at + 1, ArrowLeft: state().at - 1, Home: 0, End: state().steps.length - 1 }[event.key]
    if (to == null) return
    event.preventDefault()
    go(to)
  }
  function turn(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    const n = state().readings.length, at = state().readings.findIndex(r => r.chosen), next = (at + by + n) % n
    readings.children[next].focus()
    send({ kind: "reading", at: next })
  }

  function card(i) {
    return h("button", { class: "reading", type: "button", role: "radio", onclick: () => send({ kind: "reading", at: i }) },
      h("b"), h("span", { class: "detail" }), h("b", { class: "share" }), h("i", { class: "track" }, h("i")))
  }
  function draw() {
    const now = state()
    while (readings.children.length < now.readings.length) readings.append(card(readings.children.length))
    while (readings.children.length > now.readings.length) readings.lastChild.remove()
    now.readings.forEach((reading, i) => {
      const [name, detail, share, track] = readings.children[i].children
      setText(name, reading.name)
      if (detail.title !== reading.detail) { detail.title = reading.detail; detail.replaceChildren(...cited(reading.detail)) }
      setText(share, reading.percent)
      track.firstChild.style.width = `${100 * reading.share}%`
      track.firstChild.style.background = `var(--ot-${now.hue})`
      setAttribute(readings.children[i], "aria-label", `Reading ${reading.name.replace("Reading ", "")}: ${reading.detail.replaceAll("*", "")} ${reading.percent}`)
      setAttribute(readings.children[i], "aria-checked", String(reading.chosen))
      setAttribute(readings.children[i], "tabindex", reading.chosen ? 0 : -1)
    })
    readings.parentNode.hidden = now.readings.length < 2 && !now.pages
    setClass(readings, "many", now.readings.length > 2 || now.pages)
    pager.hidden = !now.pages
    setText(where, now.pages ? now.where : "")
    earlier.disabled = !now.pages || now.page === 0
    later.disabled = !now.pages || now.page === now.pages - 1
    if (svg !== now.picture) { svg = now.picture; picture.innerHTML = svg; resize() }
    tools.hidden = !tree()
    if (!tree()) more.hidden = true
    stepper.hidden = now.steps.length < 2
    while (dots.children.length < now.steps.length) {
      const i = dots.children.length
      dots.append(h("i", { onclick: () => go(i) }))
    }
    while (dots.children.length > now.steps.length) dots.lastChild.remove()
    now.steps.forEach((kind, i) => setAttribute(dots.children[i], "class", `${kind} ${i <= now.at ? "past" : ""} ${i === now.at ? "here" : ""}`))
    setAttribute(dots, "aria-valuemin", 1); setAttribute(dots, "aria-valuemax", now.steps.length)
    setAttribute(dots, "aria-valuenow", now.at + 1); setAttribute(dots, "aria-valuetext", now.caption)
    setAttribute(caption, "title", now.equation)
    if (caption.dataset.text !== now.caption) {
      caption.dataset.text = now.caption
      const [, step, rest] = /^(Step .*?: )?(.*)$/s.exec(now.caption)
      caption.replaceChildren(...(step ? [h("b", {}, step)] : []), rest)
    }
  }

  // A tree is made to fit, and grows a little into a free place, until the reader chooses a size. Its letters stay
  // readable: what is then still too large is dragged, or seen whole in small letters, and the tools and the words
  // that offer it have a line of their own. There are three drawings, each with less room between labels than the
  // one before; the first that fits is shown.
  const trees = () => [...picture.querySelectorAll("svg.ot-tree")]
  const tree = () => trees().find(one => one.style.display !== "none")
  const own = one => ["width", "height"].map(name => Number(one.getAttribute(name)))
  const room = (one, lines = 0) => {
    const [wide, high] = own(one)
    return Math.min(1.15, (picture.clientWidth - 2) / wide, (picture.clientHeight - lines - 2) / high)
  }
  const readable = () => SIZE / (picture.currentCSSZoom ?? 1)  // presenter mode makes all letters larger
  const clamped = value => Math.min(LARGEST, Math.max(SMALLEST, value))
  const larger = () => picture.scrollWidth > picture.clientWidth + 1 || picture.scrollHeight > picture.clientHeight + 1

  function toFit(small) {
    fitted = true
    whole = small
    inView = ""
    resize()
  }
  function refit() {
    toFit(fitted && !whole && larger())
  }
  // A tree that is larger than its card is opened at its root; the steps of one derivation leave it where it is.
  function showRoot() {
    const now = `${tree().querySelector("title").textContent} ${own(tree())[0]}`
    if (now === inView || !picture.clientWidth) return
    inView = now
    moved = false
    picture.scrollTop = 0
    picture.scrollLeft = scale * Number(tree().querySelector("text").getAttribute("x")) - picture.clientWidth / 2
  }
  function resize() {
    if (!tree()) return
    let small = false
    if (fitted) {
      setClass(picture.parentNode, "below", false)
      const [usual, compact, dense] = trees(), least = readable()
      const enough = compact && Math.max(least, Math.min(1, room(dense)) - 0.1)
      const shown = !compact || room(usual) >= 1 ? usual : room(compact) >= enough ? compact : dense
      for (const one of trees()) one.style.display = one === shown ? "" : "none"
      small = room(shown) < least
      scale = small ? whole ? room(shown, LINE) : least : room(shown)
    }
    const [wide, high] = own(tree())
    tree().style.width = `${wide * scale}px`
    tree().style.height = `${high * scale}px`
    setText(percent, fitted && (whole || !small) ? "Fit" : `${Math.round(100 * scale)}\u2009%`)
    const over = larger()
    setClass(picture, "movable", over)
    setClass(picture.parentNode, "below", over || small)
    if (fitted) showRoot()
    more.hidden = !over && !small
    hint.hidden = !over || moved
    setText(other, small && whole ? "Larger letters" : "Fit the whole tree")
  }
  // What is under the pointer, or in the middle, stays where it is.
  function zoom(to, event) {
    if (!tree()) return
    const place = picture.getBoundingClientRect(), before = tree().getBoundingClientRect()
    const x = event ? event.clientX : place.left + place.width / 2, y = event ? event.clientY : place.top + place.height / 2
    const across = (x - before.left) / before.width, down = (y - before.top) / before.height
    fitted = false
    scale = clamped(to)
    resize()
    const after = tree().getBoundingClientRect()
    picture.scrollLeft += after.left + across * after.width - x
    picture.scrollTop += after.top + down * after.height - y
  }
  function drag(event) {
    if (event.button || event.pointerType === "touch" || !picture.classList.contains("movable")) return
    moved = hint.hidden = true
    const begin = { x: event.clientX + picture.scrollLeft, y: event.clientY + picture.scrollTop }
    const move = now => {
      picture.scrollLeft = begin.x - now.clientX
      picture.scrollTop = begin.y - now.clientY
    }
    const end = () => {
      setClass(picture, "moving", false)
      picture.removeEventListener("pointermove", move)
      for (const name of ["pointerup", "pointercancel"]) picture.removeEventListener(name, end)
    }
    picture.setPointerCapture(event.pointerId)
    setClass(picture, "moving", true)
    picture.addEventListener("pointermove", move)
    for (const name of ["pointerup", "pointercancel"]) picture.addEventListener(name, end)
  }

  model.on("msg:custom", async message => {
    if (message.copy != null) await copyText(message.copy, el)
    else saveSentFile(message)
    setText(status, message.message)
    setTimeout(() => setText(status, ""), 4000)
  })
  listen(model, "pointerdown", event => { if (menu.open && !event.composedPath().includes(menu)) menu.open = false }, true)

  const observer = new ResizeObserver(resize)
  observer.observe(picture)
  model.on("remove", () => { halt(); observer.disconnect() })

  draw()
  model.on("state", draw)
}
