// Factorial typology of up to seven constraints: the languages that their rankings generate, each with how many
// rankings do so; a twin of otlab/ot/analysis/typology.py, which needs not go through the rankings.

const MOST_RANKED = 7, MOST_LANGUAGES = 200

// [{winners: [row of each input], rankings, ranking}], the most frequent first; null if there are too many constraints.
function typologyOf(tableau) {
  const k = tableau.constraints.length, found = new Map()
  if (k > MOST_RANKED) return null
  const factorial = n => range(1, n + 1).reduce((product, factor) => product * factor, 1)
  // candidates with the same violations count as one, named by the first
  const all = tableau.inputs.map((_, n) => classesOf(tableau, n).map(([row]) => row))
  function rankOn(ranked, left) {
    if (ranked.length === k || left.every(rows => rows.length === 1)) {
      const winners = left.map(([row]) => row), key = winners.join(), own = found.get(key), count = factorial(k - ranked.length)
      if (own) own.rankings += count
      else found.set(key, { winners, rankings: count, ranking: [...ranked, ...range(0, k).filter(c => !ranked.includes(c))] })
      return
    }
    for (const c of range(0, k)) {
      if (ranked.includes(c)) continue
      rankOn([...ranked, c], left.map(rows => { const least = Math.min(...rows.map(row => tableau.violations[row][c])); return rows.filter(row => tableau.violations[row][c] === least) }))
    }
  }
  rankOn([], all)
  return [...found.values()].sort((a, b) => b.rankings - a.rankings || a.winners.join().localeCompare(b.winners.join(), undefined, { numeric: true }))
}

// What the card of the typology shows: a row a language, the one whose winners are the most frequent candidates marked.
function typologyParts(tableau, languages) {
  const total = languages.reduce((sum, { rankings }) => sum + rankings, 0), { winners } = winnersOf(tableau)
  const attested = language => winners.size === tableau.inputs.length && language.winners.every((row, n) => winners.get(n) === row)
  const shown = languages.slice(0, MOST_LANGUAGES), place = languages.findIndex(attested)
  const said = [total === 1 ? word("1 language, 1 ranking") : languages.length === 1 ? word("1 language, {rankings} rankings", { rankings: number(total) }) : word("{n} languages, {rankings} rankings", { n: number(languages.length), rankings: number(total) })]
  if (winners.size === tableau.inputs.length) said.push(place < 0 ? word("no ranking makes the most frequent candidates win") : word("the most frequent candidates are language {n}", { n: place + 1 }))
  if (shown.length < languages.length) said.push(word("the {n} of most rankings are shown", { n: MOST_LANGUAGES }))
  const rows = shown.map((language, n) => [attested(language) ? word("{n} (observed)", { n: n + 1 }) : String(n + 1), ...language.winners.map(row => isolated(tableau.candidates[row])), number(language.rankings), language.ranking.map(c => isolated(tableau.constraints[c])).join(" ≫ ")])
  return [h("p", { class: "remark" }, `${said.join("; ")}.`), table(word("Languages"), [word("Language"), ...tableau.inputs.map(isolated), word("Rankings"), word("One of them")], rows)]
}
