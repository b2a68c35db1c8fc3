"""Candidate probabilities as bars, with a line where each was observed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, form_html, input_html
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["BARS_CSS", "bars_html", "bars_text"]

BARS_CSS = NAMES_CSS + sheet("bars")


def bars_html(tableau: Tableau, probability: np.ndarray, exact: bool = True) -> str:
    """Return the bars of every candidate, by input.

    Parameters
    ----------
    probability
        In [0, 1], shape (rows,).
    exact
        False where the probabilities were sampled; the heading says so.
    """
    observed = tableau.observed()
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
    """Return the numbers with a header, columns parted by tabs, for Copy data."""
    lines = ["input\tcandidate\tprobability\tobserved"]
    for k, name in enumerate(tableau.inputs):
        for r in range(tableau.rows(k).start, tableau.rows(k).stop):
            lines.append(f"{name}\t{tableau.candidates[r]}\t{probability[r]:.6g}\t{observed[r]:.6g}")
    return "\n".join(lines)


def bars_text(tableau: Tableau, probability: np.ndarray) -> str:
    """Return one sentence for those who do not see the bars."""
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
