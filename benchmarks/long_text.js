// Click, wait frame by frame until the box has the keyboard, type there, and wait until that is drawn.
async () => {
  const frame = () => new Promise(requestAnimationFrame)
  const some = (root, found) => [...root.querySelectorAll("*")].some(
    node => found(node) || (node.shadowRoot && some(node.shadowRoot, found)))
  function focused() {
    let node = document.activeElement
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
    return node
  }
  const opens = node => node.localName === "button" && node.textContent.trim() === "Edit as text"
  const begin = performance.now()
  some(document, node => opens(node) && (node.click(), true))
  while (focused()?.localName !== "textarea") await frame()
  document.execCommand("insertText", false, "x")
  await frame()
  await frame()
  return performance.now() - begin
}
