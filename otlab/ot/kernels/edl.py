"""Kernels of expectation-driven learning: rankings drawn from the probabilities of pairs (Jarosz 2015).

A grammar has for each pair of constraints the probability that the first is ranked above the second. A
ranking is drawn pair by pair, in random order; a pair that follows from those before by transitivity is
not drawn any more.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.overt import optimal

__all__ = ["expectations", "ranking_counts"]

NONE = -1
SETTLED = 1e-6  # pairs with a probability closer to 0 or 1 keep it


@kernel
def rank_above(above, i, j):
    """Rank `i` above `j`, and all that is above `i` over all that is below `j`."""
    k = above.shape[0]
    for a in range(k):
        if a == i or above[a, i]:
            for b in range(k):
                if b == j or above[j, b]:
                    above[a, b] = True


@kernel
def draw_ranking(rng, p, higher, lower, pairs, above, heights):
    """Draw a ranking; `higher` is ranked above `lower` from the start, unless these are :data:`NONE`.

    `pairs` (n, 2) is shuffled; `above` (K, K) is scratch. `heights` (K,) gets for each constraint the
    number of those below it.
    """
    k = p.shape[0]
    above[:] = False
    if higher != NONE:
        rank_above(above, higher, lower)
    for t in range(pairs.shape[0]):
        other = t + int(rng.random() * (pairs.shape[0] - t))
        i, j = pairs[other, 0], pairs[other, 1]
        pairs[other, 0], pairs[other, 1] = pairs[t, 0], pairs[t, 1]
        pairs[t, 0], pairs[t, 1] = i, j
        if not (above[i, j] or above[j, i]):
            if rng.random() < p[i, j]:
                rank_above(above, i, j)
            else:
                rank_above(above, j, i)
    for i in range(k):
        heights[i] = 0.0
        for j in range(k):
            heights[i] += above[i, j]


@kernel
def all_pairs(k):
    """Return every pair of constraints, (n, 2)."""
    pairs, n = np.empty((k * (k - 1) // 2, 2), np.int64), 0
    for i in range(k):
        for j in range(i + 1, k):
            pairs[n, 0], pairs[n, 1] = i, j
            n += 1
    return pairs


@kernel
def winner_of(data, x, heights, drawn, left):
    """Return the row that wins input `x` under a ranking."""
    first = data.active_start[x]
    count = data.active_start[x + 1] - first
    for a in range(count):
        drawn[a] = heights[data.active[first + a]]
    rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
    return optimal(rivals, data.violation_start, data.violations, drawn, count, left)


@kernel
def expectations(rng, data, of_row, x, form, p, samples, out):
    """Write the probability of each pair given that an overt form of input `x` was heard into `out`, (K, K).

    Each pair is ranked in both ways, and `samples` rankings are drawn each time. A pair with which the
    form never came up keeps its probability.
    """
    k = p.shape[0]
    pairs, above, heights = all_pairs(k), np.empty((k, k), np.bool_), np.empty(k)
    drawn, left = np.empty(k), np.empty(max(1, np.diff(data.rival_start).max()), np.int64)
    for i in range(k):
        out[i, i] = 0.5
        for j in range(i + 1, k):
            before = p[i, j]
            out[i, j] = before
            if SETTLED < before < 1.0 - SETTLED:
                first, second = 0, 0
                for _ in range(samples):
                    draw_ranking(rng, p, i, j, pairs, above, heights)
                    first += of_row[winner_of(data, x, heights, drawn, left)] == form
                    draw_ranking(rng, p, j, i, pairs, above, heights)
                    second += of_row[winner_of(data, x, heights, drawn, left)] == form
                if first + second > 0:
                    one, other = first * before, second * (1.0 - before)
                    out[i, j] = one / (one + other)
            out[j, i] = 1.0 - out[i, j]


@kernel
def ranking_counts(rng, data, p, draws, wins, ranked):
    """Count in rankings drawn how often each row wins, (rows,), and a constraint is above another, (K, K)."""
    k = p.shape[0]
    pairs, above, heights = all_pairs(k), np.empty((k, k), np.bool_), np.empty(k)
    drawn, left = np.empty(k), np.empty(max(1, np.diff(data.rival_start).max()), np.int64)
    for _ in range(draws):
        draw_ranking(rng, p, NONE, NONE, pairs, above, heights)
        for i in range(k):
            for j in range(k):
                ranked[i, j] += above[i, j]
        for x in range(data.rival_start.size - 1):
            wins[winner_of(data, x, heights, drawn, left)] += 1
