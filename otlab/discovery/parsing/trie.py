"""A lexicon as a trie, in arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Trie"]


@dataclass(frozen=True, eq=False)
class Trie:
    """Words by their phones.

    Attributes
    ----------
    follow : int32 ndarray of shape (nodes, phones)
        The child of a node; -1 if there is none. Node 0 is the root.
    first_child, sibling : int32 ndarray of shape (nodes,)
        The children as a list; -1 at its end.
    symbol : int32 ndarray of shape (nodes,)
        The phone that leads to a node.
    word : int32 ndarray of shape (nodes,)
        The word that ends at a node; -1 if none does.
    """

    follow: np.ndarray
    first_child: np.ndarray
    sibling: np.ndarray
    symbol: np.ndarray
    word: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of them, in order."""
        return self.follow, self.first_child, self.sibling, self.symbol, self.word

    @staticmethod
    def of(words: Sequence[np.ndarray], phones: int) -> Trie:
        """Build a trie of words given as phone codes."""
        nodes = 1 + sum(len(word) for word in words)
        trie = Trie(
            np.full((nodes, phones), -1, dtype=np.int32),
            *(np.full(nodes, -1, dtype=np.int32) for _ in range(4)),
        )
        known = 1
        for number, word in enumerate(words):
            node = 0
            for phone in word.tolist():
                child = int(trie.follow[node, phone])
                if child < 0:
                    child, known = known, known + 1
                    trie.follow[node, phone] = child
                    trie.symbol[child] = phone
                    trie.sibling[child] = trie.first_child[node]
                    trie.first_child[node] = child
                node = child
            trie.word[node] = number
        return Trie(*(array[:known] for array in trie.arrays))
