"""Strata, crucial rankings and reasons in the page: twins of :func:`otlab.ot.rank`."""

from itertools import pairwise

import numpy as np
import pytest

from otlab.ot import read
from otlab.ot.analysis.rank import rank, tied_inputs
from otlab.ot.analysis.typology import typology
from otlab.ui.ot.constraint_settings import ConstraintSettings, put_apriori
from otlab.web.page import lab_page, tableau_data
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing
from tests.web.test_page import conjunct, generated_tableau, sample_tableaux

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

MOST_RANKED = 7  # constraints whose rankings the page goes through

RANKED = """([tableau, apriori]) => {
  const { winners, tied, strata, culprit, pairs, skeleton } = rankingOf(tableau, apriori)
  const conjunct = erc => [bitsOf(erc.winners), bitsOf(erc.losers)]
  return { winners: [...winners], tied, strata, pairs, skeleton: skeleton.map(conjunct),
    culprit: culprit.map(erc => [...conjunct(erc), erc.rival]) }
}"""


def ranked(tableau, pairs=()):
    """Return what Python finds, as the page's function returns it."""
    ranking = rank(tableau, apriori=pairs)
    number = tableau.constraints.index
    return {
        "winners": [[k, row] for k, row in ranking.winners.items()],
        "tied": list(tied_inputs(tableau)),
        "strata": [[number(name) for name in stratum] for stratum in ranking.strata],
        "pairs": [[number(a), number(b)] for a, b in ranking.crucial_rankings] if ranking.consistent else [],
        "skeleton": [conjunct(erc)[:2] for erc in ranking.bases.skeletal],
        "culprit": [conjunct(erc) for erc in ranking.culprit],
    }


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


def opened(browser, folder, tableau):
    visit = Visit(browser, (390, 844))
    path = folder / "otlab.html"
    path.write_text(lab_page(tableau), encoding="utf-8")
    visit.page.goto(path.as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return visit


def test_rankings_are_those_of_python(browser, tmp_path):
    rng = np.random.default_rng(4)
    tableaux = [*sample_tableaux(), *(generated_tableau(rng) for _ in range(500))]
    visit = opened(browser, tmp_path, read("ilokano"))
    found = visit.page.evaluate(f"all => all.map({RANKED})", [[tableau_data(t), []] for t in tableaux])
    for tableau, there in zip(tableaux, found, strict=True):
        assert there == ranked(tableau), tableau.name
    assert sum(bool(there["culprit"]) for there in found) > 20
    assert sum(len(there["pairs"]) > 1 for there in found) > 20
    visit.close()


def test_a_priori_rankings_are_part_of_a_ranking(browser, tmp_path):
    rng = np.random.default_rng(5)
    cases = []
    for tableau in [*sample_tableaux(), *(generated_tableau(rng) for _ in range(300))]:
        order = rng.permutation(tableau.n_constraints).tolist()  # whose pairs go round in no circle
        cases.append((tableau, [list(pair) for pair in pairwise(order) if rng.random() < 0.5]))
    visit = opened(browser, tmp_path, read("ilokano"))
    given = [[tableau_data(tableau), pairs] for tableau, pairs in cases]
    found = visit.page.evaluate(f"all => all.map({RANKED})", given)
    for (tableau, pairs), there in zip(cases, found, strict=True):
        assert there == ranked(tableau, pairs), tableau.name
    assert sum(any(erc[2] < 0 for erc in there["culprit"]) for there in found) > 20
    assert sum(there != ranked(tableau) for (tableau, _), there in zip(cases, found, strict=True)) > 50
    visit.close()


PARSED = """texts => texts.map(([text, tableau]) => {
  try { return aprioriText(aprioriPairs(text, tableau), tableau.constraints) }
  catch (error) { return error.message }
})"""


def test_a_priori_rankings_are_written_as_in_the_lab(browser, tmp_path):
    tableau = read("cv_syllable_typology").rename_constraint(0, "On, set; a>>b")
    settings = ConstraintSettings()
    put_apriori(settings, [("On, set; a>>b", "Parse"), ("Parse", "NoCoda")])
    visit = opened(browser, tmp_path, tableau)
    plain = tableau_data(read("cv_syllable_typology"))
    texts = [
        ["Onset >> Parse;  Parse ≫ NoCoda;", plain],
        ["Onset >> Parse; Parse >> Onset", plain],
        ["Onset >> Parsee", plain],
        ["Onset > Parse", plain],
        [" ", plain],
    ]
    found = visit.page.evaluate(PARSED, texts)
    assert found[0] == "Onset >> Parse; Parse >> NoCoda"
    assert "circle" in found[1]
    assert "no constraint is called" in found[2]
    assert found[4] == ""
    assert found[3] != "Onset >> Parse"
    visit.close()


def test_a_priori_rankings_are_typed_follow_names_and_refuse_circles(browser, tmp_path):
    visit = opened(browser, tmp_path, read("cv_syllable_typology"))
    page = visit.page
    field, strata = (
        page.get_by_label("Ranked a priori", exact=True),
        page.get_by_role("region", name="Strata"),
    )
    field.fill("Fill-Ons >> Parse")
    field.press("Tab")
    strata.get_by_text("given beforehand").wait_for()
    field.fill("NoCoda >> Onset")
    field.press("Tab")
    strata.get_by_text("given beforehand").wait_for(state="detached")
    name = page.get_by_label("Constraint 1", exact=True)
    before = name.input_value()
    name.fill("Ons")
    name.press("Enter")
    assert field.input_value() == f"NoCoda >> {'Ons' if before == 'Onset' else 'Onset'}"
    page.get_by_role("button", name="Undo").click()
    assert field.input_value() == "NoCoda >> Onset"
    field.fill("NoCoda >> Onset; Onset >> NoCoda")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Ranked a priori: the rankings go round in a circle; remove one.").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert_accessible(page)
    visit.close()


def test_strata_and_diagram_follow_the_edits(browser, tmp_path):
    visit = opened(browser, tmp_path, read("cv_syllable_typology"))
    page = visit.page
    card = page.get_by_role("region", name="Strata of the most frequent candidates (RCD)")
    card.get_by_role("img", name="Hasse diagram").wait_for()
    assert [row.split(", ") for row in card.locator("ol li").all_inner_texts()] == [
        ["Onset", "NoCoda", "Fill-Nuc"], ["Parse"], ["Fill-Ons"],
    ]  # fmt: skip
    assert sorted(card.locator("svg title").all_text_contents()) == sorted(
        ["Onset", "NoCoda", "Fill-Nuc", "Parse", "Fill-Ons"]
    )
    name = "ŋ" * 200
    page.get_by_label("Constraint 4", exact=True).fill(name)
    page.get_by_label("Constraint 4", exact=True).press("Enter")
    card.locator("ol").get_by_text(name).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    page.get_by_role("button", name="Dark").click()
    assert_accessible(page)
    visit.close()


def test_what_no_ranking_does_is_named(browser, tmp_path):
    tableau = read("inconsistent_demo")
    visit = opened(browser, tmp_path, tableau)
    card = visit.page.get_by_role("region", name="Strata of the most frequent candidates (RCD)")
    card.get_by_text("No ranking does all of this").wait_for()
    said = [text.replace("\u2068", "").replace("\u2069", "") for text in card.locator("li").all_inner_texts()]
    assert said == ["/x1/: a beats b only if A ≫ B", "/x2/: c beats d only if B ≫ A"]
    visit.close()


def test_languages_are_those_of_python(browser, tmp_path):
    rng = np.random.default_rng(7)
    tableaux = [*sample_tableaux(), *(generated_tableau(rng) for _ in range(300))]
    visit = opened(browser, tmp_path, read("ilokano"))
    found = visit.page.evaluate("all => all.map(typologyOf)", [tableau_data(t) for t in tableaux])
    several = 0
    for tableau, there in zip(tableaux, found, strict=True):
        if tableau.n_constraints > MOST_RANKED:
            assert there is None
            continue
        languages = typology(tableau)
        numbers = {
            tuple(w): n for w, n in zip(languages.winners.tolist(), languages.counts.tolist(), strict=True)
        }
        assert {tuple(one["winners"]): one["rankings"] for one in there} == numbers
        for one in there[:5]:
            won = rows_that_win(tableau, one["ranking"])
            assert won == one["winners"]
        several += len(there) > 3
    assert several > 50
    visit.close()


def rows_that_win(tableau, ranking):
    """Return the first optimal row of each input under a ranking."""
    return [
        min(range(a, b), key=lambda row: tuple(tableau.violations[row][list(ranking)]))
        for a, b in zip(tableau.offsets[:-1].tolist(), tableau.offsets[1:].tolist(), strict=True)
    ]


def test_the_typology_follows_the_edits(browser, tmp_path):
    visit = opened(browser, tmp_path, read("cv_syllable_typology"))
    page = visit.page
    card = page.get_by_role("region", name="Typology")
    card.get_by_text("9 languages, 120 rankings").wait_for()
    for name in ("Fill-Nuc", "Fill-Ons"):
        page.get_by_label(f"Remove the constraint {name}").click()
    card.get_by_text("6 rankings").wait_for()
    assert_accessible(page)
    visit.close()
