"""What the OT lab says in a real browser about data that no ranking fits."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from otlab.ot import Tableau, to_csv
from tests.ui.ot_page import button, cell, load

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


def test_what_can_never_win_is_explained_and_mended(opened):
    page, lab = opened("/bounded")
    button(page, "Run").click()
    expect(page.get_by_role("heading", name="bounded can never win")).to_be_visible()
    expect(page.get_by_text("has every violation that good has, and one more of C.")).to_be_visible()
    button(page, "Leave this form out and run").click()
    expect(cell(page, 1, "count")).to_have_text("0")
    expect(page.get_by_role("button", name="Undo").first).to_be_visible()
    assert lab.tableau.frequencies[1] == 0


def test_ways_out_are_in_sight_however_many_forms_can_never_win(opened):
    rows = [
        row for i in range(60) for row in ((f"in{i}", f"bad{i}", 1, (2, 1)), (f"in{i}", f"ok{i}", 0, (1, 1)))
    ]
    page, _ = opened()
    page.set_viewport_size({"width": 1280, "height": 800})
    load(page, "bounded.csv", to_csv(Tableau.from_rows(rows, ["A", "B"])).encode())
    page.get_by_role("tab", name="Learn").click()
    button(page, "Run").click()
    expect(button(page, "Leave these forms out and run")).to_be_in_viewport(ratio=1)
