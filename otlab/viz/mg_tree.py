"""Trees as SVG: labels, branches, movement arrows, all colours from ``--ot-*`` tokens.

Every subtree has its own stretch of the width, so that an arrow can drop from a trace
and rise to a landing site without crossing a label. Arrows run in lanes under the
tree, the shorter ones above the longer ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from otlab.mg.views import Arrow, Drawing, Tree

__all__ = ["to_png", "tree_svg"]

LEVEL, TALL_LEVEL, LANE, GAP, MARGIN = 34.0, 46.0, 22.0, 14.0, 10.0
_SIZES = {"node": 14.0, "word": 15.5, "silent": 15.5, "trace": 14.0, "copy": 15.0}
_DETAIL_SIZE = 12.0
_INK = "var(--ot-ink, #1B1E25)"
_FAINT = "var(--ot-ink3, #636873)"
_LINE = "var(--ot-line2, #CBC7BB)"
_ACCENT = "var(--ot-accent, #4B3FA7)"
_SURFACE = "var(--ot-surface, #FFFFFF)"
_MARK = "var(--ot-warn-bg, #FFF3D6)"
_FORM = "'Charis SIL', 'Gentium Plus', 'Doulos SIL', 'Noto Serif', 'DejaVu Serif', serif"
_PLAIN = "Inter, 'Noto Sans', 'Segoe UI', system-ui, sans-serif"


@dataclass
class _Box:
    """A node with its place.

    Attributes
    ----------
    x, y
        Centre of the label's first line.
    left, width
        The stretch of its subtree.
    """

    tree: Tree
    number: int
    depth: int
    children: list[_Box] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    left: float = 0.0
    width: float = 0.0

    @property
    def bottom(self) -> float:
        """Where the label ends."""
        return self.y + (18.0 if self.tree.detail and not self.tree.children else 6.0)


def tree_svg(drawing: Drawing, *, highlight: Collection[int] = (), arrows_shown: int | None = None) -> str:
    """Return a drawing as an SVG element that follows light and dark.

    Parameters
    ----------
    drawing
        From :func:`otlab.mg.views.draw`.
    highlight
        Places in the Polish sequence to mark: where two readings differ.
    arrows_shown
        Only so many movement arrows; all if None.
    """
    root = _place(drawing.tree)
    boxes = {b.number: b for b in _walk(root)}
    floor = max(b.bottom for b in boxes.values()) + 22.0
    arrows = list(drawing.arrows)[:arrows_shown]
    lanes = _lanes(arrows, boxes)
    height = floor + LANE * max(lanes, default=-1) + MARGIN
    parts = [_branches(b) for b in boxes.values()]
    parts += [_label(b, b.tree.position in highlight) for b in boxes.values()]
    drawn = [_arrow(a, boxes, floor + LANE * lane) for a, lane in zip(arrows, lanes, strict=True)]
    parts += [line for line, _ in drawn] + [label for _, label in drawn]
    width = root.width + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" class="ot-tree"><title>{escape(_sentence(drawing.tree))}</title>'
        f"{''.join(parts)}</svg>"
    )


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """Return the picture as PNG, in the light colours (needs the ``png`` extra).

    Raises
    ------
    ModuleNotFoundError
        If CairoSVG is not installed.
    """
    import cairosvg

    literal = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", svg)
    # Cairo takes the first family and does not look further for a missing letter.
    literal = literal.replace(_FORM, "DejaVu Serif").replace(_PLAIN, "DejaVu Sans")
    data: bytes = cairosvg.svg2png(bytestring=literal.encode(), scale=scale, background_color="#FFFFFF")
    return data


def _sentence(tree: Tree) -> str:
    return " ".join(n.label for n in tree.walk() if n.style == "word") or "a silent sentence"


def _place(tree: Tree) -> _Box:
    """Return boxes with widths from the words up and positions from the root down."""
    numbers = iter(range(10**9))
    root = _boxes(tree, numbers, 0)
    # Inner nodes with two lines of text need more room below.
    _spread(root, MARGIN, TALL_LEVEL if any(n.detail and n.children for n in tree.walk()) else LEVEL)
    return root


def _boxes(tree: Tree, numbers: object, depth: int) -> _Box:
    box = _Box(tree, next(numbers), depth)  # type: ignore[call-overload]  # an iterator of int
    box.children = [_boxes(child, numbers, depth + 1) for child in tree.children]
    inner = sum(c.width for c in box.children) + GAP * max(0, len(box.children) - 1)
    box.width = max(_text_width(tree), inner)
    return box


def _spread(box: _Box, left: float, level: float) -> None:
    box.left = left
    box.y = MARGIN + 6.0 + level * box.depth
    inner = sum(c.width for c in box.children) + GAP * max(0, len(box.children) - 1)
    at = left + (box.width - inner) / 2
    for child in box.children:
        _spread(child, at, level)
        at += child.width + GAP
    own = [c.x for c in box.children]
    centre = (own[0] + own[-1]) / 2 if own else left + box.width / 2
    # A wide label must stay inside its own stretch.
    half = _text_width(box.tree) / 2
    box.x = min(max(centre, left + half), left + box.width - half)


def _text_width(tree: Tree) -> float:
    label = len(tree.label) * _SIZES[tree.style] * 0.53
    return max(label, len(tree.detail) * _DETAIL_SIZE * 0.52 if tree.detail else 0.0, 18.0) + 6.0


def _walk(box: _Box) -> list[_Box]:
    return [box, *(b for child in box.children for b in _walk(child))]


def _branches(box: _Box) -> str:
    top = box.y + (22.0 if box.tree.detail and box.children else 7.0)
    return "".join(
        f'<line x1="{box.x:.1f}" y1="{top:.1f}" x2="{c.x:.1f}" y2="{c.y - 14:.1f}" '
        f'stroke="{_LINE}" stroke-width="1.4"/>'
        for c in box.children
    )


def _label(box: _Box, marked: bool) -> str:
    tree = box.tree
    mark = ""
    if marked:
        w, h = _text_width(tree) + 6, box.bottom - box.y + 22
        mark = _plate(box.x - w / 2, box.y - 15, w, h, _MARK)
    text = _text(box.x, box.y + 4, tree.label, _SIZES[tree.style], _style(tree))
    detail = _text(box.x, box.y + 18, tree.detail, _DETAIL_SIZE, f'fill="{_FAINT}" font-family="{_PLAIN}"')
    return mark + text + (detail if tree.detail else "")


def _plate(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" fill="{fill}"/>'


def _style(tree: Tree) -> str:
    """Return the look of a label: words in the serif, traces faint, landed movers in the accent."""
    colour = _ACCENT if tree.mover else (_FAINT if tree.style in ("trace", "copy") else _INK)
    family = _FORM if tree.style in ("word", "silent", "copy") else _PLAIN
    looks = f'fill="{colour}" font-family="{family}"'
    if tree.style == "copy":
        return f'{looks} font-style="italic" text-decoration="line-through"'
    return looks if tree.style in ("trace", "silent") else f'{looks} font-weight="600"'


def _text(x: float, y: float, text: str, size: float, looks: str) -> str:
    label, _, index = text.rpartition("_")
    body = escape(text)
    if label and index.isdigit():
        body = f'{escape(label)}<tspan font-size="{size * 0.7:.1f}" dy="4">{index}</tspan>'
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" {looks}>{body}</text>'


def _lanes(arrows: list[Arrow], boxes: dict[int, _Box]) -> list[int]:
    """Give each arrow the highest lane where it overlaps no other, shorter arrows first."""
    spans = [sorted((boxes[a.source].x, boxes[a.target].x)) for a in arrows]
    lanes = [0] * len(arrows)
    taken: list[list[list[float]]] = []
    for i in sorted(range(len(arrows)), key=lambda i: spans[i][1] - spans[i][0]):
        low, high = spans[i]
        lane = 0
        while lane < len(taken) and any(low <= b and a <= high for a, b in taken[lane]):
            lane += 1
        if lane == len(taken):
            taken.append([])
        taken[lane].append([low, high])
        lanes[i] = lane
    return lanes


def _arrow(arrow: Arrow, boxes: dict[int, _Box], lane: float) -> tuple[str, str]:
    """Return the arrow's lines, and its label: labels are drawn over the lines of all arrows."""
    source, target = boxes[arrow.source], boxes[arrow.target]
    a, b = source.x, target.left + target.width / 2 if target.children else target.x
    turn = 8.0 if b > a else -8.0
    top = max(n.bottom for n in _walk(target)) + 12
    path = (
        f"M {a:.1f} {source.bottom + 4:.1f} V {lane - 8:.1f} Q {a:.1f} {lane:.1f} {a + turn:.1f} {lane:.1f} "
        f"H {b - turn:.1f} Q {b:.1f} {lane:.1f} {b:.1f} {lane - 8:.1f} V {top:.1f}"
    )
    head = f"M {b - 4:.1f} {top + 1:.1f} L {b:.1f} {top - 7:.1f} L {b + 4:.1f} {top + 1:.1f} Z"
    under = _underline(target, top - 9) if target.children else ""
    label = f"move, checks {arrow.label}"
    middle, wide = (a + b) / 2, len(label) * _DETAIL_SIZE * 0.6 + 12
    plate = _plate(middle - wide / 2, lane - 8, wide, 16, _SURFACE)
    looks = f'fill="{_ACCENT}" font-family="{_PLAIN}" font-weight="600"'
    text = plate + _text(middle, lane + 4, label, _DETAIL_SIZE, looks) if abs(a - b) > wide + 24 else ""
    line = f'<path d="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.8" class="ot-move"/>'
    return f'{line}<path d="{head}" fill="{_ACCENT}"/>{under}', text


def _underline(box: _Box, y: float) -> str:
    """Return a bracket below a whole phrase: what has landed."""
    left, right = box.left + 2, box.left + box.width - 2
    path = f"M {left:.1f} {y - 4:.1f} V {y:.1f} H {right:.1f} V {y - 4:.1f}"
    return f'<path d="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.2"/>'
