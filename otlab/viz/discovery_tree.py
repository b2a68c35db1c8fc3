"""A sampled tree as SVG: what was looked up and what was built anew, in two colours."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from otlab.discovery.grammar import CLASSES
from otlab.viz.css import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.trees import Node

__all__ = ["TREE_CSS", "tree_svg"]

STEP, WIDEST, LEVEL, CHARACTER = 42, 64, 62, 7.6
"""Pixels between phones (more where a symbol's box needs it, at most WIDEST), levels, letters."""

TREE_CSS = sheet("discovery_tree")


def tree_svg(node: Node, spell: Mapping[tuple[int, int], str], uses: Mapping[tuple[str, str], float]) -> str:
    """Draw a tree.

    Parameters
    ----------
    node
        The root.
    spell
        What each (first, last) span spells.
    uses
        Expected uses of (symbol, string), shown beside what was looked up.
    """
    drawing = _Drawing(node, spell, uses)
    drawing.draw(node, 0)
    label = escape(f"Tree of {spell[node.first, node.last]}")
    # Links first, so that boxes cover their ends.
    marks = sorted(drawing.marks, key=lambda mark: not mark.startswith("<path"))
    size = f'width="{drawing.width:.0f}" height="{drawing.height}"'
    return f'<svg class="tree" role="img" aria-label="{label}" {size}>{"".join(marks)}</svg>'


class _Drawing:
    """Collects the marks of one tree."""

    def __init__(
        self, root: Node, spell: Mapping[tuple[int, int], str], uses: Mapping[tuple[str, str], float]
    ) -> None:
        self.spell, self.uses = spell, uses
        self.marks: list[str] = []
        self._begin, self._depth = root.first, _depth(root)
        self._step = min(WIDEST, max(STEP, *map(_room, _boxed(root)))) if _boxed(root) else STEP
        self.width = (root.last - root.first + 1.5) * self._step
        self.height = self._depth * LEVEL + 34

    def draw(self, node: Node, level: int) -> None:
        """Add a node and all below it."""
        x, y = self._place(node, level)
        for child in _below(node):
            to, below = self._place(child, level + 1)
            self.marks.append(f'<path class="link" d="M{x:.1f} {y + 11} L{to:.1f} {below - 13}"/>')
            self.draw(child, level + 1)
        if node.kind == "phone":
            self.marks.append(f'<text class="phone" x="{x:.1f}" y="{y + 5}">{escape(node.symbol)}</text>')
            return
        name = _short(node.symbol, int(((node.last - node.first) * self._step - 20) / CHARACTER))
        if node.kind in ("looked up", "built"):
            self._box(node, name, x, y)
        self.marks.append(f'<text x="{x:.1f}" y="{y + 4}">{escape(name)}</text>')

    def _place(self, node: Node, level: int) -> tuple[float, int]:
        """Return where a node stands: phones at the bottom, all others at their level."""
        middle = (node.first + node.last) / 2 - self._begin
        return (middle + 0.75) * self._step, (level if node.children else self._depth) * LEVEL + 20

    def _box(self, node: Node, name: str, x: float, y: int) -> None:
        half = CHARACTER * len(name) / 2 + 8
        kind = "looked" if node.kind == "looked up" else "built"
        size = f'x="{x - half:.1f}" y="{y - 12}" width="{2 * half:.1f}" height="24"'
        self.marks.append(f'<rect class="{kind}" {size}><title>{escape(node.symbol)}</title></rect>')
        times = self.uses.get((node.symbol, self.spell[node.first, node.last]))
        if kind == "looked" and times is not None:
            self.marks.append(f'<text class="reuse" x="{x:.1f}" y="{y - 17}">× {times:,.0f}</text>')


def _below(node: Node) -> tuple[Node, ...]:
    """Return the children as drawn: a class of phones is not worth a level of its own."""
    return tuple(child.children[0] if child.symbol in CLASSES else child for child in node.children)


def _depth(node: Node) -> int:
    return 1 + max((_depth(child) for child in _below(node)), default=-1)


def _boxed(node: Node) -> list[Node]:
    own = [node] if node.kind in ("looked up", "built") else []
    return own + [found for child in _below(node) for found in _boxed(child)]


def _room(node: Node) -> float:
    """Return the pixels a phone needs for the node's box not to touch the next one."""
    return (CHARACTER * len(node.symbol) + 22) / (node.last - node.first)


def _short(name: str, most: int) -> str:
    """Return a name in at most so many letters.

    >>> _short("Collocation", 6)
    'Collo…'
    """
    return name if len(name) <= max(2, most) else f"{name[: max(1, most - 1)]}…"
