r"""Dirichlet distributions: expected logarithms, log marginal, KL divergence.

With counts :math:`n` and prior :math:`\alpha`: predictive
:math:`(n_i + \alpha_i)/\sum(n + \alpha)`; VB weights
:math:`\exp(\psi(n_i + \alpha_i) - \psi(\sum(n + \alpha)))`; log marginal
:math:`\ln\Gamma(\sum\alpha) - \ln\Gamma(\sum(n + \alpha))
+ \sum_i [\ln\Gamma(n_i + \alpha_i) - \ln\Gamma(\alpha_i)]`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

__all__ = ["expected_log", "kl_divergence", "log_marginal"]


def expected_log(alpha: np.ndarray) -> np.ndarray:
    """Return E[ln theta] under Dirichlet(alpha), over the last axis."""
    out: np.ndarray = digamma(alpha) - digamma(alpha.sum(axis=-1, keepdims=True))
    return out


def log_marginal(counts: np.ndarray, alpha: np.ndarray) -> float:
    """Return ln of the Dirichlet-multinomial probability of one sequence with these counts.

    Rows (all but the last axis) are independent and summed. `alpha` broadcasts.
    """
    alpha = np.broadcast_to(alpha, np.shape(counts)).astype(float)
    posterior = counts + alpha
    rows = gammaln(alpha.sum(-1)) - gammaln(posterior.sum(-1)) + (gammaln(posterior) - gammaln(alpha)).sum(-1)
    return float(np.sum(rows))


def kl_divergence(posterior: np.ndarray, prior: np.ndarray) -> float:
    """Return KL(Dirichlet(posterior) || Dirichlet(prior)) in nats, rows summed."""
    prior = np.broadcast_to(prior, np.shape(posterior)).astype(float)
    rows = (
        gammaln(posterior.sum(-1))
        - gammaln(posterior).sum(-1)
        - gammaln(prior.sum(-1))
        + gammaln(prior).sum(-1)
        + ((posterior - prior) * expected_log(posterior)).sum(-1)
    )
    return float(np.sum(rows))
