r"""Text in LaTeX.

>>> print(escape("50 % of *C_ONS"))
50 \% of *C\_ONS
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["FOREST_STYLE", "QTREE_STYLE", "escape", "preamble"]

FOREST_STYLE = "for tree={align=center, parent anchor=south, child anchor=north}"
QTREE_STYLE = r"\begin{tikzpicture}[every tree node/.style={align=center, anchor=north}]"
"""Of trees whose labels may have several lines, for the packages ``forest`` and ``tikz-qtree``."""
_LAST_LATIN = 0x17F  # of the letters that pdfLaTeX knows

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "_": r"\_", "<": r"$<$", ">": r"$>$",
    "|": r"$|$", "′": r"$'$", "∅": r"$\varnothing$", "→": r"$\rightarrow$", "−": "$-$", "∗": "*",
    "⁰": r"$^0$", "≈": r"$\approx$",
}  # fmt: skip


def escape(text: str) -> str:
    """Return a text with every character that LaTeX would read as a command written so that it is printed."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def preamble(package: str, texts: Iterable[str], *further: str) -> str:
    """Return comments that name what a document needs for a tree.

    Parameters
    ----------
    package
        In brackets, with its options.
    texts
        The labels; are there letters that pdfLaTeX does not know?
    further
        Comments on further packages.
    """
    lines = [rf"% In the preamble: \usepackage{package}", *further]
    if any(ord(character) > _LAST_LATIN for text in texts for character in escape(text)):
        lines.append("% Compile with XeLaTeX or LuaLaTeX, in a font that has its letters.")
    return "".join(f"{line}\n" for line in lines)
