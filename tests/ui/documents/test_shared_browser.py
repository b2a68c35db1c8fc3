"""A document that two pages have open, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.ui.browser import serving
from tests.ui.waiting import until

pytestmark = pytest.mark.browser


@pytest.fixture
def url(store, kernels):
    """A server that keeps documents."""
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as address:
        yield address


def edit(page):
    """Edit the grammar; return once that is saved."""
    rules = page.get_by_label("Grammar", exact=True)
    rules.fill(rules.input_value() + "\n# mine")
    page.get_by_text("Saved", exact=True).wait_for()


@pytest.mark.parametrize("key", ["", "Tab"])
def test_a_note_that_goes_away_leaves_the_focus_at_its_place(url, visit, key):
    """What stands there now has it, the other note or the tabs; Tab leads there as well, or further."""
    older = visit().open(url + "/lexicon_lab")
    edit(older)
    newer = visit().open(older.url)
    newer.get_by_role("button", name="Undo", exact=True).click()
    taking, copying = (
        older.get_by_role("button", name=name) for name in ("Show what is saved", "Open a copy")
    )
    taking.focus()
    taking.press("Enter")
    older.locator(".banner", has_text="in another page too").wait_for()
    tab = older.get_by_role("tab", name="Segment", exact=True)
    if key:
        older.keyboard.press(key)
        until(lambda: older.evaluate("document.activeElement !== document.body"))
        expect(older.get_by_role("link", name="otlab").first).not_to_be_focused()  # the top of the page
    else:
        expect(copying.and_(older.locator(":focus")).or_(tab.and_(older.locator(":focus")))).to_be_focused()
    copying.press("Enter")
    copying.wait_for(state="detached")
    expect(tab).to_be_focused()
