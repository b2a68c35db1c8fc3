"""Lines, dots and intervals as SVG, in the colours of light and dark mode."""

from __future__ import annotations

import math

from otlab.html import Markup, element
from otlab.viz.base.tokens import variable

__all__ = ["dot", "interval_svg", "line"]

_WIDTH, _HEIGHT, _PAD = 80, 12, 4  # px


def line(x1: str, x2: str, y1: float, y2: float, token: str, width: float = 1, dash: str = "") -> Markup:
    """Return a line in the colour of a token."""
    ends = {"x1": x1, "x2": x2, "y1": f"{y1:g}", "y2": f"{y2:g}"}
    return element(
        "line", **ends, style=f"stroke:{variable(token)}", stroke_width=f"{width:g}", stroke_dasharray=dash
    )


def dot(x: str, y: float, token: str, r: float = 3.5) -> Markup:
    """Return a filled circle in the colour of a token."""
    return element("circle", cx=x, cy=f"{y:g}", r=f"{r:g}", style=f"fill:{variable(token)}")


def interval_svg(
    value: float,
    low: float,
    high: float,
    span: tuple[float, float],
    *,
    token: str = "other-edge",
    reference: float | None = None,
) -> Markup:
    """Return a value with its interval on an axis, for the cell of a table.

    Parameters
    ----------
    value, low, high
        The value, and the ends of its interval, NaN if there is none.
    span
        Ends of the axis; a value beyond them is left out.
    token
        Colour of the value and its interval.
    reference
        Where a dashed line is drawn; nowhere if None.
    """

    def at(x: float) -> str:
        inside = min(max(x, span[0]), span[1])
        return f"{_PAD + (_WIDTH - 2 * _PAD) * (inside - span[0]) / (span[1] - span[0]):.1f}"

    middle = _HEIGHT / 2
    parts = line(at(span[0]), at(span[1]), middle, middle, "grid")
    if reference is not None:
        parts += line(at(reference), at(reference), 0, _HEIGHT, "ink3", 1.2, "3 2")
    if not math.isnan(low):
        parts += line(at(low), at(high), middle, middle, token, 3)
    if span[0] <= value <= span[1]:
        parts += dot(at(value), middle, token)
    size = {"width": _WIDTH, "height": _HEIGHT, "style": "display:block;margin-left:auto"}
    return element("svg", parts, aria_hidden="true", **size)
