"""Show what is predicted of overt forms, and the parses behind those that were heard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from otlab.errors import counted
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.ot.learners import LEARNERS
from otlab.ot.overt import heard_tableau, overt_forms_of, parses_unknown
from otlab.ot.overt_fitted import OvertFit
from otlab.viz.base.names import form_html, input_html
from otlab.viz.base.numbers import interval_text, percent_text, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.answers import Answers

__all__ = ["as_heard", "parses_html", "parses_of", "parses_text"]

MOST_PARSES = 400  # rows of a table


def as_heard(tableau: Tableau, answers: Answers) -> tuple[Tableau, Answers]:
    """Return a tableau and predictions with a row for each overt form, where parses are not known.

    Which candidate was meant is not observed then; observed frequencies are those of overt forms.
    """
    if not parses_unknown(tableau):
        return tableau, answers
    forms, heard = overt_forms_of(tableau), heard_tableau(tableau)
    own: dict[str, Any] = {
        name: None if values is None else forms.sums(values)
        for name, values in (("gibbs", answers.gibbs), ("gla", answers.gla), ("maxent", answers.maxent))
    }
    own["further"] = {name: forms.sums(values) for name, values in answers.further.items()}
    return heard, replace(answers, observed=heard.observed(), **own)


def parses_of(fits: Mapping[str, Fit]) -> dict[str, pd.DataFrame]:
    """Return the posterior of parses of each fit to overt forms, by the learner's name."""
    return {name: fit.parses for name, fit in fits.items() if isinstance(fit, OvertFit) and len(fit.parses)}


def parses_html(parses: Mapping[str, pd.DataFrame]) -> Markup:
    """Return a table of the parses of each form that was heard: the learners' probabilities, in per cent.

    Parameters
    ----------
    parses
        By learner, from :func:`parses_of`. The first one gives the rows; probabilities are given what was
        heard, and add up to 100 for each overt form.
    """
    cells: dict[tuple[str, str, str], dict[str, Markup]] = {}
    for name, frame in parses.items():
        for row in frame.to_dict("records"):
            key = str(row["input"]), str(row["overt"]), str(row["candidate"])
            cells.setdefault(key, {})[name] = _figure(row)
    rows, before = [], ("", "")
    for (k, overt, parse), of_learner in list(cells.items())[:MOST_PARSES]:
        if (k, overt) != before:
            head = input_html(k) + Markup(" heard as ") + form_html(overt)
            rows.append(tr([th(head, "ot-input", scope="rowgroup", colspan=len(parses) + 1)]))
            before = k, overt
        figures = (td(of_learner.get(name, "")) for name in parses)
        rows.append(tr([th(form_html(parse), scope="row"), *figures]))
    heads = ["Parse", *(th(LEARNERS[name].label, f"ot-{name}") for name in parses)]
    label = "Probability of each parse of what was heard, per cent"
    more = len(cells) - MOST_PARSES
    left_out = element("p", f"and {counted(more, 'more parse')}; downloads have them all", class_="small")
    return table(heads, rows, label=label, kind="ot-compare") + (left_out if more > 0 else "")


def parses_text(parses: Mapping[str, pd.DataFrame]) -> str:
    """Return a sentence about the form whose parse each learner knows least."""
    sentences = []
    for name, frame in parses.items():
        best = frame.loc[frame.groupby(["input", "overt"], sort=False)["probability"].idxmax().to_numpy()]
        least = best.iloc[int(best["probability"].argmin())]
        sentences.append(
            f"{LEARNERS[name].label} is least sure of {least['overt']}:"
            f" {least['candidate']}, {percent_text(float(least['probability']))}"
        )
    return "; ".join(sentences) + ("." if sentences else "")


def _figure(row: Mapping[Any, Any]) -> Markup:
    spread = interval_text(row["low"], row["high"]) if row["low"] < row["high"] else ""
    small = element("small", spread) if spread else Markup()
    return escape(value_text(100 * float(row["probability"]), 1)) + small
