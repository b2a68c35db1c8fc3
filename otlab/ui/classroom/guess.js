// Takes 5.3 ms to build, where six FloatSliders and a Button would take 50.
// A guess as sliders, whose shares add up to 100 %; then bars of the guess and of the result. Or as a line
// of ranking values to drag; then that line, and beside it that of the result.

const percent = x => `${Math.round(100 * x)}\u2009%`

export function render({ model, el }) {
  const title = h("h2", { class: "title" }), groups = h("div", { class: "groups" })
  const give = h("button", { type: "button", class: "primary", onclick: () => { model.send_msg({ kind: "guess", guess: values }); text.focus() } }, said("This is my guess"))
  const text = h("p", { class: "text", role: "status", tabindex: -1 })
  const key = h("div", { class: "key" }, h("span", { class: "mine" }), said("your guess"), h("span", { class: "true" }), said("result"))
  el.replaceChildren(h("section", { class: "guess", "aria-label": said("Your guess") },
    h("div", { class: "head" }, title, key), groups, h("div", { class: "foot" }, give, text)))
  let values = []

  // One slider moved: the others of its group give way in proportion.
  function set(g, k, value) {
    const group = values[g]
    if (model.shown.shares && group.length > 1) {
      const others = group.reduce((sum, x, i) => i === k ? sum : sum + x, 0)
      for (let i = 0; i < group.length; i++) if (i !== k) group[i] = others > 0 ? group[i] * (1 - value) / others : (1 - value) / (group.length - 1)
    }
    group[k] = value
  }

  function slider(g, k, label, rows) {
    const range = h("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": label, oninput: () => { set(g, k, range.value / 100); rows.forEach(row => row()) } })
    const number = h("span", { class: "number" })
    rows.push(() => {
      if (Math.round(range.value) !== Math.round(100 * values[g][k])) range.value = Math.round(100 * values[g][k])
      setAttribute(range, "aria-valuetext", percent(values[g][k]))
      setText(number, percent(values[g][k]))
    })
    return h("div", { class: "option" }, h("span", { class: "form cut", title: label }, label), range, number)
  }
  function bars(label, mine, truth) {
    const bar = (kind, x) => h("span", { class: `bar ${kind}`, style: `width:${100 * x}%` })
    const number = truth == null ? percent(mine) : said("{guess}, result {result}", { guess: percent(mine), result: percent(truth) })
    return h("div", { class: "option" }, h("span", { class: "form cut", title: label }, label),
      h("div", { class: "bars" }, bar("mine", mine), truth == null ? null : bar("true", truth)), h("span", { class: "number" }, number))
  }

  // A ranking line with a root of its own; `take` is called with its values as they are dragged.
  function line(label, start, span, take = null) {
    const head = h("div", { class: "label" }, `${label}: `, ...order(start))
    const host = h("div", { class: "line" }), { names, noise, bound } = model.shown.line
    let answered = () => {}
    const own = {
      names, values: start, home: start, noise, bound, span,
      on(what, call) { if (what === "msg:custom") answered = call },
      send_msg({ values }) { take(values); answered() },
    }
    host.inert = take === null
    rankingLine({ model: own, el: host.attachShadow({ mode: "open" }) })
    return h("div", { class: "ranked", role: "group", "aria-label": label }, take ? null : head, host)
  }
  const constraint = ({ stem, below }) => h("span", { class: "constraint" }, stem, below ? h("sub", {}, below) : null)
  const order = at => at.map((_, i) => i).sort((a, b) => at[b] - at[a])
    .flatMap((i, k) => [k ? " \u226b " : "", constraint(model.shown.line.names[i])])
  function lines() {
    const s = model.shown, { noise, bound } = s.line
    if (!s.guess) {
      const middle = (s.groups.length - 1) / 2, step = Math.min(noise, bound / Math.max(1, middle))
      const start = s.groups.map((_, k) => step * (middle - k))
      values = start.map(x => [x])
      return [line(said("Your guess"), start, null, at => { values = at.map(x => [x]) })]
    }
    const shown = [[said("Your guess"), s.guess], ...(s.truth ? [[said("Result"), s.truth]] : [])].map(([label, at]) => [label, at.map(([x]) => x)])
    const all = shown.flatMap(([, at]) => at), span = [Math.min(...all) - 2.4 * noise, Math.max(...all) + 2.4 * noise]
    return shown.map(([label, at]) => line(label, at, span))
  }

  function draw() {
    const s = model.shown
    setText(title, s.guess ? said("Your guess") : said(s.question))
    if (!s.guess) values = s.groups.map(([, options]) => options.map(() => s.shares ? 1 / options.length : 0.5))
    const rows = []
    if (s.line) groups.replaceChildren(...lines())
    else groups.replaceChildren(...s.groups.map(([name, options], g) => h("div", { class: "group", role: "group", "aria-label": name },
      name ? h("div", { class: "label" }, name) : null,
      ...options.map((option, k) => s.guess ? bars(option, s.guess[g][k], s.truth?.[g]?.[k]) : slider(g, k, option, rows)))))
    rows.forEach(row => row())
    give.hidden = Boolean(s.guess)
    key.hidden = !s.guess || Boolean(s.line)
    setText(text, s.text || (s.guess && !s.truth ? said("Now press Run.") : ""))
  }
  draw()
  model.on("shown", draw)
}
