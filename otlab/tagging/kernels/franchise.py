r"""Pointwise collapsed Gibbs for an infinite hidden Markov model (Teh et al. 2006, direct assignment).

Given the weights beta of the states, the concentration alpha and the stickiness rho, rows of transitions and
emissions are integrated out. With the token taken out of all counts, a and b its neighbours' states or the
boundary,

.. math::
    P(y_i = k \mid \cdot) \propto \frac{n_{x,k} + \alpha_x}{n_k + m \alpha_x} \,
    (c_{a,k} + \alpha_{a,k}) \, \frac{c_{k,b} + [a = k = b] + \alpha_{k,b}}{n_k + \alpha},

with :math:`\alpha_{k,q} = \alpha((1 - \rho)\beta_q + \rho[k = q])`, rho being 0 in the boundary's row. All
states without tokens together are one more outcome, whose beta is what is left; one that is chosen gets
:math:`b \sim \mathrm{Beta}(1, \gamma)` of it. The beta of a state that loses its last token returns there.

Laid out as :mod:`otlab.tagging.kernels.gibbs`, whose loop this is with two further outcomes of a draw: a
state is born, or one vanishes.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.prefetch import AHEAD, fetch_row
from otlab.tagging.kernels.gibbs import WIDTH, exactly, next_state, place, whole

__all__ = ["sweep_tokens"]

_11 = np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0


@kernel
def sweep_tokens(text, low, high, labels, counts, priors, masses, rates, seeds, weights, sums):
    """Resample the states of tokens `low` ... `high`; return the first one for whose states there is no room.

    Longer than other kernels, as :func:`otlab.tagging.kernels.gibbs.sweep` is.

    Parameters
    ----------
    text : (words, offsets, fixed, reserved)
        The corpus; which tokens keep their states; and the lowest number of a state that is born.
    labels
        The states.
    counts : PaddedCounts
        Of the labels, with as many rows of transitions as columns and one for the boundary. The sticky
        alpha * rho has been added to transitions from a state to itself.
    priors : Priors
        In the counts' type; alpha_y is not used, and the transition mass is alpha.
    masses : ndarray of shape (padded + 2,)
        alpha times beta of the states, the boundary, and all states without tokens together. Changed.
    rates : (share, inverse_gamma, power)
        1 - rho, 1 / gamma, and 1 / temperature.
    seeds
        Random state; see :func:`~otlab.tagging.kernels.gibbs.next_state`.
    weights, sums : ndarrays of shape (padded,) and (16,)
        Work space.
    """
    words, offsets, fixed, reserved = text
    rows, out_of, into, occurrences, inverse, inverse_without = counts
    boundary, padded = np.uint64(out_of.shape[0] - 1), out_of.shape[1]
    alpha, mass, transition_mass, scale = priors
    share, inverse_gamma, power = rates
    p, none, one = alpha[0], alpha.dtype.type(0.0), alpha.dtype.type(1.0)
    kept_share = alpha.dtype.type(share)
    new_inverse = np.divide(scale, mass[0] * transition_mass)
    x_seed, y_seed = seeds[0], seeds[1]
    free = reserved
    while free < padded and occurrences[free] > 0:
        free += 1
    sentence = np.searchsorted(offsets, low, "right") - 1
    begin, end = offsets[sentence], offsets[sentence + 1]
    stopped = high
    for i in range(low, high):
        if free == padded:
            stopped = i
            break
        while i == end:
            sentence += 1
            begin, end = end, offsets[sentence + 1]
        if i + AHEAD < words.size:
            fetch_row(rows, words[i + AHEAD])
        if fixed[i]:
            continue
        w, old = np.uint64(words[i]), np.uint64(labels[i])
        a = np.uint64(labels[i - 1]) if i > begin else boundary
        b = np.uint64(labels[i + 1]) if i + 1 < end else boundary
        of_a = one if a == boundary else kept_share
        to_b = kept_share * masses[b]
        # 1. the conditional of each state, from the full counts; of the old state and of a new one apart
        this = np.int64(old)
        for k in range(padded):
            x = whole(rows[w, k], out_of[a, k], into[b, k], p, of_a * masses[k], to_b, inverse[k])
            weights[k] = x if k != this else none
        own = exactly(
            old, old, a, b, rows[w, old], out_of[a, old], into[b, old], p, of_a * masses[old], to_b,
            inverse_without[old], one,
        )  # fmt: skip
        c = a if a != old else b
        if c != old and (old in (a, b) or a == b) and c != boundary:
            weights[c] = exactly(
                c, old, a, b, rows[w, c], out_of[a, c], into[b, c], p, of_a * masses[c], to_b, inverse[c], one
            )
        born = p * (of_a * masses[padded + 1]) * to_b * new_inverse
        if power != 1.0:
            own, born = own**power, born**power
            for k in range(padded):
                weights[k] = weights[k] ** power
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
        # 3. draw: the old state, a new one, else a place in the vector, else a state there
        x_seed, y_seed = next_state(x_seed, y_seed)
        u = np.float64((x_seed + y_seed) >> _11) * _TO_UNIT * (own + born + (left + right))
        if u < own:
            continue
        u -= own
        k = np.uint64(free)
        if u < born:
            x_seed, y_seed = next_state(x_seed, y_seed)
            unit = np.float64((x_seed + y_seed) >> _11) * _TO_UNIT
            masses[k] = masses[padded + 1] * (1.0 - (1.0 - unit) ** inverse_gamma)
            masses[padded + 1] -= masses[k]
        else:
            u -= born
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
        # 5. the weight of a state that vanishes returns; the lowest free number
        if occurrences[old] == 0:
            masses[padded + 1] += masses[old]
            masses[old] = none
            free = min(free, np.int64(old)) if old >= reserved else free
        while free < padded and occurrences[free] > 0:
            free += 1
    seeds[0], seeds[1] = x_seed, y_seed
    return stopped
