// An exercise in the page: question and answer, what is locked and hidden, a guess, and what is handed in.
//
// asked    {id, title, question, choices, locked, hides, guessing, own_seed}; guessing as the guess card takes it, with its kind, or null
// page     {changed(), results(), fields}; results(): what was learnt from the table as it was given, by learner
//
// The answer is a file to hand in; in a course (SCORM) it is kept there, and reported when it is given.

const ANSWER_FORMAT = 1, MOST_OF_ANSWER = 2000
const NO_ANSWER = { name: "", answer: "", why: "", guess: null, truth: null, ended: false }

function exerciseIn(asked, place, page) {
  const now = { ...NO_ANSWER }
  const course = exerciseIn.course ??= courseAround()
  const words = {
    give: word("Keep"), given: course ? word("Kept in your course") : word("Kept on this page; hand it in below"), changed: word("Changed since it was kept"),
    revealed: word("You have ended the exercise: everything is shown."),
  }
  const shown = () => ({ title: asked.title, question: asked.question, choices: asked.choices, page: "", hides: asked.hides, revealed: now.ended, words, name: now.name, answer: now.answer, why: now.why })
  const bar = pageModel({ shown: shown() }, ({ kind, text }) => { if (kind in now && !now.ended) { now[kind] = String(text).slice(0, MOST_OF_ANSWER).trim(); changed() } })
  const guessShown = () => ({ ...asked.guessing, guess: now.guess, truth: now.truth, text: "" })
  const guess = asked.guessing && pageModel({ shown: guessShown() }, message => { if (now.guess === null) { now.guess = centredGuess(message.guess); changed() } })
  const centredGuess = groups => { const mean = asked.guessing.line ? groups.flat().reduce((sum, x) => sum + x, 0) / groups.length : 0; return groups.map(group => group.map(x => x - mean)) }

  const told = h("span", { class: "remark", role: "status" })
  const save = h("button", { type: "button", onclick: () => saveFile(new Blob([JSON.stringify(handedIn(), null, 1)], { type: "application/json" }), `answer_${fileStem(now.name) || "without_name"}.json`) }, word("Save my answer as a file"))
  const copy = h("button", { type: "button", onclick: async () => { await copyText(inWords(), place); setText(told, word("Copied")) } }, word("Copy it as text"))
  const end = h("button", { type: "button", onclick: () => { now.ended = true; changed() } }, word("End the exercise and show everything"))
  const host = h("div"), guessHost = h("div"), foot = h("div", { class: "bar handing" }, save, copy, end, told)
  place.replaceChildren(host, ...(guess ? [guessHost] : []), foot)
  styled(exerciseBar, host, bar, asked.styles.exercise)
  if (guess) styled(guessCard, guessHost, guess, asked.styles.guess)

  function styled(render, host, model, css) {
    component(render, host, model)
    host.shadowRoot.append(h("style", {}, css))
  }

  // What came out, in the form of the guess, and the numbers of the runs, for a class to compare.
  function outcome() {
    const found = page.results()
    if (!asked.guessing) return null
    if (asked.guessing.line) return found.values?.map(x => [x]) ?? null
    return found.predicted ? asked.guessing.rows.map(rows => rows.map(row => found.predicted[row])) : null
  }

  function draw() {
    bar.set("shown", shown())
    if (now.guess !== null) now.truth = outcome() ?? now.truth
    guess?.set("shown", guessShown())
    const given = now.answer || now.why
    save.disabled = copy.disabled = !given
    end.hidden = !asked.hides || now.ended
    end.disabled = !given
    host.inert = now.ended
  }

  function changed() {
    draw()
    page.changed()
    course?.put(now, Boolean(now.answer), page.fields())
  }

  const handedIn = () => ({ otlab_answer: ANSWER_FORMAT, exercise: asked.id, title: asked.title, question: asked.question, ...now, guessing: asked.guessing?.names ?? [], ran: page.results().ran, report: page.results().report })
  function inWords() {
    const lines = [[word("Exercise"), asked.title], [word("Name"), now.name], [word("Answer"), now.answer], [word("Why"), now.why], [word("Learnt by"), page.results().ran]]
    return lines.filter(([, text]) => text).map(([label, text]) => `${label}: ${text}`).join("\n")
  }

  draw()
  return {
    locked: what => asked.locked.includes(what),
    get hides() { return asked.hides && !now.ended },
    get held() { return guess && now.guess === null && !now.ended ? word("Make your guess first.") : "" },
    state: () => ({ ...now }),
    // Go on with what was kept; names that are not of an answer are left out.
    take(kept) { for (const name of Object.keys(now)) if (kept && name in kept) now[name] = kept[name]; draw() },
    ran() { if (now.guess !== null || asked.guessing === null) changed() },
    course,
  }
}

const fileStem = text => text.replace(/[^\p{L}\p{N}\p{M}]+/gu, "_").replace(/^_|_$/g, "")
