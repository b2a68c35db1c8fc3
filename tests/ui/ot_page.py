"""What a user does on a page of the OT lab, in a real browser."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from otlab.ot import Tableau

DRAWS = re.compile(r"^[\d,]+ draws")


def thirty(inputs=4):
    rng = np.random.default_rng(1)
    names = [f"*Constraint-With-Long-Name{k}_X" if k % 5 == 0 else f"Id(voi){k}" for k in range(30)]
    rows = [
        (f"ɪnpʊt{i}", f"kæn.dɪ̃ʔˤ{j}·ʒːr̩", 3 if j == 0 else 0, rng.integers(0, 3, 30) * (j > 0))
        for i in range(inputs)
        for j in range(4)
    ]
    return Tableau.from_rows(rows, names)


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def cell(page, row, field):
    return page.locator(f".tabulator-cell[tabulator-field='{field}']").nth(row)


def column(page, field):
    return page.locator(f".tabulator-cell[tabulator-field='{field}']")


def type_into(page, row, field, text):
    cell(page, row, field).click()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def point_at(page, name):
    """Move the mouse to a button as a hand does; return where it is. What lies above it takes the click."""
    expect(button(page, name)).to_be_enabled()
    box = button(page, name).bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*place, steps=12)
    return place


def load(page, name, data):
    """Open the Data tab and choose a file there."""
    page.get_by_role("tab", name="Data").click()
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})


def run_to_the_end(page, sweeps="2000"):
    page.get_by_role("textbox", name="Sweeps").fill(sweeps)
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    button(page, "Run").click()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    expect(page.get_by_text(DRAWS)).to_be_attached()  # beside a warning it may have no room


def drag(page, start, end):
    """Drag the middle of one thing to the far edge of another, once both have come to rest."""
    for one in (start, end):
        one.click(trial=True)
    here, there = start.bounding_box(), end.bounding_box()
    page.mouse.move(here["x"] + here["width"] / 2, here["y"] + here["height"] / 2)
    page.mouse.down()
    page.mouse.move(there["x"] + there["width"] - 4, there["y"] + there["height"] - 4, steps=8)
    page.mouse.up()
