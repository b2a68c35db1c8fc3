"""Each lab and the home page by keys alone, and as axe-core sees them, in a real browser."""

import pytest

from tests.ui.axe import assert_accessible

pytestmark = pytest.mark.browser

# The control that has the focus, marked; None on the page itself.
_FOCUSED = """() => {
  let e = document.activeElement
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement
  if (!e || e === document.body) return null
  const again = e.dataset.walked !== undefined
  e.dataset.walked = ""
  const drawn = node => {
    const s = getComputedStyle(node)
    return (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none"
  }
  let [around, seen] = [e, false]
  for (let k = 0; k < 4 && around && !seen; k++, around = around.parentElement)
    seen = drawn(around) || around.matches(".Mui-focused, .Mui-focusVisible")
  const ring = e.querySelector(".ring")  // of a handle drawn as SVG
  if (ring && getComputedStyle(ring).strokeWidth === "2px") seen = true
  const name = e.getAttribute("aria-label") || e.innerText || e.value || e.tagName
  return { name: name.trim().slice(0, 40), seen, again }
}"""

# Controls in sight that were not marked. Those with tabindex -1 are reached by arrows from another.
_LEFT_OUT = """() => {
  const out = []
  const look = root => {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) look(e.shadowRoot)
      if (!e.matches("button, a[href], input, select, textarea, summary, [tabindex]")) continue
      const box = e.getBoundingClientRect()
      if (e.dataset.scrolls !== undefined) continue  // no control, and not there before its content
      if (e.dataset.walked !== undefined || e.disabled || e.tabIndex < 0) continue
      if (box.width && box.height && e.checkVisibility({ checkVisibilityCSS: true }))
        out.push(e.getAttribute("aria-label") || e.innerText || e.tagName)
    }
  }
  look(document)
  return out
}"""


def walk(page):
    """Press Tab from the top of the page to its end; return the names of the stops, each once."""
    stops, outside = [], 0
    while outside < 2 and len(stops) < 300:
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        if stop is None:
            outside += 1
            continue
        if stop["again"]:
            break
        assert stop["seen"], f"no ring around {stop['name']!r}"
        stops.append(stop["name"])
    assert page.evaluate(_LEFT_OUT) == []
    return stops


def tab_to(page, name):
    """Press Tab until the control of this name has the focus."""
    for _ in range(300):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        if stop is not None and stop["name"] == name:
            return
    raise AssertionError(f"Tab does not lead to {name!r}")


@pytest.mark.parametrize(
    ("lab", "first", "steps", "other"),
    [
        ("ot_lab?sweeps=300&chains=2&trials=500&runs=2", "Learn", 2, "Compare"),
        ("mg_lab?iterations=20", "Induce", 1, "Learn lexicon"),
        ("tagging_lab?example=simulated&iterations=3&runs=1&states=5", "Watch", 1, "States"),
        ("lexicon_lab?iterations=3", "Segment", 1, "Sound"),
    ],
    ids=["ot", "grammar", "tagging", "lexicon"],
)
def test_every_control_of_a_lab_is_reached_by_keys_and_has_a_name(visit, labs_url, lab, first, steps, other):
    from playwright.sync_api import expect

    page = visit().open(f"{labs_url}/{lab}&seed=7")
    stops = walk(page)
    assert {"Run", "Copy link", "Export", first} <= set(stops)
    tab_to(page, first)
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name=other, exact=True)).to_have_attribute("aria-selected", "true")
    tab_to(page, "Run")
    page.keyboard.press("Enter")
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        assert_accessible(page)
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Dark mode")).to_have_attribute("aria-pressed", "true")
    assert_accessible(page, rules=["color-contrast"])
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard and help")).to_be_visible()
    assert_accessible(page)


def test_a_run_and_the_full_screen_by_keys_and_all_settings_stay_in_sight(visit, labs_url):
    from playwright.sync_api import expect

    query = "example=spanish_diminutive&sweeps=300&chains=2&trials=500&runs=2"
    page = visit().open(f"{labs_url}/ot_lab?{query}")
    tab_to(page, "Full screen")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Back to the lab")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Full screen", exact=True)).to_be_visible()
    tab_to(page, "Run")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Not converged", exact=True)).to_be_visible()
    advice = page.get_by_text("Under the flat prior")
    expect(page.get_by_text("Smallest ESS is")).to_be_visible()  # the first sentence
    expect(advice).to_be_hidden()
    assert page.locator(".ot-sidebar").evaluate("panel => panel.scrollHeight <= panel.clientHeight")
    tab_to(page, "More")
    page.keyboard.press("Enter")
    expect(advice).to_be_visible()


def test_a_language_is_chosen_and_used_by_keys(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(f"{labs_url}/ot_lab?example=cv_syllable_typology")
    page.get_by_role("tab", name="Typology").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("of language 1")).to_be_visible()
    page.locator(".ot-typology .tabulator-tableholder").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("of language 3")).to_be_visible()
    tab_to(page, "Use this ranking in Learn")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Learn")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Draw again").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()  # Space was the button's


def test_every_control_of_the_home_page_is_reached_by_keys(visit, labs_url):
    page = visit().page
    page.goto(labs_url + "/")
    page.locator("#opening").wait_for(state="detached")
    assert len(walk(page)) > 8
    assert_accessible(page)
