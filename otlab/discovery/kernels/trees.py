"""Draw trees of a weighted adaptor grammar, given a chart of inside weights.

A tree is a list of :class:`~otlab.discovery.kernels.layout.Steps` in preorder. The symbols
of a step's children are not stored, because they follow from the rule.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.chart import inside, new_chart, total_weight
from otlab.discovery.kernels.layout import Item, Steps
from otlab.inference.jit import borrowing, inlined, kernel

# Kinds of steps: a rule, an entry looked up, or a node built from rules whose steps follow.
RULE, LOOKED_UP, BUILT = 0, 1, 2


@kernel
def most_steps(symbols, longest):
    """Return an upper bound on the number of steps of a tree over `longest` phones."""
    return 2 * longest * (2 * symbols + 1) + 16


@kernel
def new_steps(size):
    """Return arrays for `size` steps."""
    return Steps(
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
    )


@borrowing
def draw(rng, grammar, text, item, weights, unit, chart, entries, stack, steps):
    """Draw a tree in proportion to its weight; return its number of steps.

    The chart must have been filled; ``stack`` of shape (steps, 3) is working space. If a string is looked
    up, one of its `entries` is drawn in proportion to their weights.
    """
    phones, row, ids = text.phones, text.row, text.ids
    weight, mass, fresh, adaptor = weights.rule, weights.mass, weights.fresh, grammar.adaptor
    chart_inside, base = chart.inside, chart.base
    head, after, entry_weight = entries
    kinds, values, symbols, lefts, rights = steps
    at, n = item.at, item.n
    size = 1
    stack[0, 0] = 0
    stack[0, 1] = n
    stack[0, 2] = item.root
    t = 0
    while size > 0 and t + 3 < kinds.size:
        size -= 1
        i = stack[size, 0]
        j = stack[size, 1]
        s = stack[size, 2]
        # 1. an adapted symbol: looked up or built from rules
        a = adaptor[s]
        if a >= 0 and not (item.bare and s == item.root and j - i == n):
            from_rules = fresh[a] * base[a, j - i, i]
            symbols[t] = s
            lefts[t] = i
            rights[t] = j
            if rng.random() * chart_inside[s, j - i, i] >= from_rules:
                kinds[t] = LOOKED_UP
                string = ids[row[at + i] + j - i - 1]
                values[t] = pick(rng, head[a, string], mass[a, string], after, entry_weight)
                t += 1
                continue
            kinds[t] = BUILT
            values[t] = a
            t += 1
        # 2. a rule; its children are pushed onto the stack, the right one first
        total = chart_inside[s, j - i, i] if a < 0 else base[a, j - i, i]
        rule, left, right, k = _pick_rule(
            rng, grammar, phones, at, i, j, s, weight, unit, chart_inside, total
        )
        kinds[t] = RULE
        values[t] = rule
        symbols[t] = s
        lefts[t] = i
        rights[t] = j
        t += 1
        if right >= 0:
            stack[size, 0] = k
            stack[size, 1] = j
            stack[size, 2] = right
            size += 1
        if left >= 0:
            stack[size, 0] = i
            stack[size, 1] = k
            stack[size, 2] = left
            size += 1
    return t


@inlined
def pick(rng, entry, total, after, weight):
    """Draw one entry of the list that begins at `entry`, in proportion to its weight; `total` is their sum.

    Frequent strings have a hundred entries, so the sum is not taken again here. The last entry is drawn
    if rounding leaves none.
    """
    u = rng.random() * total
    e = entry
    for _ in range(after.size):
        u -= weight[e]
        if u < 0.0 or after[e] < 0:
            break
        e = after[e]
    return e


@inlined
def _pick_rule(rng, grammar, phones, at, i, j, s, weight, unit, chart_inside, total):
    """Draw a rule and a split of symbol s over i..j - 1; return (rule, left, right, split).

    `total` is the sum of the weights of all rules and splits. The first one at which the running sum
    exceeds u is chosen or, if rounding prevents this, the last one of positive weight.
    """
    fewest, most = grammar.fewest, grammar.most
    left_child, right_child, binary_rule = grammar.left, grammar.right, grammar.binary_rule
    lexical = grammar.lexical[s, phones[at + i]] if j - i == 1 else -1
    u = rng.random() * total
    last = (lexical, -1, -1, j)
    if lexical >= 0:
        u -= weight[lexical] * unit
        if u < 0.0:
            return last
    for r in range(grammar.unary_rows[s], grammar.unary_rows[s + 1]):
        w = weight[grammar.unary_rule[r]] * chart_inside[grammar.child[r], j - i, i]
        u -= w
        if w > 0.0:
            last = (grammar.unary_rule[r], grammar.child[r], -1, j)
            if u < 0.0:
                return last
    for r in range(grammar.binary_rows[s], grammar.binary_rows[s + 1]):
        left, right = left_child[r], right_child[r]
        low = max(i + fewest[left], j - most[right])
        high = min(i + most[left], j - fewest[right])
        for k in range(low, high + 1):
            w = weight[binary_rule[r]] * chart_inside[left, k - i, i] * chart_inside[right, j - k, k]
            u -= w
            if w > 0.0:
                last = (binary_rule[r], left, right, k)
                if u < 0.0:
                    return last
    return last


@kernel
def sample_trees(rng, samples, grammar, text, items, weights, unit, entries, counts, boundaries, log_z, rows):
    """Draw `samples` trees of each item, count their parts, and write those with BUILT steps.

    For each tree with a BUILT step, and each of a bare item, its steps are written to ``rows`` as (kind,
    value, string or -1, whether it is the first of its tree). ``boundaries.ends`` is set to the share of
    trees in which a word ends after each phone of the text. Returns the number of rows written and of
    items done, which is smaller than the number of items if ``rows`` is full.
    """
    symbols, longest = grammar.fewest.size, items.n.max()
    room = most_steps(symbols, longest)
    chart = new_chart(symbols, weights.scale.size, longest, False)
    stack, steps = np.zeros((room, 3), dtype=np.int64), new_steps(room)
    written = 0
    for k in range(items.at.size):
        if written + samples * room > rows.shape[0]:
            return written, k
        item = Item(items.at[k], items.n[k], items.root, items.bare)
        inside(grammar, text, item, weights, unit, chart)
        log_z[k] = math.log(total_weight(grammar, item, chart)) - item.n * math.log(unit)
        boundaries.ends[item.at : item.at + item.n] = 0.0
        for _ in range(samples):
            size = draw(rng, grammar, text, item, weights, unit, chart, entries, stack, steps)
            built = _count(grammar, item.at, size, steps, counts, boundaries, samples)
            if built or item.bare:
                written = _write(text, item.at, size, steps, rows, written)
    return written, items.at.size


@inlined
def _count(grammar, at, size, steps, counts, boundaries, samples):
    """Add a sampled tree's rules, look-ups, BUILT steps and word ends; return whether it has BUILT steps."""
    kinds, values, symbols, lefts, rights = steps
    ends, word = boundaries.ends, boundaries.word
    has_built = False
    for t in range(size):
        if kinds[t] == BUILT:
            has_built = True
            counts.built[values[t]] += 1.0
        elif kinds[t] == LOOKED_UP:
            counts.used[values[t]] += 1.0
            first = boundaries.rows[values[t]]
            if first >= 0:
                for k in range(rights[t] - lefts[t]):
                    ends[at + lefts[t] + k] += boundaries.inner[first + k] / samples
        else:
            counts.rule[values[t]] += 1.0
        once = kinds[t] != RULE or grammar.adaptor[word] < 0
        if symbols[t] == word and once:
            ends[at + rights[t] - 1] += 1.0 / samples
    return has_built


@inlined
def _write(text, at, size, steps, rows, written):
    """Write the steps of one sampled tree to `rows`; return the number of rows written so far."""
    kinds, values, lefts, rights = steps.kinds, steps.values, steps.lefts, steps.rights
    for t in range(size):
        rows[written, 0] = kinds[t]
        rows[written, 1] = values[t]
        rows[written, 2] = -1
        if kinds[t] == BUILT:
            rows[written, 2] = text.ids[text.row[at + lefts[t]] + rights[t] - lefts[t] - 1]
        rows[written, 3] = t == 0
        written += 1
    return written
