r"""Pointwise collapsed Gibbs: draw each token's state given all the others.

With the token taken out of all counts (n of emissions and states, c of transitions),
a and b its neighbours' states or the boundary, m words and K = s + 1,

.. math::
    P(y_i = k \mid \cdot) \propto \frac{n_{x,k} + \alpha_x}{n_k + m \alpha_x} \,
    (c_{a,k} + \alpha_y) \, \frac{c_{k,b} + [a = k = b] + \alpha_y}{n_k + K \alpha_y}.

Johnson's Figure 4 prints the last denominator as :math:`n_k + [a = k]`: its K alpha_y is
missing, and [a = k] belongs there only if n counts outgoing transitions left instead
of occurrences. Here n_k counts occurrences among the other tokens.

How it is fast: nothing is taken out and put back. Weights come from the full counts,
then the at most three states concerned (old, a, b) are corrected; reciprocals change
only with a state; most tokens keep theirs, and then no weight but their sum is needed;
counts are stored bare (1000.0001 would lose an alpha of 1e-4 in
float32) and in both orders, so that the three rows read are contiguous.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import inlined, kernel

__all__ = ["LANES", "log_joint_cells", "next_uniform", "others", "place", "sweep", "weigh"]

LANES = 16
_17, _23, _26, _11 = np.uint64(17), np.uint64(23), np.uint64(26), np.uint64(11)


@inlined
def next_uniform(seeds):
    """Draw from [0, 1) by xorshift128+ (Vigna 2017); `seeds` are two uint64, not both 0."""
    x, y = seeds[0], seeds[1]
    seeds[0] = y
    x ^= x << _23
    x ^= (x >> _17) ^ y ^ (y >> _26)
    seeds[1] = x
    return np.float64((x + y) >> _11) * (1.0 / 9007199254740992.0)


@inlined
def place(k, scale, emission_mass, transition_mass, occurrences, inverse, inverse_without):
    """Bring state k's reciprocals up to date: with its occurrences, and with one fewer."""
    n = occurrences[k]
    inverse[k] = np.divide(scale, (n + emission_mass[k]) * (n + transition_mass))
    n -= 1.0
    inverse_without[k] = np.divide(scale, (n + emission_mass[k]) * (n + transition_mass))


@inlined
def _exactly(k, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse):
    """Weight of state k when the token's own counts must come off."""
    own = 1.0 if k == old else 0.0
    before = own + (1.0 if old == a and k == b else 0.0)
    after = own + (1.0 if old == b and k == a else 0.0) - (1.0 if k == a and k == b else 0.0)
    number = row.dtype.type
    return (
        (row[k] - number(own) + emission_prior)
        * (out_of[k] - number(before) + transition_prior)
        * (into[k] - number(after) + transition_prior)
        * inverse
    )


@inlined
def weigh(
    old, a, b, row, out_of, into, emission_prior, transition_prior, inverse, inverse_without, numbers, weights
):  # fmt: skip
    """Fill `weights` with the conditional of every state but the old one; return the old one's.

    Parameters
    ----------
    old, a, b
        The token's state and its neighbours'; the boundary is the number of states.
    row, out_of, into
        Full counts by state: of the token's word, after a, and before b.
    emission_prior, transition_prior
        Scalars of the counts' type.
    inverse, inverse_without
        From :func:`place`; 0 in the padding.
    numbers
        0, 1, 2, ... in the counts' type.
    weights
        Out; 0 at the old state.
    """
    states = out_of.size
    this, none = numbers[old], weights.dtype.type(0.0)
    for k in range(states):
        w = (
            (row[k] + emission_prior)
            * (out_of[k] + transition_prior)
            * (into[k] + transition_prior)
            * inverse[k]
        )
        weights[k] = w if numbers[k] != this else none
    if a != old and (b == old or a == b) and a < states and inverse[a] > 0:
        weights[a] = _exactly(a, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse[a])
    if b != old and a == old and b < states and inverse[b] > 0:
        weights[b] = _exactly(b, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse[b])
    return _exactly(old, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse_without[old])


@inlined
def _whole(k, row, out_of, into, emission_prior, transition_prior, inverse):
    """Weight of state k from the full counts."""
    return (
        (row[k] + emission_prior) * (out_of[k] + transition_prior) * (into[k] + transition_prior) * inverse[k]
    )


@inlined
def _total(sums):
    """Add sixteen numbers, side by side first."""
    half = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    rest = ((sums[8] + sums[9]) + (sums[10] + sums[11])) + ((sums[12] + sums[13]) + (sums[14] + sums[15]))
    return half + rest


@inlined
def others(
    old, a, b, row, out_of, into, emission_prior, transition_prior, inverse, sums
):  # fmt: skip
    """Return the sum of :func:`weigh`'s weights without writing them down.

    All states are summed from full counts; the old state is taken off again, and the
    one or two others concerned are put right. Exact to rounding of the whole sum.
    """
    states = out_of.size
    if states == 64:
        for lane in range(16):
            sums[lane] = (
                _whole(lane, row, out_of, into, emission_prior, transition_prior, inverse)
                + _whole(16 + lane, row, out_of, into, emission_prior, transition_prior, inverse)
            ) + (
                _whole(32 + lane, row, out_of, into, emission_prior, transition_prior, inverse)
                + _whole(48 + lane, row, out_of, into, emission_prior, transition_prior, inverse)
            )
    else:
        sums[:] = 0
        for block in range(states // 16):
            for lane in range(16):
                sums[lane] += _whole(
                    16 * block + lane, row, out_of, into, emission_prior, transition_prior, inverse
                )
    rest = _total(sums) - _whole(old, row, out_of, into, emission_prior, transition_prior, inverse)
    if a != old and (b == old or a == b) and a < states and inverse[a] > 0:
        rest += _exactly(a, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse[a])
        rest -= _whole(a, row, out_of, into, emission_prior, transition_prior, inverse)
    if b != old and a == old and b < states and inverse[b] > 0:
        rest += _exactly(b, old, a, b, row, out_of, into, emission_prior, transition_prior, inverse[b])
        rest -= _whole(b, row, out_of, into, emission_prior, transition_prior, inverse)
    return rest


@inlined
def _draw_other(u, weights, sums):
    """Return the state at `u` in the weights, going by lane and then by block; -1 if past all."""
    sums[:] = 0
    for block in range(weights.size // 16):
        for lane in range(16):
            sums[lane] += weights[16 * block + lane]
    lane = 0
    for _ in range(15):
        if u < sums[lane]:
            break
        u -= sums[lane]
        lane += 1
    k = lane
    for _ in range(weights.size // 16 - 1):
        if u < weights[k]:
            break
        u -= weights[k]
        k += 16
    return k if weights[k] > 0 else -1


@kernel
def sweep(
    words, offsets, low, high, labels, rows, out_of, into, occurrences, inverse, inverse_without, priors,
    emission_mass, transition_mass, scale, power, seeds, numbers, weights, sums,
):  # fmt: skip
    """Resample the states of sentences `low` ... `high`, one token after the other.

    Parameters
    ----------
    words, offsets, labels
        The corpus, and its states.
    rows, out_of, into
        Counts of shapes (types, padded), (states + 1, padded) twice: by word, by the
        state before, by the state after. Forbidden cells of `rows` hold minus the prior.
    occurrences, inverse, inverse_without
        By state, padded; see :func:`place`.
    priors : ndarray of shape (2,)
        Of emissions and transitions, in the counts' type.
    emission_mass, transition_mass
        m alpha_x by state, and K alpha_y.
    scale
        Factor of all reciprocals: keeps products near 1 in float32.
    power
        1 / temperature.
    seeds, numbers, weights, sums
        Random state; see :func:`weigh`; work space; 16 sums.
    """
    boundary = out_of.shape[0] - 1
    emission_prior, transition_prior = priors[0], priors[1]
    for sentence in range(low, high):
        begin, end = offsets[sentence], offsets[sentence + 1]
        a = boundary
        for i in range(begin, end):
            row = rows[words[i]]
            old = np.int64(labels[i])
            b = np.int64(labels[i + 1]) if i + 1 < end else boundary
            if power == 1.0:
                own = _exactly(
                    old, old, a, b, row, out_of[a], into[b], emission_prior, transition_prior,
                    inverse_without[old],
                )  # fmt: skip
                rest = others(
                    old, a, b, row, out_of[a], into[b], emission_prior, transition_prior, inverse, sums
                )
            else:
                own = weigh(
                    old, a, b, row, out_of[a], into[b], emission_prior, transition_prior,
                    inverse, inverse_without, numbers, weights,
                ) ** power  # fmt: skip
                rest = weights.dtype.type(0.0)
                for k in range(weights.size):
                    weights[k] = weights[k] ** power
                    rest += weights[k]
            u = next_uniform(seeds) * (own + rest)
            k = old
            if u >= own:
                if power == 1.0:
                    weigh(
                        old, a, b, row, out_of[a], into[b], emission_prior, transition_prior,
                        inverse, inverse_without, numbers, weights,
                    )  # fmt: skip
                k = _draw_other(weights.dtype.type(u - own), weights, sums)
                # Past all by rounding: the old state is as good a choice as any.
                k = k if k >= 0 else old
            if k != old:
                row[old] -= 1
                row[k] += 1
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
                place(old, scale, emission_mass, transition_mass, occurrences, inverse, inverse_without)
                place(k, scale, emission_mass, transition_mass, occurrences, inverse, inverse_without)
                labels[i] = k
            a = k


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
