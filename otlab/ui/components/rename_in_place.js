// A box in place of a name, until Enter or a click elsewhere keeps what was typed, or Esc does not.
function renameInPlace(shown, name, button, keep) {
  const field = h("input", { type: "text", "aria-label": `New name of ${name}`, maxlength: 200 })
  field.value = name
  let ended = false
  const end = kept => {
    if (ended) return
    ended = true
    const back = focused() === field
    field.replaceWith(shown)
    if (back) button.focus()
    if (kept && field.value.trim() !== name) keep(field.value)
  }
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== "Escape") return
    event.preventDefault()  // Enter would press the button that gets the keyboard
    event.stopPropagation()
    end(event.key === "Enter")
  })
  field.addEventListener("blur", () => end(true))
  shown.replaceWith(field)
  field.select()
  field.focus()
}
