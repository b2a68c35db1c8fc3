r"""Pointwise collapsed Gibbs: draw each token's state given all the others.

With the token taken out of all counts (n of emissions and states, c of transitions),
a and b its neighbours' states or the boundary, m words and K = s + 1,

.. math::
    P(y_i = k \mid \cdot) \propto \frac{n_{x,k} + \alpha_x}{n_k + m \alpha_x} \,
    (c_{a,k} + \alpha_y) \, \frac{c_{k,b} + [a = k = b] + \alpha_y}{n_k + K \alpha_y}.

Johnson's Figure 4 prints the last denominator as :math:`n_k + [a = k]`: its K alpha_y is
missing, and [a = k] is right only if n counts the remaining outgoing transitions instead
of occurrences. Here n_k counts occurrences among the other tokens.

For speed, the token is not removed from the counts. Weights are computed from the full counts
and then corrected for the states that the token itself contributes to, at most two. The
reciprocals of a state are computed again only when its count changes. Most tokens keep their
state, and for those only the sum of the weights is needed. Counts are stored without the prior
(in float32, 1000.0001 would lose an alpha of 1e-4) and in both orders, so that the three rows
read are contiguous. The word's row is prefetched some tokens ahead. No array is passed to a
helper inside the loop, because counting its references would cost more than the draw.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.inference.kernels.prefetch import AHEAD, fetch_row

__all__ = ["WIDTH", "exactly", "log_joint_cells", "next_state", "place", "sweep", "whole"]

WIDTH = 16
_17, _23, _26, _11 = np.uint64(17), np.uint64(23), np.uint64(26), np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0


@inlined
def next_state(x, y):
    """Return the next state of xorshift128+ (Vigna 2017); x and y are uint64, not both 0."""
    x ^= x << _23
    return y, x ^ (x >> _17) ^ y ^ (y >> _26)


@inlined
def place(k, scale, emission_mass, transition_mass, occurrences, inverse, inverse_without):
    """Update the reciprocals of state k: for its number of occurrences, and for one fewer."""
    n = occurrences[k]
    inverse[k] = np.divide(scale, (n + emission_mass[k]) * (n + transition_mass))
    n -= 1.0
    inverse_without[k] = np.divide(scale, (n + emission_mass[k]) * (n + transition_mass))


@kernel
def place_all(priors, counts):
    """Update the reciprocals of all states that some word may have."""
    _, mass, transition_mass, scale = priors
    for k in range(mass.size):
        if mass[k] > 0:
            place(k, scale, mass, transition_mass, counts.occurrences, counts.inverse, counts.inverse_without)


@inlined
def whole(of_word, out_of, into, emission_prior, before_prior, after_prior, inverse):
    """Return the weight of a state from the full counts; priors are of the transitions to it and from it."""
    return (of_word + emission_prior) * (out_of + before_prior) * (into + after_prior) * inverse


@inlined
def exactly(k, old, a, b, of_word, out_of, into, emission_prior, before_prior, after_prior, inverse, one):
    """Return the weight of state k from the full counts when the token's own must come off.

    `one` is 1 in the counts' type.
    """
    none = one - one
    own = one if k == old else none
    before = own + (one if old == a and k == b else none)
    after = own + (one if old == b and k == a else none) - (one if k == a and k == b else none)
    return whole(
        of_word - own, out_of - before, into - after, emission_prior, before_prior, after_prior, inverse
    )


@kernel
def sweep(words, offsets, low, high, labels, counts, priors, power, seeds, weights, sums):
    """Resample the states of tokens `low` ... `high`, one after the other.

    Longer than other kernels: its phases 1 to 4 share some twenty scalars, and a helper
    would have to take and return them all.

    Parameters
    ----------
    words, offsets, labels
        The corpus, and its states.
    counts : PaddedCounts
        Of the labels.
    priors : Priors
        In the counts' type.
    power
        1 / temperature.
    seeds
        Random state; see :func:`next_state`.
    weights : ndarray of shape (padded + 1,)
        Out: the last token's conditional, up to a factor; 0 at the state it had, whose
        weight comes last.
    sums : ndarray of shape (16,)
        Work space.
    """
    rows, out_of, into, occurrences, inverse, inverse_without = counts
    boundary, padded = np.uint64(out_of.shape[0] - 1), out_of.shape[1]
    alpha, mass, transition_mass, scale = priors
    p, q = alpha[0], alpha[1]
    none, one = alpha.dtype.type(0.0), alpha.dtype.type(1.0)
    x_seed, y_seed = seeds[0], seeds[1]
    sentence = np.searchsorted(offsets, low, "right") - 1
    begin, end = offsets[sentence], offsets[sentence + 1]
    for i in range(low, high):
        while i == end:
            sentence += 1
            begin, end = end, offsets[sentence + 1]
        w = np.uint64(words[i])
        if i + AHEAD < words.size:
            fetch_row(rows, words[i + AHEAD])
        old = np.uint64(labels[i])
        a = np.uint64(labels[i - 1]) if i > begin else boundary
        b = np.uint64(labels[i + 1]) if i + 1 < end else boundary
        # 1. the conditional of each state, from the full counts; of the old state apart
        this = np.int64(old)
        for k in range(padded):
            x = whole(rows[w, k], out_of[a, k], into[b, k], p, q, q, inverse[k])
            weights[k] = x if k != this else none
        own = exactly(
            old, old, a, b, rows[w, old], out_of[a, old], into[b, old], p, q, q, inverse_without[old], one
        )
        # At most one other state's weight has the token's own counts in it.
        c = a if a != old else b
        if c != old and (old in (a, b) or a == b) and c != boundary:
            weights[c] = exactly(c, old, a, b, rows[w, c], out_of[a, c], into[b, c], p, q, q, inverse[c], one)
        if power != 1.0:
            own = own**power
            for k in range(padded):
                weights[k] = weights[k] ** power
        weights[padded] = own
        # 2. their sum, in the places of one vector
        for v in range(WIDTH):
            sums[v] = weights[v]
        for block in range(WIDTH, padded, WIDTH):
            for v in range(WIDTH):
                sums[v] += weights[block + v]
        left = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
        right = ((sums[8] + sums[9]) + (sums[10] + sums[11])) + (
            (sums[12] + sums[13]) + (sums[14] + sums[15])
        )
        rest = left + right
        # 3. draw: the old state, else a place in the vector, else a state there
        x_seed, y_seed = next_state(x_seed, y_seed)
        u = np.float64((x_seed + y_seed) >> _11) * _TO_UNIT * (own + rest)
        if u < own:
            continue
        u -= own
        k = np.uint64(0)
        for _ in range(WIDTH - 1):
            if u < sums[k]:
                break
            u -= sums[k]
            k += np.uint64(1)
        for _ in range(padded // WIDTH - 1):
            if u < weights[k]:
                break
            u -= weights[k]
            k += np.uint64(WIDTH)
        if not weights[k] > 0:
            # Rounding left the draw above the last partial sum: keep the old state.
            continue
        # 4. move the token's counts
        rows[w, old] -= 1
        rows[w, k] += 1
        out_of[a, old] -= 1
        out_of[a, k] += 1
        into[b, old] -= 1
        into[b, k] += 1
        if a < boundary:
            into[old, a] -= 1
            into[k, a] += 1
        if b < boundary:
            out_of[old, b] -= 1
            out_of[k, b] += 1
        occurrences[old] -= 1
        occurrences[k] += 1
        place(old, scale, mass, transition_mass, occurrences, inverse, inverse_without)
        place(k, scale, mass, transition_mass, occurrences, inverse, inverse_without)
        labels[i] = k
    seeds[0], seeds[1] = x_seed, y_seed


@kernel
def log_joint_cells(rows, states, chosen, rising):
    """Return the sum of ln Gamma(n + alpha) - ln Gamma(alpha) over cells of the words chosen.

    `rising` holds it for n = 0, 1, 2, ...
    """
    total = 0.0
    for w in chosen:
        for k in range(states):
            n = rows[w, k]
            if n > 0:
                total += rising[np.int64(n)]
    return total
