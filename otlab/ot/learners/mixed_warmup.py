r"""What samplers of speakers and items learn in the warm-up.

At the end of each window the likelihood of each pair is approximated anew: the regression of its gradient on
its values :math:`\theta` over the draws of the window, with a symmetric matrix P of least

.. math:: \sum_d |g_d + P \theta_d|^2 + r |P - P_0|^2,

for deviations from the means, where :math:`P_0` is the P before (score matching; Hyvärinen 2005). The steps
of m and :math:`\ln \tau` follow their covariance in the draws, with that of the approximation as prior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.kernels import mixed_moves as kernels
from otlab.ot.kernels.mixed_normal import pull_of
from otlab.ot.learners.exact import steps_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.kernels.exact import Chain
    from otlab.ot.kernels.mixed_moves import Effects, Level, MixedPrior
    from otlab.ot.kernels.mixed_normal import Approximation

__all__ = ["approximate_covariance", "learn_common", "regress", "windows_of"]

_DIFFERENCE = 1e-3
_WIDEST = 2.0  # standard deviation of m and ln tau, in units of the scale of the prior of tau, and of 1


def windows_of(length: int) -> tuple[int, ...]:
    """Return the sweeps of a warm-up after which its moves are adapted; the last is its end."""
    shares = {length // 32, length // 16, length // 8, length // 4, length - length // 4, length}
    return tuple(sorted(shares - {0}))


def regress(found: Approximation) -> None:
    """Make the approximation of each pair anew from the sums that were gathered, and clear them."""
    n, k = found.gathered[0], found.theta.shape[1]
    if n >= 2:
        covariance, cross = found.scatter / n, found.cross / n
        sd = np.sqrt(np.einsum("pii->pi", covariance).mean(axis=0))
        sd[sd == 0] = 1.0
        scales = np.outer(sd, sd)
        covariance = covariance / scales
        ridge = np.einsum("pii->p", covariance) / n + 1e-9
        covariance = covariance + ridge[:, None, None] * np.eye(k)
        known = 2 * ridge[:, None, None] * found.precision * scales
        both = cross * (sd / sd[:, None])
        spread, axes = np.linalg.eigh(covariance)
        turned = axes.transpose(0, 2, 1) @ (known - both - both.transpose(0, 2, 1)) @ axes
        turned /= spread[:, :, None] + spread[:, None, :]
        found.precision[:] = _nonnegative(axes @ turned @ axes.transpose(0, 2, 1)) / scales
        found.pull[:] = found.slope + np.einsum("pij,pj->pi", found.precision, found.theta)
    for sums in found[2:]:
        sums[:] = 0


def _nonnegative(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return symmetric matrices without their negative eigenvalues."""
    values, axes = np.linalg.eigh(matrices)
    cleared: NDArray[np.float64] = (axes * np.maximum(values, 0)[:, None, :]) @ axes.transpose(0, 2, 1)
    return cleared


def approximate_covariance(
    prior: MixedPrior,
    level: Level,
    effects: Effects,
    approximation: Approximation,
    others: NDArray[np.float64],
    basis: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return that of m and ln tau by the approximation, about their mean, in directions of the basis."""
    at, groups = effects.chain.mean, len(effects.z)
    pulls, slope = np.empty((groups, others.shape[1])), np.empty(at.size)
    for g in range(groups):
        pull_of(level, g, approximation, others, pulls[g])

    def slope_at(place: NDArray[np.float64]) -> NDArray[np.float64]:
        kernels.approximate_slope(prior, level, place, effects.precision, pulls, slope)
        return slope @ basis

    steps = _DIFFERENCE * basis.T
    rows = [(slope_at(at - step) - slope_at(at + step)) / (2 * _DIFFERENCE) for step in steps]
    curvature = np.array(rows)
    unit = np.where(np.arange(at.size) < at.size // 2, prior.spread, 1.0)
    least = np.diag((basis**2).T @ (1 / (_WIDEST * unit) ** 2))
    values, axes = np.linalg.eigh((curvature + curvature.T) / 2)
    whole = (axes * np.maximum(values, 0)) @ axes.T + least
    covariance: NDArray[np.float64] = np.linalg.inv(whole)
    return covariance


def learn_common(chain: Chain, basis: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    """Take the covariance of the window that has ended, `expected` weighing as much as 4 K draws; clear."""
    n, own = float(chain.gathered[0]), 2.0 * chain.values.size
    covariance = (basis.T @ chain.scatter @ basis + own * expected) / (n + own)
    if np.isfinite(covariance).all() and np.all(np.linalg.eigvalsh(covariance) > 0):
        chain.steps[:] = steps_of(basis, covariance)
    chain.gathered[:], chain.mean[:], chain.scatter[:] = 0, 0, 0
