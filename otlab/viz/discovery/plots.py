"""Plots of lexicon discovery: sticks by rank, objectives by iteration, the channel's edits."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.core.properties import value
from bokeh.models import NoOverlap

from otlab.discovery.learners.sticks import STARVED, prior_mean
from otlab.viz.base.css import sheet
from otlab.viz.base.style import chrome, number_ticks
from otlab.viz.base.tokens import UI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.learners.sticks import Sticks
    from otlab.discovery.learners.view import DiscoveryView
    from otlab.viz.base.live import Live
    from otlab.viz.base.tokens import Hue

__all__ = [
    "BIASED_RATES",
    "EDITS_CSS",
    "STICK_COLORS",
    "TRACE_COLORS",
    "labels_apart",
    "objective_range",
    "operations_html",
    "show_shares",
    "show_sticks",
    "show_traces",
    "stick_colors",
    "sticks_element",
    "swap_rows",
    "trace_element",
]

STICK_COLORS = {
    "starved": {"fill_color": "bad"},
    "starved words": {"text_color": "bad"},
    "prior": {"line_color": "ink3"},
    "truncation": {"line_color": "ink3"},
    "T": {"text_color": "ink3"},
    "leftover": {"fill_color": "surface", "line_color": "ink"},
    "leftover words": {"text_color": "ink2"},
}


def stick_colors(hue: Hue) -> dict[str, dict[str, str]]:
    """Return the colours of the layers that depend on the learner."""
    return {"band": {"fill_color": hue}, "weight": {"line_color": f"{hue}-edge"}}


TRACE_COLORS = {
    "marks": {"line_color": "line2"},
    "batch": {"line_color": "vb-edge"},
    "online": {"line_color": "gla-edge"},
    "mcmc": {"line_color": "gibbs-edge"},
    "noisy": {"line_color": "maxent-edge"},
}
_FLOOR = 1e-7
_LEAST_NATS = 1.0
_ROUNDING = 1e-6
_LEAST_RANGE = 150  # least ratio of a logarithmic axis; on a shorter one Bokeh's ticks are too close together


@cache
def sticks_element() -> Any:
    """Return the stick plot, empty: E[pi] by rank on two logarithmic axes, with a band of 2 sd.

    A ring at the truncation level marks the leftover mass, which all new words share. If it lies in the
    red zone, no new word is built.
    """
    line = [(1, 1e-3), (2, 1e-3)]
    at = (1, 1e-3, "")
    small = {"text_font_size": "11px", "hooks": [_house_font]}
    parts = [
        hv.Rectangles([(1, 1e-4, 2, 1e-3)], label="starved").opts(alpha=0.12, line_alpha=0),
        hv.Area([(1, 1e-4, 1e-3), (2, 1e-4, 1e-3)], "x", ["low", "high"], label="band").opts(
            alpha=0.25, line_alpha=0
        ),
        hv.Curve(line, label="prior").opts(line_dash="dashed", line_width=1.4),
        hv.Curve(line, label="weight").opts(line_width=2.2),
        hv.Curve(line, label="truncation").opts(line_dash="dotted", line_width=1.4),
        hv.Scatter(line, label="leftover").opts(size=9, line_width=2),
        hv.Labels([at], label="T").opts(text_align="right", text_baseline="top", xoffset=0, **small),
        hv.Labels([at], label="leftover words").opts(text_align="right", text_baseline="bottom", **small),
        hv.Labels([at], label="starved words").opts(text_align="left", text_baseline="bottom", **small),
    ]
    return chrome(
        hv.Overlay(parts),
        yaxis=True,
        logx=True,
        logy=True,
        xlabel="rank",
        ylabel="probability",
        min_height=120,
        hooks=[labels_apart],
    )


def labels_apart(plot: Any, element: Any) -> None:
    """Leave out labels of the y axis that would nearly touch; a HoloViews hook."""
    for axis in plot.state.yaxis:
        axis.major_label_policy = NoOverlap(min_distance=8)


def show_sticks(live: Live, sticks: Sticks | None, truncation: int) -> None:
    """Draw the sticks of one adapted symbol, if there are any."""
    live.clear()
    if sticks is None or not len(sticks):
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
    leftover = max(sticks.leftover, _FLOOR)
    top = float(high.max()) * 2
    bottom = min(float(mean.min()) / 2, leftover / 3, top / _LEAST_RANGE)
    right = max(truncation, len(sticks)) * 1.5
    live.push("truncation", x=np.array([truncation, truncation], dtype=float), y=np.array([bottom, top]))
    live.push("T", x=[truncation * 0.93], y=[top], text=["T"])
    _show_leftover(live, float(truncation), leftover, bottom, right)
    live.x_range(0.9, right)
    live.y_range(bottom, top)


def show_shares(live: Live, shares: np.ndarray) -> None:
    """Draw the shares of a sampler's strings by rank; a sampler has tables instead of sticks."""
    live.clear()
    if not shares.size:
        return
    live.push("weight", x=np.arange(1, shares.size + 1), y=np.maximum(shares, _FLOOR))
    live.x_range(0.9, 1.5 * shares.size)
    top = float(shares.max()) * 2
    live.y_range(min(float(shares.min()) / 2, top / _LEAST_RANGE), top)


def _show_leftover(live: Live, at: float, leftover: float, bottom: float, right: float) -> None:
    """Draw the leftover mass, and the zone in which it is too small for new words."""
    live.push("leftover", x=[at], y=[leftover])
    live.push("leftover words", x=[at * 0.82], y=[leftover], text=["leftover mass"])
    if bottom >= STARVED:
        return
    live.push("starved", left=[0.9], right=[right], bottom=[bottom], top=[STARVED])
    below = "below this line: too little mass left for new words"
    words = "too little mass left: no new word is built" if leftover < STARVED else below
    live.push("starved words", x=[1.0], y=[bottom * 1.15], text=[words])


def _house_font(plot: Any, element: Any) -> None:
    """Set the labels' font to that of the interface; Bokeh would read a plain string as a column's name."""
    plot.handles["glyph"].text_font = value(UI)


@cache
def trace_element() -> Any:
    """Return the traces, empty: each learner's objective, and marks."""
    line = [(0, 0), (1, 1)]
    parts = [
        hv.Segments([(0, 0, 0, 1)], label="marks").opts(line_width=1.2, line_dash="dotted"),
        *(
            hv.Curve(line, label=learner).opts(line_width=2)
            for learner in ("batch", "online", "mcmc", "noisy")
        ),
    ]
    return chrome(
        hv.Overlay(parts),
        yaxis=True,
        xlabel="iteration",
        ylabel="nats",
        min_height=110,
        yformatter=number_ticks(),
    )


def show_traces(live: Live, results: Mapping[str, Sequence[DiscoveryView]], shown: str) -> None:
    """Draw the objective of every restart of the selected learner, and where its lexicon changed."""
    live.clear()
    views = results.get(shown, ())
    if not views:
        return
    joined = [_trace(view.objective) for view in views]
    live.push(shown, x=np.concatenate([x for x, _ in joined]), y=np.concatenate([y for _, y in joined]))
    view = views[0]
    settled = np.concatenate([v.objective[max(1, len(v.objective) // 10) :] for v in views])
    low, high = objective_range(settled if settled.size else view.objective)
    at = np.array([mark.iteration for mark in view.marks], dtype=float)
    live.push("marks", x0=at, x1=at, y0=np.full(at.size, low), y1=np.full(at.size, high))
    live.x_range(0, max(2, len(view.objective) - 1))
    live.y_range(low, high)


def objective_range(drawn: np.ndarray) -> tuple[float, float]:
    """Return the ends of the y axis for values of an objective, in nats.

    The axis is not so short that errors of rounding would look like a rise and fall.
    """
    low, high = float(drawn.min()), float(drawn.max())
    least = max(_LEAST_NATS, _ROUNDING * abs(high))
    margin = max(0.06 * (high - low), least - (high - low))
    return low - margin, high + margin


def _trace(objective: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of one line, with a gap after it."""
    return np.append(np.arange(len(objective), dtype=float), np.nan), np.append(objective, np.nan)


EDITS_CSS = sheet("discovery_edits")

BIASED_RATES = (
    "<b>Deletions tend to come out too low, insertions too high.</b> The rates are learnt together with the "
    "words, and a short word that lost a phone is often another word. Substitutions and deletions are shares "
    "of all phones; insertions are shares of all places: before each phone, and at the end of a word."
)
"""Text shown beside edit rates that were learnt together with words."""


def operations_html(edits: Edits) -> str:
    """Return the expected probability of each operation as bars, without intervals.

    Rates that are learnt together with words are at best accurate to a quarter of their value; the
    interval of their Dirichlet posterior is much narrower and would be misleading.
    """
    rows = []
    total = edits.operation.sum()
    for name, uses in zip(("none", "substitute", "insert", "delete"), edits.operation, strict=True):
        mean = uses / total
        track = f'<span class="track"><i style="width:{100 * mean:.2f}%"></i></span>'
        rows.append(f'<span>{name}</span>{track}<span class="num">{mean:.4f}</span>')
    return (
        '<div class="operations" role="img" aria-label="Probability of each operation">'
        f'{"".join(rows)}</div><p class="biased">{BIASED_RATES}</p>'
    )


def swap_rows(edits: Edits, least: float = 0.5) -> tuple[list[list[float] | None], list[float]]:
    """Return the posterior means of substitutions and insertions.

    Returns
    -------
    swaps
        One row per source phone; None if it has fewer than `least` expected substitutions, because the
        row would only show the prior.
    added
        The share of each phone among the inserted phones.
    """
    size = len(edits.insertion)
    counts = np.where(np.eye(size, dtype=bool), 0.0, edits.substitution)
    prior = edits.substitution[~np.eye(size, dtype=bool)].min(initial=np.inf)
    _, insertion, means = edits.means()
    seen = counts.sum(axis=1) - prior * (size - 1) >= least
    rows = [row if has else None for row, has in zip(np.round(means, 4).tolist(), seen, strict=True)]
    return rows, np.round(insertion, 4).tolist()
