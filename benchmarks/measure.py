"""How two ways of doing the same work are compared.

Seconds depend on the machine and its load, ratios hardly do. Both sides run alternately in one process,
several times, and the ratio is the median of the pairs. A peer that cannot be
installed here is represented by recorded seconds, scaled by a fixed calibration
kernel (a 500 x 500 float64 product) from the same recording.

An iteration of a learner may cost more in the middle of a run than at its start. So a line
about a learner is the **median over iterations 1 to 100 of one run, with the slowest of them
beside it** (:func:`iteration_seconds`), in CPU seconds of the process: those of all its
threads, without what other processes do.

CPU seconds still depend on the caches and the clock of a core that others use too, and the slowest
of hundreds of iterations is where they did. So lines about the slowest iteration repeat the run
and take the **least CPU seconds of each iteration** (:func:`least_seconds`): a run is
deterministic, its k-th iteration does the same work each time.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np

from otlab.inference.blas import one_blas_thread
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.random import chain_generators

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from otlab.inference import Learner

ITERATIONS = 100
RUNS = 3  # of which least_seconds takes the least


class Row(TypedDict):
    """One line of the report."""

    value: float
    unit: str
    against: str
    reference: float
    ratio: float
    goal: str
    holds: bool
    slowest: NotRequired[float]
    """Of the iterations `value` is the median of, in the same unit."""
    slowest_iteration: NotRequired[int]


@dataclass(frozen=True)
class Iterations:
    """CPU seconds of each iteration of one run, from iteration 1.

    Attributes
    ----------
    seconds
        Of each.
    stages
        The way in which each was computed, if asked for.
    """

    seconds: tuple[float, ...]
    stages: tuple[Hashable, ...] = ()

    @property
    def median(self) -> float:
        """The median iteration."""
        return statistics.median(self.seconds)

    @property
    def slowest(self) -> float:
        """The slowest iteration."""
        return max(self.seconds)

    @property
    def slowest_iteration(self) -> int:
        """The slowest iteration's number."""
        return 1 + self.seconds.index(self.slowest)

    def within(self, stage: Hashable) -> Iterations:
        """Return the iterations of one stage."""
        return Iterations(tuple(s for s, at in zip(self.seconds, self.stages, strict=True) if at == stage))

    def __str__(self) -> str:
        return f"median {self.median:.4g} s, slowest {self.slowest:.4g} s at {self.slowest_iteration}"

    def beside(self, row: Row, factor: float = 1.0) -> Row:
        """Return a row with the slowest iteration, times `factor`, beside its value."""
        return {**row, "slowest": factor * self.slowest, "slowest_iteration": self.slowest_iteration}


def iteration_seconds(
    learner: Learner[Any, Any],
    iterations: int = ITERATIONS,
    *,
    seed: int = 1,
    warm: int = 2,
    stage: Callable[[Any], Hashable] | None = None,
) -> Iterations:
    """Run a learner and return the CPU seconds of each of its iterations.

    Parameters
    ----------
    learner
        What is run, from its own start.
    iterations
        How many, each a step of its own.
    seed
        Of the run.
    warm
        Iterations of another run before it, untimed: compiled kernels, warm caches.
    stage
        Says of the state after an iteration in which way it was computed.
    """
    step = Stepper(learner, seed, warm)
    taken, stages = [], []
    for _ in range(iterations):
        taken.append(cpu_seconds(step))
        if stage is not None:
            stages.append(stage(step.state))
    return Iterations(tuple(taken), tuple(stages))


def least_seconds(
    learners: Sequence[Learner[Any, Any]],
    iterations: int = ITERATIONS,
    *,
    runs: int = RUNS,
    stage: Callable[[Any], Hashable] | None = None,
) -> list[Iterations]:
    """Run learners in turn, each several times; return the least CPU seconds of each iteration."""
    rounds = [
        [iteration_seconds(learner, iterations, stage=stage) for learner in learners] for _ in range(runs)
    ]
    return [least(repeats) for repeats in zip(*rounds, strict=True)]


def least(runs: Sequence[Iterations]) -> Iterations:
    """Return the least seconds of each iteration over repeats of one run."""
    columns = zip(*(run.seconds for run in runs), strict=True)
    return Iterations(tuple(min(column) for column in columns), runs[0].stages)


def by_iteration(
    learner: Learner[Any, Any],
    peer: Callable[[], object],
    iterations: int = ITERATIONS,
    *,
    seed: int = 1,
    warm: int = 2,
) -> tuple[Iterations, Iterations]:
    """Run a learner and a peer alternately, iteration by iteration; return ours and theirs.

    Parameters
    ----------
    learner, iterations, seed, warm
        As for :func:`iteration_seconds`.
    peer
        Does its next iteration at each call; its first must have been done before.
    """
    step = Stepper(learner, seed, warm)
    pairs = [(cpu_seconds(step), cpu_seconds(peer)) for _ in range(iterations)]
    ours, theirs = zip(*pairs, strict=True)
    return Iterations(ours), Iterations(theirs)


class Stepper:
    """Does a run's next iteration at each call, as every run does.

    Attributes
    ----------
    state
        After the last.
    """

    def __init__(self, learner: Learner[Any, Any], seed: int = 1, warm: int = 2) -> None:
        if warm:
            before = Stepper(learner, seed, 0)
            for _ in range(warm):
                before()
        self._learner = learner
        (self._rng,) = chain_generators(seed, 1)
        self.state = learner.init(self._rng)

    def __call__(self) -> None:
        with one_blas_thread(), no_subnormals():
            self.state = self._learner.step(self._rng, self.state, 1)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds this process takes for `work`, all its threads together."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def paired(
    ours: Callable[[], object], theirs: Callable[[], object], repeats: int = 5
) -> tuple[float, float, float]:
    """Run both alternately; return median seconds of ours, of theirs, and the median of theirs / ours."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    mine, other = zip(*pairs, strict=True)
    return statistics.median(mine), statistics.median(other), statistics.median(b / a for a, b in pairs)


def calibration_seconds(repeats: int = 15) -> float:
    """Return the seconds of a 500 x 500 float64 matrix product, the median of several."""
    matrix = np.random.default_rng(0).normal(size=(500, 500))
    return statistics.median(seconds(lambda: matrix @ matrix) for _ in range(repeats))


def at_least(value: float, unit: str, against: str, reference: float, ratio: float, goal: float) -> Row:
    """Return a row whose ratio must reach `goal`."""
    return Row(
        value=value,
        unit=unit,
        against=against,
        reference=reference,
        ratio=ratio,
        goal=f">= {goal:g}",
        holds=bool(ratio >= goal),
    )


def at_most(value: float, unit: str, against: str, reference: float, ratio: float, goal: float) -> Row:
    """Return a row whose ratio must stay below `goal`."""
    return Row(
        value=value,
        unit=unit,
        against=against,
        reference=reference,
        ratio=ratio,
        goal=f"<= {goal:g}",
        holds=bool(ratio <= goal),
    )


def show(rows: dict[str, Row]) -> None:
    """Print each row in a line, with its goal and whether it holds."""
    for name, row in rows.items():
        mark = "holds" if row["holds"] else "MISSED"
        slowest = ""
        if "slowest" in row:
            slowest = f", slowest {row['slowest']:.4g}"
        if "slowest_iteration" in row:
            slowest += f" at iteration {row['slowest_iteration']}"
        print(
            f"{name:44s} {row['value']:>12.4g} {row['unit']:<16s} ratio {row['ratio']:>8.3g}  "
            f"goal {row['goal']:<10s} {mark:6s}  against {row['against']}{slowest}",
            flush=True,
        )
