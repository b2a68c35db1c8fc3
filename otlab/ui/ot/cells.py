r"""What people type into a tableau: counts, asterisks, names, and blocks out of a spreadsheet.

A violation is a whole number from 0 to 99; a row of asterisks counts as its length,
an empty cell as 0. Nothing here knows a tableau or a page.

>>> parse_violations("**"), parse_violations(""), parse_violations("12"), parse_violations("2.5")
(2, 0, 12, None)
>>> split_block("*\t**\n0\t∗∗∗\n")
[['*', '**'], ['0', '∗∗∗']]
"""

from __future__ import annotations

import math
import re

__all__ = [
    "MOST_OBSERVATIONS",
    "MOST_VIOLATIONS",
    "holds_a_table",
    "parse_frequency",
    "parse_violations",
    "show_number",
    "split_block",
]

MOST_VIOLATIONS = 99
MOST_OBSERVATIONS = 9_999_999
_ASTERISKS = re.compile(r"[*∗＊⁎✱]+")
_WHOLE = re.compile(r"\+?\d+(\.0*)?")
_FIXED_COLUMNS = 3


def parse_violations(text: str) -> int | None:
    """Return a cell's violations; None if it is not a count from 0 to 99."""
    text = _bare(text)
    if _ASTERISKS.fullmatch(text):
        count = len(text)
    elif not text:
        count = 0
    elif _WHOLE.fullmatch(text):
        count = int(float(text))
    else:
        return None
    return count if count <= MOST_VIOLATIONS else None


def parse_frequency(text: str, *, whole: bool) -> float | None:
    """Return how often a candidate was observed; None if the text does not say it.

    Parameters
    ----------
    text
        A number, thousands set apart by commas or blanks; empty is 0.
    whole
        Whether only whole numbers will do, as in a table of counts.
    """
    text = re.sub(r"(?<=\d)[,\s\u2009\u202f](?=\d{3}\b)", "", _bare(text))
    if not text:
        return 0.0
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or not 0 <= number <= MOST_OBSERVATIONS or (whole and number % 1):
        return None
    return number


def split_block(text: str) -> list[list[str]]:
    """Return the cells of a block copied from a spreadsheet, row by row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return [line.split("\t") for line in lines]


def holds_a_table(block: list[list[str]]) -> bool:
    """Return whether a block brings its own headers: names where the constraints' counts would stand.

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


def _bare(text: str) -> str:
    return text.replace("\u00a0", " ").strip().rstrip("!").strip()
