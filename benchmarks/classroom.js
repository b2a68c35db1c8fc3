// What one page of a class waits for, measured in the page.
(() => {
  function* all(root) {
    for (const node of root.querySelectorAll("*")) {
      yield node
      if (node.shadowRoot) yield* all(node.shadowRoot)
    }
  }
  const find = matches => [...all(document)].find(matches)
  const head = find(n => n.matches(".head") && n.querySelector(".progress"))
  const button = head.querySelector("button.primary"), stopButton = head.querySelector("button[aria-label^='Stop']")
  const progress = head.querySelector(".progress b")
  const painted = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  const root = head.getRootNode()
  const counts = () => [progress, ...root.querySelectorAll(".learner .status")].map(node => node.textContent).join()
  const count = () => Number((progress.textContent.match(/[\d,]+/) ?? ["0"])[0].replaceAll(",", ""))

  // Call back whenever the run panel changes. Thirty pages that look by themselves would use up the cores.
  function watch(changed) {
    const watcher = new MutationObserver(changed)
    watcher.observe(root, { subtree: true, childList: true, characterData: true, attributes: true })
    return watcher
  }

  function until(condition, patience) {
    const begun = performance.now()
    return new Promise((done, fail) => {
      const late = setTimeout(() => { watcher.disconnect(); fail(new Error(`waited in vain: ${head.textContent}`)) }, patience)
      const watcher = watch(look)
      function look() {
        if (!condition()) return
        watcher.disconnect()
        clearTimeout(late)
        painted().then(() => done(performance.now() - begun))
      }
      look()
    })
  }

  // Run, and watch for some time: ms to the acknowledgement and to the first sweeps shown; updates per second.
  async function run(milliseconds, patience) {
    const before = head.textContent, begun = performance.now()
    button.click()
    const heard = await until(() => head.textContent !== before, patience)
    await until(() => count() > 0, patience)
    const first = performance.now() - begun
    let updates = 0, shown = counts()
    const watcher = watch(() => { if (counts() !== shown) { updates += 1; shown = counts() } })
    await new Promise(done => setTimeout(done, milliseconds))
    watcher.disconnect()
    return { heard, first, updates: 1000 * updates / milliseconds, sweeps: count() }
  }

  async function stop(patience) {
    stopButton.click()
    const ask = head.querySelector(".ask:not([hidden]) button.primary, .ask:not([hidden]) button")
    if (ask && ask.offsetParent) ask.click()
    return until(() => /Stopped|stopped/.test(head.textContent) || stopButton.disabled, patience) // or the run has ended
  }

  window.classroom = { run, stop }
})()
