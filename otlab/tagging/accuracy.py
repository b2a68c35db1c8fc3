"""Accuracy of a tagger whose states stand for tags, on tokens whose tags it did not know.

>>> from otlab.tagging import Corpus
>>> corpus = Corpus.from_sentences([[("the", "DT"), ("dog", "NN")], [("the", "DT"), ("cat", "NN")]])
>>> accuracy(corpus, np.array([0, 1, 0, 0]), known=np.array([0, 1, -1, -1]))
Accuracy(known_words=1, known_words_right=1, unknown_words=1, unknown_words_right=0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["Accuracy", "accuracy"]


def _share(right: int, tokens: int) -> float:
    return right / tokens if tokens else np.nan


@dataclass(frozen=True)
class Accuracy:
    """Tokens and how many of them got their tag, by whether their word has a known tag elsewhere.

    Attributes
    ----------
    known_words, known_words_right
        Tokens of words that have a known tag somewhere in the text.
    unknown_words, unknown_words_right
        Tokens of the other words.
    """

    known_words: int
    known_words_right: int
    unknown_words: int
    unknown_words_right: int

    @property
    def all(self) -> float:
        """Share of tokens right; NaN if there are none."""
        return _share(
            self.known_words_right + self.unknown_words_right, self.known_words + self.unknown_words
        )

    @property
    def known(self) -> float:
        """Share right among tokens of words with a known tag."""
        return _share(self.known_words_right, self.known_words)

    @property
    def unknown(self) -> float:
        """Share right among tokens of words without a known tag."""
        return _share(self.unknown_words_right, self.unknown_words)

    def to_dict(self) -> dict[str, float]:
        """Return the three shares and the numbers of tokens."""
        return {
            "all": self.all,
            "known_words": self.known,
            "unknown_words": self.unknown,
            "tokens": self.known_words + self.unknown_words,
            "unknown_tokens": self.unknown_words,
        }


def accuracy(corpus: Corpus, labels: np.ndarray, known: np.ndarray | None) -> Accuracy:
    """Return the accuracy of labels on the tokens that have a tag that is not known.

    Parameters
    ----------
    corpus
        A tagged text.
    labels : ndarray of int, shape (tokens,)
        State k stands for the k-th tag.
    known : ndarray of int, shape (tokens,), or None
        The tags learnt from, -1 where there are none.
    """
    tags = np.full(corpus.tokens, -1) if corpus.tags is None else corpus.tags
    known = np.full(corpus.tokens, -1) if known is None else known
    seen = np.zeros(corpus.types, bool)
    seen[corpus.words[known >= 0]] = True
    scored, right = (tags >= 0) & (known < 0), labels == tags
    familiar = seen[corpus.words]
    cells = [scored & familiar, scored & familiar & right, scored & ~familiar, scored & ~familiar & right]
    return Accuracy(*(int(np.count_nonzero(cell)) for cell in cells))
