// Tableaux for papers in LaTeX: twin of otlab/viz/ot/printed.py, for the package ot-tableau, text for text.
//
// Constraints are in the order of the strata by RCD; if no ranking fits, in that of the table.

const LATEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
  _: "\\_", "<": "$<$", ">": "$>$", "|": "$|$", "′": "$'$", "∅": "$\\varnothing$", "→": "$\\rightarrow$", "−": "$-$", "∗": "*", "⁰": "$^0$", "≈": "$\\approx$",
}
const MOST_STARS = 6, MOST_TIED = 3
const inLatex = text => [...text].map(letter => LATEX[letter] ?? letter).join("")
const bareInput = form => form.length > 1 && form.startsWith("/") && form.endsWith("/") ? form.slice(1, -1) : form

// The order of the constraints, the sizes of its strata, and its source in words.
function printedOrder(tableau, apriori) {
  const { winners, tied } = winnersOf(tableau), k = tableau.constraints.length
  const { strata, unsatisfied } = demoted(distinctErcs([...aprioriErcs(apriori), ...winnerErcs(tableau, winners).filter(erc => erc.losers)]), k)
  const named = tied.slice(0, MOST_TIED).map(input => `/${bareInput(input)}/`).join(", ") + (tied.length > MOST_TIED ? ", ..." : "")
  const source = `${unsatisfied.length ? "the file, for no ranking fits" : "the strata by RCD"}${tied.length ? `\nequally frequent candidates of ${named}: the first is taken as the winner` : ""}`
  return unsatisfied.length ? { order: range(0, k), sizes: Array(k).fill(1), source } : { order: strata.flat(), sizes: strata.map(stratum => stratum.length), source }
}

// Asterisks, with ! after the first one that is too many; large and negative numbers as such.
function printedMarks(count, allowed) {
  if (count < 0 || count > MOST_STARS || allowed < 0) return `${count < 0 ? "−" : ""}${Math.abs(count)}${allowed === null ? "" : "!"}`
  return allowed === null ? "∗".repeat(count) : `${"∗".repeat(allowed + 1)}!${"∗".repeat(count - allowed - 1)}`
}

// Each candidate of an input: whether it wins, and its marks in the order of the constraints.
function printedRows(tableau, k, order) {
  const rows = rowsOf(tableau, k), lost = new Map()
  let left = rows
  order.forEach((i, place) => {
    const fewest = Math.min(...left.map(row => tableau.violations[row][i]))
    for (const row of left) if (tableau.violations[row][i] > fewest) lost.set(row, { place, fewest })
    left = left.filter(row => !lost.has(row))
  })
  return rows.map(row => ({ row, wins: !lost.has(row), marks: order.map((i, place) => printedMarks(tableau.violations[row][i], lost.get(row)?.place === place ? lost.get(row).fewest : null)) }))
}

function constraintInLatex(name) {
  const [, stem = name, below] = /^([^_]*[^_\s])_\{?([^\s{}]+?)\}?$/.exec(name) ?? []
  return inLatex(stem) + (below ? `\\textsubscript{${inLatex(below)}}` : "")
}

function latexOf(tableau, version, apriori = []) {
  const { order, sizes, source } = printedOrder(tableau, apriori)
  const rules = sizes.map(size => Array(size).fill("c").join(":")).join("|"), heads = order.map(i => `\\const{${constraintInLatex(tableau.constraints[i])}}`).join(" ")
  const blocks = tableau.inputs.map((input, k) => [`\\begin{tableau}{${rules}}`, `\\inp{\\ips{${inLatex(bareInput(input))}}} ${heads}`,
    ...printedRows(tableau, k, order).map(({ row, wins, marks }) => `\\cand${wins ? "[\\Optimal]" : ""}{${inLatex(tableau.candidates[row])}} ${marks.map(mark => `\\vio{${inLatex(mark)}}`).join(" ")}`),
    "\\end{tableau}"].join("\n")).join("\n\n")
  const about = [tableau.title || "a tableau", ...tableau.source ? [`source: ${tableau.source}`] : [], `constraints in the order of ${source}`, `otlab ${version}`].join("\n").split("\n")
  const letters = /[^\u0000-\u007f]/.test(blocks) ? ["For its letters: lualatex or xelatex, \\usepackage{fontspec}, \\setmainfont{Charis SIL}"] : []
  return `${[...about, "In the preamble: \\usepackage[shadedcells,notipa]{ot-tableau}", ...letters].map(line => `% ${line}`).join("\n")}\n${blocks}\n`
}
