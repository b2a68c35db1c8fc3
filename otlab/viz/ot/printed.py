r"""Tableaux as they are printed in papers, as LaTeX, SVG, and HTML for word processors.

Constraints are in the order of a ranking, the highest at the left. A hand points at the winner, ``!``
follows the violation at which a candidate loses, and the cells to its right are shaded because they are
irrelevant (A. Prince and P. Smolensky 1993, *Optimality Theory*, chapter 2). The rule between
constraints of the same stratum is dashed.

Beside them may stand the observed and the predicted share of each candidate, in per cent.

LaTeX is written for the package ``ot-tableau`` (A. Baker), or as a plain ``tabular``. In HTML for word
processors, each cell has its own borders and shading.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from otlab.html import Markup, element, escape, joined
from otlab.latex import escape as tex
from otlab.ot.analysis.rank import rank
from otlab.ot.formatting import slashed, unslashed
from otlab.ot.orders import evaluate
from otlab.ot.overt import observed_candidates
from otlab.viz.base.names import constraint_svg, name_parts
from otlab.viz.base.numbers import value_text
from otlab.viz.base.png import FORM_FONT, PLAIN_FONT
from otlab.viz.base.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.tableau import Tableau

__all__ = [
    "LatexStyle",
    "Mark",
    "Printed",
    "PrintedRow",
    "Strata",
    "printed",
    "printed_inputs",
    "ranked_strata",
    "tableau_latex",
    "tableau_svg",
    "tableau_word_html",
]

_STARS = 6


class Mark(NamedTuple):
    """A cell: its asterisks, or a number if there are too many, and whether it is shaded."""

    text: str
    shaded: bool


class PrintedRow(NamedTuple):
    """A candidate: its name, whether it wins, a mark for each constraint, and its shares, if any."""

    candidate: str
    wins: bool
    marks: tuple[Mark, ...]
    shares: tuple[str, ...] = ()


class Printed(NamedTuple):
    """The tableau of one input under one order of the constraints.

    Attributes
    ----------
    input
        The input.
    constraints, full_names
        Names of the constraints, in this order.
    dashed
        Whether the rule at the right of each constraint is dashed.
    rows
        The candidates.
    share_heads
        Heads of the columns of :attr:`PrintedRow.shares`.
    """

    input: str
    constraints: tuple[str, ...]
    full_names: tuple[str, ...]
    dashed: tuple[bool, ...]
    rows: tuple[PrintedRow, ...]
    share_heads: tuple[str, ...] = ()

    @property
    def slashed(self) -> str:
        """The input between slashes."""
        return slashed(self.input)

    @property
    def ties(self) -> int:
        """Number of winners with identical violations; 0 if there is a single winner."""
        winners = sum(row.wins for row in self.rows)
        return winners if winners > 1 else 0


class Strata(NamedTuple):
    """Indices of the constraints in an order, and sizes of its strata, both from the highest."""

    order: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Strata:
        """Return the strata of a ranking or, if it is not consistent, the order of the file."""
        if not ranking.consistent:
            return cls.of_order(range(ranking.tableau.n_constraints))
        return cls.of_numbers(ranking.demotion.strata)

    @classmethod
    def of_numbers(cls, strata: Sequence[Sequence[int]]) -> Strata:
        """Return strata that are given by the indices of their constraints."""
        return cls(tuple(c for stratum in strata for c in stratum), tuple(map(len, strata)))

    @classmethod
    def of_order(cls, order: Sequence[int]) -> Strata:
        """Return a total order."""
        return cls(tuple(order), (1,) * len(order))


def ranked_strata(tableau: Tableau) -> Strata:
    """Return the strata of a tableau by recursive constraint demotion."""
    return Strata.of_ranking(rank(tableau))


def printed(tableau: Tableau, k: int, order: Sequence[int], strata: Sequence[int] | None = None) -> Printed:
    """Return the tableau of one input as it is printed.

    Parameters
    ----------
    tableau, k
        The tableau, and the number of the input.
    order
        Indices of all constraints, highest ranked first, shape (constraints,).
    strata
        Sizes of the strata, highest first, which sum to the number of constraints. Inside a stratum the
        order is open, so rules are dashed and no cells are shaded; candidates are still compared in
        the given order. If None, each constraint is a separate stratum.
    """
    sizes = strata or [1] * len(order)
    ends = [end for end, size in zip(accumulate(sizes), sizes, strict=True) for _ in range(size)]
    rows = tableau.rows(k)
    violations = tableau.violations[rows][:, list(order)]
    result = evaluate(violations, range(len(order)))
    lines = [
        _row(name, violations[c], int(result.fatal[c]), int(result.allowed[c]), ends)
        for c, name in enumerate(tableau.candidates[rows])
    ]
    return Printed(
        tableau.inputs[k],
        tuple(tableau.constraints[i] for i in order),
        tuple(tableau.full_names[i] for i in order),
        tuple(p + 1 < end for p, end in enumerate(ends)),
        tuple(lines),
    )


def printed_inputs(
    tableau: Tableau, strata: Strata | None = None, predicted: np.ndarray | None = None
) -> list[Printed]:
    """Return the printed tableau of every input.

    Parameters
    ----------
    tableau
        The tableau.
    strata
        Order of the constraints; if None, by recursive constraint demotion.
    predicted
        Probability of each candidate, shape (rows,), to stand beside the observed shares; none if None.
    """
    strata = strata or ranked_strata(tableau)
    blocks = [printed(tableau, k, strata.order, strata.sizes) for k in range(len(tableau.inputs))]
    if predicted is None:
        return blocks
    both = np.column_stack([observed_candidates(tableau), predicted]).tolist()
    texts = [tuple("" if np.isnan(p) else value_text(100 * p, 1) for p in pair) for pair in both]
    return [_with_shares(block, texts[tableau.rows(k)]) for k, block in enumerate(blocks)]


def _with_shares(block: Printed, texts: Sequence[tuple[str, ...]]) -> Printed:
    rows = (row._replace(shares=shares) for row, shares in zip(block.rows, texts, strict=True))
    return block._replace(rows=tuple(rows), share_heads=("observed, %", "predicted, %"))


def _row(name: str, violations: np.ndarray, fatal: int, allowed: int, ends: Sequence[int]) -> PrintedRow:
    wins = fatal < 0
    dead_from = len(ends) if wins else ends[fatal]
    marks = tuple(
        Mark(_marks(int(count), allowed if p == fatal else None), p >= dead_from)
        for p, count in enumerate(violations)
    )
    return PrintedRow(name, wins, marks)


def _marks(count: int, allowed: int | None) -> str:
    """Return the asterisks; ``!`` follows the first one beyond `allowed`, unless this is None.

    Large numbers of violations, and OTSoft's negative ones, are printed as numbers.
    """
    if not 0 <= count <= _STARS or (allowed is not None and allowed < 0):
        return f"{value_text(count, 0)}{'' if allowed is None else '!'}"
    if allowed is None:
        return "∗" * count
    return "∗" * (allowed + 1) + "!" + "∗" * (count - allowed - 1)


LatexStyle = Literal["ot-tableau", "tabular"]
_PREAMBLES = {
    "ot-tableau": [r"\usepackage[shadedcells,notipa]{ot-tableau}"],
    "tabular": [
        r"\usepackage[table]{xcolor}",
        r"\usepackage{amssymb,pifont}",
        r"\usepackage{arydshln} % after xcolor",
    ],
}
_TEX_HAND = r"\ding{43}"
_TEX_SHADE = r"\cellcolor[gray]{.87}"


def tableau_latex(
    tableau: Tableau,
    strata: Strata | None = None,
    style: LatexStyle = "ot-tableau",
    about: str = "",
    predicted: np.ndarray | None = None,
) -> str:
    r"""Return all tableaux as LaTeX, with an environment for each input.

    Forms are in Unicode, for XeLaTeX or LuaLaTeX with a font that has IPA, such as Charis SIL.

    Parameters
    ----------
    tableau
        The tableau.
    strata
        Order of the constraints; if None, by recursive constraint demotion.
    style
        ``"ot-tableau"``, or ``"tabular"``, which needs only ``xcolor`` and ``arydshln``.
    about
        Lines of text about the tableaux and their source, for a comment.
    predicted
        As for :func:`printed_inputs`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(tableau_latex(read("dutch_final_devoicing")), end="")
    % In the preamble: \usepackage[shadedcells,notipa]{ot-tableau}
    \begin{tableau}{c|c|c}
    \inp{\ips{bed}} \const{*VoicedCoda} \const{Ident-IO(voice)} \const{*VoicedObstruent}
    \cand{bed} \vio{*!} \vio{} \vio{**}
    \cand[\Optimal]{bet} \vio{} \vio{*} \vio{*}
    \cand{pet} \vio{} \vio{**!} \vio{}
    \cand{ped} \vio{*!} \vio{*} \vio{*}
    \end{tableau}
    """
    lines = [f"% {line}" for line in about.splitlines()]
    lines += [f"% In the preamble: {line}" for line in _PREAMBLES[style]]
    draw = _ot_tableau if style == "ot-tableau" else _tabular
    blocks = "\n\n".join(draw(block) for block in printed_inputs(tableau, strata, predicted))
    if not blocks.isascii():
        lines.append(
            "% For its letters: lualatex or xelatex, \\usepackage{fontspec}, \\setmainfont{Charis SIL}"
        )
    return "\n".join(lines) + "\n" + blocks + "\n"


def _ot_tableau(block: Printed) -> str:
    rules = "".join("c" + (":" if dashed else "|") for dashed in block.dashed) + "c|" * len(block.share_heads)
    rules = rules[:-1]
    heads = " ".join(rf"\const{{{_small_capitals(name, plain=True)}}}" for name in block.constraints)
    heads += "".join(rf" \const*{{{tex(head)}}}" for head in block.share_heads)
    lines = [rf"\begin{{tableau}}{{{rules}}}", rf"\inp{{\ips{{{tex(unslashed(block.input))}}}}} {heads}"]
    for row in block.rows:
        hand = r"[\Optimal]" if row.wins else ""
        marks = " ".join(rf"\vio{{{tex(mark.text)}}}" for mark in row.marks)
        marks += "".join(f" & {share}" for share in row.shares)  # which \vio would shade
        lines.append(rf"\cand{hand}{{{tex(row.candidate)}}} {marks}")
    return "\n".join([*lines, r"\end{tableau}"])


def _tabular(block: Printed) -> str:
    rules = "".join("c" + (":" if dashed else "|") for dashed in block.dashed) + "|r" * len(block.share_heads)
    rules += "|" * bool(block.share_heads)
    heads = " & ".join([*map(_small_capitals, block.constraints), *map(tex, block.share_heads)])
    lines = [
        rf"\begin{{tabular}}{{|r@{{\ }}l||{rules}}}",
        r"\hline",
        rf"\multicolumn{{2}}{{|l||}}{{{tex(block.slashed)}}} & {heads} \\",
        r"\hline\hline",
    ]
    for row in block.rows:
        cells = [f"{_TEX_SHADE if mark.shaded else ''}{tex(mark.text)}" for mark in row.marks]
        name = tex(row.candidate)
        first = [_TEX_HAND if row.wins else "", rf"\textbf{{{name}}}" if row.wins else name]
        lines += [" & ".join([*first, *cells, *row.shares]) + r" \\", r"\hline"]
    return "\n".join([*lines, r"\end{tabular}"])


def _small_capitals(name: str, *, plain: bool = False) -> str:
    """Return a constraint's name in small capitals, or `plain` for ``ot-tableau``, which adds them."""
    stem, below = name_parts(name)
    text = tex(stem) if plain else rf"\textsc{{{tex(stem)}}}"
    return text + (rf"\textsubscript{{{tex(below)}}}" if below else "")


_LETTER, _SMALL, _STAR = 8.6, 7.6, 9.0  # widths of a letter of a form, of a constraint, and of a mark
_ROW, _PAD, _MARGIN, _GAP, _POINT = 28, 12, 10, 18, 26
_NARROWEST, _SHARES = 44, 104


def tableau_svg(
    tableau: Tableau, strata: Strata | None = None, about: str = "", predicted: np.ndarray | None = None
) -> str:
    """Return all tableaux, one below the other, as SVG.

    Parameters
    ----------
    tableau
        The tableau.
    strata
        Order of the constraints; if None, by recursive constraint demotion.
    about
        Text about the tableaux and their source, for the picture's description.
    predicted
        As for :func:`printed_inputs`.
    """
    parts, top, width = [], float(_MARGIN), 0.0
    for block in printed_inputs(tableau, strata, predicted):
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
    """Return the tableau of one input as SVG, and its right edge."""
    longest = max(len(block.slashed), *(len(row.candidate) for row in block.rows))
    edges = [float(_MARGIN), _MARGIN + _POINT + longest * _LETTER + 2 * _PAD]
    for p, name in enumerate(block.constraints):
        marks = max(len(row.marks[p].text) for row in block.rows)
        edges.append(edges[-1] + max(_NARROWEST, len(name) * _SMALL + 2 * _PAD, marks * _STAR + 2 * _PAD))
    edges += [edges[-1] + n * _SHARES for n in range(1, len(block.share_heads) + 1)]
    bottom = top + _ROW * (len(block.rows) + 1)
    out = _shades(block, edges, top)
    out += [_line(edges[0], top + _ROW * n, edges[-1], top + _ROW * n) for n in range(len(block.rows) + 2)]
    out += [_line(edges[0], top, edges[0], bottom), _line(edges[1] - 3, top, edges[1] - 3, bottom)]
    out.append(_line(edges[1], top, edges[1], bottom))
    out += [
        _line(edge, top, edge, bottom, dashed=dashed)
        for edge, dashed in zip(edges[2:], (*block.dashed, *(False for _ in block.share_heads)), strict=True)
    ]
    return "".join([*out, *_texts(block, edges, top)]), edges[-1]


def _shades(block: Printed, edges: list[float], top: float) -> list[str]:
    return [
        f'<rect x="{edges[p + 1]:.1f}" y="{top + _ROW * n:.1f}" width="{edges[p + 2] - edges[p + 1]:.1f}" '
        f'height="{_ROW}" fill="{LIGHT["shade"]}"/>'
        for n, row in enumerate(block.rows, 1)
        for p, mark in enumerate(row.marks)
        if mark.shaded
    ]


def _texts(block: Printed, edges: list[float], top: float) -> list[str]:
    base = top + _ROW * 0.67
    left = edges[0] + _PAD
    out = [_text(escape(block.slashed), left, base, FORM_FONT, "start")]
    for p, name in enumerate(block.constraints):
        out.append(_text(constraint_svg(name), (edges[p + 1] + edges[p + 2]) / 2, base, PLAIN_FONT, size=13))
    for p, head in enumerate(block.share_heads, len(block.constraints) + 2):
        out.append(_text(escape(head), edges[p] - _PAD, base, PLAIN_FONT, "end", 12))
    for n, row in enumerate(block.rows, 1):
        y = base + _ROW * n
        for p, share in enumerate(row.shares, len(block.constraints) + 2):
            out.append(_text(escape(share), edges[p] - _PAD, y, PLAIN_FONT, "end", 13))
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


_WORD_FONT = "font-family:'Charis SIL','Times New Roman',serif;font-size:11pt"
_WORD_TABLE = f"border-collapse:collapse;margin:0 0 12pt 0;{_WORD_FONT}"
_WORD_LINE = "1px solid #555555"
_HAND = "☞"


def tableau_word_html(
    tableau: Tableau, strata: Strata | None = None, about: str = "", predicted: np.ndarray | None = None
) -> str:
    """Return an HTML page with all tableaux, which word processors can open or paste.

    Parameters
    ----------
    tableau
        The tableau.
    strata
        Order of the constraints; if None, by recursive constraint demotion.
    about
        Lines of text about the tableaux and their source, printed below them.
    predicted
        As for :func:`printed_inputs`.
    """
    tables = [_table(block) for block in printed_inputs(tableau, strata, predicted)]
    title = Markup.escape(tableau.title or tableau.name or "Tableaux")
    notes = [element("p", line, style="font-size:9pt;color:#555555") for line in about.splitlines()]
    body = joined([*tables, *notes])
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{body}</body></html>\n"
    )


def _table(block: Printed) -> Markup:
    heads = [_cell(block.slashed, "text-align:left;border-right:3px double #555555", "th")]
    heads += [
        _cell(_constraint(name), f"font-variant:small-caps;{_rule(dashed)}", "th")
        for name, dashed in zip(block.constraints, block.dashed, strict=True)
    ]
    heads += [_cell(head, "text-align:right", "th") for head in block.share_heads]
    rows = [element("tr", joined(heads))]
    for row in block.rows:
        point = f"{_HAND} " if row.wins else "\N{EM SPACE} "
        weight = "bold" if row.wins else "normal"
        name = _cell(point + row.candidate, f"border-right:3px double #555555;font-weight:{weight}")
        cells = [
            _cell(mark.text, f"text-align:center;{_rule(dashed)}", shaded=mark.shaded)
            for mark, dashed in zip(row.marks, block.dashed, strict=True)
        ]
        shares = [_cell(share, "text-align:right") for share in row.shares]
        rows.append(element("tr", joined([name, *cells, *shares])))
    return element("table", joined(rows), style=_WORD_TABLE)


def _cell(content: object, style: str, tag: str = "td", *, shaded: bool = False) -> Markup:
    shade = "background:#DDDDDD;" if shaded else ""
    weight = "font-weight:normal;" if tag == "th" else ""
    return element(tag, content, style=f"border:{_WORD_LINE};padding:2pt 6pt;{weight}{shade}{style}")


def _rule(dashed: bool) -> str:
    return f"border-right-style:{'dashed' if dashed else 'solid'}"


def _constraint(name: str) -> Markup:
    stem, below = name_parts(name)
    parts: Iterable[object] = [stem, element("sub", below)] if below else [stem]
    return joined(parts)
