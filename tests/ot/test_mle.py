"""Most likely grammars: by hand, and as found by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from otlab import ot
from otlab.errors import InputError
from otlab.ot.learners.mle import MLE, MLESettings, fit_mle
from otlab.ot.learners.priors import NormalPrior


def two_constraints(wins, losses):
    rows = [("x", "a", wins, [0, 1]), ("x", "b", losses, [1, 0])]
    return ot.Tableau.from_rows(rows, ["A", "B"], noise=1.0)


def test_two_constraints_by_hand():
    """P = Phi((a - b) / sqrt 2), so that the difference is sqrt 2 probit(wins / n)."""
    fit = fit_mle(two_constraints(70, 30), seed=1)
    half = norm.ppf(0.7) / np.sqrt(2)
    np.testing.assert_allclose(fit.mean, [half, -half], atol=1e-6)
    # Observed information of the difference d: n phi(z)^2 / (2 p q), z = d / sqrt 2; each value is half of d.
    information = 100 * norm.pdf(norm.ppf(0.7)) ** 2 / (2 * 0.7 * 0.3)
    np.testing.assert_allclose(fit.sd, 0.5 / np.sqrt(information), rtol=1e-4)
    assert fit.warnings == ()
    assert fit.converged


def test_ilokano():
    fit = fit_mle(ot.read("ilokano"), seed=1)
    np.testing.assert_allclose(fit.mean, [-0.07755, 0.53159, -0.45404], atol=1e-5)
    np.testing.assert_allclose(fit.predicted.at_best, 1 / 3, atol=1e-7)
    assert fit.predicted.log_likelihood == pytest.approx(-99 * np.log(3))
    assert (fit.predicted.low < 1 / 3).all()
    assert (fit.predicted.high > 1 / 3).all()
    doubled = fit_mle(ot.read("ilokano"), noise=2.0, seed=1)
    np.testing.assert_allclose(doubled.mean, 2 * fit.mean, atol=1e-5)


def test_a_ridge_is_said():
    fit = fit_mle(ot.read("lin2005_table1"), seed=1)
    np.testing.assert_allclose(fit.mean, [0.13216, 0.13216, -0.26433], atol=1e-5)
    assert fit.predicted.log_likelihood == pytest.approx(-53.92763, abs=1e-5)
    assert "a ridge" in fit.warnings[0]
    assert np.isnan(fit.sd).all()


def test_a_maximum_at_infinity_is_said():
    fit = fit_mle(ot.read("spanish"), seed=1)
    assert "infinitely far apart (A, M >> D, B)" in fit.warnings[0]
    assert fit.predicted.log_likelihood == pytest.approx(-10.901777, abs=1e-6)
    np.testing.assert_allclose(fit.predicted.at_best, [0.95, 0.05, 0.5, 0.5, 0.95, 0.05], atol=1e-6)
    assert fit.mean[0] - fit.mean[1] == pytest.approx(np.sqrt(2) * norm.ppf(0.95), abs=1e-4)
    bounded = fit_mle(ot.read("lin2005_table2"), seed=1)
    np.testing.assert_allclose(bounded.predicted.at_best, [4 / 7, 3 / 7, 0, 0, 1, 0], atol=1e-6)


def test_a_constraint_that_tells_no_candidates_apart_is_not_said_to_be_at_infinity():
    rows = [
        ("x", "y", 5, [1, 0, 2]),
        ("x", "z", 3, [0, 1, 2]),
        ("w", "y", 3, [0, 1, 0]),
        ("w", "z", 0, [1, 0, 0]),
    ]
    fit = fit_mle(ot.Tableau.from_rows(rows, "ABC"), seed=1)
    assert "a ridge" in fit.warnings[0]
    assert np.abs(fit.mean).max() < 6


def test_categorical_data_are_a_ranking():
    tableau = ot.read("cv")
    fit = fit_mle(tableau, seed=1)
    assert fit.predicted.log_likelihood == pytest.approx(0.0, abs=1e-9)
    by_value = [tableau.constraints[c] for c in np.argsort(-fit.mean)]
    for higher, lower in ot.rank(tableau).crucial_rankings:
        assert by_value.index(higher) < by_value.index(lower)


def test_with_a_prior_there_is_one_finite_maximum():
    prior = NormalPrior(np.zeros(4), np.full(4, 2.0))
    fit = fit_mle(ot.read("spanish"), seed=1, prior=prior)
    assert fit.warnings == ()
    assert np.isfinite(fit.sd).all()
    learner = MLE(ot.read("spanish"), prior=prior)
    best = learner.objective(fit.mean)
    for direction in np.eye(4):
        assert learner.objective(fit.mean + 0.01 * direction) < best
        assert learner.objective(fit.mean - 0.01 * direction) < best


def test_a_ranking_with_the_data_changes_nothing():
    every = (), (("AL", "*C-ONS"), ("AL", "I_BR"))
    free, kept = (fit_mle(ot.read("ilokano"), seed=1, apriori=pairs) for pairs in every)
    np.testing.assert_allclose(kept.mean, free.mean, atol=1e-6)
    np.testing.assert_allclose(kept.sd, free.sd, rtol=1e-4)
    assert kept.warnings == ()
    assert kept.settings["apriori"] == [["AL", "*C-ONS"], ["AL", "I_BR"]]


def test_a_ranking_against_the_data_is_kept_with_equal_values():
    kept = fit_mle(two_constraints(70, 30), seed=1, apriori=(("B", "A"),))
    np.testing.assert_allclose(kept.mean, 0.0, atol=1e-9)
    assert kept.warnings == ("the data prefer the other order (B >> A): these values are equal",)
    assert np.isnan(kept.sd).all()
    ilokano = ot.read("ilokano")
    kept = fit_mle(ilokano, seed=1, apriori=(("I_BR", "AL"),))

    def worse(level):  # along the line on which the two are equal
        return -ot.log_likelihood(ilokano, np.array([-2 * level, level, level]), 1.0)

    best = minimize_scalar(worse, bracket=(-1, 1), tol=1e-10)
    np.testing.assert_allclose(kept.mean, best.x * np.array([-2, 1, 1]), atol=1e-5)
    assert kept.predicted.log_likelihood == pytest.approx(-best.fun, abs=1e-8)


@pytest.mark.parametrize("name", ["ilokano", "spanish", "lin2005_table1"])
def test_no_values_in_the_order_given_beforehand_are_more_likely(name):
    tableau = ot.read(name)
    names, rng = tableau.constraints, np.random.default_rng(3)
    pairs = ((names[-1], names[0]), (names[0], names[1]))
    fit = fit_mle(tableau, seed=1, apriori=pairs)
    learner = MLE(tableau, apriori=pairs)
    assert fit.mean[-1] >= fit.mean[0] >= fit.mean[1]
    best = learner.objective(fit.mean)
    for width in (0.03, 0.5, 4.0):
        values = fit.mean + width * rng.standard_normal((1000, len(names)))
        ordered = [v for v in values if v[-1] >= v[0] >= v[1]]
        assert max(map(learner.objective, ordered)) <= best + 1e-6


def test_the_start_does_not_matter():
    means = [fit_mle(ot.read("td_deletion_chicano"), seed=seed).mean for seed in (1, 2)]
    np.testing.assert_allclose(*means, atol=1e-4)


def test_a_search_that_was_cut_short_says_so():
    fit = ot.LEARNERS["mle"].fit(ot.read("spanish"), MLESettings(sweeps=2), seed=1)
    assert fit.warnings == ("stopped after 2 iterations, before the maximum",)
    assert not fit.converged


def test_what_it_refuses():
    with pytest.raises(InputError, match="can never win"):
        fit_mle(ot.read("harmonic_bounding_demo"))
    with pytest.raises(InputError, match="0 starts"):
        MLE(ot.read("spanish"), starts=0)


def test_a_prior_of_other_constraints_is_refused():
    with pytest.raises(InputError, match="the prior does not name each constraint once"):
        MLE(two_constraints(7, 3), prior=NormalPrior(np.zeros(3), np.ones(3)))


def test_a_single_constraint_has_nothing_to_climb():
    single = ot.Tableau.from_rows([("x", "a", 5, [0]), ("x", "b", 0, [1])], ["A"])
    assert fit_mle(single, seed=1).mean.tolist() == [0.0]
