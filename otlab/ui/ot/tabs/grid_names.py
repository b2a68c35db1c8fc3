"""How much room the names of a grid take, and where those in its heads are folded."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from otlab.html import Markup, element
from otlab.viz.base.names import constraint_html, name_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CANDIDATES", "LONG", "folded_html", "folded_room", "forms_room", "room_of"]

CANDIDATES = (96, 152)  # px: the least and greatest width of the candidates beside many constraints
LONG = 90  # px: a name that may take two lines


def forms_room(forms: Sequence[str]) -> int:
    """Return about how many pixels the longest of these forms takes, within the limits of candidates."""
    longest = max(sum(not unicodedata.combining(c) for c in form) for form in forms)
    return min(max(14 + 8 * longest, CANDIDATES[0]), CANDIDATES[1])


def room_of(name: str) -> int:
    """Return about how many pixels a constraint's name takes in a column's head."""
    stem, below = name_parts(name)
    capitals = sum(letter.isupper() for letter in stem)
    wide = sum(letter in "MWmw" for letter in stem)
    narrow = sum(not letter.isalnum() for letter in stem)
    return round(18 + 9 * len(stem) + 1.3 * capitals + 3 * (wide - narrow) + 6.5 * len(below))


# Where a name may be broken: after a sign, before a bracket, between the words of CamelCase.
_JOINT = re.compile(r"(?<=\w[-/_,.:;&|)\]\s])(?=[^-/_,.:;&|)\]\s])|(?<=\w)(?=[(\[])|(?<=[a-z])(?=[A-Z])")


def _pieces(name: str) -> list[str]:
    return [piece for piece in _JOINT.split(name_parts(name)[0]) if piece]


def folded_room(name: str) -> int:
    """Return about how many pixels a name takes that may stand on two lines."""
    pieces, below = _pieces(name), name_parts(name)[1]
    if room_of(name) <= LONG or len(pieces) == 1:
        return room_of(name)
    last = 7 * len(below)
    halves = ((pieces[:k], pieces[k:]) for k in range(1, len(pieces)))
    return round(18 + min(max(8.2 * len("".join(a)), 8.2 * len("".join(b)) + last) for a, b in halves))


def folded_html(name: str) -> Markup:
    """Return a name that may stand on two lines, as HTML."""
    if room_of(name) <= LONG:
        return constraint_html(name)
    below = name_parts(name)[1]
    stem = Markup("<wbr>").join(_pieces(name))
    return element("span", stem + (element("sub", below) if below else ""), class_="ot-c two")
