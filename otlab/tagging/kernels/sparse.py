"""Forward-backward over each word's few likely states.

Late in VB with a sparse prior most words keep four states or fewer of fifty. States
whose emission weight is below `cut` times the word's best are dropped. Same scaling as
:mod:`otlab.tagging.kernels.dense`, sentence by sentence.

The work at a token is the product of the lengths of its list and of the previous token's list.
Most lists are short, and the end of each loop over one costs more than a product, because it cannot
be predicted. So up to four states of one list (:data:`AT_ONCE`) are held in variables during a loop over
the other list; only longer lists take several such loops. A word that may have any state, such as one
that MAP-EM leaves without a count, needs no look-up: its transitions lie side by side. So a word with more
than half of the states (:data:`LOOKED_UP`) is treated as one that may have any.

Indices are unsigned, because Numba tests at each use whether a signed one is negative. It takes the sum of
a signed and an unsigned integer for a float; so the numbers 0 to 4 have unsigned names.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import borrowing, inlined, kernel

__all__ = [
    "AT_ONCE",
    "active_states",
    "count_active",
    "flush",
    "gather_active",
    "pair_work",
    "sparse_backward",
    "sparse_forward",
]

AT_ONCE = 4
"""States of one list that are held in variables: the kernels below are written out for four."""

LOOKED_UP = 0.5
"""Share of all states up to which a word's are listed; one with more gets all, which need no look-ups."""

SIDE_BY_SIDE = 0.4
"""Time that a pair of states takes if its words may have any state, as a share of another pair's."""

FLUSH = 4096
"""Tokens whose transitions are summed in float32 before they are added in float64."""

_0, _1, _2, _3, _4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@kernel
def count_active(emission, cut, low, high, sizes):
    """Count each word's states of weight >= cut (rows have largest entry 1): all where these are many."""
    states = emission.shape[1]
    for w in range(low, high):
        n = 0
        for k in range(states):
            n += 1 if emission[w, k] >= cut else 0
        sizes[w] = n if n <= LOOKED_UP * states else states


@kernel
def active_states(emission, cut, low, high, begins, chosen, values):
    """List the states that :func:`count_active` counts, and their weights, word after word."""
    states = np.uint64(emission.shape[1])
    for w in range(low, high):
        n = begins[w]
        least = cut if begins[w + 1] - n < states else 0
        for k in range(emission.shape[1]):
            if emission[w, k] >= least:
                chosen[n] = k
                values[n] = emission[w, k]
                n += _1


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
def pair_work(words, starts, sizes, states):
    """Return the pairs of states of neighbouring tokens, those that need no look-up by their lower share."""
    looked_up, side_by_side = 0, 0
    for t in range(1, starts.size - 1):
        here, before = starts[t], starts[t - 1]
        for i in range(starts[t + 1] - here):
            n, m = sizes[words[here + i]], sizes[words[before + i]]
            if n == states or m == states:
                side_by_side += n * m
            else:
                looked_up += n * m
    return looked_up + SIDE_BY_SIDE * side_by_side


@borrowing
def sparse_forward(batch, weights, active, passed, rows):
    """Fill the forward pass of a batch, sentence after sentence, token after token.

    As :func:`otlab.tagging.kernels.dense.forward`, but only over active states, whose alpha stand
    side by side.

    Returns
    -------
    log_probability : float
        Of the batch; not valid if a token failed.
    failed : int
        Tokens whose probability given those before is 0 or underflows.
    filled : int
        Number of alpha.
    """
    words, starts = batch.words, batch.starts
    initial, final, transposed = weights.initial, weights.final, weights.transposed
    states = np.uint64(initial.size)
    begins, chosen, values, transition = active
    alpha, inverse, ends = passed
    one, zero = alpha.dtype.type(1.0), alpha.dtype.type(0.0)
    smallest = alpha.dtype.type(np.finfo(alpha.dtype).tiny * 1e6)
    total, product, failures = 0.0, 1.0, 0
    length, at, now = np.uint64(starts.size - 1), _0, _0
    for sentence in range(np.uint64(starts[1])):
        while np.uint64(starts[length] - starts[length - _1]) <= sentence:
            length -= _1
        f, p, m, before = one, _0, _0, now
        for t in range(length):
            w = np.uint64(words[np.uint64(starts[t]) + sentence])
            p = begins[w]
            n = begins[w + _1] - p
            # 1. alpha_t = (alpha_{t-1} A) B_x / z_{t-1}, and their sum z_t
            z = zero
            if t == _0:
                for j in range(n):
                    alpha[now + j] = initial[np.uint64(chosen[p + j])] * values[p + j]
            elif n == states:
                _to_any_state(alpha, before, now, rows, m, values, p, f, transition)
            elif m == states:
                _from_any_state(alpha, before, now, chosen, values, p, n, f, transposed)
            else:
                _to_few_states(alpha, before, now, rows, m, chosen, values, p, n, f, transition)
            for j in range(n):
                z += alpha[now + j]
                rows[j] = np.uint64(chosen[p + j]) * states
            # 2. 1 / z_t
            if not z > smallest:
                failures += 1
                z = one
            f = one / z
            inverse[at] = f
            product *= z
            if not 1e-200 < product < 1e200:
                total += math.log(product)
                product = 1.0
            m, before, now, at = n, now, now + n, at + _1
        # 3. 1 / (alpha . e) at the sentence's end
        z = zero
        for j in range(m):
            z += alpha[before + j] * final[np.uint64(chosen[p + j])]
        if not z > smallest:
            failures += 1
            z = one
        total += math.log(z * f)
        ends[sentence] = one / z
    return total + math.log(product), failures, now


@borrowing
def sparse_backward(batch, weights, active, passed, filled, space, sums, labels):
    """Add up the expected counts of a batch after :func:`sparse_forward`, from its last token to its first.

    As :func:`otlab.tagging.kernels.dense.backward`, but only over active states; `filled` is the
    number of alpha.
    """
    words, order, starts = batch
    transposed, final, states = weights.transposed, weights.final, np.uint64(weights.final.size)
    begins, chosen, values, transition = active
    alpha, inverse, ends = passed
    later, between, across, columns, _ = space
    counts, first, last = sums.emissions, sums.first, sums.last
    single, unflushed = alpha.itemsize == 4, _0
    longest, sentences = np.uint64(starts.size - 1), np.uint64(starts[1])
    length, at, now = _1, np.uint64(words.size), np.uint64(filled)
    for back in range(sentences):
        sentence = sentences - _1 - back
        while length < longest and np.uint64(starts[length + _1] - starts[length]) > sentence:
            length += _1
        place = np.uint64(order[sentence])  # of its first token; the others follow it in the corpus
        # 1. beta of the last token, e / (alpha . e)
        w = np.uint64(words[np.uint64(starts[length - _1]) + sentence])
        p = begins[w]
        n = begins[w + _1] - p
        now -= n
        for j in range(n):
            k = np.uint64(chosen[p + j])
            later[_0, j] = final[k] * ends[sentence]
            last[k] += alpha[now + j] * later[_0, j]
        for ago in range(length):
            t = length - _1 - ago
            at -= _1
            # 2. gamma_t = alpha_t beta_t, and its highest state; W_{t-1} = B_x beta_t / z_{t-1}
            top, best, f = alpha.dtype.type(-1.0), _0, inverse[at - _1 if t > _0 else at]
            if n == states:
                best = _any_state(alpha, now, values, p, f, later, columns, counts)
            else:
                for j in range(n):
                    k, b = np.uint64(chosen[p + j]), later[_0, j]
                    g = alpha[now + j] * b
                    counts[p + j] += g
                    if g > top:
                        top, best = g, k
                    later[_1, j] = values[p + j] * b * f
                    columns[j] = k
            labels[place + t] = best
            if t == _0:
                for j in range(n):
                    first[np.uint64(chosen[p + j])] += alpha[now + j] * later[_0, j]
                break
            # 3. transitions, and beta_{t-1} = W_{t-1} A^T
            w = np.uint64(words[np.uint64(starts[t - _1]) + sentence])
            q = begins[w]
            m = begins[w + _1] - q
            now -= m
            if m == states:
                _any_state_before(alpha, now, columns, n, later, transposed, across)
            elif n == states:
                _any_state_after(alpha, now, chosen, q, m, later, transition, between)
            else:
                _from_few_states(alpha, now, chosen, q, m, columns, n, later, transition, between)
            p, n = q, m
        unflushed += length
        if single and unflushed > FLUSH:
            unflushed = _0
            flush(between, across, sums.between)


@inlined
def _to_few_states(alpha, before, now, rows, m, chosen, values, p, n, f, transition):
    """Write alpha_t of a word that may have some states; `rows`: where those of the word before begin."""
    for i in range(_0, m, _4):
        left, h = m - i, before + i
        r0, r1, r2, r3 = rows[i], rows[i + _1], rows[i + _2], rows[i + _3]
        a0, a1, a2, a3 = alpha[h], alpha[h + _1], alpha[h + _2], alpha[h + _3]
        for j in range(n):
            k = np.uint64(chosen[p + j])
            a = a0 * transition[r0 + k]
            if i > _0:
                a += alpha[now + j]
            if left > _1:
                a += a1 * transition[r1 + k]
            if left > _2:
                a += a2 * transition[r2 + k]
            if left > _3:
                a += a3 * transition[r3 + k]
            if left <= _4:
                a *= values[p + j] * f
            alpha[now + j] = a


@borrowing
def _to_any_state(alpha, before, now, rows, m, values, p, f, transition):
    """Write alpha_t of a word that may have any state."""
    states = np.uint64(rows.size - AT_ONCE)
    after, weights = alpha[now : now + states], values[p : p + states]
    after[:] = 0
    for i in range(m):
        a, row = alpha[before + i], transition[rows[i] : rows[i] + states]
        for j in range(states):
            after[j] += a * row[j]
    for j in range(states):
        after[j] *= weights[j] * f


@borrowing
def _from_any_state(alpha, before, now, chosen, values, p, n, f, transposed):
    """Write alpha_t of a word after one that may have any state."""
    a = alpha[before : before + np.uint64(transposed.shape[0])]
    for j in range(n):
        alpha[now + j] = _product(transposed[np.uint64(chosen[p + j])], a) * (values[p + j] * f)


@borrowing
def _any_state(alpha, now, values, p, f, later, columns, counts):
    """Add gamma of a word that may have any state, and write its W; return its highest state."""
    states = np.uint64(later.shape[1] - AT_ONCE)
    a, beta, after = alpha[now : now + states], later[_0, :states], later[_1, :states]
    sums, weights = counts[p : p + states], values[p : p + states]
    for j in range(states):
        sums[j] += a[j] * beta[j]
    for j in range(states):
        after[j] = weights[j] * beta[j] * f
        columns[j] = j
    top, best = a[_0] * beta[_0], _0
    for j in range(_1, states):
        if a[j] * beta[j] > top:
            top, best = a[j] * beta[j], j
    return best


@inlined
def _from_few_states(alpha, before, chosen, q, m, columns, n, later, transition, between):
    """Add transitions to a word that may have some states, and write its W A^T."""
    states = np.uint64(later.shape[1] - AT_ONCE)
    for j in range(_0, n, _4):
        left = n - j
        e0, e1, e2, e3 = later[_1, j], later[_1, j + _1], later[_1, j + _2], later[_1, j + _3]
        c0, c1, c2, c3 = columns[j], columns[j + _1], columns[j + _2], columns[j + _3]
        for i in range(m):
            k, a = np.uint64(chosen[q + i]) * states, alpha[before + i]
            b = transition[k + c0] * e0
            if j > _0:
                b += later[_0, i]
            between[k + c0] += a * e0
            if left > _1:
                b += transition[k + c1] * e1
                between[k + c1] += a * e1
            if left > _2:
                b += transition[k + c2] * e2
                between[k + c2] += a * e2
            if left > _3:
                b += transition[k + c3] * e3
                between[k + c3] += a * e3
            later[_0, i] = b


@borrowing
def _any_state_before(alpha, before, columns, n, later, transposed, across):
    """Add transitions from a word that may have any state, and write its beta."""
    states = np.uint64(transposed.shape[0])
    beta, a = later[_0, :states], alpha[before : before + states]
    beta[:] = 0
    for j in range(n):
        k, e = columns[j], later[_1, j]
        row, sums = transposed[k], across[k * states : (k + _1) * states]
        for i in range(states):
            beta[i] += row[i] * e
        for i in range(states):
            sums[i] += a[i] * e


@borrowing
def _any_state_after(alpha, before, chosen, q, m, later, transition, between):
    """Add transitions to a word that may have any state, and write beta of the word before it."""
    states = np.uint64(later.shape[1] - AT_ONCE)
    after = later[_1, :states]
    for i in range(m):
        k, a = np.uint64(chosen[q + i]) * states, alpha[before + i]
        row, sums = transition[k : k + states], between[k : k + states]
        later[_0, i] = _product(row, after)
        for j in range(states):
            sums[j] += a * after[j]


@inlined
def _product(one, other):
    """Return the sum of products of two arrays, by four sums: an addition to a sum waits for the last one."""
    a, b, c, d = one[_0] * 0, one[_0] * 0, one[_0] * 0, one[_0] * 0
    size = np.uint64(one.size)
    rest = size % _4
    for j in range(_0, size - rest, _4):
        a += one[j] * other[j]
        b += one[j + _1] * other[j + _1]
        c += one[j + _2] * other[j + _2]
        d += one[j + _3] * other[j + _3]
    for j in range(size - rest, size):
        a += one[j] * other[j]
    return (a + b) + (c + d)


@borrowing
def flush(between, across, total):
    """Add sums of transitions, row after row and column after column, to the total, and clear them."""
    states = total.shape[1]
    for i in range(states):
        for j in range(states):
            total[i, j] += between[i * states + j] + across[j * states + i]
    between[:] = 0
    across[:] = 0
