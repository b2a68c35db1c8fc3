r"""Noisy Harmonic Grammar (Boersma & Pater 2016), learnt one form at a time.

A candidate's penalty is :math:`\sum_i w_i v_{ci}`, and the candidate with the least one wins. Noise
is normal with standard deviation sigma, and added in one of three places:

* ``constraint``: to each weight, once per evaluation, as in Praat's HarmonicGrammar;
* ``cell``: to the weight in each cell of the tableau; cells without a violation get none;
* ``late``: to each candidate's penalty.

An error moves each weight by the plasticity times the difference of the violations of the two
forms. Weights are held at 0 from below or have either sign. Unlike in Stochastic OT a
candidate that is harmonically bounded may win, and several violations of weak constraints
may outweigh one of a strong constraint (gang effects).

Probabilities of inputs with two candidates are exact, normal; others are those of 20,000
evaluations from one fixed seed, standard error at most .0036.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

import numpy as np
import param
from scipy.special import ndtr

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.conditions import identical_rows
from otlab.ot.fitted import Fit, fit_of_weights
from otlab.ot.kernels.harmony import Pull, count_winners, weight_trials
from otlab.ot.learners.error_driven import (
    RUNS,
    WEIGHT_TRIALS,
    ErrorDriven,
    WeightRunSettings,
    lay_out,
    per_constraint,
    plasticity_factors,
)
from otlab.ot.learners.schedules import schedule
from otlab.ot.learners.settings import NoiseSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.kernels.gla import Record, Stage, Trials
    from otlab.ot.learners.error_driven import TrialState, TrialView
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.schedules import Schedule
    from otlab.ot.tableau import Tableau

__all__ = ["HGSettings", "NoisyHG", "Place", "fit_hg", "make_hg"]

Place = Literal["constraint", "cell", "late"]

EVALUATIONS = 20_000


@dataclass(frozen=True, eq=False)
class NoisyHG(ErrorDriven):
    """A learner of weights under noisy evaluation.

    Parameters
    ----------
    tableau, noise, schedule, initial, plasticity, record_every
        As for :class:`~otlab.ot.learners.error_driven.ErrorDriven`.
    place
        Where noise is added.
    weights
        ``"nonnegative"`` or ``"free"``.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    place: Place = "constraint"
    weights: Weights = "nonnegative"
    name: str = field(default="hg", init=False)

    kind: ClassVar[Literal["ranking value", "weight"]] = "weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.place not in get_args(Place):
            hint = did_you_mean(self.place, get_args(Place))
            raise InputError(f"noise cannot be added by {self.place!r}; {hint}")
        if self.weights not in ("nonnegative", "free"):
            hint = did_you_mean(self.weights, ("nonnegative", "free"))
            raise InputError(f"weights cannot be {self.weights!r}; {hint}")

    @cached_property
    def data(self) -> Trials:
        """The arrays of the tableau for the kernel; all rivals compete."""
        return lay_out(self.tableau)

    @cached_property
    def _pull(self) -> Pull:
        lowest = 0.0 if self.weights == "nonnegative" else -np.inf
        return Pull(np.empty(0), np.empty(0), lowest)

    @cached_property
    def _place(self) -> int:
        return get_args(Place).index(self.place)

    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        errors, size = weight_trials(
            rng, self.data, self._place, self._pull, stage, state.values, record, state.size, n
        )
        return errors, size

    def probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each row within its input under these weights, shape (rows,)."""
        tableau = self.tableau
        noise = resolve_settings(tableau, self.noise).noise
        wins, rng = np.zeros(tableau.n_rows, np.int64), np.random.default_rng(0)
        noises = np.full(tableau.n_constraints, noise)
        if max(np.diff(tableau.offsets)) > 2:
            count_winners(rng, self.data, self._place, np.asarray(weights, float), noises, EVALUATIONS, wins)
        p = wins / EVALUATIONS
        for k in range(len(tableau.inputs)):
            rows = tableau.rows(k)
            if rows.stop - rows.start <= 2:
                p[rows] = self._of_two(tableau.violations[rows].astype(float), weights, noise)
            for same in identical_rows(tableau, k):
                p[list(same)] = p[list(same)].mean()
        return p

    def _of_two(self, v: NDArray[np.float64], weights: NDArray[np.float64], noise: float) -> list[float]:
        """Return the exact probabilities of one or two candidates with these violations."""
        if len(v) == 1:
            return [1.0]
        less = float(weights @ (v[1] - v[0]))  # the penalty that the first one saves
        variance = {"constraint": ((v[1] - v[0]) ** 2).sum(), "cell": (v**2).sum(), "late": 2.0}[self.place]
        if variance == 0:
            return [0.5, 0.5]
        first = float(ndtr(less / (noise * math.sqrt(variance))))
        return [first, 1.0 - first]

    def conclude(
        self, run: Run[TrialState, TrialView], tick: Tick[TrialView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit of the runs so far: one grammar per run."""
        settings = resolve_settings(self.tableau, self.noise)
        weights = np.array([view.values for view in tick.views])
        probability = np.array([self.probabilities(w) for w in weights])
        return fit_of_weights(
            run,
            tick,
            weights,
            probability,
            total=settings.total,
            settings=self._settings_of(run, settings.noise),
            stopped=stopped,
        )

    def _own_settings(self) -> dict[str, Any]:
        return {"place": self.place, "weights": self.weights}


class HGSettings(NoiseSettings, WeightRunSettings):
    """Settings of runs of Noisy HG; None means the file's value, else the default."""

    place = param.Selector(
        default="constraint",
        objects=list(get_args(Place)),
        doc="Where noise is added: once per constraint, in each cell, or to each candidate's penalty",
    )


def make_hg(tableau: Tableau, settings: HGSettings) -> NoisyHG:
    """Return the learner with these settings."""
    names = tableau.constraints
    return NoisyHG(
        with_total(tableau, settings.total),
        settings.noise,
        settings.plan(),
        per_constraint(names, "initial_values", settings, np.full(len(names), settings.initial)),
        plasticity_factors(names, settings, np.ones(len(names))),
        place=settings.place,
        weights=settings.weights,
    )


@of_known_parses
def fit_hg(
    tableau: Tableau,
    *,
    trials: int = WEIGHT_TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    plan: Schedule | str = "otsoft",
    place: Place = "constraint",
    weights: Weights = "nonnegative",
    initial: float | Sequence[float] = 0.0,
    threads: int | None = None,
) -> Fit:
    """Return the fit of independent runs of Noisy HG (Boersma & Pater 2016).

    Parameters
    ----------
    tableau, trials, runs, seed, noise, plan, threads
        As for :func:`~otlab.ot.learners.gla.fit_gla`.
    place, weights, initial
        As for :class:`NoisyHG`.

    Raises
    ------
    InputError
        If a setting makes no sense.

    Examples
    --------
    In Japanese loanwords two constraints devoice only together (/doggu/): weights say so, no
    ranking can.

    >>> from otlab.ot import read
    >>> fit_hg(read("japanese"), trials=20_000, runs=3, seed=1).predicted.mean.round(1).tolist()
    [1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0]
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    start = initial if isinstance(initial, int | float) else tuple(initial)
    learner = NoisyHG(tableau, noise, chosen, start, place=place, weights=weights)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
