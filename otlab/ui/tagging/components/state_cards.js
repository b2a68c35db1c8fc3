// Takes 5.4 ms to build, where twenty Cards with a TextInput each would take 425.
// State cards: words, gold tags, neighbours; the name can be edited in place.

const TAGS = "Most frequent gold tags, in per cent of the state's tokens."
const LIFT = "Words most of whose tokens are in this state (highest lift); rare words are held back."

export function render({ model, el }) {
  const box = h("div", { class: "cards", role: "list", "aria-label": "States in words" })
  box.copyData = () => [["state", "tokens", "word", "share of the state"], ...model.cards.flatMap(c =>
    c.words.map(([word, share]) => [c.name, c.tokens, word, share]))].map(row => row.join("\t")).join("\n")
  el.replaceChildren(box)
  let editing = null

  function build() {
    if (editing !== null) return
    setClass(box, "wide", model.wide)
    box.replaceChildren(...model.cards.map(card))
  }
  function card(c) {
    const chosen = c.state === model.selected
    return h("article", { class: chosen ? "card chosen" : "card", role: "listitem", "aria-label": c.name,
        onclick: event => { if (!event.target.closest("button,input")) model.send_msg({ kind: "select", state: c.state }) } },
      head(c),
      h("table", { class: "words" }, ...c.words.map(([word, share]) => h("tr", {},
        h("td", { class: "word" }, h("bdi", {}, word)),
        h("td", { class: "track" }, h("div", { style: `width:${Math.max(1.5, 100 * share / c.words[0][1])}%;background:var(--ot-${model.hue});box-shadow:inset 0 0 0 .8px var(--ot-${model.hue}-edge)` })),
        h("td", { class: "num" }, share.toFixed(2).replace(/^0/, ""))))),
      h("div", { class: "small cut" }, h("span", { class: "label", title: LIFT }, "Most typical: "), h("i", {}, ...c.lift.flatMap((word, i) => [i ? ", " : null, h("bdi", {}, word)]))),
      c.tags.length ? tags(c.tags) : null,
      ...neighbours(c),
      ...(c.examples ?? []).map(([left, word, right, dir]) => h("div", { class: "kwic small", dir: dir || null }, h("span", { class: "left" }, left), h("b", {}, word), h("span", {}, right))))
  }
  function head(c) {
    const title = h("button", { type: "button", class: c.named ? "plain title" : "plain title unnamed",
      "aria-label": `Name ${c.name}`, onclick: () => edit(c, title) }, h("span", {}, c.name), icon("pencil"))
    return h("div", { class: "head" }, title, h("span", { class: "small" }, `${c.tokens.toLocaleString("en-US")}${model.wide && c.named ? "" : c.tokens === 1 ? " token" : " tokens"}`))
  }
  function edit(c, title) {
    const input = h("input", { value: c.named ? c.name : "", placeholder: c.name, "aria-label": `Name of ${c.name}`, maxlength: 40 })
    editing = c.state
    const end = keep => {
      if (editing === null) return
      editing = null
      if (keep) model.send_msg({ kind: "name", state: c.state, name: input.value.trim() })
      build()
    }
    input.addEventListener("keydown", event => { event.stopPropagation(); if (event.key === "Enter") end(true); if (event.key === "Escape") end(false) })
    input.addEventListener("blur", () => end(true))
    title.replaceWith(input)
    input.focus()
  }
  function neighbours(c) {
    const side = (word, names) => [`${word} `, h("b", {}, h("bdi", {}, names.join(", ") || "–"))]
    if (!model.wide) return [h("div", { class: "small cut" }, ...side("follows", c.before), ...side(", precedes", c.after))]
    // One line each, so that cards are equally high.
    const line = (word, names) => h("div", { class: "small cut", title: `Usually ${word} ${names.join(", ")}` }, ...side(word, names))
    return [line("follows", c.before), line("precedes", c.after)]
  }
  function tags(list) {
    const hues = ["gibbs", "other", "em"], rest = 1 - list.reduce((sum, [, share]) => sum + share, 0)
    return h("div", {},
      h("div", { class: "stack" }, ...list.map(([, share], i) => h("i", { style: `width:${100 * share}%;background:var(--ot-${hues[i]})` }))),
      h("div", { class: "small tags", title: TAGS }, ...list.map(([tag, share], i) => h("span", {}, h("i", { class: "sw", style: `background:var(--ot-${hues[i]})` }), " ", h("bdi", {}, tag), ` ${Math.round(100 * share)}`)),
        h("span", { class: "rest" }, `other ${Math.round(100 * Math.max(rest, 0))}\u202f%`)))
  }
  build()
  model.on("cards", build)
  model.on("selected", build)
}
