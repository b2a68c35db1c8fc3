// Results that were learnt elsewhere, or before the page was saved: the form that otlab/web/results.py writes.
//
// kept    {learner, label, hue, kind, seed, settings, fields, again, noise, columns, span, trust, predicted, runs, trace,
//          logLikelihood, remarks, finished, source}

const unknown = x => x ?? NaN

// A kept result in the form of those of a run.
function resultOf(kept, tableau) {
  const source = kept.source ?? tableau, known = values => values?.map(unknown)
  const trust = kept.trust && Object.fromEntries(Object.entries(kept.trust).map(([name, values]) => [name, known(values)]))
  return {
    kept, source, job: { learner: kept.learner, seed: kept.seed, tableau: source, settings: { noise: kept.noise } },
    chains: [], draws: [], finished: kept.finished, summary: { columns: kept.columns, trust, predicted: kept.predicted },
  }
}

// The result of a run in the form to be kept, its draws as histograms.
function keptOf(result, label) {
  if (result.kept) return result.kept
  const { job, summary, chains, finished } = result, { learner, seed, asked } = job, k = job.tableau.constraints.length
  const kept = {
    learner, label, hue: learner, kind: learner === "maxent" ? "weight" : "ranking value", seed, settings: { seed: String(seed), ...asked }, fields: asked, again: finished,
    noise: job.settings.noise ?? null, columns: summary.columns ?? [...chains[0].weights].map(mean => ({ mean })), trust: summary.trust, predicted: summary.predicted,
    logLikelihood: chains[0].logLikelihood ?? null, remarks: chains[0].finite === false ? [noOptimum()] : [], finished, source: null,
  }
  if (learner === "gla") Object.assign(kept, { runs: chains.map(chain => [...chain.values]), trace: keptTrace(traceOf(result), k) })
  if (learner !== "gibbs") return kept
  kept.span = extent(result.counted.flatMap(chain => extent(chain)))
  kept.columns = kept.columns.map((column, i) => ({ ...column, bins: binned(result.counted, k, i, ...kept.span) }))
  return kept
}

// A remark with the names that are read from the right isolated, the longest first: one may be part of another.
function isolatedNames(words, names) {
  const turned = names.filter(name => /[\u0590-\u08ff]/.test(name)).sort((a, b) => b.length - a.length)
  const any = turned.map(name => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")
  return any ? words.replace(new RegExp(any, "g"), isolated) : words
}

function keptParts({ kept, source, summary }) {
  const { columns, trust } = summary, values = columns.map(({ mean }) => unknown(mean)), parts = []
  if (trust) parts.push(badgeOf(trust))
  if (kept.kind === "weight" && !trust) parts.push(maxentTable(source, values))
  else if (kept.runs?.length) parts.push(glaTable(source, kept.runs), ...traceParts(source, kept.trace))
  else parts.push(posteriorTable(source.constraints, columns, trust, kept.span, kept.hue, kept.kind))
  if (Number.isFinite(kept.logLikelihood)) parts.push(h("p", { class: "remark" }, word("Log likelihood {value}", { value: decimal(kept.logLikelihood, 4) })))
  for (const words of kept.remarks) parts.push(h("p", { class: "remark" }, isolatedNames(word(words), [...source.constraints, ...source.inputs, ...source.candidates])))
  parts.push(h("details", {}, h("summary", {}, word("How it was made")), table(word("How {learner} was run", { learner: kept.label }), [word("Setting"), word("Value")], Object.entries(kept.settings))))
  if (!kept.again) parts.push(h("p", { class: "remark" }, word("This page shows the result, but cannot learn with all of these settings.")))
  return parts
}

// This page as text, with other data: what scripts have made of it since it was opened is left out.
function pageText(data) {
  const page = document.documentElement.cloneNode(true), title = `${data.tableau.title} · OT lab`
  page.querySelector("main").replaceChildren()
  page.querySelector("#title").textContent = data.tableau.title
  page.querySelector("title").textContent = title
  page.querySelector("#data").textContent = JSON.stringify(data).replaceAll("<", "\\u003c")
  page.removeAttribute("data-ready")
  page.removeAttribute("class")
  return `<!DOCTYPE html>\n${page.outerHTML}`
}
