"""Incremental histograms: each tick counts the new draws only.

Counts are kept in narrow bins with the same width for all constraints. If a draw lies outside the bins,
their range is doubled by merging pairs of bins. Counts remain exact, and the work at each tick depends on
the number of new draws, not on that of all draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DrawHistogram"]

_FINE = 4096  # number of bins from -reach to reach
_FIRST_REACH = 1 / 16


class DrawHistogram:
    """Counts, means, standard deviations and quantiles of draws seen so far.

    Parameters
    ----------
    n_columns
        Number of constraints, K (or of candidates).

    Attributes
    ----------
    n : int
        Number of draws counted.
    mean, sd
        Mean and standard deviation of each column, shape (K,); NaN without draws (sd: with one draw).

    Examples
    --------
    >>> histogram = DrawHistogram(1)
    >>> histogram.update([np.array([[0.0], [1.0], [1.0]])])
    >>> histogram.n, histogram.mean.round(3).tolist()
    (3, [0.667])
    """

    def __init__(self, n_columns: int) -> None:
        self.n = 0
        self._reach = _FIRST_REACH
        self._counts = np.zeros((n_columns, _FINE), dtype=np.int64)
        self._cumulative = np.zeros((n_columns, _FINE + 1), dtype=np.int64)
        self._mean = np.zeros(n_columns)
        self._square = np.zeros(n_columns)  # sum of squared deviations from the mean
        self._seen: list[int] = []

    @property
    def mean(self) -> np.ndarray:
        """Mean of each column, shape (K,)."""
        return self._mean.copy() if self.n else np.full(len(self._mean), np.nan)

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation of each column, shape (K,)."""
        return np.sqrt(self._square / (self.n - 1)) if self.n > 1 else np.full(len(self._mean), np.nan)

    @property
    def step(self) -> float:
        """Width of a fine bin; 0 is always an edge."""
        return 2 * self._reach / _FINE

    def update(self, chains: Sequence[np.ndarray]) -> None:
        """Count the draws of each chain since the last call.

        Parameters
        ----------
        chains
            All draws of each chain so far, shape (n, K); new draws are appended.
        """
        self._seen += [0] * (len(chains) - len(self._seen))
        for c, draws in enumerate(chains):
            self.add(draws[self._seen[c] :])
            self._seen[c] = len(draws)

    def add(self, draws: np.ndarray) -> None:
        """Count draws of shape (n, K), without rows that are not finite."""
        draws = draws[np.isfinite(draws).all(axis=1)]
        if not len(draws):
            return
        self._reach_out(float(np.abs(draws).max()))
        self._count(draws)
        self._moments(draws)

    def quantiles(self, levels: Sequence[float]) -> np.ndarray:
        """Return quantiles of each column, shape (levels, K), exact to a bin's width; NaN without draws."""
        if not self.n:
            return np.full((len(levels), len(self._mean)), np.nan)
        return np.stack([self._quantile(level * self.n) for level in levels])

    def bins(self, low: float, high: float, at_most: int) -> tuple[np.ndarray, np.ndarray]:
        """Return bin edges from `low` to `high` and exact counts.

        Parameters
        ----------
        low, high
            Ends of the range; edges are multiples of the bins' width and cover it.
        at_most
            Largest number of bins within the range.

        Returns
        -------
        edges : (bins + 1,)
        counts : (K, bins)
        """
        fine = max(1, int(np.ceil((high - low) / at_most / self.step)))
        ends = np.arange(np.floor(low / self.step / fine), np.ceil(high / self.step / fine) + 1) * fine
        places = np.clip(ends + _FINE // 2, 0, _FINE).astype(np.int64)
        return ends * self.step, np.diff(self._cumulative[:, places], axis=1)

    def _reach_out(self, farthest: float) -> None:
        while farthest >= self._reach:
            quarter = _FINE // 4
            merged = self._counts.reshape(len(self._counts), -1, 2).sum(axis=2)
            self._counts[:] = 0
            self._counts[:, quarter : 3 * quarter] = merged
            self._reach *= 2

    def _count(self, draws: np.ndarray) -> None:
        columns = len(self._counts)
        places = np.floor(draws / self.step).astype(np.int64) + _FINE // 2
        places += np.arange(columns) * _FINE
        self._counts += np.bincount(places.ravel(), minlength=columns * _FINE).reshape(columns, _FINE)
        np.cumsum(self._counts, axis=1, out=self._cumulative[:, 1:])

    def _moments(self, draws: np.ndarray) -> None:
        """Update mean and squared deviations (Chan, Golub and LeVeque 1983, eq. 2.1)."""
        mean, total = draws.mean(axis=0), self.n + len(draws)
        gap = mean - self._mean
        self._square += ((draws - mean) ** 2).sum(axis=0) + gap**2 * self.n * len(draws) / total
        self._mean += gap * len(draws) / total
        self.n = total

    def _quantile(self, target: float) -> np.ndarray:
        below = np.array([counts[1:].searchsorted(target) for counts in self._cumulative])
        below = np.minimum(below, _FINE - 1)
        rows = np.arange(len(below))
        inside = np.maximum(self._counts[rows, below], 1)
        share = np.clip((target - self._cumulative[rows, below]) / inside, 0, 1)
        return np.asarray((below - _FINE // 2 + share) * self.step)
