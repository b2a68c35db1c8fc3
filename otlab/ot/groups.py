"""Who said what: counts of the candidates by speaker and by item (word), behind the sums of a tableau.

::

    Speaker  Item   Input  Output  Count
    Ana      west   /st/   st      3          Tableau.frequencies has the sum over speakers and items,
    Ana      west   /st/   s       1          Groups the counts that were added up
    Ben      best   /st/   s       2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, counted
from otlab.ot.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["CountedLine", "Groups", "counted_frame", "counted_lines"]


class CountedLine(NamedTuple):
    """A candidate by its row, and how often one speaker said it in one item; both empty without groups."""

    row: int
    speaker: str
    item: str
    tokens: float


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Counts of candidates by speaker and item; immutable.

    Use :meth:`of` to make one: it puts names and counts in order, so that two with the same counts are equal.

    Parameters
    ----------
    speakers, items
        Names; empty where the data do not say.
    speaker, item, row : int64 (n,)
        Speaker, item and candidate of each count; 0 where there are no names.
    count : float64 (n,)
        Tokens. A count may be 0: the speaker could have said the candidate.

    Raises
    ------
    InputError
        If an index has no name, or a count is no number from 0.
    """

    speakers: tuple[str, ...]
    items: tuple[str, ...]
    speaker: NDArray[np.int64]
    item: NDArray[np.int64]
    row: NDArray[np.int64]
    count: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("speaker", "item", "row"):
            object.__setattr__(self, name, read_only(getattr(self, name), np.int64))
        object.__setattr__(self, "count", read_only(self.count, np.float64))
        n = self.count.shape
        limits = ((self.speaker, max(1, len(self.speakers))), (self.item, max(1, len(self.items))))
        inside = all(index.shape == n and ((index >= 0) & (index < size)).all() for index, size in limits)
        if not inside or self.row.shape != n or not (np.isfinite(self.count) & (self.count >= 0)).all():
            raise InputError(Fault("counts of speakers do not fit their names", "give each one a name"))

    @classmethod
    def of(
        cls,
        speakers: Sequence[str],
        items: Sequence[str],
        rows: Sequence[int],
        counts: Sequence[float],
    ) -> Groups:
        """Return the counts of tokens, or of rows of a table, given in any order.

        Parameters
        ----------
        speakers, items
            Of each count; all empty where the data do not say.
        rows
            The candidate of each, by row of the tableau.
        counts
            How often; those with the same speaker, item and row are added.

        Examples
        --------
        >>> Groups.of(["b", "a", "b"], ["", "", ""], [0, 1, 0], [1, 1, 2])
        <Groups: 2 speakers, 4 tokens>
        """
        names, items_in_order = _in_order(speakers), _in_order(items)
        number = {name: n for n, name in enumerate(names)}, {name: n for n, name in enumerate(items_in_order)}
        keys = np.array(
            [
                np.asarray(rows, np.int64),
                [number[0].get(name, 0) for name in speakers],
                [number[1].get(name, 0) for name in items],
            ],
            np.int64,
        ).reshape(3, -1)
        distinct, place = np.unique(keys, axis=1, return_inverse=True)
        sums = np.zeros(distinct.shape[1])
        np.add.at(sums, place.reshape(-1), np.asarray(counts, float))
        return cls(names, items_in_order, distinct[1], distinct[2], distinct[0], sums)

    def __repr__(self) -> str:
        levels = [counted(len(self.speakers), "speaker")] if self.speakers else []
        levels += [counted(len(self.items), "item")] if self.items else []
        return f"<Groups: {', '.join(levels)}, {self.count.sum():,.6g} tokens>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        names = (self.speakers, self.items) == (other.speakers, other.items)
        pairs = zip(self._arrays, other._arrays, strict=True)
        return names and all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        return hash((self.speakers, self.items, self.count.tobytes()))

    @property
    def _arrays(self) -> tuple[NDArray[np.int64] | NDArray[np.float64], ...]:
        return self.speaker, self.item, self.row, self.count

    def sums(self, n_rows: int) -> NDArray[np.float64]:
        """Return the tokens of each candidate, over speakers and items, float64 (n_rows,)."""
        sums = np.zeros(n_rows)
        np.add.at(sums, self.row, self.count)
        return sums

    def faults(self, frequencies: NDArray[np.float64]) -> list[Fault]:
        """Return that the counts do not add up to the frequencies of a tableau, if so."""
        n = frequencies.size
        if not (self.row < n).all() or not np.allclose(self.sums(n), frequencies, rtol=1e-9):
            return [Fault("the counts of the speakers do not add up to the frequencies", "give groups=None")]
        return []

    def names_of(self, n: int) -> tuple[str, str]:
        """Return speaker and item of count `n`; empty where the data do not say."""
        speaker = self.speakers[self.speaker[n]] if self.speakers else ""
        return speaker, self.items[self.item[n]] if self.items else ""

    def with_rows(self, rows: Sequence[int]) -> Groups:
        """Return the counts of a tableau with these rows, in this order; -1 stands for a new one."""
        place = {row: n for n, row in enumerate(rows) if row >= 0}
        kept = np.array([row in place for row in self.row.tolist()], bool)
        return self._of_counts(kept, [place[row] for row in self.row[kept].tolist()])

    def with_line(self, old: CountedLine | None, new: CountedLine) -> Groups:
        """Return the counts with a line in place of another, or added; equal lines are added up.

        Raises
        ------
        InputError
            If the line names no speaker, or no item, where others do.
        """
        for named, name, what in ((self.speakers, new.speaker, "speaker"), (self.items, new.item, "item")):
            if bool(named) != bool(name):
                told = f"these tokens name {'no' if named else 'one'} {what}"
                raise InputError(Fault(told, f"all others name {'one' if named else 'none'}"))
        lines = [CountedLine(row, *self.names_of(n), count) for n, (row, count) in enumerate(self._counts)]
        kept = [line for line in lines if old is None or line[:3] != old[:3]]
        rows, speakers, items, counts = zip(*kept, new, strict=True)
        return Groups.of(speakers, items, rows, counts)

    @property
    def _counts(self) -> Iterable[tuple[int, float]]:
        return zip(self.row.tolist(), self.count.tolist(), strict=True)

    def without(self, rows: Sequence[int]) -> Groups:
        """Return the counts but those of some candidates."""
        kept = ~np.isin(self.row, np.asarray(rows, np.int64))
        return self._of_counts(kept, self.row[kept].tolist())

    def _of_counts(self, kept: NDArray[np.bool_], rows: Sequence[int]) -> Groups:
        chosen = np.flatnonzero(kept).tolist()
        names = [self.names_of(n) for n in chosen]
        speakers, items = [speaker for speaker, _ in names], [item for _, item in names]
        return Groups.of(speakers, items, rows, self.count[kept].tolist())


def counted_lines(frequencies: NDArray[np.float64], groups: Groups | None) -> list[CountedLine]:
    """Return a line for each candidate, in the order of the rows; with groups, one for each count of it.

    A candidate that no speaker said has a line without a speaker and a count of 0.
    """
    if groups is None:
        return [CountedLine(row, "", "", n) for row, n in enumerate(frequencies.tolist())]
    found = [
        CountedLine(row, *groups.names_of(n), tokens)
        for n, (row, tokens) in enumerate(zip(groups.row.tolist(), groups.count.tolist(), strict=True))
    ]
    silent = {*range(len(frequencies))} - {*groups.row.tolist()}
    return sorted([*found, *(CountedLine(row, "", "", 0.0) for row in silent)])


def counted_frame(
    names: Mapping[str, Sequence[str]],
    constraints: Sequence[str],
    violations: NDArray[np.int64],
    frequencies: NDArray[np.float64],
    groups: Groups | None,
) -> pd.DataFrame:
    """Return a frame with a row for each of :func:`counted_lines`: names, frequency, violations.

    `names` has columns with one name per candidate, `violations` one row per candidate.
    """
    import pandas as pd

    lines = counted_lines(frequencies, groups)
    rows = [line.row for line in lines]
    columns = {head: [own[row] for row in rows] for head, own in names.items()}
    if groups and groups.speakers:
        columns["Speaker"] = [line.speaker for line in lines]
    if groups and groups.items:
        columns["Item"] = [line.item for line in lines]
    frame = pd.DataFrame(violations[rows], columns=list(constraints))
    frame.insert(0, "Frequency", [line.tokens for line in lines], allow_duplicates=True)
    for head, values in reversed(columns.items()):
        frame.insert(0, head, np.asarray(values), allow_duplicates=True)
    return frame


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return distinct names that are not empty, in the order of the alphabet, numbers by their size."""
    return tuple(sorted({*names} - {""}, key=_natural))


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(0, int(part[:400]), part) if part.isdecimal() else (1, 0, part) for part in parts]
