"""Comparative tableaux: a winner and a loser a row, and which of them each constraint prefers.

::

    Input,Winner,Loser,*Vcd,Ident
    bad,pat,bad,W,L

    ,*Vcd,Ident                     winner and loser in one cell, as Prince (2002) writes them
    pat ~ bad,W,L
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import quoted
from otlab.ot.io.cell_parsing import is_number
from otlab.ot.io.cells import Arranged, Cell, Grid, picked, without_empty_end
from otlab.ot.io.heads import COUNTS, HEADS, LOSERS, REMARKS, WINNERS, head_name
from otlab.ot.io.paper import INPUT, bare_name
from otlab.reading import NOT_USED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = Sequence[Cell]

__all__ = ["comparative", "is_comparative"]

_BETWEEN = (re.compile(r"\s*[~∼≻]\s*"), re.compile(r"\s*>\s*"), re.compile(r"(?:^|\s+)vs?\.?\s+"))
_TOGETHER = "winner and loser"  # of a column with both
_PREFERS = {"w": 1, "l": -1, **dict.fromkeys(("e", "", "-", "–", "—", "=", "0"), 0)}


class _Pair(NamedTuple):
    """A winner and a loser: their cells, and what each constraint prefers, 1 for the winner."""

    name: Cell
    winner: Cell
    loser: Cell
    frequency: Cell
    cells: list[Cell]
    marks: list[int | None]

    def rows(self, *, alone: bool) -> Iterator[list[Cell]]:
        """Yield the rows of both candidates of an input, which is named by them unless it is `alone`."""
        label = self.name.text if alone else f"{self.name.text}: {self.winner.text} ~ {self.loser.text}"
        name = _with(self.name, label)
        for candidate, count, against in ((self.winner, self.frequency.text or "1", -1), (self.loser, "", 1)):
            violations = [
                Cell("1" if mark == against else "0", cell.line, cell.column)
                for cell, mark in zip(self.cells, self.marks, strict=True)
            ]
            yield [name, candidate, _with(self.frequency, count), *violations]


def _with(cell: Cell, text: str) -> Cell:
    """Return the cell with another text: faster than ``_replace``, which tables of a megabyte need."""
    return Cell(text, cell.line, cell.column)


def is_comparative(rows: Sequence[Row]) -> bool:
    """Return whether the heads are those of a comparative tableau, or all cells W, L or e."""
    heads = {head_name(cell.text) for cell in rows[0]}
    if heads & WINNERS and heads & LOSERS:
        return True
    if _pair_column(rows) is not None:
        return True
    cells = {cell.text.lower() for row in rows[1:] for cell in row[3:] if cell.text}
    counts = any(is_number(row[2].text) for row in rows[1:] if len(row) > 2)
    return {"w", "l"} <= cells <= set(_PREFERS) - {"0"} and not counts


def comparative(grid: Grid) -> Arranged:
    """Return a comparative tableau as an input of two candidates for each pair.

    The violations are the smallest numbers with the same preferences: W is one of the loser, L one of the
    winner. Several pairs of an input are inputs of their own, for nothing is known about two losers.
    """
    shown = [cell.text for cell in without_empty_end(grid.rows[0])]
    together = _pair_column(grid.rows)
    first, *body = grid.rows if together is None else _taken_apart(grid.rows, *together)
    heads = [cell.text for cell in without_empty_end(first)]
    lower = [head_name(head) for head in heads]
    roles = _pair_roles(lower)
    columns = [n for n, role in enumerate(roles) if role == "constraint"]
    places = [
        roles.index(role) if role in roles else -1 for role in ("input", "winner", "loser", "frequency")
    ]
    faults, pairs = list(grid.faults), list[_Pair]()
    above = {0: "", 1: ""}
    for row in body:
        name, winner, loser, count = picked(row, places)
        above = {0: name.text or above[0], 1: winner.text or ("" if name.text else above[1])}
        cells = picked(row, columns)
        marks = [_PREFERS.get(cell.text.lower()) for cell in cells]
        if None in marks:
            hint = "write W if the constraint prefers the winner, L if the loser, else e or nothing"
            faults += [
                grid.fault(cell, f"{quoted(cell.text)} is neither W, L nor e", hint)
                for cell, mark in zip(cells, marks, strict=True)
                if mark is None
            ]
        pairs.append(_Pair(_with(name, above[0]), _with(winner, above[1]), loser, count, cells, marks))
    several = Counter(pair.name.text for pair in pairs)
    rows = [picked(first, [places[0], places[1], places[3], *columns])]
    for pair in pairs:
        rows += pair.rows(alone=several[pair.name.text] == 1)
    what = "comparative tableau: W and L say which candidate a constraint prefers, not by how many violations"
    hint = "each pair is an input of two candidates; rankings are exact, weights mean little"
    remark = replace(grid.fault(first[0], what, hint), line=None, column=None, spot="")
    if together is not None:
        n = together[0]
        roles = [*["input"][:n], *[NOT_USED] * (n - 1), _TOGETHER, *roles[3:]]
    return Arranged("pairs", replace(grid, rows=rows, faults=faults), tuple(roles), tuple(shown), (remark,))


def _pair_column(rows: Sequence[Row]) -> tuple[int, re.Pattern[str]] | None:
    """Return the column with ``winner ~ loser`` in each row, and what stands between them; None without one.

    The columns to its right have W, L or e. A row may leave the winner of the one above out: ``~ loser``.
    """
    for n in range(min(3, len(rows[0]))):
        texts = [row[n].text if n < len(row) else "" for row in rows[1:]]
        sign = next((sign for sign in _BETWEEN if _all_apart(texts, sign)), None)
        if sign is None:
            continue
        skip = {k for k, cell in enumerate(rows[0]) if head_name(cell.text) in COUNTS | REMARKS}
        places = (cell for row in rows[1:] for k, cell in enumerate(row) if k > n and k not in skip)
        cells = {cell.text.lower() for cell in places}
        if cells & {"w", "l"} and cells <= set(_PREFERS):
            return n, sign
    return None


def _all_apart(texts: Sequence[str], sign: re.Pattern[str]) -> bool:
    """Return whether each text is a winner and a loser, the first of them with both."""
    apart = (sign.split(text) for text in texts)
    return all(len(pair) == 2 and pair[1] and (pair[0] or k) for k, pair in enumerate(apart)) and bool(texts)


def _taken_apart(rows: Sequence[Row], n: int, sign: re.Pattern[str]) -> list[Row]:
    """Return the rows with input, winner and loser in three columns; without an input it is the pair."""
    first = rows[0]
    inside = INPUT.fullmatch(first[0].text)
    heads = [_with(first[0], text) for text in ("Input", "Winner", "Loser")]
    apart: list[Row] = [[*heads, *first[n + 1 :]]]
    winner = ""
    for row in rows[1:]:
        above, loser = (bare_name(text) for text in sign.split(row[n].text))
        winner = above or winner
        alone = inside[1].strip() if inside else f"{winner} ~ {loser}"
        name = row[0] if n else _with(row[0], alone)
        apart.append([name, _with(row[n], winner), _with(row[n], loser), *row[n + 1 :]])
    return apart


def _pair_roles(heads: Sequence[str]) -> list[str]:
    """Return what each column of a comparative tableau is; without the usual heads by its place."""
    roles = ["constraint"] * len(heads)
    named = {"input": HEADS[0], "winner": WINNERS | HEADS[1], "loser": LOSERS, "frequency": COUNTS | {"n"}}
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
