// Documents of the OT lab: its files (.otlab, a ZIP) and its links, read and written as the lab does
// (otlab/ui/documents/archive.py, otlab/ui/packing.py).
//
// values    {lab, example, name, settings: {name: text}, learners, document: {name, csv}}, what the lab's to_dict() returns

const FORMATS = { file: 2, values: 1 }, ROUTE = "ot_lab"
const MOST_UNPACKED = 20_000_000, LONGEST_LINK = 6000
// Fields of the page by the names of the lab's settings.
const LAB_SETTINGS = {
  sweeps: "sweeps", chains: "chains", noise: "noise", bound: "bound", total: "total", trials: "trials", runs: "runs", schedule: "schedule", rule: "rule",
  seed: "seed", weight_sd: "sd", weights: "sign", apriori: "apriori",
}
// Settings of the lab that the page has no field for, with what it learns with in their place, and their names in words.
const labOnly = () => ({
  prior: ["flat", word("a normal prior of the ranking values")], variant: ["fixed", word("a published variant of Gibbs")], weight_means: ["", word("means of single weights")],
  weight_sds: ["", word("priors of single weights")], initial_values: ["", word("initial values")], plasticities: ["", word("plasticities of single constraints")],
  markedness_plasticity: ["1", word("a plasticity of markedness")], faithfulness_plasticity: ["1", word("a plasticity of faithfulness")],
})
const unheardOf = ({ settings }) => Object.entries(labOnly()).filter(([name, [usual]]) => typeof settings?.[name] === "string" && settings[name] !== usual).map(([, [, words]]) => words)
const damaged = () => new Error(word("is not a document of otlab, or is damaged"))

// What comes out of a stream that compresses or unpacks, within limits.
async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), pieces = []
  for (let size = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer())
    if ((size += value.length) > MOST_UNPACKED) { reader.cancel(); throw new Error(word("is too large for a page")) }
    pieces.push(value)
  }
}
const utf8 = text => new TextEncoder().encode(text), textIn = bytes => new TextDecoder("utf-8", { fatal: true }).decode(bytes)

// ---- links

async function packed(values) {
  const bytes = await through(utf8(JSON.stringify(values)), new CompressionStream("deflate"))
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0))
  return JSON.parse(textIn(await through(bytes, new DecompressionStream("deflate"))))
}

// The values that a link asks for, of the lab or of a page; null if it asks for nothing.
async function valuesOfLink(address) {
  const asked = Object.fromEntries(new URLSearchParams(address.replace(/^[^?#]*[?#]/, "")))
  if (asked.data) {
    const found = await unpacked(asked.data).catch(() => null)
    if (!found || found.lab !== ROUTE) throw new Error(word("The link is damaged, or is one of another lab; copy the whole link again."))
    return found
  }
  const { example = "", ...settings } = asked
  if (example && !(example in DATA.samples)) throw new Error(word("There is no example {name} in this page.", { name: isolated(example) }))
  return example ? { lab: ROUTE, example, name: "", settings, learners: [], document: {} } : null
}

// ---- files

const CRC = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n })
const crcOf = bytes => ~bytes.reduce((crc, byte) => CRC[(crc ^ byte) & 255] ^ (crc >>> 8), -1) >>> 0

// Numbers of 2 or 4 bytes, little-endian.
const little = (...parts) => Uint8Array.from(parts.flatMap(([n, size]) => range(0, size).map(k => n / 2 ** (8 * k) & 255)))

async function zipped(files) {
  const parts = [], entries = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const content = utf8(text), bytes = await through(content, new CompressionStream("deflate-raw")), label = utf8(name)
    // version, flags (names in UTF-8), method, time, date (1980-01-01), checksum, sizes, lengths of name and more
    const about = [[20, 2], [0x800, 2], [8, 2], [0, 2], [33, 2], [crcOf(content), 4], [bytes.length, 4], [content.length, 4], [label.length, 2], [0, 2]]
    parts.push(little([0x04034b50, 4], ...about), label, bytes)
    entries.push(little([0x02014b50, 4], [20, 2], ...about, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), label)
    at += 30 + label.length + bytes.length
  }
  const size = entries.reduce((sum, part) => sum + part.length, 0), n = entries.length / 2
  return new Blob([...parts, ...entries, little([0x06054b50, 4], [0, 2], [0, 2], [n, 2], [n, 2], [size, 4], [at, 4], [0, 2])], { type: "application/zip" })
}

// Some files of a ZIP, as text.
async function unzipped(buffer, names) {
  const view = new DataView(buffer), bytes = new Uint8Array(buffer), found = {}
  let end = buffer.byteLength - 22
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--
  if (end < 0) throw damaged()
  let at = view.getUint32(end + 16, true)
  for (let n = view.getUint16(end + 10, true); n > 0; n--) {
    const [length, more, remark] = [28, 30, 32].map(place => view.getUint16(at + place, true)), name = textIn(bytes.subarray(at + 46, at + 46 + length))
    if (names.includes(name)) {
      const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true), local = view.getUint32(at + 42, true)
      const first = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true), content = bytes.subarray(first, first + size)
      found[name] = textIn(method ? await through(content, new DecompressionStream("deflate-raw")) : content)
    }
    at += 46 + length + more + remark
  }
  return found
}

async function valuesOfFile(buffer) {
  const files = await unzipped(buffer, ["manifest.json", "values.json"]).catch(() => ({}))
  let manifest, values
  try { manifest = JSON.parse(files["manifest.json"]); values = JSON.parse(files["values.json"]) } catch { throw damaged() }
  if (manifest.format > FORMATS.file || manifest.values > FORMATS.values) throw new Error(word("was saved by a later version of otlab ({version})", { version: manifest.otlab }))
  if (manifest.lab !== ROUTE) throw new Error(word("is a document of another lab"))
  return { values, called: String(manifest.name ?? ""), results: Object.keys(manifest.parts ?? {}).length > 0 }
}

const fileOf = (values, title) => zipped({
  "manifest.json": JSON.stringify({ format: FORMATS.file, otlab: DATA.otlab, lab: ROUTE, name: "", title, said: "", changed: Date.now() / 1000, values: FORMATS.values, parts: {} }),
  "values.json": JSON.stringify(values),
})

// ---- what is open, as values and back

// The tableau of values, or all that is wrong with it.
function tableauOfValues({ example, name, document }) {
  const csv = document?.csv ?? DATA.samples[example]
  if (typeof csv !== "string") return { faults: [document === null ? word("its table is too large for a link") : word("there is no example {name} in this page", { name: isolated(String(example)) })], left: [] }
  return tableauOf(csv, String(document?.name || name || "table"))
}

// What is typed into the fields for the settings of the lab; those that the page has no place for are left out.
function fieldsOfValues({ settings }) {
  const typed = Object.entries(LAB_SETTINGS).filter(([name]) => typeof settings?.[name] === "string").map(([name, field]) => [field, field === "apriori" ? settings[name] : settings[name].replaceAll(",", "")])
  return Object.fromEntries(typed.map(([field, text]) => [field, ["total", "sd"].includes(field) && !(Number(text) > 0) ? "" : text]))
}

// Values of a tableau; what the page does not know of those that were opened stays, and settings that were not changed.
function valuesOf(tableau, carried, fields, filled, learner) {
  const changed = Object.entries(LAB_SETTINGS).filter(([name, field]) => !(name in (carried.settings ?? {})) || fields[field] !== filled[field]).map(([name, field]) => [name, fields[field]])
  const known = carried.example && !carried.name, learners = carried.learners ?? []
  return {
    lab: ROUTE, example: carried.example ?? "", name: known ? "" : carried.name || tableau.title || "table",
    settings: { ...carried.settings, ...Object.fromEntries(changed) }, learners: learners.includes(learner) ? learners : [...learners, learner],
    document: { ...carried.document, name: carried.document?.name || tableau.title || "table", csv: csvOf(tableau) },
  }
}
