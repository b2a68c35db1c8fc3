"""What the OT lab brings to a class: what is guessed, what came out, and what the board compares."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot import Tableau, read
from otlab.ui.classroom.classwork import RANKING
from otlab.ui.ot.classwork import OTClasswork
from otlab.ui.ot.state import OTState
from tests.ui.ot.helpers import begun
from tests.ui.waiting import until

WORK = OTClasswork()


@pytest.fixture
def state():
    made = OTState(read("ilokano"))
    made.settings.param.update(sweeps=100, chains=2, runs=3, trials=100, weight_sd=1.0)
    return made


def columns(values, names):
    return {name: values[:, k].tolist() for k, name in enumerate(names)}


def test_before_a_draw_counts_there_is_nothing_to_compare_or_to_guess_against(state):
    assert WORK.report(state) is None
    assert WORK.outcome(state) is None
    run = begun(state, "gibbs", 1)  # a sweep of the warm-up
    assert state.has_results
    assert WORK.report(state) is None
    assert WORK.outcome(state, RANKING) is not None
    state.take({"gibbs": run.advance(60)})
    report = WORK.report(state)
    assert report.label == "median of each page's posterior"
    assert len(report.beside["AL"]) == 2 * 51
    assert report.values["AL"] == [round(float(np.median(state.posterior.pooled("ranking_value")[:, 1])), 4)]


def test_runs_of_the_gla_stand_beside_the_posterior_and_are_the_outcome(state):
    begun(state, "gla", 100)
    report = WORK.report(state)
    assert (report.label, report.beside) == ("GLA, each run", {})
    assert report.values == columns(np.round(state.gla.values, 4), state.tableau.constraints)
    (shares,) = WORK.outcome(state)
    np.testing.assert_allclose(shares, state.gla.predicted.mean(axis=0), atol=1e-6)
    state.document.type(0, "c_0", "3")
    assert WORK.outcome(state) is None
    assert WORK.outcome(state, RANKING) is None


def test_weights_predict_what_was_guessed_and_leave_no_ranking_values(state):
    begun(state, "maxent", 100)
    (shares,) = WORK.outcome(state)
    np.testing.assert_allclose(shares, state.maxent.predicted, atol=1e-6)
    assert WORK.outcome(state, RANKING) is None
    assert WORK.report(state) is None


def test_only_what_can_be_guessed_is_asked():
    one_each = OTState(Tableau.from_rows([("x", "a", 1, (0, 1)), ("z", "b", 1, (1, 0))], ["A", "B"]))
    assert [guessing.kind for guessing in WORK.guessings(one_each)] == [RANKING]
    names = [f"C{k}" for k in range(13)]
    many = Tableau.from_rows([("x", "a", 1, range(13)), ("x", "b", 0, range(13)[::-1])], names)
    (guessing,) = WORK.guessings(OTState(many))
    assert guessing.question == "How often will each candidate win?"
    assert WORK.guessings(OTState(Tableau.from_rows([("x", "a", 1, (0,))], ["A"]))) == ()


def test_the_outcome_of_another_learner_comes_once_it_is_computed(state):
    begun(state, "exact", 100)
    assert WORK.outcome(state) is None
    ((*shares,),) = until(lambda: WORK.outcome(state))
    np.testing.assert_allclose(shares, state.answers.further["exact"], atol=1e-6)
