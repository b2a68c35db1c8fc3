"""Select the first rows of a very long tableau, for pictures and tables of predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import counted

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.answers import Answers

__all__ = ["MOST_DRAWN", "first_inputs", "first_rows", "inputs_left_out", "leading", "left_out"]

MOST_DRAWN = 200  # candidates


def first_rows(tableau: Tableau, most: int) -> Tableau:
    """Return the tableau of the first candidates, at most `most`."""
    if tableau.n_rows <= most:
        return tableau
    inputs = int(np.searchsorted(tableau.offsets, most))
    return replace(
        tableau,
        inputs=tableau.inputs[:inputs],
        offsets=np.minimum(tableau.offsets[: inputs + 1], most),
        candidates=tableau.candidates[:most],
        violations=tableau.violations[:most],
        frequencies=tableau.frequencies[:most],
        overt=tableau.overt[:most],
        formulas=tableau.formulas and tableau.formulas.with_rows(range(most)),
        groups=tableau.groups and tableau.groups.with_rows(range(most)),
    )


def first_inputs(tableau: Tableau, most: int = MOST_DRAWN) -> Tableau:
    """Return the tableau of the first complete inputs with at most `most` candidates, at least one input."""
    whole = max(1, int(np.searchsorted(tableau.offsets, most, side="right")) - 1)
    return first_rows(tableau, int(tableau.offsets[whole])) if whole < len(tableau.inputs) else tableau


def inputs_left_out(tableau: Tableau) -> str:
    """Return a text with the number of inputs that :func:`first_inputs` keeps; empty if it keeps all."""
    kept, inputs = len(first_inputs(tableau).inputs), len(tableau.inputs)
    return "" if kept == inputs else f"of the first {kept:,} of {counted(inputs, 'input')}"


def leading(tableau: Tableau, answers: Answers, most: int = MOST_DRAWN) -> tuple[Tableau, Answers]:
    """Return tableau and predictions of the first candidates, at most `most`."""
    if tableau.n_rows <= most:
        return tableau, answers
    predicted: dict[str, Any] = {
        name: None if values is None else values[..., :most]
        for name, values in (("gibbs", answers.gibbs), ("gla", answers.gla), ("maxent", answers.maxent))
    }
    predicted["further"] = {name: values[..., :most] for name, values in answers.further.items()}
    return first_rows(tableau, most), replace(answers, observed=answers.observed[:most], **predicted)


def left_out(tableau: Tableau, most: int = MOST_DRAWN) -> str:
    """Return a text with the number of candidates shown; empty if all are shown."""
    if tableau.n_rows <= most:
        return ""
    return f"the first {most:,} of {counted(tableau.n_rows, 'candidate')}; downloads have them all"
