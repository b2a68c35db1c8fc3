"""The Rank and Typology tabs of the OT lab: the library's answers for the tableau on the page."""

import json

import pandas as pd
import panel as pn
import pytest

from otlab.cli import main
from otlab.ot import read
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.typology import typology
from otlab.ui.ot.lab import OTLab
from tests.ui.page import component, one, shown_text


def opened(sample, tab):
    """Return a lab on a page, and the tab that was opened."""
    lab = OTLab(sample)
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go(tab)
    return lab, view.tab(tab)


@pytest.fixture(params=["cv_syllable_typology", "inconsistent_demo"])
def printed(request, capsys):
    """A sample's name, and what the command line says of it."""
    assert main(["rank", request.param, "--typology", "--json"]) == 0
    return request.param, json.loads(capsys.readouterr().out)


def test_rank_shows_what_the_command_line_prints(printed):
    sample, found = printed
    _, tab = opened(sample, "Rank")
    text = shown_text(tab)
    for stratum in found["strata"]:
        for name in stratum:
            assert name in text
    assert ("No ranking does all of this" in text) is not found["consistent"]
    assert text.count("<li>") == max(
        len(found["skeletal_basis"]), len((found["culprit"] or {"ercs": []})["ercs"])
    )


def test_another_algorithm_ranks_anew():
    lab, tab = opened("cv_syllable_typology", "Rank")
    switch = component(tab, "Segmented")
    switch.value = "bcd"
    assert lab.state.algorithm == "bcd"
    strata = rank(lab.tableau, "bcd").strata
    assert f"Stratum {len(strata)}" in shown_text(tab)
    assert f"Stratum {len(strata) + 1}" not in shown_text(tab)


def test_rank_follows_an_edit_of_the_tableau_and_its_undo():
    lab, tab = opened("inconsistent_demo", "Rank")
    assert "No ranking does all of this" in shown_text(tab)
    lab.state.document.leave_out([row for row in range(lab.tableau.n_rows) if lab.tableau.input_of_row[row]])
    assert "No ranking" not in shown_text(tab)
    lab.undo()
    assert "No ranking does all of this" in shown_text(tab)


def test_typology_lists_the_languages_of_the_library():
    _, tab = opened("cv_syllable_typology", "Typology")
    found = typology(read("cv_syllable_typology"))
    listed = one(tab, pn.widgets.Tabulator).value
    assert isinstance(listed, pd.DataFrame)
    assert [tuple(row)[1:-1] for row in listed.to_numpy()] == [
        tuple(found.language(n).values()) for n in range(len(found))
    ]
    assert [int(count) for count in listed["Rankings"]] == found.counts.tolist()
    assert "9 from 120 rankings" in shown_text(tab)


def test_a_language_that_is_chosen_is_shown_with_its_winners():
    lab, tab = opened("cv_syllable_typology", "Typology")
    found = typology(lab.tableau)
    for n in (4, 8):
        one(tab, pn.widgets.Tabulator).selection = [n]
        assert lab.state.language == n
        winners = [part.split("</tr>")[0] for part in shown_text(tab).split('<tr class="ot-win">')[1:]]
        assert len(winners) == len(found.language(n))
        for name, row in zip(found.language(n).values(), winners, strict=True):
            assert name.replace("<", "&lt;").replace(">", "&gt;") in row


def test_another_tableau_is_searched_anew():
    lab, tab = opened("cv_syllable_typology", "Typology")
    one(tab, pn.widgets.Tabulator).selection = [8]
    lab.state.load(read("ilokano"))
    assert "3 from 6 rankings" in shown_text(tab)
    assert lab.state.language == 0
    assert len(one(tab, pn.widgets.Tabulator).value) == 3


def test_languages_of_the_rankings_that_keep_to_the_reader_s_own():
    lab, tab = opened("cv_syllable_typology", "Typology")
    lab.settings.apriori = "Onset >> Parse; Parse >> Fill-Nuc"
    switch = component(tab, "Segmented")
    switch.value = "mine"
    found = typology(lab.tableau, apriori=lab.state.apriori)
    assert f"{len(found)} from 20 rankings that keep to yours" in shown_text(tab)
    assert len(one(tab, pn.widgets.Tabulator).value) == len(found) < 9
    assert f"language 1, {found.counts[0]} of 20 rankings" in shown_text(tab)
    lab.settings.apriori = ""
    assert "9 from 120 rankings" in shown_text(tab)
