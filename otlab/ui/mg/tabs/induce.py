"""The Induce tab: lexicon and corpus beside the derivation and what was learnt.

What was learnt is drawn as the ELBO with its parts, and as probabilities by category. The corpus shows
how each sentence parses; a click selects one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from otlab.mg.features import format_features
from otlab.mg.learners import LEARNERS
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.layout import across, clamped_width, down, show_in, with_widths
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs import left_column
from otlab.ui.mg.tabs.corpus_card import CorpusCard
from otlab.ui.mg.tabs.derivation_card import DerivationCard
from otlab.ui.mg.tabs.lexicon_card import LexiconCard
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import value_text
from otlab.viz.mg.induction import (
    ELBO_COLORS,
    PROBABILITIES_CSS,
    ItemProbability,
    elbo_element,
    probabilities_html,
    show_elbo,
)

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.ui.palette import Palette

__all__ = ["BesideDerivation", "ElboCard", "InduceTab", "ProbabilityCard"]

_PROMISE = "The ELBO of every start, iteration by iteration: it should never fall."
_BEFORE = "Press Run to see each item's probability in its category, with its 95 % interval."
_ELBO_WIDTH = clamped_width(176, 20, 262)


class ElboCard:
    """The ELBO of every start."""

    def __init__(self, state: MGState, palette: Palette) -> None:
        self._state = state
        self._live = palette.live(elbo_element(), ELBO_COLORS)
        self._pane = pn.pane.Bokeh(self._live.figure, sizing_mode="stretch_both", margin=0)
        self._promise = Html(f'<p class="small">{_PROMISE}</p>')
        self._seed = Html("", sizing_mode="stretch_width")
        self._place = down(self._promise, gap=0)
        self.card = Card("ELBO", self._place, remark="press Run", width=262, sizing_mode="stretch_height")
        self.card.body.stylesheets = [*self.card.body.stylesheets, _ELBO_WIDTH]

    def refresh(self, total: int) -> None:
        """Draw the traces so far."""
        show_elbo(self._live, self._state.starts, total)
        self.card.stale = self._state.stale
        result = self._state.results.get("vb")
        show_in(self._place, *([self._promise] if result is None else [self._pane, self._seed]))
        if result is None:
            self.card.remark = "press Run"
            return
        _, sum_log_z, kl = result.trace[-1]
        figures = f"Σ ln Z {value_text(sum_log_z, 1)} − KL {value_text(kl, 1)} nats"
        parts = f'<p class="small cut" title="{figures}">{figures}</p>'
        self._seed.show(parts + self._seeds())
        self.card.remark = "nats, by iteration"

    def _seeds(self) -> str:
        """Show which start was best and the seed that repeats it; those of the others are in the tooltip."""
        starts = self._state.starts
        best = max(range(len(starts)), key=lambda i: float(starts[i][-1]))
        each = "; ".join(
            f"start {i + 1}: ELBO {value_text(float(trace[-1]))}, seed {self._state.start_seed(i)}"
            for i, trace in enumerate(starts)
        )
        which = f"Start {best + 1}, seed" if len(starts) > 1 else "Seed"
        return f'<p class="small cut" title="{each}">{which} {self._state.start_seed(best)}</p>'


class ProbabilityCard:
    """Each item's probability in its category, with its interval."""

    def __init__(self, state: MGState) -> None:
        self._state = state
        self._html = Html("", PROBABILITIES_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.card = Card("Posterior by category", self._html)

    def refresh(self) -> None:
        """Draw the present probabilities."""
        state = self._state
        legend = [swatch("vb", "VB mean")] if "vb" in state.results else []
        legend += [swatch("em", "EM")] if "em" in state.results else []
        legend += [swatch("other", "MAP")] if "map" in state.results else []
        legend += [swatch("gibbs", "Gibbs mean")] if "gibbs" in state.results else []
        self.card.legend = legend
        unsettled = ((LEARNERS[name].label, found.unsettled) for name, found in state.inductions.items())
        self.card.stale = "; ".join(f"{label}: {why}" for label, why in unsettled if why)
        self.card.remark = "" if state.results else "press Run"
        picture = probabilities_html(_items(state)) if state.results else f'<p class="small">{_BEFORE}</p>'
        self._html.show(picture)


def _items(state: MGState) -> list[ItemProbability]:
    lexicon = state.lexicon
    theta, (low, high) = state.theta, state.intervals()
    others = {n: state.results[n].theta for n in ("em", "map") if n in state.results}
    sampled = _sampled(state)
    return [
        ItemProbability(
            item.category,
            item.phon,
            format_features(item.features, lexicon.convention),
            float(theta[n]),
            float(low[n]),
            float(high[n]),
            {name: float(learnt[n]) for name, learnt in others.items()},
            sampled.get(n),
        )
        for n, item in enumerate(lexicon.items[:200])
    ]


def _sampled(state: MGState) -> dict[int, tuple[float, float, float]]:
    """Return mean and 95 % interval of each item by Gibbs, where it stands beside another learner."""
    if state.speaker == "gibbs" or state.sampled is None:
        return {}
    table = state.checked()
    rows = np.column_stack([state.sampled.mean, state.sampled.low, state.sampled.high])
    if table is not None:
        rows = table[["gibbs", "gibbs_low", "gibbs_high"]].to_numpy(dtype=float)
    return {n: (row[0], row[1], row[2]) for n, row in enumerate(rows) if np.isfinite(row).all()}


# At 1280 x 800 the tree needs the room; on the larger page of presenter mode it needs all of it.
_LOW_WINDOW = with_widths(
    "@media (max-height: 840px) { @container ot-main (width > NARROW) { "
    ":host { flex-basis: 178px !important; } } } "
    "@media (max-height: 1000px) { :host { display: var(--ot-side, flex) !important; } }"
)


class InduceTab(Tab[MGState]):
    """Lexicon, corpus, derivation, ELBO, probabilities."""

    title = "Induce"
    repeats = NOTHING_REPEATED
    answers = (
        ("derivation", "Derivation"),
        ("elbo", "ELBO"),
        ("probabilities", "Probabilities"),
    )
    depends = ("progress", "settled")
    at_opening = ("selection_changes",)

    def build(self) -> Any:
        """Return the cards in their places."""
        state = self.state
        self.lexicon = LexiconCard(state, self._edited, self.lab.new)
        self.derivation = DerivationCard(state, self._looked, self._edited, state.preferred_view)
        self.corpus = CorpusCard(state, self.choose, self._edited)
        self.elbo = ElboCard(state, self.lab.palette)
        self.probabilities = ProbabilityCard(state)
        left = left_column(self.lexicon.card, self.corpus.card)
        evidence = across(
            self.elbo.card,
            self.probabilities.card,
            height=190,
            sizing_mode="stretch_width",
            stylesheets=[_LOW_WINDOW],
        )
        self.right = down(self.derivation.card, evidence)
        return across(left, self.right)

    def draw(self) -> None:
        """Draw everything as it is now."""
        self.derivation.refresh()
        self._mark()
        self.corpus.refresh()
        self.elbo.refresh(self.state.settings.iterations)
        self.probabilities.refresh()

    def leave(self) -> None:
        """Move the derivation back to its own place."""
        if self.derivation.large:
            self.derivation.turn_large()

    def document_changed(self, *, opened: bool) -> None:
        """Show another lexicon's first sentence, or the one that Undo or Redo has restored."""
        self.lexicon.box.close(unless_typed=not opened)
        self.corpus.close_text(unless_typed=not opened)
        if opened:
            self.derivation.view.value = self.state.preferred_view
            self.derivation.choose(self.state.sentence)
        else:
            self.derivation.show_sentence()

    def choose(self, words: tuple[str, ...]) -> None:
        """Show another sentence."""
        with pn.io.hold():
            self.derivation.choose(words)
            self._looked()

    def _edited(self) -> None:
        self.state.edits += 1

    def _looked(self) -> None:
        """Mark the selected sentence or reading, and show it on the other tabs."""
        with pn.io.hold():
            self._mark()
            self.corpus.refresh()
            self.state.selection_changes += 1

    def _mark(self) -> None:
        """Show in the lexicon what the derivation uses, and where readings differ."""
        derivation = self.derivation.derivation
        marked = self.derivation.differing
        used = marked & set(derivation.texts) if derivation is not None else set()
        self.lexicon.refresh(used, marked)


class BesideDerivation(Tab[MGState]):
    """A tab with one card at the left of the derivation."""

    depends = ("progress", "settled", "selection_changes")

    @property
    def induce(self) -> InduceTab:
        """The tab that has the derivation."""
        tab: InduceTab = self.showing.tab(InduceTab.title)
        return tab

    def build(self) -> Any:
        """Return the card beside the derivation."""
        return across(left_column(self.card()), self.induce.right)

    def card(self) -> Any:
        """Return the card."""
        raise NotImplementedError

    def redraw(self, changed: Set[str]) -> None:
        """Draw derivation and card."""
        if changed != {"selection_changes"}:
            self.induce.draw()
        self.draw()

    def leave(self) -> None:
        """Move the derivation back to its own place."""
        self.induce.leave()
