"""Speakers and items of a mixed fit: how much they differ, each of them, and new ones.

One picture has a row for each speaker (or item) and a panel for each constraint or candidate. Its first row,
which stays in sight, is what all share, or what is expected of a new speaker; 400 speakers are one SVG,
which a card scrolls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.fitted import LEVEL
from otlab.ot.formatting import slashed
from otlab.viz.base.chart_svg import ticks
from otlab.viz.base.css import sheet
from otlab.viz.base.names import (
    NAMES_CSS,
    constraint_html,
    constraint_svg,
    constraint_text,
    form_html,
    input_html,
)
from otlab.viz.base.numbers import count_text, counted_text, interval_text, percent_text, value_text
from otlab.viz.base.svg_marks import dot, interval_svg, line
from otlab.viz.base.tokens import variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.learners.mixed_tokens import LevelName
    from otlab.ot.mixed_fitted import MixedFit

__all__ = [
    "SPEAKERS_CSS",
    "Panels",
    "What",
    "group_values",
    "levels_of",
    "new_html",
    "panels_html",
    "panels_text",
    "spreads_html",
]

_OWN_CSS = """
.ot-groups { display: grid; grid-template-columns: max-content max-content; width: max-content;
  outline-offset: -2px; }
.ot-groups > * { background: var(--ot-surface); }
.ot-groups > .top { position: sticky; top: 0; z-index: 1; border-bottom: 1px solid var(--ot-line); }
.ot-groups > .side { position: sticky; left: 0; }
.ot-groups > .top.side { z-index: 2; }
.ot-compare thead th { white-space: normal; vertical-align: bottom; }
.ot-compare th, .ot-compare td { padding: 3px 5px; }
.ot-compare small { display: block; margin: 0; }
"""
SPEAKERS_CSS = NAMES_CSS + sheet("figures") + _OWN_CSS
_ROW, _HEAD, _NAMES, _PANEL, _GAP, _PAD = 20, 40, 132, 126, 34, 8  # px
_LETTERS, _HEAD_LETTERS = 13, 19  # of a name that is shown whole
_MOST_PANELS, _MOST_ROWS = 12, 40
_LEVELS: tuple[tuple[LevelName, str, str], ...] = (("speaker", "tau", "speakers"), ("item", "omega", "items"))

What = Literal["values", "effects", "rates"]


class Panels(NamedTuple):
    """What a row of the picture shows of a group, in each panel.

    Attributes
    ----------
    level
        Speaker or item.
    names, tokens
        Of the groups.
    heads, titles
        Of the panels, as the content of an SVG text, and as plain text.
    at, low, high, raw : float64 (groups, panels)
        The estimate, the ends of its interval, and the raw rate; NaN where there is none.
    everyone : float64 (3, panels)
        What all share, or what is expected of a new group, and the ends of its interval.
    what
        Whether they are values, effects, or rates, which are drawn from 0 to 1.
    """

    level: LevelName
    what: What
    names: tuple[str, ...]
    tokens: NDArray[np.float64]
    heads: tuple[Markup, ...]
    titles: tuple[str, ...]
    at: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    raw: NDArray[np.float64]
    everyone: NDArray[np.float64]

    @property
    def all_of_them(self) -> str:
        """What the first row is called."""
        return f"All {self.level}s" if self.what == "values" else f"New {self.level}"

    @property
    def rates(self) -> bool:
        """Whether they are rates."""
        return self.what == "rates"

    def number(self, value: float) -> str:
        """Return a value or rate as text."""
        return percent_text(value) if self.rates else value_text(value)

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the axis that all panels share."""
        if self.rates:
            return 0.0, 1.0
        every = np.concatenate([self.at, self.low, self.high, self.everyone])
        low, high = float(np.nanmin(every)), float(np.nanmax(every))
        return (low, high) if high > low else (low - 1, low + 1)

    def order(self, by: int = -1, find: str = "") -> list[int]:
        """Return the groups whose name has `find` in it, the highest in panel `by` first, by name if -1."""
        found = [n for n, name in enumerate(self.names) if find.casefold() in name.casefold()]
        if by >= 0:
            found.sort(key=lambda n: -np.nan_to_num(self.at[n, by], nan=-np.inf))
        return found


def levels_of(fit: MixedFit) -> dict[LevelName, str]:
    """Return the levels whose groups differ, with their labels."""
    frames = {"speaker": fit.speakers, "item": fit.items}
    return {level: label.capitalize() for level, _, label in _LEVELS if len(frames[level])}


def group_values(fit: MixedFit, level: LevelName, what: What = "values") -> Panels:
    """Return what the picture shows of a level, at most 12 panels.

    Parameters
    ----------
    fit, level
        Whose, and of which groups.
    what
        ``"values"``: ranking values or weights, and those that all share; ``"effects"``: how far a group is
        from these, and how far a new one is expected to be; ``"rates"``: those of all candidates but the
        first of each input.
    """
    if what == "rates":
        return _rates(fit, level)
    frame = fit.effects(level) if what == "effects" else _values(fit, level)
    k, shown = fit.tableau.n_constraints, slice(_MOST_PANELS)
    at, low, high = (frame[key].to_numpy().reshape(-1, k)[:, shown] for key in ("mean", "low", "high"))
    constraints = fit.tableau.constraints[shown]
    titles = tuple(map(constraint_text, constraints))
    heads = tuple(
        constraint_svg(name) if len(title) <= _HEAD_LETTERS else _cut(title, _HEAD_LETTERS)
        for name, title in zip(constraints, titles, strict=True)
    )
    if what == "effects":
        everyone = np.array([np.zeros(k), *fit.effects_of_new(level)])
    else:
        everyone = np.array([fit.mean, *_interval(fit, fit.kind.replace(" ", "_"))[[0, 2]]])
    none = np.full(at.shape, np.nan)
    return Panels(
        level, what, *_names(frame, level, k), heads, titles, at, low, high, none, everyone[:, shown]
    )


def _values(fit: MixedFit, level: LevelName) -> pd.DataFrame:
    return fit.speakers if level == "speaker" else fit.items


def _names(frame: pd.DataFrame, level: LevelName, k: int) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    return tuple(frame[level][::k]), frame["tokens"].to_numpy()[::k]


def _rates(fit: MixedFit, level: LevelName) -> Panels:
    tableau = fit.tableau
    names, tokens = _names(_values(fit, level), level, tableau.n_constraints)
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
    heads = tuple(_cut(title, _HEAD_LETTERS) for title in titles)
    none = np.full(at.shape, np.nan)
    new = fit.new_rates[fit.new_rates["new"] == level][["mean", "low", "high"]].to_numpy().T[:, rows]
    return Panels(level, "rates", names, tokens, heads, titles, at, none, none, raw, new)


def _interval(fit: MixedFit, quantity: str) -> NDArray[np.float64]:
    """Return the ends of the interval of draws and their median, as low, median, high; (3, constraints)."""
    assert fit.posterior is not None  # every mixed fit has draws
    tail = (1 - LEVEL) / 2
    found: NDArray[np.float64] = np.quantile(fit.posterior.pooled(quantity), [tail, 0.5, 1 - tail], axis=0)
    return found


def _cut(text: str, most: int) -> Markup:
    return escape(text if len(text) <= most else f"{text[: most - 1]}…")


def panels_html(panels: Panels, *, by: int = -1, find: str = "") -> Markup:
    """Return the picture: a row for each group whose name has `find` in it.

    Parameters
    ----------
    panels
        From :func:`group_values`.
    by
        The panel whose estimates order the rows, highest first; -1 for the order of the data.
    find
        Part of a name, in any case.
    """
    found = panels.order(by, find)
    if not found:
        return element("p", f"No {panels.level} has “{find}” in its name.", class_="small")
    width, height = len(panels.heads) * (_PANEL + _GAP), _ROW * len(found) + 4
    names = joined(_name(panels.names[n], panels.tokens[n], _ROW * at + 14) for at, n in enumerate(found))
    columns = range(len(panels.heads))
    grid = joined(_reference(panels, panel, 0, height) for panel in columns)
    marks = joined(
        _mark(panels, n, panel, _ROW * at + _ROW / 2) for at, n in enumerate(found) for panel in columns
    )
    everyone = _name(panels.all_of_them, panels.tokens.sum(), _HEAD + 14, 600)
    heads = joined(_head(panels, panel) for panel in columns)
    parts = [
        element("div", _svg(everyone, _NAMES, _HEAD + _ROW), class_="top side"),
        element("div", _svg(heads, width, _HEAD + _ROW), class_="top"),
        element("div", _svg(names, _NAMES, height), class_="side"),
        element("div", _svg(grid + marks, width, height)),
    ]
    about = panels_text(panels, by, found)
    named = {"role": "img", "aria_label": about, "tabindex": "0", "data_copy": _copied(panels, found)}
    return element("div", joined(parts), class_="ot-groups", **named)


def panels_text(panels: Panels, by: int, found: list[int]) -> str:
    """Return what the picture says, for a screen reader."""
    panel = max(by, 0)
    title = panels.titles[panel]
    known = [n for n in found if not np.isnan(panels.at[n, panel])]
    at, low, high = map(panels.number, panels.everyone[:, panel])
    order = f"ordered by {title}" if by >= 0 else "in the order of the data"
    who = panels.level if len(found) == 1 else f"{panels.level}s"
    said = [f"{len(found)} {who}, {order}"]
    if known:
        ends = max(known, key=lambda n: panels.at[n, panel]), min(known, key=lambda n: panels.at[n, panel])
        both = zip(("highest", "lowest"), ends, strict=True)
        said.append(f"{title}: " + ", ".join(f"{word} {_said(panels, n, panel)}" for word, n in both))
    return f"{'. '.join(said)}. {panels.all_of_them}: {at} ({low} to {high})"


def _said(panels: Panels, n: int, panel: int) -> str:
    words = f"{panels.names[n]} {panels.number(panels.at[n, panel])}"
    if panels.rates:
        return f"{words} (of its tokens {panels.number(panels.raw[n, panel])})"
    return f"{words} ({panels.number(panels.low[n, panel])} to {panels.number(panels.high[n, panel])})"


def _copied(panels: Panels, found: list[int]) -> str:
    """Return what is shown as a table whose columns are parted by tabs."""
    if panels.rates:
        parts = (("raw", panels.raw), ("estimate", panels.at))
    else:
        parts = (("mean", panels.at), ("low", panels.low), ("high", panels.high))  # type: ignore[assignment]
    heads = [panels.level, "tokens", *(f"{title} {name}" for title in panels.titles for name, _ in parts)]
    rows = [
        [panels.names[n], f"{panels.tokens[n]:g}"]
        + ["" if np.isnan(v[n, p]) else f"{v[n, p]:.6g}" for p in range(len(panels.titles)) for _, v in parts]
        for n in found
    ]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in [heads, *rows])


def _svg(content: Markup, width: int, height: int) -> Markup:
    size = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
    style = f"display:block;font-size:12px;fill:{variable('ink')}"
    return element(
        "svg", content, xmlns="http://www.w3.org/2000/svg", style=style, aria_hidden="true", **size
    )


def _x(panels: Panels, value: float, panel: int) -> str:
    low, high = panels.span
    return f"{panel * (_PANEL + _GAP) + _PAD + _PANEL * (value - low) / (high - low):.1f}"


def _text(content: object, x: str | float, y: float, token: str = "ink", **others: object) -> Markup:
    return element("text", content, x=x, y=f"{y:g}", style=f"fill:{variable(token)}", **others)


def _name(name: str, tokens: float, y: float, weight: int = 400) -> Markup:
    whole = element("title", f"{name}: {counted_text(tokens, 'token')}")
    count = _text(count_text(tokens), _NAMES - 12, y, "ink3", text_anchor="end")
    return _text(whole + _cut(name, _LETTERS), 0, y, font_weight=weight) + count


def _head(panels: Panels, panel: int) -> Markup:
    """Return a panel's title, its axis, and the row of all groups, or of a new one."""
    span = panels.span
    title = element("title", panels.titles[panel]) + panels.heads[panel]
    name = _text(title, panel * (_PANEL + _GAP) + _PAD, 13, font_weight=600)
    marks = ticks(*span, most=4)
    decimals = 0 if all(float(v).is_integer() for v in marks) else 1
    words = [f"{100 * v:g}" if panels.rates else value_text(v, decimals) for v in marks]
    axis = joined(
        _text(word, _x(panels, v, panel), _HEAD - 8, "ink3", text_anchor="middle")
        for word, v in zip(words, marks, strict=True)
    )
    at, low, high = (_x(panels, v, panel) for v in panels.everyone[:, panel])
    y = _HEAD + _ROW / 2 - 1
    everyone = line(low, high, y, y, "ink", 2) + dot(at, y, "ink")
    return name + axis + _reference(panels, panel, _HEAD - 3, _HEAD + _ROW) + everyone


def _reference(panels: Panels, panel: int, top: float, bottom: float) -> Markup:
    marks = joined(
        line(x, x, top, bottom, "grid") for x in (_x(panels, v, panel) for v in ticks(*panels.span, most=4))
    )
    x = _x(panels, float(panels.everyone[0, panel]), panel)
    return marks + line(x, x, top, bottom, "ink3", 1.2, "3 3")


def _mark(panels: Panels, n: int, panel: int, y: float) -> Markup:
    at, raw = float(panels.at[n, panel]), float(panels.raw[n, panel])
    if np.isnan(at):
        return Markup("")
    x = _x(panels, at, panel)
    low, high = float(panels.low[n, panel]), float(panels.high[n, panel])
    parts = element("title", f"{panels.titles[panel]}: {_said(panels, n, panel)}")
    if not np.isnan(low):
        parts += line(_x(panels, low, panel), _x(panels, high, panel), y, y, "other-edge", 2)
    if not np.isnan(raw):
        hollow = f"fill:none;stroke:{variable('ink3')}"
        parts += line(_x(panels, raw, panel), x, y, y, "line2", 1.5)
        parts += element("circle", cx=_x(panels, raw, panel), cy=f"{y:g}", r=3.5, style=hollow)
    return element("g", parts + dot(x, y, "other-edge"))


def spreads_html(fit: MixedFit) -> Markup:
    """Return a table of what all share, and of how much speakers and items differ, with 95 % intervals."""
    assert fit.posterior is not None  # every mixed fit has draws
    quantity = fit.kind.replace(" ", "_")
    shown = [(quantity, f"{fit.kind.capitalize()}, all")]
    shown += [
        (name, f"{label.capitalize()} ({name})") for _, name, label in _LEVELS if name in fit.posterior.draws
    ]
    numbers = {name: _interval(fit, name) for name, _ in shown}
    widest = max([float(numbers[name][2].max()) for name, _ in shown[1:]], default=1.0)
    rows = []
    for k, constraint in enumerate(fit.tableau.constraints):
        cells = []
        for name, _ in shown:
            low, middle, high = numbers[name][:, k].tolist()
            bar = Markup("") if name == quantity else interval_svg(middle, low, high, (0.0, widest))
            interval = element("small", f" {value_text(low)} to {value_text(high)}")
            cells.append(td(bar + escape(value_text(middle)) + interval))
        rows.append(tr([th(constraint_html(constraint), scope="row"), *cells]))
    heads = ["Constraint", *(head for _, head in shown)]
    return table(heads, rows, label="What all share, and how much they differ", kind="ot-compare")


def new_html(fit: MixedFit) -> Markup:
    """Return a table of the rates of new speakers and items, in per cent, and of the average ones.

    At most 40 candidates are in it.
    """
    new = {str(level): part.to_dict("records") for level, part in fit.new_rates.groupby("new")}
    on = [level for level in ("speaker", "item") if level in new]
    both = ["New speaker, new item"] if len(on) == 2 else []
    heads = ["Input", "Candidate", "Observed", *both, *(f"New {level}" for level in on)]
    rows = []
    for row, both_new in enumerate(fit.predictions.head(_MOST_ROWS).to_dict("records")):
        rates = [both_new] * len(both) + [new[level][row] for level in on]
        ends = percent_text(both_new["observed"]), percent_text(both_new["typical"])
        cells = [ends[0], *map(_with_interval, rates), ends[1]]
        names = [th(input_html(both_new["input"]), scope="row"), td(form_html(both_new["candidate"]))]
        rows.append(tr([*names, *map(td, cells)]))
    return table([*heads, "Average"], rows, label="Rates of new ones", kind="ot-compare")


def _with_interval(rate: Mapping[Any, Any]) -> Markup:
    interval = element("small", f" {interval_text(rate['low'], rate['high'])}")
    return escape(percent_text(rate["mean"])) + interval
