// What a card shows, as one SVG: plots, drawings and the names beside them, in the colours of the page.
// Controls are left out; what a scroll bar hides is drawn too, and names that the page cuts stand whole.

const SVG_SPACE = h("div", { html: "<svg></svg>" }).firstChild.namespaceURI
const CONTROLS = "input, select, textarea, details, dialog, [role=tablist], [popover], .hint"
const STYLED = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "opacity", "font-family", "font-size", "font-style", "font-weight", "font-variant-caps", "letter-spacing", "text-anchor", "dominant-baseline",
  "visibility", "paint-order"]
const MARGIN = 14  // pixels beyond the outermost mark

const shape = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(SVG_SPACE, tag)
  for (const [name, value] of Object.entries(attributes)) if (value != null) node.setAttribute(name, value)
  node.append(...children)
  return node
}
const rounded = x => Math.round(x * 100) / 100

// A colour as every program that reads SVG understands it, and its opacity.
const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true })
const known = new Map()
function plainColour(css) {
  if (!known.has(css)) {
    pen.clearRect(0, 0, 1, 1)
    pen.fillStyle = "#000"
    pen.fillStyle = css
    pen.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data
    known.set(css, [`rgb(${r},${g},${b})`, rounded(a / 255)])
  }
  return known.get(css)
}

// The pieces of a CSS value between commas that stand in no bracket.
function listed(css) {
  const parts = [""]
  let depth = 0
  for (const letter of css) {
    depth += letter === "(" ? 1 : letter === ")" ? -1 : 0
    if (letter === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += letter
  }
  return parts.map(part => part.trim())
}

function childrenOf(element) {
  if (element.shadowRoot) return [...element.shadowRoot.childNodes]
  if (element.tagName === "SLOT" && element.assignedNodes().length) return element.assignedNodes()
  return [...element.childNodes]
}

// All elements below one, through shadow roots.
function* within(element) {
  for (const child of childrenOf(element)) {
    if (!(child instanceof Element)) continue
    yield child
    yield* within(child)
  }
}

// Return the SVG and its size. `figures` gives the Bokeh view whose element this is.
function cardPicture(card, figures) {
  const scrolled = [...within(card)].filter(node => node.scrollTop || node.scrollLeft).map(node => [node, node.scrollLeft, node.scrollTop])
  const turned = [...within(card)].filter(node => node.wholeHeads)  // which give turned names the room that they need
  for (const [node] of scrolled) node.scrollTo(0, 0)
  for (const node of turned) node.wholeHeads(true)
  try { return new CardDrawing(card, figures).finish() }
  finally {
    for (const node of turned) node.wholeHeads(false)
    for (const [node, left, top] of scrolled) node.scrollTo(left, top)
  }
}

// Names of which the page shows a part: the element that cuts each, its right edge, and how much more room the name takes.
function cutNames(card) {
  const found = []
  for (const holder of within(card)) {
    if (holder.clientWidth === 0 || holder.scrollWidth <= holder.clientWidth || holder instanceof SVGElement) continue
    const style = getComputedStyle(holder)
    if (style.textOverflow !== "ellipsis" || style.visibility === "hidden" || style.webkitLineClamp !== "none" || holder.closest(".head")) continue
    const { right } = holder.getBoundingClientRect()
    found.push({ holder, edge: right, more: holder.scrollWidth - holder.clientWidth })
  }
  return found
}

// As much of a text as there is room for, in the font of the pen.
function shortened(words, room) {
  if (pen.measureText(words).width <= room) return words
  let end = words.length
  while (end && pen.measureText(`${words.slice(0, end)}…`).width > room) end--
  return `${words.slice(0, end).trimEnd()}…`
}

class CardDrawing {
  constructor(card, figures) {
    this.figures = figures
    this.box = card.getBoundingClientRect()
    this.right = this.box.right
    this.bottom = this.box.top
    this.ground = plainColour(getComputedStyle(card).backgroundColor)[0]
    this.defs = shape("defs")
    this.root = shape("g")
    this.cut = cutNames(card)
    this.fixed = null  // how far the name, or the head, that is being drawn is moved
    this.whole = false // whether that is such a name
    this.visitAll(childrenOf(card), this.root, false)
  }

  finish() {
    const [left, top] = [this.box.left, this.box.top]
    const width = Math.ceil(this.right - left), height = Math.ceil(this.bottom - top + MARGIN)
    this.root.setAttribute("transform", `translate(${rounded(-left)} ${rounded(-top)})`)
    const ground = shape("rect", { width, height, fill: this.ground })
    const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, this.defs, ground, this.root)
    return { text: new XMLSerializer().serializeToString(svg), width, height }
  }

  visitAll(nodes, place, drawn) {
    for (const node of nodes) {
      if (node instanceof Element) this.visit(node, place, drawn)
      else if (node.nodeType === Node.TEXT_NODE) this.text(node, place)
    }
  }

  visit(element, place, drawn) {
    if (/^(STYLE|SCRIPT|TEMPLATE|LINK)$/.test(element.tagName) || element.matches(CONTROLS)) return
    drawn ||= element.dataset?.picture != null
    if (element.tagName === "BUTTON" && !drawn) return
    const style = getComputedStyle(element)
    if (style.display === "none" || style.opacity === "0" || style.clipPath.startsWith("inset(50%")) return
    if (style.transform !== "none" && !(element instanceof SVGElement)) { this.turned(element, style, place, drawn); return }
    this.draw(element, style, place, drawn)
  }

  // Measured as it stands without its transform, and turned as a whole.
  turned(element, style, place, drawn) {
    const { transform } = style, [x, y] = style.transformOrigin.split(" ").map(parseFloat), kept = element.style.transform
    const shift = this.moved(element.getBoundingClientRect().left), fixed = this.fixed
    element.style.transform = "none"
    const { left, top } = element.getBoundingClientRect()
    const group = shape("g", { transform: `translate(${left + x + shift} ${top + y}) ${transform} translate(${-left - x} ${-top - y})` })
    this.fixed = 0
    if (transform.startsWith("matrix(")) { place.append(group); this.draw(element, getComputedStyle(element), group, drawn) }
    this.fixed = fixed
    element.style.transform = kept
  }

  draw(element, style, place, drawn) {
    const head = element.classList.contains("ot-card-head"), name = this.fixed === null && this.cut.some(each => each.holder === element)
    if (name || head) this.fixed = head ? 0 : this.moved(element.getBoundingClientRect().left)
    this.whole ||= name
    this.drawInside(element, style, place, drawn)
    if (name || head) this.fixed = null
    if (name) this.whole = false
  }

  drawInside(element, style, place, drawn) {
    const seen = style.visibility !== "hidden"
    const view = this.figures.get(element)
    const box = this.at(element.getBoundingClientRect())
    if (view) { if (seen) this.figure(view, box, place); return }
    if (seen && box.width && box.height) {
      if (element instanceof SVGSVGElement) { this.drawing(element, box, place); return }
      if (element instanceof HTMLCanvasElement) { this.image(element.toDataURL(), box, place); return }
      this.surface(style, box, place)
    }
    const inside = this.clipped(element, style, box, place)
    // In the head only the title, its remark and the legend are part of the picture.
    const nodes = childrenOf(element)
    const head = element.classList.contains("ot-card-head")
    this.visitAll(head ? nodes.filter(node => node.classList?.contains("ot-card-title")) : nodes, inside, drawn)
  }

  // How far what begins here is moved to the right, so that the names beside it have room.
  moved(x) {
    if (this.fixed !== null) return this.fixed
    const most = new Map()
    for (const { edge, more } of this.cut) if (edge <= x + 2) most.set(Math.round(edge), Math.max(more, most.get(Math.round(edge)) ?? 0))
    return [...most.values()].reduce((sum, more) => sum + more, 0)
  }
  at(box) {
    const left = box.left + this.moved(box.left)
    return new DOMRect(left, box.top, Math.max(0, box.right + this.moved(box.right - 3) - left), box.height)
  }

  clipped(element, style, box, place) {
    if (!/hidden|clip/.test(style.overflowX) || element.scrollWidth <= element.clientWidth || this.whole) return place
    const id = `cut${this.defs.childNodes.length}-${Math.random().toString(36).slice(2, 8)}`
    this.defs.append(shape("clipPath", { id }, shape("rect", { x: box.x, y: box.y - 4, width: box.width, height: box.height + 8 })))
    const group = shape("g", { "clip-path": `url(#${id})` })
    place.append(group)
    return group
  }

  reach(box) {
    if (box.right > this.right) this.right = box.right + MARGIN
    if (box.bottom > this.bottom) this.bottom = box.bottom
  }

  surface(style, box, place) {
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) * (style.borderTopLeftRadius.includes("%") ? box.width / 100 : 1) || 0, box.width / 2, box.height / 2)
    const at = { x: rounded(box.x), y: rounded(box.y), width: rounded(box.width), height: rounded(box.height), rx: rounded(radius) || null }
    const [fill, opacity] = plainColour(style.backgroundColor)
    if (opacity) { place.append(shape("rect", { ...at, fill, "fill-opacity": opacity * style.opacity })); this.reach(box) }
    if (style.backgroundImage.startsWith("linear-gradient(to right")) place.append(shape("rect", { ...at, fill: this.gradient(style.backgroundImage) }))
    const ring = /^(.*\)) 0px 0px 0px ([\d.]+)px( inset)?$/.exec(style.boxShadow)
    if (ring) this.ring(ring[1], Number(ring[2]) * (ring[3] ? -1 : 1), box, radius, place)
    this.borders(style, box, radius, place)
  }

  gradient(css) {
    const id = `shade${this.defs.childNodes.length}-${Math.random().toString(36).slice(2, 8)}`
    const colours = listed(css.slice("linear-gradient(".length, -1)).slice(1)
    this.defs.append(shape("linearGradient", { id }, ...colours.map((colour, i) => {
      const [stop, opacity] = plainColour(colour.replace(/ [\d.]+%$/, ""))
      return shape("stop", { offset: i / Math.max(1, colours.length - 1), "stop-color": stop, "stop-opacity": opacity })
    })))
    return `url(#${id})`
  }

  ring(colour, width, box, radius, place) {
    const [stroke, opacity] = plainColour(colour), out = width / 2
    place.append(shape("rect", { x: rounded(box.x - out), y: rounded(box.y - out), width: rounded(box.width + 2 * out), height: rounded(box.height + 2 * out),
      rx: rounded(Math.max(0, radius + out)), fill: "none", stroke, "stroke-opacity": opacity, "stroke-width": Math.abs(width) }))
  }

  borders(style, box, radius, place) {
    const sides = ["Top", "Right", "Bottom", "Left"].map(side => ({ width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`], dash: style[`border${side}Style`] === "dashed" ? "4 3" : style[`border${side}Style`] === "dotted" ? "1 2" : null }))
    if (!sides.some(side => side.width)) return
    const [first] = sides
    if (radius && sides.every(side => side.width === first.width && side.colour === first.colour)) { this.ring(first.colour, -first.width, box, radius, place); return }
    const ends = [[box.left, box.top, box.right, box.top], [box.right, box.top, box.right, box.bottom], [box.left, box.bottom, box.right, box.bottom], [box.left, box.top, box.left, box.bottom]]
    const inward = [[0, 1], [-1, 0], [0, -1], [1, 0]]
    sides.forEach(({ width, colour, dash }, i) => {
      const [stroke, opacity] = plainColour(colour)
      if (!width || !opacity) return
      const [dx, dy] = inward[i].map(step => step * width / 2), [x1, y1, x2, y2] = ends[i]
      place.append(shape("line", { x1: rounded(x1 + dx), y1: rounded(y1 + dy), x2: rounded(x2 + dx), y2: rounded(y2 + dy), stroke, "stroke-opacity": opacity, "stroke-width": width, "stroke-dasharray": dash }))
    })
  }

  figure(view, box, place) {
    const text = view.export("svg", false).ctx.get_serialized_svg(true)
    this.put(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, box, place)
  }

  put(svg, box, place) {
    for (const [name, value] of Object.entries({ x: rounded(box.x), y: rounded(box.y), width: rounded(box.width), height: rounded(box.height) })) svg.setAttribute(name, value)
    place.append(svg)
    this.reach(box)
  }

  // A drawing with the colours and fonts that the page gives it.
  drawing(svg, box, place) {
    const copy = svg.cloneNode(true)
    const pairs = (from, to) => {
      const style = getComputedStyle(from)
      if (style.display === "none") { to.remove(); return }
      for (const name of STYLED) {
        const value = style.getPropertyValue(name)
        if ((name === "fill" || name === "stroke") && !/^(none|url|context)/.test(value)) {
          const [colour, opacity] = plainColour(value)
          to.setAttribute(name, opacity ? colour : "none")
          if (opacity < 1) to.setAttribute(`${name}-opacity`, opacity)
        } else if (value && value !== "normal" && value !== "auto") to.setAttribute(name, value)
      }
      to.removeAttribute("style")
      to.removeAttribute("class")
      const [a, b] = [[...from.children], [...to.children]]
      a.forEach((child, i) => pairs(child, b[i]))
    }
    pairs(svg, copy)
    for (const sheet of copy.querySelectorAll("style")) sheet.remove()
    if (!svg.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${rounded(box.width)} ${rounded(box.height)}`)
    this.put(copy, box, place)
  }

  image(href, box, place) {
    place.append(shape("image", { href, x: box.x, y: box.y, width: box.width, height: box.height }))
    this.reach(box)
  }

  text(node, place) {
    if (!node.data.trim() || !node.parentElement && !(node.parentNode instanceof ShadowRoot)) return
    const holder = node.parentElement ?? node.parentNode.host, style = getComputedStyle(holder)
    if (style.visibility === "hidden") return
    const [fill, opacity] = plainColour(style.color)
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText("x")
    const cut = !this.whole && style.textOverflow === "ellipsis" && holder.scrollWidth > holder.clientWidth
    for (const { words: whole, box: there } of this.lines(node)) {
      const box = this.at(there)
      const words = cut ? shortened(whole, holder.getBoundingClientRect().right - box.left) : whole
      const y = box.top + (box.height - up - down) / 2 + up
      const shown = style.textTransform === "uppercase" ? words.toUpperCase() : words
      const caps = style.fontVariantCaps === "normal" ? null : style.fontVariantCaps
      place.append(shape("text", { x: rounded(box.left), y: rounded(y), fill, "fill-opacity": opacity < 1 ? opacity : null, "font-family": style.fontFamily, "font-size": style.fontSize,
        "font-weight": style.fontWeight, "font-style": style.fontStyle === "normal" ? null : style.fontStyle, "font-variant": caps,
        "letter-spacing": style.letterSpacing === "normal" ? null : style.letterSpacing, "xml:space": "preserve" }, shown))
      this.reach(box)
    }
  }

  // The words of each line of a text, and where they stand.
  lines(node) {
    const range = document.createRange(), words = node.data.trim(), start = node.data.indexOf(words)
    range.setStart(node, start)
    range.setEnd(node, start + words.length)
    const boxes = [...range.getClientRects()].filter(box => box.width > 0)
    if (!boxes.length) return []
    if (boxes.every(box => Math.abs(box.top - boxes[0].top) < 2)) return [{ words: words.replace(/\s+/g, " "), box: range.getBoundingClientRect() }]
    const found = []
    for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
      range.setStart(node, index)
      range.setEnd(node, index + word.trimEnd().length)
      const box = range.getBoundingClientRect(), last = found.at(-1)
      if (last && Math.abs(last.box.top - box.top) < 2) last.words += ` ${word.trimEnd()}`
      else found.push({ words: word.trimEnd(), box })
    }
    return found
  }
}

// A picture as PNG, at twice its size on the page: sharp on a slide.
async function asPng({ text, width, height }, scale = 2) {
  const image = new Image()
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }))
  try {
    image.src = address
    await image.decode()
    const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale })
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise(done => canvas.toBlob(done, "image/png"))
  } finally { URL.revokeObjectURL(address) }
}
