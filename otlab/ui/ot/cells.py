r"""Cells pasted from a spreadsheet, and numbers as the grid shows them.

Cells are parsed by :mod:`otlab.ot.io.cell_parsing`, in the grid as in files.

>>> split_block("*\t**\n0\t∗∗∗\n")
[['*', '**'], ['0', '∗∗∗']]
"""

from __future__ import annotations

import re

__all__ = ["holds_a_table", "show_number", "split_block"]

_FIXED_COLUMNS = 3


def split_block(text: str) -> list[list[str]]:
    """Return the cells of a block copied from a spreadsheet, row by row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return [line.split("\t") for line in lines]


def holds_a_table(block: list[list[str]]) -> bool:
    """Return whether a block has headers: names in place of the constraints' counts.

    >>> holds_a_table([["", "", "", "Onset"], ["pa", "pa", "3", "*"]])
    True
    """
    names = [cell.strip() for cell in block[0][_FIXED_COLUMNS:]]
    while names and not names[-1]:
        names.pop()
    return len(block) > 1 and bool(names) and all(map(_is_name, names))


def show_number(number: float) -> str:
    """Return a number as a cell shows it: whole ones without a point.

    >>> show_number(33.0), show_number(0.25)
    ('33', '0.25')
    """
    return str(int(number)) if number == int(number) else f"{number:.6g}"


def _is_name(text: str) -> bool:
    return re.search(r"[^\W\d_]", text) is not None
