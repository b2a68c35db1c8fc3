// The tableau as a table of fields: names, counts and violations; rows and columns can be added, moved and taken out.
//
// grid(host, tableau, changed, locked)    changed(tableau, what) gets a new tableau after each edit that is sound

function grid(host, first, changed, locked = false) {
  let tableau = first
  const message = h("p", { class: "fault", role: "alert" }), box = h("div", { class: "scroll" })
  host.replaceChildren(box, message)
  const copy = () => structuredClone(tableau)
  // What the controls are called changes with the names in the table.
  let labels = []
  const labelled = (node, label) => { labels.push([node, label]); return node }
  const relabel = () => labels.forEach(([node, label]) => { for (const name of node.title ? ["aria-label", "title"] : ["aria-label"]) setAttribute(node, name, label()) })

  // Take a new tableau if it breaks no rule, else say which.
  function take(after, what, field) {
    const fault = faultOf(after)
    setText(message, fault ?? "")
    if (field) setAttribute(field, "aria-invalid", fault ? "true" : null)
    if (fault) return
    tableau = after
    changed(tableau, what)
    if (!field) draw()
    else if (field.matches(".name")) relabel()
  }

  function field(value, label, kind, edit) {
    const named = kind !== "number", shown = named ? value : typed(value)
    const input = h("input", { value: shown, "aria-label": label(), class: kind, dir: named ? "auto" : null, inputmode: named ? null : "decimal", spellcheck: "false", readonly: locked })
    input.value = shown
    input.addEventListener("change", () => {
      const after = copy(), text = input.value.trim(), doubt = named ? null : unclearNumber(text)
      if (doubt) { setText(message, `${doubt}.`); return setAttribute(input, "aria-invalid", "true") }
      edit(after, named ? text : typedNumber(text))
      take(after, label(), input)
    })
    input.addEventListener("keydown", event => move(event, input))
    input.addEventListener("paste", event => pasteBlock(event, input))
    return labelled(input, label)
  }

  // Enter and the arrows up and down go along a column.
  function move(event, input) {
    const by = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    const cell = input.closest("th,td"), row = cell.parentElement, place = [...row.children].indexOf(cell)
    const rows = [...box.querySelectorAll("tr")], next = rows[rows.indexOf(row) + by]?.children[place]?.querySelector("input")
    input.blur()   // what was typed counts also where there is no next field
    ;(next ?? input).focus()
    ;(next ?? input).select()
  }

  // A block of cells fills those from this one on; rows below the last become candidates of the last input.
  function pasteBlock(event, input) {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n$/, "")
    if (!/[\t\n]/.test(text) || holdsATable(text)) return   // the page takes whole tables
    event.preventDefault()
    event.stopPropagation()
    if (locked) return
    const cell = input.closest("th,td"), column = [...cell.parentElement.children].indexOf(cell), row = [...box.querySelectorAll("tbody tr")].indexOf(cell.parentElement)
    if (row < 0) return setText(message, word("Paste cells into a row of a candidate; names of constraints come with a whole table."))
    const { after, faults } = withBlock(copy(), row, column, text.split("\n").map(line => line.split("\t")))
    if (faults.length) return setText(message, faults.slice(0, 5).join(" "))
    take(after, "cells")
  }

  // Take a tableau in which something was moved; the keyboard stays at its button, or goes to its name where it has none left.
  function moved(after, what, row, column, button) {
    take(after, what)
    const cell = place => [...box.querySelectorAll("tr")][row].children[place], name = cell(column).querySelector("input")
    ;([...cell(button).querySelectorAll("button")].find(node => node.matches(".moves")) ?? name).focus()
  }

  const action = (text, label, act) => locked ? "" : labelled(h("button", { type: "button", class: "small", "aria-label": label(), title: label(), onclick: act }, text), label)
  const moving = (text, label, act) => { const node = action(text, label, act); if (node) node.classList.add("moves"); return node }

  function draw() {
    labels = []
    const t = tableau, candidate = row => tableau.candidates[row], head = h("tr", {}, h("th", { scope: "col" }, word("Input")), h("th", { scope: "col" }, word("Candidate")), h("th", { scope: "col" }, word("Count")),
      ...t.constraints.map((name, i) => h("th", { scope: "col" }, field(name, () => word("Constraint {n}", { n: i + 1 }), "name constraint", (after, text) => { after.constraints[i] = text }),
        i ? moving("←", () => word("Move the constraint {name} to the left", { name: tableau.constraints[i] }), () => moved(withConstraintMoved(copy(), i, i - 1), "constraints", 0, 2 + i, 2 + i)) : "",
        t.constraints.length > 1 ? action("×", () => word("Remove the constraint {name}", { name: tableau.constraints[i] }), () => take(withoutConstraint(copy(), i), "constraints")) : "")),
      locked ? null : h("th", {}, action(word("+ constraint"), () => word("Add a constraint"), () => take(withConstraint(copy()), "constraints"))))
    const rows = t.inputs.flatMap((input, k) => rowsOf(t, k).map((row, n, { length }) => h("tr", { class: n ? null : "first" },
      h("th", { scope: "row" }, n ? "" : field(input, () => word("Input {n}", { n: k + 1 }), "name", (after, text) => { after.inputs[k] = text }),
        n || !k ? "" : moving("↑", () => word("Move the input {input} up", { input: tableau.inputs[k] }), () => moved(withInputMoved(copy(), k, k - 1), "inputs", 1 + t.offsets[k - 1], 0, 0)),
        n ? "" : action("+", () => word("Add a candidate of {input}", { input: tableau.inputs[k] }), () => take(withCandidate(copy(), k), "candidates"))),
      h("td", {}, field(t.candidates[row], () => word("Candidate {n} of {input}", { n: n + 1, input: tableau.inputs[k] }), "name", (after, text) => { after.candidates[row] = text })),
      h("td", {}, field(t.frequencies[row], () => word("Count of {candidate}", { candidate: candidate(row) }), "number", (after, x) => { after.frequencies[row] = x })),
      ...t.constraints.map((name, i) => h("td", {}, field(t.violations[row][i], () => word("{constraint} of {candidate}", { constraint: tableau.constraints[i], candidate: candidate(row) }), "number", (after, x) => { after.violations[row][i] = x }))),
      locked ? null : h("td", {}, n ? moving("↑", () => word("Move {candidate} up", { candidate: candidate(row) }), () => moved(withCandidateMoved(copy(), row, row - 1), "candidates", row, 1, 3 + t.constraints.length)) : "", t.candidates.length > 1 ? action("×", () => word("Remove {candidate}", { candidate: candidate(row) }), () => take(withoutCandidate(copy(), k, row), "candidates")) : ""))))
    const last = locked ? null : h("tr", {}, h("th", { scope: "row" }, action(word("+ input"), () => word("Add an input"), () => take(withInput(copy()), "inputs"))))
    const place = placeOf(document.activeElement)
    box.replaceChildren(h("table", { class: "grid" }, h("thead", {}, head), h("tbody", {}, ...rows, ...(last ? [last] : []))))
    if (place) at(place)?.focus()
  }

  // Where the keyboard is in the table, and what is there once it is drawn anew: after a button that adds a name the
  // field of that name, after one that removes something the button for the next.
  const operable = cell => [...cell.querySelectorAll("input,button")]
  function placeOf(node) {
    const cell = box.contains(node) && node.closest("th,td")
    return cell ? [[...box.querySelectorAll("tr")].indexOf(cell.parentElement), [...cell.parentElement.children].indexOf(cell), operable(cell).indexOf(node)] : null
  }
  function at([row, column, n]) {
    const rows = [...box.querySelectorAll("tr")], cells = [...rows[Math.min(row, rows.length - 1)].children], own = operable(cells[Math.min(column, cells.length - 1)])
    return own[Math.min(n, own.length - 1)] ?? operable(box)[0]
  }

  draw()
  return { show(after) { tableau = after; setText(message, ""); draw() } }
}

function faultOf({ inputs, candidates, offsets, constraints, violations, frequencies }) {
  const twice = names => names.find((name, n) => names.indexOf(name) !== n)
  if (constraints.some(name => !name)) return word("A name of a constraint is empty; write one.")
  if (twice(constraints) !== undefined) return word("Two constraints are called {name}; give each a name of its own.", { name: isolated(twice(constraints)) })
  if (inputs.some(name => !name)) return word("A name of an input is empty; write one.")
  if (twice(inputs) !== undefined) return word("Two inputs are called {name}; give each a name of its own.", { name: isolated(twice(inputs)) })
  for (const [k, input] of inputs.entries()) {
    const own = candidates.slice(offsets[k], offsets[k + 1])
    if (own.some(name => !name)) return word("A candidate of {input} has no name; write one.", { input: isolated(input) })
    if (twice(own) !== undefined) return word("Two candidates of {input} are called {name}; give each a name of its own.", { input: isolated(input), name: isolated(twice(own)) })
  }
  if (violations.flat().some(x => !Number.isSafeInteger(x))) return word("Violations are whole numbers.")
  if (frequencies.some(x => !(x >= 0 && x < 1e15))) return word("Counts are numbers, 0 or more.")
  return null
}

// A name that is not taken yet.
const freeName = (stem, taken) => { let n = taken.length + 1; while (taken.includes(`${stem}${n}`)) n++; return `${stem}${n}` }

function withConstraint(t) {
  t.constraints.push(freeName("C", t.constraints))
  t.full_names = []
  t.violations.forEach(row => row.push(0))
  return t
}
function withoutConstraint(t, i) {
  for (const list of [t.constraints, ...t.violations, ...(t.full_names.length ? [t.full_names] : [])]) list.splice(i, 1)
  return t
}
const shift = (list, from, to) => { list.splice(to, 0, ...list.splice(from, 1)) }
function withConstraintMoved(t, i, to) {
  for (const list of [t.constraints, ...t.violations, ...(t.full_names.length ? [t.full_names] : [])]) shift(list, i, to)
  return t
}
// Within its input.
function withCandidateMoved(t, row, to) {
  for (const list of [t.candidates, t.frequencies, t.violations]) shift(list, row, to)
  return t
}
function withInputMoved(t, k, to) {
  const order = range(0, t.inputs.length)
  shift(order, k, to)
  const rows = order.flatMap(own => rowsOf(t, own)), taken = list => rows.map(row => list[row])
  return { ...t, inputs: order.map(own => t.inputs[own]), candidates: taken(t.candidates), frequencies: taken(t.frequencies), violations: taken(t.violations), offsets: offsetsOf(order.map(own => rowsOf(t, own).length)) }
}
function withCandidate(t, k) {
  const row = t.offsets[k + 1]
  t.candidates.splice(row, 0, freeName("y", t.candidates.slice(t.offsets[k], row)))
  t.frequencies.splice(row, 0, 0)
  t.violations.splice(row, 0, t.constraints.map(() => 0))
  for (let later = k + 1; later < t.offsets.length; later++) t.offsets[later]++
  return t
}
function withoutCandidate(t, k, row) {
  for (const list of [t.candidates, t.frequencies, t.violations]) list.splice(row, 1)
  for (let later = k + 1; later < t.offsets.length; later++) t.offsets[later]--
  if (t.offsets[k] === t.offsets[k + 1]) { t.inputs.splice(k, 1); t.offsets.splice(k, 1) }
  return t
}
function withInput(t) {
  t.inputs.push(freeName("x", t.inputs))
  t.offsets.push(t.offsets.at(-1))
  return withCandidate(t, t.inputs.length - 1)
}

// The tableau with a block of cells from a row and a column on (0: input, 1: candidate, 2: count, then constraints).
function withBlock(t, row, column, block) {
  const faults = [], width = Math.max(...block.map(cells => cells.length)), surplus = column + width - 3 - t.constraints.length
  if (surplus > 0) return { after: t, faults: [surplus === 1 ? word("The block has 1 more column than the table; add constraints first.") : word("The block has {n} more columns than the table; add constraints first.", { n: surplus })] }
  const { comma, doubt } = commaUse(block.map(cells => cells[2 - column] ?? ""))
  if (doubt) faults.push(`${doubt}.`)
  block.forEach((cells, n) => {
    const at = row + n
    while (at >= t.candidates.length) withCandidate(t, t.inputs.length - 1)
    const k = t.offsets.findIndex(first => first > at) - 1
    cells.forEach((cell, c) => {
      const place = column + c, text = clean(cell), value = place === 2 ? parsedFrequency(cell, comma) : place > 2 ? parsedViolations(cell) : text
      if (value === null) faults.push(word("{text} is no number.", { text: isolated(cell) }))
      else if (place === 0) { if (text && t.offsets[k] === at) t.inputs[k] = text }
      else if (place === 1) { if (text) t.candidates[at] = text }
      else if (place === 2) t.frequencies[at] = value
      else t.violations[at][place - 3] = value
    })
  })
  return { after: t, faults }
}
