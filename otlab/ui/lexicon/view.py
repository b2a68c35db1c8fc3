"""One showing of the lexicon lab: its tabs, and what stands on them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.buttons import button, tabs, undo_buttons
from otlab.ui.cards import html
from otlab.ui.layout import across, down
from otlab.ui.lexicon.cards import SegmentationCard, SticksCard, TracesCard, WordsCard
from otlab.ui.lexicon.data_tab import DataTab
from otlab.ui.lexicon.edits_tab import EditsTab
from otlab.ui.lexicon.runs_tab import RunsTab
from otlab.ui.lexicon.trees_tab import TreesTab

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.discovery.corpus import Corpus
    from otlab.ui.lexicon.state import LexiconState
    from otlab.viz.base.tokens import Tokens

__all__ = ["LexiconView"]

_NAME = """
.name { display: block; max-width: 320px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  font-size: 13px; font-weight: 550; color: var(--ot-ink2); }
"""
TABS = ["Segment", "Trees", "Edits", "Runs", "Data"]


class LexiconView:
    """Tabs over one state.

    Parameters
    ----------
    state
        What is shown.
    tokens
        Colours to begin with.
    looked
        Called after another threshold, word, utterance or what-if.
    opened
        Called with another text, and what had to be left out of it.
    travel
        Undo and redo.
    """

    def __init__(
        self,
        state: LexiconState,
        tokens: Tokens,
        looked: Callable[[], None],
        opened: Callable[[Corpus, Sequence[str]], None],
        travel: tuple[Callable[[], None], Callable[[], None]],
    ) -> None:
        self._state = state
        self._undo, self._redo = undo_buttons(state.history, *travel)
        self.segmentation = SegmentationCard(state, looked)
        self.words = WordsCard(state, looked)
        self.traces = TracesCard(state, tokens)
        self.sticks = SticksCard(state, tokens)
        self._others: dict[str, TreesTab | EditsTab | RunsTab | DataTab] = {
            "Trees": TreesTab(state),
            "Edits": EditsTab(state, self.show_utterance),
            "Runs": RunsTab(state, looked),
            "Data": DataTab(state, opened),
        }
        self._name = html("", _NAME, align="center")
        self._bar = tabs(TABS, align="center")
        self._bar.param.watch(lambda event: self._open(TABS[event.new]), "active")
        above = across(
            self.segmentation.card,
            down(self.words.card, width=430, sizing_mode="stretch_height"),
        )
        below = across(
            self.traces.card,
            down(self.sticks.card, width=430, sizing_mode="stretch_height"),
            height=268,
            sizing_mode="stretch_width",
        )
        self._segment = down(above, below)
        self._place = down(self._segment)

    def layout(self) -> Any:
        """Return the whole content of the page."""
        export = button("Export", lambda: self.go("Data"), icon="download", align="center")
        row = across(
            self._bar,
            pn.HSpacer(),
            self._name,
            self._undo,
            self._redo,
            export,
            gap=6,
            height=38,
            sizing_mode="stretch_width",
        )
        layout = down(row, self._place, gap=8, styles={"padding": "8px 20px 14px"})
        layout._view = self  # a showing lives as long as its layout
        return layout

    def refresh(self) -> None:
        """Draw everything as it is now."""
        name = escape(self._state.corpus.name)
        self._name.show(f'<span class="name" title="{name}" aria-label="Text shown: {name}">{name}</span>')
        tab = TABS[self._bar.active]
        if tab != "Segment":
            self._others[tab].refresh()
            return
        self.segmentation.refresh()
        self.words.refresh()
        self.traces.refresh()
        self.sticks.refresh()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.traces.recolor(tokens)
        self.sticks.recolor(tokens)

    def go(self, tab: str) -> None:
        """Switch to a tab as if it had been clicked."""
        self._bar.active = TABS.index(tab)

    def show_utterance(self, u: int) -> None:
        """Look at one utterance of all, on the first tab."""
        self._state.word, self._state.utterance = "", u
        self.segmentation.turn_to(u)
        self.go("Segment")

    def _open(self, tab: str) -> None:
        with pn.io.hold():
            self.refresh()
            self._place[:] = [self._segment if tab == "Segment" else self._others[tab].card]
