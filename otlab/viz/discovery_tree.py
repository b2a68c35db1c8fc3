"""A sampled tree as SVG: what was looked up and what was built anew, in two colours."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from otlab.viz.css import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.trees import Node

__all__ = ["TREE_CSS", "tree_svg"]

STEP, LEVEL, CHARACTER = 42, 62, 7.6

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
    begin = node.first
    marks: list[str] = []
    depth = _depth(node)
    _draw(node, begin, 0, depth, spell, uses, marks)
    width, height = (node.last - node.first) * STEP + 2 * STEP, depth * LEVEL + 34
    label = escape(f"Tree of {spell[node.first, node.last]}")
    # Links first, so that boxes cover their ends.
    marks.sort(key=lambda mark: not mark.startswith("<path"))
    size = f'width="{width}" height="{height}"'
    return f'<svg class="tree" role="img" aria-label="{label}" {size}>{"".join(marks)}</svg>'


def _depth(node: Node) -> int:
    return 1 + max((_depth(child) for child in node.children), default=-1)


def _x(node: Node, begin: int) -> float:
    return STEP + ((node.first + node.last) / 2 - begin) * STEP


def _draw(
    node: Node,
    begin: int,
    level: int,
    depth: int,
    spell: Mapping[tuple[int, int], str],
    uses: Mapping[tuple[str, str], float],
    marks: list[str],
) -> None:
    x = _x(node, begin)
    y = (depth if not node.children else level) * LEVEL + 20
    for child in node.children:
        below = (depth if not child.children else level + 1) * LEVEL + 20
        marks.append(f'<path class="link" d="M{x:.1f} {y + 11} L{_x(child, begin):.1f} {below - 13}"/>')
        _draw(child, begin, level + 1, depth, spell, uses, marks)
    if node.kind == "phone":
        marks.append(f'<text class="phone" x="{x:.1f}" y="{y + 5}">{escape(node.symbol)}</text>')
        return
    if node.kind in ("looked up", "built"):
        half = CHARACTER * len(node.symbol) / 2 + 8
        kind = "looked" if node.kind == "looked up" else "built"
        marks.append(
            f'<rect class="{kind}" x="{x - half:.1f}" y="{y - 12}" width="{2 * half:.1f}" height="24"/>'
        )
        times = uses.get((node.symbol, spell[node.first, node.last]))
        if node.kind == "looked up" and times is not None:
            marks.append(f'<text class="reuse" x="{x:.1f}" y="{y - 17}">× {times:,.0f}</text>')
    marks.append(f'<text x="{x:.1f}" y="{y + 4}">{escape(node.symbol)}</text>')
