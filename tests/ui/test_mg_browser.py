"""The grammar lab in a real browser."""

import pytest

pytestmark = pytest.mark.browser


def test_edit_parse_and_learn(visit, labs_url):
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    page.get_by_label("Sentence", exact=True).fill("you see the park with the telescope")
    expect(page.get_by_text("2 derivations")).to_be_visible()
    page.get_by_role("radio", name="X-bar", exact=True).click()
    expect(page.get_by_role("group", name="Derivation")).to_contain_text("VP")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    share = page.get_by_role("radio", name="Reading 1").locator(".share")
    expect(share).not_to_have_text("50 %")
    page.get_by_role("button", name="Item", exact=True).click()
    page.get_by_label("Item of row 13").fill("who")
    page.get_by_label("Features of row 13").fill("d -q")
    expect(page.get_by_text("could never move").first).to_be_visible()
    page.get_by_label("Features of row 13").fill("d -wh")
    expect(page.get_by_text("could never move")).to_have_count(0)
    page.get_by_label("Sentence", exact=True).fill("who did you see")
    expect(page.get_by_text("1 derivation", exact=True)).to_be_visible()


def test_a_long_sentence_typed_letter_by_letter(visit, labs_url):
    """Each letter is parsed; the page keeps up and ends with the whole sentence."""
    from playwright.sync_api import expect

    page = visit().open(labs_url + "/mg_lab")
    field = page.get_by_label("Sentence", exact=True)
    field.fill("")
    field.press_sequentially("what did you see in the park with the telescope with you", delay=15)
    expect(page.get_by_text("5 derivations")).to_be_visible(timeout=5000)
