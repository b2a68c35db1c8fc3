"""The cells of a file of tableaux, whatever its format, and what they were read as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from otlab.errors import Fault
    from otlab.ot.tableau import Tableau
    from otlab.reading import ReadAs

__all__ = ["PROGRESS_EVERY", "Arranged", "Cell", "Grid", "Progress", "Reading", "picked", "without_empty_end"]

PROGRESS_EVERY = 2000  # rows
Progress = Callable[[float], None]


class Cell(NamedTuple):
    """A cell's text without surrounding whitespace, and its line and column, counted from 1."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Grid:
    """The cells of a file, whatever its format.

    Attributes
    ----------
    file, name
        Names of the file, for faults, and of the tableau.
    rows
        Each with at least one cell that is not empty; comment lines left out.
    comments
        ``# key: value`` lines, as cells with the text after the hash.
    fault
        Makes a fault from a cell, what is wrong, and a hint what to do.
    faults
        Faults of the text itself.
    unit
        What the lines of the cells count.
    delimiter
        What stands between the cells of a text; empty for others.
    """

    file: str
    name: str
    rows: Sequence[Sequence[Cell]]
    comments: Sequence[Cell]
    fault: Callable[[Cell, str, str], Fault]
    faults: Sequence[Fault] = ()
    unit: str = "line"
    delimiter: str = ""


@dataclass(frozen=True)
class Arranged:
    """The cells of a table in the usual order, and what its columns are.

    Attributes
    ----------
    format
        "table", "pairs" or "paper".
    grid
        Its first row is the header; each row is input, candidate, frequency, constraints.
    roles, heads
        What each column of the file is, and its head.
    remarks
        What was left out or understood in a particular way.
    values
        The row of weights: its cells, one a constraint; None if there is none.
    lines
        Rows of the file as they are, header first.
    overt
        Line of a row -> what is heard of its candidate.
    said
        Line of a row -> its speaker and item; empty without such a column.
    """

    format: str
    grid: Grid
    roles: tuple[str, ...]
    heads: tuple[str, ...]
    remarks: tuple[Fault, ...] = ()
    values: tuple[Cell, ...] | None = None
    lines: Sequence[Sequence[Cell]] = ()
    overt: Mapping[int, str] = field(default_factory=dict)
    said: Mapping[int, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """A tableau and what was found while it was read; unpacks as ``tableau, warnings``.

    Attributes
    ----------
    tableau
        The tableau.
    warnings
        What is legal but probably not meant, and what was left out.
    values
        A value for each constraint, by name, from a row of weights; empty if the file has none.
    readings
        How it was read, then the other ways to read it; none where nothing can be chosen (Praat).
    """

    tableau: Tableau
    warnings: tuple[Fault, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    readings: tuple[ReadAs, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.tableau, self.warnings))


def without_empty_end(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Return the cells up to the last one that is not empty."""
    size = len(cells)
    while size and not cells[size - 1].text:
        size -= 1
    return cells[:size]


def picked(row: Sequence[Cell], order: Sequence[int]) -> list[Cell]:
    """Return the cells of a row in another order; a missing one is empty, at the place of the first."""
    empty = Cell("", *row[0][1:])
    return [row[n] if 0 <= n < len(row) else empty for n in order]
