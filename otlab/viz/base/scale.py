"""A line of ranking values drawn in SVG: the scale, its axis, and names that do not touch."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from otlab.viz.base.names import constraint_svg, constraint_text
from otlab.viz.base.numbers import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GROUND", "WIDTH", "Scale", "levels", "name_svg", "name_width", "picture"]

WIDTH, HEIGHT = 680, 312
LEFT, RIGHT, GROUND = 10, 670, 236

_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)
_MOST_TICKS = 9
_LETTER = 10.0  # pixels, generously: small capitals of 15 px


class Scale:
    """Map ranking values to pixels, with an axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        """Return the pixel of a value, at most the picture's edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(LEFT + share * (RIGHT - LEFT), 1)

    def axis(self) -> str:
        """Return the line and its ticks as SVG."""
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
    """Return the pixels a constraint's name takes, roughly."""
    return _LETTER * len(constraint_text(name))


def levels(places: Sequence[float], widths: Sequence[float], lines: int) -> list[int | None]:
    """Return for each name the first line on which it touches no other, None where none is left.

    Parameters
    ----------
    places, widths
        Middles and widths in pixels, the most important name first.

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
    """Return a constraint's name, centred at `x` but inside the picture."""
    half = min(name_width(name) / 2, WIDTH / 2)
    inside = min(max(x, half), WIDTH - half)
    return f'<text class="ot-name" x="{inside:.1f}" y="{y:g}">{constraint_svg(name)}{after}</text>'
