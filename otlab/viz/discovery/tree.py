"""Draw a sampled tree as SVG, with stored subtrees and those built from rules in two colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.html import direction, escape
from otlab.viz.base.css import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.parsing.trees import Node

__all__ = ["TREE_CSS", "tree_svg"]

STEP, LEVEL, CHARACTER = 42, 62, 7.6
"""Pixels per phone (more below long names), per level and per letter."""
LEAST = 0.92
"""The smallest scale of a wide tree, at which its letters are legible."""

TREE_CSS = sheet("discovery_tree")


def tree_svg(node: Node, spell: Mapping[tuple[int, int], str], uses: Mapping[tuple[str, str], float]) -> str:
    """Draw a tree.

    Parameters
    ----------
    node
        The root.
    spell
        The string of each (first, last) span.
    uses
        Expected uses of (symbol, string), shown above subtrees that were looked up.
    """
    drawing = _Drawing(node, spell, uses)
    drawing.draw(node, 0)
    label = escape(f"Tree of {spell[node.first, node.last]}")
    # Links are drawn first, so that boxes cover their ends.
    marks = sorted(drawing.marks, key=lambda mark: not mark.startswith("<path"))
    wide, high = f"{drawing.width:.0f}", drawing.height
    size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    size += f' style="min-width:{LEAST * drawing.width:.0f}px"'
    return f'<svg class="tree" role="img" aria-label="{label}" {size}>{"".join(marks)}</svg>'


class _Drawing:
    """Collects the marks of one tree."""

    def __init__(
        self, root: Node, spell: Mapping[tuple[int, int], str], uses: Mapping[tuple[str, str], float]
    ) -> None:
        self.spell, self.uses = spell, uses
        self.marks: list[str] = []
        self._begin, self._depth = root.first, _depth(root)
        widths = np.full(root.last - root.first, float(STEP))
        _widen(root, widths, root.first)
        self._edge = STEP / 4 + np.concatenate([[0.0], np.cumsum(widths)])
        self.width = self._edge[-1] + STEP / 4
        if direction(spell[root.first, root.last]) == "rtl":  # the first phone is at the right
            self._edge = self.width - self._edge
        self.height = self._depth * LEVEL + 34

    def draw(self, node: Node, level: int) -> None:
        """Add a node and all nodes below it."""
        x, y = self._place(node, level)
        for child in node.below:
            to, below = self._place(child, level + 1)
            self.marks.append(f'<path class="link" d="M{x:.1f} {y + 11} L{to:.1f} {below - 13}"/>')
            self.draw(child, level + 1)
        if node.kind == "phone":
            self.marks.append(f'<text class="phone" x="{x:.1f}" y="{y + 5}">{escape(node.symbol)}</text>')
            return
        if node.kind in ("looked up", "built"):
            self._box(node, x, y)
        self.marks.append(f'<text x="{x:.1f}" y="{y + 4}">{escape(node.symbol)}</text>')

    def _place(self, node: Node, level: int) -> tuple[float, int]:
        """Return the position of a node: phones at the bottom, all others at their level."""
        middle = (self._edge[node.first - self._begin] + self._edge[node.last - self._begin]) / 2
        return float(middle), (level if node.children else self._depth) * LEVEL + 20

    def _box(self, node: Node, x: float, y: int) -> None:
        half = CHARACTER * len(node.symbol) / 2 + 8
        kind = "looked" if node.kind == "looked up" else "built"
        size = f'x="{x - half:.1f}" y="{y - 12}" width="{2 * half:.1f}" height="24"'
        self.marks.append(f'<rect class="{kind}" {size}><title>{escape(node.symbol)}</title></rect>')
        times = self.uses.get((node.symbol, self.spell[node.first, node.last]))
        if kind == "looked" and times is not None:
            self.marks.append(f'<text class="reuse" x="{x:.1f}" y="{y - 17}">× {times:,.0f}</text>')


def _depth(node: Node) -> int:
    return 1 + max((_depth(child) for child in node.below), default=-1)


def _widen(node: Node, widths: np.ndarray, begin: int) -> None:
    """Increase the widths of phones below long names, so that no two boxes overlap."""
    for child in node.below:
        _widen(child, widths, begin)
    if node.kind == "phone":
        return
    below = widths[node.first - begin : node.last - begin]
    missing = CHARACTER * len(node.symbol) + 22 - below.sum()
    if missing > 0:
        below += missing / below.size
