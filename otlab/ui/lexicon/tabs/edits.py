"""The Edits tab: the edits of the channel, and the words behind each cell of their matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.learners import LEARNERS
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.lexicon.components import ChannelErrorList, EditMap
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.tabs.segment import RESULTS, STALE
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import count_text, counted_text
from otlab.viz.discovery.plots import EDITS_CSS, operations_html, swap_rows

if TYPE_CHECKING:
    from otlab.discovery.channel.alignments import ChannelError
    from otlab.discovery.channel.channel import Edits

__all__ = ["EditsTab"]

MOST_ROWS, MOST_PLACES = 60, 4

_FIRST = (
    "To try it on a text without mishearings, first set Edited phones, under Noisy text, to 10: a tenth of "
    "the phones is then changed."
)
_NO_WORDS = (
    '<p class="small">Words that were said one way and heard another way are listed here after Noisy VB '
    "has run.</p>"
)
_NO_MAP: dict[str, Any] = {"symbols": [], "swaps": [], "lost": [], "added": [], "chosen": []}


class EditsTab(Tab[LexiconState]):
    """Operations, the heat map, and the misheard words of the chosen cell."""

    title = "Edits"
    depends = RESULTS

    def build(self) -> Any:
        """Return the cards in their places."""
        self._chosen: tuple[str, str] | None = None
        self._operations = Html("", EDITS_CSS, sizing_mode="stretch_width")
        self._not_run = no_result_yet("the edits", _FIRST, learner=LEARNERS["noisy"].label)
        self._map = EditMap(self._choose, shown=_NO_MAP, visible=False)
        self._list = ChannelErrorList(self._look_up)
        self._card = Card(
            "Edits", self._operations, self._map, self._not_run, remark="rows: meant, columns: heard"
        )
        legend = [swatch("gibbs", "replaced"), swatch("gla", "added or lost")]
        self._nothing = Html(_NO_WORDS)
        self._words = Card("Misheard words", self._nothing, self._list, legend=legend)
        return across(self._card, down(self._words, width=430, sizing_mode="stretch_height"))

    def draw(self) -> None:
        """Draw the channel of the learner that has one."""
        view = self.state.noisy
        self._card.stale = STALE if self.state.of_another_grammar and view is not None else ""
        self._map.visible = view is not None
        self._operations.visible = view is not None
        self._nothing.visible = self._not_run.visible = view is None
        if view is None or view.edits is None:
            self._list.rows = []
            self._words.remark = ""
            return
        self._operations.show(operations_html(view.edits))
        errors = self.state.channel_errors()
        self._map.shown = self._matrix(view.edits, errors)
        self._show_words(errors)

    def _matrix(self, edits: Edits, found: list[ChannelError]) -> dict[str, Any]:
        symbols = self.state.corpus.symbols
        lost = np.zeros(len(symbols), dtype=int)
        for word in found:
            for step in word.steps:
                if step.kind == "delete":
                    lost[step.top] += len(word.utterances)
        swaps, added = swap_rows(edits)
        rows = {"symbols": list(symbols), "swaps": swaps, "lost": lost.tolist(), "added": added}
        return {**rows, "chosen": list(self._chosen or ())}

    def _choose(self, data: dict[str, str]) -> None:
        cell = (str(data["top"]), str(data["bottom"]))
        self._chosen = None if cell == self._chosen else cell
        self.draw()

    def _look_up(self, data: dict[str, Any]) -> None:
        self.state.look_up(int(data["utterance"]))
        self.showing.go("Segment")

    def _show_words(self, found: list[ChannelError]) -> None:
        symbols = self.state.corpus.symbols
        words = [word for word in found if self._chosen is None or _has(word, self._chosen, symbols)]
        times = sum(len(word.utterances) for word in words)
        self._words.title = "Misheard words" if self._chosen is None else _cell_words(*self._chosen)
        self._words.remark = (
            f"{counted_text(len(words), 'pair')}, {count_text(times)} ×"
            if words
            else "no word of the present segmentation"
        )
        self._list.rows = [_row(word, symbols) for word in words[:MOST_ROWS]]


def _cell_words(top: str, bottom: str) -> str:
    if top and bottom:
        return f"{top} heard as {bottom}"
    return f"{top} lost" if top else f"{bottom} added"


def _has(word: ChannelError, cell: tuple[str, str], symbols: tuple[str, ...]) -> bool:
    """Return whether a word has the edit of a cell."""
    top, bottom = (symbols.index(side) if side else -1 for side in cell)
    return any(step.kind != "none" and (step.top, step.bottom) == (top, bottom) for step in word.steps)


def _row(word: ChannelError, symbols: tuple[str, ...]) -> dict[str, Any]:
    def spelled(code: int) -> str:
        return symbols[code] if code >= 0 else ""

    utterances = list(dict.fromkeys(word.utterances))
    return {
        "meant": "".join(map(spelled, word.source)),
        "heard": "".join(map(spelled, word.output)),
        "steps": [{"kind": s.kind, "top": spelled(s.top), "bottom": spelled(s.bottom)} for s in word.steps],
        "times": count_text(len(word.utterances)),
        "utterances": utterances[:MOST_PLACES],
        "more": len(utterances) > MOST_PLACES,
    }
