"""Full-width commas and semicolons, as Chinese and Japanese keyboards type them: they separate no cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import quoted
from otlab.ot.io.cells import without_empty_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.errors import Fault
    from otlab.ot.io.cells import Cell, Grid

__all__ = ["remarks_on_wide_marks"]

_MARKS = "，；"


def remarks_on_wide_marks(grid: Grid, rows: Sequence[Sequence[Cell]]) -> Iterator[Fault]:
    """Yield a remark on each row that lacks a cell where such a mark may have been meant to end one."""
    if grid.delimiter not in (",", ";"):
        return
    width = len(without_empty_end(rows[0]))
    for row in rows[1:]:
        if len(without_empty_end(row)) >= width:
            continue
        marked = next((cell for cell in row if any(mark in cell.text for mark in _MARKS)), None)
        if marked is not None:
            what = f"{quoted(marked.text)} holds a full-width mark, which separates no cells"
            yield grid.fault(marked, what, f"write {grid.delimiter} in its place if a cell ends there")
