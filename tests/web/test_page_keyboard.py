"""The page by keyboard alone: every control is a stop of Tab, and every function has a path."""

import re

import pytest

from otlab.ot import fit_gibbs, fit_gla, fit_maxent, read
from otlab.web.page import lab_page
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

# The label of what has the keyboard; null if nothing has.
FOCUSED = """() => {
  const node = focused()
  return node === document.body ? null : node.getAttribute("aria-label") ?? node.textContent.trim()
}"""
# The labels of all controls that can be used, in the order of the page.
CONTROLS = """() => {
  const found = []
  const walk = root => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot)
      if (!node.matches("button,input,select,textarea,summary,a[href],[role=slider],[tabindex='0']")) continue
      if (node.disabled || !node.checkVisibility() || node.matches("[type=file]")) continue
      found.push(node.getAttribute("aria-label") ?? node.textContent.trim())
    }
  }
  walk(document)
  return found
}"""


@pytest.fixture
def page(tmp_path):
    table = read("ilokano")
    fits = [
        fit_gibbs(table, sweeps=200, chains=2, seed=1),
        fit_gla(table, trials=500, runs=2, seed=1),
        fit_maxent(table, seed=1),
    ]
    path = tmp_path / "keyboard.html"
    path.write_text(lab_page(table, 1, fits), encoding="utf-8")
    with launched() as browser:
        visit = Visit(browser)
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        visit.page.get_by_role("region", name="Typology").get_by_text("rankings").first.wait_for()
        yield visit.page
        visit.close()


def at(page):
    return page.evaluate(FOCUSED)


def go_to(page, label, key="Tab"):
    """Press Tab until a control has the keyboard."""
    for _ in range(150):
        page.keyboard.press(key)
        if at(page) == label:
            return
    raise AssertionError(f"no stop at {label}: {page.evaluate(CONTROLS)}")


def test_every_control_is_a_stop_in_the_order_of_the_page(page):
    stops = []
    for _ in range(150):
        page.keyboard.press("Tab")
        if at(page) is None:
            break
        stops.append(at(page))
        outline = page.evaluate("getComputedStyle(focused()).outlineStyle")
        ring = page.evaluate("focused().matches('[role=slider]')")  # drawn in the slider's picture
        assert ring or outline != "none", f"{stops[-1]} does not show that it has the keyboard"
    controls = page.evaluate(CONTROLS)
    assert len(controls) > 60
    assert stops == controls


def test_edits_learns_and_saves_by_keyboard(page):
    press = page.keyboard.press
    go_to(page, "Constraint 1")
    page.keyboard.type("Onset")
    press("Enter")  # down to the first violation
    assert at(page) == "Onset of bu.bwa.ja"
    page.keyboard.type("2")
    go_to(page, "Add a constraint", "Shift+Tab")
    press("Enter")
    assert at(page) == "Constraint 4"
    press("Control+a")
    page.keyboard.type("NoCoda")
    go_to(page, "Remove the constraint NoCoda")
    press("Enter")
    assert at(page) == "Add a constraint"
    go_to(page, "Add a candidate of HRED-bwaja")
    press("Enter")
    assert at(page) == "Add a candidate of HRED-bwaja"
    go_to(page, "Remove y4")
    press("Enter")
    assert at(page) == "Add an input"
    press("Enter")
    assert at(page) == "Input 2"
    go_to(page, "Undo")
    for _ in range(6):
        press("Enter")
    go_to(page, "Learner")
    press("g")  # the list goes to its entries by their letters
    page.get_by_label("Learner", exact=True).select_option("gla")
    go_to(page, "Trials")
    page.keyboard.type("100000000")
    go_to(page, "Run")
    press("Enter")
    page.get_by_text(re.compile(r"GLA: \d+,\d{3},\d{3} of")).wait_for()  # all runs have begun
    go_to(page, "Stop")
    press("Enter")
    page.get_by_text("GLA: stopped at").wait_for()
    go_to(page, "Show on the ranking line")
    press("Enter")
    page.get_by_text("Shown: ").first.wait_for()
    go_to(page, "Ranking value of AL")
    press("ArrowRight")
    page.get_by_text("Shown: values set by hand").wait_for()
    with page.expect_download() as saving:
        go_to(page, "Save as CSV", "Shift+Tab")
        press("Enter")
    assert "bub.wa.ja" in saving.value.path().read_text(encoding="utf-8")
    with page.expect_file_chooser() as opening:
        go_to(page, "Open", "Shift+Tab")
        press("Enter")
    assert not opening.value.is_multiple()
    go_to(page, "Link")
    press("Space")
    go_to(page, "Copy: This page with the tableau and the settings")
    press("Enter")
    assert "#data=" in page.evaluate("navigator.clipboard.readText()")
