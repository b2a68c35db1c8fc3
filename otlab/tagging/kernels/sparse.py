"""Forward-backward over each word's few likely states.

Late in VB with a sparse prior most words keep four states or fewer of fifty. States
whose emission weight is below `cut` times the word's best are dropped. Same scaling as
:mod:`otlab.tagging.kernels.dense`, sentence by sentence.

The work at a token is the product of the lengths of its list and of the previous token's list.
Most lists are short, and the end of each loop over one costs more than a product, because it cannot
be predicted. So up to four states of one list (:data:`AT_ONCE`) are held in variables during a loop over
the other list; only longer lists take several such loops. Indices are unsigned integers, because ones that
may be negative cost more.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import inlined, kernel

__all__ = ["AT_ONCE", "active_states", "count_active", "flush", "gather_active", "pair_work", "sparse_batch"]

AT_ONCE = 4
"""States of one list that are held in variables: the kernels below are written out for four."""

FLUSH = 2048
"""Tokens whose transitions are summed in float32 before they are added in float64."""


@kernel
def count_active(emission, cut, low, high, sizes):
    """Count each word's states of weight >= cut (rows have largest entry 1)."""
    for w in range(low, high):
        n = 0
        for k in range(emission.shape[1]):
            n += 1 if emission[w, k] >= cut else 0
        sizes[w] = n


@kernel
def active_states(emission, cut, low, high, begins, chosen, values):
    """List the states that :func:`count_active` counts, and their weights, word after word."""
    for w in range(low, high):
        n = begins[w]
        for k in range(emission.shape[1]):
            if emission[w, k] >= cut:
                chosen[n] = k
                values[n] = emission[w, k]
                n += 1


@kernel
def gather_active(tables, begins, chosen, low, high, emissions):
    """Add the shards' counts of words `low` ... `high` in order, spread them out, and clear them."""
    for w in range(low, high):
        for k in range(emissions.shape[1]):
            emissions[w, k] = 0
        for n in range(begins[w], begins[w + 1]):
            total = tables[0, n]
            for shard in range(1, tables.shape[0]):
                total += tables[shard, n]
            emissions[w, chosen[n]] = total


@kernel
def pair_work(words, starts, sizes):
    """Return the sum over neighbouring tokens of the product of their numbers of states."""
    work = 0
    for t in range(1, starts.size - 1):
        here, before = starts[t], starts[t - 1]
        for i in range(starts[t + 1] - here):
            work += sizes[words[here + i]] * sizes[words[before + i]]
    return work


@kernel
def sparse_batch(batch, weights, active, space, sums, labels):
    """Add up the expected counts of a batch; return (log probability, tokens that failed).

    As :func:`otlab.tagging.kernels.dense.forward` and ``backward``, over active states.
    """
    starts = batch.starts
    unflushed, single = 0, space.alpha.itemsize == 4
    smallest = space.alpha.dtype.type(np.finfo(space.alpha.dtype).tiny * 1e6)
    total, product, failures = 0.0, 1.0, 0
    for sentence in range(starts[1]):
        length = 0
        for t in range(starts.size - 1):
            length += 1 if starts[t + 1] - starts[t] > sentence else 0
        total, product, failed = _forward(
            sentence, length, batch, weights, active, space, smallest, total, product
        )
        failures += failed
        total, failed = _end(sentence, length, batch, weights, active, space, sums, smallest, total)
        failures += failed
        _backward(sentence, length, batch, active, space, sums, labels)
        unflushed += length
        if single and unflushed > FLUSH:
            unflushed = 0
            flush(space.between, sums.between)
    return total + math.log(product), failures


@kernel
def flush(between, total):
    """Add sums of transitions, row after row, to the total, and clear them."""
    states = total.shape[1]
    for i in range(total.shape[0]):
        for j in range(states):
            total[i, j] += between[i * states + j]
            between[i * states + j] = 0


@inlined
def _forward(sentence, length, batch, weights, active, space, smallest, total, product):
    """Fill alpha and 1 / z of a sentence; return (log probability, its last factors, failures)."""
    words, starts = batch.words, batch.starts
    initial, states = weights.initial, np.uint64(weights.initial.size)
    begins, chosen, values, transition = active
    alpha, inverse, rows = space.alpha, space.inverse, space.rows
    one, zero = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    failures = 0
    f = one
    m = 0
    for t in range(length):
        w = words[starts[t] + sentence]
        p = begins[w]
        n = begins[w + 1] - p
        z = zero
        # alpha_t = (alpha_{t-1} A) B_x / z_{t-1}, z_t its sum; scaled with the next token
        if t == 0:
            for j in range(n):
                k = np.uint64(chosen[p + j])
                a = initial[k] * values[p + j]
                alpha[0, j] = a
                z += a
                rows[j] = k * states
        else:
            for i in range(0, m, AT_ONCE):
                left = m - i
                r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
                before = alpha[t - 1]
                a0, a1, a2, a3 = before[i], before[i + 1], before[i + 2], before[i + 3]
                for j in range(n):
                    k = np.uint64(chosen[p + j])
                    a = zero if i == 0 else alpha[t, j]
                    a += a0 * transition[r0 + k]
                    if left > 1:
                        a += a1 * transition[r1 + k]
                    if left > 2:
                        a += a2 * transition[r2 + k]
                    if left > 3:
                        a += a3 * transition[r3 + k]
                    if left <= AT_ONCE:
                        a *= values[p + j] * f
                        z += a
                        rows[j] = k * states
                    alpha[t, j] = a
        m = n
        if not z > smallest:
            failures += 1
            z = one
        f = one / z
        inverse[t] = f
        product *= z
        if not 1e-200 < product < 1e200:
            total += math.log(product)
            product = 1.0
    return total, product, failures


@inlined
def _end(sentence, length, batch, weights, active, space, sums, smallest, total):
    """Fill beta of a sentence's last token, e / (alpha . e); return (log probability, failures)."""
    begins, chosen = active.begins, active.chosen
    alpha, later, inverse = space.alpha, space.later, space.inverse
    one, z = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    failures = 0
    w = batch.words[batch.starts[length - 1] + sentence]
    p = begins[w]
    n = begins[w + 1] - p
    for j in range(n):
        later[0, j] = weights.final[chosen[p + j]]
        z += alpha[length - 1, j] * later[0, j]
    if not z > smallest:
        failures = 1
        z = one
    total += math.log(z * inverse[length - 1])
    f = one / z
    for j in range(n):
        later[0, j] *= f
        sums.last[chosen[p + j]] += alpha[length - 1, j] * later[0, j]
    return total, failures


@inlined
def _backward(sentence, length, batch, active, space, sums, labels):
    """Add a sentence's expected counts, from its last token to its first."""
    words, order, starts = batch
    begins, chosen, values, transition = active
    alpha, later, inverse, between, columns, _ = space
    states = np.uint64(sums.first.size)
    counts, first = sums.emissions, sums.first
    place = order[sentence]  # of its first token; the others follow it in the corpus
    one, zero = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    for t in range(length - 1, -1, -1):
        w = words[starts[t] + sentence]
        p = begins[w]
        n = begins[w + 1] - p
        # 1. gamma_t = alpha_t beta_t, and its highest state; W_{t-1} = B_x beta_t / z_{t-1}
        top, best, f = -one, 0, inverse[max(t - 1, 0)]
        for j in range(n):
            k, b = chosen[p + j], later[0, j]
            g = alpha[t, j] * b
            counts[p + j] += g
            if g > top:
                top, best = g, k
            later[1, j] = values[p + j] * b * f
            columns[j] = k
        labels[place + t] = best
        if t == 0:
            for j in range(n):
                first[columns[j]] += alpha[0, j] * later[0, j]
            continue
        # 2. transitions and beta_{t-1} = W_{t-1} A^T
        v = words[starts[t - 1] + sentence]
        q = begins[v]
        m = begins[v + 1] - q
        for j in range(0, n, AT_ONCE):
            left = n - j
            e0, e1, e2, e3 = later[1, j], later[1, j + 1], later[1, j + 2], later[1, j + 3]
            c0, c1, c2, c3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
            for i in range(m):
                k, a = np.uint64(chosen[q + i]) * states, alpha[t - 1, i]
                b = zero if j == 0 else later[0, i]
                b += transition[k + c0] * e0
                between[k + c0] += a * e0
                if left > 1:
                    b += transition[k + c1] * e1
                    between[k + c1] += a * e1
                if left > 2:
                    b += transition[k + c2] * e2
                    between[k + c2] += a * e2
                if left > 3:
                    b += transition[k + c3] * e3
                    between[k + c3] += a * e3
                later[0, i] = b
