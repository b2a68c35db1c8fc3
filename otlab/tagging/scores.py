r"""Scores of states against tags: 1-to-1, many-to-1, variation of information, V-measure.

From the table of tokens by state y and gold tag t (Johnson 2007, section 2), with
entropies **in bits** (Table 1's are: its EM(50) would need H(Y) = ln 50 in nats):

.. math::
    I = \sum_{y,t} p(y,t) \log_2 \frac{p(y,t)}{p(y) p(t)}, \quad
    VI = H(T|Y) + H(Y|T), \quad V = \frac{2 I}{H(T) + H(Y)}.

1-to-1 takes the best free pair again and again (Haghighi & Klein 2006); the optimal
assignment is given beside it. Ends of sentences are never scored.

Baselines are scores of taggers that learn nothing from context. A learner should beat the first two:

=================  =========================================================================
one_tag            all tokens in one state
random             every token in a state drawn with equal probability
most_frequent_tag  every token has its word's most frequent tag, read off the gold tags
=================  =========================================================================

The last reads the gold tags, which no learner here does; it is the usual baseline of supervised tagging.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from otlab.errors import InputError
from otlab.tagging.kernels.labels import count_pairs

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = [
    "BASELINES",
    "SCORES",
    "Scorer",
    "Scores",
    "baselines",
    "greedy_matching",
    "most_frequent_tags",
    "score",
]


@dataclass(frozen=True)
class Scores:
    """The eight figures; shares of tokens, and bits.

    Attributes
    ----------
    one_to_one, one_to_one_optimal
        Share of tokens right when each state is mapped to at most one tag and each tag
        for at most one state: matched greedily, as published, and optimally.
    many_to_one, many_to_one_crossvalidated
        Share right when every state is mapped to its most frequent tag; the second
        learns that from every other sentence and scores it on the rest.
    vi, h_t_given_y, h_y_given_t
        Variation of information and its two parts, in bits.
    v_measure
        2 I / (H(T) + H(Y)); 0 if neither varies.
    """

    one_to_one: float
    one_to_one_optimal: float
    many_to_one: float
    many_to_one_crossvalidated: float
    vi: float
    h_t_given_y: float
    h_y_given_t: float
    v_measure: float


SCORES = tuple(f.name for f in fields(Scores))


def greedy_matching(table: np.ndarray) -> list[tuple[int, int]]:
    """Return (state, tag) pairs, best first; ties by lowest state, then lowest tag.

    States or tags without tokens, and those left over, are unmatched.

    >>> greedy_matching(np.array([[5, 4], [4, 0], [0, 0]]))
    [(0, 0)]
    """
    left = table.copy()
    pairs: list[tuple[int, int]] = []
    for _ in range(min(left.shape)):
        state, tag = divmod(int(left.argmax()), left.shape[1])
        if left[state, tag] == 0:
            break
        pairs.append((state, tag))
        left[state], left[:, tag] = 0, 0
    return pairs


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def score(table: np.ndarray) -> Scores:
    """Score a table of tokens.

    Parameters
    ----------
    table : ndarray of int, shape (folds, states, tags) or (states, tags)
        Tokens by fold, state and tag; without folds cross-validation has one fold
        only and its figure equals plain many-to-1.

    Examples
    --------
    >>> nouns_and_verbs = np.array([[8, 2], [1, 9]])  # tokens of two states by two tags
    >>> score(nouns_and_verbs).one_to_one
    0.85
    """
    folds = table[None] if table.ndim == 2 else table
    table = folds.sum(0)
    total = table.sum()
    joint = table / total
    h_y, h_t, h_joint = _entropy(joint.sum(1)), _entropy(joint.sum(0)), _entropy(joint.ravel())
    information = max(h_y + h_t - h_joint, 0.0)
    h_t_given_y, h_y_given_t = max(h_joint - h_y, 0.0), max(h_joint - h_t, 0.0)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return Scores(
        one_to_one=sum(int(table[pair]) for pair in greedy_matching(table)) / float(total),
        one_to_one_optimal=float(table[rows, columns].sum() / total),
        many_to_one=float(table.max(1).sum() / total),
        many_to_one_crossvalidated=_crossvalidated(folds) / float(total),
        vi=h_t_given_y + h_y_given_t,
        h_t_given_y=h_t_given_y,
        h_y_given_t=h_y_given_t,
        v_measure=2 * information / (h_t + h_y) if h_t + h_y > 0 else 0.0,
    )


def _crossvalidated(folds: np.ndarray) -> int:
    """Map states to tags on all folds but one and count hits on that one; unseen states miss."""
    if folds.shape[0] == 1:
        return int(folds[0].max(1).sum())
    hits = 0
    for held_out in folds:
        rest = folds.sum(0) - held_out
        seen = rest.max(1) > 0
        hits += int(held_out[np.arange(rest.shape[0]), rest.argmax(1)][seen].sum())
    return hits


class Scorer:
    """Scores labels of one corpus again and again.

    Parameters
    ----------
    corpus
        Its tags are the gold standard; tokens without one are left out, an untagged corpus gives no scores.
    states
        Labels are 0 ... states - 1; a table of larger ones has more rows.
    """

    def __init__(self, corpus: Corpus, states: int) -> None:
        self.tags, self.states = corpus.tags, states
        sentence = np.repeat(np.arange(corpus.sentences), corpus.lengths)
        self._folds = (sentence % 2).astype(np.int8)
        self._scored: np.ndarray | None = None  # tokens that have a tag, where others have none
        if self.tags is not None and corpus.tagged < corpus.tokens:
            self._scored = np.flatnonzero(self.tags >= 0)
            self.tags, self._folds = self.tags[self._scored], self._folds[self._scored]
        self._tags = len(corpus.tagset)

    def table(self, labels: np.ndarray) -> np.ndarray:
        """Return tokens by fold (even and odd sentences), state and tag."""
        # The tagger of a sample may label with more states than were there at first.
        states = max(self.states, int(labels.max(initial=-1)) + 1)
        table = np.zeros((2, states, self._tags), np.int64)
        if self.tags is not None:
            labels = labels if self._scored is None else labels[self._scored]
            count_pairs(labels, self.tags, self._folds, table)
        return table

    def row(self, labels: np.ndarray) -> np.ndarray:
        """Return the scores in the order of ``SCORES``; NaN if untagged."""
        if self.tags is None or not self.tags.size:
            return np.full(len(SCORES), np.nan)
        return np.array(astuple(score(self.table(labels))))


BASELINES = {
    "one_tag": "one tag",
    "random": "random",
    "most_frequent_tag": "word's tag",
}
"""The baselines by name, with a short label."""


def baselines(
    corpus: Corpus, states: int = 50, seed: int | np.random.Generator | None = None
) -> dict[str, Scores]:
    """Return the scores of each baseline, by its name in :data:`BASELINES`.

    Parameters
    ----------
    corpus
        A tagged text.
    states
        From how many the random baseline draws.
    seed
        Of its draw, or a generator.

    Raises
    ------
    InputError
        If the text has no tags or `states` is below 1.

    >>> from otlab.tagging import Corpus
    >>> text = [[("the", "D"), ("run", "N")], [("a", "D"), ("run", "N")], [("they", "P"), ("run", "V")]]
    >>> found = baselines(Corpus.from_sentences(text), states=3, seed=1)
    >>> found["one_tag"].one_to_one, round(found["most_frequent_tag"].many_to_one, 3)
    (0.3333333333333333, 0.833)
    """
    if states < 1:
        raise InputError(f"{states} states: write 1 or more")
    frequent = most_frequent_tags(corpus)[corpus.words]
    labels = {
        "one_tag": (np.zeros(corpus.tokens, np.int16), 1),
        "random": (np.random.default_rng(seed).integers(states, size=corpus.tokens, dtype=np.int16), states),
        "most_frequent_tag": (frequent, len(corpus.tagset)),
    }
    return {name: Scores(*map(float, Scorer(corpus, size).row(of))) for name, (of, size) in labels.items()}


def most_frequent_tags(corpus: Corpus) -> np.ndarray:
    """Return the most frequent tag of each word type of a tagged corpus, int16.

    Of tags equally frequent with the word, the one most frequent in the corpus.

    Raises
    ------
    InputError
        If the corpus has no tags.
    """
    if corpus.tags is None:
        raise InputError("the text has no tags to score against; baselines need a tagged one")
    width, known = len(corpus.tagset), corpus.tags >= 0
    flat = corpus.words[known].astype(np.int64) * width + corpus.tags[known]
    pairs = np.bincount(flat, minlength=corpus.types * width)
    tags: np.ndarray = pairs.reshape(corpus.types, width).argmax(1).astype(np.int16)
    return tags
