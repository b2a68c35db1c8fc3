r"""Sticks: the weights of one adapted symbol's grammatons.

Prior :math:`\nu_i \sim \mathrm{Beta}(1 - b, a + ib)`; with expected uses :math:`n_i` of
grammaton i, :math:`n_\mathrm{new}` uses through the base and i = 1, 2, ...

.. math::
    \gamma^1_i &= 1 - b + n_i \\
    \gamma^2_i &= a + ib + \sum_{j>i} n_j + n_\mathrm{new} \\
    E\ln\pi_i &= E\ln\nu_i + \sum_{j<i} E\ln(1 - \nu_j), \qquad
    \text{leftover} = \sum_{j \le T} E\ln(1 - \nu_j)

Stengel-Eskin (2017) prints the prior as :math:`\mathrm{Beta}(1-b, a-ib)`, sums
:math:`j < i` in :math:`\gamma^2`, indexes :math:`\gamma^1` by the string instead of the
grammaton, and repeats :math:`E\ln\nu` in the sum of :math:`E\ln\pi`; each of these makes
the bound fall.

The leftover form (Zhai, Boyd-Graber & Cohen 2014) is the exact mean field of a modified
model: past stick T every use is a fresh draw from the base. Cohen, Blei & Smith (2010)
set :math:`\nu_T = 1` instead, and nothing new can be built.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaln, digamma

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HYPER_RATE", "STARVED", "Sticks", "hyper_log_prior", "learn_hyperparameters"]

HYPER_RATE = 1e-3
"""Rate of the exponential prior of the concentration; the discount's prior is flat."""

STARVED = 1e-4
"""Below this leftover mass no new string is ever built."""


@dataclass(frozen=True, eq=False)
class Sticks:
    """One adapted symbol's sticks.

    Attributes
    ----------
    strings : int64 ndarray of shape (sticks,)
        The string of each grammaton, in the order of the sticks.
    first, second : float64 ndarray of shape (sticks,)
        Parameters of each Beta posterior.
    concentration, discount
        a and b.
    """

    strings: np.ndarray
    first: np.ndarray
    second: np.ndarray
    concentration: float
    discount: float

    def __len__(self) -> int:
        return self.strings.size

    @staticmethod
    def fitted(
        strings: np.ndarray, uses: np.ndarray, new: float, concentration: float, discount: float
    ) -> Sticks:
        """Return the sticks for expected uses, in descending order of use.

        With Beta posteriors for all sticks the order by descending use maximises the
        bound exactly, so a sort inside the update never lets it fall.
        """
        order = np.argsort(-uses, kind="stable")
        uses = uses[order]
        passed = new + np.concatenate([np.cumsum(uses[::-1])[::-1][1:], [0.0]])[: uses.size]
        first, second = prior(uses.size, concentration, discount)
        return Sticks(strings[order], first + uses, second + passed, concentration, discount)

    @property
    def log_taken(self) -> np.ndarray:
        """E ln nu."""
        out: np.ndarray = digamma(self.first) - digamma(self.first + self.second)
        return out

    @property
    def log_passed(self) -> np.ndarray:
        """E ln (1 - nu)."""
        out: np.ndarray = digamma(self.second) - digamma(self.first + self.second)
        return out

    @property
    def weights(self) -> np.ndarray:
        """exp(E ln pi), with which the parser works."""
        before = np.concatenate([[0.0], np.cumsum(self.log_passed)])[: len(self)]
        out: np.ndarray = np.exp(self.log_taken + before)
        return out

    @property
    def leftover(self) -> float:
        """exp(E ln of the mass that the sticks leave for new strings)."""
        return float(np.exp(self.log_passed.sum()))

    @property
    def mean(self) -> np.ndarray:
        """E[pi] of each grammaton."""
        return self._moments()[0]

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation of pi."""
        mean, square = self._moments()
        out: np.ndarray = np.sqrt(np.maximum(square - mean**2, 0.0))
        return out

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return E[pi] and E[pi^2]: sticks are independent, so moments multiply."""
        total = self.first + self.second
        mean = np.concatenate([[1.0], np.cumprod(self.second / total)])[: len(self)] * self.first / total
        passed = self.second * (self.second + 1) / (total * (total + 1))
        taken = self.first * (self.first + 1) / (total * (total + 1))
        return mean, np.concatenate([[1.0], np.cumprod(passed)])[: len(self)] * taken

    def kl(self) -> float:
        """Return KL(q(nu) || p(nu)) in nats."""
        first, second = prior(len(self), self.concentration, self.discount)
        terms = betaln(first, second) - betaln(self.first, self.second)
        terms += (self.first - first) * self.log_taken + (self.second - second) * self.log_passed
        return float(terms.sum())


def prior(sticks: int, concentration: float, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the Beta parameters (1 - b, a + i b) of sticks i = 1, 2, ..."""
    i = np.arange(1, sticks + 1)
    return np.full(sticks, 1.0 - discount), concentration + i * discount


def prior_mean(sticks: int, concentration: float, discount: float) -> np.ndarray:
    """Return E[pi_i] under the prior."""
    first, second = prior(sticks, concentration, discount)
    taken = first / (first + second)
    out: np.ndarray = taken * np.concatenate([[1.0], np.cumprod(1.0 - taken)])[:sticks]
    return out


def hyper_log_prior(concentration: float) -> float:
    """Return ln p(a), exponential with rate HYPER_RATE."""
    return float(np.log(HYPER_RATE) - HYPER_RATE * concentration)


def learn_hyperparameters(sticks: Sticks) -> Sticks:
    """Return the sticks with the concentration and, where it is not 0, the discount refitted.

    Maximises the bound plus ln p(a) over a, then over b, given the posterior of the
    sticks, so that the objective never falls. A departure from Zhai et al., who take the
    posterior mean of a at b = 0.
    """
    if not len(sticks):
        return sticks
    taken, passed = float(sticks.log_taken.sum()), sticks.log_passed
    a, b = sticks.concentration, sticks.discount
    if b == 0.0:
        return replace(sticks, concentration=len(sticks) / (HYPER_RATE - float(passed.sum())))
    a = _search(lambda x: _bound(x, b, len(sticks), taken, passed), a, 1e-3, 1e5, logarithmic=True)
    b = _search(lambda x: _bound(a, x, len(sticks), taken, passed), b, 1e-4, 0.98, logarithmic=False)
    return replace(sticks, concentration=a, discount=b)


def _bound(a: float, b: float, size: int, taken: float, passed: np.ndarray) -> float:
    """Return the part of the objective that depends on a and b."""
    first, second = prior(size, a, b)
    return float(
        -betaln(first, second).sum() - b * taken + ((second - 1.0) * passed).sum()
    ) + hyper_log_prior(a)


def _search(
    bound: Callable[[float], float], now: float, low: float, high: float, *, logarithmic: bool
) -> float:
    """Maximise over one number by Brent's method; never worse than `now`."""
    into, back = (np.log, np.exp) if logarithmic else (float, float)
    optimum = minimize_scalar(
        lambda x: -bound(float(back(x))), bounds=(into(low), into(high)), method="bounded"
    )
    best = float(back(optimum.x))
    return best if bound(best) > bound(now) else now
