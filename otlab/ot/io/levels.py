"""Tables with a line for each input, overt form and parse, as Staubs and Prickett write hidden structure.

::

    UR,SR,p,HR,C1,C2
    L L                      an input
    ,L1 L,1                  what is heard, and its share
    ,,,(L1) L,1,0            its parses
    ,,,(L1 L),0,1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import quoted
from otlab.ot.io.cell_parsing import parse_decimal
from otlab.ot.io.cells import Cell, without_empty_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.errors import Fault
    from otlab.ot.io.cells import Grid

__all__ = ["filled_down"]


def filled_down(grid: Grid, roles: Sequence[str]) -> tuple[Sequence[Sequence[Cell]], list[Fault]]:
    """Return a row for each parse with its input and overt form, and remarks on shares without a parse.

    The share of an overt form stands at its first parse.

    Parameters
    ----------
    grid
        Its first row is the header.
    roles
        What each column is. Rows are returned as they are if none is an overt form or all have a candidate.
    """
    rows = grid.rows
    if not {"input", "overt", "candidate", "frequency"} <= {*roles}:
        return rows, []
    source, heard, share, parse = (roles.index(role) for role in ("input", "overt", "frequency", "candidate"))
    if not any(_has(row, source) and len(without_empty_end(row)) == source + 1 for row in rows[1:]):
        return rows, []
    found, remarks = [rows[0]], []
    name, overt, waiting = "", "", None
    for row in rows[1:]:
        padded = [*row, *(Cell("", *row[0][1:]) for _ in range(len(roles) - len(row)))]
        if padded[source].text or padded[heard].text:
            remarks += _lost(grid, overt, waiting)
            name, overt = padded[source].text or name, padded[heard].text
            waiting = padded[share] if padded[share].text else None
        if padded[parse].text:
            padded[source] = padded[source]._replace(text=name)
            padded[heard] = padded[heard]._replace(text=overt)
            padded[share] = waiting or padded[share]
            waiting = None
            found.append(padded)
    return found, [*remarks, *_lost(grid, overt, waiting)]


def _has(row: Sequence[Cell], column: int) -> bool:
    return len(row) > column and bool(row[column].text)


def _lost(grid: Grid, overt: str, share: Cell | None) -> list[Fault]:
    """Return the remark that what is heard has a share and no parse, if that is so."""
    if share is None or not parse_decimal(share.text):
        return []
    what = f"{quoted(overt)} has the share {share.text} and no parse: left out"
    return [grid.fault(share, what, "write its parses below it, or leave it out")]
