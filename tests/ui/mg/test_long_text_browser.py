"""A text of thousands of lines, edited in a real browser."""

import pytest

from tests.ui.axe import assert_accessible

pytestmark = pytest.mark.browser


def test_a_long_text_is_edited_in_a_box_that_draws_what_is_in_sight(visit, labs_url, tmp_path):
    """It is operated by keys, kept when the tab is left, and its faults stand at their lines."""
    from playwright.sync_api import expect

    items = (f"n{k} :: d\nsee{k} :: =d d= v" for k in range(1500))
    path = tmp_path / "large.mg"
    path.write_text("\n".join(["@start c", "ε :: =v c", *items]), encoding="utf-8")
    page = visit((390, 800)).open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Data").click()
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("3,001 items.")).to_be_visible()
    page.get_by_role("tab", name="Induce").click()
    page.get_by_role("button", name="Edit as text", exact=True).click()
    box = page.get_by_role("textbox", name="Lexicon as text")
    expect(box).to_be_focused()
    assert page.locator(".ace_line").count() < 200
    page.keyboard.press("Control+End")
    page.keyboard.type("\nwrong")
    page.get_by_role("tab", name="Generate", exact=True).click()
    expect(box).to_have_count(0)
    page.get_by_role("tab", name="Induce", exact=True).click()
    box.focus()
    page.keyboard.press("Tab")  # leaves the box, as it leaves a text area
    expect(page.get_by_role("button", name="Apply", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 fault, nothing was changed")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("cell", name="line 300").click()
    page.keyboard.type("right :: d")
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.get_by_text("3,002 items")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("3,001 items")).to_be_visible()
