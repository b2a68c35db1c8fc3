"""Inside and outside weights of a weighted adaptor grammar, and expected counts.

``chart.inside[i, j, s]`` is the inside weight of symbol s over phones i..j-1 of the item
that begins at position ``at`` of the text; ``chart.base[i, j, a]`` is the part of an
adapted symbol that is built anew by its rules. An adapted symbol's inside weight is

    mass[a, string] * scale[a]  +  fresh[a] * base[i, j, a]

looked up + built anew. Variational learners put expected stick weights into ``mass``
(scale 1) and the leftover of the sticks into ``fresh``; the sampler puts customers
minus discounts into ``mass``, 1 / (customers + concentration) into ``scale`` and the
new-table probability into ``fresh``.

Phones are scaled by ``unit`` each, so that long utterances stay within float64.
An item is either an utterance, derived from the start symbol, or the string of a
grammaton, derived from its adapted symbol by rules at the root (``bare``).

Kernels give the arrays of a tuple names of their own before their loops: each look into
a tuple may count references.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.layout import Chart, Item
from otlab.inference.jit import kernel


@kernel
def new_chart(symbols, adapted, longest, both):
    """Return an empty chart for items of at most `longest` phones; `both`: with room for `outside`."""
    size = longest + 1
    outer = size if both else 0
    return Chart(
        np.zeros((size, size, symbols)),
        np.zeros((size, size, adapted)),
        np.zeros((outer, outer, symbols)),
        np.zeros((outer, outer)),
    )


@kernel
def inside(grammar, text, item, weights, unit, chart):
    """Fill the chart of one item, narrow spans first.

    Cells that a symbol cannot cover are never written, and read only as the zeros they were
    made with: the chart is reused from item to item without clearing.
    """
    phones, row, ids = text.phones, text.row, text.ids
    weight, mass, scale, fresh = weights.rule, weights.mass, weights.scale, weights.fresh
    chart_inside, base = chart.inside, chart.base
    order_rows, order, fewest, most = grammar.order_rows, grammar.order, grammar.fewest, grammar.most
    binary_rows, left_child, right_child = grammar.binary_rows, grammar.left, grammar.right
    unary_rows, child, lexical, adaptor = grammar.unary_rows, grammar.child, grammar.lexical, grammar.adaptor
    binary_rule, unary_rule = grammar.binary_rule, grammar.unary_rule
    at, n = item.at, item.n
    power = 1.0
    for width in range(1, n + 1):
        power *= unit
        for i in range(n - width + 1):
            j = i + width
            place = 4 * (width == 1) + 2 * (i == 0) + (j == n)
            for o in range(order_rows[place], order_rows[place + 1]):
                s = order[o]
                if width < fewest[s] or width > most[s]:
                    continue
                # 1. rules: a phone, one symbol, or two with every split
                total = 0.0
                if width == 1 and lexical[s, phones[at + i]] >= 0:
                    total = weight[lexical[s, phones[at + i]]] * unit
                for r in range(unary_rows[s], unary_rows[s + 1]):
                    total += weight[unary_rule[r]] * chart_inside[i, j, child[r]]
                for r in range(binary_rows[s], binary_rows[s + 1]):
                    left, right = left_child[r], right_child[r]
                    low = max(i + fewest[left], j - most[right])
                    high = min(i + most[left], j - fewest[right])
                    pairs = 0.0
                    for k in range(low, high + 1):
                        pairs += chart_inside[i, k, left] * chart_inside[k, j, right]
                    total += weight[binary_rule[r]] * pairs
                # 2. an adapted symbol: built anew or looked up
                a = adaptor[s]
                if a >= 0:
                    base[i, j, a] = total
                    total *= fresh[a]
                    string = ids[row[at + i] + width - 1]
                    if string >= 0:
                        total += mass[a, string] * scale[a] * power
                chart_inside[i, j, s] = total


@kernel
def total_weight(grammar, item, chart):
    """Return Z of an item whose chart is filled (times unit**n)."""
    if item.bare:
        return chart.base[0, item.n, grammar.adaptor[item.root]]
    return chart.inside[0, item.n, item.root]


@kernel
def outside(grammar, text, item, weights, unit, chart, counts, word):
    """Add one item's expected counts; its chart is filled and Z > 0.

    Writes ``chart.outside``, and to ``chart.word[i, j]`` the posterior that symbol `word`
    covers the span, looked-up adapted symbols above it left out.
    """
    phones, row, ids = text.phones, text.row, text.ids
    weight, mass, scale, fresh = weights.rule, weights.mass, weights.scale, weights.fresh
    chart_inside, base, out, span_word = chart.inside, chart.base, chart.outside, chart.word
    order_rows, order, fewest, most = grammar.order_rows, grammar.order, grammar.fewest, grammar.most
    binary_rows, left_child, right_child = grammar.binary_rows, grammar.left, grammar.right
    unary_rows, child, lexical, adaptor = grammar.unary_rows, grammar.child, grammar.lexical, grammar.adaptor
    binary_rule, unary_rule = grammar.binary_rule, grammar.unary_rule
    rule_count, used, built = counts.rule, counts.used, counts.built
    at, n, root = item.at, item.n, item.root
    z = total_weight(grammar, item, chart)
    _clear_outside(n, chart)
    out[0, n, root] = 1.0 / z
    nowhere = built.shape[1] - 1
    power = unit**n
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            place = 4 * (width == 1) + 2 * (i == 0) + (j == n)
            for position in range(order_rows[place + 1] - 1, order_rows[place] - 1, -1):
                s = order[position]
                o = out[i, j, s]
                if o == 0.0 or chart_inside[i, j, s] == 0.0:
                    continue
                if s == word:
                    span_word[i, j] = o * chart_inside[i, j, s]
                # 1. an adapted symbol: posterior of looking up and of building anew
                a = adaptor[s]
                if a >= 0 and not (item.bare and width == n and s == root):
                    string = ids[row[at + i] + width - 1]
                    if string >= 0:
                        used[a, string] += o * mass[a, string] * scale[a] * power
                    o *= fresh[a]
                    built[a, string if 0 <= string < nowhere else nowhere] += o * base[i, j, a]
                if o == 0.0:
                    continue
                # 2. rules: their counts, and the outside weights of their children
                if width == 1 and lexical[s, phones[at + i]] >= 0:
                    r = lexical[s, phones[at + i]]
                    rule_count[r] += o * weight[r] * unit
                for r in range(unary_rows[s], unary_rows[s + 1]):
                    w = o * weight[unary_rule[r]]
                    out[i, j, child[r]] += w
                    rule_count[unary_rule[r]] += w * chart_inside[i, j, child[r]]
                for r in range(binary_rows[s], binary_rows[s + 1]):
                    left, right = left_child[r], right_child[r]
                    low = max(i + fewest[left], j - most[right])
                    high = min(i + most[left], j - fewest[right])
                    w = o * weight[binary_rule[r]]
                    total = 0.0
                    for k in range(low, high + 1):
                        out[i, k, left] += w * chart_inside[k, j, right]
                        out[k, j, right] += w * chart_inside[i, k, left]
                        total += chart_inside[i, k, left] * chart_inside[k, j, right]
                    rule_count[binary_rule[r]] += w * total
        power /= unit


@kernel
def _clear_outside(n, chart):
    """Set the outside weights of an item's spans to 0."""
    out, span_word = chart.outside, chart.word
    for i in range(n):
        for j in range(i + 1, n + 1):
            span_word[i, j] = 0.0
            for s in range(out.shape[2]):
                out[i, j, s] = 0.0


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
                    or out[i, j, s] == 0.0
                    or rows[a, string] < 0
                    or (item.bare and s == item.root and j - i == n)
                ):
                    continue
                p = out[i, j, s] * mass[a, string] * scale[a] * power
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
