r"""Gradual Learning Algorithm (Boersma & Hayes 2001), with the update rules of Praat and Magri's.

A trial observes a candidate c of an input, drawn by its frequency, evaluates the input under
:math:`y_i \sim N(\mu_i, \sigma^2)` and, if the grammar's own winner g differs, moves

.. math:: \mu_i \leftarrow \mu_i + p \text{ if } v_{gi} > v_{ci}, \qquad
          \mu_i \leftarrow \mu_i - p \text{ if } v_{gi} < v_{ci} .

The step is one plasticity, whatever the size of the difference; this is the rule
``symmetric-all``, and :mod:`otlab.ot.kernels.update_rules` has the others. After an error, pairs
of constraints that are ranked a priori are put in order again by lowering the lower one.

A candidate that can never win may be observed: it is an error at each trial, as in Praat and
OTSoft, and the fit says so. With variable data the mean
of the values, and the distance to constraints that only ever prefer losers, may drift without
end while predictions settle: values are shown centred, and :func:`drifting` says which of
them drift. At constant plasticity the values form a Markov chain that never settles (Lin
2005, section 8); its spread is not a posterior, it scales with the plasticity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.conditions import impossible_words, relations
from otlab.ot.constraint_names import faithfulness, numbered_pairs, parse_values
from otlab.ot.fitted import Fit, fit_of_values
from otlab.ot.io.apriori import read_apriori
from otlab.ot.kernels import gla as kernels
from otlab.ot.kernels.update_rules import RULES
from otlab.ot.learners.draws import ensure_capacity, snapshot
from otlab.ot.learners.schedules import PRESETS, Schedule, read_schedule, schedule
from otlab.ot.learners.settings import NoiseSettings, TotalSettings
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.inference import Run, Tick
    from otlab.ot.conditions import Relation
    from otlab.ot.learners.schedules import ScheduleArrays
    from otlab.ot.tableau import Tableau

__all__ = ["GLA", "GLASettings", "GLAState", "GLAView", "drifting", "fit_gla", "make_gla"]

INITIAL = 100.0
TRIALS = 1_000_000
RUNS = 10
DRIFT_IN_NOISE = 20.0


@dataclass
class GLAState:
    """State of one run.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Ranking values, not centred.
    trace : ndarray of shape (capacity, constraints)
        Centred values after every `record_every` trials.
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


@dataclass(frozen=True, slots=True)
class GLAView:
    """Snapshot of one run.

    Attributes
    ----------
    trial, errors
        Trials done, and how many of them were errors.
    values : ndarray of shape (constraints,)
        Ranking values, centred.
    level
        Mean of the values before centring.
    trace : ndarray of shape (recorded, constraints)
        Read-only; centred values, row j after (j + 1) * record_every trials.
    """

    trial: int
    errors: int
    values: np.ndarray
    level: float
    trace: np.ndarray


@dataclass(frozen=True, eq=False)
class GLA:
    """Error-driven learning, one trial at a time; independent runs are chains.

    Parameters
    ----------
    tableau
        Its frequencies are the chances of observing each candidate.
    noise
        Evaluation noise; the tableau's, else 2.
    schedule
        How the plasticity falls; OTSoft's schedule over 100,000 trials if None.
    initial
        Ranking values before the first trial, one for all or one per constraint.
    plasticity
        Factor on each constraint's plasticity, 0 or more; 1 if None.
    record_every
        Trials between two rows of the trace.
    rule
        One of :data:`~otlab.ot.kernels.update_rules.RULES`: how an error moves the values.
    apriori
        Pairs of constraints by name, the higher one first, that are ranked before anything is
        learnt.
    gap
        How far apart those are kept: 0 in Praat, 20 in OTSoft.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    tableau: Tableau
    noise: float | None = None
    schedule: Schedule | None = None
    initial: float | tuple[float, ...] = INITIAL
    plasticity: tuple[float, ...] | None = None
    record_every: int = 1000
    rule: str = "symmetric-all"
    apriori: tuple[tuple[str, str], ...] = ()
    gap: float = 0.0
    name: str = field(default="gla", init=False)

    def __post_init__(self) -> None:
        k = self.tableau.n_constraints
        for what, value in (("initial ranking value", self.initial), ("plasticity", self.plasticity)):
            numbers = np.atleast_1d(np.asarray(0.0 if value is None else value, float))
            if numbers.size not in (1, k) or not np.isfinite(numbers).all():
                raise InputError(f"{what}: give one finite number for each of the {k} constraints")
        if self.plasticity is not None and min(self.plasticity) < 0:
            raise InputError("a plasticity is negative; give 0 or more for each constraint")
        if self.record_every < 1:
            raise InputError(f"record_every {self.record_every}: give 1 or more")
        if not self.tableau.frequencies.any():
            raise InputError("no candidate has a frequency; count at least one")
        if self.rule not in RULES:
            raise InputError(f"there is no update rule {self.rule!r}; {did_you_mean(self.rule, RULES)}")
        if not (np.isfinite(self.gap) and self.gap >= 0):
            raise InputError(f"a gap of {self.gap:g} between constraints; give 0 or more")
        _ = self._relations, self._rule  # refuses a priori rankings that go round in a circle

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        return relations(self.tableau)

    @cached_property
    def data(self) -> kernels.Trials:
        """The tableau as the kernel takes it."""
        return _lay_out(self.tableau, self._relations)

    @cached_property
    def _rule(self) -> kernels.Rule:
        """The update rule and a priori rankings as the kernel takes them."""
        pairs = numbered_pairs(self.tableau, self.apriori)
        higher, lower = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
        return kernels.Rule(RULES.index(self.rule), higher, lower, float(self.gap))

    @cached_property
    def stages(self) -> ScheduleArrays:
        """Plasticity and noise of each stage and constraint."""
        noise = resolve_settings(self.tableau, self.noise).noise
        chosen = self.schedule or schedule("otsoft", 100_000)
        return chosen.arrays(self.tableau.constraints, noise, self.plasticity)

    def init(self, rng: np.random.Generator) -> GLAState:
        """Return the initial ranking values."""
        k = self.tableau.n_constraints
        values = np.broadcast_to(np.asarray(self.initial, float), (k,)).copy()
        for _ in range(k):
            for higher, lower in zip(self._rule.higher, self._rule.lower, strict=True):
                values[lower] = min(values[lower], values[higher] - self.gap)
        return GLAState(values, np.empty((0, k)))

    def step(self, rng: np.random.Generator, state: GLAState, n: int) -> GLAState:
        """Do `n` trials."""
        end = state.trial + n
        state.trace = ensure_capacity(state.trace, state.trial // self.record_every, end // self.record_every)
        scratch = np.empty_like(state.values)
        while state.trial < end:
            self._trials_until(rng, state, min(end, self._next_stop(state.trial)), scratch)
            if state.trial % self.record_every == 0:
                state.trace[state.trial // self.record_every - 1] = state.values - state.values.mean()
        return state

    def _next_stop(self, trial: int) -> int:
        """Return where a row is recorded or a stage ends, whichever comes first."""
        row = (trial // self.record_every + 1) * self.record_every
        return min(row, self.stages.end_of(trial) or row)

    def _trials_until(self, rng: np.random.Generator, state: GLAState, end: int, scratch: np.ndarray) -> None:
        """Do trials of one stage until `end` are done."""
        stages, s = self.stages, self.stages.number(state.trial)
        if state.trial in stages.begins:
            state.size = 1.0
        ratio = stages.ratio[s] if stages.end_of(state.trial) else 1.0
        stage = kernels.Stage(stages.plasticity[s], stages.base[s], stages.noise[s], ratio, stages.spread)
        errors, state.size = kernels.trials(
            rng, self.data, self._rule, stage, state.values, scratch, state.size, end - state.trial
        )
        state.errors += errors
        state.trial = end

    def view(self, state: GLAState) -> GLAView:
        """Return a snapshot, centred."""
        level = float(state.values.mean())
        trace = snapshot(state.trace, state.trial // self.record_every)
        return GLAView(state.trial, state.errors, state.values - level, level, trace)

    def finished(self, state: GLAState) -> bool:
        """Return False: trials can always go on."""
        return False

    def conclude(self, run: Run[GLAState, GLAView], tick: Tick[GLAView], *, stopped: bool = False) -> Fit:
        """Return the fit of the runs so far: one grammar per run."""
        settings = resolve_settings(self.tableau, self.noise)
        values = np.array([view.values for view in tick.views])
        drifted = drifting(self.tableau, values, settings.noise)
        remarks = [
            f"{words}; the GLA predicts 0 for it, and the log likelihood is that of the other observations"
            for words in impossible_words(self.tableau, self._relations)
        ]
        if drifted:
            remarks.append(
                f"{', '.join(drifted)} do not settle: no ranking values fit these data exactly, so they"
                " drift for as long as the GLA runs; only the predictions settle"
            )
        if not tick.finished:
            remarks.append(f"stopped after {tick.sweep} of {tick.total} trials")
        return fit_of_values(
            run,
            tick,
            values,
            noise=settings.noise,
            total=settings.total,
            settings=self._settings_of(run, settings.noise),
            stopped=stopped,
            remarks=remarks,
        )

    def _settings_of(self, run: Run[Any, Any], noise: float) -> dict[str, Any]:
        plan = self.schedule
        return {
            "noise": noise,
            "total": self.tableau.total,
            "rule": self.rule,
            "apriori": [list(pair) for pair in self.apriori],
            "gap": self.gap,
            "schedule": "otsoft" if plan is None else plan.name,
            "stages": [] if plan is None else [vars(stage) for stage in plan.stages],
            "spread": 0.0 if plan is None else plan.spread,
            "initial": self.initial,
            "plasticity": self.plasticity,
            "sweeps": run.total,
            "runs": run.chains,
        }


def drifting(tableau: Tableau, values: np.ndarray, noise: float) -> list[str]:
    """Return the constraints that drifted away: further than 20 noises from the centre.

    Parameters
    ----------
    tableau
        Names the constraints.
    values : ndarray of shape (runs, constraints)
        Centred ranking values at the end of each run.
    noise
        Evaluation noise.
    """
    far = np.abs(np.median(values, axis=0)) > DRIFT_IN_NOISE * noise
    return [name for name, drifted in zip(tableau.constraints, far, strict=True) if drifted]


def _lay_out(tableau: Tableau, every: Sequence[Relation]) -> kernels.Trials:
    """Return observations, rivals and violations as the kernel takes them."""
    representative = np.arange(tableau.n_rows)
    can_win = np.zeros(tableau.n_rows, bool)
    for relation in every:
        representative[list(relation.members)] = relation.row
        can_win[relation.row] = relation.bounded is None
    actives: list[np.ndarray] = []
    rivals: list[np.ndarray] = []
    violations: list[np.ndarray] = []
    for k in range(len(tableau.inputs)):
        block = tableau.violations[tableau.rows(k)]
        rows = np.arange(tableau.offsets[k], tableau.offsets[k + 1])
        active = np.flatnonzero(np.ptp(block, axis=0)) if len(block) else np.empty(0, np.int64)
        actives.append(active)
        rivals.append(rows[can_win[rows]])
        violations.extend(block[:, active])
    weights = tableau.frequencies.astype(float)
    attested = np.flatnonzero(weights > 0)
    chance, alias = _alias_table(weights[attested])
    return kernels.Trials(
        chance,
        alias,
        representative[attested],
        np.asarray(tableau.input_of_row, np.int64),
        _offsets(rivals),
        np.concatenate(rivals).astype(np.int64),
        _offsets(actives),
        np.concatenate(actives).astype(np.int64),
        _offsets(violations)[:-1],
        np.concatenate([*violations, np.zeros(1)]).astype(np.int64),
        np.ascontiguousarray(tableau.violations),
    )


def _offsets(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)


def _alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


class GLASettings(NoiseSettings, TotalSettings):
    """Settings of runs of the GLA; None means the file's value, else the default."""

    sweeps = param.Integer(
        None,
        bounds=(1, None),
        allow_None=True,
        doc=f"Trials of each run (default: {TRIALS}, or the schedule's)",
    )
    runs = param.Integer(RUNS, bounds=(1, None), doc="Independent runs.")
    schedule = param.String("otsoft", doc=f"How plasticity falls: {', '.join(PRESETS)}, or a file")
    initial = param.Number(INITIAL, doc="Ranking values before the first trial.")
    rule = param.Selector(default="symmetric-all", objects=list(RULES), doc="How an error moves the values")
    initial_values = param.String("", doc="Other initial values, of some constraints: NAME=X,...")
    plasticities = param.String("", doc="Factors on the plasticity of some constraints: NAME=X,...")
    markedness_plasticity = param.Number(
        1.0, bounds=(0, None), doc="Factor on the plasticity of markedness constraints."
    )
    faithfulness_plasticity = param.Number(
        1.0,
        bounds=(0, None),
        doc="Factor on the plasticity of faithfulness constraints.",
    )
    apriori = param.Path(
        None, check_exists=False, allow_None=True, doc="OTSoft file of constraints that are ranked a priori"
    )
    gap = param.Number(0.0, bounds=(0, None), doc="How far apart those are kept; OTSoft has 20.")

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
        return schedule(self.schedule, TRIALS if self.sweeps is None else self.sweeps)


def make_gla(tableau: Tableau, settings: GLASettings) -> GLA:
    """Return the learner with these settings."""
    names = tableau.constraints
    apart = settings.markedness_plasticity, settings.faithfulness_plasticity
    factors = np.where(faithfulness(names), apart[1], apart[0])
    return GLA(
        with_total(tableau, settings.total),
        settings.noise,
        settings.plan(),
        _per_constraint(names, "initial_values", settings, np.full(len(names), settings.initial)),
        _per_constraint(names, "plasticities", settings, factors),
        rule=settings.rule,
        apriori=() if settings.apriori is None else read_apriori(settings.apriori, tableau),
        gap=settings.gap,
    )


def _per_constraint(
    names: tuple[str, ...], option: str, settings: GLASettings, usual: np.ndarray
) -> tuple[float, ...]:
    """Return one number for each constraint: those in the option's ``NAME=X,...``, else the usual ones."""
    where = f"--{option.replace('_', '-')}"
    given = parse_values(getattr(settings, option), names, where, complete=False)
    return tuple(float(given.get(name, number)) for name, number in zip(names, usual, strict=True))


def fit_gla(
    tableau: Tableau,
    *,
    trials: int = TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    plan: Schedule | str = "otsoft",
    initial: float | tuple[float, ...] = INITIAL,
    plasticity: tuple[float, ...] | None = None,
    rule: str = "symmetric-all",
    apriori: tuple[tuple[str, str], ...] = (),
    gap: float = 0.0,
    threads: int | None = None,
) -> Fit:
    """Return the fit of independent runs of the Gradual Learning Algorithm (Boersma & Hayes 2001).

    Parameters
    ----------
    tableau
        Its frequencies are the chances of observing each candidate.
    trials, runs
        Trials of each run, and number of runs.
    seed, noise, threads
        As for :func:`~otlab.ot.learners.gibbs.fit_gibbs`.
    plan
        How plasticity falls: a preset's name, or a schedule.
    initial, plasticity, rule, apriori, gap
        As for :class:`GLA`.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    learner = GLA(tableau, noise, chosen, initial, plasticity, rule=rule, apriori=apriori, gap=gap)
    return cast("Fit", fit(learner, steps=trials, chains=runs, seed=seed, threads=threads))
