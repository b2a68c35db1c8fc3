// How fast the replay slider draws, measured in the page.
(() => {
  function* all(root) {
    for (const node of root.querySelectorAll("*")) {
      yield node
      if (node.shadowRoot) yield* all(node.shadowRoot)
    }
  }
  const frame = () => new Promise(done => requestAnimationFrame(done))

  // Milliseconds of each picture while the slider is dragged from left to right in `places` places: from the
  // input to the frame after the one in which the slider says where the picture is. A place whose picture
  // is the one already shown counts nothing, after `most` milliseconds.
  async function drag(places, most) {
    const slider = [...all(document)].find(n => n.matches("input[type=range][aria-label=Replay]"))
    const said = () => slider.getAttribute("aria-valuetext")
    const took = []
    for (let k = 0; k < places; k++) {
      const before = said(), begun = performance.now()
      slider.value = (k + 0.5) / places
      slider.dispatchEvent(new Event("input", { bubbles: true }))
      const until = begun + most
      while (said() === before && performance.now() < until) await frame()
      await frame()
      if (said() !== before) took.push(performance.now() - begun)
      await frame()
    }
    return took
  }

  window.replaying = { drag }
})()
