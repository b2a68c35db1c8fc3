// What screen readers and keys need of parts that Panel and Tabulator make, brought up to date every second.

const GAP = 1   // px by which a part may be too large without scrolling

// All elements of a selector below a node, through shadow roots, in the order of the page.
function deepAll(node, selector) {
  const found = []
  for (const inner of node.querySelectorAll("*")) {
    if (inner.matches(selector)) found.push(inner)
    if (inner.shadowRoot) found.push(...deepAll(inner.shadowRoot, selector))
  }
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

// A button that goes away when it is pressed leaves the focus to what stands at its place, not to the top of the page.
const BUTTON = "button, a[href], summary, [role=button]", CONTROL = `${BUTTON}, input, select, textarea, [tabindex]`
const inSight = node => node.isConnected && node.checkVisibility({ visibilityProperty: true })

function keepFocus(pressed) {
  const [key, ...around] = pressed.filter(node => node instanceof Element)
  if (!key?.matches(BUTTON) || inSight(key) || focused() !== document.body) return false
  for (const place of around) {
    if (!inSight(place) || place === document.body) continue
    const inside = [place, ...place.shadowRoot ? deepAll(place.shadowRoot, CONTROL) : [], ...deepAll(place, CONTROL)]
    const next = inside.find(each => each.tabIndex >= 0 && !each.disabled && inSight(each))
    if (next) { next.focus(); return true }
  }
  return false
}

function keepReachable(model) {
  let pressed = []  // the path of the last key; none after a click, after which keys are the page's
  listen(model, "pointerdown", () => { pressed = [] }, true)
  listen(model, "keydown", event => {
    if (event.key === "Tab" && keepFocus(pressed)) event.preventDefault()
    else if (focused() !== document.body) pressed = event.composedPath()
  }, true)
  const look = () => {
    if (document.hidden) return
    keepFocus(pressed)
    for (const pane of deepAll(document, ".bk-panel-models-markup-HTML")) reachScrolling(pane)
    for (const grid of deepAll(document, ".tabulator[role=grid]")) nameGrid(grid)
  }
  const timer = setInterval(look, 1000)
  model.on("remove", () => clearInterval(timer))
}
