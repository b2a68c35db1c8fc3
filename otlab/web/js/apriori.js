// Constraints that are ranked above others before anything is learnt, as the lab writes them: A >> B; B >> C.

// The pairs [higher, lower] of a text, by number; an error says what is wrong with it.
function aprioriPairs(text, tableau) {
  const number = name => { const i = tableau.constraints.indexOf(name); return i < 0 ? tableau.full_names.indexOf(name) : i }
  const pairs = text.split(/;(?:\s+|$)/).filter(part => part.trim()).map(part => {
    const names = part.split(/\s+(?:>>|≫)\s+/).map(name => name.trim()), strange = names.find(name => number(name) < 0)
    if (names.length !== 2 || names.includes("")) throw new Error(word("write A >> B, and a semicolon and a blank before the next"))
    if (strange !== undefined) throw new Error(word("no constraint is called {name}", { name: isolated(strange) }))
    return names.map(number)
  })
  if (!consistent(aprioriErcs(pairs))) throw new Error(word("the rankings go round in a circle; remove one"))
  return pairs
}

const aprioriErcs = pairs => pairs.map(([higher, lower]) => ({ winners: bit(higher), losers: bit(lower), rival: -1 }))
const aprioriText = (pairs, names) => pairs.map(([higher, lower]) => `${names[higher]} >> ${names[lower]}`).join("; ")

// The text after constraints were renamed or taken out.
function followedApriori(text, before, after) {
  if (!text.trim() || before.constraints.join("\n") === after.constraints.join("\n")) return text
  const gone = before.constraints.filter(name => !after.constraints.includes(name)), added = after.constraints.filter(name => !before.constraints.includes(name))
  const renamed = before.constraints.length === after.constraints.length && gone.length === 1 && added.length === 1
  try {
    const pairs = aprioriPairs(text, before).map(pair => pair.map(i => { const name = before.constraints[i]; return after.constraints.indexOf(renamed && name === gone[0] ? added[0] : name) }))
    return aprioriText(pairs.filter(pair => !pair.includes(-1)), after.constraints)
  } catch { return text }
}

// Exchange ranking values until the first constraint of each pair is above the second; twin of put_in_order in sampler.py.
function putInOrder(values, pairs) {
  for (let wrong = true; wrong;) {
    wrong = false
    for (const [higher, lower] of pairs) {
      if (values[higher] < values[lower]) { [values[higher], values[lower]] = [values[lower], values[higher]]; wrong = true }
    }
  }
  return values
}

// A field for them; `now()` is the tableau whose constraints are meant.
function aprioriField(label, now) {
  const input = h("input", { "aria-label": label, placeholder: "A >> B; B >> C", spellcheck: "false", dir: "auto" })
  const field = {
    node: h("label", { class: "field" }, label, input), input,
    // As the lab writes it, where it can be read.
    get text() { try { return aprioriText(aprioriPairs(input.value, now()), now().constraints) } catch { return input.value.trim() } },
    set text(words) { input.value = words },
    get value() {
      setAttribute(input, "aria-invalid", null)
      try { return aprioriPairs(input.value, now()) } catch (error) {
        setAttribute(input, "aria-invalid", "true")
        throw new Error(`${label}: ${error.message}.`)
      }
    },
    // What can be read of it, for the strata.
    get readable() { try { return aprioriPairs(input.value, now()) } catch { return [] } },
  }
  return field
}
