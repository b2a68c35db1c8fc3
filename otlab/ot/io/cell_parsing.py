r"""Parse cells of a tableau: violations and frequencies, in the ways in which they are written.

The lab's grid, pasted blocks and files use these functions, so a cell means the same in
each of them. Surrounding whitespace is ignored.

A comma between digits is a decimal comma where it can be nothing else: in ``0,5``, not in ``1,040``.
In a column of frequencies one such number settles what the others mean (:func:`comma_use`).

>>> [parse_violations(cell) for cell in ("", "–", "2", "**", "*!*", "∗∗", "!", "-1", "2.5")]
[0, 0, 2, 2, 2, 2, 0, -1, None]
>>> [parse_frequency(cell) for cell in ("", "12", ".33", "12 000", "1,5", "27 %", "1,040", "-1")]
[0.0, 12.0, 0.33, 12000.0, 1.5, 0.27, None, None]
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from otlab.ot.validation import MAX_FREQUENCY, MAX_VIOLATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CommaUse",
    "comma_use",
    "frequency_hint",
    "is_number",
    "is_unclear",
    "parse_decimal",
    "parse_frequency",
    "parse_violations",
    "percents",
    "thousands",
    "violation_hint",
]

_NONE = ("", "-", "–", "—")  # as tables in print have it
_BLANKS = r"\s\u00a0\u2009\u202f"
_INTEGER = re.compile(r"([+-]?[0-9]+)(\.0*|,0{1,2})?")
_DECIMAL = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ASTERISKS = re.compile(rf"[*∗＊⁎✱﹡{_BLANKS}]+")
_THOUSANDS = re.compile(rf"(?<=[0-9])[{_BLANKS}'’](?=[0-9]{{3}}(?![0-9]))")
_COMMAS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
_POINTS = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+")
_BOTH = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+")


def parse_decimal(text: str) -> float | None:
    """Return a decimal number, with a point or a comma; None for anything else.

    None, too, for ``nan``, ``inf`` and ``1_0``, and for ``1,040``, which may mean 1040 or 1.04.
    """
    text = text.replace("−", "-")
    if not is_unclear(text):
        text = text.replace(",", ".")
    return float(text) if _DECIMAL.fullmatch(text) else None


@lru_cache(maxsize=4096)
def parse_violations(text: str) -> int | None:
    """Return the number of violations that a cell means, None if it means none.

    Asterisks of any kind are counted, a whole number means itself (``2``, ``2.0``, ``-1``), an
    empty cell or a dash is 0. Exclamation marks are ignored: they mark a violation as fatal.

    Returns
    -------
    int or None
        Between ``-MAX_VIOLATIONS`` and ``MAX_VIOLATIONS``.
    """
    text = text.replace("!", "").replace("！", "").strip().replace("−", "-")
    if text in _NONE:
        return 0
    if _ASTERISKS.fullmatch(text):
        count = len(re.sub(r"\s", "", text))
    elif whole := _INTEGER.fullmatch(text):
        digits = whole[1]
        count = int(digits) if len(digits) < 20 else MAX_VIOLATIONS + 1
    else:
        return None
    return count if abs(count) <= MAX_VIOLATIONS else None


@lru_cache(maxsize=4096)
def parse_frequency(text: str, *, comma: bool = False) -> float | None:
    """Return the frequency that a cell means, None if it means none; an empty cell or a dash is 0.

    Thousands may be separated by blanks, by apostrophes, by commas if there are two or more of them, or by
    points before a decimal comma (``1.234,5``). ``27%`` is .27.

    Parameters
    ----------
    text
        The cell.
    comma
        Whether any comma is a decimal comma. By default ``1,040`` is refused.
    """
    text = _THOUSANDS.sub("", text.strip())
    if text.endswith("%"):
        share = parse_frequency(text[:-1], comma=comma) if text[:-1].strip() else None
        return None if share is None else share / 100
    if _BOTH.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif comma:
        text = text.replace(",", ".")
    elif _COMMAS.fullmatch(text) and not is_unclear(text):
        text = text.replace(",", "")
    number = 0.0 if text in _NONE else parse_decimal(text)
    return number if number is not None and 0 <= number <= MAX_FREQUENCY else None


def is_unclear(text: str) -> bool:
    """Return whether the comma in a number may be a decimal comma, or between thousands: ``1,040``."""
    return text.count(",") == 1 and "." not in text and bool(_COMMAS.fullmatch(text))


class CommaUse(NamedTuple):
    """What the commas in a column of frequencies are.

    Attributes
    ----------
    decimal
        Whether they are decimal commas.
    doubt
        The number of a cell that may mean two things, what is wrong with it, and what to do; or None.
    """

    decimal: bool
    doubt: tuple[int, str, str] | None = None


def comma_use(texts: Sequence[str]) -> CommaUse:
    """Return what the commas in a column of frequencies are, from all its cells together.

    >>> comma_use(["0,5", "1,040"])
    CommaUse(decimal=True, doubt=None)
    >>> comma_use(["3", "1,040"]).doubt
    (1, '1,040 may mean 1040 or 1.040', 'write 1040, or 1.040 for a decimal')
    """
    texts = [_THOUSANDS.sub("", text.strip()) for text in texts]
    commas = [n for n, text in enumerate(texts) if "," in text]
    unclear = [n for n in commas if is_unclear(texts[n])]
    decimal = next(
        (n for n in commas if parse_decimal(texts[n]) is not None or _BOTH.fullmatch(texts[n])), None
    )
    if decimal is None:
        if not unclear:
            return CommaUse(False)
        text = texts[unclear[0]]
        words = text if len(unclear) == 1 else f"{len(unclear):,} frequencies such as {text}"
        what = f"{words} may mean {text.replace(',', '')} or {text.replace(',', '.')}"
        return CommaUse(False, (unclear[0], what, frequency_hint(text)))
    pointed = next((n for n, text in enumerate(texts) if _POINTS.fullmatch(text)), None)
    if pointed is None:
        return CommaUse(True)
    text = texts[pointed]
    whole, comma = text.replace(".", ""), texts[decimal]
    what = f"{text} may mean {whole} or a decimal, beside decimal commas as in {comma}"
    return CommaUse(True, (pointed, what, "write all frequencies in one way"))


def thousands(texts: Sequence[str]) -> tuple[int, str, str] | None:
    """Return what to say of points that may stand between thousands; None where there are none.

    >>> thousands(["1.234", "27"])
    (0, '1.234 is read as a decimal, a little over 1', 'write 1234 if that is meant')
    >>> thousands(["1.234", "27.5"])
    """
    pointed = [n for n, text in enumerate(texts) if "." in text]
    if not pointed or not all(_POINTS.fullmatch(texts[n].strip()) for n in pointed):
        return None
    text = texts[pointed[0]].strip()
    what = f"{text} is read as a decimal, a little over {text.split('.')[0]}"
    return pointed[0], what, f"write {text.replace('.', '')} if that is meant"


def percents(texts: Sequence[str]) -> tuple[int, str, str] | None:
    """Return what is wrong with a column in which some frequencies are percents and others are not.

    >>> percents(["27%", "73"])
    (1, '73 is no percent, unlike 27%', 'write % after all frequencies or after none')
    >>> percents(["27%", "73%", "", "0"])
    """
    percent = next((text for text in texts if text.strip().endswith("%")), None)
    if percent is None:
        return None
    numbers = ((n, text.strip()) for n, text in enumerate(texts) if parse_frequency(text))
    other = next((n for n, text in numbers if not text.endswith("%")), None)
    if other is None:
        return None
    what = f"{texts[other]} is no percent, unlike {percent}"
    return other, what, "write % after all frequencies or after none"


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
    if is_unclear(text):
        return f"write {text.replace(',', '')}, or {text.replace(',', '.')} for a decimal"
    number = parse_decimal(text)
    if number is not None and number > MAX_FREQUENCY:
        return f"stay within {MAX_FREQUENCY:,.0f}"
    return "write a count or a decimal number of at least 0, or leave it empty for 0"
