"""How two ways of doing the same work are compared.

Machines differ and are busy; ratios travel. Both sides run by turns in one process,
several times, and the ratio is the median of the pairs. A peer that cannot be
installed here is represented by recorded seconds, scaled by a fixed calibration
kernel (a 500 x 500 float64 product) from the same recording.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


class Row(TypedDict):
    """One line of the report."""

    value: float
    unit: str
    against: str
    reference: float
    ratio: float
    goal: str
    holds: bool


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def paired(
    ours: Callable[[], object], theirs: Callable[[], object], repeats: int = 5
) -> tuple[float, float, float]:
    """Run both by turns; return median seconds of ours, of theirs, and the median of theirs / ours."""
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
