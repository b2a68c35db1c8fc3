// What a reader of the OT lab waits for, measured in the page: each function returns a promise.
(() => {
  function* all(root) {
    for (const node of root.querySelectorAll("*")) {
      yield node
      if (node.shadowRoot) yield* all(node.shadowRoot)
    }
  }
  const find = matches => [...all(document)].find(matches)
  const painted = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  const draws = () => find(n => n.matches(".remark") && / draws/.test(n.textContent))?.textContent ?? ""

  // Milliseconds from the click on Run to the frame with the first histogram, and how often a
  // second it moved in the `seconds` after: the number of draws is sent together with the bars.
  async function firstAndOften(seconds) {
    const run = find(n => n.matches("button") && n.textContent.trim() === "Run")
    const begun = performance.now()
    run.click()
    while (!draws()) await painted()
    await painted()
    const first = performance.now() - begun, until = performance.now() + 1000 * seconds
    let moved = 0, shown = draws()
    while (performance.now() < until) {
      await painted()
      const now = draws()
      if (now !== shown) { moved += 1; shown = now }
    }
    return [first, moved / seconds]
  }

  // Milliseconds from an arrow key on a ranking value to the frame with the new probabilities.
  async function keyToBars(times) {
    const handle = find(n => n.matches("[role=slider][aria-label^='Ranking value']"))
    const bars = () => find(n => n.matches(".ot-bars")).textContent
    handle.focus()
    const took = []
    for (let k = 0; k < times; k++) {
      const before = bars(), begun = performance.now()
      handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, shiftKey: true }))
      while (bars() === before && performance.now() - begun < 5000) await painted()
      took.push(performance.now() - begun)
    }
    return took.sort((a, b) => a - b)[times >> 1]
  }

  window.latency = { firstAndOften, keyToBars }
})()
