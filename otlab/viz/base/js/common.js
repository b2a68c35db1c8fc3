// Shared by every component: make elements, update only what changed, format numbers.

// h("button", {class: "primary", onclick: f, "aria-label": "Run"}, child, "text")
function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value)
    else if (name === "html") node.innerHTML = value
    else node.setAttribute(name, value === true ? "" : value)
  }
  node.append(...children.filter(child => child != null))
  return node
}

// An icon is our own constant markup, never text from data.
const icon = name => h("span", {class: "icon", html: ICONS[name]})

function setText(node, text) { if (node.textContent !== text) node.textContent = text }

function setAttribute(node, name, value) {
  if (value == null || value === false) node.removeAttribute(name)
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value)
}

function setClass(node, name, on) { node.classList.toggle(name, Boolean(on)) }

// A name within a sentence, in whose order it changes nothing if it is read from the right.
const isolated = text => `\u2068${text}\u2069`

// The element that has the keyboard, through all shadow roots.
function focused() {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node
}

// Whether a key pressed here belongs to what is being typed or operated.
function takesText(event) {
  const node = event.composedPath()[0]
  return node instanceof Element && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName))
}

function takesKeys(event) {
  const node = event.composedPath()[0]
  if (!(node instanceof Element)) return false
  return node.isContentEditable || /^(INPUT|TEXTAREA|SELECT|OPTION)$/.test(node.tagName) ||
    Boolean(node.closest("[role=slider],[role=grid],[role=listbox],[role=menu],dialog[open]"))
}

// Space and Enter belong to these even though they take no text.
function takesSpace(event) {
  const node = event.composedPath()[0]
  return takesKeys(event) || (node instanceof Element && Boolean(node.closest("button,a,summary,[role=button],[role=tab],[role=checkbox],[tabindex]")))
}

// Listen on the document until the component goes away.
function listen(model, type, handler, capture = false) {
  document.addEventListener(type, handler, capture)
  model.on("remove", () => document.removeEventListener(type, handler, capture))
}

// Put a text on the clipboard. Where the page is not served over https it is only open to a selection,
// which is made in `place`.
async function copyText(text, place) {
  try { await navigator.clipboard.writeText(text) } catch {
    const area = h("textarea", { class: "hidden" })
    area.value = text
    place.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
  }
}

// Let the browser save a blob as a file.
function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

// The same of a file in a message from Python, in base64.
function saveSentFile({ name, data }) {
  const type = "application/octet-stream"
  saveFile(new Blob([Uint8Array.from(atob(data), c => c.charCodeAt(0))], { type }), name)
}

// A text, and a number with some decimals, in the language of a page that has words (otlab/web/js/words.js);
// everywhere else in English.
function said(english, values = {}) {
  return globalThis.word ? globalThis.word(english, values) : english.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)
}

function figures(x, digits = 2) {
  const rounded = Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x
  if (globalThis.word) return globalThis.number(rounded, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return rounded.toFixed(digits).replace("-", "−")
}
