"""Scores of taggers that learn nothing from context: what any learner should beat, and one it cannot.

=================  =========================================================================
one_tag            all tokens in one state
random             every token in a state drawn with equal probability
most_frequent_tag  every token has its word's most frequent tag, read off the gold tags
=================  =========================================================================

The last looks at the tags, as no learner here does; it is the usual floor of supervised tagging.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError
from otlab.tagging.scores import Scorer, Scores

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["BASELINES", "baselines", "most_frequent_tags"]

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
    width = len(corpus.tagset)
    pairs = np.bincount(corpus.words.astype(np.int64) * width + corpus.tags, minlength=corpus.types * width)
    tags: np.ndarray = pairs.reshape(corpus.types, width).argmax(1).astype(np.int16)
    return tags
