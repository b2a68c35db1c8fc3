// The page: the cards, what is in them, and the runs. `DATA` has the tableau, the kernels and their signatures.

// Draw the page; `before` is what an earlier page in another language leaves to this one.
function openLab(before) {
  const LEARNERS = { gibbs: "Gibbs", gla: "GLA", maxent: "MaxEnt" }
  const LABELS = { ...LEARNERS, ...Object.fromEntries(DATA.results.map(kept => [kept.learner, kept.label])) }   // with those of results that were learnt elsewhere
  const SHOWN = 150                       // ms between two pictures of a run
  const FRAME = 17                        // ms
  const LAST_WORDS = 30                   // ms in which a run that is stopped may say what it has
  let { tableau, past, future, results, latest, kernels, carried } = before ?? { tableau: DATA.tableau, past: [], future: [], results: {}, latest: null, kernels: null, carried: { values: {}, filled: {} } }
  let running = null, concluding = 0, plan = null
  const module = before?.module ?? WebAssembly.compile(Uint8Array.from(atob(DATA.wasm), c => c.charCodeAt(0)))
  const open_ = new AbortController(), { signal } = open_   // until the language changes

  const card = (title, wide, ...body) => h("section", { class: wide ? "wide" : null, "aria-label": title }, h("header", {}, h("h2", {}, title)), h("div", { class: "body" }, ...body))
  const button = (text, act, attributes = {}) => h("button", { type: "button", onclick: act, ...attributes }, text)
  const choice = (label, options, value) => {
    const select = h("select", { "aria-label": label }, ...Object.entries(options).map(([name, words]) => h("option", { value: name, selected: name === value }, words)))
    return { node: h("label", { class: "field" }, label, select), get value() { return select.value }, get text() { return select.value }, set text(words) { if (words in options) select.value = words }, select }
  }
  // A number; `text` is it as the documents have it, with a point, while the field shows it as the reader writes it.
  const amount = (label, value, fits, hint, kind = "decimal") => {
    const input = h("input", { inputmode: kind, "aria-label": label }), read = () => typedNumber(input.value, kind === "numeric"), unclear = () => kind === "numeric" ? null : unclearNumber(input.value)
    const field = { node: h("label", { class: "field" }, label, input), input, get text() { const x = read(); return Number.isFinite(x) ? String(x) : input.value.trim() }, set text(words) { input.value = typed(words) }, get value() {
      const empty = input.value.trim() === "", x = read(), good = !unclear() && fits(x) && (empty || !Number.isNaN(x))
      setAttribute(input, "aria-invalid", good ? null : "true")
      if (!good) throw new Error(word("{name}: {what}.", { name: label, what: unclear() ?? hint }))
      return x
    } }
    field.text = value
    return field
  }
  const whole = (least, most) => x => Number.isInteger(x) && x >= least && x <= most
  const above = x => x > 0 && Number.isFinite(x)

  // ---- fields

  const isWhole = (low, high) => word("write a whole number, {low} to {high}", { low: number(low), high: number(high) }), isAbove = word("write a number above 0")
  const fields = {
    learner: choice(word("Learner"), LEARNERS, "gibbs"),
    seed: amount(word("Seed"), DATA.seed ?? Math.floor(Math.random() * 1e9), whole(0, 2 ** 32 - 1), isWhole(0, 2 ** 32 - 1), "numeric"),
    noise: amount(word("Evaluation noise"), tableau.noise, above, isAbove),
    total: amount(word("Observations per input"), tableau.total ?? "", x => Number.isNaN(x) || whole(1, 1e6)(x), word("write a whole number, or nothing if frequencies are counts"), "numeric"),
    sweeps: amount(word("Sweeps"), 20000, whole(1, 1e6), isWhole(1, 1e6), "numeric"),
    chains: amount(word("Chains"), 4, whole(1, 16), isWhole(1, 16), "numeric"),
    bound: amount(word("Bound"), tableau.bound, above, isAbove),
    trials: amount(word("Trials"), 1000000, whole(1, 1e8), isWhole(1, 1e8), "numeric"),
    runs: amount(word("Runs"), 10, whole(1, 100), isWhole(1, 100), "numeric"),
    schedule: choice(word("Schedule"), Object.fromEntries(Object.keys(DATA.schedules).map(name => [name, name])), "otsoft"),
    rule: choice(word("Update rule"), Object.fromEntries(DATA.rules.map(name => [name, name])), "symmetric-all"),
    apriori: aprioriField(word("Ranked a priori"), () => tableau),
    sd: amount(word("Prior SD"), 10, x => Number.isNaN(x) || above(x), word("write a number above 0, or nothing for no prior")),
    sign: choice(word("Weights"), { nonnegative: word("0 or more"), free: word("any sign") }, "nonnegative"),
  }
  const texts = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.text]))
  const put = given => { for (const [name, text] of Object.entries(given)) if (name in fields) fields[name].text = text }
  put(DATA.fields)
  if (DATA.results[0]?.learner in LEARNERS) fields.learner.text = DATA.results[0].learner
  const OWN = { gibbs: ["sweeps", "chains", "noise", "bound", "total", "apriori"], gla: ["trials", "runs", "noise", "schedule", "rule", "apriori"], maxent: ["sd", "sign", "total"] }

  function settingsOf(learner) {
    const own = Object.fromEntries(OWN[learner].map(name => [name, fields[name].value]))
    const total = OWN[learner].includes("total") ? Number.isNaN(own.total) ? null : own.total : tableau.total
    const asked = Object.fromEntries(OWN[learner].map(name => [name, fields[name].text]))
    const job = { learner, asked, seed: fields.seed.value, tableau: { ...tableau, total } }
    if (learner === "gibbs") return { ...job, settings: own, chains: range(0, own.chains) }
    if (learner === "gla") return { ...job, settings: { ...own, ...DATA.schedules[own.schedule], rule: DATA.rules.indexOf(own.rule), initial: 100 }, chains: range(0, own.runs) }
    return { ...job, settings: { sd: own.sd, free: own.sign === "free" }, chains: [0] }
  }

  // Why a learner cannot learn from the tableau; null if it can.
  function obstacle({ learner, tableau }) {
    if (!tableau.frequencies.some(n => n > 0)) return word("No candidate has a count; count at least one.")
    if (learner === "gla") return null
    if (!countsOf(tableau)) return word("The frequencies are no counts: write how many observations each input stands for.")
    const never = learner === "gibbs" ? impossibleRows(tableau, relationsOf(tableau)) : []
    return never.length ? word("{candidates}: observed, but no ranking lets it win. Set its count to 0 or correct the violations.", { candidates: never.map(row => isolated(tableau.candidates[row])).join(", ") }) : null
  }

  // ---- runs

  // Start a job in a worker, or here where the browser refuses one made from this page. What comes back ends it;
  // its `ask()` stops it, so that it still reports what it has.
  async function start(job, hear) {
    const message = { module: await module, signatures: DATA.signatures, job }
    const code = ["shared", "worker"].map(id => document.getElementById(id).textContent).join("\n")
    try {
      const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" })), worker = new Worker(address)
      URL.revokeObjectURL(address)
      worker.onmessage = event => hear(event.data)
      worker.onerror = event => hear({ failed: event.message })
      worker.postMessage(message)
      return Object.assign(() => worker.terminate(), { ask: () => worker.postMessage("stop") })
    } catch {
      let halted = false, ended = false
      runJob(message, found => { if (!ended) hear(found) }, () => halted).catch(error => hear({ failed: error.message }))
      return Object.assign(() => { halted = ended = true }, { ask() { halted = true } })
    }
  }

  // The chains of a run, shared out among as many workers as there are processors.
  async function run() {
    let job, problem = null
    if (running || task?.held) return
    if (tableHost.querySelector("[aria-invalid]")) problem = word("Correct the tableau first.")
    else try { job = settingsOf(fields.learner.value); problem = obstacle(job) } catch (error) { problem = error.message }
    setText(trouble, problem ?? "")
    if (problem) return
    const result = latest = results[job.learner] = { job, source: tableau, chains: job.chains.map(() => null), draws: job.chains.map(() => []), summary: null, finished: false, began: performance.now() }
    const count = Math.max(1, Math.min(job.chains.length, navigator.hardwareConcurrency || 2))
    const own = running = { result, halts: [], open: count, complete: true, stopping: false }
    state()
    for (let w = 0; w < count; w++) {
      const halt = await start({ ...job, chains: job.chains.filter(chain => chain % count === w) }, message => { if (running === own) heard(message) })
      if (running !== own) return halt()
      own.halts.push(halt)
      if (own.stopping) return halt.ask()
    }
  }

  // Stop a run: what its chains have drawn until now counts.
  function stopRun() {
    if (!running || running.stopping) return
    const own = running
    own.stopping = true
    state()
    own.halts.forEach(halt => halt.ask())
    setTimeout(() => { if (running === own) end(false) }, LAST_WORDS)
  }

  function heard({ chains, ended, finished, failed }) {
    const { result } = running
    for (const chain of chains ?? []) {
      result.chains[chain.number] = chain
      if (chain.draws) result.draws[chain.number].push(chain.draws)
    }
    if (failed) { setText(trouble, word("The run failed: {problem}", { problem: failed })); return end(false) }
    if (ended) running.complete &&= finished
    if (ended && --running.open === 0) return end(running.complete)
    later()
  }

  function end(finished) {
    const { result, halts } = running
    halts.forEach(halt => halt())
    running = null
    result.finished = finished
    result.seconds = (performance.now() - result.began) / 1000
    result.nothing = !dropEmpty(result)
    if (result.nothing) delete results[result.job.learner]
    concluding++
    state()
    say()   // at once: what is drawn comes after the next frame
    setTimeout(() => { concluding--; state(); conclude(result) }, FRAME)
  }

  // Leave out the chains of a stopped run that have nothing to show; return whether any is left.
  function dropEmpty(result) {
    const { job } = result, sampled = job.learner === "gibbs"
    const has = n => result.chains[n]?.done > 0 && (!sampled || result.draws[n].some(draws => draws.length))
    const left = range(0, result.chains.length).filter(has)
    result.chains = left.map(n => result.chains[n])
    result.draws = left.map(n => result.draws[n])
    return left.length > 0
  }

  // Estimates, predictions and convergence, in a worker; the page goes on meanwhile.
  async function conclude(result) {
    const { job } = result
    show()
    if (result.nothing) return
    if (job.learner === "maxent") { result.summary = { predicted: result.chains[0].probability.map(mean => ({ mean })) }; keep(); show(); return task?.ran() }
    const k = job.tableau.constraints.length, sampled = job.learner === "gibbs"
    const draws = sampled ? countedDraws(result.draws.map(joinedDraws), k, result.chains[0].thin, job.settings.sweeps) : result.chains.map(chain => chain.values)
    if (!draws[0].length) return show()
    result.counted = draws
    concluding++
    state()
    const halt = await start({ learner: "summary", tableau: job.tableau, draws, chains: draws.length, noise: job.settings.noise, sampled }, ({ summary, failed }) => {
      halt?.()
      concluding--
      state()
      if (failed) setText(trouble, word("The estimates failed: {problem}", { problem: failed }))
      result.summary = summary ?? null
      show()
      keep()
      task?.ran()
    })
  }

  let waiting = null, drawn = 0
  const later = () => { waiting ??= setTimeout(() => { waiting = null; drawn = performance.now(); show() }, Math.max(0, drawn + SHOWN - performance.now())) }

  // ---- cards

  const trouble = h("p", { class: "fault", role: "alert" }), opening = h("p", { class: "fault", role: "alert" }), progress = h("progress", { max: 1, value: 0, "aria-label": word("Progress") }), status = h("p", { class: "remark", "aria-live": "polite" })
  const go = button(word("Run"), run, { class: "primary" }), stop = button(word("Stop"), stopRun)
  const undo = button(word("Undo"), () => back(past, future)), redo = button(word("Redo"), () => back(future, past))
  const tableHost = h("div"), bars = h("div", { class: "live-bars", tabindex: 0, role: "group", "aria-label": word("Exact probabilities") }), lineHost = h("div", { class: "line" }), announced = h("p", { class: "hidden", "aria-live": "polite" })
  const from = h("p", { class: "remark" }), reset = button(word("All at 0"), () => place(tableau.constraints.map(() => 0), word("all at 0")))
  const cards = Object.fromEntries([...Object.keys(LABELS), "predicted"].map(name => [name, card(LABELS[name] ?? word("Observed and predicted"), true)]))
  const ranking = card(word("Ranking values and exact probabilities"), true, from, h("div", { class: "two" }, h("div", {}, lineHost, reset), bars), announced)

  const strata = card(word("Strata of the most frequent candidates (RCD)"), true), languages = card(word("Typology"), true)
  strata.hidden = languages.hidden = true

  // Hand the page over to one in another language. A run is not cut off: the control waits for its end.
  function leave() {
    open_.abort()
    if (keeping !== null) keepNow()
    for (const timer of [planning, waiting]) clearTimeout(timer)
    haltPlan?.()
    line?.set("remove", true)
    openLab({ tableau, past, future, results, latest, kernels, carried, module, begun, texts: texts(), answer: task?.state(), fresh: resumed.hidden, line: line && { values: line.values, noise: line.noise } })
  }

  function state() {
    document.getElementById("language").disabled = Boolean(running || concluding)
    go.disabled = Boolean(running || task?.held)
    setAttribute(go, "title", task?.held || null)
    stop.disabled = !running || running.stopping
    undo.disabled = !past.length
    redo.disabled = !future.length
    for (const [name, { node }] of Object.entries(fields)) node.hidden = !["learner", "seed"].includes(name) && !OWN[fields.learner.value].includes(name)
  }

  function show() {
    const hides = Boolean(task?.hides)
    ranking.hidden = hides
    for (const node of [strata, languages]) node.hidden = hides || !node.querySelector(".body").hasChildNodes()
    for (const button of [savePage_, saveDocument, saveLatex]) button.hidden = hides
    for (const learner of Object.keys(LABELS)) {
      const result = results[learner], node = cards[learner]
      node.hidden = hides || !result || (!result.kept && result.chains.every(chain => chain === null))
      if (!node.hidden) drawResult(node, result)
    }
    const fitting = ({ source: { inputs, candidates, offsets } }) => JSON.stringify([inputs, candidates, offsets]) === JSON.stringify([tableau.inputs, tableau.candidates, tableau.offsets])
    const columns = Object.keys(LABELS).filter(name => results[name]?.summary?.predicted && fitting(results[name])).map(name => ({ name: LABELS[name], hue: results[name].kept?.hue ?? name, values: results[name].summary.predicted }))
    cards.predicted.hidden = hides || !columns.length
    if (columns.length) cards.predicted.querySelector(".body").replaceChildren(predictedTable(tableau, columns))
    say()
  }

  // How far the run is, or how it ended.
  function say() {
    const last = latest, total = last?.job.settings.sweeps ?? last?.job.settings.trials ?? 1
    const done = last ? last.chains.reduce((sum, chain) => sum + (chain?.done ?? 0), 0) / Math.max(1, last.chains.length) : 0
    const said = last && { learner: LEARNERS[last.job.learner], done: number(Math.floor(done)), total: number(total), seconds: `${decimal(last.seconds ?? 0, 1)}\u2009s` }
    progress.value = last ? done / total : 0
    setText(status, !last ? "" : running ? word("{learner}: {done} of {total}", said)
      : last.nothing ? word("{learner}: stopped before there was anything to show", said)
      : last.finished ? word("{learner}: finished after {seconds}", said) : word("{learner}: stopped at {done} of {total} after {seconds}", said))
  }

  // Ranking values of a result, whose they are, and the noise; null if it has none for the constraints shown.
  function centreOf({ job, source, summary, kept }) {
    if (!summary || (kept ? kept.kind !== "ranking value" : job.learner === "maxent") || source.constraints.join("\n") !== tableau.constraints.join("\n")) return null
    const sampled = kept ? kept.trust : job.learner === "gibbs", values = summary.columns.map(column => unknown(sampled ? column.median : column.mean))
    return values.every(Number.isFinite) ? [values, sampled ? word("the posterior medians of {learner}", { learner: LABELS[job.learner] }) : word("the mean of the runs of {learner}", { learner: LABELS[job.learner] }), job.settings.noise] : null
  }

  function drawResult(node, result) {
    const { job, source, finished } = result, parts = resultParts(result)
    if (centreOf(result)) parts.push(h("div", { class: "bar" }, button(word("Show on the ranking line"), () => place(...centreOf(result)))))
    const said = [word("Seed {seed}", { seed: job.seed }), ...(source === tableau ? [] : [word("from the tableau before it was edited")]), ...(finished || running ? [] : [word("stopped early")])]
    parts.push(h("p", { class: "remark" }, said.join("; ")))
    node.querySelector(".body").replaceChildren(...parts)
  }

  // ---- the ranking line

  const TOO_LARGE = word("The tableau is too large for exact probabilities in a page.")

  let line = null
  function probabilities(values, noise) {
    if (!plan) return
    const [found] = probabilitiesOf(kernels, plan, [values], noise)
    let row = 0
    bars.replaceChildren(h("div", { class: "ot-bars" }, ...tableau.inputs.flatMap((input, k) => [h("span", { class: "ot-input", dir: "auto" }, input), ...rowsOf(tableau, k).flatMap(r => {
      const p = found[row++]
      return [h("span", { class: "ot-form", dir: "auto", title: tableau.candidates[r] }, tableau.candidates[r]), h("span", { class: "ot-track" }, h("span", { class: "ot-fill", style: `width:${100 * p}%` })), h("b", {}, percentage(p))]
    })])))
  }

  function place(values, whose, noise = line?.noise ?? tableau.noise) {
    setText(from, plan || planning !== null ? word("Shown: {whose}; evaluation noise {noise}", { whose, noise: decimal(noise) }) : TOO_LARGE)
    if (!line || line.names.length !== values.length || line.names.some(({ stem }, i) => stem !== tableau.constraints[i])) {
      const host = h("div", { class: "line" })
      line?.set("remove", true)
      lineHost.replaceChildren(host)
      line = pageModel({ names: tableau.constraints.map(stem => ({ stem, below: "" })), values, home: values, noise, bound: 1e6 }, ({ values }, model) => {
        model.set("values", values)
        probabilities(values, model.noise)
        setText(from, word("Shown: {whose}; evaluation noise {noise}", { whose: word("values set by hand"), noise: decimal(model.noise) }))
        model.reply({ taken: true })
      })
      component(rankingLine, host, line)
    } else { line.home = values; line.set("noise", noise); line.set("values", values) }
    probabilities(values, noise)
  }

  // The values of the first result that has any, when the page is opened.
  function placeFirst() {
    const centre = Object.values(results).map(centreOf).find(Boolean)
    if (centre) place(...centre)
  }

  // The plan of exact probabilities and the strata, in a worker once the edits pause.
  let planning = null, haltPlan = null
  function replan() {
    clearTimeout(planning)
    haltPlan?.()
    haltPlan = plan = null
    const own = planning = setTimeout(async () => {
      const halt = await start({ learner: "plan", tableau, apriori: fields.apriori.readable }, found => { if (planning === own) planned(found) })
      if (planning === own) haltPlan = halt
      else halt()
    }, 60)
    place(valuesShown() ?? tableau.constraints.map(() => 0), line ? word("the values shown") : word("all at 0"))
  }

  // The values on the ranking line, of the same constraints if these were moved; null if others are there now.
  function valuesShown() {
    if (line?.values.length !== tableau.constraints.length) return null
    const places = tableau.constraints.map(name => line.names.findIndex(({ stem }) => stem === name))
    return places.includes(-1) ? line.values : places.map(place => line.values[place])
  }

  function planned({ plan: found, ranking: order, failed }) {
    haltPlan?.()
    haltPlan = planning = null
    plan = found ?? null
    if (plan) probabilities(line.values, line.noise)
    else { bars.replaceChildren(); setText(from, failed ? word("The probabilities failed: {problem}", { problem: failed }) : TOO_LARGE) }
    const parts = order ? rankingParts(tableau, order) : null
    fillOrHide(strata, parts)
    if (tableau.constraints.length > MOST_RANKED) return fillOrHide(languages, null)
    const own = tableau
    start({ learner: "typology", tableau }, ({ languages: found }) => {
      if (own !== tableau) return
      haltPlan?.()
      haltPlan = null
      fillOrHide(languages, found && typologyParts(tableau, found))
    }).then(halt => { if (own === tableau) haltPlan = halt; else halt() })
  }

  // Parts that follow the edits, in their card, which is hidden without any.
  function fillOrHide(node, parts) {
    node.hidden = !parts || Boolean(task?.hides)
    node.querySelector(".body").replaceChildren(...parts ?? [])
  }

  // ---- edits

  // Heading and settings of the tableau in place of those of the one before.
  function fill(before) {
    for (const name of ["noise", "bound", "total"]) if (before[name] !== tableau[name]) fields[name].text = tableau[name] ?? ""
    setText(document.getElementById("title"), tableau.title)
    document.title = `${tableau.title} · OT lab`
  }

  const refuse = (name, faults) => setText(opening, word("{name}: {what}.", { name: isolated(name), what: [...faults.slice(0, 5), ...(faults.length > 5 ? [word("and {n} more", { n: faults.length - 5 })] : [])].join("; ") }))
  const without = (name, left) => left.length ? word("{name}: the page has no place for {what}.", { name: isolated(name), what: left.join(", ") }) : ""

  const LOCKED = word("The data are locked by the exercise.")
  const lockedData = () => { const locked = Boolean(task?.locked("data")); if (locked) setText(opening, LOCKED); return locked }

  async function openFile(file) {
    if (!file || lockedData()) return
    const document = /\.otlab$/i.test(file.name)
    try {
      if (document) {
        const { values, called, results } = await valuesOfFile(await file.arrayBuffer())
        return openValues(values, file.name, called, results ? word("Its results and its history stay in the file.") : "")
      }
      const bytes = new Uint8Array(await file.arrayBuffer())
      openText(textOfBytes(bytes), file.name, isWindows1252(bytes) ? [windows1252()] : [])
    } catch (error) { refuse(file.name, [error.message]) }
  }

  function openText(text, name, noted = []) {
    const { tableau: found, faults, left, remarks } = tableauOf(text, name.replace(/\.[^.]*$/, ""))
    if (faults.length) return refuse(name, faults)
    replace(found)
    const said = remarksInWords([...noted, ...remarks])
    setText(opening, [without(name, left), said.length ? word("{name}: {what}.", { name: isolated(name), what: said.join("; ") }) : ""].filter(Boolean).join(" "))
  }

  // A whole table or a link, pasted anywhere.
  document.addEventListener("paste", event => {
    const text = event.clipboardData.getData("text/plain"), link = /[?#&](data|example)=/.test(text) && !/\s/.test(text.trim()), table = !link && holdsATable(text)
    if (!link && !table) return
    event.preventDefault()
    if (lockedData()) return
    if (link) openLink(text.trim())
    else openText(text, word("Pasted table"))
  }, { signal })

  function openValues(values, name, called = "", remark = "") {
    const { tableau: found, faults, left } = tableauOfValues(values)
    if (faults.length) return refuse(name, faults)
    const { csv, ...beside } = values.document ?? {}
    replace({ ...found, title: called || found.title }, { ...values, document: beside }, fieldsOfValues(values), (values.learners ?? []).find(each => each in LEARNERS))
    setText(opening, [without(name, [...left, ...unheardOf(values)]), remark].filter(Boolean).join(" "))
  }

  async function openLink(address) {
    if (lockedData()) return
    try {
      const values = await valuesOfLink(address)
      if (values) openValues(values, word("The link"))
    } catch (error) { setText(opening, error.message) }
  }

  // ---- what is open, and what was before

  const version = whole => ({ tableau, carried, texts: whole ? texts() : null })
  const renew = () => { state(); replan(); show(); keep() }
  function take(after) { past.push(version()); future = []; followNames(after); tableau = after; renew() }
  const followNames = after => { fields.apriori.text = followedApriori(fields.apriori.input.value, tableau, after) }   // renamed constraints

  // Take another table, with the settings that came with it; Undo brings back the one before.
  function replace(found, values = {}, settings = {}, learner = fields.learner.text) {
    if (running) end(false)
    const before = tableau
    past.push(version(true))
    future = []
    results = {}
    latest = null
    tableau = found
    table_.show(found)
    fill(before)
    put({ apriori: "", ...settings, learner })
    carried = { values, filled: texts() }
    renew()
  }

  function back(source, target) {
    if (!source.length) return
    const before = tableau, gone = source.pop()
    target.push(version(Boolean(gone.texts)))
    followNames(gone.tableau)
    ;({ tableau, carried } = gone)
    fill(before)
    put(gone.texts ?? {})
    table_.show(tableau)
    renew()
  }
  document.addEventListener("keydown", event => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || takesText(event)) return
    event.preventDefault()
    event.shiftKey ? back(future, past) : back(past, future)
  }, { signal })

  const picked = h("input", { type: "file", accept: ".csv,.tsv,.txt,.otlab,text/csv,text/plain", class: "hidden", tabindex: -1, "aria-label": word("File"), onchange: () => { openFile(picked.files[0]); picked.value = "" } })
  document.addEventListener("dragover", event => event.preventDefault(), { signal })
  document.addEventListener("drop", event => { event.preventDefault(); openFile(event.dataTransfer.files[0]) }, { signal })
  const save = button(word("Save as CSV"), () => saveFile(new Blob([csvOf(tableau)], { type: "text/csv" }), `${stem()}.csv`))
  const saveLatex = button(word("Save as LaTeX"), () => saveFile(new Blob([latexOf(tableau, DATA.otlab, fields.apriori.readable)], { type: "application/x-tex" }), `${stem()}.tex`))
  const valuesNow = () => valuesOf(tableau, carried.values, texts(), carried.filled, fields.learner.text)
  const saveDocument = button(word("Save for the lab"), async () => saveFile(await fileOf(valuesNow(), tableau.title), `${stem()}.otlab`))

  // The results that have ended, to be kept.
  const ended = () => Object.entries(results).filter(([, result]) => result.kept || (result.summary && result !== running?.result))
    .map(([learner, result]) => ({ ...keptOf(result, LABELS[learner]), source: result.source === tableau ? null : result.source }))
  const putResults = all => { results = Object.fromEntries(all.map(kept => [kept.learner, resultOf(kept, tableau)])) }

  // The page itself, with the tableau, the settings and the results that are shown.
  function savePage() {
    const data = { ...DATA, tableau, left: [], seed: Number(fields.seed.text) || 0, fields: texts(), results: ended(), document: carried.values }
    saveFile(new Blob([pageText(data)], { type: "text/html" }), `${stem()}.html`)
  }

  // What a page leaves out, as Python names it.
  const leftOut = what => ({ "speakers and items": word("speakers and items"), formulas: word("formulas") })[what] ?? what

  const linkHost = h("div", { "aria-live": "polite" })
  async function showLink() {
    const text = await packed(valuesNow()), line = (words, link) => h("div", {}, h("p", { class: "remark" }, words), h("div", { class: "link" }, h("code", { tabindex: 0 }, link),
      button(word("Copy"), event => copyText(link, event.target.parentElement), { "aria-label": word("Copy: {what}", { what: words }) })))
    linkHost.replaceChildren(...text.length > LONGEST_LINK ? [h("p", { class: "fault" }, word("The table is too large for a link; save it as a file."))] : [
      line(word("This page with the tableau and the settings"), `${location.href.split(/[?#]/)[0]}#data=${text}`),
      line(word("The lab: put this behind the address of its home page"), `/${ROUTE}?data=${text}`)])
  }

  // ---- what stays in the browser

  const resumed = h("p", { class: "remark", hidden: true }, word("This is what you left here."), " ", button(word("Start anew"), startAnew)), refused = h("p", { class: "fault", role: "alert" })
  let keeping = null
  function keepNow() {
    clearTimeout(keeping)
    keeping = null
    if (task?.course) return   // the course keeps it, for whoever works there
    const kept = memory.write({ tableau, carried, texts: texts(), results: ended(), task: task?.state() })
    setText(refused, kept ? "" : word("This browser keeps nothing for this page: save what you edit as a file before you close it."))
  }
  function keep() { clearTimeout(keeping); keeping = setTimeout(keepNow, 250) }
  addEventListener("pagehide", () => { if (keeping !== null) keepNow() }, { signal })

  function resume() {
    const kept = task?.course ? null : memory.read()
    if (!kept) return
    try {
      if (faultOf(kept.tableau)) return
      const before = tableau
      tableau = kept.tableau
      carried = kept.carried
      fill(before)
      put(kept.texts)
      putResults(kept.results.filter(({ learner }) => learner in LABELS))
      table_.show(tableau)
      task?.take(kept.task)
      resumed.hidden = false
    } catch { memory.forget() }   // of another make
  }

  function startAnew() {
    const first = DATA.tableau
    replace(first, DATA.document, begun, begun.learner)
    putResults(DATA.results)
    task?.take(NO_ANSWER)
    state()
    resumed.hidden = true
    show()
    clearTimeout(keeping)
    keeping = null
    memory.forget()
    undo.focus()
  }
  const stem = () => (tableau.title || "tableau").replace(/[^\p{L}\p{N}\p{M}]+/gu, "_")
  const savePage_ = button(word("Save as page"), savePage), open = button(word("Open"), () => picked.click())

  // ---- an exercise

  // What was learnt from the table of the exercise: by whom, the first predictions and ranking values, and numbers for a class.
  function learnt() {
    const given = JSON.stringify(DATA.tableau), own = Object.entries(results).filter(([name, { source, summary }]) => name in LEARNERS && summary && JSON.stringify(source) === given)
    const of = (result, statistic) => result.summary.columns.map(column => unknown(column[statistic]))
    const ran = own.map(([name]) => LEARNERS[name]).join(", "), predicted = own.find(([, { summary }]) => summary.predicted)?.[1].summary.predicted.map(({ mean }) => mean)
    const gla = results.gla, gibbs = results.gibbs, has = result => own.some(([, each]) => each === result)
    const rows = has(gla) ? (gla.counted ?? gla.kept.runs).map(run => [...centred(run)]) : has(gibbs) ? [of(gibbs, "median")] : null
    const values = has(gibbs) ? of(gibbs, "median") : has(gla) ? of(gla, "mean") : null
    const report = rows && { label: has(gla) ? "GLA, each run" : "median of each page's posterior", hue: has(gla) ? "gla" : "other", values: Object.fromEntries(DATA.tableau.constraints.map((name, i) => [name, rows.map(row => row[i])])) }
    return { ran, predicted, values, report }
  }
  const asking = h("section", { class: "wide asking", hidden: !DATA.exercise })
  const task = DATA.exercise ? exerciseIn(DATA.exercise, asking, { changed() { state(); show(); keep() }, results: learnt, fields: texts }) : null
  if (task?.locked("settings")) for (const [name, { node }] of Object.entries(fields)) if (name !== "learner") node.querySelector("input,select").disabled = true
  if (task?.locked("learners")) fields.learner.select.disabled = true
  open.hidden = Boolean(task?.locked("data"))

  const table_ = grid(tableHost, tableau, take, Boolean(task?.locked("data")))
  fields.learner.select.addEventListener("change", state)
  fields.apriori.input.addEventListener("change", () => { replan() })
  for (const { node } of Object.values(fields)) node.addEventListener("input", keep)
  document.getElementById("lab").replaceChildren(
    asking,
    card(word("Tableau"), true, tableHost, h("div", { class: "bar" }, undo, redo, open, save, saveLatex, saveDocument, savePage_, button(word("Link"), showLink), picked), resumed, opening, refused, linkHost),
    card(word("Learn"), true, h("div", { class: "fields" }, ...Object.values(fields).map(({ node }) => node)), h("div", { class: "bar" }, go, stop, progress, status), trouble),
    ...Object.values(cards), ranking, strata, languages)
  for (const node of [...Object.values(cards), ranking, strata, languages]) node.querySelector("header").append(savingButtons(node, node.getAttribute("aria-label"), stem))
  for (const node of Object.values(cards)) node.hidden = true
  if (!before) setText(opening, without(tableau.title, [...DATA.left.map(leftOut), ...unheardOf(DATA.document)]))
  const begun = before?.begun ?? texts()
  if (before) { fill(DATA.tableau); put(before.texts); task?.take(before.answer); resumed.hidden = before.fresh }
  else {
    putResults(DATA.results)
    carried = { values: DATA.document, filled: begun }
    resume()
  }
  if (!before) task?.course?.kept().then(kept => {
    task.take({ name: task.course.name, ...kept?.state })
    if (kept?.more) put(kept.more)
    state()
    show()
  })
  // A link is dropped from the address once it is open: a reload goes on with what was edited.
  const follow = async () => {
    const { hash, search } = location
    if (!/[?#&](data|example)=/.test(search + hash)) return
    await openLink(hash.length > 1 ? hash : search)
    try { history.replaceState(null, "", location.pathname) } catch { location.hash = "" }
  }
  addEventListener("hashchange", follow, { signal })
  addEventListener("otlab-language", leave, { signal })
  state()
  show()
  const ready = () => { performance.mark("ready"); document.documentElement.dataset.ready = "yes" }
  if (before && kernels) { replan(); if (before.line) place(before.line.values, word("the values shown"), before.line.noise); ready() }
  else module.then(made => kernelsOf(made, DATA.signatures)).then(async made => { kernels = made; replan(); placeFirst(); await follow(); ready() })
    .catch(error => setText(trouble, word("This browser cannot run the kernels: {problem}", { problem: error.message })))
}

openLab()
