"""Names of 200 characters and names that are read from the right, in the page."""

from dataclasses import replace

import pytest

from otlab.ot import fit_gla, fit_maxent, read
from otlab.web.page import lab_page
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

HEBREW, ARABIC, LONG = "\u05e7\u05de\u05e5 (1)", "\u0645\u064e\u062f\u0652 2", "Faith" + "\u0259" * 195
# Texts with letters that are read from the right, where the sentence around them would be turned:
# neither alone in an element with dir=auto, nor isolated, nor in a picture.
TURNED = """() => {
  const found = []
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { data, parentElement: holder } = walk.currentNode
    if (!/[\\u0590-\\u06ff]/.test(data) || holder.closest("[dir=auto], svg, script")) continue
    if (/[\\u0590-\\u06ff]/.test(data.replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, ""))) found.push(data)
  }
  // several names are in the order of the page, whichever is the first
  const holders = [...document.querySelectorAll("main *")].filter(node => !node.children.length)
  const joined = holders.filter(node => /\\u2068.*\\u2068/.test(node.textContent))
  const turned = joined.filter(node => getComputedStyle(node).direction !== "ltr")
  return [...found, ...turned.map(node => node.textContent)]
}"""


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_long_names_and_names_from_the_right_leave_the_numbers_in_sight(tmp_path, size):
    table = read("ilokano").rename_constraint(0, HEBREW).rename_constraint(1, LONG)
    table = table.rename_candidate(0, ARABIC).rename_candidate(1, "y" * 200)
    table = replace(table, inputs=(HEBREW + " a",), title=f"{ARABIC} {LONG}")
    fits = [fit_gla(table, trials=500, runs=2, seed=1), fit_maxent(table, seed=1)]
    path = tmp_path / "names.html"
    path.write_text(lab_page(table, 1, fits, {"sweeps": "500"}), encoding="utf-8")
    with launched() as browser:
        visit = Visit(browser, size)
        page = visit.page
        page.goto(path.as_uri())
        page.locator("html[data-ready]").wait_for()
        page.get_by_label("Learner", exact=True).select_option("gibbs")
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("Gibbs: finished").wait_for()
        page.get_by_role("region", name="Typology").get_by_text("rankings").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(TURNED) == []
        widths = page.evaluate("[...document.querySelectorAll('.plain')].map(table => table.offsetWidth)")
        assert len(widths) >= 5
        assert max(widths) <= (size[0] if size[0] > 1000 else 3 * size[0])
        assert_accessible(page)
        # names are whole, in the grid, in tables and in what is saved
        first = page.get_by_label("Constraint 2", exact=True)
        assert first.input_value() == LONG
        page.get_by_role("region", name="Gibbs", exact=True).get_by_text(LONG).first.wait_for()
        saved = page.evaluate("csvOf(DATA.tableau)")
        assert saved.count(LONG) == 2  # the title, too
        page.get_by_label("Constraint 1", exact=True).fill("x" * 200)
        page.get_by_label("Constraint 1", exact=True).press("Enter")
        page.get_by_role("slider", name="Ranking value of " + "x" * 200).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        visit.close()
