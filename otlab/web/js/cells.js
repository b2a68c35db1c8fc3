// What a cell of a table means: twin of otlab/ot/io/cell_parsing.py and of the scanner of delimited.py.

const MOST_VIOLATIONS = 2 ** 31 - 1, MOST_FREQUENCY = 1e15
const BLANKS = "\\s\\u00a0\\u2009\\u202f"
const ASTERISKS = new RegExp(`^[*∗＊⁎✱﹡${BLANKS}]+$`), THOUSANDS = new RegExp(`(?<=[0-9])[${BLANKS}'’](?=[0-9]{3}(?![0-9]))`, "g")
const NONE = ["", "-", "–", "—"] // as tables in print have it
const DECIMAL = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/, COMMAS = /^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$/
const BOTH = /^[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+$/ // points before a decimal comma

const isUnclear = text => text.split(",").length === 2 && !text.includes(".") && COMMAS.test(text)

function parsedDecimal(text) {
  const bare = text.replaceAll("−", "-"), pointed = isUnclear(bare) ? bare : bare.replaceAll(",", ".")
  return DECIMAL.test(pointed) ? Number(pointed) : null
}

// The number of violations that a cell means; null if none.
function parsedViolations(cell) {
  const text = cell.replace(/[!！]/g, "").trim().replaceAll("−", "-")
  if (NONE.includes(text)) return 0
  const whole = /^([+-]?[0-9]+)(\.0*|,0{1,2})?$/.exec(text)
  const count = ASTERISKS.test(text) ? text.replace(/\s/g, "").length : whole ? Number(whole[1]) : NaN
  return Math.abs(count) <= MOST_VIOLATIONS ? count + 0 : null
}

// The frequency that a cell means; null if none. With `comma` any comma is a decimal comma.
function parsedFrequency(cell, comma = false) {
  let text = cell.trim().replace(THOUSANDS, "")
  if (text.endsWith("%")) {
    const share = text.slice(0, -1).trim() ? parsedFrequency(text.slice(0, -1), comma) : null
    return share === null ? null : share / 100
  }
  if (BOTH.test(text)) text = text.replaceAll(".", "").replaceAll(",", ".")
  else if (comma) text = text.replaceAll(",", ".")
  else if (COMMAS.test(text) && !isUnclear(text)) text = text.replaceAll(",", "")
  const number = NONE.includes(text) ? 0 : parsedDecimal(text)
  return number !== null && number >= 0 && number <= MOST_FREQUENCY ? number : null
}

// Whether the commas in a column of frequencies are decimal commas, and what is unclear or wrong with the column.
function commaUse(cells) {
  const texts = cells.map(text => text.trim().replace(THOUSANDS, "")), commas = texts.filter(text => text.includes(","))
  const decimal = commas.find(text => parsedDecimal(text) !== null || BOTH.test(text)), unclear = commas.find(isUnclear)
  if (decimal === undefined) return { comma: false, doubt: unclear && word("{text} may mean {one} or {other}", { text: unclear, one: unclear.replace(",", ""), other: unclear.replace(",", ".") }) }
  const pointed = texts.find(text => /^[1-9][0-9]{0,2}(\.[0-9]{3})+$/.test(text))
  return { comma: true, doubt: pointed && word("{text} may mean {one} or a decimal, beside decimal commas as in {other}", { text: pointed, one: pointed.replaceAll(".", ""), other: decimal }) }
}

function percentDoubt(cells) {
  const percent = cells.find(text => text.trim().endsWith("%")), other = cells.find(text => parsedFrequency(text) && !text.trim().endsWith("%"))
  return percent !== undefined && other !== undefined ? word("{text} is no percent, unlike {other}", { text: other, other: percent }) : undefined
}

// ---- rows and cells of text

// Hyphens that are not seen, marks of direction, joiners, and marks of byte order: INVISIBLE of otlab/files.py.
const INVISIBLE = "\\u00ad\\ufeff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f", UNSEEN = new RegExp(`[${INVISIBLE}]`, "g")
const UNSEEN_ENDS = new RegExp(`^[\\s\\x1a${INVISIBLE}]+|[\\s\\x1a${INVISIBLE}]+$`, "g"), bareCell = text => text.replace(UNSEEN_ENDS, "")

function delimiterOf(lines) {
  const first = lines.filter(line => line.trim() && !line.startsWith("#")).slice(0, 10), tabbed = first.filter(line => line.split("\t").length > 2)
  const header = 2 * tabbed.length > first.length ? tabbed[0] : first[0] ?? ""
  if (header.includes("\t")) return "\t"
  const bare = header.replace(/"[^"]*"/g, ""), count = mark => bare.split(mark).length - 1
  if (count("|") >= Math.max(3, count(","), count(";"))) return "|"
  return count(";") >= Math.max(count(","), 1) ? ";" : ","
}

// Comments, rows {line, cells}, and lines whose quotation mark is not closed.
function scanned(text) {
  const whole = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"), delimiter = delimiterOf(whole.split("\n")), tabs = delimiter === "\t"
  const inside = tabs ? '[^"\\t]' : '[^"]', quoted = new RegExp(`[ ]*"(${inside}*(?:""${inside}*)*)"(${tabs ? "(?=[\\t\\n]|$)" : `[^${delimiter}\\n]*`})`, "y")
  const plain = new RegExp(`[^${delimiter}\\n]*`, "y"), comments = [], rows = [], unclosed = []
  let position = 0, line = 1, inTable = false
  while (position <= whole.length) {
    const end = whole.indexOf("\n", position), raw = whole.slice(position, end < 0 ? whole.length : end), marks = raw.split(delimiter).length - 1
    if (raw.startsWith("#") && (!inTable || !marks || (raw.startsWith("# ") && marks < 3))) {
      comments.push({ line, text: raw.replace(/^#+/, "").trim() })
      position += raw.length
    } else if (delimiter === "|" && /^[\s|:-]+$/.test(raw)) position += raw.length // a rule
    else {
      const cells = [], began = line
      for (;;) {
        quoted.lastIndex = plain.lastIndex = position
        const found = quoted.exec(whole)
        if (found) { cells.push(bareCell(found[1].replaceAll('""', '"') + (found[2] ?? "")));  line += found[0].split("\n").length - 1; position = quoted.lastIndex }
        else {
          const cell = plain.exec(whole)[0]
          if (cell.trim().startsWith('"') && !tabs) unclosed.push(line)
          cells.push(bareCell(cell))
          position += cell.length
        }
        if (whole[position] !== delimiter) break
        position++
      }
      inTable ||= cells.some(Boolean)
      if (cells.some(Boolean)) rows.push({ line: began, cells })
    }
    line++
    position++
  }
  return { comments, rows, unclosed, delimiter }
}

// The text of a file: UTF-8, UTF-16 with its mark, or Windows-1252.
function textOfBytes(bytes) {
  const wide = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()]
  if (wide) return new TextDecoder(wide).decode(bytes)
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes) } catch { return new TextDecoder("windows-1252").decode(bytes) }
}

// Whether the text of a file is read as Windows-1252, which only a reader of the language can check.
function isWindows1252(bytes) {
  if (["255,254", "254,255"].includes(bytes.slice(0, 2).join())) return false
  try { new TextDecoder("utf-8", { fatal: true }).decode(bytes); return false } catch { return true }
}
