"""The exact sampler: its density by finite differences, its posterior by quadrature, and Gibbs beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab import ot
from otlab.errors import InputError
from otlab.inference.diagnostics import assess
from otlab.ot.conditions import relations
from otlab.ot.learners.exact import Exact, fit_exact
from otlab.ot.learners.gibbs import fit_gibbs
from otlab.ot.learners.likelihood import exact_target, log_posterior, zero_sum_basis
from otlab.ot.learners.priors import NormalPrior
from otlab.ot.settings import resolve_settings
from tests.ot import exact_posterior
from tests.ot.strategies import ranking_values, tableaux

MOVES = ("hmc", "walk")


def target_of(tableau, prior=None):
    every = [r for r in relations(tableau) if r.count and r.conjuncts]
    return exact_target(tableau, every, resolve_settings(tableau), prior)


def close(draws, exact, sigmas=4.5):
    """Whether means and sds agree with exact ones within Monte Carlo error."""
    trust, pooled = assess(draws), draws.reshape(-1, draws.shape[2])
    error = exact.sd / np.sqrt(trust.ess)
    return (np.abs(pooled.mean(axis=0) - exact.mean) < sigmas * error).all() and (
        np.abs(pooled.std(axis=0) / exact.sd - 1) < sigmas / np.sqrt(2 * trust.ess_squares)
    ).all()


def two_constraints(wins, losses):
    rows = [("x", "a", wins, [0, 1]), ("x", "b", losses, [1, 0])]
    return ot.Tableau.from_rows(rows, ["A", "B"], noise=1.0, bound=6.0)


@given(tableaux(max_constraints=4), st.data())
@settings(max_examples=40, deadline=None)
def test_the_gradient_is_that_of_the_log_likelihood(tableau, data):
    k = tableau.n_constraints
    values = np.array(data.draw(ranking_values(k)))
    prior = NormalPrior(np.arange(k) - 1.0, np.arange(k) + 0.5)
    try:
        target = target_of(tableau, prior)
    except InputError:
        return
    bounded = {row for r in relations(tableau) if r.bounded for row in r.members}
    kept = replace(
        tableau,
        frequencies=np.where(np.isin(np.arange(tableau.n_rows), list(bounded)), 0, tableau.frequencies),
    )
    target = target_of(kept, prior)
    density, slope = log_posterior(target, values)
    if not np.isfinite(density):
        return
    shift = np.linspace(0.3, 1.0, k)
    assert density == pytest.approx(log_posterior(target, values + 0.7)[0], abs=1e-8)
    ahead, behind = (log_posterior(target, values + h * shift)[0] for h in (1e-5, -1e-5))
    assert slope @ shift == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-3)
    quadratic = (
        -0.5
        * (values - values.mean() - prior.mean)
        @ target.precision
        @ (values - values.mean() - prior.mean)
    )
    assert density - quadratic == pytest.approx(ot.log_likelihood(kept, values, 2.0), abs=1e-7)


def test_the_prior_of_centred_values_is_the_marginal_one():
    """With the mean integrated out numerically."""
    prior = NormalPrior(np.array([1.0, -2.0, 0.5]), np.array([0.7, 2.0, 1.1]))
    target = target_of(ot.Tableau.from_rows([("x", "a", 1, [0, 0, 0])], "ABC"), prior)
    shifts = np.linspace(-30, 30, 20_001)[:, None]

    def marginal(values):
        return np.log(np.exp(-0.5 * (((values + shifts - prior.mean) / prior.sd) ** 2).sum(axis=1)).sum())

    one, other = np.array([0.3, 0.5, -0.8]), np.array([-1.0, 0.0, 1.0])
    difference = log_posterior(target, one)[0] - log_posterior(target, other)[0]
    assert difference == pytest.approx(marginal(one) - marginal(other), abs=1e-9)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (9, 1), (50, 50)])
def test_two_constraints_as_by_quadrature(move, wins, losses):
    fit = fit_exact(two_constraints(wins, losses), sweeps=6000, chains=2, seed=4, move=move)
    assert close(fit.posterior.draws["ranking_value"], exact_posterior.two(wins, losses))


@pytest.mark.parametrize("move", MOVES)
def test_a_wall_is_kept_to_and_does_not_bias(move):
    """All observations alike: the posterior rises towards the bound."""
    fit = fit_exact(two_constraints(20, 0), sweeps=8000, chains=2, seed=4, move=move)
    draws = fit.posterior.draws["ranking_value"]
    assert np.abs(draws).max() < 6
    assert close(draws, exact_posterior.two(20, 0))


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES)
def test_ilokano_as_by_quadrature(move):
    fit = fit_exact(ot.read("ilokano"), sweeps=5000, chains=2, seed=2, move=move)
    assert close(fit.posterior.draws["ranking_value"], exact_posterior.ilokano(33, 0.8))
    assert fit.converged


@pytest.mark.slow
def test_hmc_needs_few_sweeps():
    fit = fit_exact(ot.read("spanish"), sweeps=2000, chains=2, seed=2)
    assert fit.trust.smallest_ess > 500
    assert fit.trust.largest_rhat < 1.02
    assert fit.to_dict()["settings"]["move"] == "hmc"


def test_a_single_constraint_and_data_without_information():
    alone = ot.Tableau.from_rows([("x", "a", 5, [0]), ("x", "b", 0, [1])], ["A"])
    assert fit_exact(alone, sweeps=20, chains=1, seed=1).mean.tolist() == [0.0]
    free = ot.Tableau.from_rows([("x", "a", 5, [0, 0]), ("x", "b", 0, [1, 1])], "AB", noise=1.0, bound=3.0)
    draws = fit_exact(free, sweeps=4000, chains=2, seed=1).posterior.draws["ranking_value"]
    uniform = exact_posterior.Moments(np.zeros(2), np.full(2, 3 / np.sqrt(3)))
    assert close(draws, uniform)


def test_basis():
    for n in (1, 2, 5):
        basis = zero_sum_basis(n)
        np.testing.assert_allclose(basis.T @ basis, np.eye(n - 1), atol=1e-14)
        np.testing.assert_allclose(basis.sum(axis=0), 0, atol=1e-14)


def test_what_it_refuses():
    with pytest.raises(InputError, match="there is no move 'hcm'; did you mean hmc"):
        Exact(ot.read("spanish"), move="hcm")
    with pytest.raises(InputError, match="can never win"):
        Exact(ot.read("harmonic_bounding_demo"))
    violations = np.eye(18, dtype=int)  # C_k above all others but one: 2^17 sets of rivals
    rows = [(f"x{n // 18}", f"y{n}", 1, v) for n, v in enumerate(violations)]
    with pytest.raises(InputError, match="use --learner gibbs"):
        Exact(ot.Tableau.from_rows(rows, [f"C{c}" for c in range(18)]))


CASES = {
    "ilokano": (lambda: ot.read("ilokano"), 20_000, None),
    "spanish": (lambda: ot.read("spanish"), 400_000, None),
    "syllables, normal prior": (lambda: ot.read("cv"), 40_000, 2.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_gibbs(case):
    make, sweeps, sd = CASES[case]
    tableau = make()
    prior = (
        None
        if sd is None
        else NormalPrior(np.zeros(tableau.n_constraints), np.full(tableau.n_constraints, sd))
    )
    gibbs = fit_gibbs(tableau, sweeps=sweeps, chains=4, seed=1, prior=prior)
    for move in MOVES:
        exact = fit_exact(tableau, sweeps=20_000, chains=4, seed=2, prior=prior, move=move)
        error = np.sqrt(gibbs.sd**2 / gibbs.trust.ess + exact.sd**2 / exact.trust.ess)
        assert (np.abs(gibbs.mean - exact.mean) < 4.5 * error).all()
        ratio = np.sqrt(0.5 / gibbs.trust.ess_squares + 0.5 / exact.trust.ess_squares)
        assert (np.abs(gibbs.sd / exact.sd - 1) < 4.5 * ratio).all()


@pytest.mark.parametrize("move", ["hmc", "walk"])
@pytest.mark.slow
def test_rankings_a_priori_cut_the_posterior(move):
    """Against the draws of the whole posterior that happen to be in order."""
    tableau = ot.read("ilokano")
    free = fit_exact(tableau, total=3, sweeps=6000, seed=4).posterior.pooled("ranking_value")
    kept = free[free[:, 2] > free[:, 1]]  # I_BR above AL: against the data, in a few draws
    cut = fit_exact(tableau, total=3, sweeps=4000, seed=5, move=move, apriori=(("I_BR", "AL"),))
    draws = cut.posterior.pooled("ranking_value")
    assert (draws[:, 2] > draws[:, 1]).all()
    error = kept.std(axis=0) * np.sqrt(4 / len(kept) + 1 / cut.trust.ess)
    assert (np.abs(cut.mean - kept.mean(axis=0)) < 4.5 * error).all()
    assert cut.settings["apriori"] == [["I_BR", "AL"]]
