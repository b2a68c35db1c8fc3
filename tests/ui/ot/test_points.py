"""Which ranking values a picture shows is written on it, and it does not jump to others by itself."""

from __future__ import annotations

import re

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import fit_latent_gibbs, read
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.maxent_overt import fit_maxent_overt
from otlab.ot.learners.priors import equal_prior
from otlab.ot.point import BEST, MEDIAN
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.data import _observed_html
from otlab.ui.ot.tabs.downloads import file_bytes
from otlab.ui.ot.tabs.learn_cards import TableauCard
from otlab.ui.ot.tabs.parameters import parameters_html, sampled_pairs
from tests.ui.ot.helpers import begun, finished, head, view_of
from tests.ui.page import download, press, shown_text


@pytest.fixture
def unsure():
    """A lab whose chains are too few and too short to converge."""
    lab = OTLab("spanish")
    lab.runner.enable(["gibbs"])
    lab.settings.param.update(sweeps=200, seed=1)
    lab.layout = lab.main()
    yield lab
    lab.close()


@pytest.mark.slow
def test_the_line_stays_at_the_medians_when_the_run_ends(unsure):
    tab = view_of(unsure).tab("Learn")
    assert tab.line_card.remark == "all at 0"
    finished(unsure)
    gibbs = unsure.state.gibbs
    assert not gibbs.readable
    np.testing.assert_allclose(tab.line.values, gibbs.median)
    assert tab.line_card.remark == "the posterior median of Gibbs"
    assert tab.line_card.stale == "not converged"
    assert tab.tableau.card.remark == "one draw, from the posterior median of Gibbs, not converged"
    for card in (tab.posterior.card, tab.predicted.card):
        assert card.stale == "Gibbs not converged"


def test_the_best_draw_of_another_sampler_is_shown_when_it_is_asked_for():
    lab = OTLab("ilokano")
    lab.runner.enable(["exact"])
    lab.settings.param.update(sweeps=100, chains=2)
    lab.layout = lab.main()
    tab, fit = view_of(finished(lab)).tab("Learn"), lab.state.fits["exact"]
    press(tab, "Show the best draw")
    np.testing.assert_allclose(tab.line.values, fit.predicted.best)
    assert tab.line_card.remark.startswith(f"the {BEST} of {LEARNERS['exact'].label}")
    press(tab, f"Show the {MEDIAN}")
    np.testing.assert_allclose(tab.line.values, fit.point.values)
    lab.close()


@pytest.mark.slow
def test_the_best_draw_is_shown_when_it_is_asked_for(unsure):
    finished(unsure)
    tab, gibbs = view_of(unsure).tab("Learn"), unsure.state.gibbs
    press(tab, "Show the best draw")
    np.testing.assert_allclose(tab.line.values, gibbs.best)
    assert tab.line_card.remark.startswith(f"the {BEST} of Gibbs")
    press(tab, f"Show the {MEDIAN}")
    np.testing.assert_allclose(tab.line.values, gibbs.median)


def test_the_table_of_values_has_both_and_names_them(unsure):
    finished(unsure)
    page = parameters_html(unsure.state)
    assert page.index(">Gibbs, median</th>") < page.index(">Gibbs, best draw</th>")
    assert "its best draw is one grammar that fits; its medians are not converged" in page


def test_after_an_edit_the_line_stays_and_is_marked(unsure):
    finished(unsure)
    tab, before = view_of(unsure).tab("Learn"), unsure.state.learnt_values
    assert not unsure.state.document.type(0, "c_0", "3").reason
    np.testing.assert_allclose(tab.line.values, before)
    assert tab.line_card.stale == "from the old table"
    assert head(unsure)["trust"]["heading"] == "of the old table"
    unsure.state.document.history.undo()
    assert tab.line_card.stale == "not converged"


@pytest.mark.slow
def test_tableaux_for_papers_are_ranked_as_a_learner_found():
    lab = OTLab("spanish")
    lab.settings.param.update(sweeps=200, runs=3, trials=400)
    lab.layout = lab.main()
    with pytest.raises(InputError, match="Nothing has been learnt yet"):
        file_bytes(lab.state, "learnt ot-tableau")
    finished(lab)
    fits, names = lab.state.fits, lab.state.tableau.constraints
    for learner, words in (("", "ranking values: the"), ("maxent", "weights: the estimate of MaxEnt")):
        lab.state.printed_by = learner
        fit = fits[learner or "gibbs"]
        text = file_bytes(lab.state, "learnt tabular").decode()
        assert f"constraints in the order of {words}" in text
        order = [names[k] for k in np.argsort(-fit.point.values, kind="stable")]
        heads = next(line for line in text.splitlines() if "multicolumn" in line)
        assert re.findall(r"\\textsc{(.*?)}", heads) == order
        assert f"{100 * fit.predicted.mean[0]:.1f}" in text
    lab.close()


def test_the_tableau_of_a_draw_is_saved_in_its_order(unsure):
    card = view_of(unsure).tab("Learn").tableau
    name, latex = download(card, "ot-tableau")
    order = [unsure.state.tableau.constraints[k] for k in card._order]
    assert name == "spanish_diminutive.tex"
    assert re.findall(r"\\const{(.*?)}", latex.decode())[:4] == order
    assert "in the order of one draw, from all at 0" in latex.decode()


def test_tableaux_for_papers_have_to_wait_for_the_first_draw_that_counts():
    state = OTState(read("ilokano"))
    state.settings.param.update(sweeps=100, chains=2)
    run = begun(state, "gibbs", 1)
    with pytest.raises(InputError, match="let the run go on"):
        file_bytes(state, "learnt tabular")
    state.take({"gibbs": run.advance(60)})
    assert b"ranking values: the posterior median of Gibbs" in file_bytes(state, "learnt tabular")


def test_only_samplers_say_how_often_a_constraint_is_above_another_and_at_their_end():
    state = OTState(read("ilokano"))
    state.settings.param.update(sweeps=100, chains=2, weight_sd=1.0)
    begun(state, "maxent", 100)
    state.settle()
    assert sampled_pairs(state) is None
    begun(state, "gibbs", 100)
    assert sampled_pairs(state) is None
    state.settle()
    assert sampled_pairs(state)[0].startswith("Gibbs")


@pytest.fixture
def heard():
    """A lab that has learnt stress from overt forms."""
    lab = OTLab("overt_stress")
    lab.runner.enable(["rip"])
    lab.settings.param.update(trials=2000, runs=2, seed=1)
    lab.layout = lab.main()
    yield finished(lab)
    lab.close()


@pytest.mark.slow
def test_the_line_is_at_the_values_of_a_learner_of_overt_forms(heard):
    tab = view_of(heard).tab("Learn")
    assert tab.line_card.remark.startswith("the mean of 2 runs of RIP")
    np.testing.assert_allclose(tab.line.values, heard.state.fits["rip"].mean)


@pytest.mark.slow
def test_the_legend_names_what_is_drawn(heard):
    words = re.sub("<.*?>", " ", " ".join(view_of(heard).tab("Learn").predicted.card.legend)).split()
    assert words == ["learners", "observed"]


@pytest.mark.slow
def test_predictions_are_of_overt_forms_or_the_parses_of_those_heard(heard):
    card = view_of(heard).tab("Learn").predicted
    assert card.which.visible
    assert card.card.title == "Predicted against observed"
    assert "(L1 L)" not in card._names.object
    assert "L1 L" in card._names.object
    card.which.value = "parses"
    assert card.card.title == "Parses of what was heard"
    assert "(L1 L)" in card._parses.object
    card.which.value = "heard"
    assert card.card.title == "Predicted against observed"


@pytest.mark.slow
def test_parses_can_be_saved(heard):
    text = file_bytes(heard.state, "parses").decode()
    assert "Input,Overt,Parse,Probability,Low 2.5 %,High 97.5 %,Learner" in text
    assert "L L,L1 L,(L1 L)," in text
    predictions = file_bytes(heard.state, "predictions").decode()
    assert "\nL L,(L1 L),L1 L,," in predictions


@pytest.mark.slow
def test_where_parses_are_not_known_learners_that_find_them_are_offered():
    lab = OTLab("overt_stress")
    lab.settings.param.update(sweeps=200, trials=500, runs=1, seed=1)
    lab.layout = lab.main()
    tab = view_of(lab).tab("Learn")
    assert "10 of 12 inputs" in shown_text(tab.posterior)
    lab.runner.run()
    assert lab.runner.wait(60)
    press(tab, "Learn from what is heard")
    assert lab.runner.wait(60)
    assert set(lab.state.fits) == {"rip", "maxent-overt", "latent-gibbs"}
    assert tab.predicted.card.title == "Predicted against observed"
    lab.close()


@pytest.mark.slow
def test_what_was_observed_is_told_of_overt_forms(heard):
    page = str(_observed_html(heard.state))
    assert ">Heard</th>" in page
    assert "(L1 L)" not in page


@pytest.mark.slow
def test_expectation_driven_learning_has_fields_of_its_own_and_says_how_often_constraints_are_above():
    lab = OTLab("overt_stress")
    lab.runner.enable(["edl"])
    lab.settings.param.update(edl_iterations=2, edl_runs=1, edl_samples=10, seed=1)
    lab.layout = lab.main()
    finished(lab)
    fit = lab.state.fits["edl"]
    assert (fit.settings["sweeps"], fit.settings["runs"], fit.settings["samples"]) == (2, 1, 10)
    label, above = sampled_pairs(lab.state)
    assert label == "EDL"
    assert above.mean[0, -1] > 0.5
    lab.close()


@pytest.mark.slow
def test_temperatures_of_latent_parses_have_a_field():
    lab = OTLab("overt_stress")
    lab.runner.enable(["latent-gibbs"])
    lab.settings.param.update(temperatures=3, sweeps=80, chains=2, seed=1)
    lab.layout = lab.main()
    finished(lab)
    fit = lab.state.fits["latent-gibbs"]
    assert fit.settings["temperatures"] == 3
    library = fit_latent_gibbs(lab.tableau, temperatures=3, sweeps=80, chains=2, seed=1)
    assert np.array_equal(fit.mean, library.mean)
    lab.close()


@pytest.mark.slow
def test_optimisations_of_overt_forms_and_their_early_end_have_fields_of_their_own():
    lab = OTLab("overt_stress")
    lab.runner.enable(["maxent-overt"])
    assert (lab.settings.starts, lab.settings.optimisations) == (8, 6)  # the first is that of MLE
    lab.settings.param.update(optimisations=20, until_reproduced=True, weight_sd=100.0, seed=1)
    lab.layout = lab.main()
    finished(lab)
    fit = lab.state.fits["maxent-overt"]
    assert (fit.settings["starts"], fit.settings["until_reproduced"]) == (20, True)
    tableau = lab.tableau
    library = fit_maxent_overt(
        tableau, prior=equal_prior(tableau, 100.0), starts=20, until_reproduced=True, seed=1
    )
    assert np.array_equal(fit.mean, library.mean)
    lab.close()


@pytest.mark.slow
def test_a_row_for_each_speaker_and_constraint_can_be_saved(tmp_path):
    path = tmp_path / "who.csv"
    path.write_text("Speaker,Input,Output,Count,*T,Max\nA,t,t,9,1,0\nA,t,0,1,0,1\nB,t,t,2,1,0\nB,t,0,8,0,1\n")
    lab = OTLab(str(path))
    lab.runner.enable(["maxent-mixed"])
    lab.settings.param.update(chains=2, seed=1)
    lab.layout = lab.main()
    text = file_bytes(finished(lab).state, "speakers").decode()
    assert "Learner,Level,Name,Constraint,Mean,SD,Low 2.5 %,High 97.5 %,Tokens" in text
    rows = [line.split(",")[:4] for line in text.splitlines() if line.startswith("MaxEnt by speaker")]
    assert rows == [["MaxEnt by speaker", "speaker", who, name] for who in "AB" for name in ("*T", "Max")]
    assert "tau" in file_bytes(lab.state, "parameters").decode().lower()
    lab.close()


@pytest.mark.slow
def test_the_draws_of_each_speaker_can_be_saved_alone_and_beside_gibbs(tmp_path):
    xarray = pytest.importorskip("xarray")
    path = tmp_path / "who.csv"
    path.write_text("Speaker,Input,Output,Count,*T,Max\nA,t,t,9,1,0\nA,t,0,1,0,1\nB,t,t,2,1,0\nB,t,0,8,0,1\n")
    for learners, group in ((["maxent-mixed"], ""), (["gibbs", "maxent-mixed"], "maxent-mixed/")):
        lab = OTLab(str(path))
        lab.runner.enable(learners)
        lab.settings.param.update(chains=2, seed=1, sweeps=300)
        lab.layout = lab.main()
        state = finished(lab).state
        (tmp_path / "draws.nc").write_bytes(file_bytes(state, "netcdf"))
        with xarray.open_datatree(tmp_path / "draws.nc", engine="h5netcdf") as tree:
            saved = tree[f"{group}effects/speaker_effect"]
            own = state.fits["maxent-mixed"].to_inferencedata()["effects/speaker_effect"]
            assert np.array_equal(saved, own)
            assert saved.coords["speaker"].values.tolist() == ["A", "B"]
            assert (tree["posterior"].attrs["learner"] == "gibbs") == bool(group)
        lab.close()


def test_the_order_on_the_page_is_drawn_anew_when_its_values_come_from_elsewhere(monkeypatch):
    state, drawn = OTState(read("ilokano")), []
    draw = state.draw_order
    monkeypatch.setattr(state, "draw_order", lambda: drawn.append(state.values_words) or draw())
    card = TableauCard(state)
    begun(state, "gla", 500)
    for _ in range(2):
        card.show()  # as at each tick of the run
    state.choose(state.values)
    card.show()
    assert drawn == ["all at 0", "the mean of 40 runs of GLA", "the values as dragged"]
