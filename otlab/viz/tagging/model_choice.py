"""Plots and tables of criteria by the number of states, and the number that each criterion chooses.

There are four panels. Each line is a learner, each dot a number of states; a ring marks the number that a
criterion chooses. Baselines, which do not learn from context, are thin dark lines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import FixedTicker, PrintfTickFormatter

from otlab.errors import counted
from otlab.html import Markup, table, td, tr
from otlab.tagging.scores import BASELINES
from otlab.viz.base.rows import Layers, empty_curve
from otlab.viz.base.style import chrome, number_ticks
from otlab.viz.tagging.traces import BASELINE_DASHES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.tagging.experiments.comparison import Comparison, StatesResult
    from otlab.tagging.scores import Scores

__all__ = [
    "CHOICE_PANELS",
    "CURVES_TO_COME",
    "Curve",
    "choice_colors",
    "choice_curves",
    "choice_data",
    "choice_element",
    "chosen_html",
    "compared_csv",
    "compared_html",
    "range_advice",
]

CURVES_TO_COME = (
    '<svg width="120" height="64" viewBox="0 0 120 64" fill="none" stroke="var(--ot-ctl)" '
    'stroke-width="1.5" stroke-dasharray="4 4" aria-hidden="true"><path d="M12 6v50h100"/>'
    '<path d="M18 14c16 26 34 34 50 30s28-14 40-24"/><path d="M18 30c24 14 52 14 90 6"/>'
    '<circle cx="60" cy="45" r="6" stroke-dasharray="none"/></svg>'
)
"""Placeholder, shown before any comparison."""
_HUES = ("em", "vb", "gibbs")
_SECOND = " 2"  # suffix of a learner's second curve in a panel, such as BIC beside AIC


@dataclass(frozen=True)
class _Panel:
    """One panel: its heading, its criteria with the names of their curves, and a factor.

    A curve without a name is labelled by its learner.
    """

    title: str
    criteria: tuple[tuple[str, str], ...]
    factor: float = 1.0


CHOICE_PANELS = (
    _Panel("Perplexity of held-out sentences", (("perplexity", ""),)),
    _Panel("AIC and BIC of EM, thousands", (("aic", "AIC"), ("bic", "BIC")), 1e-3),
    _Panel("Free energy of VB, thousand nats", (("free_energy", ""),), 1e-3),
    _Panel("V-measure against the gold tags", (("v_measure", ""),)),
)
"""The panels in reading order. Low values are best, except for V-measure."""
CRITERION_NAMES = {
    "perplexity": "Held-out perplexity",
    "aic": "AIC",
    "bic": "BIC",
    "free_energy": "Free energy",
    "v_measure": "V-measure",
}


@dataclass(frozen=True)
class Curve:
    """The values of one criterion for one learner.

    Attributes
    ----------
    label, hue
        Text at the end of the curve, and its colour.
    second
        Whether it is the learner's second curve in the panel.
    states, values
        Numbers of states in ascending order, and the value of the criterion for each.
    best
        The number of states that the criterion chooses; None if only one has been tried.
    """

    label: str
    hue: str
    second: bool
    states: tuple[int, ...]
    values: tuple[float, ...]
    best: int | None

    @property
    def end(self) -> str:
        """Text at the end of the curve: the label, and the chosen number of states."""
        return self.label if self.best is None else f"{self.label}, best {self.best}"


@cache
def choice_element() -> Any:
    """Return one empty panel, a HoloViews overlay."""
    layers = [
        empty_curve(f"base {name}").opts(line_width=1.2, line_dash=list(dash))
        for name, dash in BASELINE_DASHES.items()
    ]
    for hue in _HUES:
        for which in ("", _SECOND):
            dash = [6, 4] if which else "solid"
            layers += [
                empty_curve(f"line {hue}{which}").opts(line_width=2, line_dash=dash),
                hv.Scatter(([], []), label=f"dots {hue}{which}").opts(size=6, line_width=0.8),
                hv.Scatter(([], []), label=f"best {hue}{which}").opts(size=14, line_width=2, fill_alpha=0),
            ]
    return chrome(hv.Overlay(layers), yaxis=True, xlim=(0, 60), ylim=(0, 1), hooks=[_quiet])


def choice_colors() -> dict[str, dict[str, str]]:
    """Return layer label to {glyph property: token}."""
    out = {f"base {name}": {"line_color": "ink3"} for name in BASELINE_DASHES}
    for hue in _HUES:
        for which in ("", _SECOND):
            out[f"line {hue}{which}"] = {"line_color": f"{hue}-edge"}
            out[f"dots {hue}{which}"] = {"fill_color": hue, "line_color": f"{hue}-edge"}
            out[f"best {hue}{which}"] = {"line_color": f"{hue}-edge"}
    return out


def choice_curves(
    compared: Comparison, labels: Mapping[str, tuple[str, str]]
) -> tuple[tuple[Curve, ...], ...]:
    """Return the curves of each panel.

    Parameters
    ----------
    compared
        The comparison, finished or not.
    labels
        Label and hue of each learner, by name.
    """
    chosen = compared.chosen()
    return tuple(
        tuple(
            curve
            for second, (criterion, name) in enumerate(panel.criteria)
            for learner, (label, hue) in labels.items()
            if (curve := _curve(compared, learner, criterion, chosen, name or label, hue, second))
        )
        for panel in CHOICE_PANELS
    )


def _curve(
    compared: Comparison,
    learner: str,
    criterion: str,
    chosen: Mapping[str, Mapping[str, int]],
    label: str,
    hue: str,
    second: int,
) -> Curve | None:
    rows = [row for row in compared.rows if row.learner == learner]
    points = [(row.states, value) for row in rows if math.isfinite(value := getattr(row, criterion))]
    if not points:
        return None
    states, values = zip(*points, strict=True)
    best = chosen[learner][criterion] if len(points) > 1 else None
    return Curve(label, hue, bool(second), states, values, best)


def choice_data(
    curves: Sequence[Curve], factor: float, baselines: Mapping[str, tuple[Sequence[int], Sequence[float]]]
) -> Layers:
    """Return layer label to {glyph property: array} of a panel.

    Parameters
    ----------
    curves, factor
        The curves, and the factor by which their values are multiplied.
    baselines
        Numbers of states and values of each baseline, by name; its line is extended on both sides.
    """
    none = np.empty(0)
    layers = {label: {"x": none, "y": none} for label in choice_colors()}
    for curve in curves:
        key = f"{curve.hue}{_SECOND if curve.second else ''}"
        x, y = np.array(curve.states, float), factor * np.array(curve.values)
        layers[f"line {key}"] = layers[f"dots {key}"] = {"x": x, "y": y}
        at = x == curve.best
        layers[f"best {key}"] = {"x": x[at], "y": y[at]}
    for name, (states, values) in baselines.items():
        x, y = np.array([0, *states, 1e4], float), factor * np.array([values[0], *values, values[-1]])
        layers[f"base {name}"] = {"x": x, "y": y}
    return layers


def chosen_html(compared: Comparison, labels: Mapping[str, tuple[str, str]]) -> Markup:
    """Return a table of the numbers that each criterion chooses, with a column per learner."""
    chosen = compared.chosen()
    shown = [name for name in labels if len([row for row in compared.rows if row.learner == name]) > 1]
    rows = [
        tr([td(title), *(td(str(chosen[name].get(criterion, "–"))) for name in shown)])
        for criterion, title in CRITERION_NAMES.items()
        if any(criterion in chosen[name] for name in shown)
    ]
    if not rows:
        return Markup("")
    heads = ["States chosen by", *(labels[name][0] for name in shown)]
    return table(heads, rows, label="Number of states chosen", kind="scores")


def range_advice(compared: Comparison, labels: Mapping[str, tuple[str, str]]) -> str:
    """Return advice if a best number of states is the smallest or the largest tried, else ""."""
    chosen, sizes = compared.chosen(), compared.settings["states"]
    if compared.stopped or len(sizes) < 2:
        return ""
    advice = []
    for end, what, other in ((sizes[0], "fewest", "fewer"), (sizes[-1], "most", "more")):
        there = [
            f"{name} ({', '.join(who)})"
            for criterion, name in CRITERION_NAMES.items()
            if (who := [labels[n][0] for n in labels if chosen[n].get(criterion) == end])
        ]
        if there:
            advice.append(f"{', '.join(there)}: best at {end}, the {what} tried; try {other} as well.")
    return " ".join(advice)


def compared_html(
    compared: Comparison, labels: Mapping[str, tuple[str, str]], baselines: Mapping[int, Mapping[str, Scores]]
) -> Markup:
    """Return a table of all values, the best of each learner in bold, and of the baselines' V-measures."""
    chosen = compared.chosen()
    lines = [
        tr([td(f"{labels[row.learner][0]}, {counted(row.states, 'state')}"), *_cells(row, chosen)])
        for row in compared.rows
    ]
    sizes = list(dict.fromkeys(row.states for row in compared.rows))
    for name, label in BASELINES.items():
        values = [baselines[size][name].v_measure for size in sizes if size in baselines]
        if values:
            low, high = f"{min(values):.3f}", f"{max(values):.3f}"
            text = low if low == high else f"{low}–{high}"
            lines.append(tr([td(f"Baseline: {label}"), *[td("")] * 6, td(text)], "paper"))
    heads = ["Learner", "In use", "Log likelihood", *CRITERION_NAMES.values()]
    return table(heads, lines, label="Numbers of states compared", kind="scores")


def _cells(row: StatesResult, chosen: Mapping[str, Mapping[str, int]]) -> list[Markup]:
    digits = {"perplexity": 2, "v_measure": 3}
    cells = [td(str(row.states_used)), td(_number(row.log_likelihood))]
    for criterion in CRITERION_NAMES:
        value = getattr(row, criterion)
        text = _number(value, digits.get(criterion, 0)) if math.isfinite(value) else "–"
        cells.append(td(text, "best" if chosen[row.learner].get(criterion) == row.states else ""))
    return cells


def _number(value: float, digits: int = 0) -> str:
    return f"{value:,.{digits}f}".replace("-", "−")


def compared_csv(compared: Comparison) -> str:
    """Return the table of :meth:`Comparison.summary` as CSV; undefined values are empty."""
    text: str = compared.summary().to_csv(index=False, lineterminator="\n")
    return text


def _quiet(plot: Any, element: Any) -> None:
    figure = plot.state
    figure.xaxis.axis_line_color = figure.yaxis.axis_line_color = None
    figure.xaxis.ticker = figure.xgrid.ticker = FixedTicker(ticks=[])
    figure.yaxis.ticker = figure.ygrid.ticker = FixedTicker(ticks=[])
    figure.xaxis.formatter = PrintfTickFormatter(format="%g")
    figure.yaxis.formatter = number_ticks()
    figure.min_border_left, figure.min_border_top = 52, 18
