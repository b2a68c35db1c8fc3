"""The Sentences tab: states word by word over gold tags, and where two estimators disagree."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.tagging.decode import posteriors
from otlab.ui.boxes import across, down
from otlab.ui.buttons import icon_button, segmented
from otlab.ui.cards import Card, Html
from otlab.ui.states import no_result_yet
from otlab.ui.tagging.assets import PAGE_CSS

if TYPE_CHECKING:
    from otlab.ui.tagging.lab import TaggingLab
    from otlab.ui.tagging.results import Result
    from otlab.viz.tokens import Tokens

__all__ = ["SentencesTab", "disagreements", "sentence_html"]

_PAGE = 8
_HUES = ("gibbs", "other", "em")


class SentencesTab:
    """One showing of the Sentences tab."""

    def __init__(self, lab: TaggingLab, tokens: Tokens) -> None:
        self._lab = lab
        self._page = 0
        self._order = segmented(
            "Sentences", {"text": "In order", "differ": "Most disagreement"}, align="center"
        )
        self._order.param.watch(lambda _: self._turn(-self._page), "value")
        self._panes = [
            Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"}) for _ in range(2)
        ]
        self._cards = [Card("", pane) for pane in self._panes]
        self._place = down(
            no_result_yet("sentences with their states", "Run two estimators to compare them.")
        )

    def layout(self) -> Any:
        """Return the cards in their places."""
        back = icon_button("Sentences before", "left", lambda: self._turn(-1), align="center")
        onwards = icon_button("Further sentences", "right", lambda: self._turn(1), align="center")
        head = across(self._order, back, onwards, gap=8, height=36, sizing_mode="stretch_width")
        return down(head, self._place, gap=8)

    def results_changed(self) -> None:
        """Leave the sentences as they are while a run goes."""

    def selected(self) -> None:
        """Draw a page of sentences for each estimator, two at most."""
        results = [r for r in self._lab.results.values() if r.views][:2]
        if not results:
            return
        self._place[:] = [across(*(down(card) for card in self._cards[: len(results)]))]
        chosen = self._chosen(results)
        differ = _differing(results)
        for result, card, pane in zip(results, self._cards, self._panes, strict=False):
            card.title = f"{result.label}, seed {result.settings['seed']}"
            card.remark = (
                "green: matches the gold tag; shaded: the two estimators differ"
                if result.corpus.tags is not None
                else ""
            )
            pane.show("".join(sentence_html(result, s, differ) for s in chosen))

    def recolor(self, tokens: Tokens) -> None:
        """Nothing: everything here follows by its style sheet."""

    def _turn(self, pages: int) -> None:
        last = max((self._lab.corpus.sentences - 1) // _PAGE, 0)
        self._page = min(max(self._page + pages, 0), last)
        self.selected()

    def _chosen(self, results: list[Result]) -> list[int]:
        corpus = self._lab.corpus
        order = np.arange(corpus.sentences)
        if self._order.value == "differ" and len(results) == 2:
            order = np.argsort(-disagreements(*results), kind="stable")
        return [int(s) for s in order[_PAGE * self._page : _PAGE * (self._page + 1)]]


def _differing(results: list[Result]) -> np.ndarray:
    """Return whether two estimators put a token into states matched to different tags."""
    if len(results) < 2:
        return np.zeros(results[0].corpus.tokens, bool)
    one, other = (
        np.array([r.portrait.matching.get(k, -1) for k in range(r.states)])[r.view.labels] for r in results
    )
    return np.asarray(one != other)


def disagreements(one: Result, other: Result) -> np.ndarray:
    """Return how many tokens of each sentence two estimators see differently."""
    sums = np.concatenate([[0], np.cumsum(_differing([one, other]))])
    offsets = one.corpus.offsets
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])


def sentence_html(result: Result, sentence: int, differ: np.ndarray) -> str:
    """Return one sentence: word, posterior of its states, state, gold tag."""
    corpus = result.corpus
    begin, end = (int(n) for n in corpus.offsets[sentence : sentence + 2])
    words = corpus.words[begin:end]
    bars = posteriors(words, result.model.weights) if result.model is not None else None
    tokens = []
    for i, word in enumerate(words):
        label = int(result.view.labels[begin + i])
        gold = "" if corpus.tags is None else corpus.tagset[corpus.tags[begin + i]]
        matched = result.portrait.matching.get(label)
        right = "right" if gold and matched is not None and corpus.tagset[matched] == gold else "wrong"
        marked = " differ" if differ[begin + i] else ""
        tokens.append(
            f'<span class="token{marked}"><span class="w">{escape(corpus.vocabulary[word])}</span>'
            f"{_bar(bars[i]) if bars is not None else ''}"
            f'<span class="s {right if gold else ""}">{escape(result.name(label))}</span>'
            f"<span>{escape(gold)}</span></span>"
        )
    return f'<div class="sentence">{"".join(tokens)}</div>'


def _bar(posterior: np.ndarray) -> str:
    """Return the three largest posterior probabilities as one stacked bar."""
    largest = np.sort(posterior)[::-1][:3]
    parts = "".join(
        f'<i style="width:{100 * p:.0f}%;background:var(--ot-{hue})"></i>'
        for p, hue in zip(largest, _HUES, strict=False)
    )
    return f'<span class="p" title="largest posterior {largest[0]:.2f}">{parts}</span>'
