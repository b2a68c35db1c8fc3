"""One trial of the GLA: which ranking values move, and where to.

Where the learner's form is not the adult's, constraints that prefer the adult's go up and those that
prefer the learner's go down (Boersma and Hayes 2001, section 2.3). Colours are CSS variables only.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from otlab.viz.base.names import constraint_text
from otlab.viz.base.numbers import value_text
from otlab.viz.base.scale import GROUND, Scale, levels, name_svg, name_width, picture

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Shift", "shifts_svg", "shifts_text"]

_LINES, _LINE, _LOWEST = 5, 40, 34

_ARROWHEAD = (
    '<defs><marker id="ot-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="4" markerHeight="4"'
    ' orient="auto"><path d="M0 0L8 4L0 8Z"/></marker></defs>'
)


@dataclass(frozen=True)
class Shift:
    """One constraint in one trial of the GLA.

    Attributes
    ----------
    constraint
        Which one, by number.
    before, after
        Its ranking value around the trial; equal where it did not move.
    """

    constraint: int
    before: float
    after: float

    @property
    def moved(self) -> bool:
        """Whether the trial changed it."""
        return self.after != self.before


def shifts_svg(names: Sequence[str], shifts: Sequence[Shift]) -> str:
    """Return the ranking values before (dashed) and after a trial, an arrow for each that moved.

    Parameters
    ----------
    names
        Of all constraints.
    shifts
        One a constraint. Those that stay are named where there is room.
    """
    ends = [x for s in shifts for x in (s.before, s.after)]
    room = max(0.15 * (max(ends) - min(ends)), 0.5)
    scale = Scale(min(ends) - room, max(ends) + room)
    first = sorted(shifts, key=lambda s: (not s.moved, s.before))
    places = [(scale(s.before) + scale(s.after)) / 2 for s in first]
    widths = [_width(names[s.constraint], s, scale) for s in first]
    lines = levels(places, widths, _LINES)
    shown = "".join(_shift(names[s.constraint], s, scale, line) for s, line in zip(first, lines, strict=True))
    return picture(shifts_text(names, shifts), [_ARROWHEAD, scale.axis(), shown])


def shifts_text(names: Sequence[str], shifts: Sequence[Shift]) -> str:
    """Return one sentence for those who do not see the picture."""
    words = []
    for shift in (s for s in shifts if s.moved):
        way = "up" if shift.after > shift.before else "down"
        words.append(f"{constraint_text(names[shift.constraint])} {way} to {value_text(shift.after)}")
    return f"{'; '.join(words)}." if words else "The learner's form was the adult's: nothing moves."


def _width(name: str, shift: Shift, scale: Scale) -> float:
    arrow = abs(scale(shift.after) - scale(shift.before))
    return max(name_width(name) + (40 if shift.moved else 0), arrow)


def _shift(name: str, shift: Shift, scale: Scale, line: int | None) -> str:
    """Return one constraint; without a line only its circles, named on hover."""
    a, b = scale(shift.before), scale(shift.after)
    y = GROUND - _LOWEST - _LINE * (line or 0)
    hover = f"<title>{escape(constraint_text(name))} {value_text(shift.after)}</title>"
    if not shift.moved:
        circle = f'<circle class="ot-other" cx="{a}" cy="{GROUND}" r="6.5">{hover}</circle>'
        label = f'<path class="ot-drop" d="M{a} {y + 6}V{GROUND - 8}"/>{name_svg(name, a, y)}'
        return circle if line is None else label + circle
    circles = (
        f'<circle class="ot-before" cx="{a}" cy="{GROUND}" r="5.5"/>'
        f'<circle class="ot-after" cx="{b}" cy="{GROUND}" r="6.5">{hover}</circle>'
    )
    if line is None:
        return circles
    value = f'<tspan class="ot-strong"> {value_text(shift.after)}</tspan>'
    return (
        f'<path class="ot-drop" d="M{b} {y + 4}V{GROUND - 8}"/>'
        f'<path class="ot-arrow" d="M{a} {y}H{b}" marker-end="url(#ot-arrow)"/>{circles}'
        f"{name_svg(name, (a + b) / 2, y - 9, value)}"
    )
