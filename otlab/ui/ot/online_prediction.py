r"""Candidate probabilities averaged over the draws of a run in progress.

.. math:: \bar P(c) = \frac1S \sum_s P(c \mid \mu^{(s)})

over a thinned set of the draws so far. Each tick evaluates as many new draws as its time allows.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.fitted import log_likelihoods
from otlab.ot.probability import predict_many
from otlab.ot.probability_plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from otlab.ot.tableau import Tableau

__all__ = ["BackgroundFunction", "RunningPrediction", "TimedFunction", "takes_long"]

MOST_KEPT = 600
FIRST_SECONDS = 0.1
MOST_KEPT_NUMBERS = 4_000_000
MANY_RELATIONS = 3_000  # size at which the prediction of one draw takes a tenth of a second

_predictors = ThreadPoolExecutor(1, thread_name_prefix="predict")


def takes_long(tableau: Tableau) -> bool:
    """Return whether predictions of a tableau take too long for the page's thread."""
    return plan_of(tableau).n_relations > MANY_RELATIONS


class BackgroundFunction:
    """A function that is called on another thread, one call at a time.

    Parameters
    ----------
    function
        The function.
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self._function = function
        self._awaited: Future[tuple[np.ndarray, np.ndarray]] | None = None

    def __call__(self, argument: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Start a call unless one is in progress; return argument and result of the last call, or None."""
        if self._awaited is not None and not self._awaited.done():
            return None
        done, self._awaited = self._awaited, _predictors.submit(self._answer, argument)
        return None if done is None else done.result()

    def _answer(self, argument: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return argument, self._function(argument)


class TimedFunction:
    """A function of rows that tells how many of them it evaluates in a given time.

    Parameters
    ----------
    function
        Ranking values (n, K) to candidate probabilities (n, rows).
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self._function = function
        self._per_row = 0.0

    def rows(self, seconds: float) -> int:
        """Return the number of rows evaluated in some seconds, at least 1."""
        return max(1, int(seconds / self._per_row)) if self._per_row else 4

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return the function's value for these rows, and measure the time per row."""
        begin = time.perf_counter()
        answer = self._function(rows)
        per_row = (time.perf_counter() - begin) / len(rows)
        self._per_row = min(per_row, self._per_row or per_row)  # the first call may wait for a compiler
        return answer


class RunningPrediction:
    """Posterior predictive probabilities from a thinned, growing set of draws.

    Parameters
    ----------
    tableau, noise
        The tableau, and the evaluation noise.

    Attributes
    ----------
    best : ndarray of shape (K,) or None
        The draw, of those evaluated, under which the data are most probable.
    """

    def __init__(self, tableau: Tableau, noise: float) -> None:
        self._tableau = tableau
        self._probabilities = TimedFunction(lambda draws: predict_many(tableau, draws, noise, seed=0))
        self._beside = BackgroundFunction(self._probabilities) if takes_long(tableau) else None
        self._most = min(MOST_KEPT, max(16, MOST_KEPT_NUMBERS // tableau.n_rows))
        self._summary: np.ndarray | None = None
        self.best: np.ndarray | None = None
        self._best_score = -np.inf
        self._kept: list[np.ndarray] = []
        self._stride = 1
        self._offered = 0

    @property
    def kept(self) -> int:
        """The number of evaluated draws that are kept."""
        return len(self._kept)

    def feed(self, new: np.ndarray, seconds: float) -> None:
        """Evaluate some of the new draws (n, K) in about `seconds`, or one of them on another thread."""
        chosen = _spread(new, self._offered, self._stride)
        self._offered += len(new)
        if not len(chosen):
            return
        if self._beside is not None:
            if (answer := self._beside(chosen[:1])) is not None:
                self._keep(*answer)
            return
        first, n = not self._kept, self._probabilities.rows(seconds)
        self._keep(chosen[:n], self._probabilities(chosen[:n]))
        more = chosen[n : self._probabilities.rows(FIRST_SECONDS)]
        if first and len(more):  # of a run that is opened again all draws come at once
            self._keep(more, self._probabilities(more))

    def _keep(self, draws: np.ndarray, probability: np.ndarray) -> None:
        self._summary = None
        self._kept.extend(probability)
        self._keep_best(draws, log_likelihoods(self._tableau, probability))
        while len(self._kept) > self._most:
            self._kept = self._kept[::2]
            self._stride *= 2

    def _keep_best(self, draws: np.ndarray, scores: np.ndarray) -> None:
        top = int(np.argmax(scores))
        if self.best is None or scores[top] > self._best_score:
            self.best, self._best_score = draws[top].copy(), float(scores[top])

    def summary(self) -> np.ndarray | None:
        """Return mean, lower and upper end of the middle 95 %, (3, rows); None before any draw."""
        if self._summary is None and self._kept:
            kept = np.array(self._kept)
            self._summary = np.stack([kept.mean(axis=0), *np.quantile(kept, [0.025, 0.975], axis=0)])
        return self._summary


def _spread(new: np.ndarray, offered: int, stride: int) -> np.ndarray:
    """Return every `stride`-th draw, counted from the first draw of the run, in scattered order."""
    chosen = new[(-offered) % stride :: stride]
    order = np.argsort((np.arange(len(chosen)) * 0.6180339887) % 1.0)
    return np.asarray(chosen[order])
