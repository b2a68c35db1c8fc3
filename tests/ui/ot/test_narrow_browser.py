"""The OT lab in narrow windows, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from otlab.ot import read, to_csv
from tests.ot.tables import csv
from tests.ui.layout import assert_fine
from tests.ui.ot_page import button, load, run_to_the_end

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


SHORT = csv("bɛːd,bɛːt,70,0,1", ",bɛːd,30,1,0", "tɑ̃ːk,tɑ̃ːk,5,0,0", ",tɑ̃ː,0,0,1")


@pytest.mark.parametrize("table", [to_csv(read("spanish")), SHORT], ids=["long", "short"])
def test_three_learners_numbers_are_whole_beside_several_inputs(opened, table):
    page, _ = opened(size=(1280, 800))
    load(page, "own.csv", table.encode())
    expect(page.get_by_text("own.csv is loaded")).to_be_visible()
    page.get_by_role("tab", name="Learn").click()
    run_to_the_end(page, "400")
    card = page.locator(".ot-card", has_text="Predicted against observed")
    last = card.locator("span.ot-maxent")
    for width in (1280, 1100):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(400)
        inside, box = card.bounding_box(), last.bounding_box()
        assert box["x"] + box["width"] <= inside["x"] + inside["width"] - 15, width
        assert card.locator("canvas").first.bounding_box()["width"] > 80
        clipped = last.evaluate(
            "one => { const host = one.getRootNode().host;"
            " return one.getBoundingClientRect().right - host.getBoundingClientRect().right }"
        )
        assert clipped < 1, width
        boxes = [card.locator("canvas").nth(n).bounding_box() for n in (0, -1)]
        rows, axis = [(box["x"], box["width"]) for box in boxes]
        assert axis == pytest.approx(rows, abs=1), width


def test_a_verdict_on_two_samplers_has_room(opened):
    page, lab = opened(size=(1280, 800))
    lab.settings.param.update(sweeps=400, chains=2)
    page.get_by_role("tab", name="Compare").click()
    button(page, "Run both").click()
    expect(page.get_by_text("standard errors.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("standard errors.")).to_be_in_viewport(ratio=1)
    assert_fine(page)


def test_names_of_downloads_stay_inside_their_buttons(opened):
    page, _ = opened(size=(1280, 800))
    page.get_by_role("tab", name="Data").click()
    card = page.locator(".ot-card", has_text="Download").last
    expect(card.get_by_role("button", name="As one page that runs")).to_be_visible()
    over = card.get_by_role("button").evaluate_all(
        "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    )
    assert over == []
