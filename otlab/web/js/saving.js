// What a card shows, saved as a picture, or its numbers copied for a spreadsheet. Pictures are those of the labs
// (otlab/viz/base/js/card_picture.js): everything in the card but its controls, in the colours of the page.

// Buttons that save a card; `stem()` is the first part of a file's name.
function savingButtons(card, title, stem) {
  const name = ending => `${stem()}_${title}`.replace(/[^\p{L}\p{N}\p{M}]+/gu, "_") + `.${ending}`
  const small = (text, label, act) => h("button", { type: "button", class: "small", "aria-label": `${label}: ${title}`, title: label, onclick: act }, text)
  const picture = () => cardPicture(card, new Map())
  const copied = small(word("Copy"), word("Copy the numbers"), async () => {
    await copyText(cardData([...within(card)], []), card)
    setText(copied, word("Copied"))
    setTimeout(() => setText(copied, word("Copy")), 1100)
  })
  return h("div", { class: "saving" },
    small("PNG", word("Save as PNG"), async () => saveFile(await asPng(picture()), name("png"))),
    small("SVG", word("Save as SVG"), () => saveFile(new Blob([picture().text], { type: "image/svg+xml" }), name("svg"))), copied)
}
