"""Words through the channel: every way a lexicon's words can have come out, utterance by utterance."""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.inference.jit import kernel


@kernel
def word_arcs(
    phones, at, i, n, follow, first_child, sibling, symbol, word, mass, operation, insertion, substitution,
    most_edits, most_inserted, most_deleted, stack, weights, arcs, arc_weights, size,
):  # fmt: skip
    """Append the arcs of all words that may begin before phone i; return how many arcs there are.

    An arc's row is (word, i, j, kept phones, then kind, top, bottom of each edit): the
    word came out as phones i..j - 1 by these edits. Walks the lexicon's trie with at
    most `most_edits` edits, and at most 1 + h // 3 while h phones have been heard;
    ``follow[node, phone]`` is the child, -1 if there is none.
    """
    width = stack.shape[1]
    stack[0, :] = 0
    stack[0, 1] = i
    weights[0] = operation[NONE]
    top = 1
    for _ in range(10_000_000):
        if top == 0 or size + 1 >= arcs.shape[0]:
            break
        top -= 1
        node = stack[top, 0]
        j = stack[top, 1]
        edits = stack[top, 2]
        run = stack[top, 3]
        kept = stack[top, 4]
        w = weights[top]
        if word[node] >= 0 and j > i:
            arcs[size, 0] = word[node]
            arcs[size, 1] = i
            arcs[size, 2] = j
            for k in range(4, width):
                arcs[size, k - 1] = stack[top, k]
            arc_weights[size] = w * mass[word[node]]
            size += 1
        y = phones[at + j] if j < n else -1
        if edits == most_edits or edits > (j - i) // 3:
            if y >= 0 and follow[node, y] >= 0:
                stack[top, 0] = follow[node, y]
                stack[top, 1] = j + 1
                stack[top, 3] = 0
                stack[top, 4] = kept + 1
                weights[top] = w * operation[NONE]
                top += 1
            continue
        here = stack[top].copy()
        edit = 5 + 3 * edits
        if y >= 0 and 0 <= run < most_inserted:
            stack[top] = here
            stack[top, 1] = j + 1
            stack[top, 2] = edits + 1
            stack[top, 3] = run + 1
            stack[top, edit] = INSERT
            stack[top, edit + 2] = y
            weights[top] = w * operation[INSERT] * insertion[y]
            top += 1
        child = first_child[node]
        for _ in range(follow.shape[1]):
            if child < 0:
                break
            x = symbol[child]
            if -most_deleted < run <= 0:
                stack[top] = here
                stack[top, 0] = child
                stack[top, 2] = edits + 1
                stack[top, 3] = run - 1
                stack[top, edit] = DELETE
                stack[top, edit + 1] = x
                weights[top] = w * operation[DELETE]
                top += 1
            if y >= 0:
                stack[top] = here
                stack[top, 0] = child
                stack[top, 1] = j + 1
                stack[top, 3] = 0
                if x == y:
                    stack[top, 4] = kept + 1
                    weights[top] = w * operation[NONE]
                else:
                    stack[top, 2] = edits + 1
                    stack[top, edit] = SUBSTITUTE
                    stack[top, edit + 1] = x
                    stack[top, edit + 2] = y
                    weights[top] = w * operation[SUBSTITUTE] * substitution[x, y]
                top += 1
            child = sibling[child]
    return size


@kernel
def noisy_counts(
    phones, items_at, items_n, row, ids, rules, rule_numbers, phone_weight, phone_rule, follow,
    first_child, sibling, symbol, word, mass, fresh, operation, insertion, substitution, most_edits,
    most_inserted, most_deleted, unit, longest, rule_count, used, built_count, operation_count,
    insertion_count, substitution_count, ends, log_z, best, arcs, arc_weights,
):  # fmt: skip
    """Add the expected counts of words and edits of a list of utterances.

    A word outside the lexicon is built anew and comes out unedited. ``best[at + j - 1]``
    gets the most probable lexicon word that ends there, or -1.
    """
    depth = 60 * (longest + 2) * (most_edits + 1)
    width = 5 + 3 * most_edits
    stack = np.zeros((depth + 4 * follow.shape[1] * (most_edits + 1), width), dtype=np.int64)
    weights = np.zeros(stack.shape[0])
    rows = np.zeros(longest + 2, dtype=np.int64)
    built = np.zeros((longest + 1, longest + 1))
    alpha = np.zeros(longest + 1)
    beta = np.zeros(longest + 1)
    inside_built = np.zeros(longest + 2)
    top_share = np.zeros(longest + 1)
    nowhere = built_count.size - 1
    overfull = 0
    for item in range(items_at.size):
        at = items_at[item]
        n = items_n[item]
        size = 0
        for i in range(n):
            rows[i] = size
            size = word_arcs(
                phones, at, i, n, follow, first_child, sibling, symbol, word, mass, operation, insertion,
                substitution, most_edits, most_inserted, most_deleted, stack, weights, arcs, arc_weights,
                size,
            )  # fmt: skip
        rows[n] = size
        overfull += size + 1 >= arcs.shape[0]
        alpha[: n + 1] = 0.0
        alpha[0] = rules[0]
        for i in range(n):
            anew = fresh * rules[3] * rules[4] * operation[NONE]
            alpha[i] *= rules[2] if i > 0 else 1.0
            scale = 1.0
            for j in range(i + 1, n + 1):
                anew *= phone_weight[phones[at + j - 1]] * operation[NONE] * unit
                built[i, j] = anew
                alpha[j] += alpha[i] * anew
                anew *= rules[5]
            for k in range(rows[i], rows[i + 1]):
                scale = unit ** (arcs[k, 2] - i)
                alpha[arcs[k, 2]] += alpha[i] * arc_weights[k] * scale
        z = alpha[n] * rules[1]
        log_z[item] = math.log(z) - n * math.log(unit)
        beta[n] = rules[1] / z
        inside_built[: n + 2] = 0.0
        top_share[: n + 1] = 0.0
        for k in range(n):
            ends[at + k] = 0.0
            best[at + k] = -1
        words = 0.0
        new_words = 0.0
        for i in range(n - 1, -1, -1):
            total = 0.0
            for j in range(i + 1, n + 1):
                p = built[i, j] * beta[j]
                total += p
                p *= alpha[i]
                string = ids[row[at + i] + j - i - 1]
                built_count[string if 0 <= string < nowhere else nowhere] += p
                ends[at + j - 1] += p
                new_words += p
                words += p
                rule_count[rule_numbers[5]] += p * (j - i - 1)
                operation_count[NONE] += p * (j - i + 1)
                inside_built[i] += p
                inside_built[j] -= p
                if p > top_share[j]:
                    top_share[j] = p
                    best[at + j - 1] = -1
            for k in range(rows[i], rows[i + 1]):
                j = arcs[k, 2]
                p = arc_weights[k] * unit ** (j - i) * beta[j]
                total += p
                p *= alpha[i]
                if p < 1e-12:
                    continue
                used[arcs[k, 0]] += p
                ends[at + j - 1] += p
                words += p
                operation_count[NONE] += p * (arcs[k, 3] + 1)
                for e in range(4, width - 1, 3):
                    kind = arcs[k, e]
                    if kind != NONE:
                        operation_count[kind] += p
                        if kind == INSERT:
                            insertion_count[arcs[k, e + 2]] += p
                        elif kind == SUBSTITUTE:
                            substitution_count[arcs[k, e + 1], arcs[k, e + 2]] += p
                if p > top_share[j]:
                    top_share[j] = p
                    best[at + j - 1] = arcs[k, 0]
            beta[i] = total * (rules[2] if i > 0 else 1.0)
        covered = 0.0
        for k in range(n):
            covered += inside_built[k]
            rule_count[phone_rule[phones[at + k]]] += covered
        rule_count[rule_numbers[0]] += 1.0
        rule_count[rule_numbers[1]] += 1.0
        rule_count[rule_numbers[2]] += words - 1.0
        rule_count[rule_numbers[3]] += new_words
        rule_count[rule_numbers[4]] += new_words
    return overfull
