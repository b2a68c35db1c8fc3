"""The Induce tab: lexicon and corpus beside the derivation and what was learnt.

What was learnt is drawn as the ELBO with its parts, and as probabilities by category. The corpus shows
how each sentence parses; a click selects one.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
import param

from otlab.errors import InputError
from otlab.mg.features import format_features
from otlab.ui.components import esm, styles
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, html, swatch
from otlab.ui.components.component import Component
from otlab.ui.components.layout import across, down
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.derivation_card import DerivationCard
from otlab.ui.mg.tabs.layout import NARROWING
from otlab.ui.mg.tabs.lexicon_card import LexiconCard
from otlab.ui.mg.tabs.wording import with_minus
from otlab.ui.tab import Tab
from otlab.viz.base.live import Live
from otlab.viz.base.numbers import DASH, value_text
from otlab.viz.mg.induction import (
    ELBO_COLORS,
    PROBABILITIES_CSS,
    ItemProbability,
    elbo_element,
    probabilities_html,
    show_elbo,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.mg.parsing.parse import Parse
    from otlab.viz.base.tokens import Tokens

__all__ = ["BesideDerivation", "CorpusCard", "ElboCard", "InduceTab", "ProbabilityCard"]

_HERE = Path(__file__).parent
_MOST_ROWS, _MOST_REFUSED = 100, 3
_UNKNOWN = {"readings": DASH, "kind": "bad", "entropy": DASH, "surprisal": DASH}


class CorpusTable(Component):
    """The rows in the browser."""

    rows = param.String("[]", doc="What each row shows, as JSON: hundreds of rows are compared at once.")

    _esm = esm("corpus", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("corpus", _HERE)

    def __init__(self, on_message: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self._on_message(data)


class CorpusCard:
    """One showing of the corpus.

    Parameters
    ----------
    state
        What is shown and edited.
    choose
        Called with the sentence clicked.
    changed
        Called after an edit.
    """

    def __init__(
        self, state: MGState, choose: Callable[[tuple[str, ...]], None], changed: Callable[[], None]
    ) -> None:
        self._state, self._choose, self._changed = state, choose, changed
        self._table = CorpusTable(self._on_message, sizing_mode="stretch_both", margin=0)
        self.rows: list[dict[str, Any]] = []
        self._notes: dict[tuple[str, ...], str] = {}
        self._known: dict[tuple[str, ...], dict[str, Any]] = {}
        self._version, self._refused = -1, 0
        self._grammar = state.grammar
        add = button(
            "Sentence", self._add, plain=True, icon="plus", description="Add the sentence at the right"
        )
        self.card = Card("Corpus", self._table, action=add)

    def refresh(self) -> None:
        """Draw the rows as they are now."""
        if self._grammar is not self._state.grammar:  # a diagnosis belongs to its grammar
            self._grammar = self._state.grammar
            self._notes.clear()
        if self._version != self._state.version:
            self._version = self._state.version
            self._known.clear()
        self._refused = 0
        sentences = list(self._state.counts)[:_MOST_ROWS]
        self.rows = [self._row(words) for words in sentences]
        self._table.rows = json.dumps(self.rows)
        total = sum(self._state.counts.values())
        self.card.remark = f"{total:,} sentence{'s' if total != 1 else ''}"

    def _row(self, words: tuple[str, ...]) -> dict[str, Any]:
        """Return a row; what its parse says is kept until probabilities or grammar change."""
        if words not in self._known and self._refused < _MOST_REFUSED:
            self._known[words] = self._parsed(words)
        known = self._known.get(words, {**_UNKNOWN, "note": "not tried: other charts were too large"})
        self._refused += known["readings"] == DASH
        row = {"sentence": " ".join(words) or "ε", "count": self._state.counts[words]}
        return {**row, "chosen": words == self._state.sentence, **known}

    def _parsed(self, words: tuple[str, ...]) -> dict[str, Any]:
        try:
            parsed = self._state.parsed(words)
        except InputError as error:
            return {**_UNKNOWN, "note": str(error)}
        n = parsed.derivations
        kind = "bad" if n == 0 else ("warn" if n > 1 else "plain")
        shown = "∞" if n == math.inf else f"{n:,}" if n < 10**6 else f"{float(n):.1e}"
        surprisal = f"{-parsed.log_probability:.1f}" if n else DASH
        note = self._note(words, parsed) if n == 0 else ""
        entropy = f"{parsed.reading_entropy():.2f}" if n > 1 else DASH
        return {"readings": shown, "kind": kind, "entropy": entropy, "surprisal": surprisal, "note": note}

    def _note(self, words: tuple[str, ...], parsed: Parse) -> str:
        """Return the first line of the diagnosis, which probabilities do not change."""
        if words not in self._notes:
            diagnosis = parsed.diagnosis()
            line = diagnosis.lines[0] if diagnosis else ""
            self._notes[words] = with_minus(line[:1].upper() + line[1:], self._state.lexicon)
        return self._notes[words]

    def _on_message(self, data: dict[str, Any]) -> None:
        words = list(self._state.counts)[int(data["index"])]
        if data["kind"] == "choose":
            self._choose(words)
            return
        text = str(data["text"])
        if text.lstrip("-").isdecimal() and abs(int(text)) <= 10**6:
            self._state.set_count(words, int(text))
        self._changed()

    def _add(self) -> None:
        words = self._state.sentence
        if words:
            self._state.set_count(words, self._state.counts.get(words, 0) + 1)
            self._changed()


_PROMISE = "The ELBO of every start, iteration by iteration: it should never fall."
_BEFORE = "Press Run to see each item's probability in its category, with its 95 % interval."
_NARROW = "clamp(176px, 16vw, 262px)"
_NARROWING = f":host {{ width: {_NARROW} !important; flex-basis: {_NARROW} !important; }}"


class ElboCard:
    """The ELBO of every start."""

    def __init__(self, state: MGState, tokens: Tokens) -> None:
        self._state = state
        self._live = Live(elbo_element(), ELBO_COLORS, tokens)
        self._pane = pn.pane.Bokeh(self._live.figure, sizing_mode="stretch_both", margin=0)
        self._promise = html(f'<p class="small">{_PROMISE}</p>')
        self._seed = html("", sizing_mode="stretch_width")
        self._place = down(self._promise, gap=0)
        self.card = Card("ELBO", self._place, remark="press Run", width=262, sizing_mode="stretch_height")
        self.card.body.stylesheets = [*self.card.body.stylesheets, _NARROWING]

    def refresh(self, total: int) -> None:
        """Draw the traces so far."""
        show_elbo(self._live, self._state.starts, total)
        self.card.stale = self._state.stale
        result = self._state.results.get("vb")
        shown = [self._promise] if result is None else [self._pane, self._seed]
        if self._place[0] is not shown[0]:
            self._place[:] = shown
        if result is None:
            self.card.remark = "press Run"
            return
        _, sum_log_z, kl = result.trace[-1]
        said = f"Σ ln Z {value_text(sum_log_z, 1)} − KL {value_text(kl, 1)} nats"
        parts = f'<p class="small cut" title="{said}">{said}</p>'
        self._seed.show(parts + self._seeds())
        self.card.remark = ""

    def _seeds(self) -> str:
        """Show which start was best and the seed that repeats it; those of the others are in the tooltip."""
        starts = self._state.starts
        if not starts:
            return ""
        best = max(range(len(starts)), key=lambda i: float(starts[i][-1]))
        each = "; ".join(
            f"start {i + 1}: ELBO {value_text(float(trace[-1]))}, seed {self._state.start_seed(i)}"
            for i, trace in enumerate(starts)
        )
        which = f"Start {best + 1}, seed" if len(starts) > 1 else "Seed"
        return f'<p class="small cut" title="{each}">{which} {self._state.start_seed(best)}</p>'

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self._live.recolor(tokens)


class ProbabilityCard:
    """Each item's probability in its category, with its interval."""

    def __init__(self, state: MGState) -> None:
        self._state = state
        self._html = html("", PROBABILITIES_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.card = Card("Posterior by category", self._html)

    def refresh(self) -> None:
        """Draw the present probabilities."""
        state = self._state
        legend = [swatch("vb", "VB")] if "vb" in state.results else []
        legend += [swatch("em", "EM")] if "em" in state.results else []
        legend += [swatch("other", "MAP")] if "map" in state.results else []
        legend += [swatch("gibbs", "Gibbs")] if "gibbs" in state.results else []
        self.card.legend = legend
        self.card.remark = _remark(state)
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


def _remark(state: MGState) -> str:
    """Return the diagnostics of the draws, and their distance from VB."""
    if not state.results:
        return "press Run"
    if state.sampled is None:
        return ""
    trust = state.sampled.trust
    figures = f"Gibbs: R-hat {trust.largest_rhat:.2f}, ESS {trust.smallest_ess:,.0f}"
    return figures if np.isfinite(trust.largest_rhat) else "Gibbs: too few draws yet"


# At 1280 x 800 the tree needs the room.
_LOW_WINDOW = "@media (max-height: 840px) and (min-width: 821px) { :host { flex-basis: 178px !important; } }"


class InduceTab(Tab[MGState]):
    """Lexicon, corpus, derivation, ELBO, probabilities."""

    title = "Induce"
    answers = (
        ("derivation", "Derivation"),
        ("elbo", "ELBO"),
        ("probabilities", "Probabilities"),
    )
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
        """Show another lexicon's first sentence, or the one that Undo or Redo has restored."""
        self.lexicon.text.close()
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
