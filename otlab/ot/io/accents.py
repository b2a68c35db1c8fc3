r"""Accents typed as a backslash, a letter and a mark, as in files made for OTSoft.

>>> print(resolved(r"k\a'.loi.den"))
ká.loi.den
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["accented", "resolved", "with_accents"]

_MARKS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "-": "\u0304",
    ",": "\u0327",
    "v": "\u030c",
}
_ACCENT = re.compile(r"\\([^\W\d_])(['`^\"~\-,]|v(?![^\W\d_]))")


def resolved(name: str) -> str:
    r"""Return a name with ``\a'`` as á, ``\a``` as à, ``\a^``, ``\a"``, ``\a~``, ``\a-``, ``\c,`` likewise.

    A backslash that begins no accent is kept.
    """
    replaced = _ACCENT.sub(lambda match: match[1] + _MARKS[match[2]], name)
    return unicodedata.normalize("NFC", replaced) if replaced != name else name


def accented(tableau: Tableau) -> tuple[str, ...]:
    r"""Return the accents that occur in names of inputs and candidates, as they are typed: ``\a'``."""
    names = (*tableau.inputs, *tableau.candidates)
    return tuple(dict.fromkeys(match[0] for name in names for match in _ACCENT.finditer(name)))


def with_accents(tableau: Tableau) -> Tableau:
    """Return the tableau with the accents of its inputs and candidates resolved.

    Raises
    ------
    InputError
        If two names become one.
    """
    return replace(
        tableau,
        inputs=tuple(map(resolved, tableau.inputs)),
        candidates=tuple(map(resolved, tableau.candidates)),
    )
