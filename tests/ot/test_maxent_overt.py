"""MaxEnt from overt forms: enumeration, the gradient, and MaxEnt where parses are unique."""

import numpy as np
import pytest

from otlab import load_sample
from otlab.errors import InputError
from otlab.ot import fit_gibbs, fit_gla, fit_hg, fit_maxent, rank, read_text
from otlab.ot.learners import LEARNERS, maxent_overt
from otlab.ot.learners.maxent_overt import MaxEntOvert, fit_maxent_overt
from otlab.ot.learners.priors import equal_prior
from tests.ot.test_interpretive import SMALL, learnt, stress


@pytest.fixture
def learner():
    tableau = read_text(SMALL)
    return MaxEntOvert(tableau, prior=equal_prior(tableau, 3.0))


def test_the_likelihood_by_enumeration(learner):
    weights = np.array([0.3, 1.2, 0.4])
    marks = np.array([[[0, 1, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 1], [0, 1, 0]]], dtype=object)
    total = 0.0
    for rows, overt in ((marks[0], {0: 5, 1: 5, 2: 2}), (marks[1], {0: 3, 1: 1})):
        score = [np.exp(-weights @ np.array(row, float)) for row in rows]
        if len(rows) == 3:
            total += 5 * np.log((score[0] + score[1]) / sum(score)) + 2 * np.log(score[2] / sum(score))
        else:
            total += sum(n * np.log(score[k] / sum(score)) for k, n in overt.items())
    assert learner.log_likelihood(weights) == pytest.approx(total, abs=1e-12)


def test_gradient_and_curvature_by_finite_differences(learner):
    rng = np.random.default_rng(1)
    for _ in range(5):
        w, step = rng.exponential(1, 3), 1e-6
        moves = np.eye(3) * step
        slope = [(learner.objective(w + m) - learner.objective(w - m)) / (2 * step) for m in moves]
        assert learner.gradient(w) == pytest.approx(np.array(slope), abs=1e-6)
        bend = [(learner.gradient(w - m) - learner.gradient(w + m)) / (2 * step) for m in moves]
        assert learner.curvature(w) == pytest.approx(np.array(bend), abs=1e-5)


@pytest.mark.parametrize("name", ["spanish_diminutive", "tagalog_nasal_substitution"])
def test_with_unique_parses_it_is_maxent(name):
    tableau = load_sample(name)
    ours, plain = (learnt(one, tableau, prior_sd=5.0) for one in ("maxent-overt", "maxent"))
    assert ours.mean == pytest.approx(plain.mean, abs=1e-4)
    assert ours.predicted.log_likelihood == pytest.approx(plain.predicted.log_likelihood, abs=1e-8)


def test_a_language_is_learnt_from_stress_alone():
    fit = learnt("maxent-overt", stress(), prior_sd=10.0)
    assert fit.reproduced == (1.0,)
    assert fit.parses.groupby(["input", "overt"]).probability.sum().round(9).eq(1).all()


def test_weights_without_end_are_told():
    fit = learnt("maxent-overt", stress())
    assert any("grow without end" in word for word in fit.warnings)


@pytest.mark.parametrize("name", ["gibbs", "gla", "maxent", "hg", "edcd", "mixtures", "unknown-noise"])
def test_other_learners_refuse_overt_forms_of_several_parses(name):
    entry = LEARNERS[name]
    with pytest.raises(InputError, match="several parses for 'LL'"):
        entry.make(read_text(SMALL), entry.settings())


@pytest.mark.parametrize("function", [fit_gibbs, fit_gla, fit_maxent, fit_hg])
def test_functions_refuse_overt_forms_of_several_parses(function):
    with pytest.raises(InputError, match="several parses for 'LL'"):
        function(read_text(SMALL))


def test_a_ranking_leaves_out_inputs_whose_winner_is_not_known():
    assert rank(read_text(SMALL)).strata == (("C1", "C2"), ("C3",))  # LH alone decides


def test_starts_of_less_than_one_are_refused():
    with pytest.raises(InputError, match="give 1 or more"):
        MaxEntOvert(read_text(SMALL), starts=0)


SECOND_START = """Input,Output,Overt,Count,A,B,C,D
x,1,other,0,2,2,2,0
x,2,heard,1,1,2,2,1
x,3,heard,0,0,0,1,2
x,4,other,0,0,2,2,0
y,1,heard,1,2,1,0,0
y,2,other,0,2,0,0,1
y,3,heard,0,2,0,2,2
y,4,another,0,0,2,0,1
"""
"""From weights of 0 the optimum says `other` for one of the two; from most others it gives both."""


def several_starts(starts, **settings):
    return learnt("maxent-overt", read_text(SECOND_START), prior_sd=100.0, starts=starts, **settings)


def test_several_starts_find_what_one_does_not():
    one, several = several_starts(1), several_starts(6)
    assert one.reproduced == (0.5,)
    assert several.reproduced == (1.0,)
    assert several.predicted.log_likelihood > one.predicted.log_likelihood


def test_the_search_ends_at_the_first_optimum_that_reproduces_what_was_heard(monkeypatch):
    searched = []
    whole = maxent_overt.maximise
    monkeypatch.setattr(maxent_overt, "maximise", lambda *args: searched.append(args[2]) or whole(*args))
    fit = several_starts(50, until_reproduced=True)
    assert fit.reproduced == (1.0,)
    assert len(searched) == 2
    assert np.array_equal(fit.mean, several_starts(2).mean)
    assert fit.settings["until_reproduced"]
    again = fit_maxent_overt(
        read_text(SECOND_START), seed=1, prior=equal_prior(read_text(SECOND_START), 100.0), starts=50,
        until_reproduced=True,
    )  # fmt: skip
    assert np.array_equal(again.mean, fit.mean)


def test_where_no_optimum_reproduces_what_was_heard_the_best_is_kept():
    early, best = several_starts(1, until_reproduced=True), several_starts(1)
    assert np.array_equal(early.mean, best.mean)
    assert early.reproduced == (0.5,)
