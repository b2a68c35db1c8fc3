// What screen readers and keys need of parts that Panel and Tabulator make, brought up to date every second.

const GAP = 1   // px by which a part may be too large without scrolling

function deepAll(node, selector) {
  const found = [...node.querySelectorAll(selector)]
  for (const inner of node.querySelectorAll("*")) if (inner.shadowRoot) found.push(...deepAll(inner.shadowRoot, selector))
  return found
}

// The title of the card around a part.
function cardTitle(node) {
  for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
    const head = at.matches(".ot-card") && deepAll(at.shadowRoot ?? at, "h2")[0]
    if (head) return head.textContent.trim()
  }
  return null
}

// A part that scrolls, without anything in it that could have the focus, takes it itself: arrow keys then scroll it.
function reachScrolling(pane) {
  const style = getComputedStyle(pane)
  const down = pane.scrollHeight > pane.clientHeight + GAP && /auto|scroll/.test(style.overflowY)
  const across = pane.scrollWidth > pane.clientWidth + GAP && /auto|scroll/.test(style.overflowX)
  const scrolls = pane.clientHeight > 0 && (down || across)
  setAttribute(pane, "tabindex", scrolls ? "0" : null)
  setAttribute(pane, "data-scrolls", scrolls ? "" : null)
  setAttribute(pane, "role", scrolls ? "region" : null)
  setAttribute(pane, "aria-label", scrolls ? cardTitle(pane) ?? "More" : null)
}

// Tabulator has a box without a role between a grid and its rows.
function nameGrid(grid) {
  const holder = grid.querySelector(":scope > .tabulator-tableholder")
  if (!holder) return
  setAttribute(grid, "aria-owns", null)
  setAttribute(holder, "role", "rowgroup")
  for (const table of holder.querySelectorAll(":scope > .tabulator-table")) setAttribute(table, "role", "presentation")
  if (!grid.hasAttribute("aria-label")) setAttribute(grid, "aria-label", cardTitle(grid))
}

function keepReachable(model) {
  const look = () => {
    if (document.hidden) return
    for (const pane of deepAll(document, ".bk-panel-models-markup-HTML")) reachScrolling(pane)
    for (const grid of deepAll(document, ".tabulator[role=grid]")) nameGrid(grid)
  }
  const timer = setInterval(look, 1000)
  model.on("remove", () => clearInterval(timer))
}
