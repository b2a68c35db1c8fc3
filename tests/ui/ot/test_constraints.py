"""Settings of single constraints in the OT lab: typed into the grid, read from files, used by learners."""

from __future__ import annotations

import numpy as np
import pytest
from panel.models.tabulator import TableEditEvent

from otlab.ot import Tableau, fit_gla, rank, read
from otlab.ot.io.praat import parse_praat
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.priors import NormalPrior
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.settings import learner_settings, ranking_prior
from otlab.ui.ot.tabs.downloads import file_bytes
from tests.ui.page import component, messages, parts, press, shown_text


@pytest.fixture
def data():
    lab = OTLab("cv_syllable_typology")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Data")
    return lab, view.tab("Data")


def grid(tab):
    (table,) = [t for t in parts(tab, "Tabulator") if "Prior mean" in t.value.columns]
    return table


def type_into(tab, constraint, column, text):
    table = grid(tab)
    row = list(table.value["Constraint"]).index(constraint)
    table.value.loc[row, column] = text
    table._process_event(TableEditEvent(table, column, row, pre=False, value=text, old=""))


def prior_of(lab, learner):
    entry = LEARNERS[learner]
    made = entry.make(lab.tableau, learner_settings(entry, lab.settings, lab.tableau))
    return made.prior


@pytest.mark.slow
def test_priors_typed_into_the_grid_reach_the_learners(data):
    lab, tab = data
    assert prior_of(lab, "gibbs") is None
    type_into(tab, "Parse", "Prior mean", "-2.5")
    type_into(tab, "Onset", "Prior sd", "0.5")
    type_into(tab, "NoCoda", "Weight mean", "3")
    for learner in ("gibbs", "exact", "mle"):
        prior = prior_of(lab, learner)
        assert isinstance(prior, NormalPrior)
        assert prior.mean.tolist() == [0, 0, -2.5, 0, 0]
        assert prior.sd.tolist() == [0.5, 10, 10, 10, 10]
    assert prior_of(lab, "maxent").mean.tolist() == [0, 3, 0, 0, 0]


def test_cells_typed_before_the_server_hears_of_the_first_all_reach_the_learners(data):
    lab, tab = data
    grid(tab).value.loc[1, "Prior mean"] = "1.5"
    type_into(tab, "Onset", "Prior mean", "2")
    assert prior_of(lab, "gibbs").mean[:2].tolist() == [2, 1.5]


@pytest.mark.slow
def test_starts_plasticities_and_rankings_reach_the_gla(data):
    lab, tab = data
    type_into(tab, "Onset", "GLA start", "4")
    type_into(tab, "Parse", "Plasticity", "0.1")
    type_into(tab, "NoCoda", "Always above", "Parse, Fill-Ons")
    entry = LEARNERS["gla"]
    settings = learner_settings(entry, lab.settings, lab.tableau)
    settings.param.update(sweeps=300, runs=2)
    ours = entry.fit(lab.tableau, settings, seed=4)
    theirs = fit_gla(
        lab.tableau,
        trials=300,
        runs=2,
        seed=4,
        noise=lab.settings.noise,
        initial=(4, *[settings.initial] * 4),
        plasticity=(1, 1, 0.1, 1, 1),
        apriori=(("NoCoda", "Parse"), ("NoCoda", "Fill-Ons")),
        gap=settings.gap,
    )
    np.testing.assert_array_equal(ours.mean, theirs.mean)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("Prior mean", "high", "high is no number"),
        ("Prior sd", "0", "write a number above 0"),
        ("Plasticity", "-1", "write a number 0 or more"),
        ("Always above", "Onset", "cannot be ranked above itself"),
        ("Always above", "Pars", "No constraint is called Pars; did you mean Parse?"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(data, column, text, message):
    lab, tab = data
    before = dict(lab.settings.param.values())
    type_into(tab, "Onset", column, text)
    assert message in shown_text(tab)
    assert dict(lab.settings.param.values()) == before
    assert grid(tab).value[column][0] == ""


def test_rankings_in_a_circle_are_refused(data):
    lab, tab = data
    type_into(tab, "Onset", "Always above", "Parse")
    type_into(tab, "Parse", "Always above", "Onset")
    assert "go round in a circle" in shown_text(tab)
    assert lab.state.apriori == (("Onset", "Parse"),)


def test_a_circle_in_a_link_or_a_file_does_no_harm(data):
    lab, tab = data
    lab.settings.apriori = "Onset >> Parse; Parse >> Onset"
    assert lab.state.apriori == ()
    before = lab.tableau
    tab.zone.take("w.OTGrammar", b'"ooTextFile" "OTGrammar" 2 "A" 9 9 "B" 9 9 2 2 1 1 2 1 "x" 1 "y" 0 0')
    tab.zone.wait()
    assert "go round in a circle" in messages(tab)
    assert lab.tableau is before


def test_rank_keeps_to_the_rankings(data):
    lab, tab = data
    type_into(tab, "NoCoda", "Always above", "Fill-Nuc")
    (view,) = lab.showings
    view.go("Rank")
    strata = rank(lab.tableau, apriori=[("NoCoda", "Fill-Nuc")]).strata
    assert len(component(view.tab("Rank"), "StrataEditor").strata) == len(strata) == 4


@pytest.mark.slow
def test_settings_follow_a_renamed_and_a_removed_constraint_and_leave_with_the_table(data):
    lab, tab = data
    type_into(tab, "Onset", "Prior mean", "1")
    type_into(tab, "Parse", "Always above", "Onset")
    lab.state.document.rename_constraint(0, "ONS")
    assert grid(tab).value["Prior mean"][0] == "1"
    assert lab.state.apriori == (("Parse", "ONS"),)
    lab.state.document.remove_constraint(0)
    assert lab.state.apriori == ()
    type_into(tab, "Parse", "Prior mean", "1")
    lab.state.load(read("ilokano"))
    assert (grid(tab).value.drop(columns="Constraint") == "").all(axis=None)


def test_files_of_priors_and_rankings_are_dropped_onto_the_data_tab(data):
    lab, tab = data
    tab.zone.take("bias.csv", b"Constraint,Mu,Sigma\nOnset,1,2\nParse,-3,0.5\n")
    tab.zone.wait()
    assert "The priors are those of bias.csv" in messages(tab)
    assert grid(tab).value["Prior sd"].tolist() == ["2", "", "0.5", "", ""]
    tab.zone.take("ranked.txt", b"\tOnset\tParse\nOnset\t\tx\n")
    tab.zone.wait()
    assert lab.state.apriori == (("Onset", "Parse"),)
    tab.zone.take("ranked.txt", b"\tOnset\tPrase\nOnset\t\tx\n")
    tab.zone.wait()
    assert "no constraint is called" in messages(tab)
    assert lab.state.apriori == (("Onset", "Parse"),)


def test_fixed_rankings_of_praat_are_set(data):
    lab, tab = data
    tab.zone.take("w.OTGrammar", b'"ooTextFile" "OTGrammar" 2 "A" 9 9 "B" 9 9 1 2 1 1 "x" 1 "y" 0 0')
    tab.zone.wait()
    assert lab.state.apriori == (("B", "A"),)


@pytest.mark.slow
def test_what_is_set_for_single_constraints_is_undone_and_redone(data):
    lab, tab = data
    type_into(tab, "Onset", "Prior mean", "1.25")
    type_into(tab, "Onset", "Prior sd", "-1")  # refused: no edit
    press(tab, "Faithfulness low")
    tab.zone.take("ranked.txt", b"\tOnset\tParse\nOnset\t\tx\n")
    tab.zone.wait()
    press(tab, "Clear")
    assert lab.settings.prior_means == lab.settings.apriori == ""
    lab.state.history.undo()
    assert lab.state.apriori == (("Onset", "Parse"),)
    assert grid(tab).value["Prior mean"].tolist() == ["4", "4", "-4", "-4", "-4"]
    lab.state.history.undo()
    assert lab.state.history.undo() == "Faithfulness low"
    assert grid(tab).value["Prior mean"].tolist() == ["1.25", "", "", "", ""]
    lab.state.history.redo()
    assert lab.settings.prior_means.startswith("Onset=4")
    lab.state.document.remove_constraint(0)
    assert "Onset" not in lab.settings.prior_means
    lab.state.history.undo()
    assert lab.settings.prior_means.startswith("Onset=4")


def test_the_endless_gla_keeps_to_rule_starts_and_rankings(data):
    lab, tab = data
    lab.settings.param.update(rule="demotion-only", markedness_plasticity=0.5, plasticity=0.2)
    type_into(tab, "Onset", "GLA start", "90")
    type_into(tab, "Parse", "Always above", "Onset")
    (row,) = [row for row in lab.state.rows() if row.name == "endless"]
    learner = row.plan()().learner
    assert learner.rule == "demotion-only"
    assert learner.apriori == (("Parse", "Onset"),)
    assert learner.initial == (90, 100, 100, 100, 100)
    assert learner.plasticity == (0.5, 0.5, 1, 1, 1)
    assert {stage.markedness for stage in learner.schedule.stages} == {0.2}


def test_faithfulness_low_is_one_click(data):
    lab, tab = data
    press(tab, "Faithfulness low")
    assert prior_of(lab, "gibbs").mean.tolist() == [4, 4, -4, -4, -4]
    assert grid(tab).value["Prior mean"].tolist() == ["4", "4", "-4", "-4", "-4"]
    press(tab, "Clear")
    assert prior_of(lab, "gibbs") is None


def test_where_no_name_tells_faithfulness_nothing_is_set(data):
    lab, tab = data
    lab.state.load(Tableau.from_rows([("x", "a", 1, (0, 1)), ("x", "b", 0, (1, 0))], ["A", "B"]))
    press(tab, "Faithfulness low")
    assert "No constraint, or every one, has the name of a faithfulness constraint." in shown_text(tab)
    assert lab.settings.prior_means == ""
    assert not lab.state.history.can_undo


def test_a_cell_that_is_emptied_or_typed_as_it_was_is_as_for_all_constraints(data):
    lab, tab = data
    type_into(tab, "Onset", "Prior mean", "2")
    edits = lab.state.constraint_changes
    type_into(tab, "Onset", "Prior mean", "2")
    assert lab.state.constraint_changes == edits
    type_into(tab, "Onset", "Prior mean", " ")
    assert prior_of(lab, "gibbs") is None
    assert lab.settings.prior_means == ""
    lab.state.history.undo()
    assert lab.settings.prior_means == "Onset=2"


def test_an_empty_cell_is_as_for_all_constraints_with_low_faithfulness_too(data):
    lab, tab = data
    lab.settings.param.update(prior="normal", prior_sd=3.0, faithfulness_low=2.0)
    assert prior_of(lab, "gibbs").mean.tolist() == [2, 2, -2, -2, -2]
    assert ranking_prior(lab.settings, lab.tableau).mean.tolist() == [2, 2, -2, -2, -2]
    type_into(tab, "Onset", "Prior mean", "7")
    for prior in (prior_of(lab, "gibbs"), ranking_prior(lab.settings, lab.tableau)):
        assert prior.mean.tolist() == [7, 2, -2, -2, -2]
        assert prior.sd.tolist() == [3.0] * 5
    lab.settings.prior = "flat"
    assert prior_of(lab, "gibbs").mean.tolist() == [7, 0, 0, 0, 0]


def test_they_travel_in_links_and_saved_work(data):
    lab, tab = data
    type_into(tab, "Onset", "Prior mean", "1.25")
    type_into(tab, "Parse", "Always above", "Onset")
    other = OTLab("ilokano")
    other.from_dict(lab.to_dict())
    assert other.settings.prior_means == "Onset=1.25"
    assert other.state.apriori == (("Parse", "Onset"),)


def test_a_grammar_for_praat_has_them(data):
    lab, tab = data
    type_into(tab, "Onset", "GLA start", "90")
    type_into(tab, "Parse", "Plasticity", "0.5")
    type_into(tab, "NoCoda", "Always above", "Parse")
    grammar, _ = parse_praat(file_bytes(lab.state, "praat"), "g")
    assert [constraint.ranking for constraint in grammar.constraints] == [90, 100, 100, 100, 100]
    assert [constraint.plasticity for constraint in grammar.constraints] == [1, 1, 0.5, 1, 1]
    assert grammar.apriori == (("NoCoda", "Parse"),)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ilokano", "finnish_genitive_plural_motifs"])
def test_tables_of_the_data_tab_have_room_for_six_rows_or_all(name):
    lab = OTLab(name)
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Data")
    rows = min(6, lab.tableau.n_constraints)
    least = view.tab("Data").constraints.card.body.styles["min-height"]
    assert 30 * rows < int(least.removesuffix("px")) - 160 < 40 * rows
