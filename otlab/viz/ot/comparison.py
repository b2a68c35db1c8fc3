"""Pictures of the Compare tab: the variation over runs of the GLA, and a table of models.

Each run of the GLA ends at different values (Lin 2005, section 8). This variation is drawn as one histogram
of predictions per candidate, with the layers ``baselines``, ``bars`` and ``observed``, an x axis in per cent,
and the labels of :func:`otlab.viz.ot.predicted.candidates_html`. The models are compared in an HTML table
of likelihoods, criteria, and the candidates that none of their grammars fits.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np

from otlab.errors import counted
from otlab.html import Markup, element, joined, table, td, th, tr
from otlab.ot.analysis.leave_one_out import reliability
from otlab.viz.base.numbers import count_text, percent_text, value_text
from otlab.viz.base.rows import Layers, rows_chrome, segments
from otlab.viz.ot.predicted import HEAD, per_cent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.analysis.comparison import Comparison, ModelResult
    from otlab.ot.analysis.leave_group_out import GroupsLeftOut, LevelsCompared

__all__ = ["SPREAD_COLORS", "levels_html", "models_html", "spread_data", "spread_element", "spread_text"]

_BARS = 48
_PEAK = 0.62
_GAP = 0.06  # gap at either side of a bar, relative to its width
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
        Relative frequencies, shape (rows,); NaN for an input without data.
    span
        Ends of the x axis in per cent, from :func:`otlab.viz.ot.predicted.predicted_span`.
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
    """Return a description for screen readers: the candidate on which runs differ most."""
    if not len(runs):
        return "No GLA run has ended yet."
    row = int(np.argmax(np.ptp(runs, axis=0)))
    low, high = percent_text(float(runs[:, row].min())), percent_text(float(runs[:, row].max()))
    return f"{count_text(len(runs))} GLA runs differ most on {candidates[row]}: {low} to {high}."


_TIPS = {
    "Log likelihood": "of all observations at the best grammar, in nats",
    "Parameters": "how many numbers are fitted: k",
    "AIC": "2 k - 2 log likelihood; smaller is better",
    "AICc": "AIC corrected for few observations; smaller is better",
    "BIC": "k ln(observations) - 2 log likelihood; smaller is better",
    "LOO": "log probability of the observations, each predicted from the others (leave-one-out), and its"
    " standard error; larger is better",
}
_HELD_OUT = "Held out"
_HELD_OUT_TIP = (
    "log probability of inputs that were left out when the model was fitted, all parts together, under "
    "a weak prior; larger is better"
)
_MOST = 3  # candidates that a model does not fit and that are named


def models_html(compared: Comparison) -> Markup:
    """Return a table of the models, the one with the smallest AICc in bold, with a conclusion below it."""
    known = [model.aicc for model in compared.models if math.isfinite(model.aicc)]
    held_out = bool(compared.settings["folds"])
    tips = {**_TIPS, _HELD_OUT: _HELD_OUT_TIP} if held_out else _TIPS
    heads = [th("Model"), *(th(name, "num", title=tip) for name, tip in tips.items()), th("Cannot fit")]
    rows = [_row(model, bool(known) and model.aicc == min(known), held_out) for model in compared.models]
    notes = [f"{model.label}: {model.note}.".replace(">>", "≫") for model in compared.models if model.note]
    trust = reliability((model.label, model.pareto_k) for model in compared.models)
    below = [element("p", line, class_="small") for line in (compared.words(), trust, *notes) if line]
    grid = table(heads, rows, label="Models on these data", kind="ot-compare")
    return grid + joined(below)


def _row(model: ModelResult, best: bool, held_out: bool) -> Markup:
    loo = f"{value_text(model.elpd_loo, 1)} ±\u2009{value_text(model.elpd_se, 1)}"
    numbers = [
        _number(model.log_likelihood, 2),
        str(model.parameters),
        *(_number(value, 1) for value in (model.aic, model.aicc, model.bic)),
        loo if math.isfinite(model.elpd_loo) else "",
        *([_number(model.cross_validated, 1)] if held_out else []),
    ]
    name = element("b", model.label) if best else model.label
    return tr([th(name, scope="row"), *(td(text, "num") for text in numbers), _misfits(model)])


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return "–" if math.isnan(value) else value_text(value, digits)


def _misfits(model: ModelResult) -> Markup:
    """Return the candidates that the best grammar does not fit, with observed and predicted frequencies."""
    missed = sorted(model.unfitted, key=lambda m: -abs(m.observed - m.at_best))
    if not missed:
        return td("nothing")
    lines = [
        f"{m.input}, {m.candidate}:"
        f" observed {percent_text(m.observed, 0)}, at best {percent_text(m.at_best, 0)}"
        for m in missed[:_MOST]
    ]
    lines += [f"and {len(missed) - _MOST} more"] if len(missed) > _MOST else []
    return td(counted(len(missed), "candidate"), title="; ".join(lines))


_LEVELS = {
    "both": "Speakers and items",
    "speakers": "Speakers",
    "items": "Items",
    "none": "One grammar for all",
}
_FARTHEST = 5  # groups that are named


def levels_html(compared: LevelsCompared) -> Markup:
    """Return a table of grammars by how well they predict each group that is left out, and words on it."""
    level, best = compared.level, compared.best
    tips = {
        "Log density": f"of all tokens of each {level}, predicted from the others; larger is better",
        "Below the best": "difference and its standard error",
        "Pareto k": "the largest; above 0.7 not reliable",
        "Gains most": f"the {level}s whose log density is highest above that of one grammar for all",
    }
    heads = [th("Who differs"), *(th(name, "num", title=tip) for name, tip in list(tips.items())[:3])]
    heads.append(th("Gains most", title=tips["Gains most"]))
    rows = []
    for model in compared.models:
        below, error = compared.below_best(model)
        difference = "" if model is best else f"{value_text(below, 1)} ±\u2009{value_text(error, 1)}"
        shapes = model.pareto_k[~np.isnan(model.pareto_k)]
        numbers = [
            f"{value_text(model.total, 1)} ±\u2009{value_text(model.standard_error, 1)}",
            difference,
            value_text(float(shapes.max())) if shapes.size else "–",
        ]
        label = _LEVELS[model.levels]
        name = element("b", label) if model is best else label
        cells = [td(text, "num") for text in numbers]
        rows.append(tr([th(name, scope="row"), *cells, td(_gains(compared, model))]))
    grid = table(heads, rows, label=f"Grammars by how well they predict each {level}", kind="ot-compare")
    return element("p", compared.words(), class_="small") + grid


def _gains(compared: LevelsCompared, model: GroupsLeftOut) -> str:
    """Return the groups that a grammar predicts better than one grammar for all does, the first five."""
    gain = model.elpd - compared.models[-1].elpd
    order = [n for n in np.argsort(-gain, kind="stable")[:_FARTHEST].tolist() if gain[n] > 0.05]
    return ", ".join(f"{model.names[n]} {value_text(float(gain[n]), 1)}" for n in order)
