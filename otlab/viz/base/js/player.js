// The readings of sentences, step by step: choose a sentence and a reading, move the slider, or play.

parts("player", (host, { sentences }) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)")
  let sentence = 0, reading = 0, step = 0, timer = null

  const choose = h("select", { "aria-label": "Sentence", onchange: () => { sentence = choose.selectedIndex; reading = 0; step = Infinity; draw() } },
    ...sentences.map(({ name }) => h("option", {}, name)))
  choose.hidden = sentences.length < 2
  const readings = h("div", { class: "readings", role: "group", "aria-label": "Readings" })
  const picture = h("div", { class: "scroll picture", tabindex: 0, role: "group", "aria-label": "Derivation" })
  const slider = h("input", { type: "range", min: 0, "aria-label": "Step", oninput: () => { step = Number(slider.value); draw() } })
  const play = h("button", { type: "button", onclick: () => timer ? halt() : start() }, "Play")
  const caption = h("p", { "aria-live": "polite" })
  host.replaceChildren(h("div", { class: "bar" }, choose, readings), picture, h("div", { class: "bar" }, play, slider), caption)

  const steps = () => sentences[sentence].readings[reading].steps
  function start() {
    if (step >= steps().length - 1) step = 0
    draw()
    timer = setInterval(() => step >= steps().length - 1 ? halt() : (step++, draw()), still.matches ? 1500 : 900)
    setText(play, "Pause")
  }
  function halt() { clearInterval(timer); timer = null; setText(play, "Play") }

  function draw() {
    const now = sentences[sentence].readings
    readings.replaceChildren(...now.map(({ name }, i) => h("button", {
      type: "button", "aria-pressed": String(i === reading), onclick: () => { halt(); reading = i; step = Infinity; draw(); readings.children[i].focus() },
    }, name)))
    step = Math.min(step, steps().length - 1)
    slider.max = steps().length - 1
    slider.value = step
    setAttribute(slider, "aria-valuetext", steps()[step].caption)
    picture.innerHTML = textOf(steps()[step].svg)
    setText(caption, steps()[step].caption)
  }
  step = Infinity
  draw()
})
