"""Hidden rows and columns of a spreadsheet, which are left out: a table is read as it is seen.

Columns that a table needs (names, frequencies, speakers) are read even where they are hidden. A row in sight
whose input stands in a hidden row above it, as one that a filter has left, keeps that input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import counted
from otlab.ot.io.heads import (
    COUNTS,
    FREQUENCY_HEADS,
    HEADS,
    HIDDEN,
    ITEMS,
    LOSERS,
    OVERT,
    SHARES,
    SPEAKERS,
    WINNERS,
    head_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.io.cells import Cell

    Rows = Sequence[Sequence[Cell]]

__all__ = ["Unseen", "without_unseen"]

_NEEDED = HEADS[0] | HEADS[1] | COUNTS | OVERT | HIDDEN | SPEAKERS | ITEMS | WINNERS | LOSERS
_MOST_NAMED = 5


class Unseen(NamedTuple):
    """Numbers of rows and columns that are hidden, from 1."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()

    def has(self, cell: Cell) -> bool:
        """Return whether a cell is hidden."""
        return cell.line in self.rows or cell.column in self.columns

    def in_words(self) -> str:
        """Return that these rows and columns were left out; empty if there are none.

        >>> print(Unseen(frozenset({3, 4}), frozenset({5})).in_words())
        2 hidden rows (3, 4) and 1 hidden column (E) were left out
        """
        from openpyxl.utils import get_column_letter

        rows = [*map(str, sorted(self.rows))]
        columns = [*map(get_column_letter, sorted(self.columns))]
        parts = [f"{counted(len(rows), 'hidden row')} ({_few(rows)})"] if rows else []
        parts += [f"{counted(len(columns), 'hidden column')} ({_few(columns)})"] if columns else []
        were = "was" if len(self.rows) + len(self.columns) == 1 else "were"
        return f"{' and '.join(parts)} {were} left out" if parts else ""


def without_unseen(rows: Rows, unseen: Unseen) -> tuple[Rows, Unseen]:
    """Return the rows of a table without what is hidden, and what was left out.

    Parameters
    ----------
    rows
        Each with at least one cell that is not empty.
    unseen
        Which rows and columns of the sheet are hidden. Those above the first row in sight are read.
    """
    first = next((row[0].line for row in rows if row[0].line not in unseen.rows), 0)
    left = {row[0].line for row in rows if row[0].line in unseen.rows and row[0].line > first}
    columns = {n for n in unseen.columns if _can_do_without(rows, n)}
    if not left and not columns:
        return rows, Unseen()
    source = next((n for row in rows[:2] for n, c in enumerate(row) if head_name(c.text) in HEADS[0]), 0)
    above = ""
    seen: list[Sequence[Cell]] = []
    for row in rows:
        name = row[source]
        if name.line in left:
            above = name.text or above
            continue
        own = [*row[:source], name._replace(text=name.text or above), *row[source + 1 :]]
        seen.append([cell for cell in own if cell.column not in columns])
        above = ""
    return [row for row in seen if any(cell.text for cell in row)], Unseen(
        frozenset(left), frozenset(columns)
    )


def _can_do_without(rows: Rows, n: int) -> bool:
    """Return whether a column holds something that is neither a name nor a frequency."""
    texts = [head_name(row[n - 1].text) for row in rows if n <= len(row)]
    needed = _NEEDED if _has_frequencies(rows) else _NEEDED | SHARES  # else F, P and N are constraints
    return n > 3 and any(texts) and not needed & {*texts[:2]}


def _has_frequencies(rows: Rows) -> bool:
    """Return whether another column than one called F, P, N or the like has the frequencies."""
    heads = [head_name(cell.text) for cell in rows[0]]
    third = any(len(row) > 2 and row[2].text for row in rows[1:])
    return bool(COUNTS & {*heads}) or (third and heads[2] in FREQUENCY_HEADS)


def _few(found: Sequence[str]) -> str:
    return ", ".join(found[:_MOST_NAMED]) + (", ..." if len(found) > _MOST_NAMED else "")
