"""Results of the learners so far, as the plots use them.

Each result receives the ticks of one run and keeps running summaries, so the work at a tick depends on
its new draws only. Panel and plots are not used.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from otlab.inference import conclude
from otlab.inference.replay import tick_at
from otlab.ot.learners.draws import kept_draws, kept_every, trust_and_peaks, usual_warmup
from otlab.ot.learners.gla import drifting
from otlab.ot.point import BEST, DOES_NOT_SETTLE, MEDIAN, NOT_CONVERGED, SEVERAL_MODES, Point, mean_of_runs
from otlab.ot.probability import predict_many
from otlab.ot.settings import resolve_settings
from otlab.ui.ot.online_prediction import BackgroundFunction, RunningPrediction, TimedFunction, takes_long
from otlab.viz.base.numbers import duration_text
from otlab.viz.ot.histograms import DrawHistogram

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Posterior, Run
    from otlab.inference.diagnostics import Trust
    from otlab.inference.learner import Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.gibbs import Gibbs
    from otlab.ot.learners.gla import GLA
    from otlab.ot.learners.maxent import MaxEnt

__all__ = [
    "RESULTS",
    "ROW_TEXTS",
    "EndlessResult",
    "FitResult",
    "GLAResult",
    "GibbsResult",
    "MaxEntResult",
    "Replay",
]

PREDICTION_SECONDS = 0.012

_assessors = ThreadPoolExecutor(1, thread_name_prefix="trust")


def _fit_of(run: Run[Any, Any], tick: Tick[Any] | None) -> Fit:
    return cast("Fit", conclude(run, tick))


class FitResult:
    """The fit of a run so far, as the library computes it; sufficient for any learner.

    Parameters
    ----------
    run
        Of a learner whose ``conclude`` returns a :class:`~otlab.ot.fitted.Fit`.
    """

    def __init__(self, run: Run[Any, Any]) -> None:
        self.run = run
        self.tick: Tick[Any] | None = None
        self._fit: Fit | None = None
        self._latest: Fit | None = None
        self._awaited: Future[Fit] | None = None

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick, self._fit = tick, None

    def conclude(self) -> None:
        """Prepare :attr:`fit`, on any thread."""
        _ = self.fit

    def settle(self) -> None:
        """Do nothing: the result of the last tick is final."""

    @property
    def fit(self) -> Fit | None:
        """The fit of the run so far; None before the first tick."""
        if self._fit is None and self.tick is not None:
            self._fit = _fit_of(self.run, self.tick)
        return self._fit

    @property
    def latest(self) -> Fit | None:
        """The last fit computed, without waiting; a newer one is computed on another thread."""
        if self._fit is not None:
            return self._fit
        if self._awaited is not None and self._awaited.done():
            self._latest, self._awaited = self._awaited.result(), None
        if self._awaited is None and self.tick is not None:
            self._awaited = _assessors.submit(_fit_of, self.run, self.tick)
        return self._latest

    @property
    def predicted(self) -> np.ndarray | None:
        """The probability of each candidate, (rows,); None before it is known."""
        return None if self.latest is None else self.latest.predicted.mean


class GibbsResult:
    """The posterior of the ranking values during a run.

    Warm-up, thinning and the figures at the end are those of :mod:`otlab.ot.learners.draws`.

    Parameters
    ----------
    run
        The run of a :class:`~otlab.ot.learners.gibbs.Gibbs`.

    Attributes
    ----------
    histogram : DrawHistogram
        Of all draws after the warm-up; of those before it while there are no others.
    chains : list of ndarray
        Each chain's draws (n, K) that count.
    warming, just_warm : bool
        Whether no draw counts yet; whether the last tick brought the first that do.
    modes : list of str
        Constraints, and differences of two, whose posterior has several peaks, as of the last
        :meth:`assess`.
    trust : Trust or None
        R-hat and ESS as of then.
    """

    def __init__(self, run: Run[Any, Any]) -> None:
        self.run = run
        self.learner: Gibbs = run.learner  # type: ignore[assignment]  # the caller's run is of Gibbs
        self.tableau = self.learner.tableau
        self.noise = self.learner.settings.noise
        self.trust: Trust | None = None
        self.tick: Tick[Any] | None = None
        self.warming = True
        self.just_warm = False
        self.modes: list[str] = []
        self._assessing: Future[tuple[Trust, list[str]]] | None = None
        self._concluded: tuple[Tick[Any], Fit] | None = None
        self._start_over()

    def _start_over(self) -> None:
        self.histogram = DrawHistogram(self.tableau.n_constraints)
        self.chains: list[np.ndarray] = []
        self._prediction = RunningPrediction(self.tableau, self.noise)
        self._fit: Fit | None = None

    @property
    def warmup(self) -> int:
        """The number of warm-up sweeps of each chain."""
        return usual_warmup(self.run.total)

    @property
    def _skipped(self) -> int:
        """The number of kept draws in the warm-up."""
        return self.warmup // kept_every(self.learner.thin, self.run.total)

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick, self._fit = tick, None
        kept = kept_draws([view.draws for view in tick.views], self.learner.thin, self.run.total)
        counts = min(map(len, kept)) > self._skipped
        self.just_warm = self.warming and counts
        if self.just_warm:
            self.warming = False
            self._start_over()
        before = [len(draws) for draws in self.chains] or [0] * len(kept)
        if not self.warming:
            self.chains = [draws[self._skipped :] for draws in kept]
        elif min(map(len, kept)):
            self.chains = kept
        else:  # a long run keeps its first draw late; until then the ticks' draws are used
            self.chains = [
                np.vstack([draws, view.values])
                for draws, view in zip(self.chains or kept, tick.views, strict=True)
            ]
        self._count(before)

    def _count(self, before: list[int]) -> None:
        """Count the draws of each chain after its first ones."""
        if min(map(len, self.chains)) < min(before):  # kept draws replaced those of the ticks
            self.histogram, before = DrawHistogram(self.tableau.n_constraints), [0] * len(before)
        self.histogram.update(self.chains)
        new = np.concatenate([draws[n:] for draws, n in zip(self.chains, before, strict=True)])
        self._prediction.feed(new, PREDICTION_SECONDS)

    def prolong(self) -> None:
        """Adapt to a longer run: its warm-up may be longer, and fewer of its draws kept."""
        self.warming = True
        self._start_over()

    def assess(self, *, at_once: bool) -> Trust | None:
        """Return the newest R-hat and ESS, and start computing newer ones on another thread.

        At the end of a run they are computed at once, because no later call follows.
        """
        if self._assessing is not None and (at_once or self._assessing.done()):
            (self.trust, self.modes), self._assessing = self._assessing.result(), None
        if self.warming:
            return None
        if at_once:
            self.settle()
        elif self._assessing is None:
            self._assessing = _assessors.submit(self._trust_and_peaks, list(self.chains))
        return self.trust

    def _trust_and_peaks(self, chains: list[np.ndarray]) -> tuple[Trust, list[str]]:
        length = min(map(len, chains))
        draws = np.stack([chain[:length] for chain in chains])
        return trust_and_peaks(draws, self.tableau.constraints)

    def conclude(self) -> None:
        """Prepare what :meth:`settle` takes, on any thread; the run has ended."""
        tick = self.tick
        known = self._concluded is not None and self._concluded[0] is tick
        if not known and not self.warming and tick is not None:
            self._concluded = tick, _fit_of(self.run, tick)

    def settle(self) -> None:
        """Replace the running summaries by those of the library for the whole run."""
        self.conclude()
        if self._concluded is not None and not self.warming:
            self._fit = self._concluded[1]
            self.trust, self.modes = self._fit.trust, list(self._fit.peaked)

    @property
    def fit(self) -> Fit | None:
        """The fit of the draws so far; None before the first draw after the warm-up."""
        if self._fit is not None or self.warming or self.tick is None:
            return self._fit
        return _fit_of(self.run, self.tick)

    @property
    def two_modes(self) -> bool:
        """Whether several grammars fit: several peaks, or medians that fit badly."""
        return self._fit.multimodal if self._fit is not None else bool(self.modes)

    def point(self, best: bool = False) -> Point:
        """Return the posterior medians so far, or the best draw if it is asked for and known."""
        unmixed = self.trust is not None and self.trust.verdict == "Not converged"
        caveat = NOT_CONVERGED if unmixed else ""
        if best:
            return Point(self.median if self.best is None else self.best, BEST, caveat)
        return Point(self.median, MEDIAN, caveat or (SEVERAL_MODES if self.two_modes else ""))

    @property
    def median(self) -> np.ndarray:
        """Posterior medians, float64 (K,); exact to a histogram bin during the run."""
        return np.asarray(self.histogram.quantiles([0.5])[0]) if self._fit is None else self._fit.median

    @property
    def best(self) -> np.ndarray | None:
        """The draw under which the data are most probable, of those evaluated; float64 (K,)."""
        return self._prediction.best if self._fit is None else self._fit.predicted.best

    @property
    def readable(self) -> bool:
        """Whether medians can be used: the chains agree, and there is one mode."""
        return not self.point().caveat

    @property
    def posterior(self) -> Posterior | None:
        """The draws as a Posterior; None before the first draw after the warm-up."""
        if self.warming or self.tick is None:
            return None
        if self._fit is not None:
            return self._fit.posterior
        return self.learner.posterior(self.run, self.tick)

    @property
    def predicted(self) -> np.ndarray | None:
        """Mean, low and high probability of each candidate, (3, rows); None before the first draw."""
        if self._fit is None:
            return self._prediction.summary()
        predicted = self._fit.predicted
        return np.stack([predicted.mean, predicted.low, predicted.high])


class GLAResult:
    """The present ranking values of many independent runs of the GLA.

    Parameters
    ----------
    run
        The runs of a :class:`~otlab.ot.learners.gla.GLA`.

    Attributes
    ----------
    values : ndarray of shape (runs, K) or None
        Every run's ranking values, centred.
    predicted : ndarray of shape (runs, rows) or None
        Candidate probabilities under each run's values; during the run some are a tick old.
    """

    def __init__(self, run: Run[Any, Any]) -> None:
        self.run = run
        self.learner: GLA = run.learner  # type: ignore[assignment]  # the caller's run is of the GLA
        self.tableau = self.learner.tableau
        self.noise = resolve_settings(self.tableau, self.learner.noise).noise
        self.values: np.ndarray | None = None
        self.predicted: np.ndarray | None = None
        self.tick: Tick[Any] | None = None
        self._probabilities = TimedFunction(
            lambda values: predict_many(self.tableau, values, self.noise, seed=0)
        )
        self._beside = BackgroundFunction(self._probabilities) if takes_long(self.tableau) else None
        self._concluded: tuple[np.ndarray, np.ndarray] | None = None
        self._next = 0

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings: every run's ranking values, some runs' predictions."""
        self.tick = tick
        self.values = np.array([view.values for view in tick.views])
        if self._beside is not None:
            answer = self._beside(self.values)
            self.predicted = self.predicted if answer is None else answer[1]
            return
        if self.predicted is None:
            self.settle()
            return
        n = min(len(self.values), self._probabilities.rows(PREDICTION_SECONDS))
        turn = (self._next + np.arange(n)) % len(self.values)
        self.predicted = self.predicted.copy()
        self.predicted[turn] = self._probabilities(self.values[turn])
        self._next += n

    def conclude(self) -> None:
        """Prepare what :meth:`settle` takes, on any thread; the runs have ended."""
        values = self.values
        if values is not None:
            self._concluded = values, self._probabilities(values)

    def settle(self) -> None:
        """Predict from every run's present values."""
        if self._concluded is None or self._concluded[0] is not self.values:
            self.conclude()
        if self._concluded is not None:
            self.predicted = self._concluded[1]

    @property
    def fit(self) -> Fit | None:
        """The fit of the runs so far; None before the first tick."""
        return None if self.tick is None else _fit_of(self.run, self.tick)

    @property
    def point(self) -> Point | None:
        """The mean of the runs; None before the first tick."""
        if self.values is None:
            return None
        caveat = DOES_NOT_SETTLE if self.drifting else ""
        return mean_of_runs(self.values.mean(axis=0), len(self.values), caveat)

    @property
    def drifting(self) -> list[str]:
        """Constraints whose ranking values do not converge."""
        return [] if self.values is None else drifting(self.tableau, self.values, self.noise)


class MaxEntResult(FitResult):
    """Weights and the probabilities they give.

    Parameters
    ----------
    run
        Of a :class:`~otlab.ot.learners.maxent.MaxEnt`.
    """

    def __init__(self, run: Run[Any, Any]) -> None:
        super().__init__(run)
        self.learner: MaxEnt = run.learner  # type: ignore[assignment]  # the caller's run is of MaxEnt
        self._predicted: tuple[Tick[Any] | None, np.ndarray | None] = (None, None)
        self.tableau = self.learner.tableau

    @property
    def predicted(self) -> np.ndarray | None:
        """The probability of each candidate, (rows,); None before the first tick."""
        if self.weights is not None and self._predicted[0] is not self.tick:
            self._predicted = self.tick, self.learner.probabilities(self.weights)
        return self._predicted[1]

    @property
    def weights(self) -> np.ndarray | None:
        """Penalties, float64 (K,); None before the first tick."""
        return None if self.tick is None else self.tick.view.weights

    def widths(self, weights: np.ndarray) -> np.ndarray:
        """Return Laplace's standard deviation of each weight, float64 (K,); NaN without a prior."""
        return np.sqrt(np.diag(self.learner.covariance(weights)))


class EndlessResult:
    """The distribution of ranking values of the GLA at constant plasticity, which never ends.

    Parameters
    ----------
    run
        Of a :class:`~otlab.ot.learners.gla.GLA` at constant plasticity.

    Attributes
    ----------
    histogram : DrawHistogram
        Of the centred ranking values along all chains.
    """

    def __init__(self, run: Run[Any, Any]) -> None:
        self.run = run
        self.histogram = DrawHistogram(run.learner.tableau.n_constraints)  # type: ignore[attr-defined]
        self.tick: Tick[Any] | None = None

    def take(self, tick: Tick[Any]) -> None:
        """Add what a tick brings."""
        self.tick = tick
        self.histogram.update([view.trace for view in tick.views])

    def conclude(self) -> None:
        """Do nothing: there is no end."""

    def settle(self) -> None:
        """Do nothing: there is no end."""


# The results of learners whose pictures need more than a fit.
RESULTS: dict[str, type[Any]] = {
    "gibbs": GibbsResult,
    "gla": GLAResult,
    "maxent": MaxEntResult,
    "endless": EndlessResult,
}


def _gla_text(tick: Tick[Any]) -> str:
    return "Done" if tick.finished else f"Trial {tick.sweep:,}"


def _maxent_text(tick: Tick[Any]) -> str:
    if not tick.view.finite_optimum:
        return "No finite optimum"
    return f"Done in {duration_text(tick.seconds)}" if tick.finished else f"Iteration {tick.sweep}"


# Text of a learner's row at a tick, where it is not the number of steps.
ROW_TEXTS: dict[str, Callable[[Tick[Any]], str]] = {"gla": _gla_text, "maxent": _maxent_text}


class Replay:
    """Results at any share of a run that has ended.

    Moving forward adds only the new draws, as in the run itself; moving back starts from the beginning.

    Parameters
    ----------
    ended
        The results at the end, by the name of the row.
    """

    def __init__(self, ended: dict[str, Any]) -> None:
        self.ended = ended
        self._shown: dict[str, Any] = {}

    def at(self, share: float) -> dict[str, Any]:
        """Return the results after this share of the run, from 0 to 1.

        Those of a learner that kept no draws, or whose fit takes long, are those of the end.
        """
        self._shown = {name: self._earlier(name, result, share) for name, result in self.ended.items()}
        return self._shown

    def _earlier(self, name: str, ended: Any, share: float) -> Any:
        tick = tick_at(ended.run, ended.tick, share) if name in RESULTS and ended.tick else None
        if tick is None:
            return ended
        shown = self._shown.get(name)
        if shown is None or shown is ended or shown.tick.sweep > tick.sweep:
            shown = RESULTS[name](ended.run)
        shown.take(tick)
        return shown
