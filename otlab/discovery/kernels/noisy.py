"""Forward-backward algorithm over segmentations into words that have passed through a channel.

An utterance whose sums exceed the range of float64 is computed again with a separate factor for each
phone, as in :mod:`otlab.discovery.kernels.lattice`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.discovery.kernels.fresh import (
    FreshCounts,
    FreshWeights,
    distribute,
    fresh_backward,
    fresh_forward,
    fresh_mass,
)
from otlab.discovery.kernels.layout import LARGEST, SMALLEST
from otlab.inference.jit import inlined, kernel

if TYPE_CHECKING:
    from otlab.discovery.kernels.layout import EditArrays


class NoisyWeights(NamedTuple):
    """Weights with which utterances are parsed.

    Attributes
    ----------
    rules : float64 ndarray of shape (6,)
        Weights of the six rules of :class:`~otlab.discovery.kernels.layout.Lattice`.
    phones : float64 ndarray of shape (phones,)
        Weight of each phone.
    mass : float64 ndarray of shape (words,)
        Weight of looking up each word of the trie.
    fresh : FreshWeights
        Weights of words built from rules.
    unit : float
        Factor per phone of the text.
    """

    rules: np.ndarray
    phones: np.ndarray
    mass: np.ndarray
    fresh: FreshWeights
    unit: float


class NoisyCounts(NamedTuple):
    """Expected uses, to which :func:`noisy_counts` adds.

    Attributes
    ----------
    rule, used : float64 ndarray
        Expected uses of rules, and of the trie's words.
    built : float64 ndarray of shape (1,)
        Expected number of words built from rules.
    edits : EditArrays
        Expected operations without end markers, inserted phones, and substitutions.
    ends : float64 ndarray of shape (phones,)
        Output: posterior that a word ends after each phone of the text.
    best : int64 ndarray of shape (phones,)
        Output: the most probable word of the trie that ends after each phone; -1 if it is built from rules.
    """

    rule: np.ndarray
    used: np.ndarray
    built: np.ndarray
    edits: EditArrays
    ends: np.ndarray
    best: np.ndarray


class Passes(NamedTuple):
    """Working arrays for the forward and backward pass of one utterance.

    Attributes
    ----------
    rows : int64 ndarray of shape (n + 1,)
        Arcs that begin at phone i are ``rows[i]:rows[i + 1]``.
    alpha, beta : float64 ndarray of shape (n + 1,)
        Weight of the first j phones, and of those from j on, the latter divided by Z.
    fresh_alpha, fresh_beta : float64 ndarray of shape (n + 1, 2, runs)
        States of words built from rules that begin at one phone (:mod:`~otlab.discovery.kernels.fresh`).
    after : float64 ndarray of shape (n + 1,)
        See :func:`~otlab.discovery.kernels.fresh.fresh_backward`.
    best_posterior : float64 ndarray of shape (n + 1,)
        Posterior of the most probable word that ends before phone j.
    factor : float64 ndarray of shape (n,)
        Factor of each phone, beside `unit`.
    """

    rows: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    fresh_alpha: np.ndarray
    fresh_beta: np.ndarray
    after: np.ndarray
    best_posterior: np.ndarray
    factor: np.ndarray


class Walk(NamedTuple):
    """Stack of a depth-first search of the trie.

    Attributes
    ----------
    stack : int64 ndarray of shape (depth, 5 + 4 * most_edits)
        Node, end j, number of edits, length of the current run (> 0 for insertions, < 0 for deletions),
        number of unedited phones, then kind, source phone, output phone and position of each edit.
    weights : float64 ndarray of shape (depth,)
        Weight of the edits so far.
    here : int64 ndarray of shape (5 + 4 * most_edits,)
        The row of `stack` that is being extended.
    """

    stack: np.ndarray
    weights: np.ndarray
    here: np.ndarray


@kernel
def new_walk(longest, phones, most_edits):
    """Return a stack for searches over at most `longest` phones of text."""
    depth = 60 * (longest + 2) * (most_edits + 1) + 4 * phones * (most_edits + 1)
    width = 5 + 4 * most_edits
    return Walk(np.zeros((depth, width), dtype=np.int64), np.zeros(depth), np.zeros(width, dtype=np.int64))


@inlined
def push(stack, weights, here, top, node, j, edits, run, weight):
    """Push a copy of the row `here` with another node, end, number of edits and run."""
    stack[top] = here
    stack[top, 0] = node
    stack[top, 1] = j
    stack[top, 2] = edits
    stack[top, 3] = run
    weights[top] = weight


@inlined
def push_edit(stack, weights, here, top, node, j, run, kind, x, y, weight):
    """Push a copy of the row `here` with one more edit, of source phone x and output phone y."""
    made = here[2]
    push(stack, weights, here, top, node, j, made + 1, run, weight)
    stack[top, 5 + 4 * made] = kind
    stack[top, 6 + 4 * made] = x
    stack[top, 7 + 4 * made] = y
    stack[top, 8 + 4 * made] = here[1]


@inlined
def end_word(rows, arc, word, i, stack, top):
    """Write the arc of a word from phone i to where the walk is."""
    rows[arc, 0] = word
    rows[arc, 1] = i
    rows[arc, 2] = stack[top, 1]
    rows[arc, 3] = stack[top, 4]
    rows[arc, 4] = stack[top, 3]
    for k in range(5, stack.shape[1]):
        rows[arc, k] = stack[top, k]


@inlined
def word_arcs(phones, span, trie, mass, edits, limits, walk, arcs, size, run_before, end):
    """Append the arcs of all words that may begin at phone i; return the number of arcs.

    `span` is (at, i, n): the first phone of the utterance, the phone to begin at, and how many there are.
    An arc is a word of the trie whose output, after some edits, is phones i..j - 1. A word has at
    most ``limits.most_edits`` edits, and at most ``limits.at_once`` + h // 2 after h phones of its output.
    `run_before` is the run of deletions (< 0) that the word continues; 0 at a word boundary. `end` is the
    weight of the end marker; 1 if none follows.
    """
    at, i, n = span
    stack, weights, here = walk
    rows, arc_weights = arcs
    follow, first_child, sibling, symbol, word = trie
    operation, insertion, substitution = edits
    stack[0, :] = 0
    stack[0, 1] = i
    stack[0, 3] = run_before
    weights[0] = end
    top = 1
    for _ in range(10_000_000):
        if top == 0 or size + 1 >= rows.shape[0]:
            break
        top -= 1
        node, j, made, run, kept = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4]
        w = weights[top]
        # 1. a word ends here
        if word[node] >= 0 and j > i:
            end_word(rows, size, word[node], i, stack, top)
            arc_weights[size] = w * mass[word[node]]
            size += 1
        y = phones[at + j] if j < n else -1
        # 2. no more edits allowed: only the child for the next phone
        if made == limits.most_edits or made >= limits.at_once + (j - i) // 2:
            if y >= 0 and follow[node, y] >= 0:
                stack[top, 0] = follow[node, y]
                stack[top, 1] = j + 1
                stack[top, 3] = 0
                stack[top, 4] = kept + 1
                weights[top] = w * operation[NONE]
                top += 1
            continue
        here[:] = stack[top]
        # 3. insertion of the next phone
        if y >= 0 and 0 <= run < limits.most_inserted:
            weight = w * operation[INSERT] * insertion[y]
            push_edit(stack, weights, here, top, node, j + 1, run + 1, INSERT, 0, y, weight)
            top += 1
        # 4. each child: deletion, no edit or substitution
        child = first_child[node]
        for _ in range(follow.shape[1]):
            if child < 0:
                break
            x = symbol[child]
            if -limits.most_deleted < run <= 0:
                weight = w * operation[DELETE]
                push_edit(stack, weights, here, top, child, j, run - 1, DELETE, x, 0, weight)
                top += 1
            if y >= 0 and x == y:
                push(stack, weights, here, top, child, j + 1, made, 0, w * operation[NONE])
                stack[top, 4] = kept + 1
                top += 1
            elif y >= 0:
                weight = w * operation[SUBSTITUTE] * substitution[x, y]
                push_edit(stack, weights, here, top, child, j + 1, 0, SUBSTITUTE, x, y, weight)
                top += 1
            child = sibling[child]
    return size


@kernel
def noisy_counts(text, items, lattice, weights, trie, edits, limits, counts, arcs, log_z):
    """Add the expected counts of words and edits of a list of utterances to `counts`.

    Returns the number of utterances with more arcs than fit into `arcs`.
    """
    longest = items.n.max()
    walk = new_walk(longest, trie.follow.shape[1], limits.most_edits)
    states = (longest + 1, 2, limits.most_inserted + limits.most_deleted + 1)
    passes = Passes(
        np.zeros(longest + 2, dtype=np.int64),
        np.zeros(longest + 1),
        np.zeros(longest + 1),
        np.zeros(states),
        np.zeros(states),
        np.zeros(longest + 1),
        np.zeros(longest + 1),
        np.ones(longest),
    )
    size = weights.phones.size
    fresh = FreshCounts(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(2))
    overfull = 0
    for k in range(items.at.size):
        at, n = items.at[k], items.n[k]
        size = 0
        for i in range(n):
            passes.rows[i] = size
            size = word_arcs(
                text.phones, (at, i, n), trie, weights.mass, edits, limits, walk, arcs, size, 0,
                weights.fresh.end,
            )  # fmt: skip
        passes.rows[n] = size
        overfull += size + 1 >= arcs.rows.shape[0]
        passes.factor[:n] = 1.0
        z = forward(text.phones, at, n, weights, limits, arcs, passes)
        level = 0.0
        if not SMALLEST < z < LARGEST:
            level = rescale_phones(text.phones, at, n, weights, limits, arcs, passes)
            z = forward(text.phones, at, n, weights, limits, arcs, passes)
        if not z > 0.0:
            log_z[k] = -np.inf
            continue
        log_z[k] = math.log(z) - n * math.log(weights.unit) - level
        words = backward(text.phones, at, n, z, weights, limits, arcs, passes, counts, fresh)
        counts.rule[lattice.rules[0]] += 1.0
        counts.rule[lattice.rules[1]] += 1.0
        counts.rule[lattice.rules[2]] += words - 1.0
    counts.built[0] += fresh.other[1]
    distribute(fresh, weights, edits, weights.phones, lattice, counts.rule, counts.edits)
    return overfull


@kernel
def rescale_phones(phones, at, n, weights, limits, arcs, passes):
    """Fill `factor` by a forward pass in logarithms, and rescale the arcs; return the ln of its product."""
    rules, unit, factor = weights.rules, weights.unit, passes.factor
    arc_starts, fresh_alpha = passes.rows, passes.fresh_alpha
    arc_rows, arc_weights = arcs
    log_alpha = np.full(n + 1, -np.inf)
    log_alpha[0] = math.log(rules[0])
    # 1. ln alpha
    for i in range(n):
        here = log_alpha[i] + (math.log(rules[2]) if i > 0 else 0.0)
        fresh_forward(phones, at, i, n, weights.fresh, limits, factor, fresh_alpha)
        for j in range(i + 1, n + 1):
            w = fresh_mass(fresh_alpha, j, weights.fresh)
            if w > 0.0:
                log_alpha[j] = np.logaddexp(log_alpha[j], here + math.log(w))
        for k in range(arc_starts[i], arc_starts[i + 1]):
            j = arc_rows[k, 2]
            if arc_weights[k] > 0.0:
                w = math.log(arc_weights[k]) + (j - i) * math.log(unit)
                log_alpha[j] = np.logaddexp(log_alpha[j], here + w)
    # 2. factors with which every alpha is 1, and the arcs times these
    level = np.zeros(n + 1)
    for j in range(n):
        level[j + 1] = -log_alpha[j + 1] if log_alpha[j + 1] > -np.inf else level[j]
        factor[j] = math.exp(level[j + 1] - level[j])
    for i in range(n):
        for k in range(arc_starts[i], arc_starts[i + 1]):
            j = arc_rows[k, 2]
            arc_weights[k] *= math.exp(min(level[j] - level[i], 690.0))
    return level[n]


@inlined
def forward(phones, at, n, weights, limits, arcs, passes):
    """Fill alpha; return Z (times unit**n)."""
    rules, unit = weights.rules, weights.unit
    alpha, arc_starts, fresh_alpha, factor = passes.alpha, passes.rows, passes.fresh_alpha, passes.factor
    arc_rows, arc_weights = arcs
    alpha[: n + 1] = 0.0
    alpha[0] = rules[0]
    for i in range(n):
        alpha[i] *= rules[2] if i > 0 else 1.0
        fresh_forward(phones, at, i, n, weights.fresh, limits, factor, fresh_alpha)
        for j in range(i + 1, n + 1):
            alpha[j] += alpha[i] * fresh_mass(fresh_alpha, j, weights.fresh)
        for k in range(arc_starts[i], arc_starts[i + 1]):
            j = arc_rows[k, 2]
            alpha[j] += alpha[i] * arc_weights[k] * unit ** (j - i)
    return alpha[n] * rules[1]


@inlined
def backward(phones, at, n, z, weights, limits, arcs, passes, counts, fresh):
    """Fill beta, and add the posteriors of words and edits; return the expected number of words."""
    rules, unit = weights.rules, weights.unit
    arc_starts, alpha, beta, fresh_alpha, fresh_beta, after, best_posterior, factor = passes
    arc_rows, arc_weights = arcs
    _, used, _, edits, ends, best = counts
    operation_count, insertion_count, substitution_count = edits
    beta[n] = rules[1] / z
    best_posterior[: n + 1] = 0.0
    for k in range(n):
        ends[at + k] = 0.0
        best[at + k] = -1
    words = 0.0
    for i in range(n - 1, -1, -1):
        total = 0.0
        # 1. words built from rules over i..j - 1, edited or not
        fresh_forward(phones, at, i, n, weights.fresh, limits, factor, fresh_alpha)
        for j in range(i + 1, n + 1):
            after[j] = alpha[i] * beta[j]
            p = fresh_mass(fresh_alpha, j, weights.fresh) * beta[j]
            total += p
            p *= alpha[i]
            ends[at + j - 1] += p
            fresh.other[1] += p
            words += p
            if p > best_posterior[j]:
                best_posterior[j] = p
                best[at + j - 1] = -1
        fresh_backward(phones, at, i, n, weights.fresh, limits, factor, fresh_alpha, after, fresh_beta, fresh)
        # 2. words of the trie, with their edits
        for k in range(arc_starts[i], arc_starts[i + 1]):
            j = arc_rows[k, 2]
            p = arc_weights[k] * unit ** (j - i) * beta[j]
            total += p
            p *= alpha[i]
            if p < 1e-12:
                continue
            used[arc_rows[k, 0]] += p
            ends[at + j - 1] += p
            words += p
            add_edits(arc_rows, k, p, operation_count, insertion_count, substitution_count)
            if p > best_posterior[j]:
                best_posterior[j] = p
                best[at + j - 1] = arc_rows[k, 0]
        beta[i] = total * (rules[2] if i > 0 else 1.0)
    return words


@inlined
def add_edits(rows, arc, p, operation_count, insertion_count, substitution_count):
    """Add the edits of an arc with posterior p, without its end marker."""
    operation_count[NONE] += p * rows[arc, 3]
    for e in range(5, rows.shape[1], 4):
        kind = rows[arc, e]
        if kind != NONE:
            operation_count[kind] += p
            if kind == INSERT:
                insertion_count[rows[arc, e + 2]] += p
            elif kind == SUBSTITUTE:
                substitution_count[rows[arc, e + 1], rows[arc, e + 2]] += p


@kernel
def source_arcs(word, trie, edits, limits, arcs):
    """Fill `arcs` with the edited words of the trie that have `word` as output; return their number."""
    n = word.size
    walk = new_walk(n, trie.follow.shape[1], limits.most_edits)
    mass = np.ones(trie.word.size)
    return word_arcs(word, (0, 0, n), trie, mass, edits, limits, walk, arcs, 0, 0, 1.0)
