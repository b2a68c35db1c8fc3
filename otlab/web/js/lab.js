// The page: the cards, what is in them, and the runs. `DATA` has the tableau, the kernels and their signatures.

{
  const LEARNERS = { gibbs: "Gibbs", gla: "GLA", maxent: "MaxEnt" }
  const LABELS = { ...LEARNERS, ...Object.fromEntries(DATA.results.map(kept => [kept.learner, kept.label])) }   // with those of results that were learnt elsewhere
  const SHOWN = 150                       // ms between two pictures of a run
  let tableau = DATA.tableau, past = [], future = [], results = {}, latest = null, running = null, kernels = null, plan = null, carried = { values: {}, filled: {} }
  const module = WebAssembly.compile(Uint8Array.from(atob(DATA.wasm), c => c.charCodeAt(0)))

  const card = (title, wide, ...body) => h("section", { class: wide ? "wide" : null, "aria-label": title }, h("header", {}, h("h2", {}, title)), h("div", { class: "body" }, ...body))
  const button = (text, act, attributes = {}) => h("button", { type: "button", onclick: act, ...attributes }, text)
  const choice = (label, options, value) => {
    const select = h("select", { "aria-label": label }, ...Object.entries(options).map(([name, words]) => h("option", { value: name, selected: name === value }, words)))
    return { node: h("label", { class: "field" }, label, select), get value() { return select.value }, get text() { return select.value }, set text(words) { if (words in options) select.value = words }, select }
  }
  const amount = (label, value, fits, hint) => {
    const input = h("input", { inputmode: "numeric", "aria-label": label })
    input.value = value
    return { node: h("label", { class: "field" }, label, input), input, get text() { return input.value.trim() }, set text(words) { input.value = words }, get value() {
      const x = input.value.trim() === "" ? NaN : Number(input.value), good = fits(x)
      setAttribute(input, "aria-invalid", good ? null : "true")
      if (!good) throw new Error(`${label}: ${hint}.`)
      return x
    } }
  }
  const whole = (least, most) => x => Number.isInteger(x) && x >= least && x <= most
  const above = x => x > 0 && Number.isFinite(x)

  // ---- fields

  const fields = {
    learner: choice("Learner", LEARNERS, "gibbs"),
    seed: amount("Seed", DATA.seed ?? Math.floor(Math.random() * 1e9), whole(0, 2 ** 32 - 1), "write a whole number, 0 to 4294967295"),
    noise: amount("Evaluation noise", tableau.noise, above, "write a number above 0"),
    total: amount("Observations per input", tableau.total ?? "", x => Number.isNaN(x) || whole(1, 1e6)(x), "write a whole number, or nothing if frequencies are counts"),
    sweeps: amount("Sweeps", 20000, whole(1, 1e6), "write a whole number, 1 to 1,000,000"),
    chains: amount("Chains", 4, whole(1, 16), "write a whole number, 1 to 16"),
    bound: amount("Bound", tableau.bound, above, "write a number above 0"),
    trials: amount("Trials", 1000000, whole(1, 1e8), "write a whole number, 1 to 100,000,000"),
    runs: amount("Runs", 10, whole(1, 100), "write a whole number, 1 to 100"),
    schedule: choice("Schedule", Object.fromEntries(Object.keys(DATA.schedules).map(name => [name, name])), "otsoft"),
    rule: choice("Update rule", Object.fromEntries(DATA.rules.map(name => [name, name])), "symmetric-all"),
    sd: amount("Prior SD", 10, above, "write a number above 0"),
    sign: choice("Weights", { nonnegative: "0 or more", free: "any sign" }, "nonnegative"),
  }
  const texts = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.text]))
  const put = given => { for (const [name, text] of Object.entries(given)) if (name in fields) fields[name].text = text }
  put(DATA.fields)
  if (DATA.results[0]?.learner in LEARNERS) fields.learner.text = DATA.results[0].learner
  const OWN = { gibbs: ["sweeps", "chains", "noise", "bound", "total"], gla: ["trials", "runs", "noise", "schedule", "rule"], maxent: ["sd", "sign", "total"] }

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
    if (!tableau.frequencies.some(n => n > 0)) return "No candidate has a count; count at least one."
    if (learner === "gla") return null
    if (!countsOf(tableau)) return "The frequencies are no counts: write how many observations each input stands for."
    const never = learner === "gibbs" ? impossibleRows(tableau, relationsOf(tableau)) : []
    return never.length ? `${never.map(row => isolated(tableau.candidates[row])).join(", ")}: observed, but no ranking lets it win. Set its count to 0 or correct the violations.` : null
  }

  // ---- runs

  // Start a job in a worker, or here where the browser refuses one made from this page.
  async function start(job, hear) {
    const message = { module: await module, signatures: DATA.signatures, job }
    const code = ["shared", "worker"].map(id => document.getElementById(id).textContent).join("\n")
    try {
      const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" })), worker = new Worker(address)
      URL.revokeObjectURL(address)
      worker.onmessage = event => hear(event.data)
      worker.onerror = event => hear({ failed: event.message })
      worker.postMessage(message)
      return () => worker.terminate()
    } catch {
      let halted = false
      runJob(message, found => { if (!halted) hear(found) }, () => halted).catch(error => hear({ failed: error.message }))
      return () => { halted = true }
    }
  }

  // The chains of a run, shared out among as many workers as there are processors.
  async function run() {
    let job, problem = null
    if (running || task?.held) return
    if (tableHost.querySelector("[aria-invalid]")) problem = "Correct the tableau first."
    else try { job = settingsOf(fields.learner.value); problem = obstacle(job) } catch (error) { problem = error.message }
    setText(trouble, problem ?? "")
    if (problem) return
    const result = latest = results[job.learner] = { job, source: tableau, chains: job.chains.map(() => null), draws: job.chains.map(() => []), summary: null, finished: false, began: performance.now() }
    const count = Math.max(1, Math.min(job.chains.length, navigator.hardwareConcurrency || 2))
    const own = running = { result, halts: [], open: count }
    state()
    for (let w = 0; w < count; w++) {
      const halt = await start({ ...job, chains: job.chains.filter(chain => chain % count === w) }, message => { if (running === own) heard(message) })
      if (running === own) own.halts.push(halt)
      else halt()
    }
  }

  function heard({ chains, finished, failed }) {
    const { result } = running
    for (const chain of chains ?? []) {
      result.chains[chain.number] = chain
      if (chain.draws) result.draws[chain.number].push(chain.draws)
    }
    if (failed) { setText(trouble, `The run failed: ${failed}`); return end(false) }
    if (finished && --running.open === 0) return end(true)
    later()
  }

  function end(finished) {
    const { result, halts } = running
    halts.forEach(halt => halt())
    running = null
    result.finished = finished
    result.seconds = (performance.now() - result.began) / 1000
    state()
    conclude(result)
  }

  // Estimates, predictions and convergence, in a worker; the page goes on meanwhile.
  async function conclude(result) {
    const { job } = result
    show()
    if (result.chains.some(chain => chain === null)) { delete results[job.learner]; return show() }
    if (job.learner === "maxent") { result.summary = { predicted: result.chains[0].probability.map(mean => ({ mean })) }; keep(); show(); return task?.ran() }
    const k = job.tableau.constraints.length, sampled = job.learner === "gibbs"
    const draws = sampled ? countedDraws(result.draws.map(joinedDraws), k, result.chains[0].thin, job.settings.sweeps) : result.chains.map(chain => chain.values)
    if (!draws[0].length) return show()
    result.counted = draws
    const halt = await start({ learner: "summary", tableau: job.tableau, draws, chains: draws.length, noise: job.settings.noise, sampled }, ({ summary, failed }) => {
      halt?.()
      if (failed) setText(trouble, `The estimates failed: ${failed}`)
      result.summary = summary ?? null
      show()
      keep()
      task?.ran()
    })
  }

  let waiting = null, drawn = 0
  const later = () => { waiting ??= setTimeout(() => { waiting = null; drawn = performance.now(); show() }, Math.max(0, drawn + SHOWN - performance.now())) }

  // ---- cards

  const trouble = h("p", { class: "fault", role: "alert" }), opening = h("p", { class: "fault", role: "alert" }), progress = h("progress", { max: 1, value: 0, "aria-label": "Progress" }), status = h("p", { class: "remark", "aria-live": "polite" })
  const go = button("Run", run, { class: "primary" }), stop = button("Stop", () => running && end(false))
  const undo = button("Undo", () => back(past, future)), redo = button("Redo", () => back(future, past))
  const tableHost = h("div"), bars = h("div", { class: "live-bars" }), lineHost = h("div", { class: "line" }), announced = h("p", { class: "hidden", "aria-live": "polite" })
  const from = h("p", { class: "remark" }), reset = button("All at 0", () => place(tableau.constraints.map(() => 0), "all at 0"))
  const cards = Object.fromEntries([...Object.keys(LABELS), "predicted"].map(name => [name, card(LABELS[name] ?? "Observed and predicted", true)]))
  const ranking = card("Ranking values and exact probabilities", true, from, h("div", { class: "two" }, h("div", {}, lineHost, reset), bars), announced)

  const strata = card("Strata of the most frequent candidates (RCD)", true), languages = card("Typology", true)
  strata.hidden = languages.hidden = true

  function state() {
    go.disabled = Boolean(running || task?.held)
    setAttribute(go, "title", task?.held || null)
    stop.disabled = !running
    undo.disabled = !past.length
    redo.disabled = !future.length
    for (const [name, { node }] of Object.entries(fields)) node.hidden = !["learner", "seed"].includes(name) && !OWN[fields.learner.value].includes(name)
  }

  function show() {
    const hides = Boolean(task?.hides)
    ranking.hidden = hides
    for (const node of [strata, languages]) node.hidden = hides || !node.querySelector(".body").hasChildNodes()
    for (const button of [savePage_, saveDocument]) button.hidden = hides
    for (const learner of Object.keys(LABELS)) {
      const result = results[learner], node = cards[learner]
      node.hidden = hides || !result || (!result.kept && result.chains.every(chain => chain === null))
      if (!node.hidden) drawResult(node, result)
    }
    const fitting = ({ source: { inputs, candidates, offsets } }) => JSON.stringify([inputs, candidates, offsets]) === JSON.stringify([tableau.inputs, tableau.candidates, tableau.offsets])
    const columns = Object.keys(LABELS).filter(name => results[name]?.summary?.predicted && fitting(results[name])).map(name => ({ name: LABELS[name], hue: results[name].kept?.hue ?? name, values: results[name].summary.predicted }))
    cards.predicted.hidden = hides || !columns.length
    if (columns.length) cards.predicted.querySelector(".body").replaceChildren(predictedTable(tableau, columns))
    const last = latest, total = last?.job.settings.sweeps ?? last?.job.settings.trials ?? 1
    const done = last ? last.chains.reduce((sum, chain) => sum + (chain?.done ?? 0), 0) / last.chains.length : 0
    progress.value = last ? done / total : 0
    setText(status, !last ? "" : running ? `${LEARNERS[last.job.learner]}: ${Math.floor(done).toLocaleString()} of ${total.toLocaleString()}`
      : `${LEARNERS[last.job.learner]}: ${last.finished ? "finished" : `stopped at ${Math.floor(done).toLocaleString()} of ${total.toLocaleString()}`} after ${decimal(last.seconds, 1)}\u2009s`)
  }

  // Ranking values of a result, whose they are, and the noise; null if it has none for the constraints shown.
  function centreOf({ job, source, summary, kept }) {
    if (!summary || (kept ? kept.kind !== "ranking value" : job.learner === "maxent") || source.constraints.join("\n") !== tableau.constraints.join("\n")) return null
    const sampled = kept ? kept.trust : job.learner === "gibbs", values = summary.columns.map(column => unknown(sampled ? column.median : column.mean))
    return values.every(Number.isFinite) ? [values, `the ${sampled ? "posterior medians" : "mean of the runs"} of ${LABELS[job.learner]}`, job.settings.noise] : null
  }

  function drawResult(node, result) {
    const { job, source, finished } = result, parts = resultParts(result)
    if (centreOf(result)) parts.push(h("div", { class: "bar" }, button("Show on the ranking line", () => place(...centreOf(result)))))
    parts.push(h("p", { class: "remark" }, `Seed ${job.seed}${source === tableau ? "" : "; from the tableau before it was edited"}${finished || running ? "" : "; stopped early"}`))
    node.querySelector(".body").replaceChildren(...parts)
  }

  // ---- the ranking line

  const TOO_LARGE = "The tableau is too large for exact probabilities in a page."

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
    setText(from, plan || planning !== null ? `Shown: ${whose}; evaluation noise ${decimal(noise)}` : TOO_LARGE)
    if (!line || line.names.length !== values.length || line.names.some(({ stem }, i) => stem !== tableau.constraints[i])) {
      const host = h("div", { class: "line" })
      line?.set("remove", true)
      lineHost.replaceChildren(host)
      line = pageModel({ names: tableau.constraints.map(stem => ({ stem, below: "" })), values, home: values, noise, bound: 1e6 }, ({ values, done }, model) => {
        model.set("values", values)
        probabilities(values, model.noise)
        if (done) setText(from, `Shown: values set by hand; evaluation noise ${decimal(model.noise)}`)
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
      const halt = await start({ learner: "plan", tableau }, found => { if (planning === own) planned(found) })
      if (planning === own) haltPlan = halt
      else halt()
    }, 60)
    place(line && line.values.length === tableau.constraints.length ? line.values : tableau.constraints.map(() => 0), line ? "the values shown" : "all at 0")
  }

  function planned({ plan: found, ranking: order, failed }) {
    haltPlan?.()
    haltPlan = planning = null
    plan = found ?? null
    if (plan) probabilities(line.values, line.noise)
    else { bars.replaceChildren(); setText(from, failed ? `The probabilities failed: ${failed}` : TOO_LARGE) }
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
    for (const name of ["noise", "bound", "total"]) if (before[name] !== tableau[name]) fields[name].input.value = tableau[name] ?? ""
    setText(document.getElementById("title"), tableau.title)
    document.title = `${tableau.title} · OT lab`
  }

  const refuse = (name, faults) => setText(opening, `${isolated(name)}: ${faults.slice(0, 5).join("; ")}${faults.length > 5 ? `; and ${faults.length - 5} more` : ""}.`)
  const without = (name, left) => left.length ? `${isolated(name)}: the page has no place for ${left.join(", ")}.` : ""

  const LOCKED = "The data are locked by the exercise."
  const lockedData = () => { const locked = Boolean(task?.locked("data")); if (locked) setText(opening, LOCKED); return locked }

  async function openFile(file) {
    if (!file || lockedData()) return
    const document = /\.otlab$/i.test(file.name)
    try {
      if (document) {
        const { values, called, results } = await valuesOfFile(await file.arrayBuffer())
        return openValues(values, file.name, called, results ? "Its results and its history stay in the file." : "")
      }
      openText(textOfBytes(new Uint8Array(await file.arrayBuffer())), file.name)
    } catch (error) { refuse(file.name, [error.message]) }
  }

  function openText(text, name) {
    const { tableau: found, faults, left } = tableauOf(text, name.replace(/\.[^.]*$/, ""))
    if (faults.length) return refuse(name, faults)
    replace(found)
    setText(opening, without(name, left))
  }

  // A whole table or a link, pasted anywhere.
  document.addEventListener("paste", event => {
    const text = event.clipboardData.getData("text/plain"), link = /[?#&](data|example)=/.test(text) && !/\s/.test(text.trim()), table = !link && holdsATable(text)
    if (!link && !table) return
    event.preventDefault()
    if (lockedData()) return
    if (link) openLink(text.trim())
    else openText(text, "Pasted table")
  })

  function openValues(values, name, called = "", remark = "") {
    const { tableau: found, faults, left } = tableauOfValues(values)
    if (faults.length) return refuse(name, faults)
    const { csv, ...beside } = values.document ?? {}
    replace({ ...found, title: called || found.title }, { ...values, document: beside }, fieldsOfValues(values), (values.learners ?? []).find(each => each in LEARNERS))
    setText(opening, [without(name, left), remark].filter(Boolean).join(" "))
  }

  async function openLink(address) {
    if (lockedData()) return
    try {
      const values = await valuesOfLink(address)
      if (values) openValues(values, "The link")
    } catch (error) { setText(opening, error.message) }
  }

  // ---- what is open, and what was before

  const version = whole => ({ tableau, carried, texts: whole ? texts() : null })
  const renew = () => { state(); replan(); show(); keep() }
  function take(after) { past.push(version()); future = []; tableau = after; renew() }

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
    put({ ...settings, learner })
    carried = { values, filled: texts() }
    renew()
  }

  function back(source, target) {
    if (!source.length) return
    const before = tableau, gone = source.pop()
    target.push(version(Boolean(gone.texts)))
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
  })

  const picked = h("input", { type: "file", accept: ".csv,.tsv,.txt,.otlab,text/csv,text/plain", class: "hidden", tabindex: -1, "aria-label": "File", onchange: () => { openFile(picked.files[0]); picked.value = "" } })
  document.addEventListener("dragover", event => event.preventDefault())
  document.addEventListener("drop", event => { event.preventDefault(); openFile(event.dataTransfer.files[0]) })
  const save = button("Save as CSV", () => saveFile(new Blob([csvOf(tableau)], { type: "text/csv" }), `${stem()}.csv`))
  const valuesNow = () => valuesOf(tableau, carried.values, texts(), carried.filled, fields.learner.text)
  const saveDocument = button("Save for the lab", async () => saveFile(await fileOf(valuesNow(), tableau.title), `${stem()}.otlab`))

  // The results that have ended, to be kept.
  const ended = () => Object.entries(results).filter(([, result]) => result.kept || (result.summary && result !== running?.result))
    .map(([learner, result]) => ({ ...keptOf(result, LABELS[learner]), source: result.source === tableau ? null : result.source }))
  const putResults = all => { results = Object.fromEntries(all.map(kept => [kept.learner, resultOf(kept, tableau)])) }

  // The page itself, with the tableau, the settings and the results that are shown.
  function savePage() {
    const data = { ...DATA, tableau, left: [], seed: Number(fields.seed.text) || 0, fields: texts(), results: ended(), document: carried.values }
    saveFile(new Blob([pageText(data)], { type: "text/html" }), `${stem()}.html`)
  }

  const linkHost = h("div", { "aria-live": "polite" })
  async function showLink() {
    const text = await packed(valuesNow()), line = (words, link) => h("div", {}, h("p", { class: "remark" }, words), h("div", { class: "link" }, h("code", { tabindex: 0 }, link),
      button("Copy", event => copyText(link, event.target.parentElement), { "aria-label": `Copy: ${words}` })))
    linkHost.replaceChildren(...text.length > LONGEST_LINK ? [h("p", { class: "fault" }, "The table is too large for a link; save it as a file.")] : [
      line("This page with the tableau and the settings", `${location.href.split(/[?#]/)[0]}#data=${text}`),
      line("The lab: put this behind the address of its home page", `/${ROUTE}?data=${text}`)])
  }

  // ---- what stays in the browser

  const resumed = h("p", { class: "remark", hidden: true }, "This is what you left here. ", button("Start anew", startAnew)), refused = h("p", { class: "fault", role: "alert" })
  let keeping = null
  function keepNow() {
    clearTimeout(keeping)
    keeping = null
    if (task?.course) return   // the course keeps it, for whoever works there
    const kept = memory.write({ tableau, carried, texts: texts(), results: ended(), task: task?.state() })
    setText(refused, kept ? "" : "This browser keeps nothing for this page: save what you edit as a file before you close it.")
  }
  function keep() { clearTimeout(keeping); keeping = setTimeout(keepNow, 250) }
  addEventListener("pagehide", () => { if (keeping !== null) keepNow() })

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
  const savePage_ = button("Save as page", savePage), open = button("Open", () => picked.click())

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
  for (const { node } of Object.values(fields)) node.addEventListener("input", keep)
  document.getElementById("lab").replaceChildren(
    asking,
    card("Tableau", true, tableHost, h("div", { class: "bar" }, undo, redo, open, save, saveDocument, savePage_, button("Link", showLink), picked), resumed, opening, refused, linkHost),
    card("Learn", true, h("div", { class: "fields" }, ...Object.values(fields).map(({ node }) => node)), h("div", { class: "bar" }, go, stop, progress, status), trouble),
    ...Object.values(cards), ranking, strata, languages)
  for (const node of Object.values(cards)) node.hidden = true
  setText(opening, without(tableau.title, DATA.left))
  putResults(DATA.results)
  const begun = texts()
  carried = { values: DATA.document, filled: begun }
  resume()
  task?.course?.kept().then(kept => {
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
  addEventListener("hashchange", follow)
  addEventListener("languagechange", () => { keepNow(); location.reload() })
  state()
  show()
  module.then(made => kernelsOf(made, DATA.signatures)).then(async made => { kernels = made; replan(); placeFirst(); await follow(); performance.mark("ready"); document.documentElement.dataset.ready = "yes" })
    .catch(error => setText(trouble, `This browser cannot run the kernels: ${error.message}`))
}
