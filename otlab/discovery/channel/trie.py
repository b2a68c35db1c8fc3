"""Build the trie of a lexicon, which the search for edited words follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.layout import Trie

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["build_trie"]


def build_trie(words: Sequence[np.ndarray], phones: int) -> Trie:
    """Return the trie of words, given as codes of an alphabet of so many phones."""
    nodes = 1 + sum(len(word) for word in words)
    trie = Trie(
        np.full((nodes, phones), -1, dtype=np.int32),
        *(np.full(nodes, -1, dtype=np.int32) for _ in range(4)),
    )
    size = 1
    for number, word in enumerate(words):
        node = 0
        for phone in word.tolist():
            child = int(trie.follow[node, phone])
            if child < 0:
                child, size = size, size + 1
                trie.follow[node, phone] = child
                trie.symbol[child] = phone
                trie.sibling[child] = trie.first_child[node]
                trie.first_child[node] = child
            node = child
        trie.word[node] = number
    return Trie(*(array[:size] for array in trie))
