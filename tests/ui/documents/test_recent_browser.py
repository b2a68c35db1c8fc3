"""The list of documents on the home page, in a real browser."""

import pytest

from otlab.ui.classroom.exercise import mark_copy
from otlab.ui.documents.store import Saved, Summary
from tests.ui.browser import serving

pytestmark = pytest.mark.browser


@pytest.fixture
def page(visit, store, kernels):
    """A home page with two documents and, saved after them, eight copies by students."""
    for n in range(10):
        name = f"Table {n}" if n < 2 else f"Copy {n}"
        store.save(Saved(Summary(f"d{n}", "ot_lab", "", name, "", float(n)), {}))
        if n > 1:
            mark_copy(store, f"d{n}", "an exercise")
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as url:
        yield visit().open(url + "/")


def listed(page):
    return page.locator("#documents li .name").all_inner_texts()


def test_copies_by_students_stand_behind_one_line(page):
    page.get_by_role("link", name="Table 1").wait_for()
    assert listed(page) == ["Table 1", "Table 0"]
    page.get_by_role("button", name="8 copies by students").click()
    assert len(listed(page)) == 10
    page.get_by_role("button", name="Hide the copies by students").click()
    assert listed(page) == ["Table 1", "Table 0"]
    page.get_by_label("Search documents").fill("copy 9")
    assert listed(page) == ["Copy 9"]
    page.get_by_label("Search documents").press("Escape")
    page.get_by_label("Search documents").press("Escape")
    page.get_by_role("button", name="8 copies by students").wait_for()
    assert listed(page) == ["Table 1", "Table 0"]
