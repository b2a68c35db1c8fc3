// The ranking line of a page, with the bars computed here.

parts("line", (part, data) => {
  const within = name => part.closest(".two").querySelector(`.live-${name}`)
  const [bars, announced] = ["bars", "announced"].map(within)
  part.classList.add("line")
  const rows = [...bars.querySelectorAll(".ot-track")].map(track => ({
    fill: track.querySelector(".ot-fill"), text: track.nextElementSibling, name: track.previousElementSibling.textContent,
  }))
  const percent = p => `${(100 * p).toFixed(1)}\u2009%`
  const { plan, names, values, noise, bound } = data

  function show(at, done) {
    const probability = candidateProbabilities(plan, at, noise)
    rows.forEach((row, r) => {
      row.fill.style.width = `${100 * probability[r]}%`
      setText(row.text, percent(probability[r]))
    })
    if (done) setText(announced, `Candidate probabilities: ${rows.map((row, r) => `${row.name} ${percent(probability[r])}`).join(", ")}.`)
  }

  const model = pageModel({ names, values, home: values, noise, bound }, ({ values, done }, model) => {
    model.set("values", values)
    show(values, done)
    model.reply({ taken: true })
  })
  component(rankingLine, part, model)
  show(values, false)
  within("home").addEventListener("click", () => { model.set("values", values); show(values, true) })
})
