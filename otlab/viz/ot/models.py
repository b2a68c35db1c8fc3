"""Models compared on one dataset, as HTML: likelihoods, criteria, and what none of their grammars fits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from otlab.viz.base.html import Markup, element, joined, table, td, th, tr
from otlab.viz.base.names import form_html, input_html
from otlab.viz.base.numbers import percent_text, value_text

if TYPE_CHECKING:
    from otlab.ot.analysis.comparison import Comparison, ModelResult

__all__ = ["models_html"]

_TIPS = {
    "Log likelihood": "of all observations at the best grammar, in nats",
    "Parameters": "how many numbers are fitted: k",
    "AIC": "2 k - 2 log likelihood; smaller is better",
    "AICc": "AIC corrected for few observations; smaller is better",
    "BIC": "k ln(observations) - 2 log likelihood; smaller is better",
    "LOO": "log probability of the observations, each predicted from the others (leave-one-out), and its"
    " standard error; larger is better",
}
_MOST = 3  # candidates named as misfits of a model


def models_html(compared: Comparison) -> Markup:
    """Return a table of the models, the smallest AICc in bold, and the verdict below it."""
    known = [model.aicc for model in compared.models if math.isfinite(model.aicc)]
    heads = [th("Model"), *(th(name, "num", title=tip) for name, tip in _TIPS.items()), th("Cannot fit")]
    rows = [_row(model, bool(known) and model.aicc == min(known)) for model in compared.models]
    notes = [f"{model.label}: {model.note}" for model in compared.models if model.note]
    below = [element("p", line, class_="small") for line in (compared.words(), *notes)]
    grid = table(heads, rows, label="Models on these data", kind="ot-compare")
    return grid + joined(below)


def _row(model: ModelResult, best: bool) -> Markup:
    loo = f"{value_text(model.elpd_loo, 1)} ±\u2009{value_text(model.elpd_se, 1)}"
    numbers = [
        _number(model.log_likelihood, 2),
        str(model.parameters),
        *(_number(value, 1) for value in (model.aic, model.aicc, model.bic)),
        loo if math.isfinite(model.elpd_loo) else "",
    ]
    name = element("b", model.label) if best else model.label
    return tr([th(name, scope="row"), *(td(text, "num") for text in numbers), td(_misfits(model))])


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return "–" if math.isnan(value) else value_text(value, digits)


def _misfits(model: ModelResult) -> Markup:
    """Return the candidates that the best grammar misses: observed and predicted."""
    missed = sorted(model.unfitted, key=lambda m: -abs(m.observed - m.at_best))
    parts = [
        joined(
            [
                input_html(m.input),
                " ",
                form_html(m.candidate),
                f" observed {percent_text(m.observed, 0)}, at best {percent_text(m.at_best, 0)}",
            ]
        )
        for m in missed[:_MOST]
    ]
    more = f"; and {len(missed) - _MOST} more" if len(missed) > _MOST else ""
    return joined([joined(parts, "; "), more]) if parts else joined(["nothing"])
