"""Differences of logits between inputs that differ in one constraint: intervals in a table, and models.

A row is a contrast of two groups of inputs. Each cell has the difference for each violation on the axis that
all share, with its interval; the dashed line is what was observed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.analysis.comparison import p_value
from otlab.viz.base.names import constraint_html, input_html
from otlab.viz.base.numbers import value_text
from otlab.viz.base.svg_marks import interval_svg

if TYPE_CHECKING:
    from otlab.ot.analysis.logit_uniformity import Contrast, Estimate, LogitUniformity, UniformityModel

__all__ = ["logits_html"]

_MOST = 40  # contrasts
_HEADS = {
    "log likelihood": "of the tokens of inputs with two candidates, at the best grammar",
    "k": "how many numbers these inputs tell apart",
    "AICc": "2 k - 2 log likelihood, corrected for few tokens; smaller is better",
    "G²": "twice how far the log likelihood is below that of a model with a number for each group of inputs",
    "df": "groups of inputs less k",
    "p": "how probable so large a G² is if the model is right",
}
_ABOUT = (
    "How much the logit of a candidate differs between inputs that differ in one constraint, for each"
    " violation, with 95 % interval; dashed: as observed. Under MaxEnt it is the weight, in every context."
)


def logits_html(found: LogitUniformity) -> Markup:
    """Return a table of the contrasts, one of the models, the best in bold, and what they show."""
    words = element("p", found.words(), class_="small")
    models = _models(found)
    if not found.contrasts:
        return words + models
    shown = found.contrasts[:_MOST]
    more = len(found.contrasts) - _MOST
    rest = element("p", f"and {more} more; otlab compare --uniformity has all", class_="small")
    parts = [words, _contrasts(found, shown), rest if more > 0 else Markup("")]
    return joined([*parts, element("p", _ABOUT, class_="small"), models])


def _contrasts(found: LogitUniformity, shown: tuple[Contrast, ...]) -> Markup:
    span = _span(shown)
    heads = [th("Constraint"), th("From"), th("To")]
    heads += [th(name, "num") for name in ("Observed", *(model.label for model in found.models))]
    rows = []
    for one in shown:
        observed = one.observed.value
        estimates = [
            (one.observed, "ink"),
            *((estimate, "other-edge") for estimate in one.predicted.values()),
        ]
        cells = [td(_cell(estimate, span, token, observed), "num") for estimate, token in estimates]
        names = [
            th(constraint_html(one.constraint), scope="row"),
            *(td(_inputs(group)) for group in one.inputs),
        ]
        rows.append(tr([*names, *cells]))
    return table(heads, rows, label="Differences of logits", kind="ot-compare")


def _inputs(names: tuple[str, ...]) -> Markup:
    more = f" and {len(names) - 1} more" if names[1:] else ""
    return element("span", escape(input_html(names[0])) + more, title=", ".join(names) if more else None)


def _span(shown: tuple[Contrast, ...]) -> tuple[float, float]:
    """Return the ends of the axis: 0, what was observed with its intervals, and predictions near it."""
    ends = [0.0]
    for one in shown:
        ends += [one.observed.low, one.observed.high]
    low, high = min(ends), max(ends)
    room = high - low
    near = [
        end
        for one in shown
        for estimate in one.predicted.values()
        for end in (estimate.low, estimate.value, estimate.high)
        if math.isfinite(end) and low - room < end < high + room
    ]
    return min([low, *near]), max([high, *near])


def _cell(estimate: Estimate, span: tuple[float, float], token: str, observed: float) -> Markup:
    if not math.isfinite(estimate.value):
        return escape("–" if math.isnan(estimate.value) else "−∞" if estimate.value < 0 else "∞")
    bar = interval_svg(estimate.value, estimate.low, estimate.high, span, token=token, reference=observed)
    if math.isnan(estimate.low):
        return bar + value_text(estimate.value)
    ends = f" {value_text(estimate.low)} to {value_text(estimate.high)}"
    return bar + value_text(estimate.value) + element("small", ends)


def _models(found: LogitUniformity) -> Markup:
    known = [model.aicc for model in found.models if math.isfinite(model.aicc)]
    heads = [th("Model"), *(th(name, "num", title=tip) for name, tip in _HEADS.items()), th("Remark")]
    rows = [_model(model, bool(known) and model.aicc == min(known)) for model in found.models]
    return table(heads, rows, label="Models of these inputs", kind="ot-compare")


def _model(model: UniformityModel, best: bool) -> Markup:
    numbers = [
        _number(model.log_likelihood, 2),
        str(model.parameters),
        _number(model.aicc, 1),
        _number(model.deviance, 1),
        str(max(0, model.freedom)),
        "" if math.isnan(model.chance) else p_value(model.chance).removeprefix("p ").removeprefix("= "),
    ]
    name = element("b", model.label) if best else model.label
    return tr([th(name, scope="row"), *(td(text, "num") for text in numbers), td(model.note)])


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return "–" if math.isnan(value) else value_text(value, digits)
