"""The Watch tab: skew, scores, states against tags, states in words; all live."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import Card
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty, no_result_yet
from otlab.ui.tab import Tab
from otlab.ui.tagging.components import ConfusionGrid, StateCards, card_rows, confusion_rows
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tabs.watch_cards import SkewCard, TracesCard

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.ui.tagging.results import Result
    from otlab.viz.base.tokens import Tokens

__all__ = ["WatchTab"]

ROWS, COLUMNS, CARDS = 26, 26, 4
_DETAIL_SECONDS = 1.0


class WatchTab(Tab[TaggingState]):
    """The Watch tab."""

    title = "Watch"
    depends = ("progress", "settled", "shown", "selected", "renamed", "pinned")

    def build(self) -> Any:
        """Return the cards in their places."""
        state, tokens = self.state, self.lab.tokens
        self._detailed = 0.0
        self._skew_next = True
        self.skew, self.traces = SkewCard(state, tokens), TracesCard(state, tokens)
        top = across(
            down(self.skew, styles={"flex": "1.43 1 0"}),
            down(self.traces, styles={"flex": "1 1 0"}),
            sizing_mode="stretch_width",
            height=316,
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
        return Card("States against gold tags", self._grid_place, action=switches)

    def _states_card(self) -> Card:
        self.cards = StateCards(self.state.select, self.state.name_state)
        self._empty = no_result_yet("what the states become", "The first picture appears within a second.")
        self._cards_place = _either(self._empty, self.cards)
        every = button("All states", lambda: self.showing.go("States"), plain=True, align="center")
        self._cards_card = Card("States", self._cards_place, remark="largest first", action=every)
        return self._cards_card

    def redraw(self, changed: Set[str]) -> None:
        """Draw what the estimators have so far.

        During a run one card per tick, so that none holds the page up; words and squares once per second.
        """
        if changed != {"progress"}:
            self.skew.show()
            if not changed <= {"selected", "renamed"}:
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
            return
        _see(self.cards, *self._cards_place)
        _see(self._untagged if state.corpus.tags is None else self.grid, *self._grid_place)
        if state.corpus.tags is not None:
            self._show_grid(result)
        self.cards.hue = result.hue
        self.cards.cards = card_rows(result, self._chosen(result))
        self._cards_card.remark = f"{result.view.states_used} of {result.states} in use, largest first"
        self.grid.selected = self.cards.selected = state.selected

    def _show_grid(self, result: Result) -> None:
        """Draw the largest states and tags, or all of them."""
        by_tag, every = self._by.value == "By tag", self._every.value == "All"
        rows, columns = (None, None) if every else (ROWS, COLUMNS)
        data = confusion_rows(result, result.corpus, by_tag=by_tag, rows=rows, columns=columns)
        states, tags = result.view.states_used, len(result.corpus.tagset)
        shown = f"{len(data['rows'])} of {states} states, {len(data['columns'])} of {tags} tags"
        scale = f"of the {'tag' if by_tag else 'state'}; {shown}; outlined: 1-to-1"
        self.grid.param.update(data=data, every=every, scale=scale)

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.skew.recolor(tokens)
        self.traces.recolor(tokens)

    def _chosen(self, result: Result) -> list[int]:
        """Return the biggest states; the one selected takes the last place if it is none of them."""
        selected = self.state.selected
        biggest = [int(k) for k in result.portrait.order[:CARDS]]
        return biggest if selected < 0 or selected in biggest else [*biggest[:-1], selected]


def _either(*choices: Any) -> Any:
    """Return a place for any of some things, the first one seen."""
    _see(choices[0], *choices)
    return down(*choices)


def _see(shown: Any, *choices: Any) -> None:
    """Show one of some things: hiding costs nothing, exchanging walks the whole page."""
    for choice in choices:
        choice.visible = choice is shown
