"""The Segment tab: segmented text, lexicon, traces of the objective, stick lengths; and the text's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import panel as pn

from otlab.discovery.learners import LEARNERS
from otlab.discovery.learners.sticks import STARVED
from otlab.errors import counted
from otlab.html import escape
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html, dashed, stroke
from otlab.ui.components.layout import across, clamped_width, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.lexicon.components import Pickers, SegmentationRows, ThresholdSlider, WordTable
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.tab import Part, Tab
from otlab.viz.base.numbers import DASH, count_text, counted_text, nats_text, value_text
from otlab.viz.discovery.plots import (
    STICK_COLORS,
    TRACE_COLORS,
    show_shares,
    show_sticks,
    show_traces,
    stick_colors,
    sticks_element,
    trace_element,
)

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from otlab.discovery.learners.view import DiscoveryView
    from otlab.ui.lexicon.state import WordRow
    from otlab.ui.palette import Palette
    from otlab.viz.base.tokens import Hue

__all__ = ["RESULTS", "SegmentTab", "SegmentationCard", "SticksCard", "TextName", "TracesCard", "WordsCard"]

MOST_WORDS = 60
_SOON = 20.0


class SegmentationCard:
    """The segmentation browser.

    Parameters
    ----------
    state
        What is shown.
    """

    def __init__(self, state: LexiconState) -> None:
        self._state = state
        self._first, self._room, self._order = 0, 10, "corpus"
        self._rows = SegmentationRows(self._on_message, shown={"rows": []})
        self._threshold = ThresholdSlider(self._moved, sizing_mode="fixed", width=240, height=26)
        self.card = Card("Segmentation", self._rows, action=self._threshold)

    def refresh(self) -> None:
        """Draw the utterances in view."""
        state = self._state
        order = state.order(self._order)
        self._first = max(0, min(self._first, order.size - 1))
        shown = order[self._first : self._first + self._room]
        ends = state.ends
        last = self._first + shown.size
        self._rows.shown = {
            "rows": [self._row(int(u), ends) for u in shown],
            "threshold": state.threshold,
            "gold": state.corpus.gold is not None,
            "known": state.view is not None,
            "place": _place(self._first + 1, last, order.size),
            "word": state.word,
            "chosen": state.utterance,
        }
        self._threshold.value = state.threshold
        warned = "with warnings" if state.warnings else ""
        self.card.stale = STALE if state.of_another_grammar else warned
        of_word = f" with {state.word}" if state.word else ""
        noun = "utterance" if order.size == 1 else "utterances"
        size = f"{count_text(order.size)} {noun}{of_word}"
        self.card.remark = ", ".join(filter(None, [size, state.point]))

    def turn_to(self, u: int) -> None:
        """Show the page with an utterance, unless it is visible."""
        places = np.flatnonzero(self._state.order(self._order) == u)
        place = int(places[0]) if places.size else 0
        if not self._first <= place < self._first + self._room:
            self._first = place // self._room * self._room

    def _row(self, u: int, ends: np.ndarray) -> dict[str, Any]:
        corpus = self._state.corpus
        first, last = corpus.offsets[u], corpus.offsets[u + 1]
        gold = None if corpus.gold is None else corpus.gold[first : last - 1].tolist()
        gloss = "" if corpus.gold is None else " ".join(corpus.words(u, corpus.gold))
        p = np.round(ends[first : last - 1].astype(float), 3).tolist()
        return {"u": u, "phones": list(corpus.utterance(u)), "p": p, "gold": gold, "gloss": gloss}

    def _moved(self, value: float) -> None:
        self._state.threshold = float(value)

    def _on_message(self, data: dict[str, Any]) -> None:
        kind = data["kind"]
        if kind == "choose":
            self._state.utterance = int(data["utterance"])
            return
        if kind == "room":
            self._room = max(1, min(60, int(data["rows"])))
        elif kind == "turn":
            self._first = max(0, self._first + int(data["by"]) * self._room)
        elif kind == "order":
            self._order, self._first = str(data["value"]), 0
        elif kind == "all":
            self._first, self._state.word = 0, ""
        self.refresh()


def _place(first: int, last: int, total: int) -> str:
    """Return the range of the utterances in view: "12–22 of 400"."""
    if last < first:
        return "none"
    several = f"–{count_text(last)}" if last > first else ""
    return f"{count_text(first)}{several} of {count_text(total)}"


class WordsCard:
    """The lexicon table.

    Parameters
    ----------
    state
        What is shown.
    """

    def __init__(self, state: LexiconState) -> None:
        self._state = state
        self._table = WordTable(self._on_message)
        self._symbol = Pickers(self._look_at, sizing_mode="fixed", width=190, height=28, visible=False)
        self._nothing = no_result_yet("the words", "The first ones appear within a second.")
        self._trial_hint = Html("", sizing_mode="stretch_width")
        self._no_words = Html(_NO_WORDS, sizing_mode="stretch_width", visible=False)
        self._trial = pn.Row(
            self._trial_hint,
            button("Take back", self._state.end_trial, align="center"),
            sizing_mode="stretch_width",
            visible=False,
            margin=0,
            styles={"gap": "10px"},
        )
        self.card = Card(
            "Lexicon", self._no_words, self._table, self._trial, self._nothing, action=self._symbol
        )

    def refresh(self) -> None:
        """Draw the most used words."""
        state = self._state
        self._table.visible, self._nothing.visible = state.view is not None, state.view is None
        adapted = [[name, name] for name in state.grammar.adapted]
        self._symbol.param.update(
            choices=[{"name": "symbol", "label": "Of", "value": state.looked_at, "options": adapted}],
            visible=len(adapted) > 1,
        )
        words = state.words(MOST_WORDS)
        self._no_words.visible = state.view is not None and not words
        most = max((w.count for w in words), default=1.0)
        self._table.param.update(rows=[self._row(w, most) for w in words], hue=LEARNERS[state.shown].hue)
        kind = "word" if state.looked_at == state.grammar.word else "string"
        size = _lexicon_words(state, kind) if words else ""
        point = "" if state.trying else state.point_of_words
        self.card.remark = ", ".join(filter(None, [size, point]))
        self._trial.visible = bool(state.locked or state.banned) and state.view is not None
        self._trial_hint.show(_trial_text(words, state.banned) if state.trying else _TRIAL_LATER)

    def _row(self, word: WordRow, most: float) -> dict[str, Any]:
        state = self._state
        change = round(word.change)
        return {
            "string": word.string,
            "count": count_text(word.count),
            "share": round(100 * word.count / most, 1),
            "weight": f"{word.weight:.3f}",
            "change": "0" if not change else ("+" if change > 0 else "") + value_text(change, 0),
            "gold": DASH if word.in_gold is None else ("✓" if word.in_gold else "×"),
            "tip": f"Stick {word.stick}, {counted(len(word.string), 'character')}, "
            f"first seen at {word.first_seen}",
            "locked": word.string in state.locked,
            "banned": word.string in state.banned,
            "chosen": word.string == state.word,
        }

    def _look_at(self, data: dict[str, Any]) -> None:
        self._state.look_at(str(data["value"]))

    def _on_message(self, data: dict[str, Any]) -> None:
        string = str(data["string"])
        if data["kind"] == "choose":
            self._state.word = "" if self._state.word == string else string
        else:
            self._state.try_word(string, str(data["kind"]))


_NO_WORDS = '<p class="small">No word is kept yet: nothing in this text occurs often enough.</p>'
_TRIAL = (
    "Trial parse: the text was only parsed again. Counts, segmentation and scores are of "
    "the trial; nothing was learnt from it."
)
_TRIAL_LATER = (
    '<p class="small">Bans and locks are not learnt with. When the run ends, the text is parsed again with '
    "them.</p>"
)


def _trial_text(words: Sequence[WordRow], banned: Set[str]) -> str:
    """Return what a trial parse is, and which banned words the rules still build."""
    built = [word for word in words if word.string in banned and word.count >= 0.5]
    named = ", ".join(f"<i>{escape(word.string)}</i> {count_text(word.count)}×" for word in built[:3])
    more = f" and {len(built) - 3} more" if len(built) > 3 else ""
    still = f" The rules still build from phones what is banned: {named}{more}." if built else ""
    return f'<p class="small">{_TRIAL}{still}</p>'


def _lexicon_words(state: LexiconState, kind: str) -> str:
    """Return the number of words, and the trial parse: "35 words; trial parse: 1 banned, 1 locked"."""
    size = f"{counted_text(len(state.entries), kind)}"
    tried = [f"{len(x)} {what}" for x, what in ((state.banned, "banned"), (state.locked, "locked")) if x]
    return f"{size}; trial parse: {', '.join(tried)}" if tried and state.trying else size


class SticksCard:
    """E[pi] by rank, with the leftover mass; for the sampler each string's share."""

    def __init__(self, state: LexiconState, palette: Palette) -> None:
        self._state, self._palette = state, palette
        self._live = palette.live(sticks_element(), STICK_COLORS)
        self._live.clear()
        self._hue: Hue | None = None
        self._note = Html("", sizing_mode="stretch_width")
        self._plot = pn.pane.Bokeh(self._live.figure, sizing_mode="stretch_both", margin=0)
        self._nothing = no_result_yet("the word probabilities", "How probable each word is.")
        self.card = Card("Word probabilities by rank", self._plot, self._note, self._nothing)

    def refresh(self) -> None:
        """Draw the sticks of the selected symbol and show the leftover mass."""
        view, symbol = self._state.view, self._state.looked_at
        drawn = view is not None and bool(self._state.entries)
        self._plot.visible, self._nothing.visible = drawn, view is None
        self._dress()
        sticks = view.sticks.get(symbol) if view is not None else None
        if sticks is not None:
            show_sticks(self._live, sticks, self._state.grammar.adapted[symbol].truncation)
            self._note.show(_leftover_words(sticks.leftover, sticks.concentration, sticks.discount))
            return
        show_shares(self._live, np.array([entry.weight for entry in self._state.entries]))
        self._note.show("" if view is None else _table_words(*view.hyperparameters.get(symbol, (0.0, 0.0))))

    def _dress(self) -> None:
        """Set the colour and the plot of the selected learner."""
        hue = cast("Hue", LEARNERS[self._state.shown].hue)
        if hue == self._hue:
            return
        self._hue = hue
        self._live.paint(stick_colors(hue), self._palette.tokens)
        sampler = self._state.shown == "mcmc"
        self.card.remark = "share of uses" if sampler else "± 2 sd"
        line = stroke(f"{hue}-edge", "share" if sampler else "expected")
        self.card.legend = [line] if sampler else [line, dashed("ink3", "prior")]


def _table_words(concentration: float, discount: float) -> str:
    values = f"concentration {concentration:,.3g}, discount {discount:.2g}"
    return f'<p class="small">The sampler has tables instead; {values}.</p>'


def _leftover_words(leftover: float, concentration: float, discount: float) -> str:
    kind = "bad" if leftover < STARVED else "warn" if leftover < _SOON * STARVED else ""
    words = {"bad": "Too little mass left for new words", "warn": "Little mass left for new words"}
    badge = f'<span class="badge {kind}" role="status">{words[kind]}</span> ' if kind else ""
    tail = f"concentration {concentration:,.3g}, discount {discount:.2g}"
    return f'<p class="small">{badge}Leftover mass {leftover:.2g}, {tail}.</p>'


class TracesCard:
    """The objective of every restart, with marks; its two parts in the head."""

    def __init__(self, state: LexiconState, palette: Palette) -> None:
        self._state = state
        self._live = palette.live(trace_element(), TRACE_COLORS)
        self._live.clear()
        self._plot = pn.pane.Bokeh(self._live.figure, sizing_mode="stretch_both", margin=0)
        self._nothing = no_result_yet("the objective", "It is drawn while the learner works.")
        self.card = Card("Traces", self._plot, self._nothing)

    def refresh(self) -> None:
        """Draw the traces so far."""
        show_traces(self._live, self._state.results, self._state.shown)
        view = self._state.view
        self._plot.visible, self._nothing.visible = view is not None, view is None
        entry = LEARNERS[self._state.shown]
        objective = "log joint" if self._state.shown == "mcmc" else "ELBO"
        self.card.legend = [
            stroke(f"{entry.hue}-edge", f"{objective} by {entry.unit}"),
            dashed("line2", "lexicon changed"),
        ]
        self.card.remark = _parts(view) if view is not None else ""


def _parts(view: DiscoveryView) -> str:
    """Return the objective and, where it has them, its two parts; concentrations have a prior, not a KL."""
    if not view.likelihood.size:
        return nats_text(view.bound)
    parts = f"Σ ln Z {nats_text(view.likelihood[-1])} − KL and prior {nats_text(view.penalty[-1])}"
    return f"{nats_text(view.bound)} = {parts}"


STALE = "from the old grammar"
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


_RIGHT_COLUMN = clamped_width(360, 41, 430)


def _right(card: Card) -> Any:
    """Return the right column, which is narrower where the tab is."""
    return down(card, width=430, sizing_mode="stretch_height", stylesheets=[_RIGHT_COLUMN])


class SegmentTab(Tab[LexiconState]):
    """The Segment tab."""

    title = "Segment"
    repeats = NOTHING_REPEATED
    answers = (
        ("segmentation", "Segmentation"),
        ("words", "Words"),
        ("traces", "Objective"),
        ("sticks", "Sticks"),
    )
    depends = (*RESULTS, "word", "utterance")

    def build(self) -> Any:
        """Return the cards in their places."""
        state, palette = self.state, self.lab.palette
        self.segmentation, self.words = SegmentationCard(state), WordsCard(state)
        self.traces, self.sticks = TracesCard(state, palette), SticksCard(state, palette)
        above = across(self.segmentation.card, _right(self.words.card))
        below = across(
            self.traces.card,
            _right(self.sticks.card),
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


class TextName(Part[LexiconState]):
    """The name of the text that is shown, or of the sound."""

    depends = ("corpus", "sound_changed")

    def build(self) -> Any:
        """Return the name's place."""
        self._name = Html("", _NAME, align="center")
        return self._name

    def draw(self) -> None:
        """Show the name of the present text or sound."""
        name = escape(self.state.name_shown)
        self._name.show(f'<span class="name" title="{name}" aria-label="Shown: {name}">{name}</span>')
