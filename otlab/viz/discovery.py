"""Plots of lexicon discovery: sticks by rank, objectives by iteration, the edit heat map."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.discovery.sticks import prior_mean
from otlab.viz.css import sheet
from otlab.viz.style import chrome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.discovery.channel import Edits
    from otlab.discovery.sticks import Sticks
    from otlab.discovery.view import DiscoveryView
    from otlab.viz.live import Live

__all__ = [
    "EDITS_CSS",
    "STICK_COLORS",
    "TRACE_COLORS",
    "edits_html",
    "show_sticks",
    "show_traces",
    "sticks_element",
    "trace_element",
]

STICK_COLORS = {
    "band": {"fill_color": "vb"},
    "prior": {"line_color": "ink3"},
    "weight": {"line_color": "vb-edge"},
    "truncation": {"line_color": "ink3"},
}
TRACE_COLORS = {
    "marks": {"line_color": "line2"},
    "batch": {"line_color": "vb-edge"},
    "online": {"line_color": "gla-edge"},
    "mcmc": {"line_color": "gibbs-edge"},
    "noisy": {"line_color": "maxent-edge"},
}
_FLOOR = 1e-7


def sticks_element() -> Any:
    """Return the stick plot, empty: E[pi] by rank on two logarithmic axes, with a band of 2 sd."""
    line = [(1, 1e-3), (2, 1e-3)]
    band = hv.Area([(1, 1e-4, 1e-3), (2, 1e-4, 1e-3)], "x", ["low", "high"], label="band").opts(
        alpha=0.25, line_alpha=0
    )
    parts = [
        band,
        hv.Curve(line, label="prior").opts(line_dash="dashed", line_width=1.4),
        hv.Curve(line, label="weight").opts(line_width=2.2),
        hv.Curve(line, label="truncation").opts(line_dash="dotted", line_width=1.4),
    ]
    return chrome(hv.Overlay(parts), yaxis=True, logx=True, logy=True, min_height=120)


def show_sticks(live: Live, sticks: Sticks | None, truncation: int) -> None:
    """Draw one adapted symbol's sticks; nothing where there are none."""
    if sticks is None or not len(sticks):
        live.clear("band", "prior", "weight", "truncation")
        return
    rank = np.arange(1, len(sticks) + 1)
    mean, sd = np.maximum(sticks.mean, _FLOOR), sticks.sd
    order = np.argsort(-mean)
    mean, sd = mean[order], sd[order]
    low, high = np.maximum(mean - 2 * sd, _FLOOR), mean + 2 * sd
    live.push("band", x=np.concatenate([rank, rank[::-1]]), y=np.concatenate([high, low[::-1]]))
    live.push("weight", x=rank, y=mean)
    prior = np.maximum(prior_mean(len(sticks), sticks.concentration, sticks.discount), _FLOOR)
    live.push("prior", x=rank, y=prior)
    bottom, top = float(mean.min()) / 2, float(high.max()) * 2
    live.push("truncation", x=np.array([truncation, truncation], dtype=float), y=np.array([bottom, top]))
    live.x_range(0.9, max(truncation, len(sticks)) * 1.2)
    live.y_range(bottom, top)


def trace_element() -> Any:
    """Return the traces, empty: each learner's objective, and marks."""
    line = [(0, 0), (1, 1)]
    parts = [
        hv.Segments([(0, 0, 0, 1)], label="marks").opts(line_width=1.2, line_dash="dotted"),
        *(hv.Curve(line, label=lane).opts(line_width=2) for lane in ("batch", "online", "mcmc", "noisy")),
    ]
    return chrome(hv.Overlay(parts), yaxis=True, min_height=110)


def show_traces(live: Live, results: Mapping[str, Sequence[DiscoveryView]], shown: str) -> None:
    """Draw the objective of every restart of the learner looked at, and where its lexicon changed."""
    live.clear()
    views = results.get(shown, ())
    if not views:
        return
    joined = [_trace(view.objective) for view in views]
    live.push(shown, x=np.concatenate([x for x, _ in joined]), y=np.concatenate([y for _, y in joined]))
    view = views[0]
    settled = np.concatenate([v.objective[max(1, len(v.objective) // 10) :] for v in views])
    drawn = settled if settled.size else view.objective
    low, high = float(drawn.min()), float(drawn.max())
    margin = 0.06 * (high - low) or 1.0
    at = np.array([mark.iteration for mark in view.marks], dtype=float)
    live.push("marks", x0=at, x1=at, y0=np.full(at.size, low - margin), y1=np.full(at.size, high + margin))
    live.x_range(0, max(2, len(view.objective) - 1))
    live.y_range(low - margin, high + margin)


def _trace(objective: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one line's points, with a gap after it."""
    return np.append(np.arange(len(objective), dtype=float), np.nan), np.append(objective, np.nan)


EDITS_CSS = sheet("discovery_edits")


def edits_html(edits: Edits, symbols: Sequence[str], least: float = 0.5) -> str:
    """Return operations with 95 % intervals, and the substitutions as a heat map, top by bottom.

    Rows with fewer than `least` expected substitutions are left out; the last column is
    what was inserted.
    """
    return _operations(edits) + _heat_map(edits, symbols, least)


def _operations(edits: Edits) -> str:
    from scipy.stats import beta

    rows = []
    total = edits.operation.sum()
    for name, value in zip(("none", "substitute", "insert", "delete"), edits.operation, strict=True):
        mean = value / total
        low, high = (float(beta.ppf(p, value, total - value)) for p in (0.025, 0.975))
        track = f'<span class="track"><i style="width:{100 * mean:.2f}%"></i>'
        track += f'<b style="left:{100 * low:.2f}%;width:{100 * max(high - low, 0.002):.2f}%"></b></span>'
        rows.append(f'<span>{name}</span>{track}<span class="num">{mean:.4f} ({low:.4f}–{high:.4f})</span>')
    return (
        f'<div class="operations" role="img" aria-label="Probability of each operation">{"".join(rows)}</div>'
    )


def _heat_map(edits: Edits, symbols: Sequence[str], least: float) -> str:
    size = len(symbols)
    prior = edits.substitution[~np.eye(size, dtype=bool)].min(initial=0.0)
    counts = np.where(np.eye(size, dtype=bool), 0.0, edits.substitution - prior)
    tops: list[int] = np.flatnonzero(counts.sum(axis=1) >= least).tolist()
    if not tops:
        return '<p class="remark">No substitution has been found.</p>'
    _, insertion, means = edits.means()
    head = "".join(f"<th scope='col'>{escape(s)}</th>" for s in symbols)
    body = []
    for i in tops:
        cells = "".join(_cell(means[i, j], f"{symbols[i]} to {symbols[j]}") for j in range(size))
        body.append(f"<tr><th scope='row'>{escape(symbols[i])}</th>{cells}</tr>")
    inserted = "".join(
        _cell(p / max(insertion.max(), 1e-12), f"{s} inserted, {p:.3f}")
        for p, s in zip(insertion, symbols, strict=True)
    )
    body.append(f"<tr><th scope='row'>inserted</th>{inserted}</tr>")
    table = f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    return f'<table class="edits" aria-label="Substitutions, top by bottom">{table}</table>'


def _cell(p: float, words: str) -> str:
    shade = 100 * p**0.75
    colour = f"color-mix(in srgb, var(--ot-gibbs) {shade:.0f}%, var(--ot-shade))"
    return f'<td style="background:{colour}" title="{escape(words)}: {p:.3f}"></td>'
