"""Draw trees as SVG, with labels, branches and movement arrows; all colours are ``--ot-*`` tokens.

Subtrees are placed as close together as their outlines allow (Reingold and Tilford 1981). A vertical
strip is kept free below both ends of an arrow, so that the arrow does not cross a label between the
tree and its horizontal line below. Shorter arrows have higher lines. The label of an arrow is the feature
that is checked.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from otlab.html import escape
from otlab.viz.base.png import FORM_FONT, PLAIN_FONT, svg_png
from otlab.viz.base.tokens import LIGHT, variable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from otlab.mg.views.show import Arrow, Drawing, Tree

__all__ = ["SPACINGS", "svg_file", "to_png", "tree_svg"]

MARGIN = 10.0
APART = 7.0  # least distance of two vertical lines of arrows
_SIZES = {"node": 14.0, "word": 15.5, "silent": 15.5, "trace": 14.0, "copy": 15.0}
_DETAIL_SIZE = 12.5
_INK = variable("ink")
_FAINT = variable("ink3")
_LINE = variable("line2")
_ACCENT = variable("accent")
_SURFACE = variable("surface")
_MARK = variable("warn-bg")
_COPY = re.compile(
    r'<text x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"[^>]*text-decoration="line-through"[^>]*>'
    r"(?P<text>[^<]*)</text>"
)


@dataclass(frozen=True)
class _Spacing:
    """Distances in a tree, in pixels.

    Attributes
    ----------
    level, tall_level
        Between levels; the latter if inner nodes have two lines of text.
    lane
        Between the horizontal lines of arrows.
    gap
        Least distance of neighbouring labels.
    strip
        Width of the free strip below both ends of an arrow.
    narrowest
        Least width of a label.
    line
        Characters of a leaf's features on one line; longer ones have two lines.
    """

    level: float
    tall_level: float
    lane: float
    gap: float
    strip: float
    narrowest: float
    line: int


_WIDE = _Spacing(level=34.0, tall_level=46.0, lane=24.0, gap=14.0, strip=16.0, narrowest=24.0, line=99)
_COMPACT = replace(_WIDE, level=25.0, tall_level=38.0, lane=19.0, gap=8.0, strip=13.0, narrowest=18.0)
SPACINGS = {
    "wide": _WIDE,
    "compact": _COMPACT,
    "dense": replace(_COMPACT, gap=6.0, strip=11.0, narrowest=14.0, line=6),
}


@dataclass
class _Box:
    """A node with its position.

    Attributes
    ----------
    lines, wide
        What is written below the label, and the width of all.
    x, y
        Centre of the label's first line.
    left, width
        Left end and width of its subtree.
    offset
        Distance of its centre from its parent's, while positions are being computed.
    """

    tree: Tree
    number: int
    depth: int
    lines: list[str]
    wide: float
    children: list[_Box] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    left: float = 0.0
    width: float = 0.0
    offset: float = 0.0

    @property
    def bottom(self) -> float:
        """Lower end of the label."""
        return self.y + (6.0 if self.tree.children else 6.0 + 12.0 * len(self.lines))


def tree_svg(
    drawing: Drawing,
    *,
    highlight: Collection[int] = (),
    arrows_shown: int | None = None,
    spacing: str = "wide",
) -> str:
    """Return a drawing as an SVG element whose colours follow light and dark mode.

    Parameters
    ----------
    drawing
        A drawing from :func:`otlab.mg.views.show.draw`.
    highlight
        Positions in the Polish sequence to mark, where two readings differ.
    arrows_shown
        Number of movement arrows drawn; all if None.
    spacing
        ``wide``; ``compact``, with levels and labels closer together; or ``dense``, where also features have
        two lines. The latter two allow larger letters in a small space.
    """
    distances = SPACINGS[spacing]
    arrows = list(drawing.arrows)[:arrows_shown]
    root = _place(drawing.tree, {end for a in drawing.arrows for end in (a.source, a.target)}, distances)
    boxes = {b.number: b for b in _walk(root)}
    feet = _feet(root, {end for a in arrows for end in (a.source, a.target)})
    floor = max([*(b.bottom for b in boxes.values()), *feet.values()]) + distances.lane - 2
    ends = _ends(arrows, boxes)
    lanes = _lanes(ends)
    lane = distances.lane
    height = floor + lane * max(lanes, default=-1) + MARGIN + (lane / 2 if arrows else 0.0)
    parts = [_branches(b) for b in boxes.values()]
    parts += [_label(b, b.tree.position in highlight) for b in boxes.values()]
    parts += _arrows(arrows, boxes, ends, feet, [floor + lane * k for k in lanes])
    width = root.width + 2 * MARGIN
    if drawing.spelled:
        width = max(width, _width(drawing.spelled, _SIZES["copy"]) + 2 * MARGIN)
        looks = f'fill="{_FAINT}" font-family="{PLAIN_FONT}" font-style="italic"'
        parts.append(_text(width / 2, height + 4.0, drawing.spelled, _SIZES["copy"], looks))
        height += MARGIN + 8.0
    kind = "ot-tree" if spacing == "wide" else f"ot-tree ot-{spacing}"
    title = drawing.spelled or _sentence(drawing.tree)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" class="{escape(kind)}"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def svg_file(svg: str) -> str:
    """Return a picture of :func:`tree_svg` for a file, with a light surface for dark pages."""
    return svg.replace("<svg ", f'<svg style="background:{_SURFACE}" ', 1)


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """Return the picture as PNG, in the light colours (needs the ``png`` extra).

    Raises
    ------
    ModuleNotFoundError
        If CairoSVG is not installed.
    """
    return svg_png(_COPY.sub(_struck, svg), scale)


def _struck(match: re.Match[str]) -> str:
    """Return a copied word with its line-through drawn as a line, because Cairo ignores text decorations."""
    x, y, half = float(match["x"]), float(match["y"]) - 4.5, len(match["text"]) * _SIZES["copy"] * 0.27
    return (
        f'{match[0]}<line x1="{x - half:.1f}" y1="{y:.1f}" x2="{x + half:.1f}" y2="{y:.1f}" '
        f'stroke="{LIGHT["ink3"]}" stroke-width="1"/>'
    )


def _sentence(tree: Tree) -> str:
    return " ".join(n.label for n in tree.walk() if n.style == "word") or "the empty string"


def _place(tree: Tree, ends: Collection[int], spacing: _Spacing) -> _Box:
    """Return boxes with their positions; `ends` are the numbers of nodes at which arrows begin or end."""
    root = _boxes(tree, count(), 0, spacing)
    # Inner nodes with two lines of text need more space below.
    tall = any(n.detail and n.children for n in tree.walk())
    level = spacing.tall_level if tall else spacing.level
    deepest = max(b.depth for b in _walk(root))
    outline = _outline(root, ends, deepest, spacing)
    left = min(low for low, _ in outline)
    _spread(root, MARGIN - left, level)
    root.left, root.width = MARGIN, max(high for _, high in outline) - left
    return root


def _boxes(tree: Tree, numbers: Iterator[int], depth: int, spacing: _Spacing) -> _Box:
    lines = _lines(tree, spacing.line)
    wide = max([_width(tree.shown, _SIZES[tree.style]), *(_width(line, _DETAIL_SIZE) for line in lines)])
    box = _Box(tree, next(numbers), depth, lines, max(wide + 6.0, spacing.narrowest))
    box.children = [_boxes(child, numbers, depth + 1, spacing) for child in tree.children]
    return box


def _lines(tree: Tree, most: int) -> list[str]:
    """Return the features below a label: on two lines if a leaf has more characters than `most`."""
    words = tree.detail.split()
    if tree.children or len(tree.detail) <= most or len(words) < 2:
        return [tree.detail] if tree.detail else []
    halves = ([" ".join(words[:k]), " ".join(words[k:])] for k in range(1, len(words)))
    return min(halves, key=lambda pair: max(map(len, pair)))


def _outline(box: _Box, ends: Collection[int], deepest: int, spacing: _Spacing) -> list[tuple[float, float]]:
    """Set the offsets of the nodes below; return the left and right ends of the subtree at each level.

    Both are relative to the centre of the node's label.
    """
    merged: list[tuple[float, float]] = []
    at: list[float] = []
    for child in box.children:
        below = _outline(child, ends, deepest, spacing)
        pairs = list(zip(merged, below, strict=False))
        place = max((high - low for (_, high), (low, _) in pairs), default=-spacing.gap) + spacing.gap
        at.append(place)
        shifted = [(low + place, high + place) for low, high in below]
        merged = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(merged, shifted, strict=False)] + [
            *merged[len(shifted) :],
            *shifted[len(merged) :],
        ]
    centre = (at[0] + at[-1]) / 2 if at else 0.0
    for child, place in zip(box.children, at, strict=True):
        child.offset = place - centre
    half = box.wide / 2
    outline = [(-half, half), *((low - centre, high - centre) for low, high in merged)]
    if not at:  # no branch of a neighbour may cross the lines below the label
        outline += [(-half, half)] * len(box.lines)
    if box.number in ends:
        middle = (min(low for low, _ in outline) + max(high for _, high in outline)) / 2 if at else 0.0
        free = (middle - spacing.strip / 2, middle + spacing.strip / 2)
        if at:  # the bracket under the phrase
            outline.append((min(low for low, _ in outline), max(high for _, high in outline)))
        outline += [free] * (deepest + 1 - box.depth - len(outline))
    return outline


def _spread(box: _Box, x: float, level: float) -> tuple[float, float]:
    """Set positions from the root down; return the left and right end of the subtree."""
    box.x, box.y = x, MARGIN + 6.0 + level * box.depth
    half = box.wide / 2
    spans = [_spread(child, x + child.offset, level) for child in box.children]
    left = min([x - half, *(low for low, _ in spans)])
    right = max([x + half, *(high for _, high in spans)])
    box.left, box.width = left, right - left
    return left, right


def _width(text: str, size: float) -> float:
    """Return about how wide a text is; *m* and *w* are wider than other letters."""
    return (len(text) + 0.6 * sum(letter in "mwMW" for letter in text)) * size * 0.525


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
        w, h = box.wide + 6, box.bottom - box.y + 22
        mark = _plate(box.x - w / 2, box.y - 15, w, h, _MARK)
    label = _features(tree.shown).replace("'", "′") if tree.style == "node" else tree.shown
    text = _text(box.x, box.y + 4, label, _SIZES[tree.style], _style(tree))
    looks = f'fill="{_FAINT}" font-family="{PLAIN_FONT}"'
    below = (
        _text(box.x, box.y + 18 + 12 * k, _features(line), _DETAIL_SIZE, looks)
        for k, line in enumerate(box.lines)
    )
    return mark + text + "".join(below)


def _features(text: str) -> str:
    """Return features with a true minus before each licensee."""
    return re.sub(r"(^|(?<=[\s:]))-(?=\S)", "\N{MINUS SIGN}", text)


def _plate(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" fill="{fill}"/>'


def _style(tree: Tree) -> str:
    """Return the style of a label: words in serif, copies faint, landed movers in the accent colour."""
    if tree.style == "node" and all(n.style == "copy" for n in tree.walk() if not n.children):
        return f'fill="{_FAINT}" font-family="{PLAIN_FONT}"'
    colour = _FAINT if tree.style in ("trace", "copy") else (_ACCENT if tree.mover else _INK)
    family = FORM_FONT if tree.style in ("word", "silent", "copy") else PLAIN_FONT
    looks = f'fill="{colour}" font-family="{family}"'
    if tree.style == "copy":
        return f'{looks} font-style="italic" text-decoration="line-through"'
    return looks if tree.style in ("trace", "silent") else f'{looks} font-weight="600"'


def _text(x: float, y: float, text: str, size: float, looks: str) -> str:
    label, _, index = text.rpartition("_")
    body: str = escape(text)
    if label and index.isdigit():
        body = f'{escape(label)}<tspan font-size="{size * 0.7:.1f}" dy="4">{escape(index)}</tspan>'
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" {looks}>{body}</text>'


def _lanes(ends: list[tuple[float, float]]) -> list[int]:
    """Assign each arrow the highest lane on which it overlaps no other, shorter arrows first."""
    spans = [sorted(pair) for pair in ends]
    lanes = [0] * len(spans)
    taken: list[list[list[float]]] = []
    for i in sorted(range(len(spans)), key=lambda i: spans[i][1] - spans[i][0]):
        low, high = spans[i]
        lane = 0
        while lane < len(taken) and any(low <= b and a <= high for a, b in taken[lane]):
            lane += 1
        if lane == len(taken):
            taken.append([])
        taken[lane].append([low, high])
        lanes[i] = lane
    return lanes


def _ends(arrows: list[Arrow], boxes: dict[int, _Box]) -> list[tuple[float, float]]:
    """Return the x position at which each arrow leaves its copy and reaches its target; all differ."""
    taken: list[float] = []
    for box in (boxes[end] for a in arrows for end in (a.source, a.target)):
        x = box.left + box.width / 2 if box.children else box.x
        while any(abs(x - other) < APART for other in taken):
            x += APART
        taken.append(x)
    return list(zip(taken[::2], taken[1::2], strict=True))


def _feet(root: _Box, ends: Collection[int]) -> dict[int, float]:
    """Return the lower end of each subtree; the bracket of a moved phrase is below those inside it."""
    feet: dict[int, float] = {}
    for box in reversed(_walk(root)):
        feet[box.number] = max([box.bottom, *(feet[c.number] for c in box.children)])
        if box.number in ends and box.children:
            feet[box.number] += 7.0
    return feet


def _arrows(
    arrows: list[Arrow],
    boxes: dict[int, _Box],
    ends: list[tuple[float, float]],
    feet: dict[int, float],
    lanes: list[float],
) -> list[str]:
    """Return the lines of all arrows and then their labels, so that no line crosses a label."""
    wording = _wording(arrows, ends)
    lines = [
        _underline(boxes[a.source], feet[a.source] + 3, dashed=True)
        + _arrow(boxes[a.target], e, feet[a.source] + 4, feet[a.target] + 12, y)
        for a, e, y in zip(arrows, ends, lanes, strict=True)
    ]
    labels = []
    for arrow, (a, b), y in zip(arrows, ends, lanes, strict=True):
        crossing = [x for pair, lane in zip(ends, lanes, strict=True) if lane > y for x in pair]
        labels.append(_arrow_label(wording.format(arrow.label), min(a, b), max(a, b), y, crossing))
    return lines + labels


def _wording(arrows: list[Arrow], ends: list[tuple[float, float]]) -> str:
    """Return the longest wording that fits on every arrow; all arrows have the same one."""
    for words in ("move, checks {}", "checks {}"):
        widths = (_arrow_text_width(words.format(arrow.label)) for arrow in arrows)
        if all(abs(a - b) > wide + 20 for (a, b), wide in zip(ends, widths, strict=True)):
            return words
    return "+{}"


def _arrow_text_width(label: str) -> float:
    return len(label) * _DETAIL_SIZE * 0.58 + 10


def _arrow_label(label: str, left: float, right: float, lane: float, crossing: list[float]) -> str:
    """Return the label on its lane, as near the middle as possible without covering another arrow."""
    wide, middle = _arrow_text_width(label), (left + right) / 2
    room = max(0.0, (right - left - wide) / 2 - 10)
    places = [middle + sign * room * k / 20 for k in range(21) for sign in (1, -1)]
    free = [x for x in places if all(abs(x - line) > wide / 2 + 3 for line in crossing)]
    x = free[0] if free else middle
    looks = f'fill="{_ACCENT}" font-family="{PLAIN_FONT}" font-weight="600"'
    if right - left < wide + 20:  # the lane is too short for the label, which is drawn below it
        return _plate(x - wide / 2, lane + 2, wide, 14, _SURFACE) + _text(
            x, lane + 13, label, _DETAIL_SIZE, looks
        )
    return _plate(x - wide / 2, lane - 8, wide, 16, _SURFACE) + _text(x, lane + 4, label, _DETAIL_SIZE, looks)


def _arrow(target: _Box, ends: tuple[float, float], begin: float, top: float, lane: float) -> str:
    """Return the line from below the trace down to its lane and up to below the target."""
    a, b = ends
    turn = math.copysign(min(8.0, abs(b - a) / 2), b - a)
    path = (
        f"M {a:.1f} {begin:.1f} V {lane - 8:.1f} Q {a:.1f} {lane:.1f} {a + turn:.1f} {lane:.1f} "
        f"H {b - turn:.1f} Q {b:.1f} {lane:.1f} {b:.1f} {lane - 8:.1f} V {top:.1f}"
    )
    head = f"M {b - 4:.1f} {top + 1:.1f} L {b:.1f} {top - 7:.1f} L {b + 4:.1f} {top + 1:.1f} Z"
    under = _underline(target, top - 9)
    line = f'<path d="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.8" class="ot-move"/>'
    return f'{line}<path d="{head}" fill="{_ACCENT}"/>{under}'


def _underline(box: _Box, y: float, *, dashed: bool = False) -> str:
    """Return a bracket below a phrase of several words that has moved; dashed below its copy."""
    if not box.children:
        return ""
    dashes = ' stroke-dasharray="3 3"' if dashed else ""
    left, right = box.left + 2, box.left + box.width - 2
    path = f"M {left:.1f} {y - 4:.1f} V {y:.1f} H {right:.1f} V {y - 4:.1f}"
    return f'<path d="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.2"{dashes}/>'
