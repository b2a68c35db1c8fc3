"""Noisy HG and online MaxEnt against exact probabilities, published figures and batch MaxEnt."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.inference import fit
from otlab.ot import NoisyHG, OnlineMaxEnt, Tableau, fit_hg, fit_maxent, fit_maxent_online, read
from otlab.ot.kernels.harmony import BY_CELL, BY_CONSTRAINT, GUMBEL, LATE, count_winners
from otlab.ot.learners.error_driven import lay_out
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.priors import equal_prior
from otlab.ot.learners.schedules import schedule

SPANISH, JAPANESE = read("spanish"), read("japanese")
DRAWS = 40_000
KINDS = {"constraint": BY_CONSTRAINT, "cell": BY_CELL, "late": LATE}


def counted(tableau, kind, weights, noise):
    """Return how often each row wins in many evaluations by the kernel."""
    wins, rng = np.zeros(tableau.n_rows, np.int64), np.random.default_rng(3)
    count_winners(rng, lay_out(tableau), kind, weights, np.full(weights.size, noise), DRAWS, wins)
    return wins / DRAWS


@pytest.mark.parametrize("place", ["constraint", "cell", "late"])
def test_two_candidates_are_exact(place):
    learner, weights = NoisyHG(SPANISH, 1.5, place=place), np.array([2.0, 1.0, 0.3, 0.4])
    exact = learner.probabilities(weights)
    np.testing.assert_allclose(np.add.reduceat(exact, SPANISH.offsets[:-1]), 1)
    sampled = counted(SPANISH, KINDS[place], weights, 1.5)
    np.testing.assert_allclose(sampled, exact, atol=4.5 * 0.5 / np.sqrt(DRAWS))


def naive_winner(rng, marks, weights, noise, place):
    """Return the candidate that wins one noisy evaluation, in plain Python."""
    if place == "cell":
        noisy = weights + noise * rng.normal(size=marks.shape)
        return int(np.argmin((noisy * marks).sum(axis=1)))
    if place == "constraint":
        return int(np.argmin(marks @ (weights + noise * rng.normal(size=weights.size))))
    return int(np.argmin(marks @ weights + noise * rng.normal(size=len(marks))))


@pytest.mark.parametrize("place", ["constraint", "cell", "late"])
def test_three_candidates_as_in_plain_python(place):
    marks = np.array([[1, 0, 2], [0, 2, 1], [2, 1, 0]])
    tableau = Tableau.from_rows([("x", f"c{c}", 1, row) for c, row in enumerate(marks)], ["A", "B", "C"])
    weights, rng = np.array([1.0, 0.5, 0.7]), np.random.default_rng(1)
    plain = np.bincount([naive_winner(rng, marks, weights, 1.0, place) for _ in range(8000)]) / 8000
    ours = NoisyHG(tableau, 1.0, place=place).probabilities(weights)
    np.testing.assert_allclose(ours, plain, atol=4.5 * 0.5 * np.hypot(8000**-0.5, 20_000**-0.5))


def test_gumbel_noise_makes_a_maxent_grammar():
    weights = np.array([1.0, 0.2, 0.7])
    exact = MaxEnt(JAPANESE).probabilities(weights)
    np.testing.assert_allclose(
        counted(JAPANESE, GUMBEL, weights, 1.0), exact, atol=4.5 * 0.5 / np.sqrt(DRAWS)
    )


def test_weights_fit_what_no_ranking_does():
    # Praat's HarmonicGrammar: 99.95, 99.94, 49.8; OptimalityTheory 83.7, 83.7, 74.0.
    mean = fit_hg(JAPANESE, trials=40_000, runs=4, seed=2).predicted.mean
    assert mean[0] > 0.99
    assert mean[2] > 0.99
    assert mean[4] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("place", ["constraint", "cell", "late"])
def test_ilokano_is_learnt_wherever_noise_is_added(place):
    fitted = fit_hg(read("ilokano"), trials=60_000, runs=6, seed=4, place=place)
    np.testing.assert_allclose(fitted.predicted.mean, 1 / 3, atol=4.5 * 0.012 / np.sqrt(6) + 0.006)
    assert fitted.kind == "weight"


def test_nonnegative_weights_stay_so_and_free_ones_need_not():
    held = fit_hg(SPANISH, trials=20_000, runs=2, seed=1)
    assert (np.array([view.values for view in held.views]) >= 0).all()
    assert fit_hg(SPANISH, trials=20_000, runs=2, seed=1, weights="free").mean.min() < 0


def test_an_error_moves_by_the_difference_of_violations():
    tableau = Tableau.from_rows([("x", "heard", 1, (0, 3)), ("x", "rival", 0, (2, 0))], ["A", "B"])
    learner = NoisyHG(tableau, 1e-9, schedule("constant", 1, 0.5), initial=(1.0, 2.0), weights="free")
    view = fit(learner, steps=1, seed=0).view
    np.testing.assert_allclose(view.values, [1.0 + 0.5 * 2, 2.0 - 0.5 * 3])
    assert (view.errors, view.level) == (1, 0.0)


@pytest.mark.slow
def test_online_maxent_goes_where_batch_maxent_is():
    prior = equal_prior(SPANISH, 1.0)
    online = fit_maxent_online(SPANISH, prior=prior, weights="free", trials=150_000, runs=6, seed=1)
    batch = fit_maxent(SPANISH, prior=prior, weights="free")
    error = 4.5 * online.sd / np.sqrt(6) + 0.01
    assert (np.abs(online.mean - batch.mean) < error).all()
    assert online.warnings == ()


def test_without_a_prior_it_says_what_grows():
    fitted = fit_maxent_online(SPANISH, weights="free", trials=2000, runs=2, seed=1)
    assert "some weights grow" in fitted.warnings[0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"place": "everywhere"}, "noise cannot be added by 'everywhere'"),
        ({"weights": "positive"}, "weights cannot be 'positive'"),
        ({"initial": (1.0,) * 3}, "initial weight: give one finite number for each of the 4"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(InputError, match=message):
        NoisyHG(SPANISH, **wrong)
    if "place" not in wrong:
        with pytest.raises(InputError):
            OnlineMaxEnt(SPANISH, **wrong)
