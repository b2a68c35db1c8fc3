"""Plot scores by iteration: a thin line per seed, their mean, and a band of one standard deviation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import FixedTicker, NoOverlap, PrintfTickFormatter

from otlab.html import escape
from otlab.viz.base.chart_svg import ticks
from otlab.viz.base.rows import Layers, broken, empty_curve
from otlab.viz.base.style import chrome, number_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.base.live import Live

__all__ = [
    "BASELINE_DASHES",
    "OBJECTIVES",
    "SCORE_PANELS",
    "apart",
    "ends_html",
    "no_traces",
    "show_span",
    "show_times",
    "trace_colors",
    "trace_data",
    "trace_element",
    "trace_span",
]

_HUES = ("em", "vb", "gibbs")
_MOST_POINTS = 160
_APART = 0.45  # least distance of the two ticks of a panel, relative to its height
_MOST_LARGE = 4  # labels beside a panel; more are printed smaller
BASELINE_DASHES = {"one_tag": (2, 3), "random": (6, 3), "most_frequent_tag": (10, 3, 2, 3)}
"""Dash pattern of each baseline's line."""
_BASES = tuple(f"base {name}" for name in BASELINE_DASHES)
# Name of the score, heading, factor, unit after a tick, and how a value is printed.
SCORE_PANELS: dict[str, tuple[str, float, str, str]] = {
    "one_to_one": ("1-to-1", 100.0, "\u2009%", "{:.1f} %"),
    "many_to_one": ("Many-to-1", 100.0, "\u2009%", "{:.1f} %"),
    "vi": ("VI, bits", 1.0, "", "{:.2f}"),
}
# Colour of the learner -> label of its objective, and the sign that makes it increase.
OBJECTIVES: dict[str, tuple[str, int]] = {
    "em": ("log likelihood", 1),
    "vb": ("ELBO (−free energy)", -1),
    "gibbs": ("log joint", 1),
}


@cache
def trace_element() -> Any:
    """Return one empty panel, a HoloViews overlay with a logarithmic x axis."""
    layers = [empty_curve("gold").opts(line_width=1.4, line_dash=[4, 3])]
    layers += [
        empty_curve(f"base {name}").opts(line_width=1.2, line_dash=list(dash))
        for name, dash in BASELINE_DASHES.items()
    ]
    for hue in _HUES:
        layers += [
            hv.Area(([np.nan, np.nan], [np.nan, np.nan]), label=f"band {hue}").opts(
                fill_alpha=0.18, line_alpha=0
            ),
            empty_curve(f"seeds {hue}").opts(line_width=0.8, line_alpha=0.55),
            empty_curve(f"mean {hue}").opts(line_width=2),
        ]
    return chrome(hv.Overlay(layers), yaxis=True, logx=True, xlim=(0.7, 100), ylim=(0, 1), hooks=[_quiet])


def trace_colors() -> dict[str, dict[str, str]]:
    """Return layer label to {glyph property: token}."""
    out = {"gold": {"line_color": "ink"}}
    out |= {f"base {name}": {"line_color": "ink3"} for name in BASELINE_DASHES}
    for hue in _HUES:
        out[f"band {hue}"] = {"fill_color": hue}
        out[f"seeds {hue}"] = out[f"mean {hue}"] = {"line_color": f"{hue}-edge"}
    return out


def trace_data(hue: str, x: np.ndarray, values: np.ndarray, least: float = 0.7) -> Layers:
    """Return the layers of one learner.

    Parameters
    ----------
    hue
        Colour of the learner.
    x : ndarray of shape (rows,)
        Iterations or seconds, in ascending order.
    values : ndarray of shape (seeds, rows)
        The score of each seed; NaN where it is not known.
    least
        Beginning of the logarithmic axis; smaller values are drawn there.
    """
    known = ~np.isnan(values).all(axis=0)
    x, values = x[known], values[:, known]
    kept = _spread(x.size)
    x, values = np.maximum(x[kept], least), values[:, kept]
    mean = values.mean(0)
    sd = values.std(0, ddof=1) if len(values) > 1 else np.zeros_like(mean)
    lines = broken(values)
    return {
        f"band {hue}": {
            "x": np.concatenate([x, x[::-1]]),
            "y": np.concatenate([mean - sd, (mean + sd)[::-1]]),
        },
        f"seeds {hue}": {"x": np.tile(np.append(x, np.nan), len(values)), "y": lines.ravel()},
        f"mean {hue}": {"x": x, "y": mean},
    }


def no_traces() -> Layers:
    """Return all layers, empty."""
    nothing = np.empty(0)
    flat = {label: {"x": nothing, "y": nothing} for label in ("gold", *_BASES)}
    return flat | {
        f"{what} {hue}": {"x": nothing, "y": nothing} for hue in _HUES for what in ("band", "seeds", "mean")
    }


def trace_span(values: Sequence[np.ndarray]) -> tuple[float, float]:
    """Return the range of the y axis: that of the values, with a margin."""
    shown = np.concatenate([np.ravel(v) for v in values]) if values else np.empty(0)
    shown = shown[np.isfinite(shown)]
    if not shown.size:
        return 0.0, 1.0
    margin = max(0.12 * float(np.ptp(shown)), 1e-3 * abs(float(shown.max())) + 1e-6)
    return float(shown.min() - margin), float(shown.max() + margin)


def show_times(live: Live, low: float, high: float, unit: str = "") -> None:
    """Set a panel's x axis, with ticks at 1, 2, 5, 10, ... or, if it is long, at powers of ten alone."""
    live.x_range(low, high)
    live.figure.xaxis.formatter.format = f"%g{unit}"
    steps = (1, 2, 5) if high / low < 300 else (1,)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    inside = [step * 10.0**power for power in powers for step in steps]
    live.figure.xaxis.ticker.ticks = [tick for tick in inside if low <= tick <= high]


def show_span(live: Live, span: tuple[float, float] | None, unit: str = "") -> None:
    """Set a panel's y axis, with ticks near both ends; if `span` is None, the axis has no ticks."""
    if span is None:
        live.figure.yaxis.ticker.ticks = []
        return
    live.y_range(*span)
    live.figure.yaxis.formatter.args = {"unit": unit}
    finer = (ticks(*span, most=most) for most in (5, 8, 12, 20, 50))
    inside = next(found for found in finer if found and found[-1] - found[0] > _APART * (span[1] - span[0]))
    live.figure.yaxis.ticker.ticks = [inside[0], inside[-1]]


def ends_html(
    form: str, rows: Sequence[tuple[str, str, float]], span: tuple[float, float], *, gap: float = 24
) -> str:
    """Return the labels at the right of a panel, with the last means, at their heights, as HTML.

    Each of the `rows` has label, token of the colour and last mean. Labels are at least `gap` per cent of
    the panel's height apart.
    """
    shown = sorted((row for row in rows if np.isfinite(row[2])), key=lambda row: -row[2])
    tops = [100 * (span[1] - value) / (span[1] - span[0]) for _, _, value in shown]
    parts = "".join(
        f'<div style="top:{top:.1f}%;color:var(--ot-{escape(_token(hue))})">'
        f"{escape(label)} {escape(form.format(value).replace('-', '−'))}</div>"
        for (label, hue, value), top in zip(shown, apart(tops, gap, 4, 78), strict=True)
    )
    return f'<div class="ends{" dense" if len(shown) > _MOST_LARGE else ""}">{parts}</div>'


def _token(hue: str) -> str:
    return hue if hue in ("ink", "ink3") else f"{hue}-text"


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move ascending positions so that they are `gap` apart and, if possible, between two ends.

    >>> apart([50, 51, 90], 20, 0, 80)
    [40, 60, 80]
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap if moved else low))
    limit = high
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return moved


def _spread(rows: int) -> np.ndarray:
    """Return the numbers of at most 160 rows, evenly spaced on a logarithmic axis, including both ends."""
    if rows <= _MOST_POINTS:
        return np.arange(rows)
    return np.unique(np.append(0, np.geomspace(1, rows - 1, _MOST_POINTS).round().astype(int)))


def _quiet(plot: Any, element: Any) -> None:
    figure = plot.state
    figure.yaxis.formatter = number_ticks()
    figure.yaxis.major_label_policy = NoOverlap(
        min_distance=-4
    )  # in a low panel; their boxes are higher than digits
    figure.xaxis.ticker = figure.xgrid.ticker = FixedTicker(ticks=[])
    figure.yaxis.ticker = figure.ygrid.ticker = FixedTicker(ticks=[])
    figure.yaxis.axis_line_color = figure.xaxis.axis_line_color = None
    figure.min_border_left = 44
    figure.xaxis.formatter = PrintfTickFormatter(format="%g")
