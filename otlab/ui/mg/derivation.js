// One sentence's readings, the picture of one of them, and its steps.

const SMALLEST = 0.92  // a tree that fits only smaller than this would be hard to read: it scrolls

export function render({ model, el }) {
  const readings = h("div", { class: "cards", role: "radiogroup", "aria-label": "Readings", onkeydown: turn })
  const picture = h("div", { class: "picture", tabindex: 0, role: "group", "aria-label": "Derivation", onclick: event => {
    const item = event.target.closest("[data-add]")?.dataset.add
    if (item) send({ kind: "add", item })
  } })
  const back = h("button", { class: "square", type: "button", "aria-label": "First step", onclick: () => go(0) }, icon("reset"))
  const play = h("button", { class: "square", type: "button", "aria-label": "Play steps", onclick: toggle }, icon("run"))
  const dots = h("div", { class: "dots", role: "slider", tabindex: 0, "aria-label": "Step", onkeydown: stepKeys })
  const said = h("p", { class: "said", "aria-live": "polite" })
  const stepper = h("div", { class: "stepper well" }, back, play, dots, said)
  el.replaceChildren(h("div", { class: "root" }, readings, picture, stepper))
  let timer = null, svg = ""

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
    const n = state().readings.length, at = state().readings.findIndex(r => r.chosen)
    send({ kind: "reading", at: (at + by + n) % n })
  }

  function card(i) {
    return h("button", { class: "reading", type: "button", role: "radio", onclick: () => send({ kind: "reading", at: i }) },
      h("b"), h("span", { class: "detail cut" }), h("b", { class: "share" }), h("i", { class: "track" }, h("i")))
  }

  function draw() {
    const now = state()
    while (readings.children.length < now.readings.length) readings.append(card(readings.children.length))
    while (readings.children.length > now.readings.length) readings.lastChild.remove()
    now.readings.forEach((reading, i) => {
      const [name, detail, share, track] = readings.children[i].children
      setText(name, reading.name); setText(detail, reading.detail); setText(share, reading.percent)
      track.firstChild.style.width = `${100 * reading.share}%`
      track.firstChild.style.background = `var(--ot-${now.hue})`
      setAttribute(readings.children[i], "aria-checked", String(reading.chosen))
      setAttribute(readings.children[i], "tabindex", reading.chosen ? 0 : -1)
    })
    readings.hidden = now.readings.length < 2
    if (svg !== now.picture) { svg = now.picture; picture.innerHTML = svg; fit(); seek() }
    stepper.hidden = now.steps.length < 2
    while (dots.children.length < now.steps.length) {
      const i = dots.children.length
      dots.append(h("i", { onclick: () => go(i) }))
    }
    while (dots.children.length > now.steps.length) dots.lastChild.remove()
    now.steps.forEach((kind, i) => setAttribute(dots.children[i], "class", `${kind} ${i <= now.at ? "past" : ""} ${i === now.at ? "here" : ""}`))
    setAttribute(dots, "aria-valuemin", 1); setAttribute(dots, "aria-valuemax", now.steps.length)
    setAttribute(dots, "aria-valuenow", now.at + 1); setAttribute(dots, "aria-valuetext", now.said)
    setText(said, now.said)
  }

  // A tree grows a little into a free place; one that is too large scrolls, its words stay legible.
  function fit() {
    const tree = picture.querySelector("svg.ot-tree")
    if (!tree) return
    const wide = Number(tree.getAttribute("width")), high = Number(tree.getAttribute("height"))
    const fitting = Math.min(picture.clientWidth / wide, picture.clientHeight / high)
    const scale = Math.min(1.15, Math.max(SMALLEST, fitting))
    tree.style.width = `${wide * scale}px`
    tree.style.height = `${high * scale}px`
  }
  // A tree that must scroll begins at its root, unless the reader has moved it.
  function seek() {
    const root = picture.querySelector("svg.ot-tree text")
    if (!root || picture.scrollLeft || picture.scrollTop) return
    const box = root.getBoundingClientRect(), place = picture.getBoundingClientRect()
    picture.scrollLeft = box.left + box.width / 2 - place.left - place.width / 2
  }
  const observer = new ResizeObserver(fit)
  observer.observe(picture)
  model.on("remove", () => { halt(); observer.disconnect() })

  draw()
  model.on("state", draw)
}
