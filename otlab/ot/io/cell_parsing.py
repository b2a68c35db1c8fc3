r"""Parse cells of a tableau: violations and frequencies, in the ways in which they are written.

The lab's grid, pasted blocks and files use these functions, so a cell means the same in
each of them. Surrounding whitespace is ignored.

>>> [parse_violations(cell) for cell in ("", "2", "**", "*!*", "∗∗", "!", "-1", "2.5")]
[0, 2, 2, 2, 2, 0, -1, None]
>>> [parse_frequency(cell) for cell in ("", "12", ".33", "12 000", "1,5", "-1")]
[0.0, 12.0, 0.33, 12000.0, None, None]
"""

from __future__ import annotations

import re
from functools import lru_cache

from otlab.ot.validation import MAX_FREQUENCY, MAX_VIOLATIONS

__all__ = [
    "frequency_hint",
    "is_number",
    "parse_decimal",
    "parse_frequency",
    "parse_violations",
    "violation_hint",
]

_BLANKS = r"\s\u00a0\u2009\u202f"
_INTEGER = re.compile(r"[+-]?[0-9]+(\.0*)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ASTERISKS = re.compile(rf"[*∗＊⁎✱﹡{_BLANKS}]+")
_THOUSANDS = re.compile(rf"(?<=[0-9])[{_BLANKS}](?=[0-9]{{3}}(?![0-9]))")
_COMMAS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")


def parse_decimal(text: str) -> float | None:
    """Return a decimal number; None for anything else, also ``nan``, ``inf`` and ``1_0``."""
    text = text.replace("−", "-")
    return float(text) if _DECIMAL.fullmatch(text) else None


@lru_cache(maxsize=4096)
def parse_violations(text: str) -> int | None:
    """Return the number of violations that a cell means, None if it means none.

    Asterisks of any kind are counted, a whole number means itself (``2``, ``2.0``, ``-1``), an
    empty cell is 0. Exclamation marks are ignored: they mark a violation as fatal.

    Returns
    -------
    int or None
        Between ``-MAX_VIOLATIONS`` and ``MAX_VIOLATIONS``.
    """
    text = text.replace("!", "").replace("！", "").strip().replace("−", "-")
    if not text:
        return 0
    if _ASTERISKS.fullmatch(text):
        count = len(re.sub(r"\s", "", text))
    elif _INTEGER.fullmatch(text):
        digits = text.partition(".")[0]
        count = int(digits) if len(digits) < 20 else MAX_VIOLATIONS + 1
    else:
        return None
    return count if abs(count) <= MAX_VIOLATIONS else None


@lru_cache(maxsize=4096)
def parse_frequency(text: str) -> float | None:
    """Return the frequency that a cell means, None if it means none; an empty cell is 0.

    Thousands may be separated by blanks, or by commas if there are two or more of them.
    ``1,040`` is refused: it may mean 1040 or 1.04.
    """
    text = _THOUSANDS.sub("", text.strip())
    if text.count(",") > 1 and _COMMAS.fullmatch(text):
        text = text.replace(",", "")
    number = parse_decimal(text) if text else 0.0
    return number if number is not None and 0 <= number <= MAX_FREQUENCY else None


def is_number(text: str) -> bool:
    """Return whether a cell holds a number of any kind, with a point or a comma."""
    return parse_decimal(text.strip().replace(",", ".")) is not None


def violation_hint(text: str) -> str:
    """Return a correction for a text that is no number of violations."""
    number = parse_decimal(text.strip().replace(",", "."))
    if number is None:
        return "write how many violations there are, as 2 or **, or leave it empty for 0"
    if abs(number) > MAX_VIOLATIONS:
        return f"stay within {MAX_VIOLATIONS:,}"
    below = int(number // 1)
    if below == number:
        return f"write {below}"
    return f"write {below} or {below + 1}"


def frequency_hint(text: str) -> str:
    """Return a correction for a text that is no frequency."""
    text = text.strip()
    pointed = text.replace(",", ".")
    if pointed != text and parse_decimal(pointed) is not None:
        whole = text.replace(",", "")
        return f"write {whole}, or {pointed} for a decimal" if _COMMAS.fullmatch(text) else f"write {pointed}"
    number = parse_decimal(text)
    if number is not None and number > MAX_FREQUENCY:
        return f"stay within {MAX_FREQUENCY:,.0f}"
    return "write a count or a decimal number of at least 0, or leave it empty for 0"
