"""Draw Hasse diagrams of rankings as SVG, without other programs.

A line goes down from a constraint to one that is below it in every ranking. Each constraint is on the
highest level that its lines allow. A line that passes through other levels has a position in each of them.
Positions in a level are sorted by the mean position of their neighbours above, then below, and so on, so
that few lines cross (Sugiyama, Tagawa & Toda 1981).
"""

from __future__ import annotations

from itertools import pairwise
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from otlab.html import escape
from otlab.viz.base.names import constraint_svg
from otlab.viz.base.png import FORM_FONT, PLAIN_FONT
from otlab.viz.base.tokens import LIGHT, variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["hasse_svg"]

_SWEEPS = 8
_LETTER = 7.4  # width of a letter of a note, in pixels
_SMALL_CAPITAL = 10.4  # width of a letter of a constraint's name
_PADDING, _GAP, _PASSAGE = 26, 18, 10
_ROW, _BOX, _MARGIN = 84, 30, 12
_NOTE = 36  # letters in a line below a narrow diagram
_NO_REASONS: Mapping[tuple[str, str], str] = MappingProxyType({})
_LEAST = 0.85  # smallest scale at which letters are legible


def hasse_svg(
    names: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    notes: Sequence[str] = (),
    reasons: Mapping[tuple[str, str], str] = _NO_REASONS,
) -> str:
    """Return a diagram as SVG.

    Parameters
    ----------
    names
        All constraints.
    pairs
        (higher, lower) pairs, without those that follow from others.
    notes
        Lines of text below the diagram, such as ``A or B >> C``.
    reasons
        Text shown when the pointer is on a line, for some of the pairs.
    """
    free = _unranked(names, pairs)
    rows, paths = _places([name for name in names if name not in free], pairs)
    boxes = max((sum(place.width + _GAP for place in row) for row in rows), default=0.0)
    inner = max([boxes, _NOTE * _LETTER if free or notes else 0.0, *(_Place(0, name).width for name in free)])
    lines = [part for line in notes for part in wrap(line, int(inner / _LETTER))]
    at, width = _positions(rows, inner)
    height = 2.0 * _MARGIN + max(0, len(rows) - 1) * _ROW + (_BOX if rows else 0)
    parts = [_line([at[place] for place in path], reasons.get(pair, "")) for pair, path in paths.items()]
    parts += [_box(place.name, at[place][0], at[place][1]) for row in rows for place in row if place.name]
    below, more = _free_boxes(free, height if rows else 0, inner)
    parts += below
    height += more
    parts += [_text(line, _MARGIN, height + 16 + 18 * n) for n, line in enumerate(lines)]
    height += 18 * len(lines) + (_MARGIN if lines else 0)
    described = "; ".join(f"{a} above {b}" for a, b in pairs) or "no constraint above another"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" style="max-width:max(100%, {_LEAST * width:g}px);height:auto" role="img" '
        f'aria-label="{escape("Hasse diagram: " + described)}">{"".join(parts)}</svg>'
    )


class _Place(NamedTuple):
    """A position in a level: a constraint, or a line that passes through (no name)."""

    level: int
    name: str
    passage: int = -1

    @property
    def width(self) -> float:
        return len(self.name) * _SMALL_CAPITAL + _PADDING if self.name else _PASSAGE


def _unranked(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the constraints without lines."""
    ranked = {name for pair in pairs for name in pair}
    return [name for name in names if name not in ranked]


def _levels(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the length of the longest chain above each constraint."""
    level = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in pairs:
            level[b] = max(level[b], level[a] + 1)
    return level


def _places(
    names: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> tuple[list[list[_Place]], dict[tuple[str, str], list[_Place]]]:
    """Return the sorted positions of each level, and the path of each line through them."""
    level = _levels(names, pairs)
    of = {name: _Place(level[name], name) for name in names}
    places, paths = list(of.values()), {}
    for number, (a, b) in enumerate(pairs):
        passages = [_Place(n, "", number) for n in range(level[a] + 1, level[b])]
        paths[a, b] = [of[a], *passages, of[b]]
        places += passages
    links = [link for path in paths.values() for link in pairwise(path)]
    rows = [[p for p in places if p.level == n] for n in range(max(level.values(), default=-1) + 1)]
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        towards = links if down else [(lower, upper) for upper, lower in links]
        for n in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            rows[n] = _ordered(rows[n], rows[n - 1] if down else rows[n + 1], towards)
    return rows, paths


def _ordered(
    row: Sequence[_Place], neighbours: Sequence[_Place], links: Sequence[tuple[_Place, _Place]]
) -> list[_Place]:
    """Return a row sorted by the mean position of its neighbours, or by its own if it has none."""
    share = {place: (i + 0.5) / len(neighbours) for i, place in enumerate(neighbours)}
    key = {}
    for i, place in enumerate(row):
        linked = [share[a] for a, b in links if b == place and a in share]
        key[place] = sum(linked) / len(linked) if linked else (i + 0.5) / len(row)
    return sorted(row, key=key.__getitem__)


def _positions(
    rows: Sequence[Sequence[_Place]], least: float
) -> tuple[dict[_Place, tuple[float, float]], float]:
    """Return the centre of each position, and the width of the picture."""
    widths = [sum(p.width for p in row) + _GAP * (len(row) - 1) for row in rows]
    inner = max([*widths, least, 60.0])
    at = {}
    for n, (row, width) in enumerate(zip(rows, widths, strict=True)):
        x = _MARGIN + (inner - width) / 2
        for place in row:
            at[place] = (round(x + place.width / 2, 1), _MARGIN + _BOX / 2 + n * _ROW)
            x += place.width + _GAP
    return at, inner + 2 * _MARGIN


def _paint(font: str = "", **tokens: str) -> str:
    """Return colours and a font as attributes, which the page's own override if it defines them."""
    plain = " ".join(f'{escape(name)}="{LIGHT[token]}"' for name, token in tokens.items())
    own = ";".join(f"{escape(name)}:{variable(token)}" for name, token in tokens.items())
    if font:
        plain, own = f'{plain} font-family="{font}"', f"{own};font-family:var(--ot-forms, {font})"
    return f'{plain} style="{own}"'


def _text(words: str, x: float, y: float, anchor: str = "start") -> str:
    """Return a line of text as SVG."""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-family="{PLAIN_FONT}" font-size="13" '
        f"{_paint(fill='ink')}>{escape(words)}</text>"
    )


def _free_boxes(names: Sequence[str], top: float, room: float) -> tuple[list[str], float]:
    """Return the unranked constraints in rows of dashed boxes, and the height of the rows."""
    if not names:
        return [], 0.0
    parts = [_text("Not ranked", _MARGIN, top + 16)]
    left, middle = float(_MARGIN), top + 16 + _MARGIN + _BOX / 2
    for name in names:
        width = _Place(0, name).width
        if left > _MARGIN and left + width > _MARGIN + room:
            left, middle = float(_MARGIN), middle + _BOX + _PASSAGE
        parts.append(_box(name, round(left + width / 2, 1), middle, "4 3"))
        left += width + _PASSAGE
    return parts, middle + _BOX / 2 + _MARGIN - top


def _box(name: str, x: float, y: float, dashes: str = "none") -> str:
    """Return a constraint in its box, with a solid border or a dashed one."""
    width = _Place(0, name).width
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _BOX / 2:g}" width="{width:.1f}" height="{_BOX}" '
        f'rx="{_BOX / 2:g}" stroke-dasharray="{dashes}" {_paint(fill="surface", stroke="line2")}/>'
        f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle" font-size="15" font-variant="small-caps" '
        f'letter-spacing="0.4" {_paint(FORM_FONT, fill="ink")}>{constraint_svg(name)}</text>'
    )


def _line(path: Sequence[tuple[float, float]], reason: str) -> str:
    """Return a line from a constraint down to another, straight or curved past other levels."""
    (x, y), (u, v) = path[0], path[-1]
    drawn = f"M{x:g} {y + _BOX / 2:g}"
    if len(path) == 2:
        drawn += f"L{u:g} {v - _BOX / 2:g}"
    else:
        at, above = x, y + _BOX / 2
        for towards, below in [*path[1:-1], (u, v - _BOX / 2)]:
            middle = (above + below) / 2
            drawn += f"C{at:g} {middle:g} {towards:g} {middle:g} {towards:g} {below:g}"
            at, above = towards, below
    line = f'<path d="{drawn}" stroke-width="1.4" fill="none" {_paint(stroke="ink2")}/>'
    if not reason:
        return line
    near = f'<path d="{drawn}" stroke-width="14" stroke="transparent" fill="none"/>'
    return f'<g class="why"><title>{escape(reason)}</title>{line}{near}</g>'
