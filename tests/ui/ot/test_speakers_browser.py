"""The Speakers tab in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.ui.layout import assert_cards_fit, assert_fine
from tests.ui.ot_page import button

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:reference already known")]


def test_speakers_fit_every_window_and_keep_their_names_in_sight(opened):
    page, lab = opened("/ot_lab?example=speakers_and_words", size=(1280, 800))
    lab.settings.param.update(sweeps=120, chains=2, seed=1)
    button(page, "Speakers").click()
    expect(page.get_by_text("Tick MaxEnt by speaker and press Run to see them")).to_be_visible()
    lab.runner.enable(["maxent-mixed"])
    button(page, "Run").click()
    expect(page.get_by_role("img", name=re.compile("^30 speakers, ordered by"))).to_be_visible()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    assert_fine(page)
    assert_cards_fit(page, 600, 820, 1100, 1440)
    page.get_by_role("radio", name="Rates").click()
    picture = page.get_by_role("img", name=re.compile("^30 speakers, ordered by .st C. s C"))
    expect(picture).to_be_visible()
    picture.evaluate("node => node.parentElement.scrollTo(0, 1e4)")
    page.get_by_label("Find").fill("s3")
    expect(page.get_by_role("img", name=re.compile("^1 speaker, ordered by"))).to_be_visible()
    page.get_by_role("radio", name="Items").click()
    page.get_by_label("Find").fill("us")
    expect(page.get_by_role("img", name=re.compile("^2 items, ordered by"))).to_be_visible()
    button(page, "Dark mode").click()
    assert_fine(page)
