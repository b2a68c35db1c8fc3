// What a table that was read may not have been meant to say: twins of the warnings of otlab/ot/io/layout.py and grid.py.
//
// A remark is { line, what, hint, kind }: its line in the file (0 if it has none), its words, what to do, and what those like it share.

const ALIKE = 5 // remarks of a kind that are shown one by one
const firstOf = cells => cells.find(Boolean), filled = cells => cells.filter(Boolean).length
const countsViolations = text => parsedViolations(text) !== null
const isNumeric = text => parsedDecimal(text.trim().replaceAll(",", ".")) !== null || countsViolations(text)

// ---- a second table

const isNamedHeader = cells => { const heads = cells.filter(Boolean).map(headName); return heads.some(head => head && HEADS[0].has(head)) && heads.some(head => (head && HEADS[1].has(head)) || WINNERS.has(head)) }

function isHeaderAt(rows, n) {
  const { cells } = rows[n], last = cells.findLast(Boolean)
  if (countsViolations(last)) return false
  if (isNamedHeader(cells)) {
    const names = cells.filter(cell => cell && ![...HEADS, WINNERS].some(heads => heads.has(headName(cell))))
    return names.length > 0 && !names.some(isNumeric)
  }
  const names = cells.slice(3).filter(Boolean)
  return n > 2 && !cells.slice(0, 3).some(Boolean) && names.length > 1 && !names.some(isNumeric) && rows.slice(n + 1, n + 3).some(row => row.cells[1])
}

// The rows of the first table, and the fault of a second one below or beside it: twin of otlab/ot/io/second.py.
function firstTable(rows) {
  if (!rows.length) return { first: rows, second: [] }
  const [inputs, candidates] = HEADS.slice(0, 2).map(heads => rows[0].cells.flatMap((cell, n) => cell && heads.has(headName(cell)) ? [n] : []))
  if (inputs.length === 2 && candidates.length === 2 && Math.max(inputs[0], candidates[0]) < Math.min(inputs[1], candidates[1])) {
    const cut = Math.min(inputs[1], candidates[1]), first = rows.map(row => ({ ...row, cells: row.cells.slice(0, cut) })).filter(({ cells }) => cells.some(Boolean))
    return { first, second: [word("line {line}: a second table begins beside the first one; save it in a file of its own", { line: rows[0].line })] }
  }
  let n = rows.findIndex((row, at) => at > 1 && isHeaderAt(rows, at) && trimmed(row.cells) !== trimmed(rows[0].cells))
  if (n < 0) return { first: rows, second: [] }
  const { line } = rows[n]
  while (n > 2 && filled(rows[n - 1].cells) === 1) n--
  return { first: rows.slice(0, n), second: [word("line {line}: a second table begins here; save it in a file of its own", { line })] }
}

// ---- rows below the table

// The rows of the table, and those below it with a single cell that is no part of a candidate.
function aboveNotes(body, isName, least) {
  let n = body.length
  const alone = cells => filled(cells) === 1 && isName(cells.findIndex(Boolean))
  while (n > least && alone(body[n - 1].cells)) n--
  const numbers = body.slice(0, n).some(({ cells }) => cells.slice(2).some(cell => cell && parsedDecimal(cell.trim().replaceAll(",", ".")) !== null))
  return numbers ? [body.slice(0, n), body.slice(n)] : [body, []]
}

// The last rows that have no number, if they stand apart, or all others have one and these words.
function perhapsNotes(body, least) {
  if (body.length <= least) return []
  let n = body.length
  while (n > least && !filled(body[n - 1].cells.slice(2))) n--
  const rest = body.slice(n), last = body.at(-1)
  if (body.slice(0, n).every(({ cells }) => filled(cells.slice(2))) && rest.some(({ cells }) => cells.slice(0, 2).some(cell => cell.includes(" ") || cell.endsWith(":")))) return rest
  return last.cells.length === 2 && last.cells[0] && last.line > (body.at(-2)?.line ?? last.line) + 1 ? [last] : []
}

// ---- remarks

function remarked(line, kind, what, hint = "") { return { line, kind, what, hint } }

const leftOutHeader = ({ line, cells }) => remarked(line, "again", word("{text} is the header again: left out", { text: firstOf(cells) }))
const leftOutColumn = (line, text) => remarked(line, "column", word("{text} holds no violations: the column was left out", { text }))
const leftOutNote = ({ line, cells }) => remarked(line, "note", word("{text} below the table: left out", { text: firstOf(cells) }))
const leftOutSum = ({ line, cells }) => remarked(line, "sum", word("{text} is a row of sums: left out", { text: firstOf(cells) }))
const readNote = ({ line, cells }) => remarked(line, "read", cells[0] ? word("{text} is read as an input", { text: firstOf(cells) }) : word("{text} is read as a candidate", { text: firstOf(cells) }), word("delete its row if it is a remark"))

// What to say of the column of frequencies: `texts` are its cells, `head` is its head.
function remarksOfFrequencies({ line, head, rows, delimiter, total, clear }) {
  const name = headName(head), texts = rows.map(({ cells }) => cells[2] ?? "").filter(Boolean), found = []
  if (["p", "f"].includes(name) && texts.every(text => { const n = parsedViolations(text); return n !== null && n >= 0 && n < 10 })) found.push(remarked(line, "letter", word("{text} is read as the frequency", { text: head }), word("put a column Frequency before it if it is a constraint")))
  else if (["percent", "%", "percentage", "prozent"].includes(name) && texts.some(text => !text.includes("%")) && !total) found.push(remarked(line, "percent", word("{text} is read as counts, as of 100 observations an input", { text: head }), word("write how many observations each input has into Observations per input")))
  const pointed = rows.filter(({ cells }) => (cells[2] ?? "").includes("."))
  if (clear && ";\t".includes(delimiter) && pointed.length && pointed.every(({ cells }) => /^[1-9][0-9]{0,2}(\.[0-9]{3})+$/.test(cells[2].trim()))) {
    const text = pointed[0].cells[2].trim()
    found.push(remarked(pointed[0].line, "thousands", word("{text} is read as a decimal, a little over {n}", { text, n: text.split(".")[0] }), word("write {text} if that is meant", { text: text.replaceAll(".", "") })))
  }
  return found
}

// Full-width commas and semicolons separate no cells: a row may lack one for that.
function remarksOnWideMarks(rows, width, delimiter) {
  const marked = ",;".includes(delimiter) ? rows.filter(({ cells }) => cells.some(cell => /[，；]/.test(cell)) && cells.findLastIndex(Boolean) + 1 < width) : []
  return marked.map(({ line, cells }) => remarked(line, "wide", word("{text} holds a full-width mark, which separates no cells", { text: cells.find(cell => /[，；]/.test(cell)) }), word("write {mark} in its place if a cell ends there", { mark: delimiter })))
}

const mergedInput = (line, name) => remarked(line, "merged", word("the input {name} occurs in two places; its candidates were merged", { name: isolated(name) }))
const otherCharacters = (line, name) => remarked(line, "characters", word("{name} is typed with other characters than above, which look the same", { name: isolated(name) }), word("read as the same name"))
const beyondHeader = (line, text) => remarked(line, "beyond", word("the row is longer than the header: {text} was left out", { text }), word("name its constraint"))
const dateOf = (line, text) => remarked(line, "date", word("{text} violations: a date that became a number is one like this", { text }), word("write how many there are"))
const isDate = n => n >= 40000 && n < 60000

// Candidates of an input that no constraint tells apart; `rows` of a block are { name, marks, line }.
function alike(input, rows) {
  const first = new Map()
  return rows.flatMap(({ name, marks, line }) => {
    const key = marks.join(), before = first.get(key)
    if (before === undefined) { first.set(key, name); return [] }
    return [remarked(line, "alike", word("{one} and {other} of {input} have identical violation profiles; they split their probability", { one: isolated(name), other: isolated(before), input: isolated(input) }))]
  })
}

// What to say of violations below 0, which are penalties unless the file says that they stay.
function remarksOfSign(found, kept) {
  if (kept) return []
  if (isNegative(found)) return [remarked(0, "sign", word("all numbers of violations are 0 or below, so they were read as penalties: -1 is one violation"), word("if they are rewards, write # sign: as written above the table"))]
  const below = found.violations.flat().filter(x => x < 0).length, row = found.violations.findIndex(marks => marks.some(x => x < 0))
  if (!below) return []
  const what = below === 1 ? word("1 number of violations is below 0, others above: all stay as written") : word("{n} numbers of violations are below 0, others above: all stay as written", { n: number(below) })
  return [remarked(0, "sign", what, word("look at {candidate} of {input}", { candidate: isolated(found.candidates[row]), input: isolated(inputOf(found, row)) }))]
}
const inputOf = (found, row) => found.inputs[found.offsets.findLastIndex(start => start <= row)]

const windows1252 = () => remarked(0, "encoding", word("not UTF-8, read as Windows-1252 (Latin-1)"), word("if its letters are wrong, save it as UTF-8"))

// The remarks in words, those of a kind as one where there are many.
function remarksInWords(remarks) {
  const shown = remarks.filter(({ kind }, n) => remarks.filter(each => each.kind === kind).length <= ALIKE || remarks.findIndex(each => each.kind === kind) === n)
  return shown.map(({ line, what, hint, kind }) => {
    const more = remarks.filter(each => each.kind === kind).length - 1, said = hint ? `${what}; ${hint}` : what
    const placed = line ? word("line {line}: {what}", { line, what: said }) : said
    return more >= ALIKE ? word("{what} (and {n} more like this)", { what: placed, n: number(more) }) : placed
  })
}
