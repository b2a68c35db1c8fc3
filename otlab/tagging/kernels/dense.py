r"""Forward-backward on a batch of sentences, time-major, by matrix products.

A batch holds sentences by falling length; the tokens at time :math:`t` of the
sentences that are not over are rows ``starts[t] .. starts[t + 1]`` of every array, so
there is no padding. With :math:`A` the transitions between states, :math:`B_x` the
row of emission weights of word x, :math:`e` the transitions to the boundary,

.. math::
    \alpha_t = (\alpha_{t-1} A) \circ B_{x_t} / z_{t-1}, \quad z_t = \textstyle\sum_k \alpha_t(k), \quad
    W_{t-1} = B_{x_t} \circ \beta_t / z_{t-1}, \quad \beta_{t-1} = W_{t-1} A^\top, \quad
    \gamma_t = \alpha_t \circ \beta_t,

and :math:`\beta_L = e / (\alpha_L \cdot e)` at a sentence's end, where
:math:`\log P = \sum_t \log z_t + \log(\alpha_L \cdot e / z_L)`. Rows of
:math:`\alpha` keep their sum, so a token costs one division. Expected transitions
are :math:`A \circ \sum \alpha^\top W`: one product for 256 tokens, the factor A once an
iteration (Rabiner 1989, with his scaling moved to the following step). The most probable sequence of
states is found in logarithms (Viterbi 1967).
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.inference.kernels.prefetch import AHEAD, fetch_row

__all__ = ["backward", "forward", "viterbi_sentences"]

TOGETHER = 256
"""Number of tokens whose expected transitions are added by one product, while their rows are in the cache."""


@kernel
def _settle(sums, smallest):
    """Replace sums by their reciprocals; return (sum of their logs, how many were too small)."""
    one = sums.dtype.type(1.0)
    log_sum, product, failed = 0.0, 1.0, 0
    for i in range(sums.size):
        z = sums[i]
        if not z > smallest:
            failed += 1
            z = one
        product *= z
        if not 1e-200 < product < 1e200:
            log_sum += math.log(product)
            product = 1.0
        sums[i] = one / z
    return log_sum + math.log(product), failed


@inlined
def _first_of_the_highest(bits):
    """Return the index of the first maximum of nonnegative floats, given as bits, which have the same order.

    The compiler vectorises both passes over integers, but not a search that compares floats.
    """
    top = bits[0]
    for k in range(1, bits.size):
        top = max(top, bits[k])
    found = np.int32(bits.size)
    for k in range(bits.size):
        found = min(found, np.int32(k) if bits[k] == top else np.int32(bits.size))
    return found


@kernel
def forward(batch, weights, passed, ones):
    """Fill the forward pass of a batch; `ones` is a vector of ones.

    Returns
    -------
    log_probability : float
        Of the batch; not valid if a token failed.
    failed : int
        Tokens whose probability given those before is 0 or underflows.
    """
    words, starts = batch.words, batch.starts
    initial, final, transition, emission = (
        weights.initial, weights.final, weights.transition, weights.emission,
    )  # fmt: skip
    alpha, inverse, ends = passed
    states = initial.size
    lengths = starts.size - 1
    smallest = emission.dtype.type(np.finfo(emission.dtype).tiny * 1e6)
    total, failures = 0.0, 0
    for t in range(lengths):
        here, stop = starts[t], starts[t + 1]
        now = alpha[here:stop]
        # 1. alpha_t = (alpha_{t-1} A) B_x / z_{t-1}
        if t == 0:
            for i in range(stop):
                w = words[i]
                for k in range(states):
                    now[i, k] = initial[k] * emission[w, k]
        else:
            before = starts[t - 1]
            np.dot(alpha[before : before + stop - here], transition, now)
            for i in range(stop - here):
                w = words[here + i]
                f = inverse[before + i]
                for k in range(states):
                    now[i, k] = now[i, k] * emission[w, k] * f
        # 2. 1 / z_t, and at the ends of sentences 1 / (alpha . e)
        np.dot(now, ones, inverse[here:stop])
        log_z, failed = _settle(inverse[here:stop], smallest)
        total += log_z
        failures += failed
        unfinished = starts[t + 2] - stop if t + 1 < lengths else 0
        ended = here + unfinished
        if ended < stop:
            np.dot(alpha[ended:stop], final, ends[ended:stop])
            for i in range(ended, stop):
                total += math.log(inverse[i])
            log_z, failed = _settle(ends[ended:stop], smallest)
            total += log_z
            failures += failed
    return total, failures


@kernel
def backward(batch, weights, passed, space, sums, labels):
    """Add up the expected counts of a batch after :func:`forward`.

    `labels` gets, by place in the corpus, the state of highest marginal, the lowest on a tie.
    """
    words, order, starts = batch
    transposed, final, emission = weights.transposed, weights.final, weights.emission
    alpha, inverse, ends = passed
    later, beta, beta_bits = space
    counts, between, first, last = sums
    states = final.size
    lengths = starts.size - 1
    following, added = 0, starts[lengths]
    for t in range(lengths - 1, -1, -1):
        here, width = starts[t], starts[t + 1] - starts[t]
        before = starts[t - 1] if t > 0 else 0
        # 1. beta_t = W_t A^T; at the end of a sentence e / (alpha . e)
        if following > 0:
            np.dot(later[here : here + following], transposed, beta[:following])
        for i in range(following, width):
            f = ends[here + i]
            for k in range(states):
                beta[i, k] = final[k] * f
                later[here + i, k] = 0
                last[k] += alpha[here + i, k] * beta[i, k]
        # 2. W_{t-1} = B_x beta_t / z_{t-1}, and gamma_t = alpha_t beta_t
        for i in range(width):
            w = words[here + i]
            if i + AHEAD < width:
                fetch_row(emission, words[here + i + AHEAD])
                fetch_row(counts, words[here + i + AHEAD])
            if t > 0:
                f = inverse[before + i]
                for k in range(states):
                    later[before + i, k] = emission[w, k] * beta[i, k] * f
            for k in range(states):
                g = alpha[here + i, k] * beta[i, k]
                beta[i, k] = g
                counts[w, k] += g
            labels[order[here + i]] = _first_of_the_highest(beta_bits[i])
        if t == 0:
            for i in range(width):
                for k in range(states):
                    first[k] += beta[i, k]
        following = width
        # 3. expected transitions without A: the sum of alpha^T W
        for end in range(added, here + TOGETHER - 1, -TOGETHER):
            added = end - TOGETHER
            between += np.dot(alpha[added:end].T, later[added:end])
    between += np.dot(alpha[:added].T, later[:added])


@kernel
def viterbi_sentences(words, offsets, low, high, initial, transition, final, emission, labels):
    """Label sentences `low` ... `high`; all weights are logarithms, ties go to the lowest state."""
    states = initial.size
    longest = 0
    for s in range(low, high):
        longest = max(longest, offsets[s + 1] - offsets[s])
    origin = np.empty((longest, states), np.int16)
    now, before = np.empty(states), np.empty(states)
    for s in range(low, high):
        begin, length = offsets[s], offsets[s + 1] - offsets[s]
        if length == 0:
            continue
        # 1. v_1(k) = ln P(k | boundary) + ln P(x_1 | k)
        for k in range(states):
            now[k] = initial[k] + emission[words[begin], k]
        # 2. v_t(k) = max_i v_{t-1}(i) + ln P(k | i) + ln P(x_t | k), and the best i
        for t in range(1, length):
            now, before = before, now
            now[:] = -np.inf
            origin[t] = 0
            for i in range(states):
                b = before[i]
                for k in range(states):
                    value = b + transition[i, k]
                    better = value > now[k]
                    now[k] = value if better else now[k]
                    origin[t, k] = i if better else origin[t, k]
            for k in range(states):
                now[k] += emission[words[begin + t], k]
        # 3. the best last state, and from it back
        best = 0
        for k in range(1, states):
            if now[k] + final[k] > now[best] + final[best]:
                best = k
        for t in range(length - 1, -1, -1):
            labels[begin + t] = best
            if t > 0:
                best = origin[t, best]
