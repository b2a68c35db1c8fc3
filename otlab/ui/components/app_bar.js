// The page's bar: logo, lab tabs, example chooser, link, dark mode, help; and toasts.

const COOKIE = "otlab_dark"

export function render({ model, el }) {
  const root = document.documentElement

  const nav = h("nav", { "aria-label": "Labs" })
  const chooser = h("select", { "aria-label": "Example", onchange: () => model.send_msg({ kind: "example", value: chooser.value }) })
  const choose = h("label", { class: "chooser" }, h("span", { class: "word", "aria-hidden": "true" }, "Example"), chooser, icon("chevron"))
  const tool = (name, glyph, onclick) => h("button", { type: "button", class: "plain tool", "aria-label": name, title: name, onclick }, icon(glyph))
  const menu = tool("Open run panel", "menu", () => drawer(!opened()))
  menu.classList.add("menu")
  const link = tool("Copy link", "link", copyLink)
  const dark = tool("Dark mode", "moon", () => setDark(!model.dark))
  const help = tool("Keyboard and help", "help", () => keys.showModal())
  const keys = h("dialog", { "aria-label": "Keyboard", onclick: event => { if (event.target === keys) keys.close() } },
    h("h2", { class: "title" }, "Keyboard"),
    h("dl", {}, ...model.keys.flatMap(([key, what]) => [h("dt", {}, ...key.split("  ").map(k => h("kbd", {}, k))), h("dd", {}, what)])),
    h("form", { method: "dialog" }, h("button", {}, "Close")))
  const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" })
  const veil = h("div", { class: "veil", onclick: () => drawer(false) })

  el.replaceChildren(h("style", {}, CSS),
    h("div", { class: "bar52" }, menu, h("a", { class: "brand", href: "./", html: `${LOGO}<b>otlab</b>`, "aria-label": "otlab home" }), nav,
      h("span", { class: "grow" }), choose, link, dark, help),
    veil, keys, toasts)

  // Below 1100 px the run panel slides in; its style sheet reads these two properties.
  function opened() { return root.style.getPropertyValue("--ot-drawer-seen") === "visible" }
  function drawer(open) {
    if (open) {
      root.style.setProperty("--ot-drawer-seen", "visible")
      root.style.setProperty("--ot-drawer-left", "0px")
    } else {
      root.style.removeProperty("--ot-drawer-seen")
      root.style.removeProperty("--ot-drawer-left")
    }
    setClass(veil, "on", open)
    setAttribute(menu, "aria-expanded", String(open))
    setAttribute(menu, "aria-label", open ? "Close run panel" : "Open run panel")
  }

  function remember(on) {
    document.cookie = `${COOKIE}=${on ? 1 : 0}; path=/; max-age=31536000; samesite=lax`
    try { localStorage.setItem(COOKIE, on ? "1" : "0") } catch { /* storage may be forbidden; the cookie serves */ }
  }
  function setDark(on) {
    remember(on)
    model.send_msg({ kind: "dark", value: on })
  }
  function recall() {
    let kept = null
    try { kept = localStorage.getItem(COOKIE) } catch { /* as above */ }
    if (kept !== null && (kept === "1") !== model.dark) setDark(kept === "1")
  }

  async function copyLink() {
    const address = window.location.href
    try { await navigator.clipboard.writeText(address) } catch { copyByHand(address) }
    toast({ toast: "Link copied. It opens this example with these settings and this seed." })
  }
  // Where the page is not served over https the clipboard is only open to a selection.
  function copyByHand(text) {
    const area = h("textarea", { class: "hidden" })
    area.value = text
    el.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
  }

  function toast({ toast: text, action, key }) {
    const gone = () => node.remove()
    const node = h("div", { class: "toast" }, icon("check"), h("span", { class: "grow" }, text),
      action ? h("button", { type: "button", onclick: () => { model.send_msg({ kind: "undo", key }); gone() } }, action) : null)
    toasts.append(node)
    let timer = setTimeout(gone, 6000)
    node.addEventListener("pointerenter", () => clearTimeout(timer))
    node.addEventListener("pointerleave", () => { timer = setTimeout(gone, 2000) })
  }

  function showLabs() {
    nav.replaceChildren(...model.labs.map(([title, href, current]) =>
      h("a", { href, "aria-current": current ? "page" : null }, title)))
  }
  function showExamples() {
    choose.hidden = model.examples.length === 0
    chooser.replaceChildren(...model.examples.map(([value, label]) => h("option", { value }, label)))
    showExample()
  }
  function showExample() {
    const known = model.examples.some(([value]) => value === model.example)
    chooser.value = known ? model.example : ""
  }
  function showDark() {
    dark.replaceChildren(icon(model.dark ? "sun" : "moon"))
    setAttribute(dark, "aria-pressed", String(model.dark))
    root.style.colorScheme = model.dark ? "dark" : "light"
    root.style.background = ""
  }

  listen(model, "keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return
    if (event.key === "/" && model.examples.length) { event.preventDefault(); chooser.focus(); try { chooser.showPicker() } catch { /* focus is enough */ } }
    else if (event.key === "?") keys.showModal()
    else if (event.key === "d" || event.key === "D") setDark(!model.dark)
    else if (event.key === "[" || event.key === "]") turnTab(event.key === "]" ? 1 : -1)
    else if (event.key === "Escape" && opened()) drawer(false)
  })

  function turnTab(by) {
    const all = deepAll(document, "[role=tab]")
    const at = all.findIndex(tab => tab.getAttribute("aria-selected") === "true")
    if (at >= 0) all[(at + by + all.length) % all.length].click()
  }
  function deepAll(node, selector) {
    const found = [...node.querySelectorAll(selector)]
    for (const inner of node.querySelectorAll("*")) if (inner.shadowRoot) found.push(...deepAll(inner.shadowRoot, selector))
    return found
  }

  model.on("msg:custom", event => toast(event.data))
  model.on("labs", showLabs)
  model.on("examples", showExamples)
  model.on("example", showExample)
  model.on("dark", showDark)
  setClass(menu, "none", !model.drawer)
  showLabs()
  showExamples()
  showDark()
  recall()
}

const CSS = `
[hidden], .none { display: none !important; }
.bar52 { display: flex; align-items: center; gap: 4px; height: 52px; padding: 0 18px; background: var(--ot-surface); }
.brand { display: flex; align-items: center; gap: 10px; margin-right: 18px; color: var(--ot-ink); text-decoration: none; font-size: 16px; border-radius: 8px; }
.brand svg { display: block; }
.brand b { font-weight: 680; }
nav { display: flex; align-self: stretch; }
nav a { display: flex; align-items: center; padding: 0 14px; color: var(--ot-ink2); text-decoration: none; font-size: 13.5px; font-weight: 500; border-bottom: 2px solid transparent; border-top: 2px solid transparent; }
nav a:hover { color: var(--ot-ink); }
nav a[aria-current] { color: var(--ot-accent); border-bottom-color: var(--ot-accent); font-weight: 600; }
nav a:focus-visible { outline-offset: -3px; border-radius: 8px; }
.chooser { position: relative; display: flex; align-items: center; height: 32px; border: 1px solid var(--ot-ctl); border-radius: 8px; margin-right: 8px; background: var(--ot-surface); min-width: 0; }
.chooser .word { padding-left: 10px; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); pointer-events: none; }
.chooser select { appearance: none; border: 0; background: transparent; color: var(--ot-ink); height: 30px; padding: 0 30px 0 8px; font: 500 13px var(--ot-ui); outline: none; text-overflow: ellipsis; max-width: 260px; min-width: 120px; cursor: pointer; }
.chooser option { background: var(--ot-surface); color: var(--ot-ink); }
.chooser > .icon { position: absolute; right: 9px; pointer-events: none; color: var(--ot-ink2); }
.chooser:focus-within { outline: 2px solid var(--ot-accent); outline-offset: 2px; }
.tool { width: 36px; height: 36px; padding: 0 !important; }
.menu { display: none; margin-right: 4px; }
.veil { display: none; }
dialog { border: 1px solid var(--ot-line); border-radius: 12px; padding: 20px 24px; background: var(--ot-surface); color: var(--ot-ink); width: 340px; }
dialog::backdrop { background: color-mix(in srgb, var(--ot-ink) 32%, transparent); }
dl { display: grid; grid-template-columns: 110px 1fr; gap: 8px 12px; margin: 14px 0 18px; align-items: center; }
dt { display: flex; gap: 4px; }
.toasts { position: fixed; z-index: 1400; bottom: 20px; left: 50%; transform: translateX(-50%); display: flex; flex-direction: column; gap: 8px; }
.toast { display: flex; align-items: center; gap: 12px; min-width: 300px; max-width: 520px; padding: 11px 14px; border-radius: 8px; background: var(--ot-ink); color: var(--ot-surface); animation: rise 180ms ease-out; }
.toast button { background: transparent; border: 0; color: var(--ot-surface); height: 24px; padding: 0 4px; font-weight: 650; }
.toast button:hover:enabled { background: transparent; text-decoration: underline; }
@keyframes rise { from { opacity: 0; translate: 0 8px; } }
@media (max-width: 1099.98px) {
  .menu { display: inline-flex; }
  .brand { margin-right: auto; }
  .brand b { display: none; }
  .menu:not(.none) ~ .brand { display: none; }
  .menu:not(.none) ~ nav { margin-left: 232px; }
  .chooser .word { display: none; }
  .chooser select { max-width: 170px; }
  nav a { padding: 0 9px; }
  .veil.on { display: block; position: fixed; z-index: 1240; inset: 52px 0 0 0; background: color-mix(in srgb, var(--ot-ink) 24%, transparent); }
}
@media (max-width: 820px) { nav { display: none; } .bar52 { padding: 0 10px; } }
`
