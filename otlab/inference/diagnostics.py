"""Convergence diagnostics: R-hat and effective sample size, by arviz-stats.

R-hat compares chains with each other (split in halves, Gelman et al. 2013); the
effective sample size says how many independent draws the correlated ones are worth
(Geyer's initial sequences). The effective sample size is also given of the squared quantity, which
shows whether the width has settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["ESS_ENOUGH", "ESS_NEEDED", "RHAT_NEEDED", "Trust", "Verdict", "assess"]

ESS_NEEDED = 100
ESS_ENOUGH = 400
RHAT_NEEDED = 1.05
_FEWEST_DRAWS = 8

Verdict = Literal["Converged", "Keep running", "Not converged", "Too early to say"]


@dataclass(frozen=True)
class Trust:
    """Diagnostics of one quantity's draws.

    Attributes
    ----------
    rhat, ess, ess_squares : ndarray of shape (size,)
        NaN where there are too few draws, or the quantity is constant in both halves of every chain.
    """

    rhat: np.ndarray
    ess: np.ndarray
    ess_squares: np.ndarray

    @property
    def largest_rhat(self) -> float:
        """The worst R-hat; NaN if none is known."""
        return float(np.nanmax(self.rhat)) if np.isfinite(self.rhat).any() else float("nan")

    @property
    def smallest_ess(self) -> float:
        """The worst effective sample size, squares included; NaN if none is known."""
        both = np.concatenate([self.ess, self.ess_squares])
        return float(np.nanmin(both)) if np.isfinite(both).any() else float("nan")

    @property
    def verdict(self) -> Verdict:
        """The words of the badge; "Converged" needs R-hat <= 1.05 and ESS >= 400."""
        rhat, ess = self.largest_rhat, self.smallest_ess
        if not (np.isfinite(rhat) and np.isfinite(ess)):
            return "Too early to say"
        if rhat > RHAT_NEEDED or ess < ESS_NEEDED:
            return "Not converged"
        return "Converged" if ess >= ESS_ENOUGH else "Keep running"


def assess(draws: np.ndarray) -> Trust:
    """Return split R-hat and effective sample sizes.

    Parameters
    ----------
    draws : ndarray of shape (chains, draws, size)
        The draws without warm-up.
    """
    _, length, size = draws.shape
    unknown = np.full(size, np.nan)
    if length < _FEWEST_DRAWS or size == 0:
        return Trust(unknown, unknown, unknown)
    from arviz_stats.base import array_stats

    half = length // 2
    halves = np.concatenate([draws[:, :half], draws[:, -half:]])
    moving = np.ptp(halves, axis=1).max(0) > 0  # else the variance within chains, a divisor of R-hat, is 0
    rhat, ess, ess_squares = unknown.copy(), unknown.copy(), unknown.copy()
    if moving.any():
        part = draws[..., moving]
        axes = {"chain_axis": 0, "draw_axis": 1}
        rhat[moving] = array_stats.rhat(part, method="split", **axes)
        ess[moving] = array_stats.ess(part, method="mean", **axes)
        ess_squares[moving] = array_stats.ess(part**2, method="mean", **axes)
    return Trust(rhat, ess, ess_squares)
