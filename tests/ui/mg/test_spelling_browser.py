"""Spell-out of the grammar lab in a real browser."""

import pytest

from tests.ui.layout import assert_cards_fit, assert_fine

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)])
def test_spell_out_is_typed_beside_the_corpus(visit, labs_url, size):
    from playwright.sync_api import expect

    page = visit(size).open(labs_url + "/mg_lab")
    assert_cards_fit(page)
    page.get_by_role("button", name="Say how words are pronounced together").click()
    box = page.get_by_label("Spell-out", exact=True)
    box.fill("in the -> inthe\nwhat did you -> whaddya")
    assert_fine(page)
    page.get_by_role("button", name="Apply").click()
    spelled = "whaddya see inthe park with the telescope"
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(spelled)
    expect(page.get_by_text("2 derivations")).to_be_visible()
    expect(page.get_by_role("img", name=spelled)).to_be_visible()
    assert_fine(page)
    page.get_by_role("button", name="Dark mode").click()
    assert_fine(page)
