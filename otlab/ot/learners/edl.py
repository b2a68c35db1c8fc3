r"""Expectation-driven learning of overt forms (Jarosz 2015).

The grammar has for each pair of constraints the probability that the first is ranked above the second; a
ranking is drawn pair by pair, in random order, and closed by transitivity. The expectation of a pair given
an overt form *d*,

.. math:: P(A \gg B \mid d) = \frac{P(d \mid A \gg B) \, P(A \gg B)}
          {P(d \mid A \gg B) \, P(A \gg B) + P(d \mid B \gg A) \, P(B \gg A)} ,

is estimated by ranking the pair in both ways and drawing the rest, `samples` times each. The parse of what
was heard need not be known: a ranking counts if its winner sounds so.

* ``edl``, batch: in an iteration the probability becomes the mean of the expectations over all observations;
* ``edl-online``: a trial hears one overt form; the probability moves by `rate` towards the expectation.

A pair with which *d* never came up keeps its probability for that observation, and so does a pair whose
probability is within 1e-6 of 0 or 1. Candidates that can never win are left out.

Ranking values stand for the pairs in pictures: those of Stochastic OT whose pairs come closest,
:math:`\mu_A = \sigma\sqrt{2}` times the mean of :math:`\Phi^{-1} P(A \gg B)` over B (Thurstone 1927, case V).
Predictions are those of rankings drawn from the pairs, 10,000 of them unless the tableau is large.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
import param
from scipy.special import ndtri

from otlab.errors import InputError
from otlab.inference import check_interrupt, fit
from otlab.inference.learner import read_only
from otlab.ot.conditions import identical_rows
from otlab.ot.fitted import fit_of_rows, log_likelihoods, no_trust, summarised
from otlab.ot.kernels.edl import expectations, ranking_counts
from otlab.ot.learners.interpretive import InterpretiveGLA
from otlab.ot.learners.settings import NoiseSettings, TotalSettings
from otlab.ot.overt import check_parses_can_win, overt_forms_of, reproduced
from otlab.ot.overt_fitted import overt_fit
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau

__all__ = [
    "EDL",
    "EDLOnline",
    "EDLOnlineSettings",
    "EDLSettings",
    "fit_edl",
    "fit_edl_online",
    "make_edl",
    "make_edl_online",
]

SAMPLES = 50
RATE = 0.1
ITERATIONS, TRIALS, RUNS = 100, 2_000, 5
_DRAWS, _FEWEST, _WORK = 10_000, 500, 200_000_000
_SURE = 1e-6
_AT_ONCE = 500_000  # evaluations between two checks of the stop button


class Heard(NamedTuple):
    """Overt forms that were heard.

    Attributes
    ----------
    input_of, form : int64 (n,)
        Input and number of each overt form.
    share : float64 (n,)
        Share of each among the observations.
    """

    input_of: NDArray[np.int64]
    form: NDArray[np.int64]
    share: NDArray[np.float64]


@dataclass
class EDLState:
    """State of one run.

    Attributes
    ----------
    pairs : ndarray of shape (constraints, constraints)
        Probability that the constraint of a row is ranked above that of a column; 0.5 on the diagonal.
    step
        Iterations or trials done.
    """

    pairs: NDArray[np.float64]
    step: int = 0

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers that are checked for NaN: the probabilities."""
        return self.pairs


@dataclass(frozen=True, slots=True)
class EDLView:
    """Snapshot of one run.

    Attributes
    ----------
    step
        Iterations or trials done.
    values : ndarray of shape (constraints,)
        The ranking values that stand for the pairs, centred.
    pairs : ndarray of shape (constraints, constraints)
        Read-only; as of :class:`EDLState`.
    """

    step: int
    values: NDArray[np.float64]
    pairs: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EDL:
    """Expectation-driven learning from all observations at once.

    Parameters
    ----------
    tableau
        Its frequencies are the observations; those of an overt form's parses are added up.
    noise
        Evaluation noise of the ranking values that stand for the pairs; the tableau's, else 2.
    samples
        Rankings drawn for each order of a pair.

    Raises
    ------
    InputError
        If a setting makes no sense, or an observed overt form has no parse that can win.
    """

    tableau: Tableau
    noise: float | None = None
    samples: int = SAMPLES
    name: str = field(default="edl", init=False)

    unit: ClassVar[str] = "iterations"

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise InputError(f"samples {self.samples}: give 1 or more")
        check_parses_can_win(self.tableau, self._trials.can_win)

    @cached_property
    def _trials(self) -> InterpretiveGLA:
        """A learner that has the data as arrays; refuses a tableau without frequencies."""
        return InterpretiveGLA(self.tableau)

    @cached_property
    def _heard(self) -> Heard:
        """Each overt form that was heard."""
        forms = overt_forms_of(self.tableau)
        counts = forms.sums(np.asarray(self.tableau.frequencies))
        heard = np.flatnonzero(counts)
        return Heard(forms.input_of[heard], heard, counts[heard] / counts.sum())

    def expected(
        self, rng: np.random.Generator, pairs: NDArray[np.float64], heard: Heard
    ) -> NDArray[np.float64]:
        """Return the mean expectation of each pair given the overt forms that were heard, (K, K)."""
        out, data = np.full_like(pairs, 0.5), self._trials.data
        of_row, n = self._trials.heard.of_row, len(pairs) * (len(pairs) - 1) // 2
        at_once = 1 + _AT_ONCE // (2 * self.samples * heard.form.size)
        for first in range(0, n, at_once):
            last = min(first + at_once, n)
            expectations(
                rng, data, self._trials.states, of_row, tuple(heard), pairs, self.samples, first, last, out
            )
            check_interrupt()
        return out

    def init(self, rng: np.random.Generator) -> EDLState:
        """Return pairs of which both orders are equally probable."""
        k = self.tableau.n_constraints
        return EDLState(np.full((k, k), 0.5))

    def step(self, rng: np.random.Generator, state: EDLState, n: int) -> EDLState:
        """Do `n` iterations."""
        for _ in range(n):
            state.pairs = self.expected(rng, state.pairs, self._heard)
            state.step += 1
        return state

    def view(self, state: EDLState) -> EDLView:
        """Return a snapshot."""
        return EDLView(state.step, self.ranking_values(state.pairs), read_only(state.pairs.copy()))

    def finished(self, state: EDLState) -> bool:
        """Return False: the estimates go on varying."""
        return False

    def ranking_values(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the centred ranking values that stand for pairs, (K,)."""
        noise = resolve_settings(self.tableau, self.noise).noise
        apart = ndtri(np.clip(pairs, _SURE, 1 - _SURE)) * noise * np.sqrt(2)
        values: NDArray[np.float64] = apart.mean(axis=1) - apart.mean()
        return values

    def predicted(self, pairs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability of each candidate, (rows,), and of each pair in a ranking, (K, K)."""
        tableau, data, k = self.tableau, self._trials.data, len(pairs)
        draws = int(np.clip(_WORK // (data.rivals.size * k), _FEWEST, _DRAWS))
        wins, ranked = np.zeros(tableau.n_rows, np.int64), np.zeros((k, k), np.int64)
        ranking_counts(
            np.random.default_rng(0), data, self._trials.states, np.array(pairs), draws, wins, ranked
        )
        probability = wins / draws
        for x in range(len(tableau.inputs)):
            for same in identical_rows(tableau, x):
                probability[list(same)] = probability[list(same)].mean()
        return probability, ranked / draws

    def conclude(self, run: Run[EDLState, EDLView], tick: Tick[EDLView], *, stopped: bool = False) -> Fit:
        """Return the fit of the runs so far: one grammar per run."""
        total = resolve_settings(self.tableau).total
        values = np.array([view.values for view in tick.views])
        both = [self.predicted(view.pairs) for view in tick.views]
        probability = np.array([p for p, _ in both])
        scores = log_likelihoods(self.tableau, probability, total, by_class=False)
        plain = fit_of_rows(
            run,
            tick,
            values,
            stopped=stopped,
            kind="ranking value",
            predicted=summarised(probability, scores, values),
            trust=no_trust(self.tableau),
            multimodal=False,
            used=self._settings_of(run),
            remarks=self._remarks(tick),
            converged=tick.finished,
        )
        learnt = replace(plain, pairs=np.array([ranked for _, ranked in both]))
        share = [self.reproduced(p) for p in probability]
        return overt_fit(learnt, values, share=share, probabilities=probability)

    def reproduced(self, probability: NDArray[np.float64]) -> float:
        """Return the share of inputs whose most frequent overt form is the most probable one, too."""
        forms = overt_forms_of(self.tableau)
        sums = forms.sums(probability)
        best = [
            np.flatnonzero(forms.input_of == k)[np.argmax(sums[forms.input_of == k])]
            for k in range(len(self.tableau.inputs))
        ]
        rows = np.unique(forms.of_row, return_index=True)[1][best]  # the first parse of each
        return reproduced(self.tableau, rows)

    def _remarks(self, tick: Tick[EDLView]) -> tuple[str, ...]:
        pairs = "ranking values are those whose pairs come closest; predictions are those of the pairs learnt"
        cut = [] if tick.finished else [f"stopped after {tick.sweep} of {tick.total} {self.unit}"]
        return (pairs, *cut)

    def _settings_of(self, run: Run[Any, Any]) -> dict[str, Any]:
        settings = resolve_settings(self.tableau, self.noise)
        own = {"noise": settings.noise, "total": settings.total, "samples": self.samples}
        return {**own, "sweeps": run.total, "runs": run.chains}


@dataclass(frozen=True, eq=False)
class EDLOnline(EDL):
    """Expectation-driven learning from one observation after another.

    Parameters
    ----------
    tableau, noise, samples
        As for :class:`EDL`; frequencies are the chances of what is heard.
    rate
        How far a probability moves towards its expectation, above 0 and at most 1.

    Raises
    ------
    InputError
        As :class:`EDL`.
    """

    rate: float = RATE
    name: str = field(default="edl-online", init=False)

    unit: ClassVar[str] = "trials"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate <= 1:
            raise InputError(f"rate {self.rate:g}: give a number above 0, at most 1")

    def step(self, rng: np.random.Generator, state: EDLState, n: int) -> EDLState:
        """Do `n` trials."""
        heard = self._heard
        ends = np.cumsum(heard.share)
        for _ in range(n):
            j = min(int(np.searchsorted(ends, rng.random(), side="right")), ends.size - 1)
            one = Heard(heard.input_of[j : j + 1], heard.form[j : j + 1], np.ones(1))
            expected = self.expected(rng, state.pairs, one)
            state.pairs = (1 - self.rate) * state.pairs + self.rate * expected
            state.step += 1
        return state

    def _settings_of(self, run: Run[Any, Any]) -> dict[str, Any]:
        return {**super()._settings_of(run), "rate": self.rate}


class EDLSettings(NoiseSettings, TotalSettings):
    """Settings of expectation-driven learning; None means the file's value, else the default."""

    sweeps = param.Integer(
        ITERATIONS, bounds=(1, None), label="EDL iterations", doc="Iterations of each run."
    )
    runs = param.Integer(RUNS, bounds=(1, None), label="EDL runs", doc="Independent runs.")
    samples = param.Integer(
        SAMPLES, bounds=(1, None), label="EDL samples", doc="Rankings drawn for each order of a pair."
    )

    @property
    def steps(self) -> int:
        """Iterations or trials of each run."""
        return int(self.sweeps)

    @property
    def chains(self) -> int:
        """Independent runs."""
        return int(self.runs)


class EDLOnlineSettings(EDLSettings):
    """Settings of expectation-driven learning online; None means the file's value, else the default."""

    sweeps = param.Integer(TRIALS, bounds=(1, None), label="EDL trials", doc="Trials of each run.")
    rate = param.Number(
        RATE,
        bounds=(0, 1),
        inclusive_bounds=(False, True),
        label="EDL rate",
        doc="How far a probability moves towards its expectation in a trial.",
    )


def make_edl(tableau: Tableau, settings: EDLSettings) -> EDL:
    """Return the batch learner with these settings."""
    return EDL(with_total(tableau, settings.total), settings.noise, settings.samples)


def make_edl_online(tableau: Tableau, settings: EDLOnlineSettings) -> EDLOnline:
    """Return the online learner with these settings."""
    tableau = with_total(tableau, settings.total)
    return EDLOnline(tableau, settings.noise, settings.samples, settings.rate)


def fit_edl(
    tableau: Tableau,
    *,
    iterations: int = ITERATIONS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    samples: int = SAMPLES,
    threads: int | None = None,
) -> Fit:
    """Return the fit of expectation-driven learning from all observations at once (Jarosz 2015).

    Parameters
    ----------
    tableau, noise, samples
        As for :class:`EDL`.
    iterations, runs, seed, threads
        Of independent runs; a fresh seed if None.

    Raises
    ------
    InputError
        As :class:`EDL`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_edl(read("overt_stress"), iterations=8, runs=1, seed=1).reproduced
    (1.0,)
    """
    learner = EDL(tableau, noise, samples)
    return cast("Fit", fit(learner, steps=iterations, chains=runs, seed=seed, threads=threads))


def fit_edl_online(
    tableau: Tableau,
    *,
    trials: int = TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    samples: int = SAMPLES,
    rate: float = RATE,
    threads: int | None = None,
) -> Fit:
    """Return the fit of expectation-driven learning from one observation after another (Jarosz 2015).

    Parameters
    ----------
    tableau, noise, samples, rate
        As for :class:`EDLOnline`.
    trials, runs, seed, threads
        Of independent runs; a fresh seed if None.

    Raises
    ------
    InputError
        As :class:`EDLOnline`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_edl_online(read("overt_stress"), trials=150, runs=1, seed=1).reproduced
    (1.0,)
    """
    learner = EDLOnline(tableau, noise, samples, rate)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
