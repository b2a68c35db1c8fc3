"""Rows and columns of sums, as pivot tables of spreadsheets have them: left out where their numbers are sums.

::

    Input,Output,Ann,Ben,Grand Total,*Vcd      counts of speakers, their sum, and violations
    bad,bad,3,2,5,1
    ,pat,1,4,5,0
    bad Total,,4,6,10
    Grand Total,,4,6,10
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.ot.io.cell_parsing import parse_frequency
from otlab.ot.io.heads import TOTALS, head_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.io.cells import Cell

    Row = Sequence[Cell]

__all__ = ["counts_below_their_sum", "is_sum_of_others", "rows_of_sums"]


def rows_of_sums(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that hold the sums of others.

    Their candidate is called Total or the like, or their input is and they have no candidate; and their
    frequency is empty or the sum of those of their input, or of all rows above.

    Parameters
    ----------
    rows
        Header, then input, candidate, frequency and violations.
    """
    found: list[Row] = []
    current = ""
    block, whole = _Sum(), _Sum()
    for row in rows[1:]:
        name, candidate, text = (row[n].text if n < len(row) else "" for n in range(3))
        number = parse_frequency(text, comma="," in text)
        if _is_total(name, candidate, current) and _fits(text, number, (block, whole), alone=not candidate):
            found.append(row)
            continue
        if name and name != current:
            current, block = name, _Sum()
        for each in (block, whole) if candidate else ():
            each.add(number or 0.0)
    return found


class _Sum:
    """The sum of the frequencies of some rows, and how many these are."""

    def __init__(self) -> None:
        self.total, self.rows = 0.0, 0

    def add(self, number: float) -> None:
        self.total, self.rows = self.total + number, self.rows + 1


def _fits(text: str, number: float | None, sums: Sequence[_Sum], *, alone: bool) -> bool:
    """Return whether a frequency is a sum: of two rows or more, where a row could be a candidate's."""
    if alone and not text:
        return True
    return number is not None and any(
        each.total and (alone or each.rows > 1) and abs(number - each.total) <= 1e-3 * each.total
        for each in sums
    )


def _is_total(name: str, candidate: str, current: str) -> bool:
    """Return whether a row is called Total, or by the input above and Total."""
    if candidate:
        return candidate.lower() in TOTALS and name in ("", current)
    head = name.lower()
    return head in TOTALS or any(head == f"{current.lower()} {total}" for total in TOTALS)


def counts_below_their_sum(rows: Sequence[Row], first: int) -> tuple[int, list[int]] | None:
    """Return the column of sums and the columns of counts before it; None if there is none.

    Violations stand to its right. The counts may be those of speakers, as in a pivot table.

    Parameters
    ----------
    rows
        Header and rows.
    first
        The first column that may have counts.
    """
    last = max((n for n, cell in enumerate(rows[0]) if cell.text), default=0)
    totals = (n for n, cell in enumerate(rows[0]) if head_name(cell.text) in TOTALS and first < n < last)
    for n in totals:
        if is_sum_of_others(rows, n, range(first, n)):
            return n, [*range(first, n)]
    return None


def is_sum_of_others(rows: Sequence[Row], n: int, others: Sequence[int]) -> bool:
    """Return whether a column has the sum of others in each row, and not 0 in all of them."""
    numbers = [(_number(row, n), [_number(row, k) for k in others]) for row in rows[1:]]
    return any(total for total, _ in numbers) and all(
        total is not None and None not in parts and abs(total - sum(filter(None, parts))) < 1e-6
        for total, parts in numbers
    )


def _number(row: Row, n: int) -> float | None:
    text = row[n].text if n < len(row) else ""
    if text and set(text) <= {"*", "!"}:
        return float(text.count("*"))
    return parse_frequency(text, comma="," in text)
