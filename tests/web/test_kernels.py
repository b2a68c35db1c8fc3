"""What the page computes by kernels of its own agrees with the labs."""

import numpy as np
import pytest

from otlab.inference.diagnostics import assess
from otlab.ot import read
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.priors import NormalPrior
from otlab.web.kernels.maxent import best_weights
from otlab.web.kernels.trust import chain_diagnostics

SAMPLES = ("ilokano", "spanish", "nasal", "tagalog", "td_deletion_chicano", "harmonic_bounding_demo")


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
@pytest.mark.parametrize("sd", [1.0, 10.0])
@pytest.mark.parametrize("name", SAMPLES)
def test_weights_are_those_of_the_lab(name, sd, weights):
    tableau = read(name)
    k = tableau.n_constraints
    learner = MaxEnt(tableau, None, NormalPrior(np.zeros(k), np.full(k, sd)), weights)
    best = learner.init(np.random.default_rng(1)).path[-1]
    found, probability = np.zeros(k), np.empty(tableau.n_rows)
    lowest = 0.0 if weights == "nonnegative" else -np.inf
    likelihood, slope = best_weights(
        tableau.violations.astype(float), tableau.offsets, learner.counts, np.zeros(k), np.full(k, sd),
        lowest, found, probability,
    )  # fmt: skip
    assert slope < 1e-10
    assert learner.objective(found) >= learner.objective(best) - 1e-10
    # Both end where no slope is above 1e-10; the prior's curvature is at least 1 / sd^2.
    assert found == pytest.approx(best, abs=2e-10 * sd**2 * np.sqrt(k))
    assert probability == pytest.approx(learner.probabilities(found), abs=1e-12)
    assert likelihood == pytest.approx(learner.log_likelihood(found), rel=1e-12)


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
@pytest.mark.parametrize("name", SAMPLES)
def test_without_a_prior_the_likelihood_is_as_high_as_in_the_lab(name, weights):
    tableau = read(name)
    k = tableau.n_constraints
    learner = MaxEnt(tableau, None, None, weights)
    best = learner.init(np.random.default_rng(1)).path[-1]
    found, probability = np.zeros(k), np.empty(tableau.n_rows)
    lowest = 0.0 if weights == "nonnegative" else -np.inf
    likelihood, slope = best_weights(
        tableau.violations.astype(float), tableau.offsets, learner.counts, np.zeros(k), np.full(k, np.inf),
        lowest, found, probability,
    )  # fmt: skip
    assert slope < 1e-10
    assert likelihood >= learner.log_likelihood(best) - 1e-10
    at_best = learner.probabilities(best)
    if learner.finite_optimum:
        assert likelihood == pytest.approx(learner.log_likelihood(best), abs=1e-10)
        assert probability == pytest.approx(at_best, abs=1e-9)
        # weights of constraints that go together are not unique, differences of harmonies are
        assert learner._differences @ found == pytest.approx(learner._differences @ best, abs=1e-9)
    else:
        assert probability == pytest.approx(at_best, abs=1e-6)
        assert np.abs(found).max() < 100


@pytest.mark.parametrize(("chains", "length"), [(4, 300), (2, 301), (3, 8), (1, 50)])
def test_convergence_is_what_arviz_says(chains, length):
    rng = np.random.default_rng(chains)
    draws = rng.normal(size=(chains, length, 3))
    for j in range(1, length):
        draws[:, j, 0] += 0.9 * draws[:, j - 1, 0]
    draws[:, :, 2] = 1.5  # a constant has neither R-hat nor ESS
    out = np.empty(9)
    chain_diagnostics(draws.reshape(-1, 3), chains, out)
    trust = assess(draws) if chains > 1 else None
    if trust is None:  # R-hat compares chains
        assert np.isnan(out[:3]).all()
        return
    assert out == pytest.approx(
        np.concatenate([trust.rhat, trust.ess, trust.ess_squares]), rel=1e-9, nan_ok=True
    )


def test_too_few_draws_say_nothing():
    out = np.zeros(3)
    chain_diagnostics(np.arange(14.0)[:, None], 2, out)
    assert np.isnan(out).all()
