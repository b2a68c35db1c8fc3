"""Bayesian MaxEnt against quadrature, and against the batch learner's own objective."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from otlab.errors import InputError
from otlab.ot import BayesianMaxEnt, NormalPrior, Tableau, fit_maxent_bayes, read
from otlab.ot.learners.likelihood import log_posterior
from otlab.ot.learners.maxent_bayes import BayesianMaxEntSettings, make_maxent_bayes
from otlab.ot.learners.priors import equal_prior

SPANISH = read("spanish")
ONE = Tableau.from_rows([("x", "a", 7, [0]), ("x", "b", 2, [1]), ("x", "c", 1, [2])], ["A"])


def moments(prior_mean, prior_sd, lowest):
    """Return mean and sd of the one weight of `ONE`, by quadrature."""

    def density(w):
        p = np.exp(-w * np.arange(3))
        p /= p.sum()
        return p[0] ** 7 * p[1] ** 2 * p[2] * np.exp(-0.5 * ((w - prior_mean) / prior_sd) ** 2)

    powers = [integrate.quad(lambda w, k=k: w**k * density(w), lowest, 12, epsabs=0)[0] for k in range(3)]
    mean = powers[1] / powers[0]
    return mean, np.sqrt(powers[2] / powers[0] - mean**2)


@pytest.mark.parametrize("move", ["hmc", "walk"])
@pytest.mark.parametrize(("weights", "mean"), [("free", 0.0), ("nonnegative", 0.0), ("nonnegative", -3.0)])
def test_one_weight_by_quadrature(weights, mean, move):
    prior = NormalPrior(np.array([mean]), np.array([1.0]))
    fitted = fit_maxent_bayes(ONE, prior=prior, weights=weights, seed=5, sweeps=6000, move=move)
    exact = moments(mean, 1.0, 0.0 if weights == "nonnegative" else -12.0)
    error = 4.5 * exact[1] / np.sqrt(fitted.trust.smallest_ess)
    assert fitted.mean[0] == pytest.approx(exact[0], abs=error)
    assert fitted.sd[0] == pytest.approx(exact[1], abs=error)
    assert fitted.trust.smallest_ess > 400


def test_the_density_is_the_objective_of_batch_maxent():
    prior = NormalPrior(np.array([1.0, 0.0, 2.0, 0.5]), np.array([1.0, 2.0, 0.5, 3.0]))
    learner, rng = BayesianMaxEnt(SPANISH, prior, "free"), np.random.default_rng(1)
    points = rng.normal(0, 2, (5, 4))
    found = [log_posterior(learner.target, w) for w in points]
    objectives = [learner.grammar.objective(w) for w in points]
    np.testing.assert_allclose([density for density, _ in found], objectives)
    np.testing.assert_allclose([slope for _, slope in found], [learner.grammar.gradient(w) for w in points])


def test_both_moves_and_both_signs_agree_on_spanish():
    fits = [
        fit_maxent_bayes(SPANISH, prior=equal_prior(SPANISH, 1.0), weights="free", move=move, seed=2)
        for move in ("hmc", "walk")
    ]
    error = np.hypot(*(fit.sd / np.sqrt(fit.trust.ess) for fit in fits))
    assert (np.abs(fits[0].mean - fits[1].mean) < 4.5 * error).all()
    held = fit_maxent_bayes(SPANISH, seed=2, sweeps=1000)
    assert held.posterior.draws["weight"].min() > 0
    assert held.settings["prior"]["sd"] == [10.0] * 4


def test_settings(tmp_path):
    path = tmp_path / "bias.txt"
    path.write_text("A\t1\t2\nM\t0\t2\nD\t0\t2\nB\t0\t3\n")
    made = make_maxent_bayes(SPANISH, BayesianMaxEntSettings(prior=path, weights="free"))
    assert made.grammar.prior.sd.tolist() == [2, 2, 2, 3]
    assert make_maxent_bayes(SPANISH, BayesianMaxEntSettings(prior_sd=1.0)).grammar.prior.sd[0] == 1
    with pytest.raises(InputError, match="no move 'hcm'"):
        BayesianMaxEnt(SPANISH, move="hcm")
