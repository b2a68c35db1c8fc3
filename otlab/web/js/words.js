// The page's words in the reader's language, and numbers as that language writes them.
//
// word(english, values)    the text in the reader's language; places such as {n} are filled with the values of these names
// number(x, options)       a number, with the options of Intl.NumberFormat
// typed(x)                 a number as it is typed into a field, with all its digits
// typedNumber(text, whole) the number that was typed; NaN if it is none, or unclear
// unclearNumber(text)      what an unclear number may mean, as words; null if it is clear
// language                 "en", or a language of DATA.words: {language: {English text: text}}
//
// The language is the one that the page was made for (DATA.language), else the one chosen before, else the browser's.
// A change by the control in the head sends the event "otlab-language" to the window.

const LANGUAGES = ["en", ...Object.keys(DATA.words)], LANGUAGE_KEY = "otlab language"
let language = languageAtFirst(), formats = new Map()

function languageAtFirst() {
  const kept = (() => { try { return localStorage.getItem(LANGUAGE_KEY) } catch { return null } })()
  const asked = [DATA.language, kept, ...navigator.languages.map(name => name.split("-")[0].toLowerCase())]
  return asked.find(name => LANGUAGES.includes(name)) ?? "en"
}

function word(english, values = {}) {
  const text = DATA.words[language]?.[english] ?? english
  return text.replace(/\{(\w+)\}/g, (place, name) => name in values ? values[name] : place)
}

// The reader's own region of the language, where the browser names one: German is written with 1.000 or with 1'000.
const locale = () => navigator.languages.find(name => name.split("-")[0].toLowerCase() === language) ?? language

function formatOf(options) {
  const key = JSON.stringify([locale(), options])
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale(), options))
  return formats.get(key)
}

function number(x, options = {}) { return formatOf(options).format(x).replace("-", "−") }

// ---- numbers that are typed

const TYPED = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
// The marks of decimals and of thousands in the reader's format.
function marks() {
  const parts = formatOf({ useGrouping: true }).formatToParts(12345678.5), of = type => parts.find(part => part.type === type)?.value
  return { decimal: of("decimal") ?? ".", group: of("group") ?? "" }
}

function typed(x) { return TYPED.test(x) ? String(x).replace(".", marks().decimal) : String(x) }

const bareNumber = text => text.trim().replaceAll("−", "-").replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "")

// 1,125 is unclear in English, 1.125 in German: thousands by the rules, a decimal by habit.
function unclearNumber(text) {
  const { group } = marks(), bare = bareNumber(text)
  if (!/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(bare) || !bare.includes(group || " ")) return null
  return word("{text} may mean {one} or {other}", { text: text.trim(), one: bare.replace(group, ""), other: typed(bare.replace(group, ".")) })
}

// Commas and points are marks of decimals or of thousands: of two kinds the last is the decimal mark, and a mark that is there
// twice parts thousands. Where whole numbers are asked for, a mark before three digits does.
function typedNumber(text, whole = false) {
  const bare = bareNumber(text), found = [...bare.matchAll(/[.,]/g)].map(([mark]) => mark), kinds = new Set(found)
  const grouped = mark => new RegExp(`^[+-]?[1-9]\\d{0,2}([${mark}]\\d{3})+(?![\\d${mark}])`).test(bare)
  let plain = bare.replace(",", ".")
  if (kinds.size === 2) plain = grouped(found[0]) && found.lastIndexOf(found[0]) < found.length - 1 ? bare.replaceAll(found[0], "").replace(",", ".") : ""
  else if (found.length > 1 || (whole && /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(bare))) plain = grouped(found[0]) ? bare.replaceAll(found[0], "") : ""
  else if (unclearNumber(text)) return NaN
  return TYPED.test(plain) ? Number(plain) : NaN
}

{
  const control = document.getElementById("language")
  const show = () => {
    document.documentElement.lang = language
    setAttribute(control, "aria-label", word("Language of the page"))
    control.value = language
  }
  control.replaceChildren(...LANGUAGES.map(name => h("option", { value: name, lang: name }, new Intl.DisplayNames([name], { type: "language" }).of(name))))
  control.hidden = LANGUAGES.length < 2 || Boolean(DATA.language)
  control.addEventListener("change", () => {
    language = control.value
    try { localStorage.setItem(LANGUAGE_KEY, language) } catch { /* the choice lasts as long as the page */ }
    show()
    dispatchEvent(new Event("otlab-language"))
  })
  show()
}
