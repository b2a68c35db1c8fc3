"""Plots of words learnt from sound: the objective of each phase, step by step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import CustomJSTickFormatter

from otlab.viz.base.style import chrome

if TYPE_CHECKING:
    from otlab.discovery.joint.view import JointView
    from otlab.viz.base.live import Live

__all__ = ["PHASE_COLORS", "phase_element", "show_phase", "split_phases"]

PHASE_COLORS = {"units": {"line_color": "vb-edge"}, "joint": {"line_color": "gibbs-edge"}}
"""Colours of the layers of :func:`phase_element`."""

_THOUSANDS = "return tick.toLocaleString('en-US', {maximumFractionDigits: 3}).replace('-', '\\u2212')"


@cache
def phase_element(xlabel: str) -> Any:
    """Return the trace of one phase, empty; `xlabel` is what a step is called."""
    line = [(0, 0), (1, 1)]
    parts = [hv.Curve(line, label=name).opts(line_width=2) for name in PHASE_COLORS]
    formatter = CustomJSTickFormatter(code=_THOUSANDS)
    return chrome(
        hv.Overlay(parts), yaxis=True, xlabel=xlabel, ylabel="nats", min_height=90, yformatter=formatter
    )


def split_phases(view: JointView) -> tuple[np.ndarray, np.ndarray]:
    """Return the objective of the units' phase, and J of the joint phase; empty before it begins.

    The one value between them, the bound of the words alone, is comparable with neither.
    """
    begins = {mark.what: mark.iteration for mark in view.marks}
    units = view.objective[: begins.get("words begin")]
    joint = begins.get("joint begins")
    return units, view.objective[:0] if joint is None else view.objective[joint:]


def show_phase(live: Live, name: str, objective: np.ndarray) -> None:
    """Draw the objective of a phase in the layer `name`."""
    live.clear()
    if not objective.size:
        return
    live.push(name, x=np.arange(objective.size, dtype=float), y=objective)
    settled = objective[objective.size // 10 :]
    low, high = float(settled.min()), float(settled.max())
    margin = 0.06 * (high - low) or 1.0
    live.x_range(0, max(2, objective.size - 1))
    live.y_range(low - margin, high + margin)
