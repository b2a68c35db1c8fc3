"""Comparative tableaux: a winner and a loser a row, and which of them each constraint prefers.

::

    Input,Winner,Loser,*Vcd,Ident
    bad,pat,bad,W,L
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.errors import quoted
from otlab.ot.io.cell_parsing import is_number
from otlab.ot.io.cells import Arranged, Grid, picked, without_empty_end
from otlab.ot.io.heads import COUNTS, HEADS, REMARKS
from otlab.reading import NOT_USED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.io.cells import Cell

    Row = Sequence[Cell]

__all__ = ["comparative", "is_comparative"]

_WINNERS, _LOSERS = {"winner", "optimum"}, {"loser", "losers", "rival", "competitor"}
_PREFERS = {"w": 1, "l": -1, **dict.fromkeys(("e", "", "-", "–", "—", "=", "0"), 0)}


def is_comparative(rows: Sequence[Row]) -> bool:
    """Return whether the heads are those of a comparative tableau, or all cells W, L or e."""
    heads = {cell.text.lower() for cell in rows[0]}
    if heads & _WINNERS and heads & _LOSERS:
        return True
    cells = {cell.text.lower() for row in rows[1:] for cell in row[3:] if cell.text}
    counts = any(is_number(row[2].text) for row in rows[1:] if len(row) > 2)
    return {"w", "l"} <= cells <= set(_PREFERS) - {"0"} and not counts


def comparative(grid: Grid) -> Arranged:
    """Return a comparative tableau as an input of two candidates for each pair.

    The violations are the smallest numbers with the same preferences: W is one of the loser, L one of the
    winner. Several pairs of an input are inputs of their own, for nothing is known about two losers.
    """
    first, *body = grid.rows
    heads = [cell.text for cell in without_empty_end(first)]
    lower = [head.lower() for head in heads]
    roles = _pair_roles(lower)
    columns = [n for n, role in enumerate(roles) if role == "constraint"]
    places = [
        roles.index(role) if role in roles else -1 for role in ("input", "winner", "loser", "frequency")
    ]
    faults, pairs = list(grid.faults), []
    above = {0: "", 1: ""}
    for row in body:
        name, winner, loser, count = picked(row, places)
        above = {0: name.text or above[0], 1: winner.text or ("" if name.text else above[1])}
        cells = picked(row, columns)
        for cell in cells:
            if cell.text.lower() not in _PREFERS:
                hint = "write W if the constraint prefers the winner, L if the loser, else e or nothing"
                faults.append(grid.fault(cell, f"{quoted(cell.text)} is neither W, L nor e", hint))
        pairs.append((name._replace(text=above[0]), winner._replace(text=above[1]), loser, count, cells))
    several = Counter(name.text for name, *_ in pairs)
    rows = [picked(first, [places[0], places[1], places[3], *columns])]
    for name, winner, loser, count, cells in pairs:
        label = f"{name.text}: {winner.text} ~ {loser.text}" if several[name.text] > 1 else name.text
        marks = [(_PREFERS.get(cell.text.lower(), 0), cell) for cell in cells]
        rows.append(
            [
                name._replace(text=label),
                winner,
                count._replace(text=count.text or "1"),
                *(cell._replace(text=str(int(mark < 0))) for mark, cell in marks),
            ]
        )
        rows.append(
            [
                name._replace(text=label),
                loser,
                count._replace(text=""),
                *(cell._replace(text=str(int(mark > 0))) for mark, cell in marks),
            ]
        )
    what = "comparative tableau: W and L say which candidate a constraint prefers, not by how many violations"
    hint = "each pair is an input of two candidates; rankings are exact, weights mean little"
    remark = replace(grid.fault(first[0], what, hint), line=None, column=None, spot="")
    return Arranged("pairs", replace(grid, rows=rows, faults=faults), tuple(roles), tuple(heads), (remark,))


def _pair_roles(heads: Sequence[str]) -> list[str]:
    """Return what each column of a comparative tableau is; without the usual heads by its place."""
    roles = ["constraint"] * len(heads)
    named = {"input": HEADS[0], "winner": _WINNERS | HEADS[1], "loser": _LOSERS, "frequency": COUNTS | {"n"}}
    for role, names in named.items():
        found = next((n for n, head in enumerate(heads) if head in names), None)
        if found is not None:
            roles[found] = role
    if "winner" not in roles or "loser" not in roles:
        roles[:3] = ["input", "winner", "loser"][: len(roles)]
    return [
        NOT_USED if role == "constraint" and head in REMARKS else role
        for role, head in zip(roles, heads, strict=True)
    ]
