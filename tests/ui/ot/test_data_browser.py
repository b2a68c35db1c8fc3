"""Tables of one's own on the tabs of the OT lab, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from otlab.ot import Tableau, to_csv
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


_OUT = """() => { const cards = node => [...node.querySelectorAll("*")].flatMap(
    one => [...(one.matches(".ot-card") ? [one] : []), ...(one.shadowRoot ? cards(one.shadowRoot) : [])])
  const names = node => [...node.querySelectorAll("*")].flatMap(
    one => [...(one.matches("p .ot-c, li .ot-c") ? [one] : []),
            ...(one.shadowRoot ? names(one.shadowRoot) : [])])
  return cards(document).flatMap(card => (card.shadowRoot ? [card, card.shadowRoot] : [card]).flatMap(names)
    .filter(name => name.getBoundingClientRect().right > card.getBoundingClientRect().right - 8)
    .map(name => name.textContent)) }"""


def test_long_names_are_whole_in_sentences(opened):
    page, _ = opened()
    name = "*Constraint-With-A-Very-Long-Name-That-Explains-It[+voice,-son]"
    rows = [("x", "y", 2, (1, 0)), ("x", "z", 0, (0, 1)), ("w", "y", 2, (0, 1)), ("w", "z", 0, (1, 0))]
    load(page, "own.csv", to_csv(Tableau.from_rows(rows, [name, "Max"])).encode())
    page.get_by_role("tab", name="Rank").click()
    expect(page.get_by_text("No ranking does all of this")).to_be_visible()
    expect(page.locator("p .ot-c, li .ot-c", has_text=name).first).to_be_visible()
    assert page.evaluate(_OUT) == []
