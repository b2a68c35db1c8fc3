"""Traces of the last sweeps of every chain, one row per constraint.

Layers are ``trace lines``, the base lines, and ``traces``: one line glyph for all chains and constraints,
broken by NaN. Rows are those of :mod:`otlab.viz.ot.posterior`, beside which this picture stands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.viz.base.rows import Layers, broken, empty_curve, rows_chrome, segments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.viz.ot.histograms import DrawHistogram

__all__ = ["TRACE_COLORS", "traces_data", "traces_element"]

_MIDDLE, _HALF = 0.34, 0.36  # of a row's height, above its base line

TRACE_COLORS = {"trace lines": {"line_color": "line"}, "traces": {"line_color": "gibbs-edge"}}


@lru_cache(maxsize=16)
def traces_element(n: int, sweeps: int = 120) -> Any:
    """Return the empty picture of the last `sweeps` values of `n` constraints."""
    nothing: list[float] = []
    layers = [
        hv.Segments((nothing, nothing, nothing, nothing), label="trace lines").opts(line_width=1),
        empty_curve("traces").opts(line_width=1, line_alpha=0.6),
    ]
    ticks = [(sweeps / 2, f"Last {sweeps} draws")]
    return rows_chrome(hv.Overlay(layers), n, xlim=(0, sweeps), xticks=ticks, grid=False, responsive="height")


def traces_data(
    chains: Sequence[np.ndarray], draws: DrawHistogram, sweeps: int = 120, order: Sequence[int] | None = None
) -> Layers:
    """Return the last values of every chain, one line a chain and row, broken by NaN.

    Parameters
    ----------
    chains
        Draws of each chain, shape (n, K).
    draws
        The same draws counted: they set each row's scale.
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
