"""The best derivations and random ones: an edge chosen at each node of a forest."""

import math

import numpy as np

from otlab.inference.jit import kernel
from otlab.mg.kernels.weights import edge_weight

MOST_STEPS = 1_000_000


@kernel
def best_scores(forest, base, end, slot_weight, score):
    """Write the log weight of each node's best derivation.

    The weight of a loop is below 1, so a best derivation contains no loop, and a cyclic
    component converges within as many rounds as it has nodes.
    """
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    v = base
    while v < end:
        size = max(1, forest.loop[v])
        score[v : v + size] = -np.inf
        for _ in range(size + 1):
            moved = False
            for u in range(v, v + size):
                for e in range(edge_ptr[u], edge_ptr[u + 1]):
                    w = edge_weight(first, second, slot, e, base, slot_weight, score)
                    if w > score[u]:
                        score[u] = w
                        moved = True
            if not moved:
                break
        v += size


@kernel
def _pick(rng, edge_ptr, first, second, slot, v, base, slot_weight, score):
    """Draw an edge of a node in proportion to its weight."""
    begin, end = edge_ptr[v], edge_ptr[v + 1]
    if end - begin == 1:
        return begin
    u = rng.random()
    for e in range(begin, end):
        u -= math.exp(edge_weight(first, second, slot, e, base, slot_weight, score) - score[v])
        if u < 0.0:
            return e
    # Rounding left a crumb: take the last edge that has any weight.
    for e in range(end - 1, begin, -1):
        if edge_weight(first, second, slot, e, base, slot_weight, score) > -np.inf:
            return e
    return begin


@kernel
def sample(rng, forest, base, end, slot_weight, score, sequence):
    """Draw one derivation; write its slots in Polish order.

    Parameters
    ----------
    rng : Generator
    forest, base, end, slot_weight
        As for `inside`.
    score : ndarray
        The inside weights.
    sequence : ndarray
        Written from 0.

    Returns
    -------
    int
        How many slots; -1 if they do not fit.
    """
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    stack = np.empty(sequence.size + 2, np.int64)
    stack[0] = end - 1
    depth, length = 1, 0
    for _ in range(MOST_STEPS):
        if depth == 0:
            return length
        depth -= 1
        e = _pick(rng, edge_ptr, first, second, slot, stack[depth], base, slot_weight, score)
        if slot[e] >= 0:
            if length == sequence.size:
                return -1
            sequence[length] = slot[e]
            length += 1
        # The selecting part is expanded first: its head opens the Polish sequence.
        if depth + 2 > stack.size:
            return -1
        if second[e] >= 0:
            stack[depth] = base + second[e]
            depth += 1
        if first[e] >= 0:
            stack[depth] = base + first[e]
            depth += 1
    return -1
