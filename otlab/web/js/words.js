// The page's words in the reader's language, and numbers as that language writes them.
//
// word(english, values)    the text in the reader's language; places such as {n} are filled with the values of these names
// number(x, options)       a number, with the options of Intl.NumberFormat
// language                 "en", or a language of DATA.words: {language: {English text: text}}
//
// The language is the one that the page was made for (DATA.language), else the one chosen before, else the browser's.
// Who changes it with the control in the head sends the event "languagechange" to the window.

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

{
  const control = document.getElementById("language")
  const show = () => {
    document.documentElement.lang = language
    setAttribute(control, "aria-label", word("Language"))
    control.value = language
  }
  control.replaceChildren(...LANGUAGES.map(name => h("option", { value: name, lang: name }, new Intl.DisplayNames([name], { type: "language" }).of(name))))
  control.hidden = LANGUAGES.length < 2 || Boolean(DATA.language)
  control.addEventListener("change", () => {
    language = control.value
    try { localStorage.setItem(LANGUAGE_KEY, language) } catch { /* the choice lasts as long as the page */ }
    show()
    dispatchEvent(new Event("languagechange"))
  })
  show()
}
