"""The violation tableau as linguists print it.

One order of the constraints, highest ranked left; the hand points at the winner, ``!`` follows the
violation at which a candidate loses, and what lies beyond it is shaded because it no longer matters
(A. Prince and P. Smolensky 1993, *Optimality Theory*, chapter 2). A double rule stands after the
candidates; the rule between constraints of one stratum is dashed. Colours are CSS variables only.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from otlab.ot.orders import evaluate
from otlab.viz.base.css import sheet
from otlab.viz.base.html import Markup, element, table, td, th, tr
from otlab.viz.base.names import NAMES_CSS, constraint_html, constraint_text, form_html, input_html
from otlab.viz.base.numbers import probability_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from otlab.ot.orders import Evaluation
    from otlab.ot.tableau import Tableau

__all__ = [
    "TABLEAU_CSS",
    "drawn_tableau_html",
    "order_html",
    "order_sentence_html",
    "tableau_html",
    "tableau_text",
]

_STARS = 6
_SPELLED = 8

_HAND = Markup(
    '<svg class="hand" viewBox="0 0 26 18" width="21" height="15" aria-hidden="true" fill="none"'
    ' stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round">'
    '<path d="M2 6h3.6l5-4.2c.9-.7 2.1-.5 2.5.3.3.7 0 1.3-.6 1.9L11.2 5.3h11.3a1.75 1.75 0 0 1 0 3.5H15'
    'a1.6 1.6 0 0 1 .1 3 1.6 1.6 0 0 1-1 2.8c0 1-.7 1.6-1.7 1.6H7.4L5.6 15H2z"/></svg>'
)

TABLEAU_CSS = NAMES_CSS + sheet("tableau")


def tableau_html(
    tableau: Tableau, order: Sequence[int], input: int | None = None, strata: Sequence[int] | None = None
) -> str:
    """Return the tableau of one input, or of all inputs one below another, as HTML.

    Parameters
    ----------
    tableau
        What to draw.
    order
        All constraint indices, highest ranked first, shape (constraints,).
    input
        Index of the input; None draws every input.
    strata
        Sizes of the strata, highest first, adding up to the number of constraints. Inside a stratum
        rules are dashed and nothing is shaded, for its order is open; candidates are still compared
        in the order given. None: every constraint is a stratum of its own.

    Returns
    -------
    str
        To be shown with :data:`TABLEAU_CSS`. It scrolls inside its card where it is too wide.
    """
    chosen = range(len(tableau.inputs)) if input is None else (input,)
    ends = _stratum_ends(strata or [1] * len(order))
    tables = "".join(_table(tableau, k, order, ends) for k in chosen)
    return f'<div class="ot-scroll" role="region" aria-label="Tableau" tabindex="0">{tables}</div>'


def tableau_text(tableau: Tableau, order: Sequence[int], input: int) -> str:
    """Return one sentence that says what the picture of one input shows."""
    rows = tableau.rows(input)
    winners = evaluate(tableau.violations[rows], order).winners
    names = " and ".join(tableau.candidates[rows.start + w] for w in winners)
    verb = "wins" if len(winners) == 1 else "tie"
    ranking = ", ".join(constraint_text(tableau.constraints[i]) for i in order)
    return f"Tableau for {tableau.inputs[input]}: under the order {ranking}, {names} {verb}."


def order_html(constraints: Sequence[str], order: Sequence[int]) -> str:
    """Return a ranking as HTML: the names in small capitals with ``≫`` between them."""
    return ' <span class="ot-gg">≫</span> '.join(constraint_html(constraints[i]) for i in order)


def order_sentence_html(constraints: Sequence[str], order: Sequence[int], probability: float) -> str:
    """Return "This order, AL ≫ *C-ONS ≫ I_BR, has probability 0.33." as HTML.

    `probability` is :func:`otlab.ot.orders.order_probability`'s. An order of more constraints than
    are read at a glance is not spelled out: the head of the tableau does that.
    """
    many = f" of {len(order)} constraints"
    ranking = many if len(order) > _SPELLED else f", {order_html(constraints, order)},"
    return f'<p class="ot-note">This order{ranking} has probability {probability_text(probability)}.</p>'


def drawn_tableau_html(
    tableau: Tableau, order: Sequence[int], probability: float, input: int | None = None
) -> str:
    """Return a tableau and the sentence on its order; in a card of fixed height only the tableau scrolls."""
    sentence = order_sentence_html(tableau.constraints, order, probability)
    return f'<div class="ot-stack">{tableau_html(tableau, order, input)}{sentence}</div>'


def _stratum_ends(strata: Sequence[int]) -> tuple[int, ...]:
    """Return for each position in the order the position after the last one of its stratum."""
    ends = accumulate(strata)
    return tuple(end for end, size in zip(ends, strata, strict=True) for _ in range(size))


def _table(tableau: Tableau, k: int, order: Sequence[int], ends: tuple[int, ...]) -> Markup:
    rows = tableau.rows(k)
    violations = tableau.violations[rows][:, list(order)]
    result = evaluate(violations, range(len(order)))
    body = [_row(name, violations[c], result, c, ends) for c, name in enumerate(tableau.candidates[rows])]
    heads = [
        th(constraint_html(tableau.constraints[i]), _dashed(p, ends), title=tableau.full_names[i])
        for p, i in enumerate(order)
    ]
    heads.insert(0, th(input_html(tableau.inputs[k]), "ot-row"))
    tie = _tie_html(result) if len(result.winners) > 1 else ""
    return table(heads, body, label=tableau_text(tableau, order, k), kind="ot-tableau") + tie


def _row(name: str, violations: np.ndarray, result: Evaluation, c: int, ends: tuple[int, ...]) -> Markup:
    fatal = int(result.fatal[c])
    wins = fatal < 0
    dead_from = len(ends) if wins else ends[fatal]
    point = _HAND + element("span", "winner: ", class_="ot-hidden") if wins else ""
    cells = [th(element("span", point, class_="ot-point") + form_html(name), "ot-row", scope="row")]
    for p, count in enumerate(violations):
        allowed = int(result.allowed[c]) if p == fatal else None
        shaded = "ot-shaded " if p >= dead_from else ""
        cells.append(td(_marks(int(count), allowed), (shaded + _dashed(p, ends)).strip()))
    return tr(cells, "ot-win" if wins else "")


def _marks(count: int, allowed: int | None) -> str:
    """Return the asterisks; with `allowed`, ``!`` follows the first that is one too many.

    Many violations, and OTSoft's negative ones, are printed as a number.
    """
    if not 0 <= count <= _STARS or (allowed is not None and allowed < 0):
        return f"{value_text(count, 0)}{'' if allowed is None else '!'}"
    if allowed is None:
        return "∗" * count
    return "∗" * (allowed + 1) + "!" + "∗" * (count - allowed - 1)


def _tie_html(result: Evaluation) -> Markup:
    n = len(result.winners)
    words = f"{n} candidates tie: their violations are identical, each wins 1 time in {n}."
    return element("p", words, class_="ot-note")


def _dashed(p: int, ends: tuple[int, ...]) -> str:
    """Return the class of a column whose right neighbour is in the same stratum."""
    return "ot-dashed" if p + 1 < ends[p] else ""
