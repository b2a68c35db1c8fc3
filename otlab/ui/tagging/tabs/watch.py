"""The Watch tab: tokens per state, traces by iteration, scores, states against tags, states in words."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.events import Tap

from otlab.errors import counted
from otlab.html import escape
from otlab.tagging.scores import BASELINES
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import Card, CardView, Html, dashed, observed, swatch
from otlab.ui.components.layout import across, down, with_widths
from otlab.ui.components.placeholders import empty, no_result_yet
from otlab.ui.components.row_plot import figure_pane
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PLOTS_CSS
from otlab.ui.tagging.components import ConfusionGrid, StateCards, card_rows, confusion_rows
from otlab.ui.tagging.results import SIX, entropy
from otlab.ui.tagging.settings import learner_groups
from otlab.ui.tagging.state import TaggingState
from otlab.viz.tagging.skew import (
    dash_sample,
    lesson_text,
    names_end,
    names_top,
    reaches_corner,
    skew_colors,
    skew_data,
    skew_element,
    skew_text,
    skew_top,
)
from otlab.viz.tagging.traces import (
    OBJECTIVES,
    SCORE_PANELS,
    ends_html,
    no_traces,
    show_span,
    show_times,
    trace_colors,
    trace_data,
    trace_element,
    trace_span,
)

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.ui.palette import Palette
    from otlab.ui.tagging.results import Result, Skew

__all__ = ["SkewCard", "TracesCard", "WatchTab"]

_PANELS = 4
_TRACED = {"Scores": "Scores", "Baselines": "Baselines", "Objective": "Fit"}
_THOUSANDS_FROM = 10_000  # nats
_MOST_OVER_BARS = 5  # rows of the inset that fit over the small bars at the right


class SkewCard(CardView):
    """Tokens per state, sorted, against gold; clicking a bar selects its state."""

    def __init__(self, state: TaggingState, palette: Palette) -> None:
        super().__init__()
        self._state, self._palette = state, palette
        self._scale = segmented("Scale of the counts", ["Linear", "Log"], align="center")
        self._scale.param.watch(lambda _: self._rebuild(), "value")
        self._inset = Html(
            "", PLOTS_CSS, sizing_mode="stretch_width", height=0, styles={"overflow": "visible"}
        )
        self._beside = Html("", PLOTS_CSS, width=236, sizing_mode="stretch_height", visible=False)
        self._place = down(gap=0)
        self._lesson = Html("", PLOTS_CSS, sizing_mode="stretch_width", visible=False)
        self.card = Card(
            "Tokens per state, largest first",
            self._inset,
            across(self._place, self._beside, gap=10),
            self._lesson,
            action=self._scale,
        )
        self._rebuild()

    def show(self) -> None:
        """Draw all curves: runs, gold tags, the last run, pinned curves."""
        state = self._state
        result, gold = state.result, state.gold
        main = result.skew if result is not None and result.views else None
        others = [r.skew for r in state.results.values() if r is not result and r.views]
        kept = [*state.pinned, *([state.ghost] if state.ghost and not others else [])]
        shown = [skew for skew in (main, *others) if skew is not None]
        logarithmic = self._scale.value == "Log"
        layers = skew_data(
            main.hue if main else "",
            main.tokens if main else (),
            gold.tokens if gold else (),
            {skew.hue: [skew.tokens] for skew in others},
            [skew.tokens for skew in kept],
            self._place_of_selected(),
            self._named_places(),
            logarithmic=logarithmic,
        )
        for label, columns in layers.items():
            self._live.push(label, **columns)
        rows = [skew.tokens for skew in (main, gold, *others, *kept) if skew is not None]
        over_low_bars = names_top(layers["names"], logarithmic=logarithmic)
        highest = max([over_low_bars, *layers["tall names"]["y"]])
        top = skew_top(rows, logarithmic=logarithmic, highest_name=highest)
        self._live.y_range(1.0 if logarithmic else 0.0, top)
        end = max((len(row) for row in rows), default=50) + 0.7
        self._live.x_range(0.3, names_end(layers["tall names"], end))
        shares = _shares(shown, gold, kept, state.ghost)
        runs = len(result.views) if main is not None and result is not None else 1
        beside = logarithmic or len(shares) > _MOST_OVER_BARS or reaches_corner(rows, top, len(shares))
        self._inset.show(skew_text(shares, runs) if shares and not beside else "")
        self._beside.show(skew_text(shares, runs) if beside else "")
        self._beside.visible = beside
        self._show_lesson(shown, gold)
        self.card.legend = _legend(main, gold, others)

    def _show_lesson(self, shown: list[Skew], gold: Skew | None) -> None:
        """Show a sentence on the picture, if there are gold tags to compare with."""
        shown = [skew for skew in shown if len(skew.tokens) > SIX]
        shows = bool(shown) and gold is not None and len(gold.tokens) > SIX
        if shows and gold is not None:
            hues = [row.hue for row in learner_groups().values()]
            order = sorted(shown, key=lambda skew: hues.index(skew.hue))
            shares = [(skew.label, skew.six_biggest) for skew in order]
            above = {skew.label for skew in order if skew.tokens[0] > gold.tokens[0]}
            text = lesson_text(shares, gold.six_biggest, largest_above=above)
            self._lesson.show(f'<p class="lesson">{escape(text)}</p>')
        self._lesson.visible = shows

    def _place_of_selected(self) -> int:
        result, chosen = self._state.result, self._state.selected
        if result is None or not result.views or chosen < 0:
            return -1
        return int(np.flatnonzero(result.portrait.order == chosen)[0])

    def _named_places(self) -> dict[int, str]:
        """Return the states with names by their place among the bars."""
        result = self._state.result
        if result is None or not result.views or not result.names:
            return {}
        order = result.portrait.order.tolist()
        return {order.index(state): name for state, name in result.names.items()}

    def _rebuild(self) -> None:
        logarithmic = self._scale.value == "Log"
        self._live = self._palette.live(skew_element(logarithmic=logarithmic), skew_colors())
        self._live.figure.on_event(Tap, self._tapped)
        self._live.figure.xaxis.ticker.min_interval = 1  # also where there are only three states
        self._place[:] = [figure_pane(self._live)]
        self.show()

    def _tapped(self, event: Tap) -> None:
        result, place = self._state.result, round(event.x) - 1
        if result is not None and result.views and 0 <= place < result.states:
            self._state.select(int(result.portrait.order[place]))


def _shares(
    shown: list[Skew], gold: Skew | None, kept: list[Skew], ghost: Skew | None
) -> list[tuple[str, str, float]]:
    """Return rows of the inset, smallest share first; kept curves with a piece of their line."""
    rows: list[tuple[str, str, float]] = [
        (escape(skew.label), str(skew.hue), skew.six_biggest) for skew in shown
    ]
    if gold is not None:
        rows.append(("gold", "ink", gold.six_biggest))
    for at, skew in enumerate(kept):
        last = "last run: " if skew is ghost else ""
        rows.append((f"{dash_sample(at)} {escape(last + skew.label)}", "ink3", skew.six_biggest))
    return sorted(rows, key=lambda row: row[2])


def _legend(main: Skew | None, gold: Skew | None, others: list[Skew]) -> list[str]:
    entries = [swatch(main.hue, main.label)] if main else []
    entries += [dashed(f"{skew.hue}-edge", skew.label) for skew in others]
    return [*entries, *([observed("gold")] if gold else [])]


@dataclass(frozen=True)
class _Panel:
    """Content of one panel: a heading, the traces of each learner, one row per seed, and baselines.

    `gold` is the gold tags' value, `baselines` that of each baseline by name.
    """

    title: str = ""
    unit: str = ""
    form: str = "{}"
    rows: tuple[tuple[Result, np.ndarray], ...] = ()
    gold: float | None = None
    baselines: tuple[tuple[str, float], ...] = ()


class TracesCard(CardView):
    """Scores, or objectives, by iteration or second: a line a seed, their mean, a band."""

    def __init__(self, state: TaggingState, palette: Palette) -> None:
        super().__init__()
        self._state = state
        self._what = segmented("What is traced", _TRACED, align="center")
        self._axis = segmented("Time axis", {"Iterations": "Iterations", "Seconds": "Time"}, align="center")
        for switch in (self._what, self._axis):
            switch.param.watch(lambda _: self.show(), "value")
        places = range(_PANELS)
        self._lives = [palette.live(trace_element(), trace_colors()) for _ in places]
        self._titles = [Html("", PLOTS_CSS, height=8) for _ in places]
        self._ends = [Html("", PLOTS_CSS, width=104, sizing_mode="stretch_height") for _ in places]
        self._panels = [
            down(title, across(figure_pane(live), ends, gap=0), gap=0)
            for title, live, ends in zip(self._titles, self._lives, self._ends, strict=True)
        ]
        switches = pn.Row(self._what, self._axis, margin=0, align="center", styles={"gap": "6px"})
        self._nothing = no_result_yet("the scores", "They are drawn at each iteration.")
        self.card = Card("Scores", self._nothing, *self._panels, action=switches)

    def show(self) -> None:
        """Draw every learner's traces."""
        results = [r for r in self._state.results.values() if r.views]
        seconds = self._axis.value == "Seconds"
        last = max((self._end(result, seconds) for result in results), default=100.0)
        least = last / 100 if seconds else 0.7
        untagged = self._state.corpus.tags is None
        self._what.visible = not untagged
        objective = untagged or self._what.value == "Objective"
        baselines = self._what.value == "Baselines"
        panels: list[_Panel] = []
        if results:
            panels = _objective_panels(results) if objective else _score_panels(results, baselines=baselines)
        self._nothing.visible = not results
        for place, box in enumerate(self._panels):
            box.visible = place < len(panels)
            box.styles = {**box.styles, "flex": f"{1.5 if place == len(panels) - 1 else 1} 1 0"}
        for place, panel in enumerate(panels):
            self._draw(place, panel, seconds, least, len(panels))
            self._lives[place].figure.xaxis.visible = place == len(panels) - 1
            show_times(self._lives[place], least, 1.05 * last, "\u202fs" if seconds else "")
        self.card.title = "Fit" if objective else "Scores"

    def _draw(self, place: int, panel: _Panel, seconds: bool, least: float, panels: int) -> None:
        live, layers, ends = self._lives[place], no_traces(), []
        for result, values in panel.rows:
            rows = np.arange(values.shape[1], dtype=float)
            x = result.seconds(rows) if seconds else rows
            layers |= trace_data(result.hue, x, values, least)
            ends.append((result.label, str(result.hue), float(values[:, -1].mean())))
        shown = [values for _, values in panel.rows]
        if panel.gold is not None:
            layers["gold"] = {"x": np.array([least, 1e9]), "y": np.full(2, panel.gold)}
            ends.append(("gold", "ink", panel.gold))
            shown.append(np.array([panel.gold]))
        for name, value in panel.baselines:
            layers[f"base {name}"] = {"x": np.array([least, 1e9]), "y": np.full(2, value)}
            ends.append((BASELINES[name], "ink3", value))
            shown.append(np.array([value]))
        for label, columns in layers.items():
            live.push(label, **columns)
        span = trace_span(shown)
        show_span(live, span if shown else None, panel.unit)
        self._titles[place].show(f'<div class="panel-name">{escape(panel.title)}</div>')
        self._ends[place].show(
            ends_html(panel.form, ends, span, gap=min(8.0 * panels, 74 / max(1, len(ends) - 1)))
        )

    @staticmethod
    def _end(result: Result, seconds: bool) -> float:
        rows = float(result.view.iteration)
        return max(float(result.seconds(np.array([rows]))[0]), 1e-3) if seconds else max(rows, 2.0)


def _score_panels(results: list[Result], *, baselines: bool) -> list[_Panel]:
    """Return a panel per score, all learners in each; the last, the skew as a number, has no baselines."""
    lines = results[0].baselines if baselines else {}
    panels = [
        _Panel(
            title,
            unit,
            form,
            tuple((result, factor * result.traces(name)) for result in results),
            baselines=tuple((base, factor * getattr(scores, name)) for base, scores in lines.items()),
        )
        for name, (title, factor, unit, form) in SCORE_PANELS.items()
    ]
    if lines:
        return panels
    rows = tuple((result, result.effective_states) for result in results)
    gold = float(2 ** entropy(results[0].corpus.tag_counts))
    return [*panels, _Panel("Effective states", form="{:.1f}", rows=rows, gold=gold)]


def _objective_panels(results: list[Result]) -> list[_Panel]:
    """Return one panel per learner, because their objectives cannot be compared.

    Where there is room, numbers of states that vary have one, too.
    """
    panels = []
    for result in results:
        name, sign = OBJECTIVES[result.hue]
        values = sign * result.objectives
        large = np.nan_to_num(np.abs(values)).max(initial=0) >= _THOUSANDS_FROM
        unit, factor = ("thousand nats", 1e-3) if large else ("nats", 1.0)
        rises = "" if result.hue == "gibbs" else "; must rise"  # a sampler's log joint goes up and down
        title = f"{result.label}: {name}, {unit}{rises}"
        panels.append(_Panel(title, form="{:,.1f}", rows=((result, factor * values),)))
    for result in results:
        if result.state_counts is not None:
            rows = ((result, result.state_counts),)
            panels.append(_Panel(f"{result.label}: states in use", form="{:.1f}", rows=rows))
    return panels[:_PANELS]


ROWS, COLUMNS, CARDS = 26, 26, 4
# In narrower tabs headings and the lesson take more lines.
_HIGHER = with_widths(
    "@container ot-main (width <= MEDIUM) { "
    ":host { height: 360px !important; flex-basis: 360px !important; } }"
)
_DETAIL_SECONDS = 1.0
_LARGEST_FIRST = "largest first"


class WatchTab(Tab[TaggingState]):
    """The Watch tab."""

    title = "Watch"
    repeats = NOTHING_REPEATED
    answers = (
        ("skew", "Tokens per state"),
        ("traces", "Scores"),
        ("tags_card", "States against gold tags"),
        ("states_card", "States"),
    )
    depends = ("progress", "settled", "shown", "selected", "name_changes", "pinned")

    def build(self) -> Any:
        """Return the cards in their places."""
        state, palette = self.state, self.lab.palette
        self._detailed = 0.0
        self._skew_next = True
        self._run_drawn = 0  # number of the run whose results are drawn; 0 for none
        self.skew, self.traces = SkewCard(state, palette), TracesCard(state, palette)
        top = across(
            down(self.skew, styles={"flex": "1.43 1 0"}),
            down(self.traces, styles={"flex": "1 1 0"}),
            sizing_mode="stretch_width",
            height=316,
            stylesheets=[_HIGHER],
        )
        bottom = across(
            down(self._grid_card(), styles={"flex": "1 1 0"}),
            down(self._states_card(), styles={"flex": "1.06 1 0"}),
        )
        return down(top, bottom)

    def _grid_card(self) -> Card:
        self.grid = ConfusionGrid(self.state.select)
        self._by = segmented("Shares", ["By state", "By tag"], align="center")
        self._every = segmented("How many states and tags", ["Largest", "All"], align="center")
        for switch in (self._by, self._every):
            switch.param.watch(lambda _: self.details(), "value")
        self._untagged = empty(
            "No gold tags", "This text has no tags to compare with; the states in words are beside."
        )
        self._grid_empty = no_result_yet("which states go with which tags", "Matched pairs are outlined.")
        self._grid_place = _either(self._grid_empty, self._untagged, self.grid)
        switches = pn.Row(self._by, self._every, margin=0, align="center", styles={"gap": "8px"})
        self.tags_card = Card("States against gold tags", self._grid_place, action=switches)
        return self.tags_card

    def _states_card(self) -> Card:
        self.cards = StateCards(self.state.select, self.state.name_state)
        self._empty = no_result_yet("what the states become", "The first picture appears in a second or two.")
        self._cards_place = _either(self._empty, self.cards)
        every = button("All states", lambda: self.showing.go("States"), plain=True, align="center")
        self.states_card = Card("States", self._cards_place, remark=_LARGEST_FIRST, action=every)
        return self.states_card

    def redraw(self, changed: Set[str]) -> None:
        """Draw what the estimators have so far.

        During a run one card is drawn per tick, so that drawing does not block the page; words and
        squares are drawn once per second.
        """
        result = self.state.result
        known = result is not None and bool(result.views)
        run = self.state.runs_begun if known else 0
        first, self._run_drawn = run not in (0, self._run_drawn), run
        if first or changed != {"progress"}:
            self.skew.show()
            if not changed <= {"selected", "name_changes"}:
                self.traces.show()
            self.details()
        elif time.monotonic() - self._detailed > _DETAIL_SECONDS:
            self.details()
        else:
            self._skew_next = not self._skew_next
            (self.traces if self._skew_next else self.skew).show()

    def details(self) -> None:
        """Draw states against tags, and states in words."""
        self._detailed = time.monotonic()
        result, state = self.state.result, self.state
        if result is None or not result.views:
            _see(self._empty, *self._cards_place)
            _see(self._grid_empty, *self._grid_place)
            self.states_card.remark, self.tags_card.remark = _LARGEST_FIRST, ""
            return
        _see(self.cards, *self._cards_place)
        tagged = state.corpus.tags is not None
        self._by.visible = self._every.visible = tagged
        _see(self.grid if tagged else self._untagged, *self._grid_place)
        if tagged:
            self._show_grid(result)
        self.cards.hue = result.hue
        self.cards.cards = card_rows(result, self._chosen(result))
        used = f"{result.view.states_used} of {result.states} in use, {_LARGEST_FIRST}"
        self.states_card.remark = ", ".join(filter(None, [result.point, used]))
        self.tags_card.remark = result.point if tagged else ""
        self.grid.selected = self.cards.selected = state.selected

    def _show_grid(self, result: Result) -> None:
        """Draw the largest states and tags, or all of them."""
        by_tag, every = self._by.value == "By tag", self._every.value == "All"
        rows, columns = (None, None) if every else (ROWS, COLUMNS)
        data = confusion_rows(result, result.corpus, by_tag=by_tag, rows=rows, columns=columns)
        states, tags = result.view.states_used, len(result.corpus.tagset)
        shown = (
            f"{len(data['rows'])}/{counted(states, 'state')}, {len(data['columns'])}/{counted(tags, 'tag')}"
        )
        scale = f"of the {'tag' if by_tag else 'state'}; {shown}; outlined: 1\u2011to\u20111"  # in one line
        self.grid.param.update(data=data, every=every, scale=scale)

    def _chosen(self, result: Result) -> list[int]:
        """Return the biggest states in use, with the selected one last if it is not among them."""
        selected = self.state.selected
        biggest = [int(k) for k in result.portrait.order[: min(CARDS, result.view.states_used)]]
        return biggest if selected < 0 or selected in biggest else [*biggest[:-1], selected]


def _either(*choices: Any) -> Any:
    """Return a placeholder that holds one of several parts; the first is visible."""
    _see(choices[0], *choices)
    return down(*choices)


def _see(shown: Any, *choices: Any) -> None:
    """Show one of several parts and hide the others, which is faster than replacing them."""
    for choice in choices:
        choice.visible = choice is shown
