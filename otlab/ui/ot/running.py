r"""Predictions that grow with the draws and never cost more time than they are given.

.. math:: \bar P(c) = \frac1S \sum_s P(c \mid \mu^{(s)})

over a thinned set of draws. A tick evaluates some of what is new in it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.fitted import log_likelihoods
from otlab.ot.probability import predict_many

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau

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
        """Return the function of these rows, and note how long it took."""
        begin = time.perf_counter()
        answer = self._function(rows)
        pace = (time.perf_counter() - begin) / len(rows)
        self._pace = min(pace, self._pace or pace)  # the first call may wait for a compiler
        return answer


class RunningPrediction:
    """Posterior predictive probabilities from a thinned, growing set of draws.

    Parameters
    ----------
    tableau, noise
        Whose candidates, at which evaluation noise.

    Attributes
    ----------
    best : ndarray of shape (K,) or None
        Of the draws evaluated, the one under which the data are most probable.
    """

    def __init__(self, tableau: Tableau, noise: float) -> None:
        self._tableau = tableau
        self._probabilities = Paced(lambda draws: predict_many(tableau, draws, noise, seed=0))
        self.best: np.ndarray | None = None
        self._best_score = -np.inf
        self._kept: list[np.ndarray] = []
        self._stride = 1
        self._offered = 0

    def feed(self, new: np.ndarray, seconds: float) -> None:
        """Evaluate some of the new draws (n, K), for about `seconds`."""
        chosen = _spread(new, self._offered, self._stride)[: self._probabilities.rows(seconds)]
        self._offered += len(new)
        if len(chosen):
            probability = self._probabilities(chosen)
            self._kept.extend(probability)
            self._keep_best(chosen, log_likelihoods(self._tableau, probability))
        while len(self._kept) > MOST_KEPT:
            self._kept = self._kept[::2]
            self._stride *= 2

    def _keep_best(self, draws: np.ndarray, scores: np.ndarray) -> None:
        top = int(np.argmax(scores))
        if self.best is None or scores[top] > self._best_score:
            self.best, self._best_score = draws[top].copy(), float(scores[top])

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
