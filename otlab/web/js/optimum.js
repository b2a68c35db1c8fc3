// Whether finite weights maximise the likelihood of a MaxEnt grammar: twin of MaxEnt.finite_optimum in
// otlab/ot/learners/maxent.py (Albert & Anderson 1984). They do unless some direction d never lowers it, d.(v_l - v_c) >= 0
// for every attested c and rival l, and sometimes raises it: the largest sum of these products, each d_i at most 1, is above 0.

const MOST_PIVOTS = 20000

// Violations of each rival less those of each attested candidate, each once and none of zeros.
function differencesOf(tableau, counts) {
  const found = new Map()
  tableau.inputs.forEach((_, k) => {
    const rows = rowsOf(tableau, k)
    for (const own of rows.filter(row => counts[row] > 0)) {
      for (const rival of rows) {
        const less = tableau.violations[rival].map((n, i) => n - tableau.violations[own][i])
        if (less.some(Boolean)) found.set(less.join(), less)
      }
    }
  })
  return [...found.values()]
}

// The linear programme by the simplex method with Bland's rule; d = 0 is where it begins. A free d_i is the difference of two.
function improvesWithoutEnd(differences, free) {
  const columns = differences.map(less => free ? [...less, ...less.map(n => -n)] : less), n = columns[0]?.length ?? 0
  const gain = range(0, n).map(j => columns.reduce((sum, row) => sum + row[j], 0))
  // a row a variable in the basis: its coefficients, and its value as the last number
  const rows = [...columns.map(row => [...row.map(x => -x), 0]), ...range(0, n).map(j => [...range(0, n).map(i => i === j ? 1 : 0), 1])]
  const basis = rows.map((_, i) => n + i), outside = range(0, n)
  let value = 0
  for (let pivots = 0; pivots < MOST_PIVOTS && value <= 1e-7; pivots++) {
    const enter = range(0, n).filter(j => gain[j] > 1e-9).sort((a, b) => outside[a] - outside[b])[0]
    if (enter === undefined) break
    let leave = -1, least = Infinity
    rows.forEach((row, i) => {
      if (row[enter] <= 1e-9) return
      const ratio = row[n] / row[enter]
      if (ratio < least - 1e-12 || (ratio < least + 1e-12 && basis[i] < basis[leave])) { leave = i; least = Math.min(least, ratio) }
    })
    const pivot = rows[leave], by = pivot[enter]
    pivot[enter] = 1
    for (let j = 0; j <= n; j++) pivot[j] /= by
    const swept = (row, factor) => { row[enter] = 0; for (let j = 0; j < row.length; j++) row[j] -= factor * pivot[j] }
    rows.forEach((row, i) => { if (i !== leave && row[enter]) swept(row, row[enter]) })
    const factor = gain[enter]
    value += factor * pivot[n]
    swept(gain, factor)
    ;[basis[leave], outside[enter]] = [outside[enter], basis[leave]]
  }
  return value > 1e-7
}

const hasFiniteOptimum = (tableau, free) => !improvesWithoutEnd(differencesOf(tableau, countsOf(tableau)), free)
