"""Draw the numbers of a class as histograms, one row per quantity, with numbers to compare them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import counted
from otlab.html import Markup, element
from otlab.viz.base.layers_svg import Look, layers_svg
from otlab.viz.base.names import constraint_svg
from otlab.viz.base.numbers import value_text
from otlab.viz.base.rows import nice_span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.viz.base.rows import Layers

__all__ = ["class_svg", "class_text"]

BINS = 40
MOST_ROWS = 12
_CARD, _ROW = 300, (46, 110)  # pixels: height that few rows fill; least and largest height of one
_HIGH = 0.76  # height of the highest bar, relative to the row; the first row ends at 1 + FLOOR
_SHARE = 0.005  # share of the numbers at each end that may lie outside


def class_svg(
    values: Mapping[str, Sequence[float]],
    beside: Mapping[str, Sequence[float]],
    hue: str,
    *,
    constraints: bool = False,
    width: int = 640,
) -> Markup:
    """Return a histogram of the values of each row, in front of one of the values to compare with.

    Parameters
    ----------
    values
        Values of the class, by row.
    beside
        Values to compare with, by row; rows may be missing.
    hue
        Colour of the class's values; the others have that of Gibbs.
    constraints
        Whether rows are constraints, whose names are set in small capitals.
    width
        Width in pixels.

    Examples
    --------
    >>> str(class_svg({"AL": [0.5, 0.7]}, {"AL": [0.4, 0.6, 0.5]}, "gla")).startswith("<svg")
    True
    """
    rows = list(values)[:MOST_ROWS]
    columns = [*(values[row] for row in rows), *(beside.get(row, ()) for row in rows)]
    shares = not constraints and all(0 <= x <= 1 for column in columns for x in column)
    span = (0.0, 1.0) if shares else nice_span(_inner(columns))
    edges = np.linspace(*span, BINS + 1)
    layers: Layers = {
        "beside": _bars(rows, beside, edges),
        "class": _bars(rows, values, edges),
    }
    colors = {
        "beside": {"fill_color": "gibbs", "line_color": "gibbs-edge"},
        "class": {"fill_color": hue, "line_color": f"{hue}-edge"},
    }
    looks = {"beside": Look(opacity=0.45), "class": Look(opacity=0.85)}
    labels = [_label(row, values[row], constraints) for row in rows]
    return layers_svg(
        layers,
        colors,
        looks,
        labels,
        span=span,
        row=int(np.clip(_CARD / max(1, len(rows)), *_ROW)),
        width=width,
        description=class_text(values),
    )


_SMALL = "font-size:11.5px;fill:var(--ot-ink3)"


def _label(row: str, values: Sequence[float], constraint: bool) -> Markup:
    mean = element("tspan", f"mean {value_text(float(np.mean(values)), 2)}", x=0, dy="16", style=_SMALL)
    if constraint:
        return element("tspan", constraint_svg(row), class_="svg-c") + mean
    return element("tspan", row) + mean


def class_text(values: Mapping[str, Sequence[float]]) -> str:
    """Return the numbers of the class as text for screen readers.

    >>> class_text({"AL": [1.0, 3.0]})
    'AL: 2 numbers, mean 2.0, from 1.0 to 3.0.'
    """
    rows = [
        f"{row}: {counted(len(x), 'number')}, mean {value_text(float(np.mean(x)), 1)}, "
        f"from {value_text(min(x), 1)} to {value_text(max(x), 1)}"
        for row, x in list(values.items())[:MOST_ROWS]
        if len(x)
    ]
    return "; ".join(rows) + "."


def _inner(columns: Sequence[Sequence[float]]) -> np.ndarray:
    """Return the range of each column without its most extreme values."""
    inner = [np.quantile(x, [_SHARE, 1 - _SHARE]) for x in columns if len(x)]
    return np.concatenate(inner) if inner else np.zeros(0)


def _bars(
    rows: Sequence[str], columns: Mapping[str, Sequence[float]], edges: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the bars of every row's histogram, scaled so that the highest bar of each row fills it."""
    bars: list[tuple[float, float, float, float]] = []
    for k, row in enumerate(rows):
        counts, _ = np.histogram(np.clip(columns.get(row, ()), edges[0], edges[-1]), edges)
        floor = len(rows) - 1 - k
        bars += [
            (edges[b], floor, edges[b + 1], floor + _HIGH * counts[b] / counts.max())
            for b in np.flatnonzero(counts)
        ]
    left, bottom, right, top = np.array(bars, float).reshape(-1, 4).T
    return {"left": left, "bottom": bottom, "right": right, "top": top}
