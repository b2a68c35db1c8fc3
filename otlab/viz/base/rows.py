"""Figures with one row of equal height per item, and columns of labels beside them.

Row ``k`` of ``n`` covers heights ``n - 1 - k + FLOOR`` to ``n - k + FLOOR`` of the plot. The axis below
always takes :data:`AXIS_HEIGHT` pixels, so columns of labels with this padding are aligned with the rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.html import Markup, element, joined
from otlab.viz.base.style import chrome

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AXIS_HEIGHT",
    "FLOOR",
    "MOST_IN_SIGHT",
    "ROW_HEIGHT",
    "Layers",
    "axis_element",
    "axis_title_html",
    "broken",
    "empty_curve",
    "low_row",
    "nice_span",
    "rows_chrome",
    "rows_height",
    "rows_html",
    "segments",
]

Layers = dict[str, dict[str, np.ndarray]]  # layer label to {glyph property: values}

AXIS_HEIGHT = 24
ROW_HEIGHT = 42  # least height of a row in pixels
MOST_IN_SIGHT = 12
"""Low rows that fit into a card of the smallest window; if there are more, they scroll above their axis."""
_LOW_ROW, _SCROLLED_ROW = 10, 18  # least height of a row whose label is on one line
FLOOR = -0.22

_FILLED = 0.66
_NICE = (1.0, 2.0, 2.5, 5.0)


def rows_chrome(
    element: Any, n: int, *, head: int = 0, row: int = ROW_HEIGHT, axis: bool = True, **options: Any
) -> Any:
    """Return the element in otlab's style, with space for `n` rows of at least `row` pixels.

    `head` pixels above the first row are left free for the headings of the columns beside it. Without `axis`,
    no room is left for one below the last.
    """
    hooks = [partial(_fixed_borders, head, AXIS_HEIGHT if axis else 0), *options.pop("hooks", [])]
    height = rows_height(n, head, row, axis=axis)
    return chrome(element, ylim=(FLOOR, n + FLOOR), min_height=height, hooks=hooks, **options)


def low_row(n: int) -> int:
    """Return the least height of each of `n` rows whose labels take one line, in pixels.

    >>> low_row(12), low_row(13)
    (10, 18)
    """
    return _LOW_ROW if n <= MOST_IN_SIGHT else _SCROLLED_ROW


def axis_element(*hooks_of_ticks: Any) -> Any:
    """Return an x axis alone, to stand below rows that scroll; give it their figure's ``x_range``."""
    hooks = [partial(_fixed_borders, 0, AXIS_HEIGHT), *hooks_of_ticks]
    return chrome(empty_curve("axis"), grid=False, ylim=(0, 1), min_height=AXIS_HEIGHT, hooks=hooks)


def rows_height(n: int, head: int = 0, row: int = ROW_HEIGHT, *, axis: bool = True) -> int:
    """Return the least height of a picture with `n` rows, in pixels; a smaller card scrolls."""
    return head + n * row + (AXIS_HEIGHT if axis else 0)


def axis_title_html(title: str) -> Markup:
    """Return the title of an axis, to stand left of its numbers."""
    return element("div", title, class_="ot-axis")


def rows_html(
    rows: Sequence[tuple[str, Markup]],
    name: str,
    *,
    head: int = 0,
    heads: Markup | None = None,
    kind: str = "",
    row: int = ROW_HEIGHT,
    axis: str | None = "",
    focusable: bool = False,
) -> Markup:
    """Return the column of labels beside a picture, one per row, as HTML for the style sheet ``rows``.

    Parameters
    ----------
    rows
        For each row, the text on hover and the HTML of the label.
    name
        Description of the column for screen readers.
    head, heads
        Height of the area above the first row, in pixels, and its HTML.
    kind
        Layout of the labels: ``low`` (on the base line) or ``ruled``.
    row
        Least height of a row, in pixels.
    axis
        Title of the picture's axis, which stands left of its numbers; None if there is no axis.
    focusable
        Whether the Tab key leads to it, so that rows that do not fit can be scrolled by keys.
    """
    inside = joined(element("div", label, role="listitem", title=hover) for hover, label in rows)
    above = element("div", heads, class_="ot-heads", role="presentation") if heads else Markup("")
    below = axis_title_html(axis) if axis else Markup("")
    sizes = f"--row:{row}px;--axis:{0 if axis is None else AXIS_HEIGHT}px;--head:{head}px"
    focus = "0" if focusable else None
    attributes = {"role": "list", "aria_label": name, "tabindex": focus, "style": sizes}
    return element("div", above + inside + below, class_=f"ot-rows ot-{kind}", **attributes)


def empty_curve(label: str) -> hv.Curve:
    """Return a curve of one undefined point, because HoloViews needs at least one."""
    return hv.Curve(([np.nan], [np.nan]), label=label)


def nice_span(values: np.ndarray, before: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return round ends that contain all finite values, or `before` as long as it fits.

    An axis that changes at every tick is hard to read, so the previous range is kept while the values
    cover two thirds of it.

    >>> nice_span(np.array([-0.71, 0.83]))
    (-0.8, 1.0)
    >>> nice_span(np.array([-0.7, 0.6]), before=(-0.9, 1.0))
    (-0.9, 1.0)
    >>> nice_span(np.array([]))
    (-1.0, 1.0)
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return before or (-1.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if before and before[0] <= low and high <= before[1] and high - low > _FILLED * (before[1] - before[0]):
        return before
    width = max(high - low, 1e-3)
    step = _round_step(width / 16)
    pad = 0.05 * width
    ends = np.floor((low - pad) / step), np.ceil((high + pad) / step)
    return round(float(ends[0] * step), 9), round(float(ends[1] * step), 9)


def _round_step(width: float) -> float:
    """Return the smallest 1, 2, 2.5 or 5 times a power of ten that is at least `width`."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next((n * power for n in _NICE if n * power >= width), 10 * power))


def _fixed_borders(head: int, foot: int, plot: Any, element: Any) -> None:
    figure = plot.state
    figure.min_border_top = head
    figure.min_border_bottom = foot
    for axis in figure.axis:
        axis.major_tick_out = axis.minor_tick_out = 0
        axis.major_label_standoff = 7
        axis.axis_line_color = None


def segments(x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of a Segment layer."""
    return {"x0": x0, "y0": y0, "x1": x1, "y1": y1}


def broken(rows: np.ndarray) -> np.ndarray:
    """Return the rows with a NaN after each, so that one line glyph draws them as separate lines.

    >>> broken(np.array([[1.0, 2.0]]))
    array([[ 1.,  2., nan]])
    """
    return np.pad(rows.astype(float), ((0, 0), (0, 1)), constant_values=np.nan)
