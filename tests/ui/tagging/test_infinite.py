"""The infinite HMM in the tagging lab: the number of states is drawn, shown and traced."""

from __future__ import annotations

import numpy as np

from otlab.inference import fit
from otlab.tagging import make_learner, simulate_hmm
from otlab.tagging.learners.ihmm import concentrations
from otlab.ui.documents.stored_types import stored_type
from otlab.ui.tagging.trust import stats
from tests.ui.page import control, shown_text
from tests.ui.tagging.helpers import finished


def test_the_number_of_states_is_drawn_shown_and_traced(lab, view):
    settings = {"gibbs_kind": "ihmm", "new_states": "2:1", "sticky": True, "iterations": 8}
    lab.settings.param.update(**settings, precision="f64")
    lab.runner.enable({"gibbs"})
    result = finished(lab).results["gibbs"]
    options = {"states": 5, "sticky": True, **concentrations("2:1", "1:0.1")}
    own = fit(make_learner("ihmm", lab.corpus, **options), steps=8, chains=2, seed=lab.settings.seed)
    assert np.array_equal(result.views[1].state_counts, own.views[1].state_counts)
    assert result.states == result.view.tokens_per_state.size
    draws = np.sort(np.concatenate([one.state_draws for one in result.views]))
    shown = stats(result)[-1]
    assert shown.label == "States"
    assert shown.value == str(draws[(draws.size - 1) // 2])
    traces = view.tab("Watch").traces
    control(traces, "What is traced").value = "Objective"
    assert "iHMM: states in use" in shown_text(traces)


def test_saved_samples_of_the_beam_sampler_of_before_open_and_go_on():
    learner = make_learner("ihmm", simulate_hmm(300, 1, tags=3, types=20), states=3)
    state = learner.init(rng := np.random.default_rng(1))
    kind = stored_type("tagging.InfiniteSample")
    values = dict(zip(kind.fields, kind.taken(state), strict=True))
    before = kind.made(1, {name: value for name, value in values.items() if name != "tables"})
    after = learner.step(rng, before, 3)
    assert after.state_counts[0] == 3
    assert len(learner.view(after).state_counts) == 4


def test_truncated_vb_shows_how_many_of_the_states_set_have_words(lab, view):
    lab.settings.param.update(vb_kind="vb-hdp", new_states="2:1", iterations=8, precision="f64")
    lab.runner.enable({"vb"})
    result = finished(lab).results["vb"]
    options = {"states": 5, **concentrations("2:1", "1:0.1")}
    own = fit(make_learner("vb-hdp", lab.corpus, **options), steps=8, chains=2, seed=lab.settings.seed)
    assert np.array_equal(result.views[1].objective, own.views[1].objective)
    shown = stats(result)[-1]
    assert (shown.label, shown.value, shown.note) == ("States", str(result.view.state_counts[-1]), "of 5")
    traces = view.tab("Watch").traces
    control(traces, "What is traced").value = "Objective"
    assert "states in use" in shown_text(traces)
