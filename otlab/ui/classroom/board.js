// Takes 4.9 ms to build, where a Tabulator of thirty rows and six Buttons would take 59.
// The teacher's board: the question, the link, what every page does, and the answers.

export function render({ model, el }) {
  const send = kind => model.send_msg({ kind })
  const lab = h("span", { class: "label" }), title = h("h1"), question = h("p", { class: "question" })
  const link = h("input", { type: "text", readonly: true, "aria-label": "Link for students", onfocus: () => link.select() })
  const copied = h("span", { class: "remark", role: "status" })
  const copy = h("button", { type: "button", onclick: async () => { await copyText(link.value, el); setText(copied, "Copied") } }, icon("link"), "Copy")
  const reveal = h("button", { type: "button", onclick: () => send("reveal") })
  const over = h("button", { type: "button", onclick: () => sure.showModal() }, icon("reset"), "Start over")
  const project = h("button", { type: "button", onclick: () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "p", bubbles: true })) }, icon("screen"), "Project")
  const save = h("button", { type: "button", onclick: () => send("answers") }, icon("download"), "Answers as CSV")
  // Files that students saved: a folder, with those in it, as a course hands them out.
  const MOST_FILES = 1000, LONGEST = 200000
  const folder = h("input", { type: "file", multiple: true, webkitdirectory: true, hidden: true, "aria-label": "Folder of answers", onchange: async () => {
    const chosen = [...folder.files].filter(file => /\.json$/i.test(file.name) && file.size <= LONGEST).slice(0, MOST_FILES)
    const files = await Promise.all(chosen.map(async file => [file.webkitRelativePath || file.name, await file.text()]))
    folder.value = ""
    if (files.length) model.send_msg({ kind: "handed_in", files })
    else setText(told, "There is no file of an answer (.json) in this folder.")
  } })
  const collect = h("button", { type: "button", onclick: () => folder.click() }, icon("class"), "Add a folder of answers")
  const told = h("span", { class: "remark", role: "status" })
  const names = h("button", { type: "button", onclick: () => { named = !named; draw() } }, icon("class"))
  // On a projector names are hidden until they are asked for.
  const projected = () => document.documentElement.style.getPropertyValue("--ot-side") === "none"
  let named = false
  window.addEventListener("resize", draw)
  model.on("remove", () => { window.removeEventListener("resize", draw) })
  const showNames = () => named || !projected()
  const code = h("b", { class: "code" }), picture = h("div", { class: "picture" }), where = h("p", { class: "where" }), typed = h("p")
  const joining = h("dialog", { class: "joining", "aria-label": "Join with a code", onclick: event => { if (event.target === joining) joining.close() } },
    h("h2", { class: "title" }, "Join"), picture, typed, code, where, h("form", { method: "dialog" }, h("button", {}, "Close")))
  const join = h("button", { type: "button", onclick: () => { model.send_msg({ kind: "qr", address: link.value }); joining.showModal() } }, icon("screen"), "Code to join")
  model.on("msg:custom", message => {
    if (message.qr) picture.innerHTML = message.qr
    else if (message.told) setText(told, message.told)
    else if (message.data) saveSentFile(message)
  })
  const sure = h("dialog", { "aria-label": "Start over?" }, h("h2", { class: "title" }, "Start over?"),
    h("p", {}, "Answers, guesses and runs are forgotten, and every open page begins again with the exercise as you made it."),
    h("form", { method: "dialog", class: "row" }, h("button", { type: "button", class: "primary", onclick: () => { sure.close(); send("start_over") } }, "Start over"), h("button", { autofocus: true }, "Keep them")))
  const counts = h("div", { class: "counts", role: "status" })
  const rows = h("tbody"), heads = h("tr")
  const none = h("p", { class: "none" })
  const table = h("table", { "aria-label": "Pages" }, h("thead", {}, heads), rows)
  const answers = h("ol", { class: "answers" }), noAnswer = h("p", { class: "none" }, "Answers are counted here as they come in; like ones are put together.")
  el.replaceChildren(h("div", { class: "board" },
    h("div", { class: "head" },
      h("div", { class: "asked" }, lab, title, question),
      h("div", { class: "tools" },
        h("div", { class: "row" }, reveal, over, project),
        h("div", { class: "row" }, h("span", { class: "label" }, "Students open"), link, copy, join, copied))),
    h("div", { class: "two" },
      h("section", { class: "card pages", "aria-label": "Pages of the class" }, h("div", { class: "top" }, h("h2", { class: "title" }, "Pages"), h("span", { class: "row" }, counts, names)), none, table),
      h("section", { class: "card", "aria-label": "Answers" }, h("div", { class: "top" }, h("h2", { class: "title" }, "Answers"), save), noAnswer, answers, h("div", { class: "row" }, collect, told, folder))), sure, joining))

  const MARKS = { reading: "plain", editing: "plain", running: "warn", done: "good", answered: "good" }
  function draw() {
    const s = model.shown
    if (!s.pages) return
    const local = /^(localhost|127\.|\[::1\])/.test(window.location.hostname)
    setText(lab, `Exercise in the ${s.lab} lab`)
    setText(title, s.title)
    setText(question, s.question)
    const address = (local && s.hosts.length ? `${s.hosts[0]}/` : new URL(".", window.location.href).href) + s.link
    if (link.value !== address) link.value = address
    const joinAt = address.slice(0, address.length - s.link.length) + s.join
    setText(code, s.code)
    setText(typed, `Or open ${joinAt.replace(/^https?:\/\//, "")} and type`)
    setText(where, "The code counts while this board is open.")
    names.hidden = !projected()
    names.replaceChildren(icon("class"), named ? "Hide names" : "Show names")
    save.hidden = s.pages.length === 0
    reveal.hidden = !s.hides
    setClass(reveal, "on", s.revealed)
    setAttribute(reveal, "aria-pressed", String(s.revealed))
    reveal.replaceChildren(icon("eye"), s.revealed ? "Hide the answer again" : "Reveal the answer")
    const open = s.pages.filter(page => page.here)
    const many = (state, word) => { const n = open.filter(page => page.state === state).length; return n ? `${n} ${word}` : null }
    setText(counts, [`${open.length} open`, many("running", "running"), many("done", "done"), many("answered", "answered")].filter(Boolean).join(", "))
    setText(none, "No page is open yet. Hand out the link above: each student who opens it appears here.")
    none.hidden = s.pages.length > 0
    table.hidden = s.pages.length === 0
    const guess = s.predict
    heads.replaceChildren(...["Who", "State", "Ran", ...(guess ? ["Guess"] : []), "Answer", ...(s.choices.length ? ["Why"] : [])].map(head => h("th", { scope: "col" }, head)))
    rows.replaceChildren(...s.pages.map(page => h("tr", { class: page.here ? null : "gone" },
      h("th", { scope: "row" }, showNames() ? page.name : page.page),
      h("td", {}, h("span", { class: `badge ${MARKS[page.state]}` }, page.here ? page.status : `${page.status}, closed`)),
      h("td", {}, page.doing), ...(guess ? [h("td", { class: "guessed" }, page.guess)] : []), h("td", { class: "wide" }, page.answer), ...(s.choices.length ? [h("td", { class: "wide" }, page.why)] : []))))
    // Answers that can be chosen stand in their order, with those nobody chose; others by how many gave them.
    const given = new Map(s.answers)
    const listed = s.choices.length ? s.choices.map(choice => [choice, given.get(choice) ?? []]) : s.answers
    const most = Math.max(1, ...listed.map(([, names]) => names.length))
    answers.replaceChildren(...listed.map(([answer, names]) => h("li", { title: showNames() ? names.join(", ") : null },
      h("span", { class: "words" }, answer), h("span", { class: "track" }, h("span", { class: "fill", style: `width:${100 * names.length / most}%` })), h("b", {}, String(names.length)))))
    answers.hidden = listed.length === 0
    noAnswer.hidden = listed.length > 0
  }
  if (model.shown.pages) draw()
  model.on("shown", draw)
}
