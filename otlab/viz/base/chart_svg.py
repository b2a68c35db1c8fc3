"""Draw a line chart as SVG, for notebooks and static pages.

The SVG needs no script. On a page that defines the ``--ot-*`` properties its colours follow light and dark
mode; elsewhere, as in a printed notebook, it has the light colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.html import escape
from otlab.viz.base.tokens import LIGHT, variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Axis", "Line", "chart", "ticks"]

_LEFT, _TOP, _BOTTOM = 64, 14, 44
_LETTER, _LABEL_HEIGHT = 6.6, 15
_NICE = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, eq=False)
class Line:
    """One line.

    Attributes
    ----------
    x, y : sequence of float
        Coordinates of the points; a y that is NaN interrupts the line.
    token
        Token of the colour, such as ``em-edge`` or ``ink``.
    label
        Text at the end of the line; none if empty.
    width, opacity, dash
        Width, opacity and dash pattern of the stroke, as in SVG.
    """

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    token: str = "ink"
    label: str = ""
    width: float = 1.8
    opacity: float = 1.0
    dash: str = ""


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    label
        Label of the axis, with the unit.
    logarithmic
        Whether the axis is logarithmic; if so, values must be above 0.
    form
        Format of the ticks.
    """

    label: str = ""
    logarithmic: bool = False
    form: str = "{:,g}"


def chart(
    lines: Sequence[Line],
    x: Axis | None = None,
    y: Axis | None = None,
    *,
    width: int = 640,
    height: int = 300,
    description: str = "",
) -> str:
    """Return a line chart as SVG.

    Parameters
    ----------
    lines
        Lines, in the order in which they are drawn.
    x, y
        The axes.
    width, height
        Size in pixels; the picture shrinks to the width of the page.
    description
        Text for screen readers.
    """
    x, y = x or Axis(), y or Axis()
    right = width - 12 - _LETTER * max((len(line.label) for line in lines), default=0)
    across = _Scale(np.concatenate([line.x for line in lines]), x, _LEFT, right)
    down = _Scale(np.concatenate([line.y for line in lines]), y, height - _BOTTOM, _TOP)
    parts = [
        *_grid(across, down, right, height),
        *(_path(line, across, down) for line in lines),
        *_labels(lines, down, right + 6, height - _BOTTOM),
        _title(x.label, f"translate({(_LEFT + right) / 2:.0f} {height - 8})"),
        _title(y.label, f"translate(13 {(height - _BOTTOM) / 2:.0f}) rotate(-90)"),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;height:auto" '
        f'role="img" aria-label="{escape(description)}">'
        f"{_style()}{''.join(parts)}</svg>"
    )


def ticks(low: float, high: float, logarithmic: bool = False, most: int = 7) -> list[float]:
    """Return at most `most` round values between two ends.

    >>> ticks(0, 4300), ticks(1, 900, logarithmic=True)
    ([0.0, 1000.0, 2000.0, 3000.0, 4000.0], [1.0, 10.0, 100.0])
    """
    if logarithmic:
        powers = np.arange(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        return [float(10.0**p) for p in powers[:: max(1, math.ceil(len(powers) / most))]]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in _NICE if n * power >= rough * (1 - 1e-9))
    return [
        round(k * step, 12) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]


class _Scale:
    """Map from values to pixels, with the ticks of an axis."""

    def __init__(self, values: np.ndarray, axis: Axis, start: float, end: float) -> None:
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        high = high if high > low else low + 1
        self._to: Callable[[float], float] = math.log if axis.logarithmic else float
        self._low, self._high, self._start, self._end = self._to(low), self._to(high), start, end
        self.ticks = [
            (self(t), axis.form.format(t).replace("-", "−")) for t in ticks(low, high, axis.logarithmic)
        ]

    def __call__(self, value: float) -> float:
        share = (self._to(value) - self._low) / (self._high - self._low)
        return round(self._start + share * (self._end - self._start), 1)


def _style() -> str:
    return (
        "<style>text{font:11px Inter,'Noto Sans','Segoe UI',system-ui,sans-serif;"
        f"fill:{variable('ink3')}}}.l{{font-size:12px;fill:{variable('ink2')}}}.n{{font-weight:600}}"
        f".g{{stroke:{variable('grid')};stroke-width:1}}</style>"
    )


def _title(text: str, transform: str) -> str:
    return f'<text class="l" transform="{transform}" text-anchor="middle">{escape(text)}</text>'


def _grid(across: _Scale, down: _Scale, right: float, height: int) -> list[str]:
    ground = height - _BOTTOM
    rows = [
        f'<path class="g" d="M{_LEFT} {at:.1f}H{right:.0f}"/>'
        f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        for at, text in down.ticks
    ]
    return rows + [
        f'<text x="{at:.1f}" y="{ground + 16}" text-anchor="middle">{escape(text)}</text>'
        for at, text in across.ticks
    ]


def _path(line: Line, across: _Scale, down: _Scale) -> str:
    steps, pen = [], "M"
    for a, b in zip(line.x, line.y, strict=True):
        if math.isfinite(b):
            steps.append(f"{pen}{across(a):g} {down(b):g}")
            pen = "L"
        else:
            pen = "M"
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    colour = f'stroke="{LIGHT[line.token]}" style="stroke:{variable(line.token)}"'
    stroke = f'{colour} stroke-width="{line.width:g}"'
    return f'<path d="{"".join(steps)}" fill="none" {stroke} opacity="{line.opacity:g}"{dash}/>'


def _labels(lines: Sequence[Line], down: _Scale, x: float, ground: float) -> list[str]:
    """Return the labels at the ends of the lines, moved apart if they would overlap."""
    named = [line for line in lines if line.label and math.isfinite(line.y[-1])]
    named.sort(key=lambda line: down(line.y[-1]))
    places: list[float] = []
    for line in named:
        at = down(line.y[-1]) + 4
        places.append(max(at, places[-1] + _LABEL_HEIGHT) if places else at)
    room = ground
    for k in reversed(range(len(places))):  # labels below the axis move up, and so do those above them
        places[k] = min(places[k], room)
        room = places[k] - _LABEL_HEIGHT
    return [
        f'<text class="n" x="{x:.0f}" y="{at:.1f}" style="fill:{variable(line.token)}">'
        f"{escape(line.label)}</text>"
        for line, at in zip(named, places, strict=True)
    ]
