"""The Induce tab: lexicon and corpus beside the derivation and what was learnt of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.components.layout import across, down
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.corpus_card import CorpusCard
from otlab.ui.mg.tabs.derivation_card import DerivationCard
from otlab.ui.mg.tabs.inference_cards import ElboCard, ProbabilityCard
from otlab.ui.mg.tabs.layout import NARROWING
from otlab.ui.mg.tabs.lexicon_card import LexiconCard
from otlab.ui.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.viz.base.tokens import Tokens

__all__ = ["BesideDerivation", "InduceTab"]

# At 1280 x 800 the tree needs the room.
_LOW_WINDOW = "@media (max-height: 840px) and (min-width: 821px) { :host { flex-basis: 178px !important; } }"


class InduceTab(Tab[MGState]):
    """Lexicon, corpus, derivation, ELBO, probabilities."""

    title = "Induce"
    depends = ("progress", "settled")
    at_opening = ("looked",)

    def build(self) -> Any:
        """Return the cards in their places."""
        state = self.state
        self.lexicon = LexiconCard(state, self._edited, self._new)
        self.derivation = DerivationCard(state, self._looked, self._edited, state.preferred_view)
        self.corpus = CorpusCard(state, self.choose, self._edited)
        self.elbo = ElboCard(state, self.lab.tokens)
        self.probabilities = ProbabilityCard(state)
        left = down(
            self.lexicon.card,
            down(self.corpus.card, height=300, sizing_mode="stretch_width"),
            width=430,
            sizing_mode="stretch_height",
            stylesheets=[NARROWING],
        )
        evidence = across(
            self.elbo.card,
            self.probabilities.card,
            height=190,
            sizing_mode="stretch_width",
            stylesheets=[_LOW_WINDOW],
        )
        self.right = down(self.derivation.card, evidence)
        return across(left, self.right)

    def redraw(self, changed: Set[str]) -> None:
        """Draw everything as it is now."""
        self.derivation.refresh()
        self._mark()
        self.corpus.refresh()
        self.elbo.refresh(self.state.settings.iterations)
        self.probabilities.refresh()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.elbo.recolor(tokens)

    def leave(self) -> None:
        """Give the derivation its own place again."""
        if self.derivation.large:
            self.derivation.turn_large()

    def document_changed(self, *, opened: bool) -> None:
        """Show another lexicon's first sentence, or the one that Undo or Redo has brought back."""
        self.lexicon.text.close()
        if opened:
            self.derivation.view.value = self.state.preferred_view
            self.derivation.choose(self.state.sentence)
        else:
            self.derivation.show_sentence()

    def choose(self, words: tuple[str, ...]) -> None:
        """Look at another sentence."""
        with pn.io.hold():
            self.derivation.choose(words)
            self._looked()

    def _edited(self) -> None:
        self.state.edits += 1

    def _new(self) -> None:
        self.lab.open_own("New lexicon", self.state.new, quietly=True)

    def _looked(self) -> None:
        """Mark another sentence or reading, and let the other tabs follow."""
        with pn.io.hold():
            self._mark()
            self.corpus.refresh()
            self.state.looked += 1

    def _mark(self) -> None:
        """Show in the lexicon what the derivation uses, and where readings differ."""
        derivation = self.derivation.derivation
        marked = self.derivation.differing()
        used = marked & set(derivation.texts) if derivation is not None else set()
        self.lexicon.refresh(used, marked)


class BesideDerivation(Tab[MGState]):
    """A tab with one card at the left of the derivation."""

    depends = ("progress", "settled", "looked")

    @property
    def induce(self) -> InduceTab:
        """The tab that has the derivation."""
        tab: InduceTab = self.showing.tab(InduceTab.title)
        return tab

    def build(self) -> Any:
        """Return the card beside the derivation."""
        return across(self.card(), self.induce.right)

    def card(self) -> Any:
        """Return the card."""
        raise NotImplementedError

    def redraw(self, changed: Set[str]) -> None:
        """Draw derivation and card."""
        if changed != {"looked"}:
            self.induce.redraw(changed)
        self.draw()

    def draw(self) -> None:
        """Draw the card."""

    def leave(self) -> None:
        """Give the derivation its own place again."""
        self.induce.leave()
