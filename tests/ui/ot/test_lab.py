"""The OT lab without a browser: what runs, edits and settings do to each other."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from panel.models.tabulator import DataTabulator

from otlab.ot import Tableau, fit_gibbs, fit_gla, fit_maxent, read
from otlab.ot.conditions import impossible_rows
from otlab.ot.learners.priors import equal_prior
from otlab.ui.ot.impossible import reason_html
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.parameters import gla_note, parameters_html
from otlab.ui.ot.trust import USUAL_WEIGHT_SD, trust_report, unranked
from tests.ui.ot.helpers import finished, head, view_of
from tests.ui.page import parts, send, shown_text
from tests.ui.waiting import until


@pytest.mark.slow
def test_every_learner_answers_on_the_same_data(shown):
    answers = finished(shown).state.answers
    assert answers.learners == ("gibbs", "gla", "maxent")
    assert answers.gibbs.shape == (3, 3)
    assert answers.gla.shape == (5, 3)
    np.testing.assert_allclose(answers.maxent.sum(), 1)
    np.testing.assert_allclose(answers.gibbs[0].sum(), 1, atol=1e-9)


@pytest.mark.slow
def test_warmup_does_not_count(shown):
    gibbs = finished(shown).state.gibbs
    assert [len(draws) for draws in gibbs.chains] == [540] * 4
    assert gibbs.histogram.n == 4 * 540
    np.testing.assert_allclose(gibbs.histogram.mean, np.concatenate(gibbs.chains).mean(axis=0))


@pytest.mark.slow
def test_going_on_after_the_end_equals_one_long_run(monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.state.MORE_SWEEPS", 1400)
    short, long = OTLab("lin2005_table1"), OTLab("lin2005_table1")
    for each, sweeps in ((short, 600), (long, 2000)):
        each.runner.enable(["gibbs"])
        each.settings.param.update(sweeps=sweeps)
        finished(each)
    short.runner.run_longer()
    assert short.runner.wait(60)
    assert short.settings.sweeps == short.posterior.settings["sweeps"] == 2000
    a, b = short.state.gibbs, long.state.gibbs
    np.testing.assert_array_equal(a.chains, b.chains)
    np.testing.assert_array_equal(a.predicted, b.predicted)
    assert a.histogram.n == b.histogram.n == 4 * 1800


@pytest.mark.parametrize("name", ["ilokano", "spanish"])
def test_the_lab_shows_what_the_library_finds_from_the_same_seed(name):
    lab = OTLab(name)
    lab.settings.param.update(sweeps=600, runs=5, trials=2000, weight_sd=2.0, seed=11)
    state = finished(lab).state
    tableau, s = lab.tableau, lab.settings
    noise = s.noise
    gibbs = fit_gibbs(tableau, sweeps=600, seed=11, noise=noise, bound=s.bound)
    np.testing.assert_array_equal(
        state.gibbs.posterior.draws["ranking_value"], gibbs.posterior.draws["ranking_value"]
    )
    np.testing.assert_array_equal(state.gibbs.median, gibbs.median)
    predicted = gibbs.predicted
    np.testing.assert_array_equal(state.answers.gibbs, [predicted.mean, predicted.low, predicted.high])
    np.testing.assert_array_equal(state.gibbs.trust.ess, gibbs.trust.ess)
    gla = fit_gla(tableau, trials=2000, runs=5, seed=11, noise=noise)
    np.testing.assert_array_equal(state.gla.values.mean(axis=0), gla.mean)
    np.testing.assert_allclose(state.answers.gla.mean(axis=0), gla.predicted.mean, rtol=1e-12)
    prior = equal_prior(tableau, 2.0)
    maxent = fit_maxent(tableau, prior=prior, seed=11)
    np.testing.assert_array_equal(state.maxent.weights, maxent.mean)
    np.testing.assert_array_equal(state.answers.maxent, maxent.predicted.mean)


def test_going_on_keeps_the_draws_one_long_run_keeps(monkeypatch):
    monkeypatch.setattr("otlab.ot.learners.draws.DRAWS_KEPT", 100)
    monkeypatch.setattr("otlab.ui.ot.state.MORE_SWEEPS", 1400)
    short = OTLab("lin2005_table1")
    short.runner.enable(["gibbs"])
    short.settings.param.update(sweeps=600)
    finished(short).runner.run_longer()
    assert short.runner.wait(60)
    long = fit_gibbs(short.tableau, sweeps=2000, seed=short.settings.seed)
    np.testing.assert_array_equal(
        short.posterior.draws["ranking_value"], long.posterior.draws["ranking_value"]
    )
    assert short.posterior.settings == long.posterior.settings
    assert short.posterior.settings["thin"] == 16


def test_without_end_alone_there_is_no_percent(lab):
    lab.runner.enable(["endless"])
    lab.runner.run()
    until(lambda: lab.runner.tick() or lab.runner.runner.jobs["endless"].last)
    lab.runner.tick()
    words = head(lab)["progress"]
    assert (words["rest"], words["share"], words["right"]) == ("without end", None, "")


@pytest.mark.slow
def test_without_end_alone_its_path_is_drawn(shown):
    shown.settings.param.update(sweeps=600)
    view_of(shown).open("Compare")
    shown.runner.enable(["endless"])
    shown.runner.run()
    until(lambda: shown.runner.tick() or (shown.state.endless and shown.state.endless.histogram.n))
    shown.runner.tick()
    assert "±" in shown_text(view_of(shown).tab("Compare").endless)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_posterior_and_another_does_not(lab):
    first = finished(lab).posterior.pooled("ranking_value")
    again = finished(lab).posterior.pooled("ranking_value")
    lab.settings.param.update(seed=7)
    other = finished(lab).posterior.pooled("ranking_value")
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_posterior_says_how_it_was_made(lab):
    posterior = finished(lab).posterior
    assert posterior.coords["constraint"] == lab.tableau.constraints
    assert (posterior.learner, posterior.seed) == ("gibbs", 2005)
    assert posterior.settings["sweeps"] == 600
    assert list(posterior.summary("ranking_value").index) == list(lab.tableau.constraints)


def test_before_a_run_there_is_no_posterior(lab):
    assert lab.posterior is None
    assert lab.tableau == read("ilokano")


@pytest.mark.slow
def test_an_edit_marks_the_pictures_and_changes_the_next_run(shown):
    before = finished(shown).state.learnt_values
    shown.state.document.type(2, "c_0", "1")
    assert view_of(shown).tab("Learn").posterior.card.stale == "from the old table"
    assert shown.state.shown_tableau != shown.tableau
    after = finished(shown).state.learnt_values
    assert view_of(shown).tab("Learn").posterior.card.stale == ""
    assert abs(after - before).max() > 0.3


@pytest.mark.slow
def test_undoing_the_edit_makes_the_pictures_valid_again(shown):
    finished(shown)
    shown.state.document.type(0, "c_1", "3")
    shown.state.document.history.undo()
    assert view_of(shown).tab("Learn").posterior.card.stale == ""


@pytest.mark.slow
def test_compare_says_that_its_results_are_of_the_table_before_an_edit_until_it_is_undone(shown):
    finished(shown)
    view = view_of(shown)
    view.go("Compare")

    def marked():
        return shown_text(view.shown).count("from the old table")

    assert marked() == 0
    shown.state.document.type(0, "count", "900")
    assert marked() >= 3
    shown.undo()
    assert marked() == 0
    shown.redo()
    assert marked() >= 3


@pytest.mark.slow
def test_what_changed_while_the_grid_was_out_of_sight_stands_in_it_afterwards(shown):
    view, page = view_of(shown), Document()
    page.add_root(view.get_root(page))
    view.go("Data")
    shown.state.load(Tableau.from_rows([("in", f"out{k}", k, [k, 0, 1]) for k in range(3)], "XYZ"))
    shown.state.document.type(0, "c_1", "7")
    view.go("Learn")
    (cells,) = page.select({"type": DataTabulator})
    assert list(cells.source.data["candidate"]) == ["out0", "out1", "out2"]
    assert list(cells.source.data["c_1"]) == ["7", "0", "0"]


def test_signs_in_a_name_take_little_room_in_the_grid(shown):
    widths = view_of(shown).tab("Learn").violations.grid.table.widths
    assert widths["c_0"] < 74  # *C-ONS: the input beside it is whole in a window of 1280 px


def test_what_was_said_of_a_refused_edit_goes_with_the_next_undo(shown):
    grid = view_of(shown).tab("Learn").violations.grid
    shown.state.document.type(0, "c_1", "3")
    send(grid, {"kind": "rename", "field": "c_0", "name": "AL"}, "GridKeys")
    assert "already a constraint AL" in grid.foot.object
    shown.undo()
    assert shown.tableau.violations[0, 1] == 0
    assert "already" not in grid.foot.object


EDITS = [lambda d: d.type(0, "c_1", "3"), lambda d: d.add_constraint(), lambda d: d.remove_constraint(0)]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_during_a_run_stops_it_and_keeps_what_was_learnt(shown, edit):
    shown.settings.param.update(sweeps=100_000_000)
    shown.runner.run()
    until(lambda: shown.runner.tick() or shown.state.gibbs.chains)
    edit(shown.state.document)
    assert shown.runner.wait(10)
    assert (shown.runner.phase, shown.runner.runner.failures) == ("stopped", {})
    np.testing.assert_array_equal(view_of(shown).tab("Learn").line.values, shown.state.values)


def test_sample_size_and_counts_are_one_thing(lab):
    lab.settings.param.update(total=300)
    assert lab.tableau.counts().tolist() == [100, 100, 100]
    lab.state.document.type(0, "count", "40")
    assert lab.settings.total is None
    lab.state.document.history.undo()
    assert lab.settings.total == 300


@pytest.mark.slow
def test_a_table_of_shares_is_refused_in_one_sentence(shown):
    shown.settings.total = None
    rows = [(f"in{k}", f"{form}{k}", 0.5, [form == "a", form == "b"]) for k in range(20) for form in "ab"]
    shown.state.load(Tableau.from_rows(rows, "AB"))
    shown.runner.run()
    assert shown.runner.wait(10)
    (fault,) = head(shown)["fault"]["rows"]
    assert fault["what"].startswith("40 frequencies are no counts, first in input 'in0'")
    assert "Sample size M" in fault["hint"]
    assert [shown.runner.runner.row_text(name) for name in ("gibbs", "gla", "maxent")] == ["cannot learn"] * 3


@pytest.mark.slow
def test_an_example_brings_its_own_noise_and_forgets_results(shown):
    finished(shown)
    shown.choose("spanish_diminutive")
    assert (shown.settings.noise, shown.settings.bound) == (1.0, 6.0)
    assert not shown.state.has_results
    shown.choose("tagalog_nasal_substitution")
    assert (shown.settings.noise, shown.settings.bound) == (2.0, 12.0)


def test_two_labs_share_nothing():
    one, other = OTLab("ilokano"), OTLab("ilokano")
    one.state.document.type(0, "c_0", "9")
    one.settings.param.update(seed=1)
    assert other.tableau == read("ilokano")
    assert other.settings.seed == 2005


@pytest.mark.slow
def test_reset_keeps_table_settings_and_seed(shown):
    finished(shown)
    shown.state.document.type(0, "c_1", "3")
    shown.settings.param.update(seed=12)
    shown.runner.reset()
    assert shown.tableau.violations[0, 1] == 3
    assert shown.settings.seed == 12
    assert not shown.state.has_results


BOUNDED = Tableau.from_rows(
    [
        ("x", "good", 3, (1, 0, 0)),
        ("x", "bounded", 2, (1, 0, 1)),
        ("y", "one", 5, (1, 0, 0)),
        ("y", "other", 4, (0, 1, 0)),
    ],
    ["A", "B", "C"],
    noise=1.0,
)


@pytest.fixture
def bounded():
    lab = OTLab(BOUNDED)
    lab.settings.param.update(sweeps=200, runs=2, trials=200)
    lab.layout = lab.main()
    yield lab
    lab.close()


def test_where_no_ranking_fits_maxent_and_gla_run_and_gibbs_says_why(bounded):
    finished(bounded)
    runner = bounded.runner.runner
    assert set(runner.refused) == {"gibbs"}
    assert runner.row_text("gibbs") == "cannot learn"
    words = head(bounded)
    assert words["fault"]["title"] == "No ranking can fit these data"
    assert "1 observed candidate can never win" in words["fault"]["rows"][0]["what"]
    assert bounded.state.answers.learners == ("gla", "maxent")
    learn = view_of(bounded).tab("Learn")
    assert "maxent" in shown_text(learn.posterior)
    assert "observed twice, has every violation" in shown_text(learn.posterior)
    buttons = [b.label for b in parts(learn.posterior, pmui.Button)]
    assert buttons == ["Leave this form out and run", "Show the tableau"]


@pytest.mark.slow
def test_forms_that_can_never_win_are_left_out_in_one_click_and_one_undo(bounded):
    finished(bounded)
    buttons = view_of(bounded).select(pmui.Button)
    (leave_out,) = [b for b in buttons if b.label == "Leave this form out and run"]
    leave_out.param.trigger("clicks")
    assert bounded.runner.wait(60)
    assert bounded.tableau.frequencies.tolist() == [3, 0, 5, 4]
    assert bounded.state.answers.learners == ("gibbs", "gla", "maxent")
    assert bounded.runner.runner.refused == {}
    bounded.state.document.history.undo()
    assert bounded.tableau == BOUNDED


def test_rankers_alone_are_refused(bounded):
    bounded.runner.enable(["gibbs", "exact"])
    bounded.runner.run()
    assert bounded.runner.wait(60)
    assert bounded.runner.phase == "failed"
    assert head(bounded)["fault"]["title"] == "No ranking can fit these data"


def test_maxent_alone_shows_its_weights_and_its_own_badge(shown):
    shown.runner.enable(["maxent"])
    shown.settings.param.update(weight_sd=1.0, weights="free")
    finished(shown)
    card = view_of(shown).tab("Learn").posterior
    assert card.card.title == "MaxEnt weights"
    assert "±" in shown_text(card)
    assert "log likelihood" in card.card.remark
    words = head(shown)
    assert words["trust"]["text"] == "Optimum found"
    assert words["progress"]["share"] == 1
    n = shown.state.maxent.tick.sweep
    assert words["progress"]["rest"] == f"after {n} iteration{'' if n == 1 else 's'}"


def test_without_a_finite_optimum_a_prior_is_offered():
    lab = OTLab("spanish")
    lab.runner.enable(["maxent"])
    lab.settings.param.update(weights="free")
    trust = head(finished(lab))["trust"]
    assert trust["text"] == "No finite optimum"
    assert "Set a prior on the weights" in trust["meaning"]
    assert trust["remedies"] == ["Run with a prior on the weights"]
    lab.runner.remedy(0)
    assert lab.runner.wait(60)
    assert lab.settings.weight_sd == USUAL_WEIGHT_SD
    assert head(lab)["trust"]["text"] == "Optimum found"


@pytest.mark.slow
def test_chains_that_never_met_are_not_two_modes_and_a_normal_prior_is_offered():
    lab = OTLab("spanish")
    lab.runner.enable(["gibbs"])
    lab.settings.param.update(sweeps=200)
    _layout = lab.main()  # keeps its tabs
    view_of(lab).open("Compare")
    trust = head(finished(lab))["trust"]
    assert trust["text"] == "Not converged"
    assert "Gibbs: its best draw" in view_of(lab).tab("Compare").parameters.object
    assert "Under the flat prior" in trust["advice"]
    assert trust["remedies"] == ["Run with a normal prior"]
    lab.runner.remedy(0)
    assert lab.runner.wait(60)
    assert lab.settings.prior == "normal"
    assert head(lab)["trust"]["remedies"] == []


def test_constraints_that_no_datum_ranks():
    assert unranked(read("spanish")) == []
    assert unranked(read("harmonic_bounding_demo")) == ["A", "B", "C"]
    idle = Tableau.from_rows([("x", "a", 3, (1, 0, 2)), ("x", "b", 2, (0, 1, 2))], ["A", "B", "Idle"])
    assert unranked(idle) == ["Idle"]


@pytest.mark.slow
def test_the_gla_alone_says_that_its_values_drift():
    lab = OTLab("spanish")
    lab.runner.enable(["gla"])
    lab.settings.param.update(runs=3, trials=100_000, noise=2.0)
    layout = lab.main()
    view_of(lab).open("Compare")
    finished(lab)
    assert head(lab)["trust"]["text"] == "Does not settle"
    assert "not settle" in view_of(lab).tab("Compare").parameters.object
    view_of(lab).open("Learn")
    assert "not settle" in shown_text(view_of(lab).tab("Learn").posterior)
    assert layout is not None


def test_of_many_values_that_do_not_settle_the_first_are_named():
    state = SimpleNamespace(gla=SimpleNamespace(drifting=[f"C{k}" for k in range(1, 31)]))
    assert gla_note(state).startswith("C1, C2, C3, C4, C5 and 25 more do not settle")
    state.gla.drifting = state.gla.drifting[:1]
    assert gla_note(state).startswith("C1 does not settle")


def test_a_row_names_the_chains_of_the_settings_and_of_the_run_while_it_goes(shown):
    def details():
        return {row["name"]: row["detail"] for row in head(shown)["rows"]}

    shown.settings.param.update(chains=2, runs=3)
    assert details()["gibbs"] == "2 chains"
    shown.settings.param.update(sweeps=100_000_000)
    shown.runner.run()
    shown.settings.param.update(chains=5)
    assert details()["gibbs"] == "2 chains"
    shown.runner.stop()
    assert details()["gibbs"] == "5 chains"


COLLECTIVE = Tableau.from_rows(
    [("x", "both", 3, (1, 1)), ("x", "one", 0, (2, 0)), ("x", "other", 0, (0, 2))], "AB"
)


def test_rivals_that_bound_a_form_together_are_named():
    ((row, relation),) = impossible_rows(COLLECTIVE)
    words = reason_html(COLLECTIVE, row, relation)
    assert (
        re.sub("<.*?>", "", words)
        == "both, observed 3 times, loses under every ranking to one of one, other."
    )


def test_before_a_run_there_are_no_parses_to_turn_to(shown):
    card = view_of(shown).tab("Learn").predicted
    card.which.value = "parses"  # a click that was on its way
    assert card.card.title == "Predicted against observed"
    assert not card.which.visible


def test_one_input_is_shown_alone_until_a_table_without_it_is_opened(shown):
    card = view_of(shown).tab("Learn").tableau
    shown.state.load(read("spanish"))
    card.only(1)
    first, second = shown.tableau.inputs[:2]
    assert second in shown_text(card)
    assert first not in shown_text(card)
    shown.state.load(read("ilokano"))
    assert "bu.bwa.ja" in shown_text(card)


@pytest.mark.slow
def test_own_ranking_values_stay_until_given_up(shown):
    shown.state.choose(np.array([1.0, 0.0, -1.0]))
    finished(shown)
    np.testing.assert_array_equal(shown.state.values, [1.0, 0.0, -1.0])
    shown.state.choose(None)
    np.testing.assert_allclose(shown.state.values, shown.state.learnt_values)


@pytest.mark.slow
def test_the_lab_s_settings_reach_every_learner(shown):
    shown.settings.param.update(
        rule="magri", plasticities="AL=0.5", runs=2, trials=500, sweeps=200, prior="normal", prior_sd=3.0
    )
    shown.settings.param.update(place="late", weights="free", weight_sd=2.0, faithfulness_low=1.0)
    shown.runner.enable(["gibbs", "gla", "hg", "maxent-bayes", "maxent-online", "edcd"])
    finished(shown)
    fits = shown.state.fits
    assert fits["gla"].settings["rule"] == "magri"
    assert fits["hg"].settings["place"] == "late"
    assert fits["hg"].settings["weights"] == "free"
    assert fits["gibbs"].settings["prior"]["sd"][0] == 3.0
    assert {abs(mean) for mean in fits["gibbs"].settings["prior"]["mean"]} == {1.0}
    for weighted in ("maxent-bayes", "maxent-online"):
        assert set(fits[weighted].settings["prior"]["sd"]) == {2.0}
        assert set(fits[weighted].settings["prior"]["mean"]) == {0.0}
    assert fits["edcd"].settings["sweeps"] > 0


@pytest.mark.slow
def test_unknown_noises_and_mixtures_are_shown_beside_the_ranking_values(shown):
    shown.settings.param.update(sweeps=300, chains=2, noise_spread=0.3, mixed="AL")
    shown.runner.enable(["unknown-noise", "mixtures"])
    finished(shown)
    fits = shown.state.fits
    assert fits["unknown-noise"].settings["noise_spread"] == 0.3
    assert fits["mixtures"].settings["mixed"] == ["AL"]
    page = parameters_html(shown.state)
    for title in ("Unknown noise, mean", "Noise", "Mixtures, mean", "Lower", "Higher", "Share higher"):
        assert f">{title}</th>" in page
    assert page.count("<td>–</td>") == 3 * (shown.tableau.n_constraints - 1)
    report = trust_report(shown.state, {"unknown-noise", "mixtures"}, True, list, list)
    assert report is not None
    assert report.stats[1].value == f"{fits['unknown-noise'].trust.smallest_ess:,.0f}"
