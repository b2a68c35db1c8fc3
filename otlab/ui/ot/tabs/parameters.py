"""Ranking values and weights of every learner, constraint by constraint, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.analysis.ranked_above import ranked_above, says_of_pairs
from otlab.ot.learners import LEARNERS
from otlab.viz.base.names import constraint_html
from otlab.viz.base.numbers import DASH, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot import Fit
    from otlab.ot.analysis.ranked_above import RankedAbove
    from otlab.ui.ot.state import OTState

__all__ = ["NOT_SETTLED", "gla_note", "parameters_html", "parameters_remark", "sampled_pairs"]

Cells = list[tuple[float, float]]


class _Column(NamedTuple):
    """A value and its spread for each constraint."""

    head: str
    learner: str
    cells: Cells


NOT_SETTLED = "No ranking values fit these data exactly, so the GLA moves them on and on."
_MOST_NAMED = 5
_HEADS = {"gibbs": "Gibbs, median", "gla": "GLA", "maxent": "MaxEnt weight"}


def parameters_html(state: OTState) -> Markup:
    """Return constraints by learners: value, and ± sd over draws or runs; centred where they rank."""
    columns = [column for column in _columns(state) if column.cells]
    heads = [th(column.head, f"ot-{column.learner}") for column in columns]
    rows = [
        tr([th(constraint_html(name), scope="row"), *(_cell(*column.cells[k]) for column in columns)])
        for k, name in enumerate(state.shown_tableau.constraints)
    ]
    notes_of = {"Gibbs": _gibbs_note(state), "GLA": gla_note(state)}
    notes_of |= {
        LEARNERS[name].label: _sentence(_so_far(name, fit) if state.running else fit.warnings)
        for name, fit in state.further_fits.items()
    }
    notes = joined(element("p", f"{who}: {note}", class_="small") for who, note in notes_of.items() if note)
    return notes + table(["Constraint", *heads], rows, label="Ranking values and weights", kind="ot-compare")


def _sentence(warnings: Sequence[str]) -> str:
    return "; ".join(warnings) + "." if warnings else ""


def _so_far(name: str, fit: Fit) -> Sequence[str]:
    """Return how far a learner has come in a run that goes on; once it has ended, its warnings."""
    tick = fit.tick
    done = f"so far, after {tick.sweep:,} of {tick.total:,} {LEARNERS[name].unit}s"
    return fit.warnings if tick.finished else [done]


def _gibbs_note(state: OTState) -> str:
    """Return why the Gibbs sampler's best draw stands beside its medians; empty if they are enough."""
    gibbs = state.gibbs
    if gibbs is None or not gibbs.histogram.n or gibbs.readable or gibbs.best is None:
        return ""
    caveat = gibbs.point().caveat
    return f"its best draw is one grammar that fits; its medians are {caveat}; ± sd over all draws."


def gla_note(state: OTState) -> str:
    """Return a note on the GLA's ranking values; empty if they settle."""
    names = [] if state.gla is None else state.gla.drifting
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    which = f"{names[0]} does" if len(names) == 1 else f"{', '.join(names[:_MOST_NAMED])}{more} do"
    return f"{which} not settle: no values fit these data exactly. Only differences count."


def parameters_remark(state: OTState) -> str:
    """Return a remark on the columns of :func:`parameters_html`."""
    notes = []
    if state.gla is not None and state.gla.values is not None:
        runs = f"{len(state.gla.values)} runs" if len(state.gla.values) > 1 else "one run"
        notes.append(f"{runs}, centred")
    if state.maxent is not None and state.maxent.tick is not None:
        notes.append(f"log likelihood {value_text(state.maxent.tick.view.log_likelihood)}")
    return "; ".join(notes)


def sampled_pairs(state: OTState) -> tuple[str, RankedAbove] | None:
    """Return how often each constraint is above each other one, and by which sampler; None before its end."""
    for name, fit in () if state.running else state.fits.items():
        if says_of_pairs(fit):
            label = LEARNERS[name].label + ("" if fit.converged else " (not converged)")
            return label, ranked_above(fit)
    return None


def _columns(state: OTState) -> list[_Column]:
    gibbs, gla, maxent = state.gibbs, state.gla, state.maxent
    usual = {
        "gibbs": _pairs(gibbs.median, gibbs.histogram.sd) if gibbs is not None and gibbs.histogram.n else [],
        "gla": _pairs(gla.values.mean(axis=0), gla.values.std(axis=0))
        if gla is not None and gla.values is not None
        else [],
        "maxent": []
        if maxent is None or maxent.weights is None
        else _pairs(maxent.weights, maxent.widths(maxent.weights)),
    }
    of_runs = ", mean" if gla is not None and gla.run.chains > 1 else ""
    heads = {**_HEADS, "gla": f"GLA{of_runs}"}
    columns = [_Column(heads[name], name, cells) for name, cells in usual.items()]
    if gibbs is not None and gibbs.histogram.n and not gibbs.readable and gibbs.best is not None:
        columns.insert(1, _Column("Gibbs, best draw", "gibbs", _pairs(gibbs.best)))
    for name, fit in state.further_fits.items():
        mean = ", mean" if fit.posterior is not None or len(fit.views) > 1 else ""
        columns.append(_Column(f"{LEARNERS[name].label}{mean}", name, _pairs(fit.mean, fit.sd)))
        for what in (what for what in fit.further if not what.endswith(" sd")):
            cells = _pairs(fit.further[what], fit.further[f"{what} sd"])
            columns.append(_Column(what[0].upper() + what[1:], name, cells))
    return columns


def _pairs(centre: np.ndarray, spread: np.ndarray | Sequence[float] | None = None) -> Cells:
    spread = np.full(len(centre), np.nan) if spread is None else np.asarray(spread)
    return list(zip(centre.tolist(), spread.tolist(), strict=True))


def _cell(value: float, spread: float) -> Markup:
    if np.isnan(value):
        return td(DASH)
    small = "" if np.isnan(spread) else element("small", f"±\u2009{value_text(spread)}")
    return td(escape(value_text(value)) + small)
