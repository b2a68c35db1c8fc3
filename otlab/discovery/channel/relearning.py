"""Hearing a text again: what was probably meant is cut anew, and its words go on.

Where learning starts decides where it ends, and it starts at peaks of branching
entropy. In a text with edits these are blurred: every edit makes the next phone
unpredictable. But once a channel has been learnt, most edits can be undone, and the
peaks of the text so cleaned are sharp again. So, without looking at gold:

1. each word of the present segmentation is replaced by the stored word most probably
   behind it (:func:`meant`);
2. words are learnt from that text alone, without a channel (:func:`relearnt`);
3. the channel goes on with these words and their counts (:func:`with_words`).
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

__all__ = ["meant", "relearnt", "with_words"]

FEWEST_USES = 1.0
"""A word found in the cleaned text goes on if it is expected there at least so often."""

FRESH = 0.02
"""Share of words taken to be new when the channel goes on."""


def meant(parser: Parser, ends: np.ndarray, best: np.ndarray) -> Corpus:
    """Return the text that was probably meant, without gold.

    Parameters
    ----------
    parser
        Of the text as it was heard; utterances the grammar cannot generate are left out.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    best : int ndarray of shape (phones,)
        The stored string behind the word that ends here; -1 if it was heard as it was meant.
    """
    heard = parser.corpus
    starts, stops = word_edges(heard, ends)
    words = [
        heard.phones[i:j] if best[j - 1] < 0 else parser.codes(best[j - 1])
        for i, j in zip(starts, stops, strict=True)
    ]
    utterance = np.searchsorted(heard.offsets, starts, side="right") - 1
    lengths = np.bincount(utterance, [word.size for word in words], minlength=len(heard))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    text = replace(heard, phones=np.concatenate(words), offsets=offsets, gold=None)
    return text.select(parser.items)


def relearnt(
    text: Corpus,
    grammar: Grammar,
    start: Start,
    iterations: int,
    rng: np.random.Generator,
    threads: int | None,
) -> dict[bytes, float]:
    """Return the words batch VB finds in a text, as codes, with their expected counts."""
    learner = BatchVB(text, grammar, start, threads=threads)
    state = learner.step(rng, learner.init(rng), iterations)
    used = state.found.used[0]
    return {
        learner.parser.codes(word).tobytes(): float(used[word])
        for word in state.posterior.active[0]
        if used[word] >= FEWEST_USES
    }


def with_words(parser: Parser, found: Expectations, words: dict[bytes, float]) -> Expectations:
    """Return expected counts as if these words had been used, and others seldom.

    Words that stand less than twice in the text as it was heard cannot be stored.
    """
    used = np.zeros_like(found.used)
    used[0] = [words.get(parser.codes(s).tobytes(), 0.0) for s in range(len(parser.spans))]
    new = np.array([FRESH * used.sum()])
    return replace(found, used=used, built=np.zeros_like(found.built), new=new)
