"""Unknown noises and mixtures against simulation, finite differences and quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from otlab import ot
from otlab.errors import InputError
from otlab.ot.kernels.distributions import components
from otlab.ot.learners.distributions import probabilities
from otlab.ot.learners.likelihood import log_posterior
from otlab.ot.learners.mixtures import Mixtures, fit_mixtures
from otlab.ot.learners.unknown_noise import UnknownNoise, fit_unknown_noise
from tests.ot import exact_posterior
from tests.ot.strategies import ranking_values, tableaux
from tests.ot.test_exact import close, two_constraints

SIMULATED = 60_000


def parameters_of(values, rng, spread=0.6):
    """Return the ranking values with other parameters drawn at random, (4 K,)."""
    k = len(values)
    return np.concatenate([values, spread * rng.normal(size=k), 2 * rng.normal(size=k), rng.normal(size=k)])


@given(tableaux(max_constraints=4), st.data())
@settings(max_examples=15, deadline=None)
def test_alike_normals_are_those_of_stochastic_ot(tableau, data):
    k = tableau.n_constraints
    values = np.array(data.draw(ranking_values(k)))
    alike = np.concatenate([values, np.zeros(3 * k)])
    expected = ot.predict(tableau, values, 1.5).probability
    np.testing.assert_allclose(probabilities(tableau, alike[None], 1.5)[0], expected, atol=1e-9)


def test_probabilities_as_by_simulation():
    """Selection points are drawn, constraints sorted by them, and the winners counted."""
    rng, tableau = np.random.default_rng(3), ot.read("tagalog")
    k = tableau.n_constraints
    parameters = parameters_of(rng.normal(size=k), rng)
    normals = components(parameters, 1.0)
    first = rng.random((SIMULATED, k)) < normals.shares
    means = np.where(first, normals.means[:, 0], normals.means[:, 1])
    points = means + normals.sds * rng.standard_normal((SIMULATED, k))
    orders, exact = np.argsort(-points, axis=1), probabilities(tableau, parameters[None], 1.0)[0]
    assert exact.sum() == pytest.approx(len(tableau.inputs), abs=1e-10)
    for i in range(len(tableau.inputs)):
        rows = tableau.rows(i)
        marks = tableau.violations[rows][:, orders]  # (candidates, draws, K), highest constraint first
        winners = np.lexsort(np.moveaxis(marks, 2, 0)[::-1].transpose(0, 2, 1), axis=-1)[:, 0]
        shares = np.bincount(winners, minlength=rows.stop - rows.start) / SIMULATED
        error = np.sqrt(exact[rows] * (1 - exact[rows]) / SIMULATED)
        assert (np.abs(shares - exact[rows]) < 4.5 * error + 1e-12).all()


@pytest.mark.parametrize("learner", [UnknownNoise, Mixtures])
def test_the_gradient_is_that_of_the_density(learner):
    tableau, rng = ot.read("tagalog"), np.random.default_rng(1)
    target = learner(tableau, 1.0).target
    parameters = parameters_of(2 * rng.normal(size=tableau.n_constraints), rng)
    slope = log_posterior(target, parameters)[1]
    for direction in np.eye(parameters.size):
        ahead, behind = (log_posterior(target, parameters + h * direction)[0] for h in (1e-5, -1e-5))
        assert slope @ direction == pytest.approx((ahead - behind) / 2e-5, rel=1e-6, abs=1e-5)


def test_narrow_normals_far_apart_lose_nothing():
    """A step of one cdf inside a wide density: P(N(0, 9) > N(1, .0001))."""
    table = two_constraints(1, 0)
    parameters = np.array([0.0, 1.0, np.log(3.0), np.log(0.01), 0, 0, 0, 0])
    p = probabilities(table, parameters[None], 1.0)[0]
    assert p[0] == pytest.approx(norm.cdf(-1 / np.hypot(3.0, 0.01)), abs=1e-12)
    assert p.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.slow
def test_unknown_noises_as_by_quadrature():
    """Two constraints of one binary choice: sum 0, product of the noises 1."""
    wins, losses, spread = 9, 1, 0.5
    half, log_noise = np.meshgrid(np.linspace(-6, 6, 801), np.linspace(-2.5, 2.5, 401), indexing="ij")
    z = 2 * half / np.sqrt(np.exp(2 * log_noise) + np.exp(-2 * log_noise))
    density = wins * norm.logcdf(z) + losses * norm.logcdf(-z) - (log_noise / spread) ** 2
    both = np.stack([half.ravel(), -half.ravel(), np.exp(log_noise).ravel()], axis=1)
    exact = exact_posterior.weighted(both, density.ravel())
    fit = fit_unknown_noise(two_constraints(wins, losses), sweeps=6000, chains=2, seed=4, noise_spread=spread)
    drawn = fit.posterior.draws
    assert close(np.concatenate([drawn["ranking_value"], drawn["noise"][..., :1]], axis=-1), exact)
    np.testing.assert_allclose(drawn["noise"].prod(axis=-1), 1.0, rtol=1e-9)
    p = np.exp(density.ravel() - density.max())
    predictive = p @ norm.cdf(z).ravel() / p.sum()
    assert fit.predicted.mean[0] == pytest.approx(predictive, abs=0.02)
    assert any("say little about the noises" in words for words in fit.warnings)


@pytest.mark.slow
def test_a_mixture_as_by_quadrature():
    """Two constraints, the first a mixture; distance and share integrated on a grid."""
    wins, losses, sd = 12, 4, 2.0
    axes = (np.linspace(-6, 6, 161), np.linspace(0, 12, 161), (np.arange(80) + 0.5) / 80)
    half, apart, share = (grid.ravel() for grid in np.meshgrid(*axes, indexing="ij"))
    gap = 2 * half
    p = share * norm.cdf((gap + (1 - share) * apart) / np.sqrt(2))
    p += (1 - share) * norm.cdf((gap - share * apart) / np.sqrt(2))
    density = wins * np.log(np.maximum(p, 1e-300)) + losses * np.log(np.maximum(1 - p, 1e-300))
    density -= 0.5 * (apart / sd) ** 2
    values = np.stack([half, half - share * apart, half + (1 - share) * apart, share], axis=1)
    exact = exact_posterior.weighted(values, density)
    table = two_constraints(wins, losses)
    fit = fit_mixtures(table, sweeps=8000, chains=2, seed=4, mixed=("A",), distance_sd=sd)
    drawn = fit.posterior.draws
    of_first = [drawn[name][..., :1] for name in ("ranking_value", "lower", "higher", "share_higher")]
    assert close(np.concatenate(of_first, axis=-1), exact)
    assert np.isnan(drawn["lower"][..., 1]).all()
    assert fit.to_dict()["parameters"]["lower"][0] < fit.to_dict()["parameters"]["higher"][0]


@pytest.mark.slow
def test_noises_are_learnt_where_the_data_say_something():
    """Six rankings of three constraints, all observed: with an even noise they cannot have these shares."""
    orders = ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"]
    rng = np.random.default_rng(2)
    points = np.array([0.4, 0.0, -0.4]) + np.array([0.4, 0.4, 3.0]) * rng.standard_normal((4000, 3))
    seen = ["".join("ABC"[i] for i in row) for row in np.argsort(-points, axis=1)]
    rows = [("x", order, seen.count(order), _marks(order)) for order in orders]
    table = ot.Tableau.from_rows(rows, list("ABC"), noise=1.0, bound=6.0)
    fit = fit_unknown_noise(table, sweeps=1500, chains=2, seed=1)
    noise = fit.parameters["noise"]
    assert noise["C"] > 3 * max(noise["A"], noise["B"])
    assert not fit.warnings


def _marks(order):
    """Return violations under which a candidate wins when the constraints have this order."""
    return [4 ** order.index(c) for c in "ABC"]


def test_what_they_refuse():
    spanish = ot.read("spanish")
    with pytest.raises(InputError, match="noise spread 0 is not above 0"):
        UnknownNoise(spanish, noise_spread=0.0)
    with pytest.raises(InputError, match="distance sd -1 is not above 0"):
        Mixtures(spanish, distance_sd=-1.0)
    with pytest.raises(InputError, match="no constraint is called 'E'"):
        Mixtures(spanish, mixed=("E",))
