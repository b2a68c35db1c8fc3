"""Pictures of one draw of the Gibbs sampler (Lin 2005, section 5.2, Table 4) and of one trial of the GLA.

For one observation, the value of each constraint is drawn from a normal distribution around its ranking
value, truncated to the range in which the observed candidate wins. A draw whose value is None has not been
made yet.

In a trial of the GLA, if the learner's form is not the adult's, constraints that prefer the adult's form
move up and those that prefer the learner's form move down (Boersma and Hayes 2001, section 2.3). Both are
drawn as SVG on a line of ranking values, with names that do not overlap. All colours are CSS variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, constraint_html, constraint_svg, constraint_text, form_html
from otlab.viz.base.numbers import DASH, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.steps import SiteDraw

__all__ = [
    "GROUND",
    "STEPS_CSS",
    "WIDTH",
    "Scale",
    "Shift",
    "draw_svg",
    "draw_text",
    "draws_html",
    "levels",
    "name_svg",
    "name_width",
    "picture",
    "relations_html",
    "shifts_svg",
    "shifts_text",
]

WIDTH, HEIGHT = 680, 312
LEFT, RIGHT, GROUND = 10, 670, 236

_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)
_MOST_TICKS = 9
_LETTER = 10.0  # upper bound on the width of a small capital of 15 px, in pixels


class Scale:
    """Map ranking values to pixels, with an axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        """Return the pixel of a value, inside the picture."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(LEFT + share * (RIGHT - LEFT), 1)

    def axis(self) -> str:
        """Return the axis and its ticks as SVG."""
        step = next((s for s in _STEPS if (self.high - self.low) / s <= _MOST_TICKS), 10_000)
        ticks = np.arange(np.ceil(self.low / step), np.floor(self.high / step) + 1) * step
        decimals = 0 if step >= 1 else 1
        labels = "".join(
            f'<text class="ot-tick" x="{self(t)}" y="{GROUND + 19}">{value_text(t, decimals)}</text>'
            for t in ticks.tolist()
        )
        return f'<path class="ot-axis" d="M{LEFT} {GROUND}H{RIGHT}"/>{labels}'


def picture(description: str, parts: Sequence[str]) -> str:
    """Return the SVG element; the description is for screen readers."""
    return (
        f'<svg class="ot-step" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(description)}">'
        f"{''.join(parts)}</svg>"
    )


def name_width(name: str) -> float:
    """Return the approximate width of a constraint's name, in pixels."""
    return _LETTER * len(constraint_text(name))


def levels(places: Sequence[float], widths: Sequence[float], lines: int) -> list[int | None]:
    """Return the first line on which each name does not overlap another one; None if there is none.

    Parameters
    ----------
    places, widths
        Centres and widths of the names in pixels, the most important name first.

    Examples
    --------
    >>> levels([100, 120, 300, 110], [60, 60, 60, 60], lines=2)
    [0, 1, 0, None]
    """
    taken: list[list[tuple[float, float]]] = [[] for _ in range(lines)]
    found: list[int | None] = []
    for place, width in zip(places, widths, strict=True):
        low, high = place - width / 2 - 4, place + width / 2 + 4
        free = (k for k, row in enumerate(taken) if all(high <= a or b <= low for a, b in row))
        line = next(free, None)
        found.append(line)
        if line is not None:
            taken[line].append((low, high))
    return found


def name_svg(name: str, x: float, y: float, after: str = "") -> str:
    """Return a constraint's name as SVG, centred at `x` but inside the picture."""
    half = min(name_width(name) / 2, WIDTH / 2)
    inside = min(max(x, half), WIDTH - half)
    return f'<text class="ot-name" x="{inside:.1f}" y="{y:g}">{constraint_svg(name)}{after}</text>'


STEPS_CSS = NAMES_CSS + sheet("steps")

_TOP = 26
_PEAK = 84
_WORDS = 170  # width of the text at a bound, in pixels
_LINES = 3
_POINTS = 121


def draw_svg(names: Sequence[str], draw: SiteDraw, others: Sequence[tuple[int, float]]) -> str:
    """Return the truncated normal with its bounds, the previous value, and the draw, as SVG.

    Parameters
    ----------
    names
        Names of all constraints.
    draw
        The draw.
    others
        Current values of the other constraints: (constraint, value).
    """
    places = [draw.before, *(value for _, value in others)] + ([] if draw.value is None else [draw.value])
    scale = Scale(min(draw.mean - 3 * draw.noise, *places), max(draw.mean + 3 * draw.noise, *places))
    parts = [
        _forbidden(draw, scale),
        _bell(draw, scale),
        scale.axis(),
        _mean(draw, scale),
        _bounds(names, draw, scale),
        _others(names, draw, others, scale),
        _before(draw, scale),
        _drawn(names, draw, scale),
    ]
    return picture(draw_text(names, draw), parts)


def draw_text(names: Sequence[str], draw: SiteDraw) -> str:
    """Return a description of the picture for screen readers."""
    name = constraint_text(names[draw.constraint])
    span = f"between {value_text(draw.low)} and {value_text(draw.high)}"
    where = "anywhere" if np.isinf(draw.low) and np.isinf(draw.high) else span
    outcome = "not drawn yet" if draw.value is None else f"drawn: {value_text(draw.value)}"
    return f"{name} may lie {where}, around {value_text(draw.mean)}; {outcome}."


def draws_html(names: Sequence[str], draws: Sequence[SiteDraw], current: int) -> Markup:
    """Return a table of the draws for one observation; `current` is marked, later ones are pale.

    Each draw made so far has a button that returns to it, with its index as ``data-draw``.
    """
    titles = ("Draw", "Constraint", "Mean", "From", "To", "Value")
    rows = [_draw_row(names, d, k, current) for k, d in enumerate(draws)]
    return table(titles, rows, label="Draws for this observation", kind="ot-draws")


def relations_html(
    names: Sequence[str], candidate: str, conjuncts: Sequence[tuple[frozenset[int], frozenset[int], str]]
) -> str:
    """Return the conditions under which `candidate` wins, one line per rival.

    Parameters
    ----------
    conjuncts
        (winners, losers, rival): one of `winners` is above all of `losers`, or the rival wins.
    """
    lines = "".join(
        f"<li><span>{_listed(names, winners, 'or')} above {_listed(names, losers, 'and')}</span>"
        f"<small>or {form_html(rival)} wins</small></li>"
        for winners, losers, rival in conjuncts
    )
    sentence = f"One speaker said {form_html(candidate)}. On that occasion the ranking "
    sentence += "must have let it win:" if conjuncts else "may have been any: every ranking lets it win."
    return f'<p class="ot-why">{sentence}</p><ul class="ot-relations" aria-label="Conditions">{lines}</ul>'


def _height(draw: SiteDraw, value: np.ndarray | float) -> np.ndarray:
    z = (np.asarray(value) - draw.mean) / draw.noise
    return np.asarray(GROUND - (GROUND - _PEAK) * np.exp(-0.5 * z**2))


def _bell(draw: SiteDraw, scale: Scale) -> str:
    """Return the whole curve, dashed, and the part inside the bounds, filled."""
    whole = _curve(draw, scale, scale.low, scale.high)
    low, high = max(draw.low, scale.low), min(draw.high, scale.high)
    dashed = f'<path class="ot-ghost" d="M{whole}"/>'
    if low >= high:
        return dashed
    part = _curve(draw, scale, low, high)
    area = f"M{scale(low)} {GROUND}L{part}L{scale(high)} {GROUND}Z"
    return f'{dashed}<path class="ot-area" d="{area}"/><path class="ot-bell" d="M{part}"/>'


def _curve(draw: SiteDraw, scale: Scale, low: float, high: float) -> str:
    values = np.linspace(low, high, _POINTS)
    return "L".join(
        f"{scale(v)} {y:.1f}" for v, y in zip(values.tolist(), _height(draw, values), strict=True)
    )


def _forbidden(draw: SiteDraw, scale: Scale) -> str:
    boxes = [(scale.low, draw.low)] if draw.low > scale.low else []
    boxes += [(draw.high, scale.high)] if draw.high < scale.high else []
    return "".join(
        f'<rect class="ot-forbidden" x="{scale(a)}" y="{_TOP}" width="{scale(b) - scale(a):.1f}"'
        f' height="{GROUND - _TOP}"/>'
        for a, b in boxes
    )


def _bounds(names: Sequence[str], draw: SiteDraw, scale: Scale) -> str:
    """Return the lines of the bounds, each labelled on its outer side if there is room."""
    low, high = scale(draw.low), scale(draw.high)
    parts = []
    if np.isfinite(draw.low):
        anchor = "end" if low > _WORDS else "start"
        parts.append(_bound(names, low, "right", draw.low, draw.low_by, anchor))
    if np.isfinite(draw.high):
        anchor = "start" if high < WIDTH - _WORDS else "end"
        parts.append(_bound(names, high, "left", draw.high, draw.high_by, anchor))
    return "".join(parts)


def _bound(names: Sequence[str], x: float, side: str, value: float, by: int | None, anchor: str) -> str:
    at = f'x="{x - 9 if anchor == "end" else x + 9:.1f}"'
    who = "the bound" if by is None else f'<tspan class="ot-c">{constraint_svg(names[by])}</tspan>'
    return (
        f'<path class="ot-bound" d="M{x} {_TOP - 4}V{GROUND}"/><g class="ot-say" text-anchor="{anchor}">'
        f'<text {at} y="{_TOP + 14}">must lie to the {side} of</text>'
        f'<text {at} y="{_TOP + 33}">{who}<tspan class="ot-strong"> at {value_text(value)}</tspan></text></g>'
    )


def _mean(draw: SiteDraw, scale: Scale) -> str:
    x, y = scale(draw.mean), float(_height(draw, draw.mean))
    return (
        f'<path class="ot-mean" d="M{x} {y:.1f}V{GROUND}"/>'
        f'<text class="ot-tick" x="{x}" y="{y - 7:.1f}">mean {value_text(draw.mean)}</text>'
    )


def _others(names: Sequence[str], draw: SiteDraw, others: Sequence[tuple[int, float]], scale: Scale) -> str:
    """Return the other constraints' circles and names; those that set the bounds come first."""
    first = sorted(others, key=lambda other: other[0] not in (draw.low_by, draw.high_by))
    places = [scale(value) for _, value in first]
    widths = [name_width(names[i]) for i, _ in first]
    own = [] if draw.value is None else [scale(draw.value)]
    lines = levels(own + places, [name_width(names[draw.constraint])] * len(own) + widths, _LINES)[len(own) :]
    return "".join(
        f'<circle class="ot-other" cx="{x}" cy="{GROUND}" r="6.5"><title>'
        f"{escape(constraint_text(names[i]))} {value_text(value)}</title></circle>"
        + ("" if line is None else name_svg(names[i], x, GROUND + 38 + 16 * line))
        for (i, value), x, line in zip(first, places, lines, strict=True)
    )


def _before(draw: SiteDraw, scale: Scale) -> str:
    return f'<circle class="ot-before" cx="{scale(draw.before)}" cy="{GROUND}" r="5.5"/>'


def _drawn(names: Sequence[str], draw: SiteDraw, scale: Scale) -> str:
    if draw.value is None:
        return ""
    x, y = scale(draw.value), float(_height(draw, draw.value))
    label = x + 54 if x < WIDTH - 110 else x - 54
    return (
        f'<g class="ot-new"><path d="M{x} {y:.1f}V{GROUND}"/><circle cx="{x}" cy="{GROUND}" r="6.5"/>'
        f'<rect x="{label - 46:.1f}" y="{y - 30:.1f}" width="92" height="26" rx="6"/>'
        f'<text class="ot-drawn" x="{label:.1f}" y="{y - 12.5:.1f}">drawn: {value_text(draw.value)}</text>'
        f"{name_svg(names[draw.constraint], x, GROUND + 38)}</g>"
    )


def _draw_row(names: Sequence[str], draw: SiteDraw, k: int, current: int) -> Markup:
    made = draw.value is not None
    kind = " ot-now" if k == current else "" if made else " ot-later"
    value = DASH if draw.value is None else value_text(draw.value)
    number = element("button", k + 1, type="button", data_draw=k) if made else element("span", k + 1)
    cells = [
        td(number),
        th(constraint_html(names[draw.constraint]), scope="row"),
        *(td(value_text(x)) for x in (draw.mean, draw.low, draw.high)),
        td(element("b", value)),
    ]
    return tr(cells, f"ot-draw{kind}", aria_current="step" if k == current else None)


def _listed(names: Sequence[str], which: frozenset[int], word: str) -> str:
    """Return "A", or "A or B" with the `word` between several constraints."""
    return f" {word} ".join(constraint_html(names[i]) for i in sorted(which))


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
        Index of the constraint.
    before, after
        Its ranking values before and after the trial.
    """

    constraint: int
    before: float
    after: float

    @property
    def moved(self) -> bool:
        """Whether the trial changed its ranking value."""
        return self.after != self.before


def shifts_svg(names: Sequence[str], shifts: Sequence[Shift]) -> str:
    """Return the ranking values before (dashed) and after a trial, with arrows, as SVG.

    Parameters
    ----------
    names
        Of all constraints.
    shifts
        One per constraint. Constraints that do not move are named if there is room.
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
    """Return a description of the picture for screen readers."""
    words = []
    for shift in (s for s in shifts if s.moved):
        way = "up" if shift.after > shift.before else "down"
        words.append(f"{constraint_text(names[shift.constraint])} {way} to {value_text(shift.after)}")
    return f"{'; '.join(words)}." if words else "The learner's form was the adult's: nothing moves."


def _width(name: str, shift: Shift, scale: Scale) -> float:
    arrow = abs(scale(shift.after) - scale(shift.before))
    return max(name_width(name) + (40 if shift.moved else 0), arrow)


def _shift(name: str, shift: Shift, scale: Scale, line: int | None) -> str:
    """Return one constraint; if `line` is None, only its circles, which show its name on hover."""
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
