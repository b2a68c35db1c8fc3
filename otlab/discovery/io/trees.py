r"""Write sampled trees for LaTeX, and as labelled brackets.

>>> from otlab.discovery.parsing.trees import Node
>>> word = Node("Word", 0, 1, "looked up", (Node("Phon", 0, 1, "rule", (Node("a", 0, 1, "phone"),)),))
>>> print(to_qtree([(word, 5)], {(0, 1): "a"}, {("Word", "a"): 20.3}), end="")
% In the preamble: \usepackage{tikz-qtree}
<BLANKLINE>
% drawn 5 of 5 times
\begin{tikzpicture}[every tree node/.style={align=center, anchor=north}]
\Tree [.\node[draw]{Word\\\scriptsize $\times$ 20}; {a} ]
\end{tikzpicture}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import counted
from otlab.latex import FOREST_STYLE, QTREE_STYLE, escape, preamble

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from otlab.discovery.parsing.trees import Node

    _Counted = Sequence[tuple[Node, int]]
    _Uses = Mapping[tuple[str, str], float]
    _Spelling = Mapping[tuple[int, int], str]

__all__ = ["to_brackets", "to_forest", "to_qtree"]

_BOXES = {"looked up": "draw", "built": "draw, dashed"}


def to_brackets(trees: _Counted) -> str:
    """Return trees as labelled brackets, one a line, without the counts; see :func:`to_qtree`."""
    return "".join(f"{tree.brackets()}\n" for tree, _ in trees)


def to_forest(trees: _Counted, spelling: _Spelling, uses: _Uses) -> str:
    """Return trees for the package ``forest``; see :func:`to_qtree`."""

    def written(node: Node) -> str:
        box = f", {_BOXES[node.kind]}" if node.kind in _BOXES else ""
        below = "".join(f" {written(child)}" for child in node.below)
        return f"[{{{_label(node, spelling, uses)}}}{box}{below}]"

    def picture(tree: Node) -> str:
        return f"\\begin{{forest}}\n{FOREST_STYLE}\n{written(tree)}\n\\end{{forest}}\n"

    return _file("[linguistics]{forest}", trees, picture)


def to_qtree(trees: _Counted, spelling: _Spelling, uses: _Uses) -> str:
    """Return trees for the package ``tikz-qtree``.

    Stored subtrees have a box with their expected uses, those built from rules a dashed one.

    Parameters
    ----------
    trees
        With the number of times that each was drawn.
    spelling
        The string of each (first, last) span.
    uses
        Expected uses of (symbol, string).
    """

    def written(node: Node) -> str:
        label = f"{{{_label(node, spelling, uses)}}}"
        if not node.below:
            return label
        if node.kind in _BOXES:
            label = rf"\node[{_BOXES[node.kind]}]{label};"
        return f"[.{label} {' '.join(written(child) for child in node.below)} ]"

    def picture(tree: Node) -> str:
        return f"{QTREE_STYLE}\n\\Tree {written(tree)}\n\\end{{tikzpicture}}\n"

    return _file("{tikz-qtree}", trees, picture)


def _label(node: Node, spelling: _Spelling, uses: _Uses) -> str:
    """Return the symbol of a node and, of a stored subtree, its expected uses below it."""
    times = uses.get((node.symbol, spelling[node.first, node.last])) if node.kind == "looked up" else None
    below = "" if times is None else rf"\\\scriptsize $\times$ {times:,.0f}"
    return escape(node.symbol) + below


def _file(package: str, trees: _Counted, picture: Callable[[Node], str]) -> str:
    total = sum(n for _, n in trees)
    parts = (f"\n% drawn {n} of {counted(total, 'time')}\n{picture(tree)}" for tree, n in trees)
    return preamble(package, (tree.brackets() for tree, _ in trees)) + "".join(parts)
