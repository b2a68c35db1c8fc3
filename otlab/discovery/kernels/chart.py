"""Inside and outside weights of a weighted adaptor grammar, and expected counts.

``chart.inside[s, width, i]`` is the inside weight of symbol s over phones i..i + width - 1 of
the item that begins at position ``at`` of the text; ``chart.base[a, width, i]`` is the part of an
adapted symbol that is built from its rules. Spans of one width are contiguous in memory, and the
inner loops run over them. An adapted symbol's inside weight is

    mass[a, string] * scale[a]  +  fresh[a] * base[i, j, a]

looked up + built from rules. Variational learners put expected stick weights into ``mass``
(scale 1) and the leftover of the sticks into ``fresh``; the sampler puts customers
minus discounts into ``mass``, 1 / (customers + concentration) into ``scale`` and the
new-table probability into ``fresh``.

Phones are scaled by ``unit`` each, so that long utterances stay within float64.
An item is either an utterance, derived from the start symbol, or the string of a
grammaton, derived from its adapted symbol by rules at the root (``bare``).

Kernels bind the arrays of a tuple to local names before their loops, because each access to
a tuple may count references.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.layout import Chart, Item
from otlab.inference.jit import borrowing, kernel

SIDE_BY_SIDE = 4
"""How many spans of one width are summed together."""


@kernel
def new_chart(symbols, adapted, longest, both):
    """Return an empty chart for items of at most `longest` phones; `both`: with room for `outside`."""
    size = longest + 1
    room = size + SIDE_BY_SIDE
    outer = size if both else 0
    return Chart(
        np.zeros((symbols, size, room)),
        np.zeros((adapted, size, size)),
        np.zeros((symbols, outer, outer)),
        np.zeros((outer, outer)),
        np.zeros(room),
    )


@borrowing
def inside(grammar, text, item, weights, unit, chart):
    """Fill the chart of one item, narrow spans first.

    The chart is reused from item to item without clearing: spans of widths that a symbol cannot
    cover are never written, and a symbol that only ends (or begins) an item is read nowhere else.
    """
    phones, row, ids = text.phones, text.row, text.ids
    weight, mass, scale, fresh = weights.rule, weights.mass, weights.scale, weights.fresh
    chart_inside, base, sums = chart.inside, chart.base, chart.sums
    fewest, most, first_only, last_only = grammar.fewest, grammar.most, grammar.first_only, grammar.last_only
    binary_rows, left_child, right_child = grammar.binary_rows, grammar.left, grammar.right
    unary_rows, child, lexical, adaptor = grammar.unary_rows, grammar.child, grammar.lexical, grammar.adaptor
    binary_rule, unary_rule = grammar.binary_rule, grammar.unary_rule
    at, n = item.at, item.n
    power = 1.0
    for width in range(1, n + 1):
        power *= unit
        for s in range(fewest.size):
            if width < fewest[s] or width > most[s]:
                continue
            begin = n - width if last_only[s] else 0
            end = 1 if first_only[s] else n - width + 1
            # 1. rules: a phone, one symbol, or two with every split
            for i in range(begin, end):
                sums[i] = 0.0
            if width == 1:
                for i in range(begin, end):
                    r = lexical[s, phones[at + i]]
                    if r >= 0:
                        sums[i] = weight[r] * unit
            for r in range(unary_rows[s], unary_rows[s + 1]):
                below, w = child[r], weight[unary_rule[r]]
                if fewest[below] <= width <= most[below]:
                    for i in range(begin, end):
                        sums[i] += w * chart_inside[below, width, i]
            for r in range(binary_rows[s], binary_rows[s + 1]):
                left, right, w = left_child[r], right_child[r], weight[binary_rule[r]]
                low = max(fewest[left], width - most[right])
                high = min(most[left], width - fewest[right])
                # Four spans at a time. The values computed beyond the last span are never read.
                for i in range(begin, end, SIDE_BY_SIDE):
                    a, b, c, d = 0.0, 0.0, 0.0, 0.0
                    for first in range(low, high + 1):
                        rest, k = width - first, i + first
                        a += chart_inside[left, first, i] * chart_inside[right, rest, k]
                        b += chart_inside[left, first, i + 1] * chart_inside[right, rest, k + 1]
                        c += chart_inside[left, first, i + 2] * chart_inside[right, rest, k + 2]
                        d += chart_inside[left, first, i + 3] * chart_inside[right, rest, k + 3]
                    sums[i] += w * a
                    sums[i + 1] += w * b
                    sums[i + 2] += w * c
                    sums[i + 3] += w * d
            # 2. an adapted symbol: built from rules or looked up
            stored = adaptor[s]
            if stored < 0:
                for i in range(begin, end):
                    chart_inside[s, width, i] = sums[i]
                continue
            new, old = fresh[stored], scale[stored]
            for i in range(begin, end):
                base[stored, width, i] = sums[i]
                total = sums[i] * new
                string = ids[row[at + i] + width - 1]
                if string >= 0:
                    total += mass[stored, string] * old * power
                chart_inside[s, width, i] = total


@kernel
def total_weight(grammar, item, chart):
    """Return Z of an item whose chart has been filled (times unit**n)."""
    if item.bare:
        return chart.base[grammar.adaptor[item.root], item.n, 0]
    return chart.inside[item.root, item.n, 0]


@kernel
def outside(grammar, text, item, weights, unit, chart, counts, word):
    """Add one item's expected counts; its chart is filled and Z > 0.

    Writes ``chart.outside``, and to ``chart.word[i, j]`` the posterior that symbol `word`
    covers the span, looked-up adapted symbols above it left out.
    """
    phones, row, ids = text.phones, text.row, text.ids
    weight, mass, scale, fresh = weights.rule, weights.mass, weights.scale, weights.fresh
    chart_inside, base, out, span_word = chart.inside, chart.base, chart.outside, chart.word
    fewest, most = grammar.fewest, grammar.most
    first_only, last_only = grammar.first_only, grammar.last_only
    binary_rows, left_child, right_child = grammar.binary_rows, grammar.left, grammar.right
    unary_rows, child, lexical, adaptor = grammar.unary_rows, grammar.child, grammar.lexical, grammar.adaptor
    binary_rule, unary_rule = grammar.binary_rule, grammar.unary_rule
    rule_count, used, built = counts.rule, counts.used, counts.built
    at, n, root = item.at, item.n, item.root
    z = total_weight(grammar, item, chart)
    _clear_outside(n, chart)
    out[root, n, 0] = 1.0 / z
    nowhere = built.shape[1] - 1
    power = unit**n
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            for s in range(fewest.size - 1, -1, -1):
                if width > most[s] or (i > 0 and first_only[s]) or (j < n and last_only[s]):
                    continue
                o = out[s, width, i]
                if o == 0.0 or chart_inside[s, width, i] == 0.0:
                    continue
                if s == word:
                    span_word[i, j] = o * chart_inside[s, width, i]
                # 1. an adapted symbol: posterior of looking up and of building from rules
                a = adaptor[s]
                if a >= 0 and not (item.bare and width == n and s == root):
                    string = ids[row[at + i] + width - 1]
                    if string >= 0:
                        used[a, string] += o * mass[a, string] * scale[a] * power
                    o *= fresh[a]
                    built[a, string if 0 <= string < nowhere else nowhere] += o * base[a, width, i]
                if o == 0.0:
                    continue
                # 2. rules: their counts, and the outside weights of their children
                if width == 1 and lexical[s, phones[at + i]] >= 0:
                    r = lexical[s, phones[at + i]]
                    rule_count[r] += o * weight[r] * unit
                for r in range(unary_rows[s], unary_rows[s + 1]):
                    w = o * weight[unary_rule[r]]
                    out[child[r], width, i] += w
                    rule_count[unary_rule[r]] += w * chart_inside[child[r], width, i]
                for r in range(binary_rows[s], binary_rows[s + 1]):
                    left, right = left_child[r], right_child[r]
                    low = max(fewest[left], width - most[right])
                    high = min(most[left], width - fewest[right])
                    w = o * weight[binary_rule[r]]
                    total = 0.0
                    for first in range(low, high + 1):
                        rest, k = width - first, i + first
                        out[left, first, i] += w * chart_inside[right, rest, k]
                        out[right, rest, k] += w * chart_inside[left, first, i]
                        total += chart_inside[left, first, i] * chart_inside[right, rest, k]
                    rule_count[binary_rule[r]] += w * total
        power /= unit


@kernel
def _clear_outside(n, chart):
    """Set the outside weights of an item's spans to 0."""
    out, span_word = chart.outside, chart.word
    for i in range(n):
        for j in range(i + 1, n + 1):
            span_word[i, j] = 0.0
            for s in range(out.shape[0]):
                out[s, j - i, i] = 0.0


@kernel
def expected_counts(grammar, text, items, weights, unit, counts, boundaries, log_z):
    """Add the expected counts of a list of items; return how many had no analysis.

    Boundary posteriors go to ``boundaries.ends[to + k]`` of an item: a word ends after its
    phone k. Where an adapted symbol above the word was looked up, the boundaries inside
    its string come from ``boundaries.inner``. ``log_z`` gets each item's log weight.
    """
    failed = 0
    chart = new_chart(grammar.fewest.size, weights.scale.size, items.n.max(), True)
    for k in range(items.at.size):
        item = Item(items.at[k], items.n[k], items.root, items.bare)
        inside(grammar, text, item, weights, unit, chart)
        z = total_weight(grammar, item, chart)
        if not z > 0.0:
            log_z[k] = -np.inf
            failed += 1
            continue
        log_z[k] = math.log(z) - item.n * math.log(unit)
        outside(grammar, text, item, weights, unit, chart, counts, boundaries.word)
        _word_ends(grammar, text, item, weights, unit, chart, boundaries, boundaries.to[k])
    return failed


@kernel
def _word_ends(grammar, text, item, weights, unit, chart, boundaries, to):
    """Write where words end, from the spans of words and the insides of what was looked up."""
    row, ids, mass, scale = text.row, text.ids, weights.mass, weights.scale
    out, span_word = chart.outside, chart.word
    ends, rows, inner = boundaries.ends, boundaries.rows, boundaries.inner
    at, n = item.at, item.n
    # 1. words not inside anything looked up
    for k in range(n):
        ends[to + k] = 0.0
    for i in range(n):
        for j in range(i + 1, n + 1):
            ends[to + j - 1] += span_word[i, j]
    # 2. words inside strings that were looked up
    for c in range(boundaries.looked_up.size):
        s = boundaries.looked_up[c]
        a = grammar.adaptor[s]
        for i in range(n):
            power = 1.0
            for j in range(i + 1, n + 1):
                power *= unit
                string = ids[row[at + i] + j - i - 1]
                if (
                    string < 0
                    or out[s, j - i, i] == 0.0
                    or rows[a, string] < 0
                    or (item.bare and s == item.root and j - i == n)
                ):
                    continue
                p = out[s, j - i, i] * mass[a, string] * scale[a] * power
                for k in range(j - i):
                    ends[to + i + k] += p * inner[rows[a, string] + k]


@kernel
def can_generate(grammar, text, items, weights, unit, generated):
    """Write which utterances have an analysis."""
    chart = new_chart(grammar.fewest.size, weights.scale.size, items.n.max(), False)
    for k in range(items.at.size):
        item = Item(items.at[k], items.n[k], items.root, items.bare)
        inside(grammar, text, item, weights, unit, chart)
        generated[k] = total_weight(grammar, item, chart) > 0.0
