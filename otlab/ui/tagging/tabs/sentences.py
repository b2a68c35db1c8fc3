"""The Sentences tab: states word by word over gold tags, and where two runs disagree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import panel_material_ui as pmui

from otlab.html import Markup, element
from otlab.tagging.hmm.decode import posteriors
from otlab.tagging.scores import greedy_matching
from otlab.ui.components.buttons import icon_button, segmented
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tokens import sentence_html, state_and_tag, token_html

if TYPE_CHECKING:
    from otlab.tagging.model import Model
    from otlab.ui.tagging.results import Result
    from otlab.viz.base.tokens import Hue

__all__ = ["Seen", "SentencesTab", "disagreements", "tagged_html"]

_PAGE = 8
_HUES: tuple[Hue, ...] = ("gibbs", "other", "em")
_PLACES = ("most probable state", "2nd", "3rd")


@dataclass(frozen=True, eq=False)
class Seen:
    """One run of an estimator, as the tab shows it.

    Attributes
    ----------
    result, run
        The estimator's result, and the number of the run, from 0.
    """

    result: Result
    run: int

    @property
    def label(self) -> str:
        """Label of the run: "EM, run 2"."""
        return f"{self.result.label}, run {self.run + 1}" if len(self.result.views) > 1 else self.result.label

    @property
    def labels(self) -> np.ndarray:
        """Each token's state."""
        return self.result.views[self.run].labels

    @cached_property
    def tag_of_state(self) -> np.ndarray:
        """The tag each state is matched with; -1 if none."""
        table = self.result.views[self.run].table
        matching = dict(greedy_matching(table)) if table.size else {}
        return np.array([matching.get(k, -1) for k in range(self.result.states)])

    def name(self, state: int) -> str:
        """Return the name of a state; names given by the user belong to the first run."""
        return self.result.name(state) if not self.run else f"state {state}"

    def chip(self, state: int) -> Markup:
        """Return a token's state and the tag matched with it, "46 → NNP", as HTML."""
        name = self.name(state).removeprefix("state ")
        tagset = self.result.corpus.tagset
        if not tagset:
            return element("span", name)
        matched = int(self.tag_of_state[state])
        return state_and_tag(name, tagset[matched] if matched >= 0 else "–")

    @property
    def model(self) -> Model | None:
        """The tagger, once the run has ended; only the first run's is kept."""
        return None if self.run else self.result.model


class SentencesTab(Tab[TaggingState]):
    """The Sentences tab; it is not updated during a run."""

    title = "Sentences"
    depends = ("settled", "shown", "name_changes")
    at_opening = ("progress",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._page = 0
        self._seen: dict[str, Seen] = {}
        self._offering = False  # whether the choosers are being updated
        self._order = segmented(
            "Sentences", {"text": "In order", "differ": "Most disagreement"}, align="center"
        )
        self._order.param.watch(lambda _: self._turn(-self._page), "value")
        self._choosers = [self._chooser(side) for side in ("Left", "Right")]
        self._panes = [
            Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}) for _ in range(2)
        ]
        self._cards = [Card("", pane) for pane in self._panes]
        self._place = down(
            no_result_yet("sentences with their states", "Run two estimators to compare them."),
            cards=True,
        )
        back = icon_button("Sentences before", "left", lambda: self._turn(-1), align="center")
        onwards = icon_button("Further sentences", "right", lambda: self._turn(1), align="center")
        head = across(
            self._order, back, onwards, *self._choosers, gap=8, height=40, sizing_mode="stretch_width"
        )
        return down(head, self._place, gap=8)

    def draw(self) -> None:
        """Draw a page of sentences for the runs chosen, two at most."""
        self._offer()
        keys = dict.fromkeys(chooser.value for chooser in self._choosers)
        shown = [self._seen[key] for key in keys if key in self._seen]
        if not shown:
            return
        self._place[:] = [across(*(down(card) for card in self._cards[: len(shown)]))]
        self._order.visible = len(shown) == 2 and bool(self.state.corpus.tagset)
        differ = _differing(shown)
        chosen = self._chosen(shown)
        for seen, card, pane in zip(shown, self._cards, self._panes, strict=False):
            card.title = f"{seen.label}, seed {seen.result.seeds[seen.run]}"
            card.legend = [swatch(hue, place) for hue, place in zip(_HUES, _PLACES, strict=True)] * (
                seen.model is not None
            )
            remark = f'<p class="small">{self._remark(seen, len(shown))}</p>'
            pane.show(remark + "".join(tagged_html(seen, s, differ) for s in chosen))

    def _chooser(self, side: str) -> Any:
        made = pmui.Select(
            label=f"{side} run", options={}, size="small", width=170, margin=0, align="center", visible=False
        )
        made.param.watch(lambda _: None if self._offering else self.draw(), "value")
        return made

    def _offer(self) -> None:
        """Offer every run in the choosers; a new learner is selected at the right."""
        results = [r for r in self.state.results.values() if r.views]
        known = {seen.result.row for seen in self._seen.values()}
        new = [f"{r.row} 0" for r in results if known and r.row not in known]
        self._seen = {f"{r.row} {run}": Seen(r, run) for r in results for run in range(len(r.views))}
        options = {seen.label: key for key, seen in self._seen.items()}
        first = [f"{r.row} 0" for r in results] + list(self._seen)[1:]
        self._offering = True
        for place, chooser in enumerate(self._choosers):
            kept = chooser.value if chooser.value in self._seen else None
            if new and chooser is self._choosers[-1]:
                kept = new[0]
            wanted = kept or (first[place] if place < len(first) else None)
            if list(chooser.options) != list(options) or chooser.value != wanted:
                chooser.param.update(options=options, value=wanted, visible=len(options) > 1)
        self._offering = False

    @staticmethod
    def _remark(seen: Seen, runs: int) -> str:
        if seen.result.corpus.tags is None:
            return "Below each word: its state."
        remark = (
            "Below each word: its state → the tag matched with that state 1-to-1, green if it is the gold tag"
        )
        return f"{remark}; then the gold tag." + (" Shaded: the two runs differ." if runs > 1 else "")

    def _turn(self, pages: int) -> None:
        last = max((self.state.corpus.sentences - 1) // _PAGE, 0)
        self._page = min(max(self._page + pages, 0), last)
        self.draw()

    def _chosen(self, shown: list[Seen]) -> list[int]:
        corpus = self.state.corpus
        order = np.arange(corpus.sentences)
        if self._order.value == "differ" and len(shown) == 2:
            order = np.argsort(-disagreements(*shown), kind="stable")
        return [int(s) for s in order[_PAGE * self._page : _PAGE * (self._page + 1)]]


def _differing(shown: list[Seen]) -> np.ndarray:
    """Return which tokens two runs put into states matched with different tags."""
    if len(shown) < 2:
        return np.zeros(shown[0].labels.size, bool)
    one, other = (seen.tag_of_state[seen.labels] for seen in shown)
    return np.asarray(one != other)


def disagreements(one: Seen, other: Seen) -> np.ndarray:
    """Return the number of tokens of each sentence that two runs label differently."""
    sums = np.concatenate([[0], np.cumsum(_differing([one, other]))])
    offsets = one.result.corpus.offsets
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])


def tagged_html(seen: Seen, sentence: int, differ: np.ndarray) -> str:
    """Return one sentence: word, posterior of its states, state, gold tag."""
    corpus = seen.result.corpus
    tag_names = (*corpus.tagset, "")  # the last for -1, a token without a tag
    begin, end = (int(n) for n in corpus.offsets[sentence : sentence + 2])
    words = corpus.words[begin:end]
    bars = posteriors(words, seen.model.weights) if seen.model is not None else None
    tokens = []
    for i, word in enumerate(words):
        label = int(seen.labels[begin + i])
        gold = "" if corpus.tags is None else tag_names[corpus.tags[begin + i]]
        matched = int(seen.tag_of_state[label])
        right = "right" if gold and matched >= 0 and corpus.tagset[matched] == gold else "wrong"
        below = [
            _bar(bars[i]) if bars is not None else Markup(""),
            element("span", seen.chip(label), class_=f"s {right if gold else ''}".strip()),
            element("span", gold),
        ]
        marked = "differ" if differ[begin + i] else ""
        tokens.append(token_html(corpus.vocabulary[word], below, marked))
    return sentence_html((corpus.vocabulary[word] for word in words), tokens)


def _bar(posterior: np.ndarray) -> Markup:
    """Return the three largest posterior probabilities as one stacked bar."""
    largest = np.sort(posterior)[::-1][:3]
    parts = "".join(
        f'<i style="width:{100 * p:.0f}%;background:var(--ot-{hue})"></i>'
        for p, hue in zip(largest, _HUES, strict=False)
    )
    return element("span", Markup(parts), class_="p", title=f"largest posterior {largest[0]:.2f}")
