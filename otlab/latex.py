r"""Text in LaTeX.

>>> print(escape("50 % of *C_ONS"))
50 \% of *C\_ONS
"""

from __future__ import annotations

__all__ = ["escape"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "_": r"\_", "<": r"$<$", ">": r"$>$",
    "|": r"$|$", "′": r"$'$", "∅": r"$\varnothing$", "→": r"$\rightarrow$", "−": "$-$", "∗": "*",
    "⁰": r"$^0$", "≈": r"$\approx$",
}  # fmt: skip


def escape(text: str) -> str:
    """Return a text with every character that LaTeX would read as a command written so that it is printed."""
    return "".join(_SPECIAL.get(character, character) for character in text)
