"""The tagging lab in a browser: a run from first click to a named state, and Stop."""

from __future__ import annotations

import re

import pytest

from tests.ui.layout import assert_cards_fit
from tests.ui.waiting import until

pytestmark = [pytest.mark.browser]


@pytest.fixture
def page(visit, labs_url):
    return visit().open(f"{labs_url}/tagging_lab?iterations=30&runs=2&states=12")


@pytest.mark.walk
def test_a_run_from_first_click_to_a_named_state(page):
    from playwright.sync_api import expect

    for name in (
        "Corpus",
        "States",
        "Emission prior",
        "Transition prior",
        "Start",
        "Iterations",
    ):
        expect(page.get_by_label(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=120_000)
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("button", name="Less", exact=True)).to_be_visible()
    page.get_by_role("button", name="Less", exact=True).click()
    assert page.locator(".ot-sidebar").evaluate("panel => panel.scrollHeight <= panel.clientHeight")
    page.get_by_role("button", name="Name state").first.click()
    page.get_by_role("textbox", name="Name of state").fill("determiners")
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("group", name="States against gold tags").get_by_text("determiners")
    ).to_be_visible()
    named = page.get_by_role("group", name="States against gold tags").get_by_text("determiners")
    page.keyboard.press("Control+Z")
    expect(named).to_be_hidden()
    page.keyboard.press("Control+Shift+Z")
    expect(named).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(named).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("tab", name="States", exact=True).click()
    title = page.locator(".wide button.title span:first-child").first
    expect(title).to_have_text(re.compile("^state "))
    assert title.evaluate("name => name.scrollWidth <= name.clientWidth")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(400)
    assert title.evaluate("name => name.clientWidth > 0 && name.scrollWidth <= name.clientWidth")
    page.get_by_role("tab", name="Watch", exact=True).click()
    heading = page.get_by_role("heading", name="Scores", exact=True)
    assert heading.evaluate("title => title.getClientRects()[0].height") < 24  # one line
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("tab", name="Known tags", exact=True).click()
    page.get_by_role("button", name="Run", exact=True).nth(1).click()
    fault = "12 states are too few for the 49 tags of the text. Set States to 49 or more"
    expect(page.get_by_role("alert").filter(has_text="too few")).to_have_text(fault)
    page.get_by_role("tab", name="Table", exact=True).click()
    expect(page.get_by_role("table", name="Table 1")).to_contain_text("EM")
    assert_cards_fit(page, 600, 820)
    page.get_by_role("tab", name="Which model?", exact=True).click()
    page.get_by_role("button", name="Compare", exact=True).click()
    cancel = page.get_by_role("button", name="Cancel", exact=True)
    expect(page.get_by_role("table", name="Numbers of states compared")).to_contain_text("EM, 10 states")
    cancel.click()
    expect(cancel).to_be_hidden()
    assert_cards_fit(page, 600, 820)


def test_a_file_is_read_with_progress_or_cancelled_and_what_is_wrong_is_shown(visit, labs_url, tmp_path):
    from playwright.sync_api import expect

    page = visit(size=(1280, 800)).open(f"{labs_url}/tagging_lab")
    page.get_by_role("tab", name="Data", exact=True).click()
    zone = page.get_by_label("Drop a corpus here, or choose one")
    large = tmp_path / "large.txt"
    large.write_text("the/DT dog/NN barks/VBZ loudly/RB\n" * 1_000_000, encoding="utf-8")
    zone.set_input_files(large)
    expect(page.get_by_role("progressbar", name="Reading")).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("progressbar", name="Reading")).to_be_hidden()
    zone.set_input_files({"name": "bad.tsv", "mimeType": "text/plain", "buffer": b"the\tDT\ndog\nbarks\n"})
    expect(page.get_by_text("bad.tsv was not loaded: 2 problems")).to_be_visible()
    # Chromium counts what a scrolling card cuts off as out of sight.
    expect(page.get_by_role("button", name="Choose another file")).to_be_in_viewport(ratio=1)
    zone.set_input_files({"name": "good.tsv", "mimeType": "text/plain", "buffer": b"the\tDT\ndog\tNN\n"})
    expect(page.get_by_text("good.tsv", exact=True).last).to_be_visible()
    expect(page.get_by_label("Corpus", exact=True)).to_have_value("own")


def test_two_runs_side_by_side_and_one_that_goes_on_from_another(page):
    from playwright.sync_api import expect

    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=120_000)
    page.get_by_role("tab", name="Sentences", exact=True).click()
    expect(page.get_by_role("heading", name="VB, run 1")).to_be_visible()
    page.get_by_label("Start", exact=True).select_option(label="From the states shown")
    for row, ticked in (("EM", False), ("VB", False), ("Gibbs", True)):
        page.get_by_role("checkbox", name=row, exact=True).set_checked(ticked)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("by marginals").first.wait_for(timeout=120_000)
    expect(page.get_by_role("heading", name=re.compile("^Gibbs, .*seed"))).to_be_visible()


def test_stop_ends_an_endless_run_and_keeps_its_pictures(page):
    from playwright.sync_api import expect

    page.get_by_label("Iterations", exact=True).fill("100000")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("list", name="States in words")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Stopped", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="States in words")).to_be_visible()


SCROLLS = """card => {
  const within = node => [...node.querySelectorAll("*")].flatMap(
    one => [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])])
  return [card, ...within(card)].filter(one => /auto|scroll|hidden/.test(getComputedStyle(one).overflowY)
    && one.clientHeight > 40 && one.scrollHeight > one.clientHeight + 1 && one.tagName !== "TEXTAREA").length
}"""
HEADS = """heads => {
  const room = heads[0].closest(".area").getBoundingClientRect()
  return heads.map(head => head.firstElementChild)
    .filter(name => {
      const at = name.getBoundingClientRect()
      return at.top < room.top - 1 || at.right > room.right + 1 || name.scrollWidth > name.clientWidth + 1
    }).map(name => name.textContent)
}"""

NEAREST = """heads => Math.min(...heads.slice(1).map(
  (head, at) => head.getBoundingClientRect().left - heads[at].getBoundingClientRect().left))"""


def test_options_of_reading_and_heads_of_transitions_are_seen_whole_in_a_window_of_1280_px(visit, labs_url):
    from playwright.sync_api import expect

    page = visit((1280, 800)).open(f"{labs_url}/tagging_lab?iterations=5&runs=1&states=30")
    page.get_by_role("tab", name="Data", exact=True).click()
    expect(page.get_by_label("Replace digits by 0")).to_be_visible()
    for title in ("Load a text", "Download"):
        assert page.locator(".ot-card", has_text=title).evaluate(SCROLLS) == 0
    assert_cards_fit(page, 1280)
    page.get_by_role("tab", name="Watch", exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=120_000)
    remark = page.locator(".ot-card", has_text="States against gold tags").locator(".foot .words")
    expect(remark).to_contain_text("states")
    assert remark.evaluate("words => words.clientHeight") < 20  # one line
    page.get_by_role("button", name="Name state").first.click()
    page.get_by_role("textbox", name="Name of state").fill("auxiliary verbs")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="States", exact=True).click()
    keep = page.get_by_role("button", name="Keep curve", exact=True)  # an icon alone, here
    keep.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Keep curve")
    expect(page.get_by_role("button", name="Continue as VB", exact=True)).to_be_visible()
    heads = page.get_by_role("group", name="Transitions between states").locator(".head")
    expect(heads.last).to_have_text("boundary")
    for size in ((1280, 800), (1440, 900)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        until(lambda: heads.evaluate_all(HEADS) == [] and heads.evaluate_all(NEAREST) > 9, 20)


ROOM = """table => {
  const pane = table.getRootNode().host  // with a scroll bar, where there are many rows
  return pane.getBoundingClientRect().left + pane.clientWidth - table.getBoundingClientRect().right
}"""


def test_all_figures_of_a_comparison_are_seen_in_a_window_of_1280_px(visit, labs_url):
    page = visit((1280, 800)).open(f"{labs_url}/tagging_lab?iterations=2&runs=1")
    page.get_by_role("tab", name="Which model?", exact=True).click()
    page.get_by_label("Numbers of states", exact=True).fill("57, 58, 59, 60")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Compare", exact=True).click()
    figures = page.get_by_role("table", name="Numbers of states compared")
    figures.get_by_text("VB, 60 states").wait_for(timeout=120_000)
    assert figures.evaluate(ROOM) >= 0
