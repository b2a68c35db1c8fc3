r"""Mixtures of Gaussians with diagonal precision: posterior, expected log densities, KL divergence.

Each dimension of each Gaussian has a mean and a *precision* :math:`\lambda` (Stengel-Eskin
2017, section 2.5, calls :math:`\lambda` the diagonal of the covariance), with prior
:math:`\lambda \sim \mathrm{Gamma}(a_0, b_0)`, :math:`\mu \sim N(m_0, (\kappa_0\lambda)^{-1})`.
With :math:`r` the responsibilities of the Gaussian and :math:`N = \sum r` its expected uses:

.. math::
    \kappa &= \kappa_0 + N, & m &= (\kappa_0 m_0 + \textstyle\sum r x) / \kappa, \\
    a &= a_0 + N/2, & b &= b_0 + \tfrac12(\textstyle\sum r x^2 + \kappa_0 m_0^2 - \kappa m^2), \\
    E \ln N(x) &= \tfrac12 \textstyle\sum_d [\psi(a) - \ln b - \ln 2\pi - (a/b)(x - m)^2 - 1/\kappa]

The last is linear in :math:`(x^2, x, 1)`, so one matrix product scores all Gaussians.
Mixture weights have a Dirichlet prior, whose pseudo-count is added in the posterior (the paper
omits it in the update of the rules).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from otlab.inference import dirichlet

__all__ = ["Moments", "NormalGamma", "mixture_scores"]

MEAN, PSEUDO_COUNT, SHAPE, RATE = 0.0, 1.0, 1.0, 1.0
"""m0, kappa0, a0 and b0, for features with mean 0 and variance 1."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Expected uses of Gaussians, and the weighted sums of their frames.

    Attributes
    ----------
    uses : float64 ndarray of shape (...,)
        Expected uses of each Gaussian.
    first, second : float64 ndarray of shape (..., dimensions)
        Weighted sums of the features and of their squares.
    """

    uses: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def ordered(self, order: np.ndarray) -> Moments:
        """Return the moments with the units (the last axis before the dimensions) in another order."""
        return Moments(self.uses[..., order], self.first[..., order, :], self.second[..., order, :])


@dataclass(frozen=True, eq=False)
class NormalGamma:
    """Posterior of the Gaussians.

    Attributes
    ----------
    pseudo_count, shape : float64 ndarray of shape (...,)
        kappa and a of each Gaussian.
    mean, rate : float64 ndarray of shape (..., dimensions)
        m and b.
    """

    pseudo_count: np.ndarray
    shape: np.ndarray
    mean: np.ndarray
    rate: np.ndarray

    @staticmethod
    def fitted(moments: Moments) -> NormalGamma:
        """Return the posterior given expected uses."""
        kappa = PSEUDO_COUNT + moments.uses
        mean = (PSEUDO_COUNT * MEAN + moments.first) / kappa[..., None]
        spread = moments.second + PSEUDO_COUNT * MEAN**2 - kappa[..., None] * mean**2
        return NormalGamma(kappa, SHAPE + moments.uses / 2, mean, RATE + np.maximum(spread, 0.0) / 2)

    def first_units(self, units: int) -> NormalGamma:
        """Return the posterior of the first units (the last axis before the dimensions) alone."""
        return NormalGamma(
            self.pseudo_count[..., :units],
            self.shape[..., :units],
            self.mean[..., :units, :],
            self.rate[..., :units, :],
        )

    @property
    def expected_log_precision(self) -> np.ndarray:
        """E ln lambda, of shape (..., dimensions)."""
        out: np.ndarray = digamma(self.shape)[..., None] - np.log(self.rate)
        return out

    @property
    def precision(self) -> np.ndarray:
        """E lambda, of shape (..., dimensions)."""
        out: np.ndarray = self.shape[..., None] / self.rate
        return out

    def coefficients(self) -> np.ndarray:
        """Return the coefficients of (x^2, x, 1) in E ln N(x): shape (..., 2 dimensions + 1)."""
        precision, dimensions = self.precision, self.mean.shape[-1]
        constant = (self.expected_log_precision - precision * self.mean**2).sum(axis=-1)
        constant -= dimensions * (np.log(2 * np.pi) + 1 / self.pseudo_count)
        return np.concatenate([-precision / 2, precision * self.mean, constant[..., None] / 2], axis=-1)

    def kl(self) -> float:
        """Return KL(q || prior) in nats, summed over Gaussians and dimensions."""
        kappa, a = self.pseudo_count[..., None], self.shape[..., None]
        shift = PSEUDO_COUNT * self.precision * (self.mean - MEAN) ** 2
        terms = (np.log(kappa / PSEUDO_COUNT) + PSEUDO_COUNT / kappa - 1 + shift) / 2
        terms = terms + SHAPE * np.log(self.rate / RATE) - gammaln(a) + gammaln(SHAPE)
        terms += (a - SHAPE) * digamma(a) - (self.rate - RATE) * self.precision
        return float(terms.sum())


def mixture_scores(mixture: np.ndarray) -> np.ndarray:
    """Return E ln of the mixture weights, which have a Dirichlet posterior over the first axis."""
    return np.moveaxis(dirichlet.expected_log(np.moveaxis(mixture, 0, -1)), -1, 0)
