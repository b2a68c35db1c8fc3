// Complaints about a page, as sentences. Looks through all shadow roots.
() => {
  const SMALLEST = 11, CONTRAST = 4.5, SLACK = 1.5
  const complaints = new Set()

  const parent = node => node.assignedSlot ?? node.parentElement ?? (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null)
  function* ancestors(node) { for (let at = node; at; at = parent(at)) yield at }
  function* elements(root) {
    for (const node of root.querySelectorAll("*")) {
      yield node
      if (node.shadowRoot) yield* elements(node.shadowRoot)
    }
  }
  function seen(node) {
    for (const at of ancestors(node)) {
      const style = getComputedStyle(at)
      if (style.display === "none" || style.visibility === "hidden" && at === node || Number(style.opacity) === 0) return false
      if (style.clipPath.startsWith("inset(50%")) return false
      if (style.position === "fixed" && style.visibility === "hidden") return false
      if (at.closest?.("[hidden]")) return false
    }
    const box = node.getBoundingClientRect()
    return box.width > 0 && box.height > 0
  }
  const off = node => [...ancestors(node)].some(at => at.matches?.(":disabled,[aria-disabled=true],.Mui-disabled"))
  const says = node => [...node.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).join(" ").trim()
  const name = node => `<${node.tagName.toLowerCase()}${node.classList.length ? "." + [...node.classList].slice(0, 2).join(".") : ""}> "${(says(node) || node.getAttribute("aria-label") || "").slice(0, 40)}"`

  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const known = new Map()
  function rgba(text) {
    if (!known.has(text)) {
      probe.clearRect(0, 0, 1, 1)
      probe.fillStyle = "#000"
      probe.fillStyle = text
      probe.fillRect(0, 0, 1, 1)
      const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data
      known.set(text, [r, g, b, a / 255])
    }
    return known.get(text)
  }
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1]
  function ground(node) {
    const layers = []
    const plate = node.previousElementSibling          // in a drawing what is written on lies before it
    if (plate?.tagName === "rect") layers.push(rgba(getComputedStyle(plate).fill))
    for (const at of ancestors(node)) {
      const colour = rgba(getComputedStyle(at).backgroundColor)
      if (colour[3] > 0) layers.push(colour)
      if (colour[3] === 1) break
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1])
  }
  function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  function contrast(a, b) {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
    return (light + 0.05) / (dark + 0.05)
  }

  function checkText(node) {
    if (/<\w+ [\w-]+="/.test(says(node))) complaints.add(`${name(node)} shows HTML`)
    const style = getComputedStyle(node), svg = node instanceof SVGElement
    const scale = svg ? Math.abs(node.getScreenCTM()?.d ?? 1) : 1
    const size = parseFloat(style.fontSize) * scale
    // Small capitals and sub- or superscripts are set by the eye, not by the letter's nominal size.
    if (size < SMALLEST - 0.05 && !node.closest("sub,sup,tspan")) complaints.add(`${name(node)} is ${size.toFixed(1)} px`)
    if (off(node)) return
    const below = ground(node)
    const ratio = contrast(over(rgba(svg ? style.fill : style.color), below), below)
    if (ratio < CONTRAST) complaints.add(`${name(node)} has contrast ${ratio.toFixed(2)}`)
  }

  function checkClipped(node) {
    const style = getComputedStyle(node)
    if (!says(node) || style.textOverflow === "ellipsis" || /auto|scroll/.test(style.overflowX)) return
    if (style.overflowX === "hidden" && node.scrollWidth > node.clientWidth + SLACK) complaints.add(`${name(node)} is cut off at the right`)
  }

  function checkInside(node, card) {
    const frame = card.getBoundingClientRect(), box = node.getBoundingClientRect()
    for (const at of ancestors(node)) {
      const style = getComputedStyle(at)
      if (at === card && !/auto|scroll/.test(style.overflowY)) break
      if (/auto|scroll|hidden|clip/.test(style.overflowX + style.overflowY) || /fixed|absolute/.test(style.position) && at.getAttribute("role") === "tooltip") return
    }
    const out = { left: frame.left - box.left, right: box.right - frame.right, top: frame.top - box.top, bottom: box.bottom - frame.bottom }
    for (const [side, by] of Object.entries(out)) {
      if (by > SLACK) complaints.add(`${name(node)} sticks out of its card at the ${side} by ${by.toFixed(0)} px`)
    }
  }

  // Where the words or the frame of a part of a card's head are seen.
  function place(node) {
    let box = node.getBoundingClientRect()
    if (says(node)) {
      const words = document.createRange()
      words.selectNodeContents(node)
      box = words.getBoundingClientRect()
    }
    let { left, right, top, bottom } = box
    for (const at of ancestors(node)) {
      if (at.classList?.contains("ot-card-head")) break
      const style = getComputedStyle(at), frame = at.getBoundingClientRect()
      if (style.overflowX !== "visible") { left = Math.max(left, frame.left); right = Math.min(right, frame.right) }
    }
    return { left, right, top, bottom }
  }
  function checkHead(head) {
    const tip = node => [...ancestors(node)].some(at => at.getAttribute?.("role") === "tooltip" || at.classList?.contains("tip"))
    const parts = [...elements(head.shadowRoot ?? head)].filter(
      node => (says(node) || /^(BUTTON|INPUT|SELECT)$/.test(node.tagName)) && seen(node) && !node.closest("style,script") && !tip(node))
    const inside = (one, other) => [...ancestors(one)].includes(other)
    parts.forEach((one, at) => {
      const a = place(one)
      for (const other of parts.slice(at + 1)) {
        if (inside(one, other) || inside(other, one)) continue
        const b = place(other)
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (wide > SLACK && high > SLACK) complaints.add(`${name(one)} and ${name(other)} overlap in the head of a card by ${wide.toFixed(0)} px`)
      }
    })
  }

  for (const node of elements(document)) {
    if (node.classList.contains("ot-card-head") && seen(node)) checkHead(node)
    if (node.closest("noscript,script,style,title") || !seen(node)) continue
    if (says(node)) checkText(node)
    checkClipped(node)
    const card = [...ancestors(node)].find(at => at !== node && at.classList?.contains("ot-card"))
    if (card && (says(node) || /^(INPUT|BUTTON|CANVAS|IMG|SVG|TABLE|SELECT)$/i.test(node.tagName))) checkInside(node, card)
  }
  const page = document.documentElement
  if (page.scrollWidth > window.innerWidth + SLACK) complaints.add(`the page is ${page.scrollWidth} px wide in a window of ${window.innerWidth}`)
  return [...complaints]
}
