"""A picture that a card of the tagging lab saves: names whole, each over its column or beside its row."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

TAG, NAME = "NOUN_OF_A_VERY_LONG_NAME", "nouns of pneumonoultramicroscopic places"
SVG = "{http://www.w3.org/2000/svg}"


def corpus():
    sentence = f"dog\t{TAG}\nruns\tVERB\n\ncat\t{TAG}\nsleeps\tVERB\n\n"
    return (sentence * 40).encode()


def test_turned_heads_are_whole_and_move_with_their_columns(visit, labs_url):
    page = visit().open(f"{labs_url}/tagging_lab?iterations=12&runs=1&states=2")
    page.get_by_role("tab", name="Data").click()
    file = {"name": "long.tsv", "mimeType": "text/plain", "buffer": corpus()}
    page.get_by_label("Drop a corpus here").set_input_files(file)
    expect(page.get_by_text("long.tsv", exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Watch").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=120_000)
    page.get_by_role("button", name="Name state").first.click()
    page.get_by_role("textbox", name="Name of state").fill(NAME)
    page.keyboard.press("Enter")
    expect(page.locator(".name.named", has_text=NAME)).to_be_visible()
    page.get_by_role("button", name="Save or copy: States against gold tags").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Save SVG").click()
    root = ElementTree.fromstring(Path(download.value.path()).read_bytes())
    words = {"".join(text.itertext()): text for text in root.iter(f"{SVG}text")}
    assert {TAG, "VERB", NAME} <= words.keys()
    tops = [float(r.get("y") or 0) for r in root.iter(f"{SVG}rect") if float(r.get("height")) > 30]
    turned = [g for g in root.iter(f"{SVG}g") if "matrix(" in g.get("transform", "")]
    assert len(turned) == 2
    for group in turned:
        foot = float(re.match(r"translate\(\S+ (\S+)\)", group.get("transform"))[1])
        assert any(0 <= top - foot <= 10 for top in tops), (
            "a head stands on its column, however far it is moved"
        )
