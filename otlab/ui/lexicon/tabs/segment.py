"""The Segment tab: text, words, objective and probabilities of the words; and the name of the text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from otlab.ui.components.cards import html
from otlab.ui.components.layout import across, down
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.tabs.cards import SegmentationCard, SticksCard, TracesCard, WordsCard
from otlab.ui.tab import Part, Tab

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.viz.base.tokens import Tokens

__all__ = ["RESULTS", "SegmentTab", "TextName"]

RESULTS = (
    "corpus",
    "grammar_text",
    "progress",
    "settled",
    "shown",
    "threshold",
    "symbol",
    "locked",
    "banned",
)
"""Parameters of the state that most pictures depend on."""

_NAME = """
.name { display: block; max-width: 320px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  font-size: 13px; font-weight: 550; color: var(--ot-ink2); }
"""


class SegmentTab(Tab[LexiconState]):
    """Four cards on what was found."""

    title = "Segment"
    depends = (*RESULTS, "word", "utterance")

    def build(self) -> Any:
        """Return the cards in their places."""
        state, tokens = self.state, self.lab.tokens
        self.segmentation, self.words = SegmentationCard(state), WordsCard(state)
        self.traces, self.sticks = TracesCard(state, tokens), SticksCard(state, tokens)
        above = across(self.segmentation.card, down(self.words.card, width=430, sizing_mode="stretch_height"))
        below = across(
            self.traces.card,
            down(self.sticks.card, width=430, sizing_mode="stretch_height"),
            height=268,
            sizing_mode="stretch_width",
        )
        return down(above, below)

    def redraw(self, changed: Set[str]) -> None:
        """Draw everything as it is now."""
        if "utterance" in changed:
            self.segmentation.turn_to(self.state.utterance)
        self.segmentation.refresh()
        self.words.refresh()
        self.traces.refresh()
        self.sticks.refresh()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.traces.recolor(tokens)
        self.sticks.recolor(tokens)


class TextName(Part[LexiconState]):
    """The name of the text that is shown."""

    depends = ("corpus",)

    def build(self) -> Any:
        """Return the name's place."""
        self._name = html("", _NAME, align="center")
        return self._name

    def redraw(self, changed: Set[str]) -> None:
        """Show the name of the present text."""
        name = escape(self.state.corpus.name)
        self._name.show(f'<span class="name" title="{name}" aria-label="Text shown: {name}">{name}</span>')
