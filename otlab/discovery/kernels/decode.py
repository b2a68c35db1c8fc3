"""Best paths over segmentations."""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel


@kernel
def fewest_wrong_words(offsets, samples, longest, out):
    """Write, for each utterance, the words maximising the sum of 2 p(word) - 1."""
    drawn = samples.shape[0]
    share = np.zeros((longest + 1, longest + 1))
    best = np.zeros(longest + 1)
    back = np.zeros(longest + 1, dtype=np.int64)
    for u in range(offsets.size - 1):
        at = offsets[u]
        n = offsets[u + 1] - at
        # 1. share[i, j] = 2 p(word i..j)
        share[: n + 1, : n + 1] = 0.0
        for s in range(drawn):
            begin = 0
            for k in range(n):
                if samples[s, at + k]:
                    share[begin, k + 1] += 2.0 / drawn
                    begin = k + 1
        # 2. best[j] = max_i best[i] + 2 p(i..j) - 1
        for j in range(1, n + 1):
            best[j] = -np.inf
            for i in range(j):
                total = best[i] + share[i, j] - 1.0
                if total > best[j]:
                    best[j] = total
                    back[j] = i
        # 3. from the end back
        j = n
        for _ in range(n):
            out[at + j - 1] = True
            j = back[j]
            if j == 0:
                break
