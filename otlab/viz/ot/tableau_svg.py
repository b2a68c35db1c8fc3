"""Tableaux as one SVG, for figures and for PNG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from otlab.viz.base.names import constraint_svg
from otlab.viz.base.png import FORM_FONT, PLAIN_FONT
from otlab.viz.base.tokens import LIGHT
from otlab.viz.ot.printed import printed, ranked_strata

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.printed import Printed, Strata

__all__ = ["tableau_svg"]

_LETTER, _SMALL, _STAR = 8.6, 7.6, 9.0  # widths of a letter of a form, of a constraint, and of a mark
_ROW, _PAD, _MARGIN, _GAP, _POINT = 28, 12, 10, 18, 26
_NARROWEST = 44


def tableau_svg(tableau: Tableau, strata: Strata | None = None, about: str = "") -> str:
    """Return all tableaux, one below another, as SVG.

    Parameters
    ----------
    tableau
        What to print.
    strata
        The order of the constraints; that of recursive constraint demotion if None.
    about
        What the tableaux are and how they were made, kept in the picture's description.
    """
    strata = strata or ranked_strata(tableau)
    parts, top, width = [], float(_MARGIN), 0.0
    for k in range(len(tableau.inputs)):
        block = printed(tableau, k, strata.order, strata.sizes)
        drawn, right = _block(block, top)
        parts.append(drawn)
        width = max(width, right)
        top += _ROW * (len(block.rows) + 1) + _GAP
    height = top - _GAP + _MARGIN
    width += _MARGIN
    title = escape(tableau.title or tableau.name or "Tableaux")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img"><title>{title}</title><desc>{escape(about)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _block(block: Printed, top: float) -> tuple[str, float]:
    """Return the drawing of one input's tableau, and its right edge."""
    slashed = block.input if block.input.startswith("/") else f"/{block.input}/"
    longest = max(len(slashed), *(len(row.candidate) for row in block.rows))
    edges = [float(_MARGIN), _MARGIN + _POINT + longest * _LETTER + 2 * _PAD]
    for p, name in enumerate(block.constraints):
        marks = max(len(row.marks[p].text) for row in block.rows)
        edges.append(edges[-1] + max(_NARROWEST, len(name) * _SMALL + 2 * _PAD, marks * _STAR + 2 * _PAD))
    bottom = top + _ROW * (len(block.rows) + 1)
    out = _shades(block, edges, top)
    out += [_line(edges[0], top + _ROW * n, edges[-1], top + _ROW * n) for n in range(len(block.rows) + 2)]
    out += [_line(edges[0], top, edges[0], bottom), _line(edges[1] - 3, top, edges[1] - 3, bottom)]
    out.append(_line(edges[1], top, edges[1], bottom))
    out += [
        _line(edge, top, edge, bottom, dashed=dashed)
        for edge, dashed in zip(edges[2:], block.dashed, strict=True)
    ]
    return "".join([*out, *_texts(block, slashed, edges, top)]), edges[-1]


def _shades(block: Printed, edges: list[float], top: float) -> list[str]:
    return [
        f'<rect x="{edges[p + 1]:.1f}" y="{top + _ROW * n:.1f}" width="{edges[p + 2] - edges[p + 1]:.1f}" '
        f'height="{_ROW}" fill="{LIGHT["shade"]}"/>'
        for n, row in enumerate(block.rows, 1)
        for p, mark in enumerate(row.marks)
        if mark.shaded
    ]


def _texts(block: Printed, slashed: str, edges: list[float], top: float) -> list[str]:
    base = top + _ROW * 0.67
    left = edges[0] + _PAD
    out = [_text(escape(slashed), left, base, FORM_FONT, "start")]
    for p, name in enumerate(block.constraints):
        out.append(_text(constraint_svg(name), (edges[p + 1] + edges[p + 2]) / 2, base, PLAIN_FONT, size=13))
    for n, row in enumerate(block.rows, 1):
        y = base + _ROW * n
        if row.wins:
            out.append(_text("☞", left - 4, y, "DejaVu Sans, 'Segoe UI Symbol', sans-serif", "start"))
        bold = ' font-weight="bold"' if row.wins else ""
        out.append(_text(escape(row.candidate), left + _POINT - 8, y, FORM_FONT, "start", more=bold))
        for p, mark in enumerate(row.marks):
            if mark.text:
                out.append(_text(escape(mark.text), (edges[p + 1] + edges[p + 2]) / 2, y, FORM_FONT))
    return out


def _line(x: float, y: float, u: float, v: float, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="{LIGHT["ink2"]}" stroke-width="1"{dash}/>'


def _text(
    words: object, x: float, y: float, font: str, anchor: str = "middle", size: int = 15, more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="{font}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{LIGHT["ink"]}"{more}>{words}</text>'
    )
