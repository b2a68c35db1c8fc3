r"""Tableaux in LaTeX: for the package ``ot-tableau`` (A. Baker), and as a plain ``tabular``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from otlab.latex import escape
from otlab.viz.base.names import name_parts
from otlab.viz.ot.printed import printed, ranked_strata

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau
    from otlab.viz.ot.printed import Printed, Strata

__all__ = ["LatexStyle", "tableau_latex"]

LatexStyle = Literal["ot-tableau", "tabular"]
_PREAMBLES = {
    "ot-tableau": [r"\usepackage[shadedcells,notipa]{ot-tableau}"],
    "tabular": [
        r"\usepackage[table]{xcolor}",
        r"\usepackage{amssymb,pifont}",
        r"\usepackage{arydshln} % after xcolor",
    ],
}
_HAND = r"\ding{43}"
_SHADE = r"\cellcolor[gray]{.87}"


def tableau_latex(
    tableau: Tableau,
    strata: Strata | None = None,
    style: LatexStyle = "ot-tableau",
    about: str = "",
) -> str:
    r"""Return all tableaux as LaTeX, each input's in an environment of its own.

    Forms are in Unicode: XeLaTeX or LuaLaTeX prints IPA with a font that has it, such as Charis SIL.

    Parameters
    ----------
    tableau
        What to print.
    strata
        The order of the constraints; that of recursive constraint demotion if None.
    style
        ``"ot-tableau"``, or ``"tabular"``, which needs ``xcolor`` and ``arydshln`` alone.
    about
        What the tableaux are and how they were made, for a comment; lines of text.

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
    strata = strata or ranked_strata(tableau)
    lines = [f"% {line}" for line in about.splitlines()]
    lines += [f"% In the preamble: {line}" for line in _PREAMBLES[style]]
    draw = _ot_tableau if style == "ot-tableau" else _tabular
    blocks = [draw(printed(tableau, k, strata.order, strata.sizes)) for k in range(len(tableau.inputs))]
    return "\n".join(lines) + "\n" + "\n\n".join(blocks) + "\n"


def _ot_tableau(block: Printed) -> str:
    rules = "".join("c" + (":" if dashed else "|") for dashed in block.dashed)[:-1]
    heads = " ".join(rf"\const{{{_small_capitals(name, plain=True)}}}" for name in block.constraints)
    lines = [rf"\begin{{tableau}}{{{rules}}}", rf"\inp{{\ips{{{escape(block.input)}}}}} {heads}"]
    for row in block.rows:
        hand = r"[\Optimal]" if row.wins else ""
        marks = " ".join(rf"\vio{{{escape(mark.text)}}}" for mark in row.marks)
        lines.append(rf"\cand{hand}{{{escape(row.candidate)}}} {marks}")
    return "\n".join([*lines, r"\end{tableau}"])


def _tabular(block: Printed) -> str:
    rules = "".join("c" + (":" if dashed else "|") for dashed in block.dashed)
    heads = " & ".join(_small_capitals(name) for name in block.constraints)
    slashed = block.input if block.input.startswith("/") else f"/{block.input}/"
    lines = [
        rf"\begin{{tabular}}{{|r@{{\ }}l||{rules}}}",
        r"\hline",
        rf"\multicolumn{{2}}{{|l||}}{{{escape(slashed)}}} & {heads} \\",
        r"\hline\hline",
    ]
    for row in block.rows:
        cells = [f"{_SHADE if mark.shaded else ''}{escape(mark.text)}" for mark in row.marks]
        name = escape(row.candidate)
        first = [_HAND if row.wins else "", rf"\textbf{{{name}}}" if row.wins else name]
        lines += [" & ".join([*first, *cells]) + r" \\", r"\hline"]
    return "\n".join([*lines, r"\end{tabular}"])


def _small_capitals(name: str, *, plain: bool = False) -> str:
    """Return a constraint's name; ``ot-tableau`` sets small capitals by itself (`plain`)."""
    stem, below = name_parts(name)
    text = escape(stem) if plain else rf"\textsc{{{escape(stem)}}}"
    return text + (rf"\textsubscript{{{escape(below)}}}" if below else "")
