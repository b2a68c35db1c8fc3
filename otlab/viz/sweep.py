"""Draw a score of the runs of a sweep by a setting: a dot per run, and a line through each learner's means.

The SVG needs no script, and its colours follow the page's light or dark mode (``--ot-*`` properties).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otlab.errors import counted
from otlab.html import Markup, element, joined
from otlab.viz.base.chart_svg import ticks
from otlab.viz.base.tokens import variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Series", "score_svg", "sorted_values"]

_LEFT, _TOP, _BOTTOM, _RIGHT = 72, 16, 46, 16
_LETTER = 6.6
_STYLE = (
    "text{{font:11px Inter,'Noto Sans','Segoe UI',system-ui,sans-serif;fill:{ink3}}}"
    ".l{{font-size:12px;fill:{ink2}}}.g{{stroke:{grid};stroke-width:1}}"
)


@dataclass(frozen=True)
class Series:
    """The runs of one learner.

    Attributes
    ----------
    label
        Name in the legend.
    token
        Token of the colour, such as ``em-edge``.
    points
        Value of the setting, score and name of each run.
    """

    label: str
    token: str
    points: tuple[tuple[str, float, str], ...]


def sorted_values(values: Sequence[str]) -> list[str]:
    """Return the distinct values, numbers and percentages in ascending order, then words.

    >>> sorted_values(["10%", "9%", "all", "9%"]), sorted_values(["1,000", "20"])
    (['9%', '10%', 'all'], ['20', '1,000'])
    """

    def key(text: str) -> tuple[bool, float, str]:
        try:
            return (False, float(text.removesuffix("%").replace(",", "")), "")
        except ValueError:
            return (True, 0.0, text)

    return sorted(set(values), key=key)


def score_svg(
    series: Sequence[Series],
    setting: str,
    score: str,
    best: str = "",
    *,
    width: int = 1040,
    height: int = 326,
    bands: bool = False,
) -> Markup:
    """Return the picture as SVG.

    Parameters
    ----------
    series
        Runs of each learner.
    setting, score
        Labels of the x axis and the y axis.
    best
        Name of the run that is marked by a ring.
    width, height
        Size in pixels; the picture shrinks to the width of the page.
    bands
        Whether a band goes from the lowest to the highest run of each learner.
    """
    values = sorted_values([value for one in series for value, _, _ in one.points])
    scores = [y for one in series for _, y, _ in one.points if math.isfinite(y)]
    low, high = (min(scores), max(scores)) if scores else (0.0, 1.0)
    margin = 0.06 * (high - low) or max(abs(high) * 0.01, 0.5)
    low, high = low - margin, high + margin
    ground, step = height - _BOTTOM, (width - _LEFT - _RIGHT) / max(1, len(values))
    places = {value: _LEFT + (k + 0.5) * step for k, value in enumerate(values)}

    def height_of(y: float) -> float:
        return round(ground - (y - low) / (high - low) * (ground - _TOP), 1)

    parts = [*_rows(low, high, height_of, width), *_columns(places, step, ground)]
    for k, one in enumerate(series):
        shift = (k - (len(series) - 1) / 2) * min(9.0, step / (len(series) + 1))
        parts += [_band(one, places, shift, height_of)] if bands else []
        parts += _drawn(one, places, shift, height_of, best)
    middle = (_LEFT + width - _RIGHT) / 2
    parts.append(_axis_title(setting, f"translate({middle:.0f} {height - 8})"))
    parts.append(_axis_title(score, f"translate(13 {(_TOP + ground) / 2:.0f}) rotate(-90)"))
    colors = {name: variable(name) for name in ("ink2", "ink3", "grid")}
    style = element("style", Markup(_STYLE.format(**colors)))
    return element(
        "svg",
        joined([style, *parts]),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        style=f"width:100%;height:{height}px;display:block",
        role="img",
        aria_label=f"{score} by {setting}, {counted(sum(len(one.points) for one in series), 'run')}",
    )


def _axis_title(text: str, transform: str) -> Markup:
    return element("text", text, class_="l", transform=transform, text_anchor="middle")


def _rows(low: float, high: float, height_of: Callable[[float], float], width: int) -> list[Markup]:
    """Return the horizontal grid with its numbers."""
    lines = []
    marks = list(ticks(low, high))
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for tick in marks:
        text = f"{tick:,.{digits}f}".replace("-", "−")
        at = height_of(tick)
        lines.append(element("path", class_="g", d=f"M{_LEFT} {at}H{width - _RIGHT}"))
        lines.append(element("text", text, x=_LEFT - 7, y=at + 4, text_anchor="end"))
    return lines


def _columns(places: dict[str, float], step: float, ground: float) -> list[Markup]:
    """Return the labels of the setting's values, without some if they would overlap."""
    widest = max((len(value) for value in places), default=0) * _LETTER + 8
    every = max(1, math.ceil(widest / step)) if step else 1
    return [
        element("text", value or "–", x=round(x, 1), y=ground + 18, text_anchor="middle")
        for k, (value, x) in enumerate(places.items())
        if k % every == 0
    ]


def _grouped(one: Series) -> dict[str, list[float]]:
    """Return the finite scores by value of the setting."""
    groups: dict[str, list[float]] = {}
    for value, y, _ in one.points:
        if math.isfinite(y):
            groups.setdefault(value, []).append(y)
    return groups


def _band(one: Series, places: dict[str, float], shift: float, height_of: Callable[[float], float]) -> Markup:
    """Return the area between the lowest and the highest run at each value."""
    groups = _grouped(one)
    at = [value for value in places if value in groups]
    edges = [(places[value] + shift, max(groups[value])) for value in at]
    edges += [(places[value] + shift, min(groups[value])) for value in reversed(at)]
    path = "L".join(f"{x:.1f} {height_of(y):.1f}" for x, y in edges)
    fill = f"fill:{variable(one.token)};fill-opacity:.16;stroke:none"
    return element("path", d=f"M{path}Z" if edges else "", style=fill)


def _drawn(
    one: Series, places: dict[str, float], shift: float, height_of: Callable[[float], float], best: str
) -> list[Markup]:
    """Return the line through the means, and a dot per run."""
    color, groups = variable(one.token), _grouped(one)
    known = [(value, y, name) for value, y, name in one.points if math.isfinite(y)]
    means = [(places[v] + shift, height_of(sum(groups[v]) / len(groups[v]))) for v in places if v in groups]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in means)
    drawn = (
        [element("path", d=f"M{path}", style=f"stroke:{color};fill:none;stroke-width:1.8")] if means else []
    )
    for value, y, name in known:
        x, at, title = round(places[value] + shift, 1), height_of(y), element("title", f"{name}: {y:,.6g}")
        dot = f"fill:{color};stroke:{variable('surface')};stroke-width:1"
        drawn.append(element("circle", title, cx=x, cy=at, r=4.2, style=dot))
        if name == best:
            ring = f"fill:none;stroke:{variable('ink')};stroke-width:1.6"
            drawn.append(element("circle", "", cx=x, cy=at, r=8, style=ring))
    return drawn
