"""Tableaux as HTML for word processors: every border and shade stands in the cell itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.viz.base.html import Markup, element, escape, joined
from otlab.viz.base.names import name_parts
from otlab.viz.ot.printed import printed, ranked_strata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.printed import Printed, Strata

__all__ = ["tableau_word_html"]

_FONT = "font-family:'Charis SIL','Times New Roman',serif;font-size:11pt"
_TABLE = f"border-collapse:collapse;margin:0 0 12pt 0;{_FONT}"
_LINE = "1px solid #555555"
_HAND = "☞"


def tableau_word_html(tableau: Tableau, strata: Strata | None = None, about: str = "") -> str:
    """Return a page with all tableaux, which word processors open and take from the clipboard.

    Parameters
    ----------
    tableau
        What to print.
    strata
        The order of the constraints; that of recursive constraint demotion if None.
    about
        What the tableaux are and how they were made, printed below them; lines of text.
    """
    strata = strata or ranked_strata(tableau)
    tables = [_table(printed(tableau, k, strata.order, strata.sizes)) for k in range(len(tableau.inputs))]
    title = escape(tableau.title or tableau.name or "Tableaux")
    notes = [element("p", line, style="font-size:9pt;color:#555555") for line in about.splitlines()]
    body = joined([*tables, *notes])
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{body}</body></html>\n"
    )


def _table(block: Printed) -> Markup:
    slashed = block.input if block.input.startswith("/") else f"/{block.input}/"
    heads = [_cell(slashed, "text-align:left;border-right:3px double #555555", "th")]
    heads += [
        _cell(_constraint(name), f"font-variant:small-caps;{_rule(dashed)}", "th")
        for name, dashed in zip(block.constraints, block.dashed, strict=True)
    ]
    rows = [element("tr", joined(heads))]
    for row in block.rows:
        point = f"{_HAND} " if row.wins else "\N{EM SPACE} "
        weight = "bold" if row.wins else "normal"
        name = _cell(point + row.candidate, f"border-right:3px double #555555;font-weight:{weight}")
        cells = [
            _cell(mark.text, f"text-align:center;{_rule(dashed)}", shaded=mark.shaded)
            for mark, dashed in zip(row.marks, block.dashed, strict=True)
        ]
        rows.append(element("tr", joined([name, *cells])))
    return element("table", joined(rows), style=_TABLE)


def _cell(content: object, style: str, tag: str = "td", *, shaded: bool = False) -> Markup:
    shade = "background:#DDDDDD;" if shaded else ""
    weight = "font-weight:normal;" if tag == "th" else ""
    return element(tag, content, style=f"border:{_LINE};padding:2pt 6pt;{weight}{shade}{style}")


def _rule(dashed: bool) -> str:
    return f"border-right-style:{'dashed' if dashed else 'solid'}"


def _constraint(name: str) -> Markup:
    stem, below = name_parts(name)
    parts: Iterable[object] = [stem, element("sub", below)] if below else [stem]
    return joined(parts)
