"""Speakers and items of a mixed fit: how much they differ, each of them, and new ones.

One picture has a row for each speaker (or item) and a panel for each constraint or candidate; 400 speakers
are one SVG, which a card scrolls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.fitted import LEVEL
from otlab.ot.formatting import slashed
from otlab.viz.base.chart_svg import ticks
from otlab.viz.base.names import constraint_html, constraint_svg, constraint_text, form_html, input_html
from otlab.viz.base.numbers import count_text, interval_text, percent_text, value_text
from otlab.viz.base.tokens import variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from otlab.ot.learners.mixed_tokens import LevelName
    from otlab.ot.mixed_fitted import MixedFit

__all__ = ["SPEAKERS_CSS", "group_values", "levels_of", "new_html", "panels_svg", "spreads_html"]

SPEAKERS_CSS = ".ot-groups .head { position: sticky; top: 0; background: var(--ot-surface); }"
_ROW, _HEAD, _NAMES, _PANEL, _GAP = 20, 46, 150, 170, 22  # px
_MOST_PANELS, _MOST_ROWS = 12, 40
_BAR = 150  # px: an interval in a table
_LEVELS: tuple[tuple[LevelName, str, str], ...] = (("speaker", "tau", "speakers"), ("item", "omega", "items"))


class Panels(NamedTuple):
    """What a row of the picture shows of a group, in each panel.

    Attributes
    ----------
    names, tokens
        Of the groups.
    heads, titles
        Of the panels, as the content of an SVG text, and as plain text.
    at, low, high, raw : float64 (groups, panels)
        The estimate, the ends of its interval, and the raw rate; NaN where there is none.
    everyone : float64 (panels,)
        What is expected of a group on average.
    """

    names: tuple[str, ...]
    tokens: NDArray[np.float64]
    heads: tuple[str, ...]
    titles: tuple[str, ...]
    at: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    raw: NDArray[np.float64]
    everyone: NDArray[np.float64]


def levels_of(fit: MixedFit) -> dict[LevelName, str]:
    """Return the levels whose groups differ, with their labels."""
    frames = {"speaker": fit.speakers, "item": fit.items}
    return {level: label.capitalize() for level, _, label in _LEVELS if len(frames[level])}


def group_values(fit: MixedFit, level: LevelName, rates: bool = False) -> Panels:
    """Return what the picture shows of a level: ranking values or weights, or rates.

    Rates are those of all candidates but the first of each input, at most 12 of them.
    """
    values = fit.speakers if level == "speaker" else fit.items
    k = fit.tableau.n_constraints
    names, tokens = tuple(values[level][::k]), values["tokens"].to_numpy()[::k]
    if rates:
        return _rates(fit, level, names, tokens)
    shown = slice(_MOST_PANELS)
    at, low, high = (values[key].to_numpy().reshape(-1, k)[:, shown] for key in ("mean", "low", "high"))
    constraints = fit.tableau.constraints[shown]
    heads, titles = tuple(map(constraint_svg, constraints)), tuple(map(constraint_text, constraints))
    none = np.full(at.shape, np.nan)
    return Panels(names, tokens, heads, titles, at, low, high, none, fit.mean[shown])


def _rates(fit: MixedFit, level: LevelName, names: tuple[str, ...], tokens: NDArray[np.float64]) -> Panels:
    tableau = fit.tableau
    frame = fit.speaker_rates if level == "speaker" else fit.item_rates
    rows = [row for row in range(tableau.n_rows) if row not in tableau.offsets][:_MOST_PANELS]
    place = {
        (tableau.inputs[tableau.input_of_row[row]], tableau.candidates[row]): n for n, row in enumerate(rows)
    }
    number = {name: n for n, name in enumerate(names)}
    at, raw = np.full((2, len(names), len(rows)), np.nan)
    columns = (frame[key] for key in (level, "input", "candidate", "raw", "estimate"))
    for name, input_, candidate, said, estimate in zip(*columns, strict=True):
        panel = place.get((input_, candidate))
        if panel is not None:
            at[number[name], panel], raw[number[name], panel] = estimate, said
    titles = tuple(f"{slashed(input_)} {candidate}" for input_, candidate in place)
    heads = tuple(str(escape(title)) for title in titles)
    none = np.full(at.shape, np.nan)
    return Panels(names, tokens, heads, titles, at, none, none, raw, fit.predicted.mean[rows])


def panels_svg(panels: Panels, *, rates: bool = False, by: int = -1, find: str = "") -> Markup:
    """Return the picture: a row for each group whose name has `find` in it.

    Parameters
    ----------
    panels
        From :func:`group_values`.
    rates
        Whether they are rates, which are drawn from 0 to 1.
    by
        The panel whose estimates order the rows, highest first; -1 for the order of the names.
    """
    found = [n for n, name in enumerate(panels.names) if find.casefold() in name.casefold()]
    if by >= 0:
        found.sort(key=lambda n: -np.nan_to_num(panels.at[n, by], nan=-np.inf))
    every = np.concatenate([panels.at, panels.low, panels.high, panels.raw, panels.everyone[None]])
    low, high = (0.0, 1.0) if rates else (float(np.nanmin(every)), float(np.nanmax(every)))
    span = (low, high) if high > low else (low - 1, low + 1)
    height = _ROW * len(found) + 4
    grid = joined(_reference(panels, panel, span, height) for panel in range(len(panels.heads)))
    rows = joined(_row(panels, n, at, span) for at, n in enumerate(found))
    about = f"{len(found)} rows: names, tokens, and an estimate in each of {len(panels.heads)} panels"
    head = joined(_panel_head(panels.heads[panel], panel, span, rates) for panel in range(len(panels.heads)))
    whole = element("div", _svg(head, len(panels.heads), _HEAD), class_="head")
    return element("div", whole + _svg(grid + rows, len(panels.heads), height, about), class_="ot-groups")


def _svg(content: Markup, panels: int, height: int, about: str = "") -> Markup:
    width = _NAMES + panels * (_PANEL + _GAP)
    size = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
    style = f"display:block;font-size:12px;fill:{variable('ink')}"
    return element(
        "svg", content, xmlns="http://www.w3.org/2000/svg", style=style, role="img", aria_label=about, **size
    )


def _x(value: float, panel: int, span: tuple[float, float]) -> str:
    start = _NAMES + panel * (_PANEL + _GAP)
    return f"{start + _PANEL * (value - span[0]) / (span[1] - span[0]):.1f}"


def _line(x1: str, x2: str, y1: float, y2: float, token: str, width: float = 1, dash: str = "") -> Markup:
    ends = {"x1": x1, "x2": x2, "y1": f"{y1:g}", "y2": f"{y2:g}"}
    return element(
        "line", **ends, style=f"stroke:{variable(token)}", stroke_width=f"{width:g}", stroke_dasharray=dash
    )


def _text(content: object, x: str | float, y: float, token: str = "ink", **others: object) -> Markup:
    return element("text", content, x=x, y=f"{y:g}", style=f"fill:{variable(token)}", **others)


def _panel_head(head: str, panel: int, span: tuple[float, float], rates: bool) -> Markup:
    name = _text(Markup(head), _x(span[0], panel, span), 16, font_weight=600)
    marks = ticks(*span, most=4)
    decimals = 0 if all(float(v).is_integer() for v in marks) else 1
    words = [f"{100 * v:g}" if rates else value_text(v, decimals) for v in marks]
    return name + joined(
        _text(word, _x(v, panel, span), _HEAD - 8, "ink3", text_anchor="middle")
        for word, v in zip(words, marks, strict=True)
    )


def _reference(panels: Panels, panel: int, span: tuple[float, float], height: int) -> Markup:
    marks = joined(_line(x, x, 0, height, "grid") for x in (_x(v, panel, span) for v in ticks(*span, most=4)))
    x = _x(float(panels.everyone[panel]), panel, span)
    return marks + _line(x, x, 0, height, "ink3", 1.2, "3 3")


def _row(panels: Panels, n: int, at: int, span: tuple[float, float]) -> Markup:
    y = _ROW * at + _ROW / 2
    tokens = f"{panels.names[n]}: {count_text(panels.tokens[n])} tokens"
    long = panels.names[n] if len(panels.names[n]) < 15 else panels.names[n][:14] + "…"
    name = _text(element("title", tokens) + long, 0, y + 4)
    count = _text(count_text(panels.tokens[n]), _NAMES - 16, y + 4, "ink3", text_anchor="end")
    return name + count + joined(_mark(panels, n, panel, y, span) for panel in range(len(panels.heads)))


def _mark(panels: Panels, n: int, panel: int, y: float, span: tuple[float, float]) -> Markup:
    at, raw = float(panels.at[n, panel]), float(panels.raw[n, panel])
    if np.isnan(at):
        return Markup("")
    x = _x(at, panel, span)
    low, high = float(panels.low[n, panel]), float(panels.high[n, panel])
    parts = Markup("")
    if not np.isnan(low):
        parts += _line(_x(low, panel, span), _x(high, panel, span), y, y, "other-edge", 2)
    if not np.isnan(raw):
        hollow = f"fill:none;stroke:{variable('ink3')}"
        parts += _line(_x(raw, panel, span), x, y, y, "line2", 1.5)
        parts += element("circle", cx=_x(raw, panel, span), cy=f"{y:g}", r=3.5, style=hollow)
    return parts + element("circle", cx=x, cy=f"{y:g}", r=3.5, style=f"fill:{variable('other-edge')}")


def spreads_html(fit: MixedFit) -> Markup:
    """Return a table of what all share, and of how much speakers and items differ, with 95 % intervals."""
    posterior = fit.posterior
    if posterior is None:
        return Markup("")
    quantity = fit.kind.replace(" ", "_")
    shown = [(quantity, f"{fit.kind.capitalize()}, all")]
    shown += [
        (name, f"{label.capitalize()} ({name})") for _, name, label in _LEVELS if name in posterior.draws
    ]
    tail = (1 - LEVEL) / 2
    numbers = {name: np.quantile(posterior.pooled(name), [tail, 0.5, 1 - tail], axis=0) for name, _ in shown}
    widest = max([float(numbers[name][2].max()) for name, _ in shown[1:]], default=1.0)
    rows = []
    for k, constraint in enumerate(fit.tableau.constraints):
        cells = []
        for name, _ in shown:
            low, middle, high = numbers[name][:, k].tolist()
            bar = Markup("") if name == quantity else _interval_svg(low, middle, high, widest)
            words = f"{value_text(middle)} ({value_text(low)} to {value_text(high)})"
            cells.append(td(bar + element("div", words, class_="small")))
        rows.append(tr([th(constraint_html(constraint), scope="row"), *cells]))
    heads = ["Constraint", *(head for _, head in shown)]
    return table(heads, rows, label="What all share, and how much they differ", kind="ot-compare")


def _interval_svg(low: float, middle: float, high: float, widest: float) -> Markup:
    def at(value: float) -> str:
        return f"{4 + (_BAR - 8) * value / widest:.1f}"

    parts = _line(at(0), at(widest), 8, 8, "grid") + _line(at(low), at(high), 8, 8, "other-edge", 3)
    parts += element("circle", cx=at(middle), cy=8, r=4, style=f"fill:{variable('other-edge')}")
    return element("svg", parts, width=_BAR, height=16, style="display:block", aria_hidden="true")


def new_html(fit: MixedFit) -> Markup:
    """Return a table of the rates of new speakers and items, in per cent, and of the average ones.

    At most 40 candidates are in it.
    """
    new = {str(level): part.to_dict("records") for level, part in fit.new_rates.groupby("new")}
    on = [level for level in ("speaker", "item") if level in new]
    heads = ["Input", "Candidate", "Observed", "New speaker, new item", *(f"New {level}" for level in on)]
    rows = []
    for row, line in enumerate(fit.predictions.head(_MOST_ROWS).to_dict("records")):
        rates = [line, *(new[level][row] for level in on)]
        cells = [percent_text(line["observed"]), *map(_with_interval, rates), percent_text(line["typical"])]
        names = [th(input_html(line["input"]), scope="row"), td(form_html(line["candidate"]))]
        rows.append(tr([*names, *map(td, cells)]))
    return table([*heads, "Average, effects 0"], rows, label="Rates of new ones", kind="ot-compare")


def _with_interval(rate: Mapping[Any, Any]) -> Markup:
    interval = element("small", f" {interval_text(rate['low'], rate['high'])}")
    return escape(percent_text(rate["mean"])) + interval
