"""Data that no ranking fits: which candidate, why, and what can be done about it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.ot.relations import uncounted_relations
from otlab.ui.states import impossible

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.relations import Bounding, Relation
    from otlab.ot.tableau import Tableau

__all__ = ["impossible_rows", "impossible_state", "reason_html"]

_TIMES = {1: "once", 2: "twice"}


def impossible_rows(tableau: Tableau) -> list[tuple[int, Relation]]:
    """Return every candidate that was observed but can never win, with what is known of it."""
    return [
        (row, relation)
        for relation in uncounted_relations(tableau)
        if relation.bounded
        for row in relation.members
        if tableau.frequencies[row] > 0
    ]


def impossible_state(tableau: Tableau, forget: Callable[[], None], show: Callable[[int], None]) -> Any:
    """Return what the posterior's card says then.

    Parameters
    ----------
    forget
        Sets the counts of these candidates to 0.
    show
        Shows the tableau of an input, by number.
    """
    found = impossible_rows(tableau)
    first, relation = found[0]
    title = f"{_form(tableau.candidates[first])} can never win"
    if len(found) > 1:
        title = f"{len(found)} observed candidates can never win"
    reasons = "<br>".join(reason_html(tableau, row, each) for row, each in found[:4])
    words = "Set its count to 0" if len(found) == 1 else "Set their counts to 0"
    return impossible(title, reasons, (words, forget), ("Show the tableau", lambda: show(relation.input)))


def reason_html(tableau: Tableau, row: int, relation: Relation) -> str:
    """Return why the candidate of `row` never wins, as HTML."""
    count = round(tableau.frequencies[row])
    times = _TIMES.get(count, f"{count:,} times")
    why = "" if relation.bounded is None else _why_html(tableau, row, relation.bounded)
    return f"{why} {_form(tableau.candidates[row])} was observed {times}, so no ranking fits these data."


def _why_html(tableau: Tableau, row: int, bounding: Bounding) -> str:
    rivals = [_form(tableau.candidates[rival]) for rival in bounding.by]
    if bounding.kind == "collective":
        return f"Under every ranking one of {', '.join(rivals)} is better."
    return f"It has every violation that {rivals[0]} has, and {_surplus(tableau, row, bounding.by[0])}."


def _surplus(tableau: Tableau, row: int, rival: int) -> str:
    more = tableau.violations[row] - tableau.violations[rival]
    which = np.flatnonzero(more > 0)
    names = " and ".join(_constraint(tableau.constraints[k]) for k in which)
    return f"one more of {names}" if more[which].sum() == 1 else f"more of {names}"


def _form(name: str) -> str:
    return f'<span class="form">{escape(name)}</span>'


def _constraint(name: str) -> str:
    return f'<span class="con">{escape(name)}</span>'
