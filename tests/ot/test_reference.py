"""Published and recomputed figures of Lin (2005), within their tolerances.

Ilokano, Spanish, the schematic Table 1: posterior means, sds, medians and predictives
by quadrature or importance sampling; MaxEnt's Table 8; the GLA's direction of error.
"""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot import Tableau, fit_gibbs, fit_gla, fit_maxent, log_likelihood, read
from otlab.ot.learners.priors import NormalPrior

MARESITO = 2  # row of the Spanish tableau


@pytest.mark.slow
def test_ilokano():
    fit = fit_gibbs(read("ilokano"), sweeps=21_000, chains=2, seed=5)
    assert fit.settings["noise"] == 1.0
    assert fit.settings["total"] == 99
    np.testing.assert_allclose(fit.mean, [-0.0781, 0.5343, -0.4562], atol=0.01)
    np.testing.assert_allclose(fit.median, [-0.0782, 0.5334, -0.4551], atol=0.01)
    np.testing.assert_allclose(fit.sd, [0.1033, 0.1263, 0.1385], rtol=0.05)
    np.testing.assert_allclose(fit.predicted.mean, 1 / 3, atol=0.005)
    np.testing.assert_allclose(fit.predicted.at_best, 1 / 3, atol=0.01)
    assert fit.converged
    assert not fit.multimodal
    # The fit is exact: the likelihood is that of a third each.
    assert fit.predicted.log_likelihood == pytest.approx(-99 * np.log(3), abs=0.05)


def test_ilokano_small_sample():
    fit = fit_gibbs(read("ilokano"), sweeps=40_000, chains=2, seed=5, total=3)
    np.testing.assert_allclose(fit.median, [-0.0983, 0.5916, -0.5164], atol=0.06)
    np.testing.assert_allclose(fit.sd, [0.606, 0.758, 0.829], rtol=0.06)
    np.testing.assert_allclose(fit.predicted.mean, [0.329, 0.325, 0.345], atol=0.015)


def test_ilokano_likelihood_at_its_maximum():
    assert log_likelihood(read("ilokano"), [-0.07755, 0.53159, -0.45404]) == pytest.approx(
        -99 * np.log(3), abs=1e-7
    )


@pytest.mark.slow
def test_toy_has_several_grammars():
    tableau = read("lin2005_table1")
    fit = fit_gibbs(tableau, sweeps=30_000, seed=1)
    assert fit.multimodal
    assert any("medians" in warning for warning in fit.warnings)
    np.testing.assert_allclose(fit.predicted.mean, [0.7693, 0.2307], atol=0.01)
    # The best draw is on the ridge of maximum likelihood; the medians are far below it.
    assert fit.predicted.log_likelihood == pytest.approx(-53.92763, abs=0.01)
    assert log_likelihood(tableau, fit.median) < fit.predicted.typical_log_likelihood


def test_likelihood_of_the_toy():
    assert log_likelihood(read("lin2005_table1"), [0.13216, 0.13216, -0.26433]) == pytest.approx(
        -53.92763, abs=1e-5
    )


@pytest.mark.slow
def test_spanish():
    fit = fit_gibbs(read("spanish"), sweeps=101_000, seed=3)
    a, m, d, b = fit.mean
    np.testing.assert_allclose([a, m], [3.794, 1.337], atol=0.2)
    # D and B are exchangeable but for sampling error: never their order.
    np.testing.assert_allclose([d, b], [-2.557, -2.574], atol=0.2)
    np.testing.assert_allclose(fit.sd, [1.302, 1.430, 1.365, 1.336], rtol=0.1)
    np.testing.assert_allclose(fit.predicted.mean[[0, 2, 4]], [0.934, 0.495, 0.941], atol=0.01)
    assert fit.converged


def test_spanish_that_has_not_mixed_is_marked():
    fit = fit_gibbs(read("spanish"), sweeps=1000, seed=3)
    assert not fit.converged
    assert fit.warnings[0].startswith("not converged")


def test_likelihood_of_spanish_nears_its_supremum():
    ll = log_likelihood(read("spanish"), [3.0 + np.sqrt(2) * 1.64485, 3.0, -4.2, -4.2])
    assert ll == pytest.approx(-10.901777, abs=1e-4)


def test_gla_spanish():
    """marEsito is rarer than marsito on average, though both occur as often."""
    fit = fit_gla(read("spanish"), trials=100_000, runs=20, seed=1, noise=2.0)
    assert 0.455 <= fit.predicted.mean[MARESITO] <= 0.485
    np.testing.assert_allclose(fit.predicted.mean[[0, 4]], 0.95, atol=0.01)
    assert any("do not settle" in warning for warning in fit.warnings)


def test_gla_ilokano():
    fit = fit_gla(read("ilokano"), trials=100_000, runs=10, seed=1, noise=2.0)
    np.testing.assert_allclose(fit.predicted.mean, 1 / 3, atol=0.02)


def percentages(tableau):
    """The same table with every input's frequencies in percent."""
    rows = zip(
        tableau.input_of_row, tableau.candidates, tableau.observed() * 100, tableau.violations, strict=True
    )
    return Tableau.from_rows([(tableau.inputs[k], *rest) for k, *rest in rows], tableau.constraints)


def test_maxent_table_8():
    """To the digit: percentages, weights of either sign, prior N(0, 1)."""
    prior = NormalPrior(np.zeros(4), np.ones(4))
    fit = fit_maxent(percentages(read("spanish")), weights="free", prior=prior, seed=1)
    np.testing.assert_allclose(fit.mean, [1.1789, -1.1789, -1.2422, -1.2919], atol=5e-5)
    np.testing.assert_allclose(fit.predicted.mean[[0, 2, 4]], [0.97466, 0.48758, 0.91355], atol=5e-6)
    assert fit.converged


def test_maxent_intervals_hold_the_fit():
    fit = fit_maxent(read("spanish"), weights="free", prior=NormalPrior(np.zeros(4), np.ones(4)), seed=1)
    assert (fit.predicted.low < fit.predicted.mean).all()
    assert (fit.predicted.mean < fit.predicted.high).all()
    np.testing.assert_allclose(fit.predicted.mean[[0, 2, 4]], [0.9207, 0.4670, 0.8798], atol=5e-5)


def test_maxent_says_when_there_is_no_optimum():
    fit = fit_maxent(read("spanish"), weights="free", seed=1)
    assert not fit.converged
    assert "no finite optimum" in fit.warnings[0]
    assert np.isnan(fit.predicted.low).all()
