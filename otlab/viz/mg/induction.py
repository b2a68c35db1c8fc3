"""Plots of an induction: the probabilities of lexical items, and the ELBO of every start.

Probabilities are dots by category, with 95 % intervals and a tick for each other learner. They are HTML
with relative positions, which adapts to the width and the colours of the page without a script.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import NoOverlap

from otlab.html import escape
from otlab.viz.base.style import chrome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.viz.base.live import Live

__all__ = [
    "ELBO_COLORS",
    "PROBABILITIES_CSS",
    "ItemProbability",
    "elbo_element",
    "probabilities_html",
    "show_elbo",
]

PROBABILITIES_CSS = """
.cats { display: grid; grid-template-columns: repeat(auto-fill, minmax(66px, 1fr)); gap: 4px 10px; }
.cats .scale + .scale { display: none; }
@container ot-card (width > 380px) {
  .cats.split { grid-template-columns: repeat(auto-fill, minmax(54px, 1fr)); }
  .cats.split section { grid-column: span var(--split); }
  .cats.split .items { display: grid; gap: 0 10px;
    grid-template-columns: repeat(var(--split), minmax(0, 1fr)); }
  .cats.split .scale + .scale { display: flex; }
}
.cats h3 { font-size: 11.5px; font-weight: 650; margin: 2px 0 3px; }
.cats .item { font-size: 12.5px; line-height: 1.25; }
.cats .item small { color: var(--ot-ink3); margin-left: 4px; font-size: 11px; }
.cats .track { position: relative; height: 15px; border-left: 1px solid var(--ot-grid);
  border-right: 1px solid var(--ot-grid);
  background: linear-gradient(var(--ot-grid), var(--ot-grid)) 50% 0 / 1px 100% no-repeat; }
.cats .track i { position: absolute; display: block; }
.cats .range { top: 6px; height: 2px; background: var(--ot-vb-edge); opacity: .75; }
.cats .dot { top: 3px; width: 8px; height: 8px; margin-left: -4px; border-radius: 50%;
  background: var(--ot-vb); box-shadow: inset 0 0 0 .8px var(--ot-vb-edge); }
.cats.prior .range { background: var(--ot-ink3); }
.cats.prior .dot { background: var(--ot-ink3); box-shadow: none; }
.cats .em { top: 1px; width: 2px; height: 12px; margin-left: -1px; background: var(--ot-em-edge); }
.cats .map { top: 1px; width: 2px; height: 12px; margin-left: -1px; background: var(--ot-other-edge); }
.cats .drawn { top: 11px; height: 2px; background: var(--ot-gibbs); opacity: .75; }
.cats .gibbs { top: 8px; width: 8px; height: 8px; margin-left: -4px; background: var(--ot-gibbs);
  transform: rotate(45deg) scale(.7); }
@media (max-height: 840px) {
  .cats h3 { margin: 0 0 2px; } .cats .item { line-height: 1.1; } .cats .track { height: 13px; }
}
.cats .scale { display: flex; justify-content: space-between; font-size: 11px; color: var(--ot-ink3); }
"""

_MOST_COLUMNS, _FEW_ROWS = 6, 3


@dataclass(frozen=True, slots=True)
class ItemProbability:
    """The probability of an item, as shown.

    Attributes
    ----------
    category, name, features
        Category, name and features of the item.
    mean, low, high
        Posterior mean and 95 % interval.
    others
        Estimates of EM and MAP, by their names in lower case.
    sampled
        Mean and 95 % interval by Gibbs sampling, shown beside those of the other learner.
    """

    category: str
    name: str
    features: str
    mean: float
    low: float
    high: float
    others: Mapping[str, float] = field(default_factory=dict)
    sampled: tuple[float, float, float] | None = None


def probabilities_html(items: list[ItemProbability], *, prior: bool = False) -> str:
    """Return the picture as HTML; categories with one item are left out.

    Parameters
    ----------
    items
        Items in the order of the lexicon.
    prior
        Whether these are prior probabilities, which are drawn grey.
    """
    groups: dict[str, list[ItemProbability]] = {}
    for item in items:
        groups.setdefault(item.category, []).append(item)
    shown = {name: rows for name, rows in groups.items() if len(rows) > 1}
    split = _columns([len(rows) for rows in shown.values()])
    blocks = [_block(name, rows, split) for name, rows in shown.items()]
    kind = f"cats{' split' if split > 1 else ''}{' prior' if prior else ''}"
    return (
        f'<div class="{kind}" style="--split:{split}" data-picture data-copy="{escape(_table(items))}">'
        f"{''.join(blocks)}</div>"
    )


def _columns(sizes: list[int]) -> int:
    """Return the number of columns of each category, given their sizes: more if there are few, long ones."""
    return max(1, min(_MOST_COLUMNS // max(1, len(sizes)), ceil(max(sizes, default=0) / _FEW_ROWS)))


def _table(items: list[ItemProbability]) -> str:
    """Return the numbers as a table separated by tabs, for *Copy data*."""
    others = list(dict.fromkeys(name for item in items for name in item.others))
    sampled = any(item.sampled is not None for item in items)
    gibbs = ["gibbs mean", "gibbs low", "gibbs high"] if sampled else []
    rows: list[list[object]] = [["category", "item", "features", "mean", "low", "high", *others, *gibbs]]
    for item in items:
        drawn = (item.sampled or ("", "", "")) if sampled else ()
        estimates = [item.others.get(name, "") for name in others]
        named = [item.category, item.name, item.features, item.mean, item.low, item.high]
        rows.append([*named, *estimates, *drawn])
    return "\n".join("\t".join(map(str, row)) for row in rows)


def _block(category: str, rows: list[ItemProbability], columns: int) -> str:
    names = [r.name for r in rows]
    body = "".join(f"<div>{_row(r, names.count(r.name) > 1)}</div>" for r in rows)
    scale = '<div class="scale" aria-hidden="true"><span>0</span><span>0.5</span><span>1</span></div>'
    return (
        f'<section><h3>category {escape(category)}</h3><div class="items">{body}</div>'
        f'<div class="items">{scale * columns}</div></section>'
    )


def _row(item: ItemProbability, ambiguous: bool) -> str:
    detail = f"<small>{escape(item.features)}</small>" if ambiguous else ""
    words = f"{item.name}: {item.mean:.2f}, 95 % interval {item.low:.2f} to {item.high:.2f}"
    others = "".join(
        f'<i class="{escape(kind)}" style="left:{100 * value:.1f}%"></i>'
        for kind, value in item.others.items()
    )
    if item.sampled is not None:
        mean, low, high = item.sampled
        words += f"; Gibbs: {mean:.2f}, {low:.2f} to {high:.2f}"
        others += (
            f'<i class="drawn" style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"></i>'
            f'<i class="gibbs" style="left:{100 * mean:.1f}%"></i>'
        )
    return (
        f'<div class="item cut">{escape(item.name)}{detail}</div>'
        f'<div class="track" role="img" aria-label="{escape(words)}">'
        f'<i class="range" style="left:{100 * item.low:.1f}%;width:{100 * (item.high - item.low):.1f}%"></i>'
        f'<i class="dot" style="left:{100 * item.mean:.1f}%"></i>{others}</div>'
    )


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
    return chrome(
        hv.Overlay(layers), yaxis=True, xlim=(0, 50), ylim=(-1, 0), min_height=90, hooks=[_labels_apart]
    )


def _labels_apart(plot: Any, element: Any) -> None:
    """Prevent overlapping labels in the small picture; a HoloViews hook."""
    for axis in (*plot.state.xaxis, *plot.state.yaxis):
        axis.ticker.desired_num_ticks = 3
    for axis in plot.state.yaxis:
        axis.major_label_policy = NoOverlap(min_distance=4)


def show_elbo(live: Live, traces: Sequence[np.ndarray], total: int) -> None:
    """Draw the ELBO of each start so far.

    Parameters
    ----------
    live
        The figure of :func:`elbo_element`.
    traces
        ELBO of each iteration, one array per start.
    total
        Number of iterations of the whole run.
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
    """Return at most a fixed number of iterations and values, always including the last."""
    keep = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), _MOST_POINTS)).astype(int))
    return keep.astype(float), trace[keep]
