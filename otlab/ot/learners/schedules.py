"""Schedules of the GLA's plasticity: presets of other programs, and files.

A schedule is a list of stages. Within a stage the plasticity of each constraint is constant
or falls geometrically from trial to trial; after the last stage it keeps its last value, so
that a run may go on without end.

==============  ===========================================================  ==============
preset          stages                                                       source
==============  ===========================================================  ==============
``otsoft``      four of equal length: p, (p^2 q)^(1/3), (p q^2)^(1/3), q      OTSoft 2.7
``praat``       four of equal length: 1, .1, .01, .001, each step varied 10 %  Praat
``geometric``   one, falling at every trial from p to q                       Lin 2005, fn. 13
``lin``         as ``geometric``, from 2 to 0.002                              Lin 2005, fn. 13
``constant``    one, at p                                                     Lin 2005, sec. 8
==============  ===========================================================  ==============

Lin gives the first and last plasticity (2, and 0.002 or 0.0001) and 10^7 trials, but not the
values between: the geometric fall is our reading.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, counted, not_a_preset
from otlab.files import file_text
from otlab.ot.constraint_names import faithfulness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["PRESETS", "Schedule", "ScheduleArrays", "Stage", "read_schedule", "schedule"]

PRESETS = ("otsoft", "praat", "geometric", "lin", "constant")
_COLUMNS = ("Trials", "PlastMark", "PlastFaith", "NoiseMark", "NoiseFaith")


@dataclass(frozen=True)
class Stage:
    """Consecutive trials with one plasticity and noise.

    Attributes
    ----------
    trials
        Number of trials, 1 or more.
    markedness, faithfulness
        Plasticity of the two kinds of constraints at the first trial of the stage.
    ratio
        By which the plasticity is multiplied after each trial; 1 keeps it.
    noise_markedness, noise_faithfulness
        Evaluation noise of the stage; None for the learner's.
    """

    trials: int
    markedness: float
    faithfulness: float
    ratio: float = 1.0
    noise_markedness: float | None = None
    noise_faithfulness: float | None = None


@dataclass(frozen=True)
class Schedule:
    """Stages of a run of the GLA.

    Attributes
    ----------
    name
        The preset's, or the file's.
    stages
        One or more.
    spread
        Each update's size is drawn from N(p, (spread p)^2); Praat's "relative plasticity
        spreading".
    """

    name: str
    stages: tuple[Stage, ...]
    spread: float = 0.0

    @property
    def trials(self) -> int:
        """Trials in all stages."""
        return sum(stage.trials for stage in self.stages)

    @property
    def tells_apart(self) -> bool:
        """Whether markedness and faithfulness constraints are treated differently."""
        return any(
            s.markedness != s.faithfulness or s.noise_markedness != s.noise_faithfulness for s in self.stages
        )

    def arrays(
        self, names: Sequence[str], noise: float, factors: float | tuple[float, ...] | None
    ) -> ScheduleArrays:
        """Return the schedule as arrays, for constraints of these names.

        Parameters
        ----------
        names
            Names of the constraints; see :func:`~otlab.ot.constraint_names.faithfulness`.
        noise
            Evaluation noise of stages that set none.
        factors
            Factor on the plasticity, one for all or one per constraint; 1 if None.
        """
        faithful = faithfulness(names) if self.tells_apart else np.zeros(len(names), bool)
        scale = np.ones(len(names)) if factors is None else np.asarray(factors, float)
        base = np.array([np.where(faithful, s.faithfulness, s.markedness) for s in self.stages], float)
        noises = [
            np.where(faithful, s.noise_faithfulness or noise, s.noise_markedness or noise)
            for s in self.stages
        ]
        ends = np.cumsum([s.trials for s in self.stages])
        ratios = np.array([s.ratio for s in self.stages])
        return ScheduleArrays(ends, base * scale, base, np.array(noises), ratios, self.spread)


@dataclass(frozen=True, eq=False)
class ScheduleArrays:
    """A schedule for K constraints, as arrays with one row per stage.

    Attributes
    ----------
    ends : int64 (stages,)
        Trials done at the end of each stage.
    plasticity, base : float64 (stages, K)
        Plasticity at the first trial of each stage, with each constraint's factor and without.
    noise : float64 (stages, K)
        Evaluation noise.
    ratio : float64 (stages,)
        By which the plasticity is multiplied after each trial.
    spread
        As in :class:`Schedule`.
    """

    ends: np.ndarray
    plasticity: np.ndarray
    base: np.ndarray
    noise: np.ndarray
    ratio: np.ndarray
    spread: float

    @cached_property
    def begins(self) -> frozenset[int]:
        """The first trial of each stage."""
        return frozenset([0, *self.ends[:-1].tolist()])

    def number(self, trial: int) -> int:
        """Return the number of a trial's stage; trials after the last stage belong to it."""
        return min(int(np.searchsorted(self.ends, trial, side="right")), self.ends.size - 1)

    def end_of(self, trial: int) -> int:
        """Return the end of a trial's stage; 0 if the whole schedule is over."""
        end = int(self.ends[self.number(trial)])
        return end if trial < end else 0


def schedule(name: str, trials: int, first: float | None = None, last: float | None = None) -> Schedule:
    """Return a preset for a run of `trials`.

    Parameters
    ----------
    name
        One of `PRESETS`.
    trials
        Length of the run.
    first, last
        Plasticity at both ends; the preset's own if None (OTSoft 2 and 0.001, geometric 2
        and 0.0001, Praat 1 and 0.001, constant 0.1).

    Raises
    ------
    InputError
        If there is no such preset, no trial, or a plasticity is not above 0.

    Examples
    --------
    >>> [round(stage.markedness, 4) for stage in schedule("otsoft", 1000, 2, 0.002).stages]
    [2.0, 0.2, 0.02, 0.002]
    """
    if name not in PRESETS:
        raise InputError(not_a_preset("schedule", name, PRESETS))
    if trials < 1:
        raise InputError(f"a schedule of {trials} trials; give 1 or more")
    start, end = {"otsoft": (2, 0.001), "praat": (1, 0.001), "constant": (0.1, 0.1)}.get(name, (2, 0.0001))
    if name == "lin":
        end = 0.002
    p, q = first or float(start), last or float(end)
    if not (0 < p < math.inf and 0 < q < math.inf):
        raise InputError(f"plasticity from {p:g} to {q:g}; choose numbers above 0")
    if name == "constant":
        return Schedule(name, (Stage(trials, p, p),))
    if name in ("geometric", "lin"):
        return Schedule(name, (Stage(trials, p, p, ratio=(q / p) ** (1 / max(1, trials - 1))),))
    levels = [p * (q / p) ** (k / 3) for k in range(4)]
    stages = [Stage(n, level, level) for n, level in zip(_quarters(trials), levels, strict=True) if n]
    return Schedule(name, tuple(stages), spread=0.1 if name == "praat" else 0.0)


def _quarters(trials: int) -> list[int]:
    return [(k + 1) * trials // 4 - k * trials // 4 for k in range(4)]


def read_schedule(path: Path) -> Schedule:
    """Return the schedule in a file of OTSoft's form: a header, then one stage per line, tab-separated.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    faults: list[Fault] = []
    stages: list[Stage] = []
    lines = file_text(path).splitlines()
    for number, line in enumerate(lines, 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip() or (number == 1 and not _number(cells[0])):
            continue
        stage = _stage(cells)
        if isinstance(stage, str):
            columns = ", ".join(_COLUMNS)
            faults.append(Fault(stage, f"write numbers above 0 for {columns}", path.name, number))
        else:
            stages.append(stage)
    if not stages and not faults:
        faults.append(Fault("no stage", f"write one per line: {', '.join(_COLUMNS)}", path.name, 1))
    if faults:
        raise InputError(faults)
    return Schedule(path.stem, tuple(stages))


def _number(text: str) -> float | None:
    """Return a positive finite number; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < math.inf else None


def _stage(cells: Sequence[str]) -> Stage | str:
    """Return the stage of a line, or what is wrong with it."""
    if len(cells) != len(_COLUMNS):
        return f"{counted(len(cells), 'value')} for {counted(len(_COLUMNS), 'column')}"
    values = [_number(cell) for cell in cells]
    for cell, value in zip(cells, values, strict=True):
        if value is None:
            return f"{cell!r} is not a number above 0"
    trials, mark, faith, noise_mark, noise_faith = (value or 0.0 for value in values)
    if trials != int(trials):
        return f"{cells[0]} is not a whole number of trials"
    return Stage(int(trials), mark, faith, 1.0, noise_mark, noise_faith)
