"""Find a second table below or beside the first one: each file or sheet holds one.

::

    Input,Output,Frequency,*Coda,Max
    tat,tat,8,1,0
    Table 2
    Input,Output,Frequency,Onset,Dep        here a second table begins
    at,at,3,1,0

A header that is the first one again is none: its rows belong to the first table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.ot.io.cell_parsing import is_number, parse_violations
from otlab.ot.io.cells import without_empty_end
from otlab.ot.io.heads import FREQUENCY_HEADS, HEADS, LOSERS, WINNERS, head_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.errors import Fault
    from otlab.ot.io.cells import Cell, Grid

    Row = Sequence[Cell]

__all__ = ["first_table"]

_HINT = "save it in a file or sheet of its own, or give all candidates one header with all constraints"


def first_table(grid: Grid, rows: Sequence[Row]) -> tuple[Sequence[Row], list[Fault]]:
    """Return the rows of the first table, and the fault of a second one below or beside it.

    Parameters
    ----------
    grid
        Makes the fault.
    rows
        From the header on.
    """
    beside = _beside(rows[0])
    if beside is not None:
        n = next(n for n, cell in enumerate(rows[0]) if cell is beside)
        fault = grid.fault(beside, "a second table begins here, beside the first one", _HINT)
        return [row[:n] for row in rows if any(cell.text for cell in row[:n])], [fault]
    texts = _texts(rows[0])
    headers = (n for n in range(2, len(rows)) if _is_header(rows, n) and _texts(rows[n]) != texts)
    n = next(headers, 0)
    if not n:
        return rows, []
    first = next(cell for cell in rows[n] if cell.text)
    names = ", ".join(text for text in _texts(rows[n]) if text)
    fault = grid.fault(first, f"a second table begins here, with the header {names}", _HINT)
    while n > 2 and len(list(filter(None, _texts(rows[n - 1])))) == 1:  # a title above it
        n -= 1
    return rows[:n], [fault]


def _texts(row: Row) -> list[str]:
    return [cell.text for cell in without_empty_end(row)]


def _beside(header: Row) -> Cell | None:
    """Return the head of the inputs of a second table on the right of the first; None without one."""
    inputs, candidates = (
        [n for n, cell in enumerate(header) if cell.text and head_name(cell.text) in heads] for heads in HEADS
    )
    if (
        len(inputs) != 2
        or len(candidates) != 2
        or max(inputs[0], candidates[0]) >= min(inputs[1], candidates[1])
    ):
        return None
    return header[min(inputs[1], candidates[1])]


def _is_named(row: Row) -> bool:
    """Return whether a row has the heads of inputs and candidates."""
    heads = {head_name(cell.text) for cell in row if cell.text}
    return bool(heads & HEADS[0]) and bool(heads & (HEADS[1] | WINNERS | LOSERS))


def _is_header(rows: Sequence[Row], n: int) -> bool:
    """Return whether a row has the usual heads, or none of them, and names of constraints but no number."""
    row = rows[n]
    last = next((cell.text for cell in reversed(row) if cell.text), "")
    if parse_violations(last) is not None:
        return False
    if _is_named(row):
        known = FREQUENCY_HEADS | HEADS[0] | HEADS[1] | WINNERS | LOSERS
        names = [cell.text for cell in row if head_name(cell.text) not in known]
        return bool(names) and not any(map(_counts, names))
    names = [cell.text for cell in row[3:] if cell.text]
    above = n > 2 and not any(cell.text for cell in row[:3])  # those of row 2 are abbreviations
    return above and len(names) > 1 and not any(map(_counts, names)) and _has_candidate(rows[n + 1 : n + 3])


def _counts(text: str) -> bool:
    return is_number(text) or parse_violations(text) is not None


def _has_candidate(rows: Sequence[Row]) -> bool:
    return any(len(row) > 1 and row[1].text for row in rows)
