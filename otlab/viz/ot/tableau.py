"""The violation tableau as linguists print it (:mod:`otlab.viz.ot.printed`), as HTML.

A double rule follows the candidates. All colours are CSS variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import counted
from otlab.html import Markup, element, table, td, th, tr
from otlab.ot.formatting import slashed
from otlab.ot.orders import evaluate
from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, constraint_html, constraint_text, form_html, input_html
from otlab.viz.base.numbers import probability_text
from otlab.viz.ot.printed import printed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.printed import Printed, PrintedRow

__all__ = [
    "TABLEAU_CSS",
    "drawn_tableau_html",
    "order_html",
    "order_sentence_html",
    "tableau_html",
    "tableau_text",
]

_SPELLED = 8
_LETTERS = 160  # of their names together, at most

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
    """Return the tableau of one input, or of all inputs one below the other, as HTML.

    Parameters
    ----------
    tableau
        The tableau.
    order
        Indices of all constraints, highest ranked first, shape (constraints,).
    input
        Index of the input; all inputs if None.
    strata
        Sizes of the strata, highest first; see :func:`~otlab.viz.ot.printed.printed`.

    Returns
    -------
    str
        HTML for :data:`TABLEAU_CSS`, which scrolls inside its card if it is too wide.
    """
    chosen = range(len(tableau.inputs)) if input is None else (input,)
    tables = "".join(
        _table(printed(tableau, k, order, strata), tableau_text(tableau, order, k)) for k in chosen
    )
    return f'<div class="ot-scroll" role="region" aria-label="Tableau" tabindex="0">{tables}</div>'


def tableau_text(tableau: Tableau, order: Sequence[int], input: int) -> str:
    """Return a description of the tableau of one input."""
    rows = tableau.rows(input)
    winners = evaluate(tableau.violations[rows], order).winners
    names = " and ".join(tableau.candidates[rows.start + w] for w in winners)
    verb = "wins" if len(winners) == 1 else "tie"
    ranking = ", ".join(constraint_text(tableau.constraints[i]) for i in order)
    return f"Tableau for {slashed(tableau.inputs[input])}: under the order {ranking}, {names} {verb}."


def order_html(constraints: Sequence[str], order: Sequence[int]) -> str:
    """Return a ranking as HTML: the names in small capitals with ``≫`` between them."""
    return ' <span class="ot-gg">≫</span> '.join(constraint_html(constraints[i]) for i in order)


def order_sentence_html(constraints: Sequence[str], order: Sequence[int], probability: float) -> str:
    """Return "This order, AL ≫ *C-ONS ≫ I_BR, has probability 0.33." as HTML.

    `probability` is from :func:`otlab.ot.orders.order_probability`. A long order is not written out,
    because the head of the tableau already shows it.
    """
    many = f" of {counted(len(order), 'constraint')}"
    long = len(order) > _SPELLED or sum(map(len, constraints)) > _LETTERS
    ranking = many if long else f", {order_html(constraints, order)},"
    return f'<p class="ot-note">This order{ranking} has probability {probability_text(probability)}.</p>'


def drawn_tableau_html(
    tableau: Tableau, order: Sequence[int], probability: float, input: int | None = None
) -> str:
    """Return a tableau and a sentence about its order; in a card of fixed height only the tableau scrolls."""
    sentence = order_sentence_html(tableau.constraints, order, probability)
    return f'<div class="ot-stack">{tableau_html(tableau, order, input)}{sentence}</div>'


def _table(block: Printed, label: str) -> Markup:
    heads = [
        th(constraint_html(name), "ot-dashed" if dashed else "", title=full)
        for name, full, dashed in zip(block.constraints, block.full_names, block.dashed, strict=True)
    ]
    heads.insert(0, th(input_html(block.input), "ot-row"))
    body = [_row(row, block.dashed) for row in block.rows]
    tie = _tie_html(block.ties) if block.ties else ""
    inside = table(heads, body, label=label, kind="ot-tableau") + tie
    return element("div", inside, class_="ot-one", style=f"--rows:{len(body) + 1}")


def _row(row: PrintedRow, dashed: Sequence[bool]) -> Markup:
    point = _HAND + element("span", "winner: ", class_="ot-hidden") if row.wins else ""
    cells = [th(element("span", point, class_="ot-point") + form_html(row.candidate), "ot-row", scope="row")]
    for mark, rule in zip(row.marks, dashed, strict=True):
        kinds = (["ot-shaded"] if mark.shaded else []) + (["ot-dashed"] if rule else [])
        cells.append(td(mark.text, " ".join(kinds)))
    return tr(cells, "ot-win" if row.wins else "")


def _tie_html(n: int) -> Markup:
    words = f"{counted(n, 'candidate')} tie: their violations are identical, each wins 1 time in {n}."
    return element("p", words, class_="ot-note")
