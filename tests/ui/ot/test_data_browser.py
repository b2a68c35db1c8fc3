"""The Data tab of the OT lab in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from otlab.ot import to_csv
from tests.ui.ot_page import button, load, thirty

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


def test_the_data_tab_says_what_was_read_last_and_names_long_constraints(opened):
    page, _ = opened()
    load(page, "thirty.csv", to_csv(thirty()).encode())
    expect(page.get_by_text("Read as a table of candidates: 16 candidates, 30 constraints")).to_be_visible()
    name = page.locator(".tabulator-cell[tabulator-field='Constraint']").first
    assert name.evaluate("cell => getComputedStyle(cell.firstElementChild).textOverflow") == "ellipsis"
    resting = name.evaluate("cell => getComputedStyle(cell).color")
    name.hover()
    expect(page.get_by_text(thirty().constraints[0], exact=True).last).to_be_visible()
    row = name.locator("xpath=..")
    assert row.evaluate("row => getComputedStyle(row).color") == resting  # not white on blue
    load(page, "small.csv", b"Input,Output,Count,A,B\nx,y,5,1,0\n,z,2,0,1\n")
    expect(page.get_by_text("Read as a table of candidates: 2 candidates, 2 constraints")).to_be_visible()
    button(page, "Parses").click()
    marks = [
        page.locator(".toast", has_text=text).locator("svg").inner_html()
        for text in ("small.csv is open", "No parses have been learnt yet")
    ]
    assert marks[0] != marks[1]  # a tick for what was done, none for what was not
