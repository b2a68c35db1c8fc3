"""Word by word in a window of usual width."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_the_last_column_of_word_by_word_is_seen_beside_a_long_word(visit, labs_url):
    from playwright.sync_api import expect

    page = visit(size=(1280, 860)).open(labs_url + "/mg_lab")
    page.get_by_role("tab", name="Parse").click()
    head = page.get_by_role("columnheader", name="Tenure")
    expect(head).to_be_visible()
    expect(page.get_by_role("cell", name="telescope").first).to_be_visible()
    beyond = """head => head.getBoundingClientRect().right
      - head.closest("table").parentElement.getBoundingClientRect().right"""
    assert head.evaluate(beyond) < 1
