"""What three learners have found so far, in the form the pictures take.

Each result is fed the ticks of one run and keeps running summaries: a tick costs what
is new in it. Nothing here draws, and nothing knows a page.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab import __version__
from otlab.inference.diagnostics import ESS_NEEDED, Trust, assess
from otlab.inference.modes import multimodal
from otlab.inference.posterior import Posterior
from otlab.ot.predict import predict_from_draws, spread_out
from otlab.ot.probability import predict_many
from otlab.ui.ot.running import Paced, RunningPrediction
from otlab.viz.histograms import DrawHistogram

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference.learner import Tick
    from otlab.ot.tableau import Tableau

__all__ = ["EndlessResult", "GLAResult", "GibbsResult", "MaxEntResult", "warmup_of"]

PREDICTION_SECONDS = 0.012
MOST_WARMUP = 1000
MOST_FOR_MODES = 20_000
MOST_CONSTRAINTS_FOR_MODES = 12

_assessors = ThreadPoolExecutor(1, thread_name_prefix="trust")


def warmup_of(sweeps: int) -> int:
    """Return how many sweeps at the start of each chain do not count: a tenth, at most 1000.

    >>> warmup_of(2000), warmup_of(1_000_000)
    (200, 1000)
    """
    return min(MOST_WARMUP, sweeps // 10)


class GibbsResult:
    """The posterior of the ranking values as it forms.

    Parameters
    ----------
    tableau
        What is learnt from.
    settings
        The run panel's, as they were at the start; sweeps set the warm-up.

    Attributes
    ----------
    histogram : DrawHistogram
        Of all draws after the warm-up; of those before it while there are no others.
    chains : list of ndarray
        Each chain's draws (n, K) that count.
    warming, just_warm : bool
        Whether no draw counts yet; whether the last tick brought the first that do.
    modes : list of str
        Constraints, and differences of two, whose posterior has several peaks; as of then.
    trust : Trust or None
        R-hat and ESS as of the last :meth:`look_at_trust`.
    """

    def __init__(self, tableau: Tableau, settings: Mapping[str, Any]) -> None:
        self.tableau = tableau
        self.settings = dict(settings)
        self.warmup = warmup_of(settings["sweeps"])
        self.trust: Trust | None = None
        self.tick: Tick[Any] | None = None
        self._noise = settings["noise"]
        self.warming = True
        self.just_warm = False
        self.modes: list[str] = []
        self._assessing: Future[tuple[Trust, list[str]]] | None = None
        self._start_over()

    def _start_over(self) -> None:
        self.histogram = DrawHistogram(self.tableau.n_constraints)
        self.chains: list[np.ndarray] = []
        self._prediction = RunningPrediction(self.tableau, self._noise)
        self._settled: np.ndarray | None = None
        self._best: np.ndarray | None = None

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick = tick
        self._settled = self._best = None
        self.just_warm = self.warming and tick.sweep > self.warmup
        if self.just_warm:
            self.warming = False
            self._start_over()
        skipped = 0 if self.warming else self.warmup
        before = [len(draws) for draws in self.chains] or [0] * len(tick.views)
        self.chains = [view.draws[skipped:] for view in tick.views]
        self.histogram.update(self.chains)
        new = np.concatenate([draws[n:] for draws, n in zip(self.chains, before, strict=True)])
        self._prediction.feed(new, PREDICTION_SECONDS)

    def prolong(self, sweeps: int) -> None:
        """Count as one longer run from now on; its warm-up may be longer too."""
        self.settings["sweeps"] += sweeps
        self.warmup = warmup_of(self.settings["sweeps"])
        self.warming = True
        self._start_over()

    def look_at_trust(self, *, at_once: bool) -> Trust | None:
        """Return the newest R-hat and ESS, and have newer ones made on another thread.

        At the end of a run they are made at once: nothing asks again.
        """
        if self._assessing is not None and (at_once or self._assessing.done()):
            (self.trust, self.modes), self._assessing = self._assessing.result(), None
        if self.warming:
            return None
        if at_once:
            self.trust, self.modes = self._assess(self.chains)
        elif self._assessing is None:
            self._assessing = _assessors.submit(self._assess, list(self.chains))
        return self.trust

    def _assess(self, chains: list[np.ndarray]) -> tuple[Trust, list[str]]:
        length = min(map(len, chains))
        draws = np.stack([chain[:length] for chain in chains])
        trust = assess(draws)
        pooled = draws.reshape(-1, draws.shape[2])
        few = pooled[:: max(1, len(pooled) // MOST_FOR_MODES)]
        if draws.shape[2] > MOST_CONSTRAINTS_FOR_MODES or trust.verdict == "Too early to say":
            return trust, []
        return trust, multimodal(few, self.tableau.constraints, max(trust.smallest_ess, ESS_NEEDED))

    @property
    def centre(self) -> np.ndarray:
        """The ranking values that stand for the posterior, float64 (K,).

        Its medians; while they cannot be read the best draw, for medians may lie in no mode.
        """
        if not self.readable and self.best is not None:
            return self.best
        return np.asarray(self.histogram.quantiles([0.5])[0])

    def settle(self) -> None:
        """Replace predictions gathered in passing by those of evenly spaced draws of the whole run."""
        if self.warming or not self.histogram.n:
            return
        draws = spread_out(np.concatenate(self.chains), self.tableau)
        said = predict_from_draws(self.tableau, draws, self._noise)
        self._settled = np.stack([said.mean, said.low, said.high])
        self._best = said.best

    @property
    def best(self) -> np.ndarray | None:
        """The draw under which the data are most probable, of those evaluated; float64 (K,)."""
        return self._prediction.best if self._best is None else self._best

    @property
    def readable(self) -> bool:
        """Whether medians may be read: the chains agree, and there is one mode."""
        return not self.modes and (self.trust is None or self.trust.verdict != "Not converged")

    @property
    def posterior(self) -> Posterior | None:
        """The draws with their names and how they were made; None while none counts."""
        if self.warming or not self.chains:
            return None
        length = min(map(len, self.chains))
        return Posterior(
            draws={"ranking_value": np.stack([draws[:length] for draws in self.chains])},
            coords={"constraint": self.tableau.constraints},
            dims={"ranking_value": ("constraint",)},
            learner="gibbs",
            seed=self.settings["seed"],
            settings={**self.settings, "warmup": self.warmup},
            versions={"otlab": __version__},
        )

    @property
    def predicted(self) -> np.ndarray | None:
        """Mean, low and high probability of each candidate, (3, rows); None before there is a draw."""
        return self._prediction.summary() if self._settled is None else self._settled


class GLAResult:
    """Where each of many independent runs of the GLA stands.

    Parameters
    ----------
    tableau, noise
        What was learnt from, at which evaluation noise.

    Attributes
    ----------
    values : ndarray of shape (runs, K) or None
        Every run's ranking values, centred.
    predicted : ndarray of shape (runs, rows) or None
        Candidate probabilities under each run's values; during the run some are a tick old.
    """

    def __init__(self, tableau: Tableau, noise: float) -> None:
        self.values: np.ndarray | None = None
        self.predicted: np.ndarray | None = None
        self.tick: Tick[Any] | None = None
        self._probabilities = Paced(lambda values: predict_many(tableau, values, noise, seed=0))
        self._next = 0

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings: every run's ranking values, some runs' predictions."""
        self.tick = tick
        self.values = np.array([view.values for view in tick.views])
        if self.predicted is None:
            self.settle()
            return
        n = min(len(self.values), self._probabilities.rows(PREDICTION_SECONDS))
        turn = (self._next + np.arange(n)) % len(self.values)
        self.predicted = self.predicted.copy()
        self.predicted[turn] = self._probabilities(self.values[turn])
        self._next += n

    def settle(self) -> None:
        """Predict from every run's present values."""
        if self.values is not None:
            self.predicted = self._probabilities(self.values)


class MaxEntResult:
    """Weights and the probabilities they give.

    Parameters
    ----------
    probabilities
        Weights (K,) to candidate probabilities (rows,).
    """

    def __init__(self, probabilities: Callable[[np.ndarray], np.ndarray]) -> None:
        self._probabilities = probabilities
        self.tick: Tick[Any] | None = None
        self.predicted: np.ndarray | None = None

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick = tick
        self.predicted = self._probabilities(tick.view.weights)


class EndlessResult:
    """Where the GLA at constant plasticity wanders: a distribution, never an end.

    Attributes
    ----------
    histogram : DrawHistogram
        Of the centred ranking values along all chains.
    """

    def __init__(self, size: int) -> None:
        self.histogram = DrawHistogram(size)
        self.tick: Tick[Any] | None = None

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick = tick
        self.histogram.update([view.trace for view in tick.views])
