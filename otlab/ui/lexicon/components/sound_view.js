// Takes 5.4 ms to build, where two plots of HoloViews, Audio and a Button would take 114.
// One utterance of sound: words, spectrogram, waveform, gold phones, units and how sure they are, on one time line.

export function render({ model, el }) {
  let zoom = 1, from = null
  const voice = player(el, moved)

  const tool = (name, text, act) => h("button", { class: "plain", type: "button", "aria-label": name, title: name, onclick: act }, text)
  const place = h("span", { class: "remark" })
  const play = h("button", { class: "plain", type: "button", onclick: () => { voice.wake(); model.send_msg({ kind: "play" }) } }, "Play")
  const bar = h("div", { class: "tools" }, play,
    tool("Earlier utterance", "‹", () => model.send_msg({ kind: "turn", by: -1 })), place,
    tool("Later utterance", "›", () => model.send_msg({ kind: "turn", by: 1 })), h("span", { class: "grow" }),
    tool("Zoom out", "−", () => stretch(zoom / 1.6)), tool("Zoom in", "+", () => stretch(zoom * 1.6)), tool("Show all of it", "All", () => stretch(1)))

  const axis = h("div", { class: "axis spec" })
  const labels = h("div", { class: "labels" }, h("div", { class: "name words" }, "words"), axis, h("div", { class: "name wave" }, ""),
    h("div", { class: "name tier" }, "gold"), h("div", { class: "name tier" }, "units"), h("div", { class: "name agreed" }, "agreed"), h("div", { class: "name sure" }, "P(unit)"), h("div", { class: "name post" }, "P(start)"), h("div", { class: "name time" }, "s"))
  const words = h("div", { class: "tier words", role: "list", "aria-label": "Gold words" })
  const canvas = h("canvas"), overlay = h("div", { class: "overlay" }), head = h("div", { class: "playhead", hidden: true })
  const spec = h("div", { class: "spec", role: "img", "aria-label": "Spectrogram" }, canvas, overlay, head)
  const wave = h("div", { class: "wave", role: "img", "aria-label": "Waveform" })
  const phones = h("div", { class: "tier phones", role: "list", "aria-label": "Gold phones" })
  const units = h("div", { class: "tier units", role: "group", "aria-label": "Units" })
  const agreed = h("div", { class: "agreed", role: "list", "aria-label": "Segments between boundaries that most runs have" })
  const sure = h("div", { class: "sure", role: "img", "aria-label": "Probability of the most probable unit" })
  const post = h("div", { class: "post", role: "img", "aria-label": "Probability that a unit starts" })
  const time = h("div", { class: "time" })
  const inner = h("div", { class: "inner" }, words, spec, wave, phones, units, agreed, sure, post, time)
  const scroller = h("div", { class: "scroller", tabindex: "0", "aria-label": "Sound; arrows choose a unit, Enter plays it" }, inner)
  el.replaceChildren(h("div", { class: "frame" }, bar, h("div", { class: "body" }, labels, scroller)))

  const share = t => `${100 * Math.min(1, Math.max(0, t / model.sound.seconds))}%`

  function stretch(to) {
    const before = zoom, middle = (scroller.scrollLeft + scroller.clientWidth / 2) / before
    zoom = Math.min(40, Math.max(1, to))
    inner.style.width = `${100 * zoom}%`
    scroller.scrollLeft = middle * zoom - scroller.clientWidth / 2
    ticks(); fit()
  }

  // A label that has no room is left out rather than cut: the title of its interval says it.
  function fit() {
    const labels = [...inner.querySelectorAll(".tier b, .unit b")]
    labels.forEach(label => { label.hidden = false })
    const cut = labels.map(label => label.offsetWidth > label.parentElement.clientWidth)
    labels.forEach((label, k) => { label.hidden = cut[k] })
  }

  function span(start, end) { return `left:${share(start)};width:calc(${share(end)} - ${share(start)})` }

  function tier(node, intervals) {
    node.replaceChildren(...intervals.map(([start, end, label]) => h("span", { role: "listitem", style: span(start, end), title: `${label}, ${start.toFixed(3)} to ${end.toFixed(3)} s` }, h("b", {}, label))))
  }

  function ticks() {
    const seconds = model.sound.seconds, most = Math.max(2, inner.clientWidth / 70)
    const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find(s => seconds / s <= most) || 5
    const marks = []
    for (let k = 0; k * step <= seconds; k++) {
      const room = (1 - k * step / seconds) * inner.clientWidth   // a label that would be cut is left out
      marks.push(h("i", { style: `left:${share(k * step)}` }, room < 30 ? "" : (k * step).toFixed(step < 0.1 ? 2 : 1)))
    }
    time.replaceChildren(...marks)
  }

  function paint() {
    const { columns, bands } = model.sound, data = bytesOf(model.sound.spectrogram), map = model.colors
    canvas.width = Math.max(1, columns); canvas.height = bands
    if (!columns) return
    const image = new ImageData(columns, bands), rgb = map.map(c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)))
    for (let t = 0; t < columns; t++) for (let f = 0; f < bands; f++) {
      const x = data[t * bands + f] / 255 * (rgb.length - 1), low = Math.min(rgb.length - 2, Math.floor(x)), at = 4 * ((bands - 1 - f) * columns + t)
      for (let c = 0; c < 3; c++) image.data[at + c] = rgb[low][c] + (x - low) * (rgb[low + 1][c] - rgb[low][c])
      image.data[at + 3] = 255
    }
    canvas.getContext("2d").putImageData(image, 0, 0)
  }

  function draw() {
    const sound = model.sound
    setText(place, sound.place)
    play.disabled = !sound.columns
    paint()
    axis.replaceChildren(...sound.ticks.map(([y, label]) => h("i", { style: `bottom:${100 * y}%` }, label)))
    const wavy = new Int8Array(bytesOf(sound.wave).buffer), n = wavy.length / 2
    let up = "", down = ""
    for (let t = 0; t < n; t++) { up += `L${t} ${-wavy[2 * t + 1]}`; down = `L${t} ${-wavy[2 * t]}` + down }
    wave.innerHTML = n ? `<svg viewBox="0 -128 ${n} 256" preserveAspectRatio="none"><path d="M0 0${up}${down}Z"/></svg>` : ""
    tier(words, sound.words); tier(phones, sound.phones)
    labels.children[0].style.visibility = sound.words.length ? "" : "hidden"
    labels.children[3].style.visibility = sound.phones.length ? "" : "hidden"
    zoom = 1; inner.style.width = "100%"
    found(); ticks()
  }

  function found() {
    const now = model.units
    units.replaceChildren(...now.segments.map(([start, end, unit], k) => h("button", { class: `unit tint${unit % 6}`, type: "button", style: span(start, end), tabindex: "-1",
      title: `unit ${unit}, ${start.toFixed(2)} to ${end.toFixed(2)} s: press to hear it`, "aria-label": `Unit ${unit}`, onclick: () => choose(k) }, h("b", {}, String(unit)))))
    agreed.replaceChildren(...now.agreed.map(([start, end]) => h("span", { role: "listitem", style: span(start, end), title: `most of the runs: ${start.toFixed(3)} to ${end.toFixed(3)} s` })))
    for (const row of [agreed, labels.querySelector(".agreed")]) row.hidden = !now.agreed.length
    const lines = now.segments.slice(1).map(([start]) => h("i", { style: `left:${share(start)}` }))
    const picked = now.segments[now.selected]
    if (picked) { lines.push(h("b", { style: span(picked[0], picked[1]) })); units.children[now.selected].classList.add("chosen") }
    overlay.replaceChildren(...lines)
    const q = bytesOf(now.probability), x = t => (now.first + t * now.hop) / model.sound.seconds * 1000
    const top = Array.from(q, (v, t) => `L${x(t - .5)} ${255 - v}L${x(t + .5)} ${255 - v}`).join("")
    sure.innerHTML = q.length ? `<svg viewBox="0 0 1000 255" preserveAspectRatio="none"><path d="M${x(-.5)} 255${top}L${x(q.length - .5)} 255Z"/></svg>` : ""
    const p = bytesOf(now.start)
    const marks = Array.from(p, (v, t) => v > 2 ? `M${x(t)} 255V${255 - v}` : "").join("")
    if (p.length) post.innerHTML = `<svg viewBox="0 0 1000 255" preserveAspectRatio="none"><path d="${marks}"/></svg>`
    else post.replaceChildren(h("span", { class: "remark" }, now.hint))
    fit()
  }

  function choose(k) { voice.wake(); model.send_msg({ kind: "choose", segment: k }) }

  // The line that moves along; a sound from elsewhere has none.
  function moved(t) {
    head.hidden = t == null || from == null
    if (!head.hidden) head.style.left = share(from + t)
  }

  scroller.addEventListener("keydown", event => {
    const n = model.units.segments.length, at = model.units.selected
    if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && n) choose(Math.min(n - 1, Math.max(0, at + (event.key === "ArrowRight" ? 1 : -1))))
    else if (event.key === "Enter" && at >= 0) choose(at)
    else if (event.key === "+" || event.key === "-") stretch(event.key === "+" ? zoom * 1.6 : zoom / 1.6)
    else return
    event.preventDefault(); event.stopPropagation()
  })

  model.on("msg:custom", ({ wav, start }) => { from = start; voice.play(wav) })
  model.on("remove", voice.close)
  model.on("sound", draw); model.on("units", found); model.on("colors", paint)
  const watcher = new ResizeObserver(() => { ticks(); fit() })
  watcher.observe(scroller); model.on("remove", () => watcher.disconnect())
  draw()
}
