"""Tableaux as in a paper: the input in the first cell, constraints beside it, candidates below.

::

    /bad/   *Vcd  Ident
    ☞ pat         *
      bad   *!
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.errors import quoted
from otlab.ot.io.cell_parsing import is_number
from otlab.ot.io.cells import Arranged, Grid, picked, without_empty_end
from otlab.ot.io.heads import COUNTS, HEADS, SHARES, head_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.io.cells import Cell

    Row = Sequence[Cell]

__all__ = ["INPUT", "bare_name", "is_paper", "paper", "pointed_at", "unmarked"]

_HANDS = "☞☛👉➔➜→⇒\uf046"  # the last one is the hand of the font Wingdings
_HAND = re.compile(rf"^\s*[{_HANDS}]\ufe0f?\s*|\s*[{_HANDS}]\ufe0f?\s*$")
_LETTER = re.compile(r"^(?:\(?[a-z]{1,2}[.)]|\(?[ivx]+[.)])\s*")
INPUT = re.compile(r"(?:input\s*:?\s*)?/(.+)/", re.IGNORECASE)
"""An input as a paper writes it."""


def unmarked(text: str) -> str:
    """Return a candidate's name without the pointing hand.

    >>> unmarked("☞ pat"), unmarked("pat")
    ('pat', 'pat')
    """
    return _HAND.sub("", text)


def bare_name(text: str) -> str:
    """Return a candidate's name without hand, letter and square brackets.

    >>> bare_name("☞ a. [pat]")
    'pat'
    """
    text = unmarked(text).strip()
    text = unmarked(_LETTER.sub("", text)) or text
    inside = re.fullmatch(r"\[([^\[\]]*)\]", text)
    return inside[1].strip() if inside else text


def pointed_at(text: str) -> bool:
    """Return whether a candidate has a pointing hand before or after it."""
    return bool(_HAND.search(text))


def is_paper(rows: Sequence[Row]) -> bool:
    """Return whether the first row has an input, as ``/bad/``, and then constraints; or hands begin rows."""
    rows = _folded(rows)
    first, names = rows[0][0].text, [cell.text for cell in rows[0][1:] if cell.text]
    if not first or not names or any(map(is_number, names)) or first.lower() in HEADS[0]:
        return False
    hands = any(_HAND.search(cell.text) for row in rows[1:] for cell in row[:3])
    return bool(INPUT.fullmatch(first)) or (hands and rows[0][1].text.lower() not in HEADS[1])


def _folded(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows with the columns of hands and letters, left of the input, in that of the candidates."""
    n = next((n for n, cell in enumerate(rows[0]) if cell.text), 0)
    if not n or not INPUT.fullmatch(rows[0][n].text):
        return rows
    whole = [(row, picked(row, range(n + 1))) for row in rows]
    return [
        [cells[n]._replace(text=" ".join(cell.text for cell in cells if cell.text)), *row[n + 1 :]]
        for row, cells in whole
    ]


def paper(grid: Grid) -> Arranged:
    """Return tableaux of a paper, one below another, as a table; the hand or ``!`` marks the winner."""
    names: list[Cell] = []
    blocks: list[tuple[Cell, dict[str, int], list[Row], int]] = []
    columns: dict[str, int] = {}
    lines = _folded(grid.rows)
    for row in lines:
        if not blocks or INPUT.fullmatch(row[0].text):
            heads = {cell.text: n for n, cell in enumerate(row) if n and cell.text}
            columns = heads or columns
            names += [row[n] for name, n in heads.items() if name not in {cell.text for cell in names}]
            inside = INPUT.fullmatch(row[0].text)
            name = row[0]._replace(text=inside[1].strip() if inside else row[0].text)
            blocks.append((name, columns, [], min(columns.values(), default=1)))
        else:
            blocks[-1][2].append(row)
    counts = next((cell.text for cell in names if head_name(cell.text) in COUNTS | SHARES), "")
    names = [cell for cell in names if cell.text != counts]
    first = lines[0]
    rows: list[list[Cell]] = [[first[0]._replace(text=""), *[first[0]._replace(text="")] * 2, *names]]
    unknown: list[Cell] = []
    for name, own, body, width in blocks:
        winners = _winners(body, width)
        if not counts and not any(winners):
            unknown.append(name)
        for row, wins in zip(body, winners, strict=True):
            candidate = _candidate(row, width)
            place = own.get(counts, -1)
            count = picked(row, [place])[0] if counts else candidate._replace(text="1" if wins else "")
            rows.append([name, candidate, count, *picked(row, [own.get(cell.text, -1) for cell in names])])
    remarks = [
        grid.fault(name, f"no candidate of {quoted(name.text)} is marked as the winner", "mark it with ☞")
        for name in unknown
    ]
    width = min((width for *_, width in blocks), default=1)
    roles = ("candidate", *["candidate"] * (width - 1))
    shown = [cell.text for cell in without_empty_end(first)]
    roles += tuple("frequency" if text and text == counts else "constraint" for text in shown[width:])
    return Arranged("paper", replace(grid, rows=rows), roles, tuple(shown), tuple(remarks))


def _winners(body: Sequence[Row], width: int) -> list[bool]:
    """Return which candidates win: those with a hand, else the only one without a fatal violation."""
    hands = [any(_HAND.search(cell.text) for cell in row[:width]) for row in body]
    if any(hands):
        return hands
    fatal = [any("!" in cell.text for cell in row[width:]) for row in body]
    return [not lost for lost in fatal] if fatal.count(False) == 1 else [False] * len(body)


def _candidate(row: Row, width: int) -> Cell:
    """Return a candidate's name: without hand, letter and square brackets."""
    cells = [cell for cell in row[:width] if unmarked(cell.text)]
    text = " ".join(unmarked(cell.text) for cell in cells)
    return (cells[-1] if cells else row[0])._replace(text=bare_name(text))
