"""Dirichlet formulas against SciPy, quadrature and chains of predictives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

from otlab.inference.dirichlet import expected_log, kl_divergence, log_marginal
from otlab.inference.kernels.special import digamma


@pytest.mark.parametrize("x", [1e-8, 1e-4, 0.012, 0.1, 0.5, 1.0, 1.4616, 3.0, 9.999, 10.0, 123.4, 1e8])
def test_digamma(x):
    assert digamma(x) == pytest.approx(special.digamma(x), rel=2e-14, abs=2e-14)


def test_expected_log_by_quadrature():
    a, b = 0.7, 2.3
    mean = integrate.quad(lambda t: np.log(t) * stats.beta(a, b).pdf(t), 0, 1)[0]
    assert expected_log(np.array([a, b]))[0] == pytest.approx(mean, abs=1e-7)


def test_log_marginal_is_a_chain_of_predictives():
    alpha = np.array([0.3, 1.0, 2.0])
    sequence = [0, 2, 2, 1, 0, 0, 2]
    counts, total = np.zeros(3), 0.0
    for item in sequence:
        total += np.log((counts[item] + alpha[item]) / (counts + alpha).sum())
        counts[item] += 1
    assert log_marginal(counts, alpha) == pytest.approx(total, abs=1e-12)


def test_log_marginal_sums_rows():
    counts = np.array([[1.0, 2.0], [0.0, 5.0]])
    alpha = np.array([0.5, 1.5])
    both = log_marginal(counts, alpha)
    assert both == pytest.approx(log_marginal(counts[0], alpha) + log_marginal(counts[1], alpha))


def test_kl_by_quadrature():
    q, p = stats.beta(2.5, 1.2), stats.beta(0.8, 3.0)
    exact = integrate.quad(lambda t: q.pdf(t) * (q.logpdf(t) - p.logpdf(t)), 0, 1)[0]
    assert kl_divergence(np.array([2.5, 1.2]), np.array([0.8, 3.0])) == pytest.approx(exact, abs=1e-7)
    assert kl_divergence(np.array([2.0, 3.0]), np.array([2.0, 3.0])) == pytest.approx(0, abs=1e-14)
