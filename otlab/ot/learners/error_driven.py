"""Base class of the error-driven learners: trials, stages, traces and settings.

A trial observes a candidate, drawn by its frequency, lets the present grammar produce a candidate of
the same input, and moves ranking values or weights if the two differ. The GLA, Noisy HG and
online MaxEnt differ in how a candidate is produced and in what an error moves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import param

from otlab.errors import InputError, counted
from otlab.ot.constraint_names import parse_values
from otlab.ot.given import check_tableau
from otlab.ot.kernels.gla import Record, Stage, Trials
from otlab.ot.learners.draws import ensure_capacity, snapshot
from otlab.ot.learners.schedules import PRESETS, read_schedule, schedule
from otlab.ot.learners.settings import TotalSettings, WeightSettings
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.inference import Run
    from otlab.ot.conditions import Relation
    from otlab.ot.learners.schedules import Schedule, ScheduleArrays
    from otlab.ot.tableau import Tableau

__all__ = [
    "RUNS",
    "WEIGHT_TRIALS",
    "ErrorDriven",
    "ScheduleSettings",
    "TrialState",
    "TrialView",
    "WeightRunSettings",
    "alias_table",
    "flat_offsets",
    "lay_out",
    "per_constraint",
    "plasticity_factors",
]

RUNS = 10
WEIGHT_TRIALS = 100_000


@dataclass
class TrialState:
    """State of one run.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Ranking values or weights, not centred.
    trace : ndarray of shape (capacity, constraints)
        Values after every `record_every` trials, centred if only differences matter.
    trial, errors
        Trials done, and how many of them were errors.
    size
        Factor on the plasticity of the stage: falls from 1 if its ratio is below 1.
    """

    values: np.ndarray
    trace: np.ndarray
    trial: int = 0
    errors: int = 0
    size: float = 1.0

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: ranking values or weights."""
        return self.values


@dataclass(frozen=True, slots=True)
class TrialView:
    """Snapshot of one run.

    Attributes
    ----------
    trial, errors
        Trials done, and how many of them were errors.
    values : ndarray of shape (constraints,)
        Ranking values, centred, or weights.
    level
        Mean of the ranking values before centring; 0 for weights.
    trace : ndarray of shape (recorded, constraints)
        Read-only; values, row j after (j + 1) * record_every trials.
    """

    trial: int
    errors: int
    values: np.ndarray
    level: float
    trace: np.ndarray


@dataclass(frozen=True, eq=False)
class ErrorDriven(ABC):
    """A learner that updates after each observed form; independent runs are chains.

    Parameters
    ----------
    tableau
        Its frequencies are the chances of observing each candidate.
    noise
        Evaluation noise; the tableau's, else 2.
    schedule
        How the plasticity falls; OTSoft's schedule over 100,000 trials if None.
    initial
        Values before the first trial, one for all or one per constraint.
    plasticity
        Factor on the plasticity, 0 or more, one for all or one per constraint.
    record_every
        Trials between two rows of the trace.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    tableau: Tableau
    noise: float | None = None
    schedule: Schedule | None = None
    initial: float | tuple[float, ...] = 0.0
    plasticity: float | tuple[float, ...] | None = None
    record_every: int = 1000
    name: str = field(default="", init=False)

    kind: ClassVar[Literal["ranking value", "weight"]] = "ranking value"

    def __post_init__(self) -> None:
        check_tableau(self.tableau)
        k = self.tableau.n_constraints
        for what, value in ((f"initial {self.kind}", self.initial), ("plasticity", self.plasticity)):
            numbers = np.atleast_1d(np.asarray(0.0 if value is None else value, float))
            if numbers.size not in (1, k) or not np.isfinite(numbers).all():
                raise InputError(f"{what}: give one finite number for each of the {counted(k, 'constraint')}")
        if self.plasticity is not None and np.min(self.plasticity) < 0:
            raise InputError("a plasticity is negative; give 0 or more for each constraint")
        if self.record_every < 1:
            raise InputError(f"record_every {self.record_every}: give 1 or more")
        if not self.tableau.frequencies.any():
            raise InputError("no candidate has a frequency; count at least one")

    @cached_property
    @abstractmethod
    def data(self) -> Trials:
        """The arrays of the tableau for the kernel."""

    @abstractmethod
    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        """Do `n` trials of one stage; return how many were errors, and the factor on the plasticity."""

    @cached_property
    def stages(self) -> ScheduleArrays:
        """Plasticity and noise of each stage and constraint."""
        noise = resolve_settings(self.tableau, self.noise).noise
        chosen = self.schedule or schedule("otsoft", 100_000)
        return chosen.arrays(self.tableau.constraints, noise, self.plasticity)

    def init(self, rng: np.random.Generator) -> TrialState:
        """Return the initial values."""
        k = self.tableau.n_constraints
        values = np.broadcast_to(np.asarray(self.initial, float), (k,)).copy()
        return TrialState(values, np.empty((0, k)))

    def _shown(self, values: np.ndarray) -> np.ndarray:
        """Return a copy of values, shape (..., constraints), centred if only their differences matter."""
        centred = self.kind == "ranking value"
        shown: np.ndarray = values - (values.mean(axis=-1, keepdims=True) if centred else 0.0)
        return shown

    def step(self, rng: np.random.Generator, state: TrialState, n: int) -> TrialState:
        """Do `n` trials."""
        end = state.trial + n
        first, last = state.trial // self.record_every, end // self.record_every
        state.trace = ensure_capacity(state.trace, first, last)
        while state.trial < end:
            self._trials_until(rng, state, min(end, self.stages.end_of(state.trial) or end))
        state.trace[first:last] = self._shown(state.trace[first:last])
        return state

    def _trials_until(self, rng: np.random.Generator, state: TrialState, end: int) -> None:
        """Do trials of one stage until `end` are done, and record values among them."""
        stages, s, every = self.stages, self.stages.number(state.trial), self.record_every
        if state.trial in stages.begins:
            state.size = 1.0
        ratio = stages.ratio[s] if stages.end_of(state.trial) else 1.0
        stage = Stage(stages.plasticity[s], stages.base[s], stages.noise[s], ratio, stages.spread)
        record = Record(state.trace[state.trial // every : end // every], every, every - state.trial % every)
        errors, state.size = self._trials(rng, state, stage, record, end - state.trial)
        state.errors += errors
        state.trial = end

    def view(self, state: TrialState) -> TrialView:
        """Return a snapshot; ranking values are centred."""
        shown = self._shown(state.values)
        level = float(state.values.mean()) if self.kind == "ranking value" else 0.0
        trace = snapshot(state.trace, state.trial // self.record_every)
        return TrialView(state.trial, state.errors, shown, level, trace)

    def view_at(self, view: TrialView, trial: int) -> TrialView:
        """Return the run as it was after `trial` trials, or at the values recorded last before that.

        The level and the number of errors are not recorded: they are those of the later view.
        """
        trace = view.trace[: max(1, trial // self.record_every)]
        if trial >= view.trial or not len(trace):
            return view
        return TrialView(trial, view.errors, trace[-1], view.level, trace)

    def finished(self, state: TrialState) -> bool:
        """Return False: trials can always continue."""
        return False

    def _settings_of(self, run: Run[Any, Any], noise: float) -> dict[str, Any]:
        plan = self.schedule
        return {
            "noise": noise,
            "total": self.tableau.total,
            **self._own_settings(),
            "schedule": "otsoft" if plan is None else plan.name,
            "stages": [] if plan is None else [vars(stage) for stage in plan.stages],
            "spread": 0.0 if plan is None else plan.spread,
            "initial": self.initial,
            "plasticity": self.plasticity,
            "sweeps": run.total,
            "runs": run.chains,
        }

    def _own_settings(self) -> dict[str, Any]:
        """Return the settings that other learners do not have."""
        return {}


class ScheduleSettings(TotalSettings):
    """Settings of runs of error-driven learners; None means the file's value, else the default."""

    usual_trials: ClassVar[int] = 1_000_000

    sweeps = param.Integer(
        None,
        bounds=(1, None),
        allow_None=True,
        doc="Trials of each run (default: 1000000, or the schedule's)",
    )
    runs = param.Integer(RUNS, bounds=(1, None), doc="Independent runs.")
    schedule = param.String("otsoft", doc=f"How plasticity falls: {', '.join(PRESETS)}, or a file")
    initial = param.Number(0.0, doc="Values before the first trial.")
    initial_values = param.String("", doc="Other initial values, of some constraints: NAME=X,...")
    plasticities = param.String("", doc="Factors on the plasticity of some constraints: NAME=X,...")

    @property
    def steps(self) -> int:
        """Trials of each run."""
        return self.plan().trials if self.sweeps is None else int(self.sweeps)

    @property
    def chains(self) -> int:
        """Independent runs."""
        return int(self.runs)

    def plan(self) -> Schedule:
        """Return the schedule: a preset over all trials, or that of a file."""
        path = Path(self.schedule)
        if self.schedule not in PRESETS and path.exists():
            return read_schedule(path)
        return schedule(self.schedule, self.usual_trials if self.sweeps is None else self.sweeps)


class WeightRunSettings(WeightSettings, ScheduleSettings):
    """Settings of runs that learn weights one form at a time."""

    usual_trials: ClassVar[int] = WEIGHT_TRIALS

    sweeps = param.Integer(
        None,
        bounds=(1, None),
        allow_None=True,
        doc=f"Trials of each run (default: {WEIGHT_TRIALS}, or the schedule's)",
    )
    initial = param.Number(0.0, doc="Weights before the first trial.")


def per_constraint(
    names: tuple[str, ...], option: str, settings: ScheduleSettings, usual: np.ndarray
) -> float | tuple[float, ...]:
    """Return one number for each constraint, those in the option's ``NAME=X,...``, else the usual ones.

    A single number if all have the same and the option is empty.
    """
    where = f"--{option.replace('_', '-')}"
    given = parse_values(getattr(settings, option), names, where, complete=False)
    if not given and np.ptp(usual) == 0:
        return float(usual[0])
    return tuple(float(given.get(name, number)) for name, number in zip(names, usual, strict=True))


def plasticity_factors(
    names: tuple[str, ...], settings: ScheduleSettings, usual: np.ndarray
) -> float | tuple[float, ...] | None:
    """Return the factors on the plasticity that the settings ask for; None if all are 1."""
    factors = per_constraint(names, "plasticities", settings, usual)
    return None if factors == 1.0 else factors


def lay_out(tableau: Tableau, every: Sequence[Relation] | None = None) -> Trials:
    """Return observations, rivals and violations as the kernels take them.

    Parameters
    ----------
    tableau
        Its frequencies are the chances of observing each candidate.
    every
        Its relations: rivals that can never win, and all but the first of identical ones, are then
        left out. All rivals compete if None.
    """
    representative = np.arange(tableau.n_rows)
    can_win = np.full(tableau.n_rows, every is None)
    for relation in every or ():
        representative[list(relation.members)] = relation.row
        can_win[relation.row] = relation.bounded is None
    actives: list[np.ndarray] = []
    rivals: list[np.ndarray] = []
    violations: list[np.ndarray] = []
    best: list[np.ndarray] = []
    for k in range(len(tableau.inputs)):
        block = tableau.violations[tableau.rows(k)]
        rows = np.arange(tableau.offsets[k], tableau.offsets[k + 1])
        active = np.flatnonzero(np.ptp(block, axis=0)) if len(block) else np.empty(0, np.int64)
        actives.append(active)
        rivals.append(rows[can_win[rows]])
        violations.extend(block[:, active])
        for column in block[can_win[rows]][:, active].T:
            best.append(rivals[-1][column == column.min()])
    weights = tableau.frequencies.astype(float)
    attested = np.flatnonzero(weights > 0)
    chance, alias = alias_table(weights[attested])
    return Trials(
        chance,
        alias,
        representative[attested],
        np.asarray(tableau.input_of_row, np.int64),
        flat_offsets(rivals),
        np.concatenate(rivals).astype(np.int64),
        flat_offsets(actives),
        np.concatenate(actives).astype(np.int64),
        flat_offsets(violations)[:-1],
        np.concatenate([*violations, np.zeros(1)]).astype(np.int64),
        flat_offsets(best),
        np.concatenate([*best, np.zeros(1)]).astype(np.int64),
        np.array(tableau.violations, order="C"),  # Numba compiles anew for arrays that are read-only
    )


def flat_offsets(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return where each part begins when all are joined, and where the last one ends."""
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)


def alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Walker's alias table, by which one uniform number draws from these weights."""
    scaled = weights / weights.sum() * weights.size
    chance, alias = np.ones(weights.size), np.arange(weights.size)
    small, large = [list(np.flatnonzero(part)) for part in (scaled < 1, scaled >= 1)]
    while small and large:
        low, high = small.pop(), large.pop()
        chance[low], alias[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        (small if scaled[high] < 1 else large).append(high)
    return chance, alias
