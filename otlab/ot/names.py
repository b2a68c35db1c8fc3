"""Names of constraints, inputs and candidates: one line each, without surrounding whitespace."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["clean", "free_name", "repeated"]

# Also characters that no UTF-8 or XML file can hold.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")


def clean(name: str) -> str:
    r"""Return a name on one line: line ends and tabs become blanks, surrounding blanks are removed.

    >>> clean(" P ARSE\n(rtr) ")
    'P ARSE (rtr)'
    """
    return _CONTROL.sub(" ", str(name)).strip()


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, in order."""
    return [name for name, n in Counter(names).items() if n > 1]


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """Return the name itself if it is not taken, else with the first number that makes it different.

    >>> free_name("C", ["C", "C 2"])
    'C 3'
    """
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted} {number}"
    return name
