r"""Predictions that grow with the draws and never cost more time than they are given.

.. math:: \bar P(c) = \frac1S \sum_s P(c \mid \mu^{(s)})

over a thinned set of draws. A tick evaluates some of what is new in it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Paced", "RunningPrediction"]

MOST_KEPT = 600


class Paced:
    """A function of rows, called with as many rows as fit a time.

    Parameters
    ----------
    function
        Ranking values (n, K) to candidate probabilities (n, rows).
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self._function = function
        self._pace = 0.0

    def rows(self, seconds: float) -> int:
        """Return how many rows are expected to take so long, at least 1."""
        return max(1, int(seconds / self._pace)) if self._pace else 4

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        begin = time.perf_counter()
        answer = self._function(rows)
        self._pace = (time.perf_counter() - begin) / len(rows)
        return answer


class RunningPrediction:
    """Posterior predictive probabilities from a thinned, growing set of draws.

    Parameters
    ----------
    probabilities
        Ranking values (n, K) to candidate probabilities (n, rows).
    """

    def __init__(self, probabilities: Callable[[np.ndarray], np.ndarray]) -> None:
        self._probabilities = Paced(probabilities)
        self._kept: list[np.ndarray] = []
        self._stride = 1
        self._offered = 0

    def feed(self, new: np.ndarray, seconds: float) -> None:
        """Evaluate some of the new draws (n, K), for about `seconds`."""
        chosen = _spread(new, self._offered, self._stride)[: self._probabilities.rows(seconds)]
        self._offered += len(new)
        if len(chosen):
            self._kept.extend(self._probabilities(chosen))
        while len(self._kept) > MOST_KEPT:
            self._kept = self._kept[::2]
            self._stride *= 2

    def summary(self) -> np.ndarray | None:
        """Return mean, lower and upper end of the middle 95 %, (3, rows); None before any draw."""
        if not self._kept:
            return None
        kept = np.array(self._kept)
        return np.stack([kept.mean(axis=0), *np.quantile(kept, [0.025, 0.975], axis=0)])


def _spread(new: np.ndarray, offered: int, stride: int) -> np.ndarray:
    """Return every `stride`-th draw, counted from the first ever offered, in scattered order."""
    chosen = new[(-offered) % stride :: stride]
    order = np.argsort((np.arange(len(chosen)) * 0.6180339887) % 1.0)
    return np.asarray(chosen[order])
