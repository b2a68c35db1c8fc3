// Every page of a result: light and dark, Copy, and a model for the components of the labs.

// What a component of the labs finds in place of Python: its properties, and `answer` for its messages.
function pageModel(properties, answer) {
  const heard = {}
  const model = {
    ...properties,
    on(names, call) { for (const name of [names].flat()) (heard[name] ??= []).push(call) },
    send_msg(message) { answer(message, model) },
    set(name, value) { model[name] = value; tell(name) },
    reply(message) { tell("msg:custom", message) },
  }
  const tell = (name, value) => (heard[name] ?? []).forEach(call => call(value))
  return model
}

// Draw a component into an element, with a root of its own so that its styles stay there.
function component(render, host, model) { render({ model, el: host.attachShadow({ mode: "open" }) }) }

// Draw the parts of a kind, each with its data, which are in the order of the page.
function parts(name, draw) {
  document.querySelectorAll(`[data-part=${name}]`).forEach((host, k) => draw(host, DATA[name][k]))
}

// A text of the data; one that is there several times is written once.
const textOf = text => typeof text === "string" ? text : DATA.texts[text.text]

{
  const root = document.documentElement, button = document.getElementById("mode")
  const system = matchMedia("(prefers-color-scheme: dark)")
  const isDark = () => root.classList.contains("dark") || (system.matches && !root.classList.contains("light"))
  const show = () => { setText(button, isDark() ? said("Light") : said("Dark")); setAttribute(button, "aria-pressed", String(isDark())) }
  button.addEventListener("click", () => {
    const dark = !isDark()
    setClass(root, "dark", dark)
    setClass(root, "light", !dark)
    show()
  })
  system.addEventListener("change", show)
  addEventListener("otlab-language", show)
  show()
  // What scrolls can be scrolled by keys.
  new ResizeObserver(() => {
    for (const box of document.querySelectorAll(".scroll")) {
      const scrolls = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1
      setAttribute(box, "tabindex", scrolls ? 0 : null)
    }
  }).observe(document.body)
  const copy = document.getElementById("copy")
  copy?.addEventListener("click", async () => {
    await copyText(copy.previousElementSibling.textContent, copy.parentElement)
    setText(copy, said("Copied"))
  })
}
