"""Relearning: words learnt again from the probable source strings of a text with edits.

Where learning starts decides where it ends, and it starts at peaks of branching
entropy. In a text with edits these are blurred: every edit makes the next phone
unpredictable. But once a channel has been learnt, most edits can be undone, and the
peaks of the text so cleaned are sharp again. So, without looking at gold:

1. each word of the present segmentation is replaced by its most probable source string
   (:func:`source_text`);
2. words are learnt from that text alone, without a channel (:func:`learn_words`);
3. learning through the channel goes on with these words and counts (:func:`with_words`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.scores import word_edges

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.starts import Start
    from otlab.discovery.parsing.estep import Expectations
    from otlab.discovery.parsing.parser import Parser

__all__ = ["learn_words", "source_text", "with_words"]

FEWEST_USES = 1.0
"""A word found in the source text is kept if its expected count there is at least this."""

FRESH = 0.02
"""Share of words taken to be new when learning through the channel goes on."""


def source_text(parser: Parser, ends: np.ndarray, best: np.ndarray) -> Corpus:
    """Return the text with each word replaced by its probable source string, without gold.

    Parameters
    ----------
    parser
        Of the text that came out of the channel; utterances the grammar cannot generate are left out.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    best : int ndarray of shape (phones,)
        The source string of the word that ends here; -1 if it has no edit.
    """
    corpus = parser.corpus
    starts, stops = word_edges(corpus, ends)
    words = [
        corpus.phones[i:j] if best[j - 1] < 0 else parser.codes(best[j - 1])
        for i, j in zip(starts, stops, strict=True)
    ]
    utterance = np.searchsorted(corpus.offsets, starts, side="right") - 1
    lengths = np.bincount(utterance, [word.size for word in words], minlength=len(corpus))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    text = replace(corpus, phones=np.concatenate(words), offsets=offsets, gold=None)
    return text.select(parser.items)


def learn_words(
    text: Corpus,
    grammar: Grammar,
    start: Start,
    iterations: int,
    rng: np.random.Generator,
    threads: int | None,
) -> dict[bytes, float]:
    """Learn words by batch VB without a channel; return them as phone codes, with expected counts."""
    learner = BatchVB(text, grammar, start, threads=threads)
    state = learner.step(rng, learner.init(rng), iterations)
    used = state.expected.used[0]
    return {
        learner.parser.codes(word).tobytes(): float(used[word])
        for word in state.posterior.active[0]
        if used[word] >= FEWEST_USES
    }


def with_words(parser: Parser, expected: Expectations, words: dict[bytes, float]) -> Expectations:
    """Return expected counts with these words' counts in place of the present ones.

    Words that appear less than twice in the text that came out of the channel cannot be stored.
    """
    used = np.zeros_like(expected.used)
    used[0] = [words.get(parser.codes(s).tobytes(), 0.0) for s in range(len(parser.spans))]
    new = np.array([FRESH * used.sum()])
    return replace(expected, used=used, built=np.zeros_like(expected.built), new=new)
