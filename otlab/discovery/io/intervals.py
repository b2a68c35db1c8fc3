"""Labelled intervals of time, and the labels of silence."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["PAUSES", "Interval", "overlaps", "with_length"]

PAUSES = frozenset({"", "_", "_:", "<p:>", "sil", "SIL", "sp", "spn", "pau", "h#", "<eps>", "#"})
"""Labels of silence, which is never a word."""

_ROUNDED = 0.001  # seconds


class Interval(NamedTuple):
    """A labelled interval, in seconds."""

    start: float
    end: float
    label: str


def with_length(intervals: Iterable[Interval]) -> tuple[list[Interval], list[Interval]]:
    """Return the intervals that last, and those of length 0, which aligners write for sounds left out."""
    found: Sequence[Interval] = tuple(intervals)
    return [i for i in found if i.end > i.start], [i for i in found if i.end <= i.start]


def overlaps(intervals: Iterable[Interval]) -> list[tuple[Interval, Interval]]:
    """Return neighbours of which one begins before the other ends, by more than times are rounded.

    >>> a, b = Interval(0.0, 0.5, "a"), Interval(0.25, 1.0, "b")
    >>> overlaps([a, b]) == [(a, b)]
    True
    """
    return [(a, b) for a, b in pairwise(sorted(intervals)) if b.start < a.end - _ROUNDED]
