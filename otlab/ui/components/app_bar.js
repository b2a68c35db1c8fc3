// Takes 6.7 ms to build, where a Select and ten Buttons of panel-material-ui would take 72.
// The page's bar: logo, lab tabs, example chooser, link, dark mode, help; and toasts.

const COOKIE = "otlab_dark"
const NEW = "new", ALL = "all", OPEN = "document "

export function render({ model, el }) {
  mendBokeh()
  const root = document.documentElement

  const nav = h("nav", { "aria-label": "Labs" })
  // In a narrow window the tabs are a menu, with the home page in it.
  const places = h("select", { class: "places", "aria-label": "Labs", onchange: () => { window.location.href = places.value } })
  const chooser = h("select", { "aria-label": "Example", onchange: chosen })
  function chosen() {
    if (chooser.value === ALL) { window.location.href = "./"; return }
    if (chooser.value.startsWith(OPEN)) {
      window.location.href = `./${model.route}?document=${chooser.value.slice(OPEN.length)}`
      return
    }
    if (chooser.value !== NEW) return model.send_msg({ kind: "example", value: chooser.value })
    model.send_msg({ kind: "keys", value: NEW })
    showExamples()  // until it is there, what is open is
  }
  const chooserWord = h("span", { class: "word", "aria-hidden": "true" }, "Example")
  const choose = h("label", { class: "chooser" }, chooserWord, chooser, icon("chevron"))
  const tool = (name, glyph, onclick) => h("button", { type: "button", class: "plain tool", "aria-label": name, title: name, onclick }, icon(glyph))
  const menu = tool("Open run panel", "menu", () => drawer(!opened()))
  menu.classList.add("menu")
  const link = tool("Copy link", "link", copyLink)
  const present = tool("Presenter mode", "screen", () => setPresenting(true))
  const making = tool("Make an exercise", "class", () => dialog.open())
  const dark = tool("Dark mode", "moon", () => setDark(!model.dark))
  const help = tool("Keyboard and help", "help", openHelp)
  const keys = h("dialog", { "aria-label": "Keyboard and help", onclick: event => { if (event.target === keys) keys.close() } },
    h("h2", { class: "title" }, "How a lab is used"),
    ...model.steps.map(text => h("p", {}, text)),
    h("h2", { class: "title" }, "Keyboard"),
    listKeys(model.keys),
    ...(model.own_keys.length ? [h("h2", { class: "title" }, `In the ${model.noun}`), listKeys(model.own_keys)] : []),
    h("form", { method: "dialog" }, h("button", {}, "Close")))
  function listKeys(keys) {
    return h("dl", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, ...key.split("  ").map(k => h("kbd", {}, k))), h("dd", {}, what)]))
  }
  // Name and state of the document, once there is one.
  const called = h("button", { type: "button", class: "plain name", onclick: () => renameInPlace(called, model.called, called, name => model.send_msg({ kind: "rename", name })) })
  const saved = h("span", { class: "saved", role: "status" })
  const paper = h("span", { class: "paper" }, called, saved)
  // In presenter mode the page is larger (plots and grids, which measure themselves, fill the room), and a few controls stand in place of the bar and the run panel.
  const LARGER = 1.25
  const naming = h("b", { class: "naming cut" })
  const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
  const runs = h("button", { type: "button", class: "primary", onclick: () => press(" ") })
  const steps = h("button", { type: "button", onclick: () => press(".") }, icon("step"), "Step")
  const lights = h("button", { type: "button", onclick: () => setDark(!model.dark) })
  const leaving = h("button", { type: "button", onclick: () => setPresenting(false) }, icon("cross"), "Leave")
  function openHelp() {
    keys.showModal()
    keys.scrollTop = 0  // its first control stands at its end
  }
  function setPresenting(on) {
    for (const [name, value] of [["--ot-zoom", LARGER], ["--ot-unzoom", 1 / LARGER], ["--ot-side", "none"]]) {
      if (on) root.style.setProperty(name, value)
      else root.style.removeProperty(name)
    }
    setClass(frame, "presenting", on)
    showRuns()
    const focus = on ? leaving : present
    focus.focus({ preventScroll: true })
    window.dispatchEvent(new Event("resize"))
  }
  function showRuns() {
    if (runs.dataset.busy !== String(model.busy)) {
      runs.dataset.busy = model.busy
      runs.replaceChildren(icon(model.busy ? "pause" : "run"), model.busy ? "Pause or resume" : "Run")
    }
    setText(lights, model.dark ? "Light" : "Dark")
  }
  const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" })
  const veil = h("div", { class: "veil", onclick: () => drawer(false) })

  const frame = h("div", { class: "frame" },
    h("div", { class: "bar52 usual" }, menu, h("a", { class: "brand", href: "./", html: `${LOGO}<b>otlab</b>`, "aria-label": "otlab home" }), nav, places,
      model.title && model.route ? h("h1", { class: "hidden" }, `${model.title} lab`) : null,
      paper, h("span", { class: "grow" }), choose, link, making, present, dark, help),
    h("div", { class: "bar52 presenter" }, naming, h("span", { class: "grow" }), runs, steps, lights, leaving),
    veil, keys, toasts)
  el.replaceChildren(frame)
  const dialog = exerciseDialog(model, frame)

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
    if (kept === null && matchMedia("(prefers-color-scheme: dark)").matches) kept = "1"  // until one has chosen
    if (kept !== null && (kept === "1") !== model.dark) setDark(kept === "1")
  }

  async function copyLink() {
    const [address, holds, whole] = addressToShare()
    await copyText(address, el)
    toast({ toast: `Link copied. ${holds}`, ...(whole ? {} : { mark: "warn", action: "Save as file", does: { kind: "file" } }) })
  }
  // The address, what it holds, and whether that is all that is open.
  function addressToShare() {
    const address = new URL(window.location.href)
    if (model.exercise) {  // what is hidden here is hidden behind its link, too
      address.search = `?exercise=${model.exercise}`
      return [address.href, "It opens this exercise.", true]
    }
    for (const name of ["document", "exercise"]) address.searchParams.delete(name)  // a link holds what is open, whatever becomes of the document
    const mine = model.own || model.edited || model.kept
    if (!mine) return [address.href, model.route ? "It opens this example with these settings and this seed." : "", true]
    if (model.kept && model.kept.length <= model.link_most) {
      address.searchParams.set("data", model.kept)
      const what = model.own || model.edited ? `your ${model.noun}` : "what you typed"
      return [address.href, `It holds ${what}, these settings and this seed.`, true]
    }
    if (model.own || model.edited) return [address.href, `It holds these settings and this seed, not your ${model.noun}: that is too large. A file holds all.`, false]
    return [address.href, "It opens this example with these settings and this seed. What you typed is not in it: that is too large. A file holds all.", false]
  }

  function onMessage(message) {
    if (message.exercise) dialog.take(message.exercise)
    else if (message.data) saveSentFile(message)
    else if (message.toast === "") dismiss()
    else toast(message)
  }
  // A message takes the place of earlier ones; those of one event come together and stand together.
  function dismiss(age = 0) {
    for (const node of [...toasts.children]) if (performance.now() - node.shownAt >= age) remove(node)
  }
  function remove(node) {  // the focus stays at its place in the order of Tab
    const focused = node.contains(el.getRootNode().activeElement)
    node.remove()
    if (focused) (help.offsetParent ? help : leaving).focus()
  }
  function toast({ toast: text, mark = "check", action, key, does = { kind: "undo", key } }) {
    const gone = () => remove(node)
    const node = h("div", { class: "toast" }, icon(mark), h("span", { class: "grow" }, text),
      action ? h("button", { type: "button", onclick: () => { model.send_msg(does); gone() } }, action) : null)
    node.shownAt = performance.now()
    dismiss(500)
    toasts.append(node)
    let timer = setTimeout(gone, 6000)
    for (const event of ["pointerenter", "focusin"]) node.addEventListener(event, () => clearTimeout(timer))
    for (const event of ["pointerleave", "focusout"]) node.addEventListener(event, () => { timer = setTimeout(gone, 2000) })
  }

  // The document of this tab: Back from another page, or the lab's name in the bar, brings it back.
  const place = `otlab ${model.route}`
  function keep() {
    setText(called, model.called)
    setAttribute(called, "aria-label", `Rename ${model.called}`)
    setAttribute(called, "title", "Rename")
    setText(saved, model.saved)
    setAttribute(saved, "title", model.saved === "Saved" ? "The present state is saved on this computer" : null)
    setClass(saved, "bad", model.saved.startsWith("Not saved"))
    paper.hidden = !model.document_id
    // A student who opens the link again goes on in the same copy.
    if (model.exercise && model.document_id) document.cookie = `otlab_${model.exercise}=${model.document_id}; path=/; max-age=86400; samesite=lax`
    try {
      if (model.document_id) sessionStorage.setItem(place, model.document_id)
      else if (arrived) sessionStorage.removeItem(place)
    } catch { /* storage may be forbidden; the address has it, too */ }
  }
  // Not before the page is drawn: until then not every change that the server makes arrives here.
  let arrived = false
  function arrive() {
    if (!window.Bokeh?.documents.every(page => page.is_idle)) { setTimeout(arrive, 50); return }
    let document = ""
    try { document = model.route ? sessionStorage.getItem(place) ?? "" : "" } catch { /* storage may be forbidden */ }
    arrived = true
    recall()
    model.send_msg({ kind: "arrived", document })
  }
  // Leaving is asked about only if it costs something: edits that are kept nowhere, or a long run.
  const LONG_RUN = 30_000
  let begun = 0
  function showBusy() {
    begun = model.busy ? begun || Date.now() : 0
    showRuns()
  }
  function leave(event) {
    const lost = model.edited && !model.document_id  // the server keeps no documents
    if (lost || model.saved.startsWith("Not saved") || (begun && Date.now() - begun > LONG_RUN)) event.preventDefault()
  }
  window.addEventListener("beforeunload", leave)
  model.on("remove", () => window.removeEventListener("beforeunload", leave))

  function showName() {
    const example = model.examples.find(([value]) => value === model.example)
    const source = model.own || (example ? example[1] : model.called)
    // The menus of the cards begin the names of their files so; see State.file_stem.
    root.dataset.otlabSource = model.stem || model.noun
    setText(naming, source)
    if (model.title) document.title = [source, model.title, "otlab"].filter(Boolean).join(" \u2013 ")
    showExamples()
  }

  function showLabs() {
    const home = h("option", { value: "./", selected: !model.labs.some(([, , current]) => current) }, "otlab home")
    places.replaceChildren(home, ...model.labs.map(([title, href, current]) => h("option", { value: href, selected: current }, title)))
    nav.replaceChildren(...model.labs.map(([title, href, current]) =>
      h("a", { href, "aria-current": current ? "page" : null }, title)))
  }
  function showExamples() {
    choose.hidden = model.examples.length === 0
    const own = model.own ? [h("option", { value: "" }, model.called || model.own)] : []
    const others = model.documents.filter(([id]) => id !== model.document_id)
    own.push(...others.map(([id, name]) => h("option", { value: OPEN + id }, name)))
    if (others.length) own.push(h("option", { value: ALL }, "All documents\u2026"))
    const examples = model.examples.map(([value, label]) => h("option", { value }, label))
    const groups = own.length ? [h("optgroup", { label: "Your own" }, ...own), h("optgroup", { label: "Examples" }, ...examples)] : examples
    chooser.replaceChildren(...groups, h("option", { value: NEW }, `New ${model.noun}`))
    const word = model.own ? `Your ${model.noun}` : "Example"
    setText(chooserWord, word)
    setAttribute(chooser, "aria-label", word)
    const known = model.examples.some(([value]) => value === model.example)
    chooser.value = known ? model.example : ""
  }
  function showDark() {
    dark.replaceChildren(icon(model.dark ? "sun" : "moon"))
    setAttribute(dark, "aria-pressed", String(model.dark))
    showRuns()
    root.style.colorScheme = model.dark ? "dark" : "light"
    root.style.scrollbarColor = "var(--ot-ctl) transparent"
    root.style.background = ""
  }

  // Bokeh puts each plot into the Tab order, where no key does anything.
  listen(model, "keydown", event => {
    if (event.key === "Tab") for (const layer of deepAll(document, ".bk-events")) layer.tabIndex = -1
    else if (event.key === "Escape" && !takesText(event)) leaveFullScreen(event)
  }, true)

  // Before anything else asks what Esc means: a menu in the enlarged card, which closes itself, comes first.
  function leaveFullScreen(event) {
    const node = event.composedPath()[0]
    if (node instanceof Element && node.closest("[role=menu], [role=listbox], [role=dialog], dialog, details[open]")) return
    const back = deepAll(document, "button").find(each => [each.ariaLabel, each.innerText.trim()].includes("Back to the lab"))
    if (!back) return
    event.preventDefault()
    back.click()
    back.focus()
  }

  listen(model, "keydown", event => {
    if ((event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key) && !event.defaultPrevented && !takesText(event)) {
      event.preventDefault()
      model.send_msg({ kind: "keys", value: event.shiftKey || event.key.toLowerCase() === "y" ? "redo" : "undo" })
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return
    if (event.key === "/" && model.examples.length) { event.preventDefault(); chooser.focus(); try { chooser.showPicker() } catch { /* focus is enough */ } }
    else if (event.key === "?") openHelp()
    else if (event.key === "d" || event.key === "D") setDark(!model.dark)
    else if ((event.key === "p" || event.key === "P") && model.title) setPresenting(!frame.classList.contains("presenting"))
    else if (event.key === "[" || event.key === "]") turnTab(event.key === "]" ? 1 : -1)
    else if (event.key === "Escape" && opened()) drawer(false)
    else if (event.key === "Escape" && frame.classList.contains("presenting") && !deepAll(document, "dialog[open], [popover]:popover-open").length) setPresenting(false)
  })

  function turnTab(by) {
    const all = deepAll(document, "[role=tab]")
    const at = all.findIndex(tab => tab.getAttribute("aria-selected") === "true")
    if (at >= 0) all[(at + by + all.length) % all.length].click()
  }
  model.on("msg:custom", onMessage)
  model.on("labs", showLabs)
  model.on("examples", showName)
  for (const property of ["documents", "document_id"]) model.on(property, showName)
  model.on("example", showName)
  model.on("own", showName)
  model.on("stem", showName)
  for (const property of ["document_id", "called", "saved"]) model.on(property, keep)
  model.on("called", showName)
  model.on("busy", showBusy)
  model.on("dark", showDark)
  setClass(menu, "none", !model.drawer)
  runs.hidden = steps.hidden = !model.runs
  present.classList.add("present")
  present.hidden = !model.title
  keepReachable(model)
  making.classList.add("present")
  making.hidden = !model.route
  link.hidden = Boolean(model.title && !model.route)  // the teacher's own link is not to be handed out
  showLabs()
  showName()
  showDark()
  keep()
  arrive()
}
