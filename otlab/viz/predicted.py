"""Predicted against observed: what each learner says of every candidate, beside the data.

::

     layer            glyph      one source for all candidates
     rules            Segment    between rows
     gibbs interval   Segment    95 % of the posterior's predictions
     gibbs            Scatter    their mean
     gla              Scatter    one square a run, stacked
     maxent           Scatter    a diamond
     observed         Segment    a thin line of ink; none where an input has no data

The x axis is in per cent. The same figures as a table: Lin (2005), Tables 7 and 8, as they form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import PrintfTickFormatter

from otlab.viz.css import sheet
from otlab.viz.names import NAMES_CSS, form_html, input_html
from otlab.viz.numbers import DASH, interval_text, percent_text, value_text
from otlab.viz.rows import FLOOR, nice_span, rows_chrome, rows_html

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = [
    "HEAD",
    "PREDICTED_COLORS",
    "PREDICTED_CSS",
    "Answers",
    "candidates_html",
    "comparison_html",
    "figures_html",
    "per_cent",
    "predicted_data",
    "predicted_element",
    "predicted_span",
    "predicted_text",
]

HEAD = 20  # pixels above the first row, for the learners' names
_INTERVAL, _STACK, _DIAMOND = 0.50, 0.13, -0.01
_OBSERVED = (-0.12, 0.66)
_STACK_STEP, _STACK_HEIGHT = 0.062, 0.33
_STACK_BINS = 60

PREDICTED_COLORS = {
    "rules": {"line_color": "line"},
    "gibbs interval": {"line_color": "gibbs-edge"},
    "gibbs": {"fill_color": "gibbs", "line_color": "surface"},
    "gla": {"fill_color": "gla"},
    "maxent": {"fill_color": "maxent", "line_color": "surface"},
    "observed": {"line_color": "ink"},
}

PREDICTED_CSS = NAMES_CSS + sheet("rows") + sheet("figures")


@dataclass(frozen=True, eq=False)
class Answers:
    """What was observed and what each learner predicts; probabilities in [0, 1], one a row.

    Attributes
    ----------
    observed
        Relative frequency within the input, shape (rows,); NaN where an input has no data.
    gibbs
        Mean, lower and upper end of the posterior's predictions, shape (3, rows), or None.
    gla
        Prediction of every run that has ended, shape (runs, rows), or None.
    maxent
        Shape (rows,), or None.
    """

    observed: np.ndarray
    gibbs: np.ndarray | None = None
    gla: np.ndarray | None = None
    maxent: np.ndarray | None = None

    @property
    def learners(self) -> tuple[str, ...]:
        """Those that have something to say, in the order of their columns."""
        return tuple(name for name in ("gibbs", "gla", "maxent") if _has(getattr(self, name)))


def predicted_element(n: int) -> Any:
    """Return the empty picture for `n` candidates, a HoloViews overlay."""
    nothing: list[float] = []
    flat, points = (nothing, nothing, nothing, nothing), (nothing, nothing)
    layers = [
        hv.Segments(flat, label="rules").opts(line_width=1),
        hv.Segments(flat, label="observed").opts(line_width=2),
        hv.Segments(flat, label="gibbs interval").opts(line_width=3, line_alpha=0.5),
        hv.Scatter(points, label="gibbs").opts(size=10.5, line_width=1.5, marker="circle"),
        hv.Scatter(points, label="gla").opts(size=3, line_color=None, marker="square"),
        hv.Scatter(points, label="maxent").opts(size=8, line_width=1, marker="square", angle=45),
    ]
    return rows_chrome(hv.Overlay(layers), n, head=HEAD, xlim=(0.0, 100.0), hooks=[per_cent])


def predicted_span(answers: Answers, before: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the x axis in per cent; `before` is kept while it still fits."""
    values = [answers.observed, answers.gibbs, answers.gla, answers.maxent]
    shown = np.concatenate([100 * np.ravel(v) for v in values if v is not None])
    if np.isfinite(shown).any() and np.nanmax(shown) - np.nanmin(shown) < 4:
        shown = np.append(shown, [np.nanmin(shown) - 2, np.nanmax(shown) + 2])
    low, high = nice_span(shown, before) if np.isfinite(shown).any() else (0.0, 100.0)
    return max(low, -3.0), min(high, 103.0)


def predicted_data(answers: Answers, *, span: tuple[float, float]) -> dict[str, dict[str, np.ndarray]]:
    """Return layer label to {glyph property: array}, one row a candidate, the first at the top."""
    n = len(answers.observed)
    base = np.arange(n)[::-1].astype(float)
    seen = np.isfinite(answers.observed)
    observed, at = 100 * answers.observed[seen], base[seen]
    mean, low, high = 100 * answers.gibbs if answers.gibbs is not None else np.full((3, n), np.nan)
    maxent = np.full(n, np.nan) if answers.maxent is None else 100 * answers.maxent
    inner, left, right = base[:-1] + FLOOR, np.full(n, span[0]), np.full(n, span[1])
    return {
        "rules": {"x0": left[:-1], "y0": inner, "x1": right[:-1], "y1": inner},
        "observed": {"x0": observed, "y0": at + _OBSERVED[0], "x1": observed, "y1": at + _OBSERVED[1]},
        "gibbs interval": {"x0": low, "y0": base + _INTERVAL, "x1": high, "y1": base + _INTERVAL},
        "gibbs": {"x": mean, "y": base + _INTERVAL},
        "gla": _stacked(answers.gla, base, span),
        "maxent": {"x": maxent, "y": base + _DIAMOND},
    }


def candidates_html(tableau: Tableau, answers: Answers) -> str:
    """Return the column left of the rows: candidate, how often observed, and of which input."""
    several = len(tableau.inputs) > 1
    rows = []
    for row, (name, k) in enumerate(zip(tableau.candidates, tableau.input_of_row, strict=True)):
        of = f" of {input_html(tableau.inputs[k])}" if several else ""
        rows.append((name, f"{form_html(name)}<small>{_observed_text(answers, row)}{of}</small>"))
    return rows_html(rows, "Candidates", head=HEAD, kind="ruled")


def figures_html(answers: Answers) -> str:
    """Return the columns right of the rows: each learner's per cent, with its interval or ± sd."""
    heads = "".join(f'<span class="ot-{name}">{_LEARNERS[name]}</span>' for name in answers.learners)
    rows = [
        ("", "".join(_figure(answers, name, row) for name in answers.learners))
        for row in range(len(answers.observed))
    ]
    return rows_html(rows, "Predicted, per cent", head=HEAD, heads=heads, kind="ruled ot-figures")


def comparison_html(tableau: Tableau, answers: Answers) -> str:
    """Return candidates by learners, in per cent, as Lin's Tables 7 and 8."""
    heads = "".join(f'<th scope="col" class="ot-{name}">{_LEARNERS[name]}</th>' for name in answers.learners)
    width = len(answers.learners) + 2
    body = "".join(
        f'<tr><th scope="rowgroup" colspan="{width}" class="ot-input">{input_html(name)}</th></tr>'
        + "".join(
            _comparison_row(tableau.candidates[row], answers, row)
            for row in range(tableau.rows(k).start, tableau.rows(k).stop)
        )
        for k, name in enumerate(tableau.inputs)
    )
    return (
        '<table class="ot-compare" aria-label="Observed and predicted, per cent"><thead><tr>'
        f'<th scope="col">Candidate</th><th scope="col">Observed</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def predicted_text(tableau: Tableau, answers: Answers) -> str:
    """Return one sentence for those who do not see the picture: the candidates missed most."""
    if not answers.learners:
        return "No predictions yet."
    said = []
    for name in answers.learners:
        gap = np.abs(_centre(answers, name) - answers.observed)
        if np.isfinite(gap).any():
            row = int(np.nanargmax(gap))
            said.append(
                f"{_LEARNERS[name]} is furthest off for {tableau.candidates[row]}, "
                f"{percent_text(_centre(answers, name)[row])} against {percent_text(answers.observed[row])}"
            )
    return "; ".join(said) + "." if said else "There are no observations to compare with."


_LEARNERS = {"gibbs": "Gibbs", "gla": "GLA", "maxent": "MaxEnt"}


def _has(values: np.ndarray | None) -> bool:
    return values is not None and len(values) > 0


def _centre(answers: Answers, learner: str) -> np.ndarray:
    values = getattr(answers, learner)
    return np.asarray(
        {"gibbs": lambda: values[0], "gla": lambda: values.mean(axis=0), "maxent": lambda: values}[learner]()
    )


def _stacked(runs: np.ndarray | None, base: np.ndarray, span: tuple[float, float]) -> dict[str, np.ndarray]:
    """Return one point a run: those of one narrow bin stand on each other."""
    if not _has(runs):
        return {"x": np.empty(0), "y": np.empty(0)}
    width = (span[1] - span[0]) / _STACK_BINS
    bins = np.sort(np.floor(100 * np.asarray(runs) / width), axis=0)
    starts = np.maximum.accumulate(
        np.where(np.diff(bins, axis=0, prepend=-np.inf) > 0, np.arange(len(bins))[:, None], 0)
    )
    height = np.arange(len(bins))[:, None] - starts
    step = min(_STACK_STEP, _STACK_HEIGHT / (height.max() + 1))
    return {"x": ((bins + 0.5) * width).ravel(), "y": (base + _STACK + step * height).ravel()}


def _observed_text(answers: Answers, row: int) -> str:
    observed = float(answers.observed[row])
    return "no data" if np.isnan(observed) else f"observed {percent_text(observed)}"


def _figure(answers: Answers, learner: str, row: int) -> str:
    main, spread = _figure_texts(answers, learner, row)
    strong = f"<b>{main}</b>" if learner == "gibbs" else main
    return f"<span>{strong}<small>{spread}</small></span>"


def _figure_texts(answers: Answers, learner: str, row: int) -> tuple[str, str]:
    """Return the number, and how sure it is: an interval, ± sd over runs, or nothing."""
    main = value_text(100 * float(_centre(answers, learner)[row]), 1)
    if learner == "gibbs" and answers.gibbs is not None:
        return main, interval_text(*answers.gibbs[1:, row])
    if learner == "gla" and answers.gla is not None and len(answers.gla) > 1:
        return main, f"±\u2009{value_text(100 * float(answers.gla[:, row].std(ddof=1)), 1)}"
    return main, ""


def _comparison_row(candidate: str, answers: Answers, row: int) -> str:
    observed = float(answers.observed[row])
    cells = [DASH if np.isnan(observed) else value_text(100 * observed, 1)]
    for learner in answers.learners:
        main, spread = _figure_texts(answers, learner, row)
        cells.append(f"{main}<small>{spread}</small>" if spread else main)
    return f'<tr><th scope="row">{form_html(candidate)}</th>{"".join(f"<td>{c}</td>" for c in cells)}</tr>'


def per_cent(plot: Any, element: Any) -> None:
    """Write the x axis as "20 %"; a HoloViews hook."""
    plot.state.xaxis.formatter = PrintfTickFormatter(format="%g\u2009%%")
