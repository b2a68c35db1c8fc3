"""Number every span of every utterance by the string of its phones.

Two spans have the same number if and only if their strings are equal, so kernels compare and count
strings by indexing arrays. No hashing is needed: the number of a span of length l is
that of the pair (number of its first l - 1 phones, last phone).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["Spans", "number_spans"]


@dataclass(frozen=True, eq=False)
class Spans:
    """The strings of a corpus.

    Attributes
    ----------
    row : int64 ndarray of shape (phones,)
        The span of length l that begins at flat position p has number
        ``ids[row[p] + l - 1]``.
    ids : int32 ndarray
        String numbers; -1 for strings that were left out.
    first : int64 ndarray of shape (strings,)
        Flat position of the first occurrence of each string.
    length : int32 ndarray of shape (strings,)
        Number of phones in each string.
    count : int64 ndarray of shape (strings,)
        Number of occurrences of each string in the corpus, overlapping ones included.
    """

    row: np.ndarray
    ids: np.ndarray
    first: np.ndarray
    length: np.ndarray
    count: np.ndarray

    def __len__(self) -> int:
        """Return the number of strings."""
        return self.first.size

    def repeated(self) -> Spans:
        """Return the strings that appear at least twice, with the same numbers.

        Storing a string that appears once has no advantage: variational learners leave it to the
        base grammar.
        """
        known = int(np.count_nonzero(self.count >= 2))
        ids = np.where(self.ids < known, self.ids, np.int32(-1))
        return Spans(self.row, ids, self.first[:known], self.length[:known], self.count[:known])


def number_spans(corpus: Corpus) -> Spans:
    """Return all spans of a corpus. Strings that appear at least twice have the lowest numbers."""
    left = np.repeat(corpus.offsets[1:], corpus.lengths) - np.arange(corpus.phones.size)
    row = np.concatenate([[0], np.cumsum(left)[:-1]])
    ids = np.empty(int(left.sum()), dtype=np.int32)
    levels: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    prefix = np.zeros(corpus.phones.size, dtype=np.int64)
    where = np.arange(corpus.phones.size)
    known = 0
    for length in range(1, int(left.max()) + 1):
        where = where[left[where] >= length]
        key = prefix[where] * len(corpus.symbols) + corpus.phones[where + length - 1]
        _, first, number, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        ids[row[where] + length - 1] = known + number
        prefix[where] = number
        levels.append((where[first], np.full(first.size, length, dtype=np.int32), count))
        known += first.size
    at, lengths, counts = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    order = np.argsort(counts < 2, kind="stable")
    new = np.empty(order.size, dtype=np.int32)
    new[order] = np.arange(order.size)
    return Spans(row, new[ids], at[order], lengths[order], counts[order])
