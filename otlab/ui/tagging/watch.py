"""The Watch tab: skew, scores, states against tags, states in words; all live."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.buttons import button, segmented
from otlab.ui.cards import Card
from otlab.ui.layout import across, down
from otlab.ui.placeholders import empty, no_result_yet
from otlab.ui.tagging.components import ConfusionGrid, StateCards, card_rows, confusion_rows
from otlab.ui.tagging.watch_cards import SkewCard, TracesCard

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.tagging.results import Result
    from otlab.ui.tagging.state import TaggingState
    from otlab.viz.base.tokens import Tokens

__all__ = ["WatchView"]

ROWS, COLUMNS, CARDS = 26, 26, 4
_DETAIL_SECONDS = 1.0


class WatchView:
    """One showing of the Watch tab.

    Parameters
    ----------
    state, tokens
        What is shown, in which colours.
    select, name
        Called with the state the reader looks at, and with a state and its name.
    all_states
        Opens the tab with all of them.
    """

    def __init__(
        self,
        state: TaggingState,
        tokens: Tokens,
        select: Callable[[int], None],
        name: Callable[[int, str], None],
        all_states: Callable[[], None],
    ) -> None:
        self._state = state
        self.skew, self.traces = SkewCard(state, tokens, select), TracesCard(state, tokens)
        self.grid = ConfusionGrid(select)
        self.cards = StateCards(select, name)
        self._by = segmented("Shares", ["By state", "By tag"], align="center")
        self._by.param.watch(lambda _: self.details(), "value")
        self._detailed = 0.0
        self._skew_next = True
        self._empty = no_result_yet("what the states become", "The first picture appears within a second.")
        self._untagged = empty(
            "No gold tags", "This text has no tags to compare with; the states in words are beside."
        )
        self._grid_empty = no_result_yet("which states go with which tags", "Matched pairs are outlined.")
        self._grid_place = _either(self._grid_empty, self._untagged, self.grid)
        self._every = segmented("How many states and tags", ["Largest", "All"], align="center")
        self._every.param.watch(lambda _: self.details(), "value")
        switches = pn.Row(self._by, self._every, margin=0, align="center", styles={"gap": "8px"})
        self._grid_card = Card("States against gold tags", self._grid_place, action=switches)
        every = button("All states", all_states, plain=True, align="center")
        self._cards_place = _either(self._empty, self.cards)
        self._cards_card = Card("States", self._cards_place, remark="largest first", action=every)

    def layout(self) -> Any:
        """Return the cards in their places."""
        top = across(
            down(self.skew, styles={"flex": "1.43 1 0"}),
            down(self.traces, styles={"flex": "1 1 0"}),
            sizing_mode="stretch_width",
            height=316,
        )
        bottom = across(
            down(self._grid_card, styles={"flex": "1 1 0"}),
            down(self._cards_card, styles={"flex": "1.06 1 0"}),
        )
        return down(top, bottom)

    def results_changed(self) -> None:
        """Draw what the estimators have so far."""
        self.skew.show()
        self.traces.show()
        self.details()

    def ticked(self) -> None:
        """Draw one card a tick, so that none holds the page up; words and squares once a second."""
        if time.monotonic() - self._detailed > _DETAIL_SECONDS:
            self.details()
            return
        self._skew_next = not self._skew_next
        (self.traces if self._skew_next else self.skew).show()

    def details(self) -> None:
        """Draw states against tags, and states in words."""
        self._detailed = time.monotonic()
        result, state = self._state.result, self._state
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

    def selected(self) -> None:
        """Show the selected state everywhere."""
        self.skew.show()
        self.details()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.skew.recolor(tokens)
        self.traces.recolor(tokens)

    def _chosen(self, result: Result) -> list[int]:
        """Return the biggest states; the one selected takes the last place if it is none of them."""
        selected = self._state.selected
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
