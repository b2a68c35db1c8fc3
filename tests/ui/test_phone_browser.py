"""Pictures of the labs at the width of a phone, in a real browser."""

import pytest

from tests.ui import states_lexicon
from tests.ui.layout import faults

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}

# Ends of the labels of all axes of plots in sight, relative to those of the plot, negative inside.
_LABELS = """() => {
  const out = [], pen = document.createElement("canvas").getContext("2d")
  const look = view => {
    if (view.model?.type === "Figure" && view.el.checkVisibility())
      for (const axis of view.model.below) if (axis.axis_label) {
        const em = parseFloat(getComputedStyle(view.el).fontSize), size = axis.axis_label_text_font_size
        pen.font = `${parseFloat(size) * (size.endsWith("em") ? em : 1)}px ${axis.axis_label_text_font}`
        const half = pen.measureText(axis.axis_label).width / 2, { left, right } = view.frame.bbox
        const middle = (left + right) / 2
        out.push([axis.axis_label, half - middle, middle + half - view.el.clientWidth])
      }
    for (const child of view.children?.() ?? []) look(child)
  }
  Object.values(Bokeh.index).forEach(look)
  return out
}"""
_LINES = """node => {
  const all = document.createRange()
  all.selectNodeContents(node)
  return all.getClientRects().length
}"""


def phone(page):
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(800)
    return page


def inside(part, card):
    """Return how far a part sticks out of its card at the right, px."""
    box, around = part.bounding_box(), card.bounding_box()
    assert box["width"] > 0
    return box["x"] + box["width"] - around["x"] - around["width"]


def test_ranking_values_and_probabilities_have_room(opened):
    page, _ = opened()
    phone(page)
    title = page.get_by_role("heading", name="Ranking values", exact=True)
    card = page.locator(".ot-card").filter(has=title)
    line = card.get_by_role("group", name="Ranking values")
    bars = card.locator(".ot-bars")
    assert line.bounding_box()["width"] > 250
    assert inside(line, card) < 0
    assert inside(bars, card) < 0
    low = line.bounding_box()["y"] + line.bounding_box()["height"]
    assert low <= bars.bounding_box()["y"]
    bottom = card.bounding_box()["y"] + card.bounding_box()["height"]
    assert bars.bounding_box()["y"] + bars.bounding_box()["height"] < bottom


def test_titles_and_labels_of_axes_are_whole(visit, labs_url):
    page = phone(visit().open(labs_url + "/tagging_lab"))
    assert page.get_by_role("heading", name="Scores", exact=True).evaluate(_LINES) == 1
    page.get_by_role("tab", name="Priors").click()
    page.get_by_role("heading", name="How VB discounts counts").wait_for()
    page.wait_for_function(f"({_LABELS})().length > 0")
    page.wait_for_timeout(500)
    found = page.evaluate(_LABELS)
    assert [each for each in found if max(each[1:]) > 8] == []  # px: the plot's letters are a little smaller


def test_controls_of_the_runs_stay_in_their_cards(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab?iterations=5")
    states_lexicon.two_runs(page)
    phone(page)
    for title, control in (("Restarts", "As a sweep"), ("Two runs side by side", "Right")):
        card = page.locator(".ot-card", has_text=title).last
        at = card.get_by_role("button", name=control).or_(card.get_by_label(control, exact=True))
        assert inside(at, card) < 0, title
    assert [each for each in faults(page) if "overlap" in each or "sticks out" in each] == []
