r"""Beam sampling of an infinite hidden Markov model (Van Gael et al. 2008).

Each token has a slice :math:`u_i \sim U(0, \theta_{y_i | y_{i-1}})`. Given the slices only transitions of at
least :math:`u_i` are possible, finitely many, and each is as probable as any other, so that the states of a
sentence are drawn from

.. math::
    P(y \mid u, x) \propto \prod_i [\theta_{y_i | y_{i-1}} \ge u_i]\, \phi_{x_i | y_i}
    \cdot \theta_{⋄ | y_n}

by forward filtering and backward sampling. The end of a sentence needs no slice: it is one outcome.
"""

from __future__ import annotations

from otlab.inference.jit import kernel

__all__ = ["draw_tables", "resample_beams"]


@kernel
def draw_tables(rng, counts, masses, tables):
    """Draw how many tables the customers of each cell sit at, in a restaurant of the cell's mass."""
    for j in range(counts.shape[0]):
        for k in range(counts.shape[1]):
            tables[j, k] = 0
            mass = masses[j, k]
            for customer in range(int(counts[j, k])):
                if rng.random() * (mass + customer) < mass:
                    tables[j, k] += 1


@kernel
def _filter(words, slices, begin, end, rows, emission, space):
    """Fill `space` with the filtered probabilities of a sentence; return whether there is a path."""
    _, ranked, order = rows
    alpha, active, sizes = space
    states = order.shape[1]
    for t in range(end - begin):
        own, least = emission[words[begin + t]], slices[begin + t]
        size = 0
        for p in range(1 if t == 0 else sizes[t - 1]):
            # 1. from each state of the token before, or the boundary, by its permitted transitions
            a = states if t == 0 else active[t - 1, p]
            value = 1.0 if t == 0 else alpha[t - 1, a]
            for r in range(states):
                if ranked[a, r] < least:
                    break
                k = order[a, r]
                if alpha[t, k] == 0.0:
                    active[t, size] = k
                    size += 1
                alpha[t, k] += value
        # 2. emissions; states without probability leave the list
        total, kept = 0.0, 0
        for p in range(size):
            k = active[t, p]
            alpha[t, k] *= own[k]
            if alpha[t, k] > 0.0:
                total += alpha[t, k]
                active[t, kept] = k
                kept += 1
        sizes[t] = kept
        if kept == 0:
            return False
        for p in range(kept):
            alpha[t, active[t, p]] /= total
            # A value that underflows here would be listed twice at the next token.
            alpha[t, active[t, p]] = max(alpha[t, active[t, p]], 1e-300)
    return True


@kernel
def _draw_back(rng, slices, begin, end, rows, space, weights, labels):
    """Draw the states of a sentence from its last token back, after :func:`_filter`."""
    transitions = rows[0]
    alpha, active, sizes = space
    states = transitions.shape[0] - 1
    after = states
    for t in range(end - begin - 1, -1, -1):
        total = 0.0
        for p in range(sizes[t]):
            k = active[t, p]
            if t == end - begin - 1:
                factor = transitions[k, states]
            else:
                factor = 1.0 if transitions[k, after] >= slices[begin + t + 1] else 0.0
            weights[p] = alpha[t, k] * factor
            total += weights[p]
        u = rng.random() * total
        for p in range(sizes[t]):
            if weights[p] > 0.0:
                after = active[t, p]
                u -= weights[p]
                if u < 0.0:
                    break
        labels[begin + t] = after


@kernel
def resample_beams(rng, text, low, high, slices, rows, emission, space, weights, labels):
    """Redraw the states of sentences `low` ... `high` given the slices.

    Parameters
    ----------
    text : (words, offsets)
        The corpus.
    slices : ndarray of float64, shape (tokens,)
        The least probability of each token's transition.
    rows : (transitions, ranked, order)
        The transition probabilities, states and boundary by states and boundary; those to states from the
        largest on; and the states in this order.
    emission : ndarray, shape (types, states)
        P(word given state), each word's row to any scale.
    space : (alpha, active, sizes)
        Zeros of shape (longest sentence, states); integers of this shape; integers, one a token.
    weights : ndarray, shape (states,)
        Work space.

    Notes
    -----
    A sentence whose every path underflows (probability below 1e-300 of the best beginning) keeps its states.
    """
    words, offsets = text
    alpha = space[0]
    for s in range(low, high):
        begin, end = offsets[s], offsets[s + 1]
        if begin == end:
            continue
        if _filter(words, slices, begin, end, rows, emission, space):
            _draw_back(rng, slices, begin, end, rows, space, weights, labels)
        for t in range(end - begin):
            for k in range(alpha.shape[1]):
                alpha[t, k] = 0.0
