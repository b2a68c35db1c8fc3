"""Pictures that a card of the OT lab saves: names whole, runs that have not converged marked."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from otlab.ot import Tableau, to_csv
from tests.ui.ot_page import button, load

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]

LONG = "pneumonoultramicroscopicsilicovolcanoconiosis"


def long_names():
    rows = [(LONG, LONG, 27, [1, 0]), (LONG, f"{LONG}z", 73, [0, 1]), ("bad", "bat", 5, [0, 1])]
    return to_csv(Tableau.from_rows(rows, ["*Vcd", "Ident"])).encode()


def saved(page, kind):
    button(page, "Save or copy: Predicted against observed").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=f"Save {kind}").click()
    return Path(download.value.path()).read_bytes()


def words_of(svg):
    """Return the texts of a picture with the place where each begins, px."""
    root = ElementTree.fromstring(svg)
    return [("".join(e.itertext()), e) for e in root.iter("{http://www.w3.org/2000/svg}text")]


def test_names_are_whole_and_a_run_that_has_not_converged_is_marked(opened):
    page, _lab = opened()
    load(page, "long.csv", long_names())
    expect(page.get_by_text("long.csv is loaded")).to_be_visible()
    page.get_by_role("tab", name="Learn").click()
    for name, value in (("Sweeps", "40"), ("Seed", "1")):
        page.get_by_role("textbox", name=name).fill(value)
        page.get_by_role("textbox", name=name).press("Enter")
    button(page, "Run").click()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    expect(page.locator(".badge.warn", has_text="Gibbs not converged").last).to_be_visible()
    svg = saved(page, "SVG")
    texts = [words for words, _ in words_of(svg)]
    assert {LONG, f"{LONG}z"} <= set(texts), "no name is cut"
    assert not any("…" in words for words in texts)
    assert any("Gibbs not converged" in words for words in texts)
    root = ElementTree.fromstring(svg)
    shown = page.locator(".ot-card", has_text="Predicted against observed").last.bounding_box()["width"]
    width = float(root.get("width").removesuffix("px"))
    assert width > shown, "the names take room, and nothing is drawn over them"
    png = Image.open(io.BytesIO(saved(page, "PNG")))
    assert png.width > 1.5 * shown, "two pixels for one"
