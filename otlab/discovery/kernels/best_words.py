"""Find the most probable source words of a string: Viterbi over stored words with edits, and new words."""

from __future__ import annotations

import numpy as np

from otlab.discovery.kernels.noisy import new_walk, word_arcs
from otlab.inference.jit import kernel

__all__ = ["best_words"]


@kernel
def best_words(phones, trie, weights, edits, limits, arcs, chosen):
    """Fill `chosen` (words, 3) with word (-1: built from rules), first phone and end; return their number.

    Parameters
    ----------
    phones : int32 (n,)
        The string.
    trie, weights, edits, limits
        As in :func:`~otlab.discovery.kernels.noisy.noisy_counts`. Words built from rules are considered
        only without edits.
    arcs
        Working space for the edited words.
    """
    n = phones.size
    walk = new_walk(n, trie.follow.shape[1], limits.most_edits)
    score = np.full(n + 1, -np.inf)
    score[0] = 0.0
    word = np.full(n + 1, -1, dtype=np.int64)
    begin = np.zeros(n + 1, dtype=np.int64)
    further = np.log(weights.rules[2])
    for i in range(n):
        here = score[i] + (further if i > 0 else 0.0)
        # 1. a word built from rules over i..j - 1
        fresh = here + np.log(weights.fresh.first)
        for j in range(i + 1, n + 1):
            fresh += np.log(weights.fresh.keep[phones[j - 1]]) + (
                np.log(weights.fresh.further) if j > i + 1 else 0.0
            )
            end = fresh + np.log(weights.fresh.end)
            if end > score[j]:
                score[j], word[j], begin[j] = end, -1, i
        # 2. stored words
        size = word_arcs(
            phones, (0, i, n), trie, weights.mass, edits, limits, walk, arcs, 0, 0, weights.fresh.end
        )
        for a in range(size):
            j = arcs.rows[a, 2]
            end = here + np.log(arcs.weights[a] * weights.unit ** (j - i))
            if end > score[j]:
                score[j], word[j], begin[j] = end, arcs.rows[a, 0], i
    # 3. trace the best words back from the end
    count = 0
    j = n
    while j > 0:
        count += 1
        j = begin[j]
    j = n
    for k in range(count - 1, -1, -1):
        chosen[k, 0], chosen[k, 1], chosen[k, 2] = word[j], begin[j], j
        j = begin[j]
    return count
