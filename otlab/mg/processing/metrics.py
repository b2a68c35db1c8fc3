"""Metrics of memory use, and the comparison of sentences by them.

=========  ==================================================
name       what is computed
=========  ==================================================
MaxT       the largest tenure
SumT       the sum of tenures
AvgT       the mean of tenures
BoxT       the number of tenures
MaxTR      all tenures, largest first
MaxS       the largest size of a movement
SumS       the sum of sizes
AvgS       the mean of sizes
Movers     the number of movements
MaxSR      all sizes, largest first
=========  ==================================================

Trivial tenures (1 and 2) and movements that are not a phrase's last are left out, unless the name ends in
an apostrophe: ``SumT'``. Letters in brackets leave out kinds of nodes: ``MaxT[IU]`` leaves out interior
nodes and unpronounced items, ``P`` pronounced ones. ``MaxT > SumS`` compares by the second metric where
the first is equal. The smaller value is the easier sentence; lists are compared from their first number
(Graf, Monette & Zhang 2017).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from otlab.errors import Fault, InputError, quoted
from otlab.mg.processing.memory import LONGEST_TRIVIAL, MemoryUse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "ALL_METRICS",
    "SHOWN_METRICS",
    "Metric",
    "Value",
    "easier",
    "ranks",
    "read_metrics",
    "value_shown",
]

Value = float | tuple[int, ...]


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _ranked(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers, reverse=True))


_OF_TENURE: dict[str, Callable[[list[int]], Value]] = {
    "MaxT": lambda n: max(n, default=0),
    "SumT": sum,
    "AvgT": _mean,
    "BoxT": len,
    "MaxTR": _ranked,
}
_OF_SIZE: dict[str, Callable[[list[int]], Value]] = {
    "MaxS": lambda n: max(n, default=0),
    "SumS": sum,
    "AvgS": _mean,
    "Movers": len,
    "MaxSR": _ranked,
}
_NAME = re.compile(r"(?P<base>[A-Za-z]+)(?P<trivial>['\u2019\u2032]?)(\[(?P<filters>[IPU, ]*)\])?")
_KINDS = "IPU"


@dataclass(frozen=True)
class Metric:
    """One metric of memory use.

    Attributes
    ----------
    base
        One of the names of the table above.
    trivial
        Whether trivial tenures, or movements that are not a phrase's last, count too.
    filters
        The kinds of nodes that are left out, of ``I``, ``P`` and ``U``; none for sizes.

    Examples
    --------
    >>> from otlab.mg import parse
    >>> from otlab.mg.processing.memory import memory_use
    >>> from otlab.samples import load_sample
    >>> use = memory_use(parse(load_sample("figure1_wh"), "what did you see").best(1)[0].derivation)
    >>> [Metric(name)(use) for name in ("MaxT", "BoxT", "MaxS")]
    [4, 3, 4]
    """

    base: str
    trivial: bool = False
    filters: str = ""

    @property
    def name(self) -> str:
        """The metric as it is written: ``SumT'[IU]``."""
        return f"{self.base}{chr(39) if self.trivial else ''}{f'[{self.filters}]' if self.filters else ''}"

    def __call__(self, use: MemoryUse) -> Value:
        """Return the metric's value for a parse."""
        if self.base in _OF_SIZE:
            return _OF_SIZE[self.base]([m.size for m in use.moves if m.final or self.trivial])
        least = 0 if self.trivial else LONGEST_TRIVIAL
        tenures = [v.tenure for v in use.visits if v.kind not in self.filters and v.tenure > least]
        return _OF_TENURE[self.base](tenures)


_FILTERS = tuple("".join(kinds) for n in range(4) for kinds in combinations(_KINDS, n))
ALL_METRICS: tuple[Metric, ...] = tuple(
    Metric(base, trivial, filters) for trivial in (False, True) for base in _OF_TENURE for filters in _FILTERS
) + tuple(Metric(base, trivial) for trivial in (False, True) for base in _OF_SIZE)
"""The metrics of tenure with each filter, and those of size."""

SHOWN_METRICS: tuple[Metric, ...] = tuple(
    Metric(base) for base in ("MaxT", "SumT", "AvgT", "BoxT", "MaxS", "SumS", "Movers")
)
"""The metrics that are shown unless others are asked for."""


def read_metrics(text: str) -> tuple[Metric, ...]:
    """Return the metrics of a ranked metric such as ``MaxT' > SumS``; usually it is one alone.

    Raises
    ------
    InputError
        With a fault for each name that is not known.

    Examples
    --------
    >>> [metric.name for metric in read_metrics("MaxT[UI] > SumS'")]
    ['MaxT[IU]', "SumS'"]
    """
    found: list[Metric] = []
    faults: list[Fault] = []
    for part in text.split(">"):
        match = _NAME.fullmatch(part.strip())
        known = match is not None and (match["base"] in _OF_TENURE or match["base"] in _OF_SIZE)
        if match is None or not known:
            names = ", ".join([*_OF_TENURE, *_OF_SIZE])
            faults.append(Fault(f"{quoted(part.strip())} is not a metric", f"choose from {names}"))
            continue
        filters = "".join(kind for kind in _KINDS if kind in (match["filters"] or ""))
        if filters and match["base"] in _OF_SIZE:
            hint = f"write {match['base']}: filters are of nodes, not of movements"
            faults.append(Fault(f"{quoted(part.strip())} has a filter", hint))
            continue
        found.append(Metric(match["base"], bool(match["trivial"]), filters))
    if faults:
        raise InputError(faults)
    return tuple(found)


def easier(first: MemoryUse, second: MemoryUse, metrics: Sequence[Metric]) -> Literal[-1, 0, 1]:
    """Return which of two parses is the easier one: -1 the first, 1 the second, 0 for a tie.

    Parameters
    ----------
    first, second
        The parses.
    metrics
        The second decides where the first is equal, and so on.
    """
    a, b = ranks([first, second], metrics)
    return 0 if a == b else -1 if a < b else 1


def ranks(uses: Sequence[MemoryUse], metrics: Sequence[Metric]) -> list[int]:
    """Return the rank of each parse, 1 for the easiest; equal ones have the same rank.

    Parameters
    ----------
    uses
        The parses.
    metrics
        The second decides where the first is equal, and so on.
    """
    values = [[metric(use) for metric in metrics] for use in uses]
    return [1 + sum(other < own for other in values) for own in values]


def value_shown(value: Value) -> str:
    """Return a value as text: ``26``, ``8.25`` or ``26 13 5``."""
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "0"
    return f"{value:.2f}" if isinstance(value, float) and value % 1 else f"{value:.0f}"
