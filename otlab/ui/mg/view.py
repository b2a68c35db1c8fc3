"""One showing of the grammar lab: its tabs, and what stands to their right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import panel as pn

from otlab.ui.buttons import button, tabs, undo_buttons
from otlab.ui.layout import across, down
from otlab.ui.mg.compare_tab import CompareTab
from otlab.ui.mg.corpus_card import CorpusCard
from otlab.ui.mg.data_tab import DataTab
from otlab.ui.mg.derivation_card import DerivationCard
from otlab.ui.mg.inference_cards import ElboCard, ProbabilityCard
from otlab.ui.mg.layout import NARROWING
from otlab.ui.mg.lexicon_card import LexiconCard
from otlab.ui.mg.other_tabs import CheckTab, GenerateTab, ParseTab
from otlab.ui.mg.pool_tab import PoolTab

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.ui.mg.state import MGState
    from otlab.viz.base.tokens import Tokens

__all__ = ["MGView"]

TABS = ["Induce", "Learn lexicon", "Compare", "Parse", "Generate", "Lexicon check", "Data"]
BESIDE_DERIVATION = ("Parse", "Generate")


class _Tab(Protocol):
    """A tab beside Induce."""

    card: Any

    def refresh(self) -> None:
        """Draw it as it is now."""


class MGView:
    """Tabs over one state.

    Parameters
    ----------
    state
        What is shown.
    tokens
        Colours to begin with.
    edited
        Called after an edit of lexicon or corpus.
    opened
        Called with a lexicon loaded from a file.
    new
        Called to begin an empty lexicon.
    adopted
        Called with the entries of a pool that become the lexicon.
    settings
        Returns the values of the run panel's fields.
    view
        Of the derivation, to begin with.
    travel
        Undo and redo.
    """

    def __init__(
        self,
        state: MGState,
        tokens: Tokens,
        edited: Callable[[], None],
        opened: Callable[[Lexicon, str], None],
        new: Callable[[], None],
        adopted: Callable[[Sequence[LexicalItem]], None],
        settings: Callable[[], dict[str, Any]],
        view: str,
        travel: tuple[Callable[[], None], Callable[[], None]],
    ) -> None:
        self._state = state
        self._edited = edited
        self.on_look: Callable[[], None] = lambda: None  # told of another sentence or reading
        self.lexicon = LexiconCard(state, edited, new)
        self.derivation = DerivationCard(state, self._looked, edited, self._enlarge, view)
        self.corpus = CorpusCard(state, self._choose, edited)
        self.elbo = ElboCard(state, tokens)
        self.probabilities = ProbabilityCard(state)
        self.pool = PoolTab(state, lambda: int(settings()["seed"]), adopted)
        self.compare = CompareTab(state, settings)
        self._others: dict[str, _Tab] = {
            "Learn lexicon": self.pool,
            "Compare": self.compare,
            "Parse": ParseTab(state),
            "Generate": GenerateTab(state, self._choose),
            "Lexicon check": CheckTab(state),
            "Data": DataTab(state, opened, self.derivation),
        }
        self._bar = tabs(TABS, align="center")
        self._bar.param.watch(lambda event: self._open(TABS[event.new]), "active")
        self._undo, self._redo = undo_buttons(state.history, *travel)
        self._left = down(
            self.lexicon.card,
            down(self.corpus.card, height=300, sizing_mode="stretch_width"),
            width=430,
            sizing_mode="stretch_height",
            stylesheets=[NARROWING],
        )
        self._evidence = across(
            self.elbo.card, self.probabilities.card, height=190, sizing_mode="stretch_width"
        )
        self._right = down(self.derivation.card, self._evidence)
        self._place = across(self._left, self._right)
        self._induce = list(self._place)

    def layout(self) -> Any:
        """Return the whole content of the page."""
        export = button("Export", lambda: self._go("Data"), icon="download", align="center")
        row = across(
            self._bar,
            pn.HSpacer(),
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

    def refresh(self, iterations: int) -> None:
        """Draw everything as it is now."""
        self.derivation.refresh()
        self._mark()
        self.corpus.refresh()
        self.elbo.refresh(iterations)
        self.probabilities.refresh()
        self._refresh_tab()

    def opened(self, view: str) -> None:
        """Show another lexicon's first sentence in the view that suits it."""
        self.lexicon.text.close()
        self.derivation.view.value = view
        self.derivation.choose(self._state.sentence)

    def close(self) -> None:
        """End what its tabs do on the side: the page is gone."""
        self.pool.task.close()
        self.compare.task.close()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self.elbo.recolor(tokens)

    def _mark(self) -> None:
        """Show in the lexicon what the derivation uses, and where readings differ."""
        derivation = self.derivation.derivation
        marked = self.derivation.differing()
        used = marked & set(derivation.texts) if derivation is not None else set()
        self.lexicon.refresh(used, marked)

    def _looked(self) -> None:
        """After another sentence or reading: mark, and refresh what is about it."""
        with pn.io.hold():
            self._mark()
            self.corpus.refresh()
            self._refresh_tab()
        self.on_look()

    def _choose(self, words: tuple[str, ...]) -> None:
        with pn.io.hold():
            self.derivation.choose(words)
            self._looked()

    def travelled(self) -> None:
        """Show what Undo or Redo has brought back, which may be another lexicon and sentence."""
        self.lexicon.text.close()
        self.derivation.show_sentence()

    def _enlarge(self, large: bool) -> None:
        """Give the derivation the whole place, or take it back."""
        self._evidence.visible = not large
        for part in self._place:
            if part is not self._right:
                part.visible = not large

    def _go(self, tab: str) -> None:
        self._bar.active = TABS.index(tab)

    def _open(self, tab: str) -> None:
        if self.derivation.large:
            self.derivation.turn_large()
        if tab == "Induce":
            self._place[:] = self._induce
            return
        self._refresh_tab()
        self._place[:] = (
            [self._others[tab].card, self._right] if tab in BESIDE_DERIVATION else [self._others[tab].card]
        )

    def _refresh_tab(self) -> None:
        other = self._others.get(TABS[self._bar.active])
        if other is not None:
            other.refresh()
