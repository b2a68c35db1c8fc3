// The CSV that otlab writes: comment lines, then Input, Output, Frequency and the constraints, a candidate a row.

const isNegative = ({ violations }) => violations.every(row => row.every(x => x <= 0)) && violations.some(row => row.some(x => x < 0))

function csvOf(t) {
  const cell = text => /[",\n\r]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : String(text)
  const names = t.full_names.flatMap((full, i) => full === t.constraints[i] ? [] : [["constraint", `${t.constraints[i]} = ${full}`]])
  const about = [["title", t.title], ["total", t.total], ["noise", t.noise], ["bound", t.bound], ["source", t.source],
    ["sign", isNegative(t) ? "as written" : ""], ...t.notes.map(note => ["note", note]), ...names].filter(([, value]) => value)
  const rows = t.inputs.flatMap((input, k) => rowsOf(t, k).map(row => [input, t.candidates[row], t.frequencies[row], ...t.violations[row]]))
  return [...about.map(([key, value]) => `# ${key}: ${value}\n`), ...[["Input", "Output", "Frequency", ...t.constraints], ...rows].map(row => `${row.map(cell).join(",")}\n`)].join("")
}

// The cells of each row, with the number of the line where it begins.
function csvRows(text, line) {
  const rows = [], cells = /("(?:[^"]|"")*"|[^",\n]*)(,|\n|$)/gy
  let row = [], began = line
  while (cells.lastIndex < text.length) {
    const found = cells.exec(text)
    if (!found) return { rows, broken: line }
    row.push(found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1])
    line += found[0].split("\n").length - 1
    if (found[2] !== ",") { rows.push({ line: began, cells: row.map(cell => cell.trim()) }); row = []; began = line }
    else if (cells.lastIndex === text.length) rows.push({ line: began, cells: [...row, ""] })
  }
  return { rows: rows.filter(({ cells }) => cells.some(cell => cell)) }
}

// The tableau of a file of that form, or all that is wrong with it.
function tableauOf(text, name) {
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split("\n"), first = lines.findIndex(line => !line.startsWith("#"))
  const about = { note: [], constraint: [] }, left = new Set(), faults = []
  for (const line of lines.slice(0, Math.max(first, 0))) {
    const [, key, value] = /^#\s*([\w ]+):\s*(.*?)\s*$/.exec(line) ?? []
    if (["note", "constraint"].includes(key)) about[key].push(value)
    else if (["title", "total", "noise", "bound", "source", "sign"].includes(key)) about[key] = value
    else if (key) left.add(key)
  }
  const { rows, broken } = csvRows(lines.slice(Math.max(first, 0)).join("\n"), first + 1), head = rows.shift()?.cells ?? []
  if (broken) faults.push(`line ${broken}: a quotation mark is missing or too many`)
  if (head.slice(0, 3).map(cell => cell.toLowerCase()).join() !== "input,output,frequency" || head.length < 4) {
    return { faults: ["the first row is not Input, Output, Frequency and the constraints; the command otlab page reads other tables"] }
  }
  const given = key => { const x = Number(about[key]); if (about[key] !== undefined && !(x > 0)) faults.push(`${key}: ${about[key]} is not a number above 0`); return x > 0 ? x : null }
  const noise = given("noise") ?? 2, made = {
    title: about.title || name, inputs: [], candidates: [], offsets: [0], constraints: head.slice(3), full_names: [], violations: [], frequencies: [],
    noise, bound: given("bound") ?? 6 * noise, total: given("total"), source: about.source ?? "", notes: about.note,
  }
  for (const { line, cells } of rows) {
    const numbers = cells.slice(2).map(cell => cell === "" ? NaN : Number(cell))
    if (cells.length !== head.length) { faults.push(`line ${line}: ${cells.length} cells for ${head.length} columns`); continue }
    if (numbers.some(Number.isNaN)) { faults.push(`line ${line}: ${cells[2 + numbers.findIndex(Number.isNaN)] || "an empty cell"} is not a number`); continue }
    if (cells[0] !== made.inputs.at(-1)) { made.inputs.push(cells[0]); made.offsets.push(made.offsets.at(-1)) }
    made.candidates.push(cells[1])
    made.frequencies.push(numbers[0])
    made.violations.push(numbers.slice(1))
    made.offsets[made.offsets.length - 1]++
  }
  const full = new Map(about.constraint.map(line => line.split(" = ")).map(([short, ...rest]) => [short, rest.join(" = ")]))
  if (full.size) made.full_names = made.constraints.map(short => full.get(short) ?? short)
  if (!faults.length && !rows.length) faults.push("there is no candidate")
  if (!faults.length && made.constraints.length > 128) faults.push("there are more than 128 constraints")
  const fault = faults.length ? null : faultOf(made)
  if (fault) faults.push(fault)
  if (about.sign !== "as written" && isNegative(made)) made.violations = made.violations.map(row => row.map(x => x && -x))
  return { faults, tableau: made, left: [...left] }
}
