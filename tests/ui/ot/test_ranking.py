"""The Rank and Typology tabs of the OT lab: the library's answers for the tableau on the page."""

import asyncio
import base64
import json
import re
from math import factorial

import numpy as np
import pandas as pd
import panel as pn
import pytest

from otlab.cli import main
from otlab.ot import Tableau, read
from otlab.ot.analysis.rank import rank, winning_rows
from otlab.ot.analysis.typology import typology
from otlab.ot.probability import predict
from otlab.ui.components.cards import CardMenu
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.downloads import file_bytes
from otlab.viz.base.numbers import count_text, percent_text
from otlab.viz.ot.ranking import strata_html
from tests.ui.page import component, download, one, parts, press, send, sent, shown_text


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


@pytest.mark.slow
def test_rank_shows_what_the_command_line_prints(printed):
    sample, found = printed
    lab, tab = opened(sample, "Rank")
    text = shown_text(tab)
    if found["consistent"]:
        strata = component(tab, "StrataEditor").strata
        assert [[lab.tableau.constraints[c] for c in stratum] for stratum in strata] == found["strata"]
    assert ("No ranking does all of this" in text) is not found["consistent"]
    assert text.count("<li>") == max(
        len(found["skeletal_basis"]), len((found["culprit"] or {"ercs": []})["ercs"])
    )


def test_forms_in_a_contradiction_stand_apart_whichever_way_they_are_read():
    rows = [("שלום", "(שלום).", 1, (0, 1)), ("שלום", "שלו", 0, (1, 0))]
    rows += [("كتاب", "كتاب", 1, (1, 0)), ("كتاب", "كتب", 0, (0, 1))]
    ranking = rank(Tableau.from_rows(rows, ["Max", "Dep"]))
    text = strata_html(ranking)
    for form in ("/שלום/", "(שלום).", "שלו", "/كتاب/", "كتاب", "كتب"):
        assert f'<span class="ot-form">{form}</span>' in text
    assert plain(text).replace("≫", ">>").startswith(ranking.words.split("\n")[0])
    assert "Max >> Dep" in plain(text).replace("≫", ">>")


def plain(html):
    return re.sub("<[^>]+>", "", html)


def test_another_algorithm_ranks_anew():
    lab, tab = opened("cv_syllable_typology", "Rank")
    switch = component(tab, "Segmented")
    switch.value = "bcd"
    assert lab.state.algorithm == "bcd"
    strata = rank(lab.tableau, "bcd").demotion.strata
    assert component(tab, "StrataEditor").strata == [list(stratum) for stratum in strata]


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


def test_a_language_that_is_clicked_again_stays_in_sight():
    lab, tab = opened("dutch_final_devoicing", "Typology")
    one(tab, pn.widgets.Tabulator).selection = [2]
    one(tab, pn.widgets.Tabulator).selection = []
    assert lab.state.language == 2
    assert "language 3, " in shown_text(tab)


def of_many(n):
    """Return a tableau with so many constraints and two languages."""
    rows = [("x", "a", 1, [1, *[0] * (n - 1)]), ("x", "b", 0, [0, 1, *[0] * (n - 2)])]
    return Tableau.from_rows(rows, [f"C{k}" for k in range(n)])


def test_rankings_of_many_constraints_are_not_counted():
    lab, tab = opened(of_many(21), "Typology")
    assert f"2 from {count_text(factorial(21))} rankings" in shown_text(tab)
    assert list(one(tab, pn.widgets.Tabulator).value.columns) == ["No.", "/x/"]
    assert " rankings</span>" in shown_text(tab).split("language 1")[0]
    assert "language 1, " not in shown_text(tab)
    lab.settings.apriori = "C0 >> C1"
    component(tab, "Segmented").value = "mine"
    assert "1 from rankings that keep to yours" in shown_text(tab)


def test_of_too_many_constraints_the_page_says_that_no_language_is_searched():
    lab, tab = opened("dutch_final_devoicing", "Typology")
    assert "language 1" in shown_text(tab)
    lab.state.load(of_many(63))
    text = shown_text(tab)
    assert "63 constraints: a typology can have 62; remove some" in text
    assert "language 1" not in text
    assert not parts(tab, pn.widgets.Tabulator)
    press(tab, "Use this ranking in Learn")
    assert not lab.state.own_values


def test_tableaux_saved_during_the_search_are_under_the_strata_by_rcd():
    lab, tab = opened("dutch_final_devoicing", "Typology")

    async def visit():
        lab.state.document.type(0, "c_0", "2")  # searched beside the page
        during = download(tab, "ot-tableau")[1].decode()
        while "searching" in shown_text(tab):
            await asyncio.sleep(0.01)
        return during, download(tab, "ot-tableau")[1].decode()

    during, after = asyncio.run(asyncio.wait_for(visit(), 60))
    assert "the strata by RCD" in during
    assert "language 1 of the typology" in after


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


@pytest.mark.slow
def test_a_constraint_is_dragged_to_another_stratum_and_back():
    lab, tab = opened("finnish_genitive_plural_motifs", "Rank")
    editor = component(tab, "StrataEditor")
    rcd = editor.strata
    send(tab, {"constraint": 2, "to": 0, "between": False}, "StrataEditor")
    for constraint in (3, 4, 5):
        send(tab, {"constraint": constraint, "to": 1, "between": False}, "StrataEditor")
    assert [sorted(stratum) for stratum in editor.strata] == [[0, 1, 2], [3, 4, 5, 6, 7, 8]]
    text = shown_text(tab)
    assert "Shares under your strata" in text
    assert all(percent_text(share / 100, 0) in text for share in (33, 50, 20))
    send(tab, {"constraint": 2, "to": 0, "between": True}, "StrataEditor")
    assert editor.strata[0] == [2]
    press(tab, "Back to the algorithm's")
    assert editor.strata == rcd
    lab.state.history.undo()
    assert editor.strata[0] == [2]
    lab.state.history.undo()
    assert sorted(editor.strata[0]) == [0, 1, 2]
    press(tab, "Back to the algorithm's")
    assert "Candidates that never win" in shown_text(tab)


@pytest.mark.parametrize("name", ["Rank", "Typology"])
def test_a_ranking_is_taken_over_to_learn(name):
    lab, tab = opened("dutch_final_devoicing", name)
    (view,) = lab.showings
    view.go("Learn")  # built before, so that it has to follow
    view.go(name)
    if name == "Typology":
        lab.state.language = 1
    press(tab, "Use this ranking in Learn")
    assert view.shown is view.tab("Learn").show()
    found = typology(lab.tableau).winners[1] if name == "Typology" else winners(lab.tableau)
    chances = predict(lab.tableau, lab.state.values, lab.settings.noise).probability
    assert (chances[list(found)] > 0.99).all()
    assert np.abs(lab.state.values).max() < lab.settings.bound
    np.testing.assert_allclose(component(view.tab("Learn"), "RankingLine").values, lab.state.values)
    assert "below 0.001" not in shown_text(view.tab("Learn"))  # the order of its tableau is drawn anew


def test_a_ranking_of_a_table_that_was_just_changed_is_not_taken_over():
    lab, tab = opened("dutch_final_devoicing", "Rank")
    (view,) = lab.showings

    async def visit():
        lab.state.document.add_constraint()  # ranked beside the page
        press(tab, "Use this ranking in Learn")
        assert view.shown is tab.show()
        assert not lab.state.own_values
        while len(component(tab, "StrataEditor").names) < 4:
            await asyncio.sleep(0.01)
        press(tab, "Use this ranking in Learn")

    asyncio.run(asyncio.wait_for(visit(), 60))
    assert view.shown is view.tab("Learn").show()
    assert len(lab.state.values) == 4


def winners(tableau):
    return winning_rows(tableau).values()


def test_own_strata_are_forgotten_with_their_constraints():
    lab, tab = opened("cv_syllable_typology", "Rank")
    send(tab, {"constraint": 0, "to": 1, "between": False}, "StrataEditor")
    lab.state.document.rename_constraint(0, "ONS")
    assert lab.state.own_strata == ()
    send(tab, {"constraint": 9, "to": 1, "between": False}, "StrataEditor")
    assert lab.state.own_strata == ()


@pytest.mark.parametrize("tab", ["Rank", "Typology"])
def test_the_menu_of_the_tableaux_saves_them_for_papers(tab):
    lab, view = opened("cv_syllable_typology", tab)
    menu = next(menu for menu in parts(view, CardMenu) if menu.files)
    messages = sent(menu, "CardMenu")
    for key, label in menu.files:
        assert "Save" in label
        send(menu, {"key": key}, "CardMenu")
    send(menu, {"key": "other"}, "CardMenu")
    names = [message["name"] for message in messages]
    assert names == [f"{lab.tableau.name}{ending}" for ending in (".tex", "_tabular.tex", ".html")]
    text = base64.b64decode(messages[0]["data"]).decode()
    assert r"\begin{tableau}" in text
    assert ("strata by RCD" if tab == "Rank" else "language 1 of the typology") in text
    lab.state.set_strata(((1, 0), (2, 3, 4)))
    own = "the reader's strata"
    assert (own in download(view, "ot-tableau")[1].decode()) is (tab == "Rank")
    assert own in file_bytes(lab.state, "ot-tableau").decode()
