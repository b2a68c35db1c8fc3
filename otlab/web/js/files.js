// Tables as files: the CSV that otlab writes, and the tables that it reads, twin of otlab/ot/io/grid.py.
//
// Comment lines; then Input, Output, Frequency and the constraints, or OTSoft's two rows of names; a candidate a row.

const isNegative = ({ violations }) => violations.every(row => row.every(x => x <= 0)) && violations.some(row => row.some(x => x < 0))

function csvOf(t) {
  const cell = text => /[",\n\r]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : String(text)
  const names = t.constraints.flatMap((name, i) => (t.full_names[i] ?? name) === name && !RESULTS.has(headName(name)) ? [] : [["constraint", `${name} = ${t.full_names[i] ?? name}`]])
  const about = [["title", t.title], ["total", t.total], ["noise", t.noise], ["bound", t.bound], ["source", t.source],
    ["sign", isNegative(t) ? "as written" : ""], ...t.notes.map(note => ["note", note]), ...names].filter(([, value]) => value)
  const rows = t.inputs.flatMap((input, k) => rowsOf(t, k).map(row => [input, t.candidates[row], t.frequencies[row], ...t.violations[row]]))
  return [...about.map(([key, value]) => `# ${key}: ${value}\n`), ...[["Input", "Output", "Frequency", ...t.constraints], ...rows].map(row => `${row.map(cell).join(",")}\n`)].join("")
}

const HEADS = [["input", "ur", "underlying", "underlying form", "underlying representation", "input form", "eingabe", "entrée", "entrada", "入力"],
  ["output", "candidate", "surface", "sr", "candidates", "outputs", "surface form", "surface representation", "output form", "output candidate",
    "kandidat", "ausgabe", "candidat", "sortie", "candidato", "salida", "候補", "出力"],
  ["frequency", "freq", "freq.", "count", "counts", "tokens", "frequencies", "observed frequency", "häufigkeit", "anzahl", "fréquence", "effectif", "frecuencia", "頻度",
    "probability", "prob", "proportion", "proportions", "share", "shares", "relative frequency", "rel. frequency", "rel. freq.", "rel. freq", "rel freq",
    "p", "percent", "%", "percentage", "prozent", "n", "f", "observed", "obs"]].map(heads => new Set(["", ...heads]))
// Of rows and columns of sums, and of columns that hold no violations, whatever is in them.
const TOTALS = new Set(["total", "totals", "grand total", "sum", "subtotal", "gesamt", "gesamtergebnis", "summe", "total général", "total general", "somme", "suma", "総計", "合計"])
const RESULTS = new Set([...TOTALS, ..."frequency freq freq. count counts tokens frequencies häufigkeit anzahl fréquence effectif frecuencia 頻度 predicted pred expected observed obs proportion proportions share shares probability prob percent % percentage prozent".split(" "),
  "observed frequency", "relative frequency", "rel. frequency", "rel. freq.", "rel. freq", "rel freq", "maxent score", "exp(-h)", "e^-h"])
// Of columns that hold no violations, if what is in them says so too.
const REMARKS = new Set([...HEADS[2], ...RESULTS, ..."comment comments note notes remark remarks gloss translation meaning harmony h score z source reference example eharmony e-harmony e^(-h) e^h exp(h) numerator denominator plog log-likelihood loglik ll o-e error difference p(pred) p(obs)".split(" "),
  "log p", "log likelihood", "squared error", "predicted probability", "predicted frequency", "observed probability"].filter(Boolean))
// A head as these sets have it, by what its unit is: twin of head_name in otlab/ot/io/heads.py.
const PERCENT_SIGN = /\s*[([]?\s*(?:\b(?:in|as)\s+)?(?:%|\b(?:percentage|percent|per cent|pct|prozent|pour cent|por ciento)\b\.?)\s*[)\]]?\s*/g
function headName(text) {
  const name = text.toLowerCase().replaceAll("_", " ").trim().replace(/\s+/g, " ").replace(/[: ]+$/, ""), bare = name.replace(PERCENT_SIGN, " ").trim().replace(/^of /, "")
  if (bare !== name) return HEADS[2].has(bare) || TOTALS.has(bare) || ["responses", "all"].includes(bare) ? "percent" : REMARKS.has(bare) ? bare : name
  const number = /^(.+?)\s*[([]\s*(?:n|#|raw|counts?|tokens?)\s*[)\]]$/.exec(name)
  if (number && COUNTS.has(number[1])) return number[1]
  const kind = /^(?:observed|obs\.?|attested|token|raw|absolute|abs\.?|corpus|n|no\.?|nr\.?|number|#)(?: of)? (?:(frequency|frequencies|freq\.?|counts?|tokens|observations|responses)|(.*))$/.exec(name)
  return kind?.[1] ? "frequency" : kind && PROPORTIONS.has(kind[2]) ? "probability" : name
}
const PROPORTIONS = new Set(["proportion", "proportions", "share", "shares", "probability", "prob", "relative frequency", "rel. frequency", "rel. freq.", "rel. freq", "rel freq"])
const COUNTS = new Set(["frequency", "freq", "freq.", "count", "counts", "tokens", "frequencies", "observed frequency", "häufigkeit", "anzahl", "fréquence", "effectif", "frecuencia", "頻度"])
// Of columns for which the page has no place.
const ELSEWHERE = new Set(["overt", "overt form", "heard", "what is heard", "speaker", "speakers", "subject", "participant", "informant"])
const OVERT = new Set(["overt", "overt form", "heard", "what is heard"])
const overtForms = () => word("it has overt forms, of which several candidates are parses; this page cannot learn from them, the OT lab and otlab learn can (maxent-overt, eip)")
const HIDDEN = new Set(["hr", "hidden", "hidden form", "parse"]), ITEMS = new Set(["item", "items", "word", "lexeme"])
const WINNERS = new Set(["winner", "winners", "optimum", "optimal", "opt", "opt.", "winner?", "w/l", "winner/loser", "attested", "grammatical", "correct"])
const MARKS = new Set(["x", "×", "✓", "✔", "☑", "yes", "y", "true", "w", "1", "*", "☞", "☛", "👉", "→", "⇒", "winner"]), NO_MARKS = new Set(["", "-", "–", "—", "no", "n", "false", "l", "0", "loser"])
const marksWinners = cells => cells.some(cell => MARKS.has(cell)) && cells.every(cell => MARKS.has(cell) || NO_MARKS.has(cell))
const WEIGHTS = new Set(["weight", "weights", "w", "ranking value", "ranking values", "ranking", "values"])
const ABOUT = ["title", "total", "noise", "bound", "source", "sign"], FORMULAS = ["formula", "typed", "features", "tiers", "shorthand", "known as"], HAND = /^\s*[☞☛👉➔➜→⇒\uf046]|[☞☛👉➔➜→⇒\uf046]\ufe0f?\s*$/u
const clean = name => name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]+/g, " ").trim()

// Comment lines: settings, title, source, full names, notes; what the page has no place for.
function aboutOf(comments, faults) {
  const about = { note: [], constraint: [] }, left = new Set()
  for (const { text } of comments) {
    const [, key = "", value = ""] = /^([^:]*):\s*(.*?)$/s.exec(text) ?? [], name = key.trim().toLowerCase()
    if (name === "constraint") about.constraint.push(value)
    else if (ABOUT.includes(name)) about[name] = value
    else if (FORMULAS.includes(name)) left.add(word("formulas"))
    else if (text) about.note.push(name === "note" ? value : text)
  }
  const given = key => {
    const x = parsedDecimal(about[key] ?? "")
    if (about[key] === undefined) return null
    if (x > 0 && x < MOST_FREQUENCY && (key !== "total" || Number.isInteger(x))) return x
    const values = { key, text: about[key] }
    faults.push(key === "total" ? word("{key}: {text} is not a whole number above 0", values) : word("{key}: {text} is not a number above 0", values))
    return null
  }
  const noise = given("noise") ?? 2
  return { left, negative: about.sign === "as written", full: about.constraint, made: { title: about.title ?? "", noise, bound: given("bound") ?? 6 * noise, total: given("total"), source: about.source ?? "", notes: about.note } }
}

// Whether a row holds weights of the constraints in place of violations.
function isOfWeights(cells) {
  const labels = cells.slice(0, 3).filter(Boolean).map(cell => cell.toLowerCase().replace(/[: ]+$/, ""))
  const numbers = cells.slice(3).filter(cell => cell && !REMARKS.has(headName(cell))), decimal = cell => parsedDecimal(cell.trim().replaceAll(",", "."))
  if (!numbers.length || numbers.some(cell => decimal(cell) === null) || !labels.every(label => WEIGHTS.has(label))) return false
  return labels.length > 0 || numbers.some(cell => (parsedDecimal(cell) ?? 0) % 1)
}

// Rows that hold the sums of others: twin of otlab/ot/io/sums.py.
function rowsOfSums(rows) {
  let current = "", block = { total: 0, rows: 0 }
  const whole = { total: 0, rows: 0 }
  return rows.filter(({ cells }) => {
    const [name, candidate = "", text = ""] = cells, number = parsedFrequency(text, text.includes(",")), head = name.toLowerCase()
    const called = candidate ? TOTALS.has(candidate.toLowerCase()) && ["", current].includes(name) : TOTALS.has(head) || [...TOTALS].some(total => head === `${current.toLowerCase()} ${total}`)
    const fits = (!candidate && !text) || (number !== null && [block, whole].some(({ total, rows: n }) => total && (!candidate || n > 1) && Math.abs(number - total) <= 1e-3 * total))
    if (called && fits) return true
    if (name && name !== current) [current, block] = [name, { total: 0, rows: 0 }]
    for (const each of candidate ? [block, whole] : []) { each.total += number ?? 0; each.rows++ }
    return false
  })
}

const trimmed = cells => JSON.stringify(cells.slice(0, cells.findLastIndex(Boolean) + 1))

// Names of the constraints with their places, and the rows below them; null if the first row is none of names.
// Columns that comment lines of constraints name are some, whatever they are called.
function headerOf(rows, written = []) {
  const isHead = cells => [0, 1, 2].every(n => HEADS[n].has(headName(cells[n] ?? ""))), [first, second] = rows
  if (!first || !isHead(first.cells) || !first.cells.slice(3).some(Boolean)) return null
  const end = rows.length > 3 && rows.at(-1).cells
  if (rows.slice(0, 3).some(({ cells }) => isOfWeights(cells)) || (end && end.slice(0, 3).some(Boolean) && isOfWeights(end))) return null
  const full = first.cells.slice(3), bottom = full.findLastIndex(Boolean) + 1, two = second && isHead(second.cells) && second.cells.slice(3).some(Boolean)
  const isAgain = ({ cells }) => first.cells[0] && first.cells[1] && trimmed(cells) === trimmed(first.cells), again = rows.slice(1).filter(isAgain)
  const below = rows.slice(two ? 2 : 1).filter(row => !isAgain(row)), column = i => below.map(({ cells }) => cells[3 + i]).filter(Boolean)
  if (full.some((head, i) => WINNERS.has(headName(head)) && marksWinners(column(i).map(cell => cell.toLowerCase())))) return null
  if (below.some(({ cells }) => HAND.test(cells[1] ?? "")) && !below.some(({ cells }) => cells[2])) return null
  const other = (head, i) => ELSEWHERE.has(head) || (HIDDEN.has(head) && headName(first.cells[1]) === "sr") || ((HIDDEN.has(head) || ITEMS.has(head)) && column(i).some(cell => parsedViolations(cell) === null))
  if (first.cells[0] && first.cells[1] && full.some((head, i) => other(headName(head), i))) return null
  if (first.cells[0] && first.cells[1] && !first.cells[2] && !below.some(({ cells }) => cells[2]) && full.some(head => RESULTS.has(headName(head)) || REMARKS.has(headName(head)))) return null
  const named = i => (two && !(first.cells[0] && first.cells[1]) && second.cells[3 + i]) || written.some(line => line.startsWith(`${full[i]} = `))
  const violations = i => column(i).length && column(i).every(cell => parsedViolations(cell) >= 0 && parsedViolations(cell) !== null)
  const empty = i => !full[i] && !(two && second.cells[3 + i]) && !column(i).length
  const remark = i => empty(i) || !named(i) && (RESULTS.has(headName(full[i])) || REMARKS.has(headName(full[i])) && !violations(i))
  const kept = range(0, bottom).filter(i => !remark(i))
  while (kept.length && !full[kept.at(-1)]) kept.pop()
  if (!kept.length) return null
  const [table, notes] = aboveNotes(below, n => n === 0 || (n > 2 && n < 3 + bottom && remark(n - 3)), two ? 0 : 1), sums = rowsOfSums(table), body = table.filter(row => !sums.includes(row))
  const remarks = [...again.map(leftOutHeader), ...(two && second.cells.slice(3 + bottom).some(Boolean) ? [beyondHeader(second.line, second.cells.slice(3 + bottom).find(Boolean))] : []), ...range(0, bottom).filter(i => full[i] && !kept.includes(i)).map(i => leftOutColumn(first.line, full[i])), ...notes.map(leftOutNote), ...perhapsNotes(table, two ? 0 : 1).map(readNote), ...sums.map(leftOutSum)]
  return { remarks, head: first.cells[2] ?? "", line: first.line, below, full: kept.map(i => clean(full[i])), names: kept.map(i => clean((two && second.cells[3 + i]) || full[i])), places: kept.map(i => 3 + i), body, width: 3 + bottom }
}

// The tableau of a text, or all that is wrong with it.
function tableauOf(text, name) {
  const { comments, rows: all, unclosed, delimiter } = scanned(text), { first: rows, second } = firstTable(all), faults = unclosed.map(line => word("line {line}: a quotation mark is not closed", { line }))
  const { left, negative, full: written, made } = aboutOf(comments, faults), header = headerOf(rows, written)
  if (!header && rows[0]?.cells.some(head => OVERT.has(headName(head)))) return { faults: [overtForms()], left: [], remarks: [] }
  if (!header) return { faults: [word("the first row is not Input, Output, Frequency and the constraints, or the names of OTSoft; it is not a table with Input, Output, Frequency and the constraints; the command otlab page reads other tables")], left: [], remarks: [] }
  const { names, places, body, width, remarks } = header, use = commaUse(body.map(({ cells }) => cells[2] ?? "")), blocks = new Map()
  faults.push(...second, ...[use.doubt, percentDoubt(body.map(({ cells }) => cells[2] ?? ""))].filter(Boolean))
  remarks.push(...remarksOfFrequencies({ line: header.line, head: header.head, rows: header.below, body, delimiter, total: comments.some(({ text }) => text.toLowerCase().startsWith("total:")), clear: !faults.length }))
  const cut = body.filter(({ cells }) => { const end = cells.slice(0, cells.findLastIndex(Boolean) + 1).slice(2); return end.length === width - 1 && end.slice(0, 2).every(cell => /^[0-9]+$/.test(cell)) })
  if (delimiter === "," && 2 * cut.length >= Math.max(body.length, 1)) faults.push(word("line {line}: one number too many; write decimals with a point", { line: cut[0].line }))
  const unnamed = body.filter(({ cells }) => cells[width] && parsedViolations(cells[width]) !== null)
  if (!faults.length && 2 * unnamed.length > body.length) faults.push(word("line {line}: {text} stands beyond the last name of the header", { line: unnamed[0].line, text: unnamed[0].cells[width] }))
  remarks.push(...remarksOnWideMarks(header.below, header.width, delimiter))
  let current = ""
  const spellings = new Map(), spelled = (name, block, line) => { // as the same letters and marks were first typed
    const seen = name.replace(UNSEEN, "").normalize("NFC"), key = JSON.stringify([block, seen])
    if (!spellings.has(key)) spellings.set(key, /^[\x00-\x7f]*$/.test(seen) ? seen : name)
    if (spellings.get(key) !== name) remarks.push(otherCharacters(line, name))
    return spellings.get(key)
  }
  for (const { line, cells } of body) {
    const input = spelled(clean(cells[0]), "", line), candidate = spelled(clean(cells[1] ?? ""), input || current, line), number = parsedFrequency(cells[2] ?? "", use.comma), marks = places.map(place => parsedViolations(cells[place] ?? ""))
    if (number === null && !isUnclear(cells[2])) faults.push(word("line {line}: {text} is not a frequency", { line, text: cells[2] }))
    places.forEach((place, i) => { if (marks[i] === null) faults.push(word("line {line}: {text} is not a number of violations", { line, text: cells[place] })) })
    places.forEach((place, i) => { if (isDate(marks[i])) remarks.push(dateOf(line, cells[place])) })
    if (cells.slice(width).some(Boolean)) remarks.push(beyondHeader(line, cells.slice(width).find(Boolean)))
    if (candidate && input && input !== current && blocks.has(input)) remarks.push(mergedInput(line, input))
    current = input || current
    if (!current) { faults.push(word("line {line}: the first candidate has no input", { line })); continue }
    if (!candidate) { faults.push(word("line {line}: there is no candidate", { line })); continue }
    if (!blocks.has(current)) blocks.set(current, new Map())
    const block = blocks.get(current), before = block.get(candidate), row = { frequency: number ?? 0, marks, line }
    if (!before) block.set(candidate, row)
    else if (before.marks.join() === marks.join()) before.frequency += row.frequency
    else faults.push(word("line {line}: two candidates of {input} are called {name}, with other violations", { line, input: isolated(current), name: isolated(candidate) }))
  }
  const candidates = [...blocks.values()].flatMap(block => [...block]), found = {
    title: made.title || name, inputs: [...blocks.keys()], candidates: candidates.map(([candidate]) => candidate), offsets: offsetsOf([...blocks.values()].map(block => block.size)), constraints: names,
    full_names: [], violations: candidates.map(([, { marks }]) => marks), frequencies: candidates.map(([, { frequency }]) => frequency), noise: made.noise, bound: made.bound, total: made.total, source: made.source, notes: made.notes,
  }
  const full = names.map((short, i) => {
    const line = written.findLast(each => each.startsWith(`${short} = `))
    return line ? line.slice(short.length + 3) : header.full[i]
  })
  if (full.some((each, i) => each !== names[i])) found.full_names = full
  if (!faults.length && !candidates.length) faults.push(word("there is no candidate"))
  if (!faults.length && names.length > 128) faults.push(word("there are more than 128 constraints"))
  const fault = faults.length ? null : faultOf(found)
  if (fault) faults.push(fault)
  for (const [input, block] of blocks) remarks.push(...alike(input, [...block].map(([name, row]) => ({ name, ...row }))))
  remarks.push(...remarksOfSign(found, negative))
  if (!negative && isNegative(found)) found.violations = found.violations.map(row => row.map(x => x && -x))
  return { faults, tableau: found, left: [...left], remarks }
}

// Whether a pasted text is a whole table, with names above it.
const holdsATable = text => text.includes("\n") && headerOf(scanned(text).rows) !== null
