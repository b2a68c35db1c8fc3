"""Inside, outside and sampled trees of a weighted adaptor grammar.

``chart[i, j, s]`` is the inside weight of symbol s over phones i..j-1 of the item that
begins at flat position ``at``; ``base[i, j, a]`` is the part of an adapted symbol that
is built anew by its rules. An adapted symbol's inside weight is

    mass[a, string] * scale[a]  +  fresh[a] * base[i, j, a]

looked up + built anew. Variational learners put expected stick weights into ``mass``
(scale 1) and the leftover of the sticks into ``fresh``; the sampler puts customers
minus discounts into ``mass``, 1 / (customers + concentration) into ``scale`` and the
new-table probability into ``fresh``.

Phones are scaled by ``unit`` each, so that long utterances stay within float64.
An item is either an utterance, derived from the start symbol, or the string of a
grammaton, derived from its adapted symbol by rules at the root (``bare``).
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel


@kernel
def inside(tables, phones, at, n, row, ids, weight, mass, scale, fresh, unit, chart, base):
    """Fill the chart of one item, narrow spans first.

    Cells where a symbol cannot stand are never written and never read but as the zeros
    they were made with: the chart is reused from item to item without clearing.
    """
    power = 1.0
    for width in range(1, n + 1):
        power *= unit
        for i in range(n - width + 1):
            j = i + width
            place = 4 * (width == 1) + 2 * (i == 0) + (j == n)
            for o in range(tables.order_rows[place], tables.order_rows[place + 1]):
                s = tables.order[o]
                if width < tables.fewest[s] or width > tables.most[s]:
                    continue
                total = 0.0
                if width == 1 and tables.lexical[s, phones[at + i]] >= 0:
                    total = weight[tables.lexical[s, phones[at + i]]] * unit
                for r in range(tables.unary_rows[s], tables.unary_rows[s + 1]):
                    total += weight[tables.unary_rule[r]] * chart[i, j, tables.child[r]]
                for r in range(tables.binary_rows[s], tables.binary_rows[s + 1]):
                    left = tables.left[r]
                    right = tables.right[r]
                    low = max(i + tables.fewest[left], j - tables.most[right])
                    high = min(i + tables.most[left], j - tables.fewest[right])
                    pairs = 0.0
                    for k in range(low, high + 1):
                        pairs += chart[i, k, left] * chart[k, j, right]
                    total += weight[tables.binary_rule[r]] * pairs
                a = tables.adaptor[s]
                if a >= 0:
                    base[i, j, a] = total
                    total *= fresh[a]
                    string = ids[row[at + i] + width - 1]
                    if string >= 0:
                        total += mass[a, string] * scale[a] * power
                chart[i, j, s] = total


@kernel
def total_weight(tables, root, bare, n, chart, base):
    """Return Z of an item whose chart is filled (times unit**n)."""
    if bare:
        return base[0, n, tables.adaptor[root]]
    return chart[0, n, root]


@kernel
def outside(
    tables, phones, at, n, root, bare, row, ids, weight, mass, scale, fresh, unit,
    chart, base, out, rule_count, used, built, span_word, word,
):  # fmt: skip
    """Add one item's expected counts; its chart is filled and Z > 0.

    Adds to ``rule_count[rule]``, to ``used[a, string]`` (looked up) and ``built[a,
    string]`` (built anew; its last column takes the strings without a number), and to
    ``span_word[i, j]`` the posterior that symbol `word` covers the span, looked up
    adapted symbols above it left out.
    """
    symbols = tables.fewest.size
    for i in range(n):
        for j in range(i + 1, n + 1):
            span_word[i, j] = 0.0
            for s in range(symbols):
                out[i, j, s] = 0.0
    z = total_weight(tables, root, bare, n, chart, base)
    out[0, n, root] = 1.0 / z
    nowhere = built.shape[1] - 1
    power = unit**n
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            place = 4 * (width == 1) + 2 * (i == 0) + (j == n)
            for k in range(tables.order_rows[place + 1] - 1, tables.order_rows[place] - 1, -1):
                s = tables.order[k]
                o = out[i, j, s]
                if o == 0.0 or chart[i, j, s] == 0.0:
                    continue
                a = tables.adaptor[s]
                if s == word:
                    span_word[i, j] = o * chart[i, j, s]
                at_root = bare and width == n and s == root
                if a >= 0 and not at_root:
                    string = ids[row[at + i] + width - 1]
                    if string >= 0:
                        used[a, string] += o * mass[a, string] * scale[a] * power
                    o *= fresh[a]
                    built[a, string if 0 <= string < nowhere else nowhere] += o * base[i, j, a]
                if o == 0.0:
                    continue
                if width == 1 and tables.lexical[s, phones[at + i]] >= 0:
                    r = tables.lexical[s, phones[at + i]]
                    rule_count[r] += o * weight[r] * unit
                for r in range(tables.unary_rows[s], tables.unary_rows[s + 1]):
                    child = tables.child[r]
                    w = o * weight[tables.unary_rule[r]]
                    out[i, j, child] += w
                    rule_count[tables.unary_rule[r]] += w * chart[i, j, child]
                for r in range(tables.binary_rows[s], tables.binary_rows[s + 1]):
                    left = tables.left[r]
                    right = tables.right[r]
                    low = max(i + tables.fewest[left], j - tables.most[right])
                    high = min(i + tables.most[left], j - tables.fewest[right])
                    w = o * weight[tables.binary_rule[r]]
                    total = 0.0
                    for k in range(low, high + 1):
                        out[i, k, left] += w * chart[k, j, right]
                        out[k, j, right] += w * chart[i, k, left]
                        total += chart[i, k, left] * chart[k, j, right]
                    rule_count[tables.binary_rule[r]] += w * total
        power /= unit


@kernel
def expected_counts(
    tables, phones, items_at, items_n, root, bare, items_ends, row, ids,
    weight, mass, scale, fresh, unit, word, longest,
    rule_count, used, built, ends, inner_rows, inner, looked_up, log_z,
):  # fmt: skip
    """Inside and outside of a list of items; returns how many had no analysis.

    Boundary posteriors go to ``ends[items_ends[item] + k]``: a `word` ends after phone
    k. Where an adapted symbol above the word was looked up, the boundaries inside its
    string come from ``inner[inner_rows[a, string] + k]`` (-1: none are known);
    `looked_up` says which symbols those are.
    """
    failed = 0
    chart = np.zeros((longest + 1, longest + 1, tables.fewest.size))
    out = np.zeros((longest + 1, longest + 1, tables.fewest.size))
    base = np.zeros((longest + 1, longest + 1, scale.size))
    span_word = np.zeros((longest + 1, longest + 1))
    for item in range(items_at.size):
        at = items_at[item]
        n = items_n[item]
        inside(tables, phones, at, n, row, ids, weight, mass, scale, fresh, unit, chart, base)
        z = total_weight(tables, root, bare, n, chart, base)
        if not z > 0.0:
            log_z[item] = -np.inf
            failed += 1
            continue
        log_z[item] = math.log(z) - n * math.log(unit)
        outside(
            tables, phones, at, n, root, bare, row, ids, weight, mass, scale, fresh, unit,
            chart, base, out, rule_count, used, built, span_word, word,
        )  # fmt: skip
        _boundaries(
            tables, at, n, root, bare, row, ids, mass, scale, unit, out, span_word,
            ends, items_ends[item], inner_rows, inner, looked_up,
        )  # fmt: skip
    return failed


@kernel
def _boundaries(
    tables, at, n, root, bare, row, ids, mass, scale, unit, out, span_word, ends, to, inner_rows, inner,
    looked_up,
):  # fmt: skip
    """Write where words end, from the spans of words and the insides of what was looked up."""
    for k in range(n):
        ends[to + k] = 0.0
    for i in range(n):
        for j in range(i + 1, n + 1):
            ends[to + j - 1] += span_word[i, j]
    for c in range(looked_up.size):
        s = looked_up[c]
        a = tables.adaptor[s]
        for i in range(n):
            power = 1.0
            for j in range(i + 1, n + 1):
                power *= unit
                string = ids[row[at + i] + j - i - 1]
                if (
                    string < 0
                    or out[i, j, s] == 0.0
                    or inner_rows[a, string] < 0
                    or (bare and s == root and j - i == n)
                ):
                    continue
                p = out[i, j, s] * mass[a, string] * scale[a] * power
                for k in range(j - i):
                    ends[to + i + k] += p * inner[inner_rows[a, string] + k]


@kernel
def can_generate(tables, phones, offsets, start, row, ids, weight, mass, scale, fresh, unit, longest, fits):
    """Write which utterances have an analysis."""
    chart = np.zeros((longest + 1, longest + 1, tables.fewest.size))
    base = np.zeros((longest + 1, longest + 1, scale.size))
    for u in range(fits.size):
        n = offsets[u + 1] - offsets[u]
        inside(tables, phones, offsets[u], n, row, ids, weight, mass, scale, fresh, unit, chart, base)
        fits[u] = chart[0, n, start] > 0.0


# A sampled tree is a list of steps in preorder, one int64 each: a rule's step number,
# or an entry looked up, or a node built anew whose steps follow. See `draw`.
RULE, LOOKED_UP, BUILT = 0, 1, 2


@kernel
def draw(
    rng, tables, phones, at, n, root, bare, row, ids, weight, mass, scale, fresh, unit, chart, base,
    head, after, entry_weight, stack, kinds, values, symbols, lefts, rights,
):  # fmt: skip
    """Draw a tree in proportion to its weight; returns its number of steps.

    Step t is ``kinds[t]`` with ``values[t]``: RULE and the rule's weight number; LOOKED_UP
    and the entry; BUILT and the adapted symbol's number, its own steps next. It stands
    for symbol ``symbols[t]`` over phones ``lefts[t]..rights[t] - 1``. Entries of a string
    form a list: ``head[a, string]``, then ``after[entry]``, in proportion to
    ``entry_weight``.
    """
    size = 1
    stack[0, 0] = 0
    stack[0, 1] = n
    stack[0, 2] = root
    steps = 0
    while size > 0 and steps + 3 < kinds.size:
        size -= 1
        i = stack[size, 0]
        j = stack[size, 1]
        s = stack[size, 2]
        a = tables.adaptor[s]
        if a >= 0 and not (bare and s == root and j - i == n):
            anew = fresh[a] * base[i, j, a]
            symbols[steps] = s
            lefts[steps] = i
            rights[steps] = j
            if rng.random() * chart[i, j, s] >= anew:
                kinds[steps] = LOOKED_UP
                values[steps] = pick(rng, head[a, ids[row[at + i] + j - i - 1]], after, entry_weight)
                steps += 1
                continue
            kinds[steps] = BUILT
            values[steps] = a
            steps += 1
        rule, left, right, k = _pick_rule(rng, tables, phones, at, i, j, s, weight, unit, chart)
        kinds[steps] = RULE
        values[steps] = rule
        symbols[steps] = s
        lefts[steps] = i
        rights[steps] = j
        steps += 1
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
    return steps


@kernel
def pick(rng, entry, after, entry_weight):
    """Draw one entry of a list in proportion to its weight."""
    total = 0.0
    e = entry
    for _ in range(after.size):
        if e < 0:
            break
        total += entry_weight[e]
        e = after[e]
    u = rng.random() * total
    e = entry
    for _ in range(after.size):
        u -= entry_weight[e]
        if u < 0.0 or after[e] < 0:
            break
        e = after[e]
    return e


@kernel
def _pick_rule(rng, tables, phones, at, i, j, s, weight, unit, chart):
    """Draw how symbol s over i..j - 1 is built by a rule: (rule, left, right, split)."""
    total = 0.0
    lexical = tables.lexical[s, phones[at + i]] if j - i == 1 else -1
    if lexical >= 0:
        total = weight[lexical] * unit
    for r in range(tables.unary_rows[s], tables.unary_rows[s + 1]):
        total += weight[tables.unary_rule[r]] * chart[i, j, tables.child[r]]
    for r in range(tables.binary_rows[s], tables.binary_rows[s + 1]):
        left = tables.left[r]
        right = tables.right[r]
        low = max(i + tables.fewest[left], j - tables.most[right])
        high = min(i + tables.most[left], j - tables.fewest[right])
        for k in range(low, high + 1):
            total += weight[tables.binary_rule[r]] * chart[i, k, left] * chart[k, j, right]
    u = rng.random() * total
    last = (lexical, -1, -1, j)
    if lexical >= 0:
        u -= weight[lexical] * unit
        if u < 0.0:
            return last
    for r in range(tables.unary_rows[s], tables.unary_rows[s + 1]):
        w = weight[tables.unary_rule[r]] * chart[i, j, tables.child[r]]
        u -= w
        if w > 0.0:
            last = (tables.unary_rule[r], tables.child[r], -1, j)
            if u < 0.0:
                return last
    for r in range(tables.binary_rows[s], tables.binary_rows[s + 1]):
        left = tables.left[r]
        right = tables.right[r]
        low = max(i + tables.fewest[left], j - tables.most[right])
        high = min(i + tables.most[left], j - tables.fewest[right])
        for k in range(low, high + 1):
            w = weight[tables.binary_rule[r]] * chart[i, k, left] * chart[k, j, right]
            u -= w
            if w > 0.0:
                last = (tables.binary_rule[r], left, right, k)
                if u < 0.0:
                    return last
    return last
