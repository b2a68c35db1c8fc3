r"""Loops of the trigram hidden Markov model: pairs of states, most probable paths, Gibbs sampling.

Arrays over pairs have the present state first, then the state before it, then the sentences of a batch, so
that the sum over the state before is one matrix product for each present state
(:mod:`otlab.tagging.hmm.trigrams`); the kernels here do what lies between these products.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["gather_marginals", "log_sum", "sweep_trigrams", "viterbi_trigrams", "weigh"]


@kernel
def weigh(alpha, emission, factors, sums):
    """Multiply forward weights by emissions, and add them up for each sentence.

    Parameters
    ----------
    alpha : ndarray of shape (states, states before, sentences)
        In and out.
    emission : ndarray of shape (states, sentences)
        Of the sentences' words.
    factors, sums : ndarray of shape (sentences,)
        1 / the sum of the token before; out: the sum of this one.
    """
    sums[:] = 0.0
    for k in range(alpha.shape[0]):
        for n in range(sums.size):
            emission[k, n] *= factors[n]
        for j in range(alpha.shape[1]):
            for n in range(sums.size):
                x = alpha[k, j, n] * emission[k, n]
                alpha[k, j, n] = x
                sums[n] += x


@kernel
def gather_marginals(alpha, beta, emission, factors, words, order, counts, labels, marginals):
    """Add each token's marginal probabilities to the counts, and make backward weights W of `beta`.

    Parameters
    ----------
    alpha, beta : ndarray of shape (states, states before, sentences)
        Of the token; `beta` becomes its product with emissions and `factors`.
    emission, factors
        As for :func:`weigh`.
    words, order
        The word of each sentence, and its place in the corpus.
    counts : ndarray of shape (types, states)
        To which the marginals are added.
    labels : ndarray of int16, shape (tokens,)
        Out: the most probable state, the lowest on a tie.
    marginals : ndarray of shape (states, sentences)
        Out.
    """
    for k in range(alpha.shape[0]):
        row = marginals[k]
        row[:] = 0.0
        for n in range(row.size):
            emission[k, n] *= factors[n]
        for j in range(alpha.shape[1]):
            for n in range(row.size):
                row[n] += alpha[k, j, n] * beta[k, j, n]
                beta[k, j, n] *= emission[k, n]
    for n in range(words.size):
        best = 0
        for k in range(alpha.shape[0]):
            counts[words[n], k] += marginals[k, n]
            best = k if marginals[k, n] > marginals[best, n] else best
        labels[order[n]] = best


@kernel
def viterbi_trigrams(words, offsets, low, high, transitions, emission, labels):
    """Label sentences `low` ... `high` by the most probable states; all weights are logarithms.

    `transitions` has shape (states + 1, states + 1, states + 1); ties go to the lowest last state, then to
    the lowest one before it, and so on.
    """
    states = emission.shape[1]
    longest = 0
    for s in range(low, high):
        longest = max(longest, offsets[s + 1] - offsets[s])
    origin = np.empty((longest, states + 1, states), np.int16)
    now, before = np.empty((states + 1, states)), np.empty((states + 1, states))
    for s in range(low, high):
        begin, length = offsets[s], offsets[s + 1] - offsets[s]
        if length == 0:
            continue
        # 1. v_1(boundary, k), then v_t(j, k) = max_i v_{t-1}(i, j) + ln P(k | i, j) + ln P(x_t | k)
        now[:] = -np.inf
        for k in range(states):
            now[states, k] = transitions[states, states, k] + emission[words[begin], k]
        for t in range(1, length):
            now, before = before, now
            now[:] = -np.inf
            origin[t] = 0
            for j in range(states):
                for i in range(states + 1):
                    b = before[i, j]
                    if b == -np.inf:
                        continue
                    for k in range(states):
                        value = b + transitions[i, j, k]
                        better = value > now[j, k]
                        now[j, k] = value if better else now[j, k]
                        origin[t, j, k] = i if better else origin[t, j, k]
                for k in range(states):
                    now[j, k] += emission[words[begin + t], k]
        # 2. the best last two states, and from them back
        best, first, last = -np.inf, 0 if length > 1 else states, 0
        for k in range(states):
            for j in range(states + 1):
                value = now[j, k] + transitions[j, k, states]
                if value > best:
                    best, first, last = value, j, k
        for t in range(length - 1, -1, -1):
            labels[begin + t] = last
            if t > 0:
                first, last = origin[t, first, last], first


@kernel
def _shift(trigrams, pairs, a, b, c, change):
    """Add `change` to the counts of a trigram, in the orders in which the sweep reads them."""
    after, between, before = trigrams
    after[a, b, c] += change
    between[a, c, b] += change
    before[b, c, a] += change
    followed, following = pairs
    followed[a, b] += change
    following[b, a] += change


@kernel
def sweep_trigrams(rng, words, offsets, low, high, labels, rows, counts, priors, power, weights):
    r"""Resample the states of sentences `low` ... `high`, token by token, parameters summed out.

    With the token taken out of all counts, each of its trigrams :math:`(i, j, k)` has the factor
    :math:`(c_{ijk} + \alpha_y) / (c_{ij} + K \alpha_y)`, where the counts include those of its trigrams that
    come before. They may be the same ones only for the states of the two tokens before.

    Parameters
    ----------
    rows : (ndarray of shape (types, states), ndarray of shape (states,))
        Counts of emissions, and of states; the entry of a state that a word cannot have is -alpha_x.
    counts : (trigrams, pairs)
        See :func:`_shift`.
    priors : (emission, emission mass of each state, transition)
        alpha_x, m alpha_x (above 0) and alpha_y.
    power
        1 / temperature.
    weights : ndarray of shape (states,)
        Work space.
    """
    emissions, occurrences = rows
    trigrams, pairs = counts
    after, between, before = trigrams
    followed, following = pairs
    alpha_x, mass, alpha_y = priors
    states = weights.size
    total_y = (states + 1) * alpha_y
    for s in range(low, high):
        begin, end = offsets[s], offsets[s + 1]
        for i in range(begin, end):
            w, old = words[i], labels[i]
            a = labels[i - 1] if i > begin else states
            z = labels[i - 2] if i > begin + 1 else states
            b = labels[i + 1] if i + 1 < end else states
            c = labels[i + 2] if i + 2 < end else states
            inside = i + 1 < end
            emissions[w, old] -= 1
            occurrences[old] -= 1
            _shift(trigrams, pairs, z, a, old, -1)
            _shift(trigrams, pairs, a, old, b, -1)
            if inside:
                _shift(trigrams, pairs, old, b, c, -1)
            # 1. the conditional of each state, without the trigrams that come before
            for k in range(states):
                weights[k] = (
                    (emissions[w, k] + alpha_x) / (occurrences[k] + mass[k])
                    * (after[z, a, k] + alpha_y)
                    * (between[a, b, k] + alpha_y) / (followed[a, k] + total_y)
                )  # fmt: skip
            if inside:
                for k in range(states):
                    weights[k] *= (before[b, c, k] + alpha_y) / (following[b, k] + total_y)
            # 2. the two states for which they matter
            for k in (a, z):
                if k == states:
                    continue
                same, row = k == a and z == a and b == a, k == a and z == a
                x = (emissions[w, k] + alpha_x) / (occurrences[k] + mass[k]) * (after[z, a, k] + alpha_y)
                x *= (between[a, b, k] + same + alpha_y) / (followed[a, k] + row + total_y)
                if inside:
                    # (k, b, c) beside (z, a, k) and (a, k, b), and their first two
                    as_first, as_second = k == z and b == a and c == k, a == k and b == k and c == b
                    row_first, row_second = k == z and b == a, a == k and b == k
                    x *= before[b, c, k] + as_first + as_second + alpha_y
                    x /= following[b, k] + row_first + row_second + total_y
                weights[k] = x
            # 3. draw
            total = 0.0
            for k in range(states):
                if power != 1.0:
                    weights[k] = weights[k] ** power
                total += weights[k]
            u = rng.random() * total
            new = old
            for k in range(states):
                if weights[k] > 0.0:
                    new = k
                    u -= weights[k]
                    if u < 0.0:
                        break
            emissions[w, new] += 1
            occurrences[new] += 1
            _shift(trigrams, pairs, z, a, new, 1)
            _shift(trigrams, pairs, a, new, b, 1)
            if inside:
                _shift(trigrams, pairs, new, b, c, 1)
            labels[i] = new


@kernel
def log_sum(values, smallest):
    """Return the sum of the logarithms of values, and how many are too small for one."""
    total, failed = 0.0, 0
    for n in range(values.size):
        if values[n] > smallest:
            total += math.log(values[n])
        else:
            failed += 1
            values[n] = 1.0
    return total, failed
