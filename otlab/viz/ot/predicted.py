"""Plot and tabulate predicted and observed probabilities of every candidate.

::

     layer            glyph      one source for all candidates
     rules            Segment    between rows
     gibbs interval   Segment    95 % of the posterior's predictions
     gibbs            Scatter    their mean
     gla              Scatter    one square per run, stacked
     maxent           Scatter    a diamond
     further          Scatter    a ring for each other learner
     observed         Segment    a thin dark line; none for an input without data

The x axis is in per cent. The same numbers are also shown as a table. Beside the ranking line,
probabilities are bars with a line at each observed frequency.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import PrintfTickFormatter

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.learners import LEARNERS
from otlab.ot.overt import observed_candidates
from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, form_html, input_html
from otlab.viz.base.numbers import percent_text
from otlab.viz.base.rows import FLOOR, Layers, nice_span, rows_chrome, rows_html, segments
from otlab.viz.ot.answers import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.tableau import Tableau

__all__ = [
    "BARS_CSS",
    "HEAD",
    "PREDICTED_COLORS",
    "PREDICTED_CSS",
    "Answers",
    "bars_html",
    "bars_text",
    "candidates_html",
    "candidates_width",
    "comparison_html",
    "figures_html",
    "per_cent",
    "predicted_data",
    "predicted_element",
    "predicted_span",
    "predicted_text",
]

HEAD = 17  # pixels above the first row, for the learners' names
_INTERVAL, _STACK, _DIAMOND = 0.57, 0.10, -0.03
_OBSERVED = (-0.13, 0.71)
_FURTHER = 0.5, 0.05  # heights of the rings of the first and last of the other learners
_LONG_NAME = 9  # letters of a learner's name that fit a column on one line
_STACK_STEP, _STACK_HEIGHT = 0.062, 0.40
_STACK_BINS = 60

PREDICTED_COLORS = {
    "rules": {"line_color": "line"},
    "gibbs interval": {"line_color": "gibbs-edge"},
    "gibbs": {"fill_color": "gibbs", "line_color": "surface"},
    "gla": {"fill_color": "gla"},
    "maxent": {"fill_color": "maxent", "line_color": "surface"},
    "further": {"line_color": "ink2"},
    "observed": {"line_color": "ink"},
}

PREDICTED_CSS = NAMES_CSS + sheet("rows") + sheet("figures")


@lru_cache(maxsize=16)
def predicted_element(n: int) -> Any:
    """Return the empty picture for `n` candidates, a HoloViews overlay."""
    nothing: list[float] = []
    flat, points = (nothing, nothing, nothing, nothing), (nothing, nothing)
    layers = [
        hv.Segments(flat, label="rules").opts(line_width=1),
        hv.Segments(flat, label="observed").opts(line_width=2),
        hv.Segments(flat, label="gibbs interval").opts(line_width=3, line_alpha=0.5),
        hv.Scatter(points, label="gibbs").opts(size=10.5, line_width=1.5, marker="circle"),
        hv.Scatter(points, label="gla").opts(size=2.6, line_color=None, marker="square"),
        hv.Scatter(points, label="maxent").opts(size=8, line_width=1, marker="square", angle=45),
        hv.Scatter(points, label="further").opts(size=7, line_width=1.5, fill_color=None, marker="circle"),
    ]
    return rows_chrome(hv.Overlay(layers), n, head=HEAD, axis=False, xlim=(0.0, 100.0), hooks=[per_cent])


def predicted_span(answers: Answers, before: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the range of the x axis in per cent; `before` is kept as long as it fits."""
    values = [answers.observed, answers.gibbs, answers.gla, answers.maxent, *answers.further.values()]
    shown = np.concatenate([100 * np.ravel(v) for v in values if v is not None])
    if np.isfinite(shown).any() and np.nanmax(shown) - np.nanmin(shown) < 4:
        shown = np.append(shown, np.clip([np.nanmin(shown) - 2, np.nanmax(shown) + 2], 0, 100))
    if not np.isfinite(shown).any():
        return 0.0, 100.0
    low, high = nice_span(shown, before)
    if (low, high) == before:
        return before
    air = 0.01 * (high - low)  # Bokeh draws no grid line at the very end of an axis
    return max(low - air, -3.0), min(high + air, 103.0)


def predicted_data(answers: Answers, *, span: tuple[float, float]) -> Layers:
    """Return layer label to {glyph property: array}, one row per candidate, the first at the top."""
    n = len(answers.observed)
    base = np.arange(n)[::-1].astype(float)
    seen = np.isfinite(answers.observed)
    observed, at = 100 * answers.observed[seen], base[seen]
    mean, low, high = 100 * answers.gibbs if answers.gibbs is not None else np.full((3, n), np.nan)
    maxent = np.full(n, np.nan) if answers.maxent is None else 100 * answers.maxent
    inner, left, right = base[:-1] + FLOOR, np.full(n, span[0]), np.full(n, span[1])
    return {
        "rules": segments(left[:-1], inner, right[:-1], inner),
        "observed": segments(observed, at + _OBSERVED[0], observed, at + _OBSERVED[1]),
        "gibbs interval": segments(low, base + _INTERVAL, high, base + _INTERVAL),
        "gibbs": {"x": mean, "y": base + _INTERVAL},
        "gla": _stacked(answers.gla, base, span),
        "maxent": {"x": maxent, "y": base + _DIAMOND},
        "further": _rings(list(answers.further.values()), base),
    }


def candidates_html(tableau: Tableau, answers: Answers, kind: str = "ruled") -> Markup:
    """Return the column left of the rows: candidate, observed frequency, and input.

    `kind` is that of :func:`otlab.viz.base.rows.rows_html`: ``ruled``, or ``low`` if rows have base lines.
    """
    several = len(tableau.inputs) > 1
    rows = []
    for row, (name, k) in enumerate(zip(tableau.candidates, tableau.input_of_row, strict=True)):
        of = element("span", " for " + input_html(tableau.inputs[k]), class_="ot-of") if several else ""
        hover = f"{name}, {_observed_text(answers, row)}" + (f" for {tableau.inputs[k]}" if several else "")
        observed = escape(_observed_text(answers, row))
        rows.append((hover, form_html(name) + element("small", observed + of)))
    axis = None if kind == "ruled" else "probability"  # of rows that are ruled, it stands below
    return rows_html(rows, "Candidates", head=HEAD, kind=kind, axis=axis, focusable=True)


def candidates_width(tableau: Tableau) -> int:
    """Return the width of the column of :func:`candidates_html` in pixels, larger for long inputs."""
    if len(tableau.inputs) == 1:
        return 120
    longest = max(map(len, tableau.inputs))
    return min(max(176, 132 + 7 * longest), 196)


def figures_html(answers: Answers) -> Markup:
    """Return the columns right of the rows: each learner's percentage, with its interval or ± sd."""
    learners = answers.learners
    labels = {name: LEARNERS[name].label for name in learners}
    small = {name: " small" if len(label) > _LONG_NAME else "" for name, label in labels.items()}
    heads = joined(
        element("span", _unbroken(labels[name]), class_=f"ot-{name}{small[name]}") for name in learners
    )
    columns = [[_figure(name, *figure) for figure in answers.figures(name)] for name in learners]
    cells = zip(*columns, strict=True) if columns else [()] * len(answers.observed)
    rows = [("", joined(row)) for row in cells]
    return rows_html(rows, "Predicted, per cent", head=HEAD, heads=heads, kind="ruled ot-figures", axis=None)


def comparison_html(tableau: Tableau, answers: Answers) -> Markup:
    """Return a table of candidates (rows) by learners (columns), in per cent."""
    columns: list[Sequence[object]] = [
        answers.observed_texts(),
        *([_cell(*f) for f in answers.figures(name)] for name in answers.learners),
    ]
    rows = [
        tr([th(form_html(name), scope="row"), *(td(column[row]) for column in columns)])
        for row, name in enumerate(tableau.candidates)
    ]
    body = []
    for k, name in enumerate(tableau.inputs):
        head = th(input_html(name), "ot-input", scope="rowgroup", colspan=len(columns) + 1)
        body += [tr([head]), *rows[tableau.rows(k)]]
    heads = ["Candidate", "Observed", *(th(LEARNERS[n].label, f"ot-{n}") for n in answers.learners)]
    return table(heads, body, label="Observed and predicted, per cent", kind="ot-compare")


def predicted_text(tableau: Tableau, answers: Answers) -> str:
    """Return a description for screen readers, as text that is not escaped."""
    return answers.sentence(tableau.candidates)


def _stacked(runs: np.ndarray | None, base: np.ndarray, span: tuple[float, float]) -> dict[str, np.ndarray]:
    """Return one point per run; points in the same narrow bin are stacked."""
    if runs is None or not len(runs):
        return {"x": np.empty(0), "y": np.empty(0)}
    width = (span[1] - span[0]) / _STACK_BINS
    bins = np.sort(np.floor(100 * np.asarray(runs) / width), axis=0)
    place = np.arange(len(bins))[:, None]
    new = np.diff(bins, axis=0, prepend=-np.inf) > 0
    height = place - np.maximum.accumulate(np.where(new, place, 0))
    step = min(_STACK_STEP, _STACK_HEIGHT / (height.max() + 1))
    return {"x": ((bins + 0.5) * width).ravel(), "y": (base + _STACK + step * height).ravel()}


def _unbroken(label: str) -> str:
    """Return a learner's name with hyphens at which no line ends."""
    return label.replace("-", "\u2011")


def _rings(predictions: Sequence[np.ndarray], base: np.ndarray) -> dict[str, np.ndarray]:
    """Return a point for each row of each of some predictions, the first highest."""
    if not predictions:
        return {"x": np.empty(0), "y": np.empty(0)}
    heights = np.linspace(*_FURTHER, len(predictions))[:, None]
    return {"x": 100 * np.concatenate(predictions), "y": (base + heights).ravel()}


def _observed_text(answers: Answers, row: int) -> str:
    observed = float(answers.observed[row])
    return "not observed" if np.isnan(observed) else f"observed {percent_text(observed)}"


def _figure(learner: str, main: str, spread: str) -> Markup:
    strong = element("b", main) if learner == "gibbs" else main
    return element("span", escape(strong) + element("small", spread))


def _cell(main: str, spread: str) -> Markup:
    return escape(main) + (element("small", spread) if spread else "")


def per_cent(plot: Any, element: Any) -> None:
    """Format ticks of the x axis as "20 %"; a HoloViews hook."""
    plot.state.xaxis.formatter = PrintfTickFormatter(format="%g\u2009%%")


BARS_CSS = NAMES_CSS + sheet("bars")


def bars_html(tableau: Tableau, probability: np.ndarray, exact: bool = True) -> str:
    """Return bars of the candidates' probabilities, grouped by input.

    Parameters
    ----------
    probability
        Probabilities in [0, 1], shape (rows,).
    exact
        Whether probabilities are exact; if they are sampled, the heading says so.
    """
    observed = observed_candidates(tableau)
    rows = []
    for k, name in enumerate(tableau.inputs):
        if len(tableau.inputs) > 1:
            rows.append(f'<div class="ot-input">{input_html(name)}</div>')
        block = range(tableau.rows(k).start, tableau.rows(k).stop)
        rows += [_row(tableau.candidates[r], float(probability[r]), float(observed[r])) for r in block]
    legend = '<div class="ot-legend"><i></i>observed</div>' if np.isfinite(observed).any() else ""
    how = "exact" if exact else "sampled"
    head = f'<div class="ot-head">Probability of each candidate, {how}</div>'
    inside = head + "".join(rows) + legend
    data = escape(_table(tableau, probability, observed))
    attributes = f'role="group" aria-label="Candidate probabilities" data-copy="{data}"'
    return f'<div class="ot-bars" {attributes}>{inside}</div>'


def _table(tableau: Tableau, probability: np.ndarray, observed: np.ndarray) -> str:
    """Return the numbers as a table separated by tabs, for *Copy data*."""
    lines = ["input\tcandidate\tprobability\tobserved"]
    for k, name in enumerate(tableau.inputs):
        for r in range(tableau.rows(k).start, tableau.rows(k).stop):
            lines.append(f"{name}\t{tableau.candidates[r]}\t{probability[r]:.6g}\t{observed[r]:.6g}")
    return "\n".join(lines)


def bars_text(tableau: Tableau, probability: np.ndarray) -> str:
    """Return a description of the bars for screen readers."""
    words = (
        f"{name} {percent_text(float(p))}" for name, p in zip(tableau.candidates, probability, strict=True)
    )
    return f"Candidate probabilities: {', '.join(words)}."


def _row(candidate: str, probability: float, observed: float) -> str:
    seen = "" if np.isnan(observed) else f'<span class="ot-seen" style="left:{100 * observed:.2f}%"></span>'
    width = 0.0 if np.isnan(probability) else 100 * probability
    fill = f'<span class="ot-fill" style="width:{width:.2f}%"></span>'
    track = f'<div class="ot-track">{fill}{seen}</div>'
    return f"{form_html(candidate)}{track}<b>{percent_text(probability)}</b>"
