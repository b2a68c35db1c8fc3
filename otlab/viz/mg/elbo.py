"""The ELBO of every start, the best one in front: it may never fall."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.viz.base.style import chrome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.base.live import Live

__all__ = ["ELBO_COLORS", "elbo_element", "show_elbo"]

ELBO_COLORS = {
    "starts": {"line_color": "vb-edge"},
    "best": {"line_color": "vb-edge"},
    "last": {"fill_color": "vb", "line_color": "vb-edge"},
}
_MOST_POINTS = 400


@cache
def elbo_element() -> Any:
    """Return the empty picture."""
    layers = [
        hv.Path([], label="starts").opts(line_width=1, line_alpha=0.55),
        hv.Curve([], label="best").opts(line_width=2.2),
        hv.Points([], label="last").opts(size=8),
    ]
    return chrome(hv.Overlay(layers), yaxis=True, xlim=(0, 50), ylim=(-1, 0), min_height=90)


def show_elbo(live: Live, traces: Sequence[np.ndarray], total: int) -> None:
    """Draw the ELBO of each start so far.

    Parameters
    ----------
    live
        The figure of :func:`elbo_element`.
    traces
        ELBO of each iteration, one array a start.
    total
        Iterations asked for.
    """
    if not traces:
        live.push("starts", xs=[], ys=[])
        live.push("best", x=[], y=[])
        live.push("last", x=[], y=[])
        return
    best = max(traces, key=lambda trace: float(trace[-1]))
    thinned = [_thin(trace) for trace in traces]
    live.push("starts", xs=[x for x, _ in thinned], ys=[y for _, y in thinned])
    x, y = _thin(best)
    live.push("best", x=x, y=y)
    live.push("last", x=x[-1:], y=y[-1:])
    low, high = min(float(t.min()) for t in traces), float(best.max())
    pad = max(0.05 * (high - low), 1e-3)
    live.x_range(0, max(total, 1) * 1.03)
    live.y_range(low - pad, high + 2 * pad)


def _thin(trace: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return iterations and values, the last always among them."""
    keep = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), _MOST_POINTS)).astype(int))
    return keep.astype(float), trace[keep]
