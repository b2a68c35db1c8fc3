"""Known tags: which tokens' states are fixed, and how learners are held to them.

With known tags, state k is the k-th tag of the text. A token whose tag is known is replaced by a further
word that only the state of its tag emits, with that state's weight for the original word. The
forward-backward algorithm and the samplers then need no rule for such tokens: all other states have
weight 0 there. Expected counts of further words are added to those of the original words.

>>> from otlab.tagging.corpus import Corpus
>>> corpus = Corpus.from_sentences([[("the", "DT"), ("dog", None)], [("the", "DT"), ("cat", "NN")]])
>>> KnownTags("all").states(corpus), KnownTags("1").states(corpus)
(array([ 0, -1,  0,  1], dtype=int16), array([ 0, -1, -1, -1], dtype=int16))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError
from otlab.tagging.hmm.parameters import Counts, Weights
from otlab.tagging.hmm.starts import Continued, draw_states

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.starts import Start

__all__ = ["NO_TAGS", "Clamped", "KnownTags", "known_counts", "start_counts", "start_labels"]


@dataclass(frozen=True)
class KnownTags:
    """The sentences whose tags are learnt from; all other tags only score the result.

    Parameters
    ----------
    amount
        ``"none"``, ``"all"``, a number of sentences, or a percentage of them: ``"100"``, ``"25%"``.
    seed
        If given, the sentences are drawn at random; otherwise they are the first ones.

    Raises
    ------
    InputError
        For another amount.
    """

    amount: str = "none"
    seed: int | None = None

    def __post_init__(self) -> None:
        self.count(1)

    def count(self, sentences: int) -> int:
        """Return how many of so many sentences have known tags."""
        number = {"none": "0%", "all": "100%"}.get(self.amount, self.amount)
        share = number.endswith("%")
        try:
            value = float(number[:-1]) / 100 if share else int(number)
        except ValueError:
            value = -1
        if not 0 <= value <= (1 if share else np.inf):
            raise InputError(
                Fault(
                    f"--known-tags {self.amount}", "write none, all, a number of sentences, or a share: 25%"
                )
            )
        return min(round(value * sentences), sentences) if share else min(int(value), sentences)

    def states(self, corpus: Corpus) -> np.ndarray | None:
        """Return the state of each token, int16, -1 where it is not known; None if none is known.

        Raises
        ------
        InputError
            If tags of a text without tags are asked for.
        """
        count = self.count(corpus.sentences)
        if count == 0:
            return None
        if corpus.tags is None:
            hint = "give a tagged text, or --known-tags none"
            raise InputError(Fault("the text has no tags to learn from", hint, file=corpus.name))
        order = np.arange(corpus.sentences)
        if self.seed is not None:
            order = np.random.default_rng(self.seed).permutation(order)
        chosen = np.zeros(corpus.sentences, bool)
        chosen[order[:count]] = True
        known = np.where(np.repeat(chosen, corpus.lengths), corpus.tags, -1).astype(np.int16)
        return known if (known >= 0).any() else None


NO_TAGS = KnownTags()
_OF_START = 0.01  # tokens that a start weighs, for each token whose tag is known


def known_counts(corpus: Corpus, known: np.ndarray, states: int) -> Counts:
    """Return the counts of emissions of known tokens, and of transitions between them and the boundary."""
    labels = np.where(known < 0, states, known)
    counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states + 1)
    kept = np.delete(np.delete(counts.transitions, states, 0), states, 1)
    kept[-1, -1] = 0  # no sentence is empty
    return Counts(kept, np.ascontiguousarray(counts.emissions[:, :-1]))


def start_counts(
    start: Start,
    rng: np.random.Generator,
    corpus: Corpus,
    states: int,
    allowed: np.ndarray | None,
    known: np.ndarray | None,
) -> Counts:
    """Return a start's pseudo-counts; with known tags, their counts and a hundredth as many of the start.

    Without known tags it is the start's own. Merialdo (1994) starts EM from the relative frequencies of
    known tags too; a start that weighs more leaves many states far from their tags.
    """
    counts = start.counts(rng, corpus, states, allowed)
    if known is None:
        return counts
    fixed = known_counts(corpus, known, states)
    share = _OF_START * np.count_nonzero(known >= 0) / known.size if (known < 0).any() else 0.0
    return Counts(counts.transitions * share + fixed.transitions, counts.emissions * share + fixed.emissions)


def start_labels(
    start: Start,
    rng: np.random.Generator,
    corpus: Corpus,
    states: int,
    allowed: np.ndarray | None,
    known: np.ndarray | None,
) -> np.ndarray:
    """Return a start's labels; with known tags, drawn from :func:`start_counts` where they are not known."""
    if known is None:
        return start.labels(rng, corpus, states, allowed)
    if isinstance(start, Continued):
        labels = start.labels(rng, corpus, states, allowed)
    else:
        labels = draw_states(rng, corpus, start_counts(start, rng, corpus, states, allowed, known))
    return np.where(known < 0, labels, known).astype(np.int16)


@dataclass(frozen=True, eq=False)
class Clamped:
    """A text in which each pair of a word and a known state is a word of its own.

    Attributes
    ----------
    corpus
        The text; the further words come after the original ones.
    types
        Number of original words.
    words, states : ndarray of int, shape (further words,)
        The original word and the state of each.
    """

    corpus: Corpus
    types: int
    words: np.ndarray
    states: np.ndarray

    @staticmethod
    def of(corpus: Corpus, known: np.ndarray) -> Clamped:
        """Return the text with further words for tokens whose state is known (not -1)."""
        fixed = known >= 0
        width = int(known.max()) + 1
        pairs, which = np.unique(
            corpus.words[fixed].astype(np.int64) * width + known[fixed], return_inverse=True
        )
        words, states = np.divmod(pairs, width)
        text = corpus.words.copy()
        text[fixed] = corpus.types + which
        names = tuple(f"{corpus.vocabulary[w]} in state {k}" for w, k in zip(words, states, strict=True))
        clamped = replace(corpus, words=text, vocabulary=(*corpus.vocabulary, *names))
        return Clamped(clamped, corpus.types, words, states)

    def expand(self, weights: Weights) -> Weights:
        """Return weights with a row for each further word, 1 in its state and 0 elsewhere."""
        dtype = weights.emission.dtype
        rows = np.zeros((self.words.size, weights.states), dtype)
        rows[np.arange(self.words.size), self.states] = 1
        own = np.maximum(weights.emission[self.words, self.states].astype(np.float64), np.finfo(dtype).tiny)
        scale = weights.log_scale[self.words] + np.log(own)
        return Weights(
            weights.transitions,
            np.concatenate([weights.emission, rows]),
            np.concatenate([weights.log_scale, scale]),
        )

    def fold(self, counts: Counts) -> Counts:
        """Return counts with those of further words added to the original words."""
        emissions = counts.emissions[: self.types].copy()
        emissions[self.words, self.states] += counts.emissions[
            self.types + np.arange(self.words.size), self.states
        ]
        return Counts(counts.transitions, emissions)

    def rows(self, emissions: np.ndarray, barred: float) -> np.ndarray:
        """Return a sampler's table of emissions with a row for each further word.

        Original words keep the counts of all their tokens. Those of tokens whose state is known never
        change, so that the conditionals of the other tokens are exact.

        Parameters
        ----------
        emissions : ndarray of shape (types, columns)
            Counts of the labelling.
        barred
            The entry of states that a further word cannot have.
        """
        rows = np.full((self.words.size, emissions.shape[1]), barred, emissions.dtype)
        rows[np.arange(self.words.size), self.states] = emissions[self.words, self.states]
        return np.concatenate([emissions, rows])
