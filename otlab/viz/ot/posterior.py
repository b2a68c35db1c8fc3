"""Plot the posterior of the ranking values: histogram, interval and median per constraint, and traces.

::

     layer         glyph      one source for all constraints
     baselines     Segment
     bars          Quad       posterior draws, each row scaled to its own maximum
     outline       Line       another learner's draws over the same line (GLA at constant plasticity)
     intervals     Segment    95 %
     medians       Scatter
     runs          Segment    final values of the GLA runs, above the bars

An element is built once. At each tick the functions here convert results to ``{label: {glyph property:
array}}`` for :meth:`otlab.viz.base.live.Live.push`. The base line of row ``k`` is at ``K - 1 - k``. All rows
have the same height, so a column of labels with K equal rows is aligned with them (:data:`RIDGE_CSS`).

Traces show the last sweeps of every chain in the same rows. Their layers are ``trace lines``, the base
lines, and ``traces``, one line glyph for all chains and constraints, interrupted by NaN.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.errors import counted
from otlab.html import element
from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, constraint_html, constraint_text
from otlab.viz.base.numbers import counted_text, sd_text, value_text
from otlab.viz.base.rows import (
    MOST_IN_SIGHT,
    Layers,
    broken,
    empty_curve,
    low_row,
    nice_span,
    rows_chrome,
    rows_html,
    segments,
)
from otlab.viz.base.tokens import Hue, edge, fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.ot.histograms import DrawHistogram

__all__ = [
    "RIDGE_CSS",
    "TRACE_COLORS",
    "label_width",
    "labels_html",
    "ridge_colors",
    "ridge_data",
    "ridge_element",
    "ridge_span",
    "ridge_text",
    "traces_data",
    "traces_element",
]

_BARS = 72
_SHORT = 11  # letters of a name that fits into the usual column
_FEW = 7  # rows; marks are smaller if there are more
_PEAK = 0.60  # height of the highest bar, relative to the row
_GAP = 0.06  # gap at either side of a bar, relative to its width
_BELOW = 0.09
_RUNS = (0.66, 0.76)

RIDGE_CSS = NAMES_CSS + sheet("rows")


@lru_cache(maxsize=16)
def ridge_element(n: int) -> Any:
    """Return the empty picture for `n` constraints, a HoloViews overlay."""
    few = n <= _FEW
    nothing: list[float] = []
    flat = (nothing, nothing, nothing, nothing)
    layers = [
        hv.Segments(flat, label="baselines").opts(line_width=1.5),
        hv.Rectangles(flat, label="bars").opts(fill_alpha=0.82, line_color=None),
        empty_curve("outline").opts(line_width=1.6),
        hv.Segments(flat, label="intervals").opts(line_width=2.6 if few else 2),
        hv.Scatter((nothing, nothing), label="medians").opts(
            size=8.5 if few else 6, line_width=2.2 if few else 1.6, marker="circle", hooks=[_unclipped]
        ),
        hv.Segments(flat, label="runs").opts(line_width=1, line_alpha=0.6),
    ]
    return rows_chrome(hv.Overlay(layers), n, row=low_row(n), xlim=(-1.0, 1.0))


def _unclipped(plot: Any, element: Any) -> None:
    """Prevent clipping of dots that extend over the edge of the frame, as in low rows."""
    plot.handles["glyph_renderer"].level = "annotation"


def ridge_colors(hue: Hue = "gibbs", other: Hue = "gla") -> dict[str, dict[str, str]]:
    """Return layer label to {glyph property: token}, for :class:`~otlab.viz.base.live.Live`.

    `hue` is that of the bars' learner, `other` that of the outline and the single runs.
    """
    return {
        "baselines": {"line_color": "line2"},
        "bars": {"fill_color": fill(hue)},
        "outline": {"line_color": edge(other)},
        "intervals": {"line_color": edge(hue)},
        "medians": {"fill_color": "surface", "line_color": edge(hue)},
        "runs": {"line_color": edge(other)},
    }


def ridge_span(
    draws: DrawHistogram,
    runs: np.ndarray | None = None,
    outline: DrawHistogram | None = None,
    before: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Return the range of the x axis for these results; `before` is kept as long as it fits.

    Parameters
    ----------
    draws, outline
        As in :func:`ridge_data`.
    runs
        Final ranking values of GLA runs, shape (runs, K), or None.
    """
    seen = [h.quantiles([0.001, 0.999]).ravel() for h in (draws, outline) if h is not None]
    seen += [] if runs is None else [np.ravel(runs)]
    return nice_span(np.concatenate(seen), before)


def ridge_data(
    draws: DrawHistogram,
    runs: np.ndarray | None = None,
    outline: DrawHistogram | None = None,
    *,
    span: tuple[float, float],
    order: Sequence[int] | None = None,
) -> Layers:
    """Return the data of each layer.

    Parameters
    ----------
    draws
        Posterior draws of K columns; without draws there are no bars.
    runs
        Final ranking values of independent GLA runs, shape (runs, K), or None.
    outline
        Draws of another learner, drawn as an outline over the bars. Rows are then scaled to the higher of
        both densities, so that their heights can be compared.
    span
        Ends of the x axis, from :func:`ridge_span`.
    order
        The column in each row, from the top; in their own order if None.

    Returns
    -------
    dict
        {glyph property: array} of each layer, by label; all arrays of a layer have the same length.
    """
    columns = np.arange(draws.mean.size) if order is None else np.asarray(order)
    base = np.arange(len(columns))[::-1].astype(float)
    edges, density = _density(draws, span)
    over = None if outline is None else _density(outline, span)
    peak = density.max(axis=1, initial=0.0)
    if over is not None:
        peak = np.maximum(peak, over[1].max(axis=1, initial=0.0))
    scale = np.divide(_PEAK, peak, out=np.zeros_like(peak), where=peak > 0)
    low, median, high = draws.quantiles([0.025, 0.5, 0.975])[:, columns]
    return {
        "baselines": segments(np.full(len(base), span[0]), base, np.full(len(base), span[1]), base),
        "bars": _bars(edges, (density * scale[:, None])[columns], base),
        "outline": _outline(over, scale, columns, base),
        "intervals": segments(low, base - _BELOW, high, base - _BELOW),
        "medians": {"x": median, "y": base - _BELOW},
        "runs": _run_ticks(runs, columns, base),
    }


def labels_html(
    names: Sequence[str], draws: DrawHistogram, order: Sequence[int] | None = None, titles: Sequence[str] = ()
) -> str:
    """Return the column beside the rows: name, median, ± sd (a dash without draws).

    `titles` are the full names, shown on hover.
    """
    median, sd = draws.quantiles([0.5])[0], draws.sd
    rows = []
    for i in range(len(names)) if order is None else order:
        numbers = element("b", value_text(median[i])) + " " + element("small", sd_text(sd[i]))
        label = element("div", constraint_html(names[i]) + element("span", numbers), class_="ot-label")
        rows.append(((titles or names)[i], label))
    axis = "" if len(rows) > MOST_IN_SIGHT else "ranking value"  # of many rows, it stands below
    return rows_html(
        rows, "Median and standard deviation", kind="low", row=low_row(len(rows)), axis=axis, focusable=True
    )


def label_width(names: Sequence[str]) -> int:
    """Return the width of the column of :func:`labels_html` in pixels, larger for long names.

    Of four constraints and more, name and number share a line in low windows, and need more of it.
    """
    longest = max(map(len, names), default=0)
    if longest > _SHORT:
        return min(max(152, 84 + 7 * longest), 188)
    return 112 if len(names) < 4 else min(max(112, 70 + 8 * longest), 150)


def ridge_text(names: Sequence[str], draws: DrawHistogram) -> str:
    """Return a description of the picture for screen readers."""
    if not draws.n:
        return "No posterior draws yet."
    low, median, high = draws.quantiles([0.025, 0.5, 0.975])
    words = "; ".join(
        f"{constraint_text(names[i])} {value_text(median[i])} ({value_text(low[i])} to {value_text(high[i])})"
        for i in np.argsort(-median, kind="stable")
    )
    return f"Posterior medians and 95 % intervals after {counted_text(draws.n, 'draw')}: {words}."


def _density(draws: DrawHistogram, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    edges, counts = draws.bins(*span, at_most=_BARS)
    return edges, counts / (max(draws.n, 1) * (edges[1] - edges[0]))


def _bars(edges: np.ndarray, heights: np.ndarray, base: np.ndarray) -> dict[str, np.ndarray]:
    rows, bins = np.nonzero(heights)
    gap = _GAP * (edges[1] - edges[0])
    return {
        "left": edges[bins] + gap,
        "right": edges[bins + 1] - gap,
        "bottom": base[rows],
        "top": base[rows] + heights[rows, bins],
    }


def _outline(
    over: tuple[np.ndarray, np.ndarray] | None, scale: np.ndarray, columns: np.ndarray, base: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the outline of the bins, which begins and ends at the base line."""
    if over is None:
        return {"x": np.empty(0), "y": np.empty(0)}
    edges, density = over
    heights = np.pad(np.repeat((density * scale[:, None])[columns], 2, axis=1), ((0, 0), (1, 1)))
    rows = np.broadcast_to(np.repeat(edges, 2), heights.shape)
    return {"x": broken(rows).ravel(), "y": broken(base[:, None] + heights).ravel()}


def _run_ticks(runs: np.ndarray | None, columns: np.ndarray, base: np.ndarray) -> dict[str, np.ndarray]:
    if runs is None or not len(runs):
        return segments(*[np.empty(0)] * 4)
    x = np.asarray(runs, dtype=float)[:, columns].T.ravel()
    y = np.repeat(base, len(runs))
    return segments(x, y + _RUNS[0], x, y + _RUNS[1])


_MIDDLE, _HALF = 0.34, 0.36  # centre and half height of a trace above the base line, relative to the row

TRACE_COLORS = {"trace lines": {"line_color": "line"}, "traces": {"line_color": "gibbs-edge"}}


@lru_cache(maxsize=16)
def traces_element(n: int, sweeps: int = 120) -> Any:
    """Return the empty picture of the last `sweeps` values of `n` constraints."""
    nothing: list[float] = []
    layers = [
        hv.Segments((nothing, nothing, nothing, nothing), label="trace lines").opts(line_width=1),
        empty_curve("traces").opts(line_width=1, line_alpha=0.6),
    ]
    ticks = [(sweeps / 2, f"Last {counted(sweeps, 'draw')}")]
    options: dict[str, Any] = {"xticks": ticks, "grid": False, "responsive": "height"}
    return rows_chrome(hv.Overlay(layers), n, row=low_row(n), xlim=(0, sweeps), **options)


def traces_data(
    chains: Sequence[np.ndarray], draws: DrawHistogram, sweeps: int = 120, order: Sequence[int] | None = None
) -> Layers:
    """Return the last values of every chain, one line per chain and row, separated by NaN.

    Parameters
    ----------
    chains
        Draws of each chain, shape (n, K).
    draws
        The same draws as a histogram, which determines the scale of each row.
    """
    columns = list(range(draws.mean.size)) if order is None else list(order)
    base = np.arange(len(columns))[::-1].astype(float)
    low, high = draws.quantiles([0.002, 0.998])[:, columns]
    half = np.maximum((high - low) / 2, 1e-12)
    xs, ys = [np.empty((len(columns), 0))], [np.empty((len(columns), 0))]
    for chain in chains:
        last = chain[-sweeps:, columns].T
        height = np.clip((last - ((low + high) / 2)[:, None]) / half[:, None], -1.15, 1.15)
        rows = base[:, None] + _MIDDLE + _HALF * height
        places = np.arange(sweeps - last.shape[1], sweeps, dtype=float)
        xs.append(broken(np.broadcast_to(places, rows.shape)))
        ys.append(broken(rows))
    zero, end = np.zeros(len(base)), np.full(len(base), float(sweeps))
    return {
        "trace lines": segments(zero, base, end, base),
        "traces": {k: np.hstack(v).ravel().astype(np.float32) for k, v in (("x", xs), ("y", ys))},
    }
