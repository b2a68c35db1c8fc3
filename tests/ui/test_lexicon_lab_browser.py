"""The lexicon lab in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.layout import assert_fine

pytestmark = [pytest.mark.browser]


def test_words_appear_and_the_threshold_cuts_them_anew(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab")
    for name in ("Grammar", "Iterations", "Restarts", "Threshold"):
        expect(page.get_by_label(name, exact=True)).to_be_visible()
    expect(page.get_by_role("group", name="Learner")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    expect(
        page.get_by_role("table", name="Lexicon").get_by_role("button", name="gu", exact=True)
    ).to_be_visible()
    first = page.get_by_role("list", name="Segmentation").get_by_role("button").first
    said = first.get_attribute("aria-label")
    assert " " in said.split(": ")[1]
    page.get_by_label("Threshold", exact=True).fill("0.98")
    page.get_by_role("button", name="Ban gu", exact=True).click()
    expect(page.get_by_text("1 banned")).to_be_visible()
    assert_fine(page)


def test_grammar_faults_and_trees(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab?iterations=5")
    page.get_by_label("Grammar", exact=True).fill("Utterance -> Wrod+\nWord -> Phon+")
    expect(page.get_by_text("Wrod is not defined")).to_be_visible()
    page.get_by_label("Preset", exact=True).select_option("collocation")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Trees").click()
    expect(page.get_by_role("img", name="Tree of").first).to_be_visible()
    page.get_by_role("tab", name="Runs").click()
    expect(page.get_by_role("table", name="Restarts").get_by_text("chosen")).to_be_visible()
