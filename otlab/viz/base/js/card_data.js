// The numbers behind a card's pictures, as a table whose columns are parted by tabs.

const FLOOR = -0.22                                // where the lowest row begins: otlab's pictures with a row an item
const DECORATION = new Set(["baselines", "rules", "selected"])  // layers that say nothing about the data

// A minus sign becomes a hyphen, or a spreadsheet takes the number for text.
const cellText = value => value == null || Number.isNaN(value) ? "" : String(value).replace(/\s+/g, " ").replace(/−(?=[\d.])/g, "-").trim()
const asTable = rows => rows.map(row => row.map(cellText).join("\t")).join("\n")

// The names of the rows of a picture, top row first, where they stand in a column beside it.
function rowNames(elements) {
  const column = elements.find(element => element.matches(".ot-rows"))
  return column ? [...column.querySelectorAll(":scope > [role=listitem]")].map(item => item.title || item.innerText) : []
}

// One table of all layers of a figure, side by side: columns "layer property", and the row's name.
function figureTable(view, names) {
  const columns = []
  for (const renderer of view.model.renderers) {
    const label = renderer.name ?? ""
    if (!renderer.glyph || !renderer.visible || DECORATION.has(label)) continue
    columns.push(...layerColumns(renderer, label, names))
  }
  const length = Math.max(0, ...columns.map(([, values]) => values.length))
  if (!length) return ""
  return asTable([columns.map(([head]) => head), ...Array.from({ length }, (_, i) => columns.map(([, values]) => values[i]))])
}

function layerColumns(renderer, label, names) {
  const data = renderer.data_source.data, columns = []
  const entries = data instanceof Map ? [...data] : Object.entries(data)
  const property = column => Object.keys(renderer.glyph.attributes ?? {}).find(name => renderer.glyph.attributes[name]?.field === column) ?? column
  for (const [column, values] of entries) {
    const plain = flat(values)
    if (!plain.some(value => value != null && !Number.isNaN(value) && value !== "")) continue
    columns.push([property(column), plain])
  }
  const shown = names.length ? byRow(Object.fromEntries(columns), names) : columns
  return shown.map(([name, values]) => [`${label} ${name}`.trim(), values])
}

// In a picture with a row an item heights are places: the row's name stands for them, and what rises above its foot.
function byRow({ x0, x1, y0, y1, bottom, top, y, ...rest }, names) {
  const heights = y0 ?? bottom ?? y
  if (!heights) return Object.entries(rest)
  const row = height => height == null || Number.isNaN(height) ? null : Math.floor(height - FLOOR)
  const columns = { row: heights.map(height => names[names.length - 1 - row(height)] ?? "") }
  const slanted = y0 && y1.some((end, i) => end !== y0[i]) && x0.some((end, i) => end !== x1[i])
  if (x0) columns[x0.every((end, i) => end === x1[i]) ? "value" : "from"] = x0
  if (columns.from) columns.to = x1
  if (slanted) Object.assign(columns, { y0, y1 })
  Object.assign(columns, rest)
  if (top) columns.height = top.map((end, i) => end - bottom[i])
  const above = y?.map(height => row(height) === null ? null : height - row(height))
  const known = above?.filter(height => height !== null) ?? []
  if (Math.max(...known) - Math.min(...known) > 1e-6) columns.height = above
  if (columns.x && !columns.height) { columns.value = columns.x; delete columns.x }
  return Object.entries(columns)
}

// Values of a column; lines of their own are parted by an empty cell.
function flat(values) {
  const parts = [...values]
  if (!parts.some(part => Array.isArray(part) || ArrayBuffer.isView(part))) return parts
  return parts.flatMap((part, i) => i ? [null, ...part] : [...part])
}

function htmlTable(table) {
  return asTable([...table.rows].map(row => [...row.cells].flatMap(cell =>
    [seenText(cell) || cell.getAttribute("aria-label") || "", ...Array(Math.max(0, cell.colSpan - 1)).fill("")])))
}

// The text of a cell as it is seen: what only a screen reader says is left out, I with BR below it is I_BR.
function seenText(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data
  if (!(node instanceof HTMLElement) || node.matches(".hidden, .ot-hidden, .visually-hidden")) return ""
  const text = [...node.childNodes].map(seenText).join("")
  return node.tagName === "SUB" ? `_${text}` : node.tagName === "SMALL" ? ` ${text}` : text
}

// Everything the card shows, tables one below the other.
function cardData(elements, figures) {
  const names = rowNames(elements)
  const own = elements.filter(element => element.copyData || element.dataset?.copy).map(element => element.copyData?.() ?? element.dataset.copy)
  const drawn = figures.map(view => figureTable(view, names))
  const tables = elements.filter(isTable).map(htmlTable)
  return [...own, ...drawn, ...tables].filter(Boolean).join("\n\n")
}

function ownNumbers(element) {
  while (element && !element.copyData && !element.dataset?.copy) element = element.parentElement
  return Boolean(element)
}

const isTable = element => element instanceof HTMLTableElement && element.rows.length > 1 && element.checkVisibility() &&
  !ownNumbers(element) && !element.querySelector("input, select, textarea, [contenteditable]")
