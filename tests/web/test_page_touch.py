"""The page by touch, 390 x 844 px: taps and drags alone, and controls that a finger meets."""

import pytest

from otlab.ot import read
from otlab.web.page import lab_page
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

LEAST = 24  # px of a control's side, or of its distance from the next (WCAG 2.2, 2.5.8)
SMALL = f"""[...document.querySelectorAll("button,input,select,summary")].filter(node => {{
  const {{ width, height }} = node.getBoundingClientRect()
  return node.checkVisibility() && !node.matches(".hidden") && Math.min(width, height) < {LEAST} - 0.01
}}).map(node => node.outerHTML.slice(0, 200))"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "otlab.html"
    path.write_text(lab_page(read("spanish"), 7), encoding="utf-8")
    with launched() as browser:
        visit = Visit(browser, (390, 844), has_touch=True, is_mobile=True)
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        yield visit.page
        visit.close()


def tap(page, name):
    page.get_by_role("button", name=name, exact=True).first.tap()


def drag(page, start, end):
    """Drag a finger as slowly as a hand does, and rest it: after a flick the browser ignores the next tap."""
    session = page.context.new_cdp_session(page)
    steps = [tuple(a + (b - a) * min(n, 5) / 5 for a, b in zip(start, end, strict=True)) for n in range(9)]
    for n, (x, y) in enumerate(steps):
        kind = "touchMove" if n else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(30)  # ms
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_edits_learns_drags_and_saves(page):
    first = read("spanish").candidates[0]
    count = page.get_by_label(f"Count of {first}", exact=True)
    count.tap()
    page.keyboard.insert_text("12")  # what the keyboard of a phone does
    tap(page, "Add a constraint")
    assert page.get_by_label("Constraint 5", exact=True).input_value() == "C5"
    tap(page, "Remove the constraint C5")
    tap(page, "Undo")
    tap(page, "Redo")
    page.get_by_label("Sweeps", exact=True).fill("1000000")
    tap(page, "Run")
    page.locator("section[aria-label=Gibbs] svg.histogram").first.wait_for()
    tap(page, "Stop")
    page.get_by_text("Gibbs: stopped at").wait_for()
    page.locator("section[aria-label=Gibbs] .badge").wait_for()
    tap(page, "Show on the ranking line")
    slider = page.get_by_role("slider").last  # above the others, if they meet
    slider.scroll_into_view_if_needed()
    box, before = slider.locator(".knob").bounding_box(), slider.get_attribute("aria-valuenow")
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, middle, (middle[0] + (60 if middle[0] < 195 else -60), middle[1]))
    page.get_by_text("Shown: values set by hand").wait_for()
    assert slider.get_attribute("aria-valuenow") != before
    tap(page, "Link")
    page.locator(".link code").first.wait_for()
    with page.expect_download():
        tap(page, "Save for the lab")
    tap(page, "Dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_controls_are_large_enough_for_a_finger(page):
    page.get_by_label("Sweeps", exact=True).fill("2000")
    tap(page, "Run")
    page.get_by_text("Gibbs: finished").wait_for()
    page.get_by_text("Typology").first.wait_for()
    assert page.locator("button:visible").count() > 20
    assert page.evaluate(SMALL) == []
