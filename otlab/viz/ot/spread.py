"""How far independent runs of the GLA differ: one histogram of predictions a candidate.

The GLA ends elsewhere at every run (Lin 2005, section 8); its spread is part of its answer. Layers are
``baselines``, ``bars`` and ``observed``, the x axis is in per cent, labels are those of
:func:`otlab.viz.ot.predicted.candidates_html`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.viz.base.numbers import count_text, percent_text
from otlab.viz.base.rows import Layers, rows_chrome, segments
from otlab.viz.ot.predicted import HEAD, per_cent

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SPREAD_COLORS", "spread_data", "spread_element", "spread_text"]

_BARS = 48
_PEAK = 0.62
_GAP = 0.06  # of a bar's width, left and right
_OBSERVED = (-0.06, 0.70)

SPREAD_COLORS = {
    "baselines": {"line_color": "line2"},
    "bars": {"fill_color": "gla"},
    "observed": {"line_color": "ink"},
}


@lru_cache(maxsize=16)
def spread_element(n: int) -> Any:
    """Return the empty picture for `n` candidates, a HoloViews overlay."""
    nothing: list[float] = []
    flat = (nothing, nothing, nothing, nothing)
    layers = [
        hv.Segments(flat, label="baselines").opts(line_width=1.5),
        hv.Rectangles(flat, label="bars").opts(fill_alpha=0.82, line_color=None),
        hv.Segments(flat, label="observed").opts(line_width=2),
    ]
    return rows_chrome(hv.Overlay(layers), n, head=HEAD, xlim=(0.0, 100.0), hooks=[per_cent])


def spread_data(runs: np.ndarray, observed: np.ndarray, *, span: tuple[float, float]) -> Layers:
    """Return layer label to {glyph property: array}.

    Parameters
    ----------
    runs
        Predicted probability of every candidate in every run, shape (runs, rows).
    observed
        Relative frequencies, shape (rows,); NaN where an input has no data.
    span
        The x axis in per cent, from :func:`otlab.viz.ot.predicted.predicted_span`.
    """
    base = np.arange(len(observed))[::-1].astype(float)
    edges = np.linspace(*span, _BARS + 1)
    counts = np.stack([np.histogram(100 * column, edges)[0] for column in np.asarray(runs).T])
    heights = _PEAK * counts / np.maximum(counts.max(axis=1, keepdims=True), 1)
    rows, bins = np.nonzero(counts)
    gap = _GAP * (edges[1] - edges[0])
    seen = np.isfinite(observed)
    x, y = 100 * observed[seen], base[seen]
    ends = np.full(len(base), span[0]), np.full(len(base), span[1])
    return {
        "baselines": segments(ends[0], base, ends[1], base),
        "bars": {
            "left": edges[bins] + gap,
            "right": edges[bins + 1] - gap,
            "bottom": base[rows],
            "top": base[rows] + heights[rows, bins],
        },
        "observed": segments(x, y + _OBSERVED[0], x, y + _OBSERVED[1]),
    }


def spread_text(candidates: Sequence[str], runs: np.ndarray) -> str:
    """Return one sentence for those who do not see the picture: where runs differ most."""
    if not len(runs):
        return "No GLA run has ended yet."
    row = int(np.argmax(np.ptp(runs, axis=0)))
    low, high = percent_text(float(runs[:, row].min())), percent_text(float(runs[:, row].max()))
    return f"{count_text(len(runs))} GLA runs differ most on {candidates[row]}: {low} to {high}."
