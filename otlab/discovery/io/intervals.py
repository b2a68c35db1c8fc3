"""Labelled intervals of time, and the labels of silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["PAUSES", "Interval", "with_length"]

PAUSES = frozenset({"", "_", "_:", "<p:>", "sil", "SIL", "sp", "spn", "pau", "h#", "<eps>", "#"})
"""Labels of silence, which is never a word."""


class Interval(NamedTuple):
    """A labelled interval, in seconds."""

    start: float
    end: float
    label: str


def with_length(intervals: Iterable[Interval]) -> tuple[list[Interval], list[Interval]]:
    """Return the intervals that last, and those of length 0, which aligners write for sounds left out."""
    found: Sequence[Interval] = tuple(intervals)
    return [i for i in found if i.end > i.start], [i for i in found if i.end <= i.start]
