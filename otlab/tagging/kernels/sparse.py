"""Forward-backward over each word's few likely states.

Late in VB with a sparse prior most words keep four states or fewer of fifty. States
whose emission weight is below `cut` times the word's best are dropped. Same scaling as
:mod:`otlab.tagging.kernels.dense`, sentence by sentence.

The work at a token is the product of the lengths of its list and of the previous token's list.
Lists are copied into work space as unsigned integers, because indices that may be negative, or
that are read from the middle of a longer array, cost more than the products. Two sums are
accumulated at a time, because each addition has to wait for the previous one of the same sum.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import inlined, kernel

__all__ = ["active_states", "count_active", "flush", "gather_active", "pair_work", "sparse_batch"]

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
    alpha, inverse, columns, rows = space.alpha, space.inverse, space.columns, space.rows
    one, zero = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    failures = 0
    f = one
    m = 0
    for t in range(length):
        w = words[starts[t] + sentence]
        p = begins[w]
        n = begins[w + 1] - p
        for j in range(n):
            columns[j] = chosen[p + j]
        columns[n] = 0
        z = zero
        # alpha_t = (alpha_{t-1} A) B_x / z_{t-1}, z_t its sum; scaled with the next token
        if t == 0:
            for j in range(n):
                a = initial[columns[j]] * values[p + j]
                alpha[0, j] = a
                z += a
        else:
            for j in range(0, n, 2):
                k, u = columns[j], columns[j + 1]
                a, b = zero, zero
                for i in range(m):
                    c = alpha[t - 1, i]
                    a += c * transition[rows[i] + k]
                    b += c * transition[rows[i] + u]
                alpha[t, j] = a
                alpha[t, j + 1] = b
            for j in range(n):
                a = alpha[t, j] * (values[p + j] * f)
                alpha[t, j] = a
                z += a
        for j in range(n):
            rows[j] = columns[j] * states
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
    alpha, later, inverse, between, columns, rows = space
    states = np.uint64(sums.first.size)
    counts, first = sums.emissions, sums.first
    place = order[sentence]  # of its first token; the others follow it in the corpus
    one, zero = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    for t in range(length - 1, -1, -1):
        w = words[starts[t] + sentence]
        p = begins[w]
        n = begins[w + 1] - p
        # 1. gamma_t = alpha_t beta_t, and its highest state
        top, best = -one, 0
        for j in range(n):
            g = alpha[t, j] * later[0, j]
            counts[p + j] += g
            if g > top:
                top, best = g, chosen[p + j]
            if t == 0:
                first[chosen[p + j]] += g
        labels[place + t] = best
        if t == 0:
            continue
        # 2. W_{t-1} = B_x beta_t / z_{t-1}, then transitions and beta_{t-1} = W_{t-1} A^T
        f = inverse[t - 1]
        for j in range(n):
            later[1, j] = values[p + j] * later[0, j] * f
        v = words[starts[t - 1] + sentence]
        q = begins[v]
        m = begins[v + 1] - q
        for j in range(n):
            columns[j] = chosen[p + j]
        for i in range(m):
            rows[i] = np.uint64(chosen[q + i]) * states
        # Where the number of states is odd, one more state of weight 0.
        rows[m] = 0
        alpha[t - 1, m] = zero
        for i in range(0, m, 2):
            k, u = rows[i], rows[i + 1]
            a, c = alpha[t - 1, i], alpha[t - 1, i + 1]
            b, d = zero, zero
            for j in range(n):
                e = later[1, j]
                b += transition[k + columns[j]] * e
                d += transition[u + columns[j]] * e
                between[k + columns[j]] += a * e
                between[u + columns[j]] += c * e
            later[0, i] = b
            later[0, i + 1] = d
