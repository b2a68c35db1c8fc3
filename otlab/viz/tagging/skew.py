"""Plot the distribution of tokens over states (Johnson 2007, Figure 3), updated during a run.

Bars show the selected run, a dark step line the gold tags, dashed lines other estimators and pinned
runs. Each is sorted by size, so bars at the same position need not be the same state.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from bokeh.models import BasicTicker, NumeralTickFormatter

from otlab.viz.base.numbers import percent_text
from otlab.viz.base.rows import Layers, empty_curve, segments
from otlab.viz.base.style import chrome

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = [
    "KEPT_DASHES",
    "dash_sample",
    "lesson_text",
    "names_end",
    "names_top",
    "reaches_corner",
    "skew_colors",
    "skew_data",
    "skew_element",
    "skew_text",
    "skew_top",
    "steps",
]

_SHOWN = ("em", "vb", "gibbs")
_TALL = 0.4  # bars are tall if higher than this share of the tallest one
_LINE = 0.14  # height of a line of text, as a share of the y axis
_CORNER = 0.45, 0.5  # where the corner with the shares begins, as shares of the width and the height
_LARGE_CORNER = 0.25  # the same of the height, for more than four shares
_USUAL_SHARES = 4
_WIDTH, _MOST_FOR_NAMES = 0.02, 0.75  # width of a letter, and most that a name takes, as shares of the x axis
_LETTER, _LEAST_LEFT = 0.0294, 0.2  # height of a letter of a vertical name, and least share left to its bar
_FARTHEST = 0.4  # rightmost beginning of a tall bar's name, as a share of the x axis
_MOST_TALL = 5  # tall bars with names
# Dashes of the kept curves, in order; further curves have the last one.
KEPT_DASHES = ((2, 3), (9, 3), (9, 3, 2, 3), (4, 2))


def steps(tokens: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline of a row of bars of width 1, the first around x = 1.

    >>> steps([3, 1])
    (array([0.5, 1.5, 1.5, 2.5]), array([3., 3., 1., 1.]))
    """
    edges = np.arange(len(tokens) + 1) + 0.5
    return np.repeat(edges, 2)[1:-1], np.repeat(np.asarray(tokens, dtype=float), 2)


@lru_cache(maxsize=16)
def skew_element(*, logarithmic: bool = False) -> Any:
    """Return the empty picture, a HoloViews overlay; its y axis may be logarithmic."""
    nothing: list[float] = []
    flat = (nothing, nothing, nothing, nothing)
    bars = [hv.Rectangles(flat, label=f"bars {hue}").opts(line_width=0.8) for hue in _SHOWN]
    others = [empty_curve(f"line {hue}").opts(line_width=1.6, line_dash=[5, 4]) for hue in _SHOWN]
    layers = [
        *bars,
        hv.Rectangles(flat, label="selected").opts(fill_alpha=0, line_width=2),
        *others,
        *(
            empty_curve(f"kept {at}").opts(line_width=1.4, line_dash=list(dash))
            for at, dash in enumerate(KEPT_DASHES)
        ),
        empty_curve("gold").opts(line_width=1.8),
        hv.Labels((nothing, nothing, nothing), label="names").opts(
            text_font_size="11px", angle=90, text_align="left", text_baseline="middle"
        ),
        hv.Segments(flat, label="leaders").opts(line_width=1),
        hv.Labels((nothing, nothing, nothing), label="tall names").opts(
            text_font_size="11px", text_align="left", text_baseline="middle"
        ),
    ]
    return chrome(
        hv.Overlay(layers),
        yaxis=True,
        gridstyle={"grid_line_width": 1, "xgrid_line_color": None},
        logy=logarithmic,
        xlabel="states by size",
        ylabel="tokens",
        ylim=(1, 10),
        xlim=(0, 51),
        hooks=[_thousands],
    )


def skew_colors() -> dict[str, dict[str, str]]:
    """Return layer label to {glyph property: token}."""
    bars = {f"bars {hue}": {"fill_color": hue, "line_color": f"{hue}-edge"} for hue in _SHOWN}
    lines = {f"line {hue}": {"line_color": f"{hue}-edge"} for hue in _SHOWN}
    kept = {f"kept {at}": "ink3" for at in range(len(KEPT_DASHES))}
    fixed = {"gold": "ink", "selected": "accent", "leaders": "ink3", **kept}
    strokes = {label: {"line_color": token} for label, token in fixed.items()}
    names = {
        label: {"text_color": "ink", "background_fill_color": "surface"} for label in ("names", "tall names")
    }
    return {**bars, **lines, **strokes, **names}


def skew_data(
    hue: str,
    tokens: Sequence[int],
    gold: Sequence[int],
    others: dict[str, list[Sequence[int]]],
    pinned: list[Sequence[int]],
    selected: int = -1,
    names: dict[int, str] | None = None,
    *,
    logarithmic: bool = False,
) -> Layers:
    """Return layer label to {glyph property: array}.

    Parameters
    ----------
    hue, tokens
        Colour of the selected run, and its tokens per state in descending order.
    gold
        Tokens per tag in descending order; empty if the text has no tags.
    others
        Tokens per state of further runs, by hue.
    pinned
        Tokens per state of pinned runs.
    selected
        Index of the selected state's bar, or -1.
    names
        The user's names of states, by the index of the bar.
    logarithmic
        Whether the y axis is logarithmic.
    """
    layers: Layers = {}
    floor = 0.5 if logarithmic else 0.0  # a logarithmic axis has no 0
    for name in _SHOWN:
        own = np.asarray(tokens if name == hue else (), dtype=float)
        layers[f"bars {name}"] = _bars(own, np.arange(own.size), floor)
        layers[f"line {name}"] = _lines(others.get(name, []), floor)
    chosen = np.asarray(tokens, dtype=float)[selected : selected + 1] if selected >= 0 else np.empty(0)
    layers["selected"] = _bars(chosen, np.full(chosen.size, selected), floor)
    last = len(KEPT_DASHES) - 1
    for at in range(last):
        layers[f"kept {at}"] = _lines(pinned[at : at + 1], floor)
    layers[f"kept {last}"] = _lines(pinned[last:], floor)
    layers["gold"] = _lines([gold] if len(gold) else [], floor)
    curves = [row for row in (tokens, gold, *pinned, *chain(*others.values())) if len(row)]
    layers |= _names(tokens, names or {}, curves, logarithmic=logarithmic)
    return layers


def skew_top(
    rows: Sequence[Sequence[float]], *, logarithmic: bool = False, highest_name: float = 0.0
) -> float:
    """Return a round end of the y axis above all curves, and above a line of text at `highest_name`."""
    above = max(highest_name, 1.0) ** (1 + _LINE) if logarithmic else (1 + _LINE) * highest_name
    top = max([max(row) for row in rows if len(row)] + [above, 1.0])
    power = 10.0 ** np.floor(np.log10(max(top, 1)))
    nice = next(n * power for n in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12) if n * power >= top)
    return float(10 ** np.ceil(np.log10(max(top, 2)))) if logarithmic else float(1.04 * nice)


def names_top(names: dict[str, Any], *, logarithmic: bool = False) -> float:
    """Return the height that the y axis must reach so that vertical names stand whole above their bars.

    Parameters
    ----------
    names
        The layer of that name, as :func:`skew_data` returns it.
    logarithmic
        Whether the y axis is logarithmic.

    >>> round(names_top({"y": [50.0], "text": ["a" * 17]}))
    100
    """
    tops = [0.0]
    for height, name in zip(names["y"], names["text"], strict=True):
        left = max(_LEAST_LEFT, 1 - _LETTER * len(name))
        tops.append(max(height, 1.0) ** (1 / left) if logarithmic else height / left)
    return max(tops)


def names_end(tall: dict[str, Any], end: float, start: float = 0.3) -> float:
    """Return where the x axis must end so that the names beside tall bars stand whole; at least at `end`.

    Parameters
    ----------
    tall
        The layer "tall names", as :func:`skew_data` returns it.
    start
        Where the axis begins.

    >>> round(names_end({"x": [2.9], "text": ["a" * 25]}, 4.7), 2)
    5.5
    """
    for x, name in zip(tall["x"], tall["text"], strict=True):
        share = min(_WIDTH * len(name), _MOST_FOR_NAMES)
        end = max(end, start + (x - start) / (1 - share))
    return float(end)


def reaches_corner(rows: Sequence[Sequence[float]], top: float, shares: int = 1) -> bool:
    """Return whether a curve reaches the upper right corner, where so many shares are listed.

    >>> reaches_corner([[100, 100, 60]], 104), reaches_corner([[100, 40, 5, 4, 3]], 104)
    (True, False)
    """
    begin = int(_CORNER[0] * max(map(len, rows), default=0))
    height = _CORNER[1] if shares <= _USUAL_SHARES else _LARGE_CORNER
    return any(max(row[begin:], default=0) > height * top for row in rows)


def skew_text(shares: Sequence[tuple[str, str, float]], runs: int = 1) -> str:
    """Return the share of the tokens in the six biggest states, one bar per run, as HTML.

    Parameters
    ----------
    shares
        Label as HTML, token of the bar's colour, and share.
    runs
        The number of runs over which the shares are averaged.
    """
    rows = "".join(
        f'<div class="label2">{label}</div><div class="track"><div style="width:{100 * share:.1f}%;'
        f'background:var(--ot-{token})"></div></div><div class="num"><b>{percent_text(share, 0)}</b></div>'
        for label, token, share in shares
    )
    mean = f", mean of {runs} runs" if runs > 1 else ""
    heading = f'<div class="label">In the 6 biggest states{mean}</div>'
    return f'<div class="six">{heading}<div class="grid">{rows}</div></div>'


def dash_sample(at: int) -> str:
    """Return a sample of the line of the pinned curve with this index, as SVG."""
    dash = " ".join(map(str, KEPT_DASHES[min(at, len(KEPT_DASHES) - 1)]))
    stroke = f'style="stroke:var(--ot-ink3)" stroke-width="1.6" stroke-dasharray="{dash}"'
    line = f'<line x1="0" y1="4" x2="22" y2="4" {stroke}/>'
    return f'<svg width="22" height="8" aria-hidden="true">{line}</svg>'


_NEAR = 0.05  # share of the tokens; smaller differences are hardly visible in the picture


def lesson_text(
    shares: Sequence[tuple[str, float]], gold: float, *, largest_above: Collection[str] = ()
) -> str:
    """Return a sentence about each learner's distribution.

    Parameters
    ----------
    shares
        Name of each learner, and the share of tokens in its six biggest states.
    gold
        The share of the six most frequent gold tags.
    largest_above
        Names of learners whose largest state has more tokens than the most frequent gold tag.

    >>> print(lesson_text([("EM", 0.28)], 0.49).replace("\u202f", " "))
    The 6 most frequent gold tags cover 49 % of tokens. EM spreads tokens too evenly: 28 % in 6 states.
    """
    words = [f"The 6 most frequent gold tags cover {percent_text(gold, 0)} of tokens."]
    where = " in 6 states"
    for label, share in shares:
        how = (
            "has a larger first state than gold and spreads the rest too evenly"
            if share < gold - _NEAR and label in largest_above
            else "spreads tokens too evenly"
            if share < gold - _NEAR
            else "crowds tokens into few states"
            if share > gold + _NEAR
            else "comes close"
        )
        words.append(f"{label} {how}: {percent_text(share, 0)}{where}.")
        where = ""
    return " ".join(words).replace("\u2009", "\u202f")  # no line ends before a per cent sign


def _bars(heights: np.ndarray, places: np.ndarray, floor: float) -> dict[str, np.ndarray]:
    return {
        "left": places + 0.56,
        "right": places + 1.44,
        "bottom": np.full(heights.size, floor),
        "top": heights,
    }


def _names(
    tokens: Sequence[int], names: dict[int, str], curves: Sequence[Sequence[float]], *, logarithmic: bool
) -> dict[str, dict[str, Any]]:
    """Return the names of states: vertical above low bars, right of all curves with leaders for tall ones."""
    places = sorted(names)
    tall = [place for place in places if tokens[place] > _TALL * max(tokens)][:_MOST_TALL]
    low = [place for place in places if place not in tall]
    beside, middle = _beside([(place, float(tokens[place])) for place in tall], curves, logarithmic)
    tops = np.array([max(tokens[place], 0.5) for place in low], float)
    return {
        "names": {
            "x": np.array(low, float) + 1.0,
            "y": tops,
            "text": ["\u2002" + names[place] for place in low],
        },
        "leaders": segments(
            np.array(tall, float) + 1.0, np.array([tokens[place] for place in tall], float), beside, middle
        ),
        "tall names": {
            "x": beside,
            "y": middle,
            "text": ["\u2009" + names[place] for place in tall],
        },
    }


def _beside(
    bars: Sequence[tuple[int, float]], curves: Sequence[Sequence[float]], logarithmic: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the beginnings of the names of bars, right of all curves, and their heights.

    `bars` are indices with heights, the tallest first. Names are at least a line of text apart.

    >>> x, y = _beside([(0, 500.0), (1, 480.0)], [[500, 480, 90, 10, 5]], False)
    >>> x, y.round()
    (array([1.9, 2.9]), array([585., 515.]))
    """
    forward, back = (np.log10, lambda u: 10.0**u) if logarithmic else (np.asarray, np.asarray)
    longest = max((len(row) for row in curves), default=0)
    outline = np.ones(longest + 1)
    for row in curves:
        outline[: len(row)] = np.maximum(outline[: len(row)], row)
    outline = forward(outline)
    line = _LINE * float(outline[0])
    farthest = int(_FARTHEST * longest)
    x, y = [], []
    below = -np.inf
    for place, height in reversed(bars):
        middle = max(
            float(forward(max(height, 1.0))) + line / 2,
            below + line,
            float(outline[max(farthest, place + 1)]) + line / 2,
        )
        below = middle
        free = np.flatnonzero(outline <= middle - line / 2)
        x.append(max(int(free[0]), place + 1) + 0.9)
        y.append(float(back(middle)))
    return np.array(x[::-1]), np.array(y[::-1])


def _lines(rows: Sequence[Sequence[float]], floor: float) -> dict[str, np.ndarray]:
    """Return step lines as one source, separated by NaN."""
    xs, ys = [np.empty(0)], [np.empty(0)]
    for row in rows:
        x, y = steps(row)
        xs.append(np.append(x, np.nan))
        ys.append(np.append(np.maximum(y, floor), np.nan))
    return {"x": np.concatenate(xs), "y": np.concatenate(ys)}


def _thousands(plot: Any, element: Any) -> None:
    plot.state.yaxis.formatter = NumeralTickFormatter(format="0,0")
    for axis in plot.state.yaxis:
        if isinstance(axis.ticker, BasicTicker):
            axis.ticker.min_interval = 1  # tokens are counted
    plot.state.xaxis.axis_line_color = plot.state.yaxis.axis_line_color = None
