"""Count the modes of a posterior: one number cannot summarise a posterior with several.

A Gaussian kernel density on 512 points; a peak counts when it rises above its
surroundings by more than 5 % of the highest, and by more than the noise of independent
draws: a posterior that is flat between its bounds has many small ones. The bandwidth is
Silverman's with the *effective* sample size instead of the number of draws, because
correlated draws would make peaks that the posterior does not have.

Two quantities with one peak each may have a difference with two, so :func:`multimodal` looks at
pairwise differences as well.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["multimodal", "peaks", "prominent"]

_POINTS = 512
_PROMINENCE = 0.05
_SIGMAS = 3.5  # standard errors of the difference between a peak and a valley: many peaks are looked at
_FEWEST_DRAWS = 100
_MOST_PAIRS = 500
_MOST_DRAWS = 20_000


def peaks(draws: np.ndarray, effective: float | None = None) -> np.ndarray:
    """Return the positions of the peaks of the density of the draws, in rising order.

    Parameters
    ----------
    draws : ndarray of shape (n,)
        Draws of one quantity.
    effective
        How many independent draws they are worth; all of them if None.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> one = rng.normal(size=4000)
    >>> len(peaks(one)), len(peaks(one + 5 * (rng.random(4000) < 0.3)))
    (1, 2)
    """
    quartiles = np.quantile(draws, [0.25, 0.75])
    spread = min(float(draws.std()), float(np.diff(quartiles)[0]) / 1.34)
    if len(draws) < _FEWEST_DRAWS or spread == 0:
        return np.array([np.median(draws)])
    width = 0.9 * spread * min(len(draws), effective or len(draws)) ** -0.2
    edges = np.linspace(draws.min() - 3 * width, draws.max() + 3 * width, _POINTS + 1)
    centres = 0.5 * (edges[1:] + edges[:-1])
    counts, _ = np.histogram(draws, edges)
    density = counts @ np.exp(-0.5 * ((centres[:, None] - centres) / width) ** 2)
    highest = density.max()
    found = [peak for peak in prominent(density, _PROMINENCE * highest) if _above_noise(density, peak)]
    where: np.ndarray = centres[found or [density.argmax()]]
    return where


def prominent(values: np.ndarray, least: float) -> np.ndarray:
    """Return the indices of the peaks that rise by `least` above the higher of the valleys beside them.

    The valley on a side is the lowest value before a higher peak or the end. A flat peak has the index of
    its middle; the first and the last value are never peaks. ``scipy.signal.find_peaks`` returns the same,
    but takes as long to import as a whole lab.
    """
    changes = np.flatnonzero(np.diff(values))
    first, last = np.append(0, changes + 1), np.append(changes, len(values) - 1)
    level = values[first]
    is_peak = (level[1:-1] > level[:-2]) & (level[1:-1] > level[2:])
    middles = ((first + last) // 2)[1:-1][is_peak]
    return np.array([peak for peak in middles if _prominence(values, peak) >= least], dtype=int)


def _prominence(values: np.ndarray, peak: int) -> float:
    higher = np.flatnonzero(values > values[peak])
    before, after = higher[higher < peak], higher[higher > peak]
    left = values[before[-1] + 1 if len(before) else 0 : peak + 1].min()
    right = values[peak : after[0] if len(after) else len(values)].min()
    return float(values[peak] - max(left, right))


def _above_noise(density: np.ndarray, peak: int) -> bool:
    """Return whether a peak rises above its surroundings by more than independent draws do by chance.

    A sum of kernels exp(-z^2 / 2) of independent draws with the mean m has about the variance m / sqrt(2):
    the integral of their squares is 1 / sqrt(2) of theirs. That of correlated draws is larger, but not by
    the draws per effective one: a chain that changes slowly between two modes has few effective draws and
    clear peaks.
    """
    height = _prominence(density, peak)
    valley = density[peak] - height
    return bool(height > _SIGMAS * np.sqrt((density[peak] + valley) / np.sqrt(2)))


def multimodal(draws: np.ndarray, names: Sequence[str], effective: float | None = None) -> list[str]:
    """Return the quantities, and differences of two, that have more than one peak.

    Parameters
    ----------
    draws : ndarray of shape (n, K)
        Chains pooled.
    names
        Names of the K quantities.
    effective
        As for :func:`peaks`.
    """
    draws = draws[:: max(1, len(draws) // _MOST_DRAWS)]
    multimodal = [
        name for name, column in zip(names, draws.T, strict=True) if len(peaks(column, effective)) > 1
    ]
    pairs = list(combinations(range(len(names)), 2))[:_MOST_PAIRS]
    for i, j in pairs:
        if len(peaks(draws[:, i] - draws[:, j], effective)) > 1:
            multimodal.append(f"{names[i]} - {names[j]}")
    return multimodal
