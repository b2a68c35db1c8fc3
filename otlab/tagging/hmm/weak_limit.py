r"""Point estimates of the weights and concentrations of a hierarchical Dirichlet process, for VB.

The process of :mod:`otlab.tagging.hmm.hdp` with at most T states, as in its weak limit (Fox et al. 2008):
:math:`\beta \sim \mathrm{Dir}(\gamma/T, \dots, \gamma/T, 1)`, the last of the boundary. As T grows this
becomes the process itself. Given expected counts n, the logarithms of beta, alpha and gamma and the log odds
of rho are moved towards the maximum of

.. math::
    J = \sum_r \Big[\ln\frac{\Gamma(\alpha)}{\Gamma(\alpha + n_r)} + \sum_q
    \ln\frac{\Gamma(\alpha_{r,q} + n_{r,q})}{\Gamma(\alpha_{r,q})}\Big] + \ln p(\beta, \alpha, \rho, \gamma),

alpha_{r,q} being the prior mass of a transition: the part of the variational bound that depends on them, once
the posterior of the rows is the best one. With :math:`t_{r,q} = \alpha_{r,q}(\psi(\alpha_{r,q} + n_{r,q}) -
\psi(\alpha_{r,q}))`, the tables that are expected (Minka 2000), a fixed point is where :math:`\beta_q \propto
\gamma/T + \sum_r t_{r,q}` (1 in place of gamma/T for the boundary; without the share of t that is due to
rho), and alike for the others. The step towards it points uphill, and is halved until J has not fallen.
Liang et al. (2007) estimate the weights by a point, too, under another density (of sticks), by its gradient.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import digamma, expit, gammaln, logit

from otlab.inference.dirichlet import log_marginal
from otlab.tagging.hmm.hdp import Franchise

if TYPE_CHECKING:
    from otlab.tagging.hmm.hdp import Concentration

__all__ = ["climb", "log_prior", "prior_masses", "start_weights"]

_LEAST = 1e-10  # of a weight
_HALVINGS = 20
_ROUNDS = 3  # steps between two E-steps
_LOG_GAMMA = (-7.0, 7.0)


def start_weights(transitions: np.ndarray, gamma: float, alpha: float, rho: float) -> Franchise:
    """Return weights in proportion to the counts that enter each state, and these concentrations."""
    columns = transitions.sum(0) + 1.0
    return Franchise(gamma, alpha, rho, columns / columns.sum())


def prior_masses(franchise: Franchise) -> np.ndarray:
    """Return the prior mass of each transition, shape (states + 1, states + 1), the boundary last."""
    return franchise.masses(np.arange(franchise.base.size - 1))


def log_prior(franchise: Franchise, priors: tuple[Concentration, Concentration]) -> float:
    """Return the log density of the logarithms of beta, alpha and gamma, and of the log odds of rho."""
    states, gamma = franchise.base.size - 1, franchise.gamma
    total = gammaln(gamma + 1) - states * gammaln(gamma / states)
    total += gamma / states * np.log(franchise.base[:-1]).sum() + np.log(franchise.base[-1])
    for prior, value in zip(priors, (gamma, franchise.alpha), strict=True):
        if not prior.kept:
            total += prior.shape * np.log(prior.rate * value) - prior.rate * value - gammaln(prior.shape)
    if franchise.rho > 0:
        total += np.log(franchise.rho) + np.log1p(-franchise.rho)
    return float(total)


def climb(
    transitions: np.ndarray, franchise: Franchise, priors: tuple[Concentration, Concentration]
) -> Franchise:
    """Return weights and concentrations at which J is not lower.

    Parameters
    ----------
    transitions : ndarray of shape (states + 1, states + 1)
        Expected counts.
    franchise
        The present ones. A concentration that is kept, and rho if it is 0, stay.
    priors
        Of gamma and alpha.
    """

    def height(point: Franchise) -> float:
        return log_marginal(transitions, prior_masses(point)) + log_prior(point, priors)

    now = height(franchise)
    for _ in range(_ROUNDS):
        aim = _fixed_point(transitions, franchise, priors)
        share = 1.0
        for _ in range(_HALVINGS):
            point = _between(franchise, aim, share)
            reached = height(point)
            if reached >= now:
                franchise, now = point, reached
                break
            share /= 2
    return franchise


def _fixed_point(
    transitions: np.ndarray, franchise: Franchise, priors: tuple[Concentration, Concentration]
) -> Franchise:
    """Return where the conditions of a maximum, solved one by one from the present point, are met."""
    masses, states = prior_masses(franchise), franchise.base.size - 1
    tables = masses * (digamma(masses + transitions) - digamma(masses))
    alpha, rho, gamma = franchise.alpha, franchise.rho, franchise.gamma
    own = np.arange(states)
    taken = tables[own, own] * rho / (rho + (1 - rho) * franchise.base[:-1])
    if not priors[1].kept:
        customers = transitions.sum(1)
        left = (digamma(alpha + customers) - digamma(alpha)).sum()
        alpha = (tables.sum() + priors[1].shape) / (left + priors[1].rate)
    if rho > 0:
        rho = (1 + taken.sum()) / (2 + tables[:-1].sum())
    dishes = tables.sum(0) + np.append(np.full(states, gamma / states), 1.0)
    dishes[:-1] -= taken
    if not priors[0].kept:
        gamma = _best_gamma(franchise, priors)
    return replace(franchise, gamma=gamma, alpha=alpha, rho=rho, base=_shares(dishes))


def _best_gamma(franchise: Franchise, priors: tuple[Concentration, Concentration]) -> float:
    def cost(log_gamma: float) -> float:
        return -log_prior(replace(franchise, gamma=float(np.exp(log_gamma))), priors)

    return float(np.exp(minimize_scalar(cost, bounds=_LOG_GAMMA, method="bounded").x))


def _shares(weights: np.ndarray) -> np.ndarray:
    shares = np.maximum(weights / weights.sum(), _LEAST)
    shares /= shares.sum()
    return np.asarray(shares)


def _between(start: Franchise, end: Franchise, share: float) -> Franchise:
    """Return the point so far on the way, the logarithms and log odds being moved."""

    def middle(a: float, b: float) -> float:
        return float(a ** (1 - share) * b**share)

    rho = start.rho
    if rho > 0:
        odds = (1 - share) * logit(start.rho) + share * logit(end.rho)
        rho = float(np.clip(expit(odds), 1e-9, 1 - 1e-9))
    base = _shares(start.base ** (1 - share) * end.base**share)
    return replace(
        start,
        gamma=middle(start.gamma, end.gamma),
        alpha=middle(start.alpha, end.alpha),
        rho=rho,
        base=base,
    )
