"""Merged cells of a spreadsheet with a number: the file gives it to the first cell, nothing to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.ot.io.cell_parsing import parse_frequency, parse_violations
from otlab.ot.io.heads import FREQUENCY_HEADS, HEADS, REMARKS, head_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.ot.io.cells import Cell

__all__ = ["Merged", "merged_numbers"]


class Merged(NamedTuple):
    """A block of merged cells: its first row and column, from 1, and its name, as ``C2:C3``."""

    row: int
    column: int
    name: str


def merged_numbers(
    rows: Sequence[Sequence[Cell]], blocks: Sequence[Merged]
) -> Iterator[tuple[Cell, str, str]]:
    """Yield the first cell of each merged block of frequencies or violations, what is wrong, and a hint.

    Merged names are read: an input goes on in the rows below it, and a title has no cells beside it.

    Parameters
    ----------
    rows
        The rows of the table; titles may stand above its header.
    blocks
        The merged cells of the whole sheet.
    """
    named = (row for row in rows if any(head_name(cell.text) in HEADS[1] for cell in row))
    header = next(named, rows[0] if rows else ())
    heads = [head_name(cell.text) for cell in header]
    candidates = next((n for n, head in enumerate(heads) if head in HEADS[1]), 1)
    cells = {cell[1:]: cell for row in rows if row is not header for cell in row[candidates + 1 :]}
    for block in blocks:
        cell = cells.get((block.row, block.column))
        if cell is None or not cell.text or heads[cell.column - 1] in REMARKS - FREQUENCY_HEADS:
            continue
        if parse_violations(cell.text) is not None or parse_frequency(cell.text) is not None:
            what = f"the cells {block.name} are merged, so that {cell.text} may be for one of them or for all"
            yield cell, what, "unmerge them and write a number into each"
