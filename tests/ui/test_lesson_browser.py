"""A lesson in a real browser: stepped by arrow keys, saved as a page, and as axe-core sees both."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.axe import assert_accessible

pytestmark = pytest.mark.browser

LESSON = """# Wugs
> lab: ot_lab; goal: to step

## Nothing yet
> example: ilokano_reduplication; learners: gibbs; sweeps: 200; chains: 2

Press the arrow to the right.

## All of it
> run

There it is.
"""


def test_a_lesson_of_ones_own_is_dropped_stepped_by_arrow_keys_and_saved(visit, labs_url, tmp_path):
    visitor = visit()
    page = visitor.page
    page.goto(labs_url + "/")
    page.locator("#opening").wait_for(state="detached")
    file = {"name": "wugs.md", "mimeType": "text/markdown", "buffer": LESSON.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.wait_for_url("**/ot_lab?lesson=*")
    visitor.ready()
    lesson = page.get_by_role("region", name="Lesson", exact=True)
    expect(lesson).to_contain_text("Nothing yet")
    page.keyboard.press("ArrowRight")
    expect(lesson).to_contain_text("There it is.")
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("ArrowLeft")
    expect(lesson).to_contain_text("Nothing yet")
    expect(page.get_by_text("press Run to begin")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the lesson as a page").click()
    assert download.value.suggested_filename == "wugs.html"
    path = tmp_path / "wugs.html"
    download.value.save_as(path)
    page.goto(path.as_uri())
    expect(page.get_by_role("heading", name="All of it")).to_be_visible()
    assert_accessible(page)
