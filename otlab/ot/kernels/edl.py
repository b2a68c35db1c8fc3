"""Kernels of expectation-driven learning: rankings drawn from the probabilities of pairs (Jarosz 2015).

A grammar has for each pair of constraints the probability that the first is ranked above the second. A
ranking is drawn pair by pair, in random order; a pair that follows from those before by transitivity is
not drawn any more.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.evaluation import winner_of

__all__ = ["expectations", "ranking_counts"]

NONE = -1
SETTLED = 1e-6  # pairs with a probability closer to 0 or 1 keep it
WORD = 32  # constraints in a word of a set


@kernel
def is_below(below, i, j):
    """Return whether `j` is in the set of what is ranked below `i`."""
    return (below[i, j // WORD] >> (j % WORD)) & 1 == 1


@kernel
def rank_above(below, i, j):
    """Rank `i`, and all that is above it, above `j` and all that is below that."""
    for a in range(below.shape[0]):
        if a == i or is_below(below, a, i):
            for w in range(below.shape[1]):
                below[a, w] |= below[j, w]
            below[a, j // WORD] |= 1 << (j % WORD)


@kernel
def draw_ranking(rng, p, higher, lower, pairs, below, order):
    """Draw a ranking; `higher` is ranked above `lower` from the start, unless these are :data:`NONE`.

    `pairs` (n, 2) is shuffled; `below`, int64 (K, words), is scratch. `order` (K,) gets the constraints, the
    highest first.
    """
    k = p.shape[0]
    below[:] = 0
    if higher != NONE:
        rank_above(below, higher, lower)
    for t in range(pairs.shape[0]):
        other = t + int(rng.random() * (pairs.shape[0] - t))
        i, j = pairs[other, 0], pairs[other, 1]
        pairs[other, 0], pairs[other, 1] = pairs[t, 0], pairs[t, 1]
        pairs[t, 0], pairs[t, 1] = i, j
        if not (is_below(below, i, j) or is_below(below, j, i)):
            if rng.random() < p[i, j]:
                rank_above(below, i, j)
            else:
                rank_above(below, j, i)
    for i in range(k):
        lower_ones = 0
        for w in range(below.shape[1]):
            bits = below[i, w]
            while bits != 0:
                bits &= bits - 1
                lower_ones += 1
        order[k - 1 - lower_ones] = i


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
def room_for(data, k):
    """Return the working arrays of a ranking and of its evaluation: pairs, sets, order, candidates left."""
    words = (k + WORD - 1) // WORD
    most = max(1, np.diff(data.rival_start).max())
    return all_pairs(k), np.empty((k, words), np.int64), np.empty(k, np.int64), np.empty(most, np.int64)


@kernel
def expectations(rng, data, states, of_row, heard, p, samples, first_pair, last_pair, out):
    """Write the mean expectation of some pairs given what was heard into `out`, (K, K).

    Each pair is ranked in both ways, and `samples` rankings are drawn each time, of which every overt form
    is looked for. A form that never came up with a pair leaves the pair's probability.

    Parameters
    ----------
    states
        As :class:`~otlab.ot.kernels.evaluation.Evaluation`.
    of_row : int64 (rows,)
        Overt form of each candidate.
    heard
        Input, overt form and share of each observed overt form; the shares add up to 1.
    p : float64 (K, K)
        Probabilities of the pairs.
    """
    inputs, forms, shares = heard
    k = p.shape[0]
    every = all_pairs(k)
    pairs, below, order, left = room_for(data, k)
    found = np.empty((2, forms.size), np.int64)
    for t in range(first_pair, last_pair):
        i, j = every[t, 0], every[t, 1]
        before = p[i, j]
        out[i, j] = before
        if SETTLED < before < 1.0 - SETTLED:
            found[:] = 0
            for way in range(2):
                higher, lower = (i, j) if way == 0 else (j, i)
                for _ in range(samples):
                    draw_ranking(rng, p, higher, lower, pairs, below, order)
                    for m in range(forms.size):
                        found[way, m] += of_row[winner_of(data, states, inputs[m], order, left)] == forms[m]
            expected = 0.0
            for m in range(forms.size):
                one, other = found[0, m] * before, found[1, m] * (1.0 - before)
                expected += shares[m] * (one / (one + other) if one + other > 0.0 else before)
            out[i, j] = min(max(expected, 0.0), 1.0)
        out[j, i] = 1.0 - out[i, j]


@kernel
def ranking_counts(rng, data, states, p, draws, wins, ranked):
    """Count in rankings drawn how often each row wins, (rows,), and a constraint is above another, (K, K)."""
    k = p.shape[0]
    pairs, below, order, left = room_for(data, k)
    for _ in range(draws):
        draw_ranking(rng, p, NONE, NONE, pairs, below, order)
        for i in range(k):
            for j in range(k):
                ranked[i, j] += is_below(below, i, j)
        for x in range(data.rival_start.size - 1):
            wins[winner_of(data, states, x, order, left)] += 1
