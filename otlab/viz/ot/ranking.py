"""Rankings as HTML: strata, contradictions, ERCs, harmonically bounded candidates, languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.html import Markup, element, joined, table, td, th, tr
from otlab.ot.analysis.rank import erc_text, tied_inputs
from otlab.ot.overt import observed_candidates
from otlab.viz.base.css import sheet
from otlab.viz.base.names import NAMES_CSS, constraint_html, form_html, input_html
from otlab.viz.base.numbers import interval_text, percent_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.analysis.ranked_above import RankedAbove
    from otlab.ot.analysis.typology import Typology
    from otlab.ot.conditions import ERC
    from otlab.ot.tableau import Tableau

__all__ = [
    "RANKING_CSS",
    "bounded_html",
    "needs_html",
    "ranked_above_html",
    "shares_html",
    "strata_html",
    "t_orders_html",
]

RANKING_CSS = NAMES_CSS + sheet("ranking")

_MOST = 200  # rows of a list
_MOST_TIED = 3  # inputs named in a note
_TOLD = {"class_": "culprit", "role": "status"}


def strata_html(ranking: Ranking) -> Markup:
    """Return the strata, highest first, or the reason why there is no ranking."""
    if not ranking.consistent:
        head, *lines = ranking.words.splitlines()
        told = [_comparison_html(ranking, erc) for erc in ranking.culprit]
        if not lines:
            return element("div", element("p", "No ranking does this: " + told[0] + "."), **_TOLD)
        shown = element("ul", joined(element("li", comparison) for comparison in told))
        return element("div", element("p", head) + shown, **_TOLD)
    rows = [
        tr([td(n, "small"), td(_names(stratum))], aria_label=f"Stratum {n}")
        for n, stratum in enumerate(ranking.strata, 1)
    ]
    return table([], rows, label="Strata, the highest first", kind="strata")


def _comparison_html(ranking: Ranking, erc: ERC) -> Markup:
    """Return a comparison in words; forms are set apart, whichever way they are read."""
    words = ranking.comparison(
        erc, lambda form: str(form_html(form)), lambda name: str(constraint_html(name))
    )
    return Markup(words.replace(" >> ", " ≫ "))


def ranked_above_html(above: RankedAbove) -> Markup:
    """Return a table of how often the row's constraint is above the column's, in per cent, with intervals."""
    names = above.constraints
    rows = []
    for a, name in enumerate(names):
        cells = [th(constraint_html(name), scope="row")]
        for b, other in enumerate(names):
            if a == b:
                cells.append(td("", "same"))
                continue
            p, interval = above.mean[a, b], interval_text(above.low[a, b], above.high[a, b])
            tooltip = f"{name} above {other}: {percent_text(p)}, 95 % interval {interval}"
            shown = Markup("{}<small>{}</small>").format(f"{100 * p:.0f}", interval)
            cells.append(td(shown, title=tooltip, style=f"--p: {100 * p:.0f}%"))
        rows.append(tr(cells))
    heads = [
        th("row above column"),
        *(th(element("span", constraint_html(name)), title=name) for name in names),
    ]
    return table(heads, rows, label="How often the row's constraint is above the column's", kind="ot-above")


def needs_html(ranking: Ranking) -> Markup:
    """Return the rankings that the winners require, and the constraints that could be left out."""
    tied = _tied_html(tied_inputs(ranking.tableau))
    if not ranking.consistent:
        return element("p", "No ranking lets every winner win.", class_="small") + tied
    names = [str(constraint_html(name)) for name in ranking.tableau.constraints]  # with ">" escaped
    needed = [Markup(erc_text(erc, names).replace(">>", "≫")) for erc in ranking.bases.skeletal]
    lines = [element("li", text) for text in needed]
    out = element("ul", joined(lines), class_="needs") if lines else element("p", "Any ranking will do.")
    if not ranking.winners:
        out += element("p", "No candidate has a frequency, so there are no winners.", class_="small")
    out += tied
    if ranking.unnecessary:
        together = "" if ranking.removable_together else ", each alone but not all together"
        out += element(
            "p",
            Markup("Could be left out{}: {}").format(together, _names(ranking.unnecessary)),
            class_="small",
        )
    return out


def _tied_html(inputs: Sequence[str]) -> Markup:
    """Return the remark on inputs without one most frequent candidate; "" without any."""
    if not inputs:
        return Markup()
    named = joined((input_html(name) for name in inputs[:_MOST_TIED]), ", ")
    more = f" and {len(inputs) - _MOST_TIED} more" if len(inputs) > _MOST_TIED else ""
    remark = "Equally frequent candidates of {}{}: the first one is taken as the winner."
    return element("p", Markup(remark).format(named, more), class_="small")


def shares_html(tableau: Tableau, shares: NDArray[np.float64] | None) -> Markup:
    """Return a table of each candidate's share of the rankings and its observed share."""
    if shares is None:
        return element("p", "There are too many constraints to count the rankings.", class_="small")
    observed = observed_candidates(tableau)
    rows = [
        tr(
            [
                td(input_html(tableau.inputs[k]) if row == tableau.offsets[k] else ""),
                td(form_html(tableau.candidates[row])),
                td("" if np.isnan(observed[row]) else percent_text(observed[row], 0), "num"),
                td(percent_text(shares[row], 0), "num"),
            ]
        )
        for row, k in enumerate(tableau.input_of_row.tolist()[:_MOST])
    ]
    heads = ["Input", "Candidate", "Observed", "Share"]
    return table(heads, rows, label="Shares of the rankings")


def bounded_html(ranking: Ranking) -> Markup:
    """Return a table of the candidates that win under no ranking, and the candidates that bound them."""
    tableau = ranking.tableau
    rows = [
        tr(
            [
                td(input_html(tableau.inputs[relation.input])),
                td(form_html(tableau.candidates[row])),
                td(joined((form_html(tableau.candidates[by]) for by in relation.bounded.by), ", ")),
                td("together" if relation.bounded.kind == "collective" else "", "small"),
            ]
        )
        for relation in ranking.bounded
        if relation.bounded
        for row in relation.members
    ]
    if not rows:
        return element("p", "Every candidate wins under some ranking.", class_="small")
    return table(["Input", "Candidate", "Bounded by", ""], rows[:_MOST], label="Candidates that never win")


def t_orders_html(typology: Typology) -> Markup:
    """Return a table of the winners that imply other winners in all languages."""
    tableau = typology.tableau
    rows = [
        tr([td(_mapping(typology, a)), td("implies", "small"), td(_mapping(typology, b))])
        for a, b in typology.t_orders[:_MOST]
    ]
    if not rows:
        only = len(tableau.inputs) == 1
        sentence = "There is one input." if only else "No winner of one input implies the winner of another."
        return element("p", sentence, class_="small")
    more = len(typology.t_orders) - len(rows)
    note = element("p", f"and {more:,} more", class_="small") if more else ""
    return table([], rows, label="Implications") + note


def _mapping(typology: Typology, row: int) -> Markup:
    tableau = typology.tableau
    form = input_html(tableau.inputs[int(tableau.input_of_row[row])])
    return Markup("{} → {}").format(form, form_html(tableau.candidates[row]))


def _names(names: Iterable[str] | Sequence[str]) -> Markup:
    return joined((constraint_html(name) for name in names), ", ")
