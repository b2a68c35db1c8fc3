"""Explain why the usual learners cannot learn from a table, with buttons for ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import panel as pn

from otlab.errors import counted
from otlab.html import escape
from otlab.ot.conditions import impossible_rows
from otlab.ot.learners import LEARNERS
from otlab.ot.overt import parses_unknown
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Html
from otlab.viz.base.names import input_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.conditions import Bounding, Relation
    from otlab.ot.tableau import Tableau

__all__ = ["HEARD_LEARNERS", "REASONS_CSS", "heard_state", "impossible_state", "reason_html", "scrolling"]

REASONS_CSS = (
    "p { margin-top: 6px; font-size: 12.5px; line-height: 1.5; color: var(--ot-ink2); max-width: 68ch; }"
)
MOST_EXPLAINED = 50  # candidates
_TIMES = {1: "once", 2: "twice"}


def impossible_state(tableau: Tableau, leave_out: Callable[[], None], show: Callable[[int], None]) -> Any:
    """Return the placeholder in the posterior's card, with buttons for ways out.

    Parameters
    ----------
    leave_out
        Sets the counts of these candidates to 0, and runs.
    show
        Shows the tableau of an input, by number.
    """
    rows = impossible_rows(tableau)
    first, relation = rows[0]
    title = f"{_form(tableau.candidates[first])} can never win"
    if len(rows) > 1:
        title = f"{len(rows):,} observed candidates can never win"
    reasons = "".join(f"<p>{reason_html(tableau, row, each)}</p>" for row, each in rows[:MOST_EXPLAINED])
    if len(rows) > MOST_EXPLAINED:
        reasons += f"<p>And {len(rows) - MOST_EXPLAINED:,} more.</p>"
    advice = "No ranking fits these data: Gibbs cannot learn from them, the GLA and MaxEnt can."
    leaving = "Leave this form out and run" if len(rows) == 1 else "Leave these forms out and run"
    buttons = pn.Row(
        button(leaving, leave_out, primary=True),
        button("Show the tableau", lambda: show(relation.input)),
        margin=0,
        styles={"gap": "8px"},
    )
    fault, causes = (
        Html(words, REASONS_CSS, sizing_mode="stretch_width")
        for words in (f"<h3 class='title'>{title}</h3><p>{advice}</p>", reasons)
    )
    return scrolling(fault, buttons, causes)  # the reasons last: they may be longer than the card


HEARD_LEARNERS = ("rip", "maxent-overt", "latent-gibbs")
"""Learners that are offered where what is heard has several parses."""


def heard_state(tableau: Tableau, learn: Callable[[], None]) -> Any:
    """Return the placeholder in the posterior's card where what is heard has several parses.

    Parameters
    ----------
    learn
        Ticks :data:`HEARD_LEARNERS`, and runs.
    """
    inputs = parses_unknown(tableau)
    several = f"What is heard has several parses: {len(inputs):,} of {counted(len(tableau.inputs), 'input')}"
    others = escape("; ".join(LEARNERS[name].label for name in HEARD_LEARNERS))
    advice = (
        f"Gibbs, the GLA and MaxEnt need to know which candidate was meant; of {input_html(inputs[0])}, for"
        f" instance, it is not known. Other learners find out: {others}; and more in the list."
    )
    fault = Html(f"<h3 class='title'>{several}</h3><p>{advice}</p>", REASONS_CSS, sizing_mode="stretch_width")
    return scrolling(fault, pn.Row(button("Learn from what is heard", learn, primary=True), margin=0))


def scrolling(*parts: Any) -> Any:
    """Return parts in a column that scrolls, so that its card does not grow."""
    styles = {"gap": "10px", "min-height": "0", "contain": "size"}
    return pn.Column(*parts, sizing_mode="stretch_both", scroll="y-auto", margin=0, styles=styles)


def reason_html(tableau: Tableau, row: int, relation: Relation) -> str:
    """Return why the candidate of `row`, one of :func:`impossible_rows`, never wins, as HTML."""
    count = round(tableau.frequencies[row])
    times = _TIMES.get(count, counted(count, "time"))
    form = _form(tableau.candidates[row])
    return f"{form}, observed {times}, {_why_html(tableau, row, cast('Bounding', relation.bounded))}."


def _why_html(tableau: Tableau, row: int, bounding: Bounding) -> str:
    rivals = [_form(tableau.candidates[rival]) for rival in bounding.by]
    if bounding.kind == "collective":
        return f"loses under every ranking to one of {', '.join(rivals)}"
    return f"has every violation that {rivals[0]} has, and {_surplus(tableau, row, bounding.by[0])}"


def _surplus(tableau: Tableau, row: int, rival: int) -> str:
    more = tableau.violations[row] - tableau.violations[rival]
    which = np.flatnonzero(more > 0)
    names = " and ".join(_constraint(tableau.constraints[k]) for k in which)
    return f"one more of {names}" if more[which].sum() == 1 else f"more of {names}"


def _form(name: str) -> str:
    return f'<span class="form">{escape(name)}</span>'


def _constraint(name: str) -> str:
    return f'<span class="con">{escape(name)}</span>'
