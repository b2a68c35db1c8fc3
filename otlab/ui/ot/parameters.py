"""Ranking values and weights of every learner, constraint by constraint, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.viz.names import constraint_html
from otlab.viz.numbers import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ui.ot.state import OTState

__all__ = ["parameters_html"]

Cells = list[tuple[float, float]]
_HEADS = {"gibbs": "Gibbs", "gla": "GLA", "maxent": "MaxEnt weight"}


def parameters_html(state: OTState) -> str:
    """Return constraints by learners: value, and ± sd over draws or runs; centred where they rank."""
    columns = {name: cells for name, cells in _columns(state).items() if cells}
    heads = "".join(f'<th scope="col" class="ot-{name}">{_HEADS[name]}</th>' for name in columns)
    rows = "".join(
        f'<tr><th scope="row">{constraint_html(name)}</th>'
        f"{''.join(_cell(*cells[k]) for cells in columns.values())}</tr>"
        for k, name in enumerate(state.shown_tableau.constraints)
    )
    return (
        '<table class="ot-compare" aria-label="Ranking values and weights"><thead><tr>'
        f'<th scope="col">Constraint</th>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _columns(state: OTState) -> dict[str, Cells]:
    gibbs, gla, maxent = state.gibbs, state.gla, state.maxent
    return {
        "gibbs": _pairs(gibbs.centre, gibbs.histogram.sd) if gibbs is not None and gibbs.histogram.n else [],
        "gla": _pairs(gla.values.mean(axis=0), gla.values.std(axis=0))
        if gla is not None and gla.values is not None
        else [],
        "maxent": [] if maxent is None or maxent.tick is None else _pairs(maxent.tick.view.weights),
    }


def _pairs(centre: np.ndarray, spread: np.ndarray | Sequence[float] | None = None) -> Cells:
    spread = np.full(len(centre), np.nan) if spread is None else np.asarray(spread)
    return list(zip(centre.tolist(), spread.tolist(), strict=True))


def _cell(value: float, spread: float) -> str:
    small = "" if np.isnan(spread) else f"<small>±\u2009{value_text(spread)}</small>"
    return f"<td>{value_text(value)}{small}</td>"
