"""The chart of grammars with head movement or affix hopping: head chains in three parts.

An item has the spans of its specifiers, its head and its complements beside the span of the whole head
chain, which is (-2, -2) while the three do not touch: their head is pronounced elsewhere. Only types of a
category that some head selector selects keep the three apart (Stabler 2001); in the others the whole
is the head, so that they have no more items than in a grammar without head movement. Each derivation still
has exactly one set of spans.

Partners are found by category alone. The forest is packed by the same kernel as that of other charts.
"""

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.mg.kernels.chart import (
    DONE,
    EDGES,
    FULL,
    ITEMS,
    NEXT_A,
    PAIRS,
    SPAN,
    TOO_LARGE,
    TYPE,
    WILD,
    _add,
    _rule_of,
    new_chart,
)
from otlab.mg.kernels.forest import FIRST_EDGES, FIRST_ITEMS, Nodes, _count_ways, _pack
from otlab.mg.parsing.tables import (
    ADJOIN_L,
    ADJOIN_R,
    FINAL,
    FIRST_SOURCE,
    HEAD_LEFT,
    HEAD_RIGHT,
    HOP_LEFT,
    HOP_RIGHT,
    KIND,
    LICENSOR,
    MERGE_L,
    MERGE_R,
    MOVE_1,
    MOVER,
    MOVERS,
    MOVING,
    MOVING_ON,
    NAME,
    OP,
    RESULT,
    UNARY_PTR,
)

APART = -2
PARTS = 3  # spans beside those of the whole and of the movers


@inlined
def _put(items, new, to, a, span):
    items[new, to], items[new, to + 1] = items[a, span], items[a, span + 1]


@inlined
def _append(items, new, to, a, span):
    """Put a span of an item behind one of the scratch row; return whether they touch."""
    if items[a, span] == WILD:
        return True
    if items[new, to] == WILD:
        items[new, to] = items[a, span]
    elif items[new, to + 1] != items[a, span]:
        return False
    items[new, to + 1] = items[a, span + 1]
    return True


@inlined
def _finish(items, edges, slots, size, split, result, parts, a, b, slot):
    """Join the three parts of the scratch row and add it; return whether there was room."""
    new = size[ITEMS]
    items[new, TYPE] = result
    _put(items, new, SPAN, new, parts)
    touch = _append(items, new, SPAN, new, parts + 2) and _append(items, new, SPAN, new, parts + 4)
    if split[result]:
        if not touch:
            items[new, SPAN], items[new, SPAN + 1] = APART, APART
    elif touch:
        for v in range(parts, parts + 6):
            items[new, v] = WILD
        _put(items, new, parts + 2, new, SPAN)
    else:
        return True
    return _add(items, edges, slots, size, a, b, slot)


@inlined
def _disjoint(items, parts, a, a_movers, b, b_movers):
    """Return whether no chain of one item shares a word with a chain of the other."""
    for i in range(a_movers + 3):
        p = parts + 2 * i if i < 3 else SPAN + 2 * (i - 2)
        for j in range(b_movers + 3):
            q = parts + 2 * j if j < 3 else SPAN + 2 * (j - 2)
            if max(items[a, p], items[b, q]) < min(items[a, p + 1], items[b, q + 1]):
                return False
    return True


@inlined
def _host(items, new, parts, op, a, b):
    """Move a head or an affix; the selected phrase comes to the scratch row's complement.

    Returns whether all touch.
    """
    to = parts + 4
    for v in range(parts, parts + 6):
        items[new, v] = WILD
    if op in (HEAD_LEFT, HEAD_RIGHT):
        first, second = (b, a) if op == HEAD_LEFT else (a, b)
        _put(items, new, parts + 2, first, parts + 2)
        _put(items, new, to, b, parts)
        return _append(items, new, parts + 2, second, parts + 2) and _append(items, new, to, b, parts + 4)
    first, second = (b, a) if op == HOP_RIGHT else (a, b)
    _put(items, new, to, b, parts)
    return (
        _append(items, new, to, first, parts + 2)
        and _append(items, new, to, second, parts + 2)
        and _append(items, new, to, b, parts + 4)
    )


@inlined
def _attach(items, new, parts, before, a, b):
    """Put an adjunct before its host's specifiers or behind its complements; return whether they touch."""
    if items[a, SPAN] == APART:
        return False
    for v in range(parts, parts + 6):
        items[new, v] = items[b, v]
    if before:
        _put(items, new, parts, a, SPAN)
        return _append(items, new, parts, b, parts)
    return _append(items, new, parts + 4, a, SPAN)


@inlined
def _merge(types, rules, binary, split, wanted, items, edges, slots, size, a, b):
    """Merge a selecting and a selected item if a rule allows; return whether there was room."""
    size[PAIRS] += 1
    rule = _rule_of(types, binary, items[a, TYPE], items[b, TYPE])
    if rule < 0 or not wanted[rules[rule, RESULT]]:
        return True
    most = rules.shape[1] - FIRST_SOURCE
    parts = SPAN + 2 * (most + 1)
    if not _disjoint(items, parts, a, types[items[a, TYPE], MOVERS], b, types[items[b, TYPE], MOVERS]):
        return True
    new = size[ITEMS]
    op = rules[rule, OP]
    moved_begin, moved_end = items[b, SPAN], items[b, SPAN + 1]
    if op in (ADJOIN_R, ADJOIN_L):
        if not _attach(items, new, parts, op == ADJOIN_R, a, b):
            return True
    elif op >= HEAD_LEFT:
        goes_on = op > HOP_LEFT
        if not _host(items, new, parts, op - MOVING_ON if goes_on else op, a, b):
            return True
        if goes_on:
            moved_begin, moved_end = items[new, parts + 4], items[new, parts + 5]
            items[new, parts + 4], items[new, parts + 5] = WILD, WILD
    else:
        if moved_begin == APART:
            return True
        for v in range(parts, parts + 6):
            items[new, v] = items[a, v]
        if op == MERGE_R:
            if not _append(items, new, parts + 4, b, SPAN):
                return True
        elif op == MERGE_L:
            _put(items, new, parts, b, SPAN)
            if not _append(items, new, parts, a, parts):
                return True
    for v in range(most):
        s = rules[rule, FIRST_SOURCE + v]
        to = SPAN + 2 * v + 2
        if s < 0:
            items[new, to], items[new, to + 1] = WILD, WILD
        elif s < most:
            _put(items, new, to, a, SPAN + 2 * s + 2)
        elif s < 2 * most:
            _put(items, new, to, b, SPAN + 2 * (s - most + 1))
        else:
            items[new, to], items[new, to + 1] = moved_begin, moved_end
    return _finish(items, edges, slots, size, split, rules[rule, RESULT], parts, a, b, -1)


@inlined
def _move(types, rules, unary, split, wanted, items, edges, slots, size, a):
    """Apply every move rule of an item; return whether there was room."""
    kind = items[a, TYPE]
    most = rules.shape[1] - FIRST_SOURCE
    parts = SPAN + 2 * (most + 1)
    for u in range(types[kind, UNARY_PTR], types[kind + 1, UNARY_PTR]):
        rule = unary[u]
        new = size[ITEMS]
        if not wanted[rules[rule, RESULT]]:
            continue
        for v in range(parts, parts + 6):
            items[new, v] = items[a, v]
        if rules[rule, OP] == MOVE_1:
            _put(items, new, parts, a, SPAN + 2 * rules[rule, MOVER] + 2)
            if not _append(items, new, parts, a, parts):
                continue
        for v in range(most):
            s = rules[rule, FIRST_SOURCE + v]
            for end in range(2):
                items[new, SPAN + 2 * v + 2 + end] = WILD if s < 0 else items[a, SPAN + 2 * s + 2 + end]
        if not _finish(items, edges, slots, size, split, rules[rule, RESULT], parts, a, -1, -1):
            return False
    return True


@kernel
def fill_split(tables, chart, split, wanted, names, axioms, most_pairs):
    """Fill the chart of one sentence of a grammar with head movement.

    Parameters
    ----------
    tables : Tables
    chart : Chart
        With room for PARTS more spans than there are movers; emptied first.
    split : ndarray of shape (types,)
        1 for the types whose parts are kept apart.
    wanted, names, axioms, most_pairs
        As for `fill`.

    Returns
    -------
    int
        DONE, FULL (the arrays are too small) or TOO_LARGE.
    """
    types, rules, unary, binary = tables.types, tables.rules, tables.unary, tables.binary
    items, edges, slots, size = chart.items, chart.edges, chart.slots, chart.size
    size[:] = 0
    slots[:] = -1
    parts = SPAN + 2 * (rules.shape[1] - FIRST_SOURCE + 1)
    # Items taken out so far by category: selecting ones, selected ones.
    waiting = np.full((2, names), -1, np.int32)
    for i in range(axioms.shape[0]):
        if wanted[axioms[i, 0]]:
            new = size[ITEMS]
            items[new, SPAN:] = WILD
            items[new, parts + 2], items[new, parts + 3] = axioms[i, 1], axioms[i, 2]
            if not _finish(items, edges, slots, size, split, axioms[i, 0], parts, -1, -1, i):
                return FULL
    for a in range(items.shape[0]):
        if a == size[ITEMS]:
            break
        kind, x = types[items[a, TYPE], KIND], types[items[a, TYPE], NAME]
        if kind == LICENSOR:
            if not _move(types, rules, unary, split, wanted, items, edges, slots, size, a):
                return FULL
            continue
        selects = kind not in (FINAL, MOVING)
        mine = 0 if selects else 1
        items[a, NEXT_A] = waiting[mine, x]
        waiting[mine, x] = a
        b = np.int64(waiting[1 - mine, x])
        while b >= 0:
            one, other = (a, b) if selects else (b, a)
            if not _merge(types, rules, binary, split, wanted, items, edges, slots, size, one, other):
                return FULL
            b = np.int64(items[b, NEXT_A])
        if size[PAIRS] > most_pairs:
            return TOO_LARGE
    return DONE


@kernel
def parse_split(tables, split, wanted, names, goal_types, n, axioms, most_items, most_edges, most_pairs):
    """Parse one sentence of a grammar with head movement.

    Parameters are those of `fill_split` and `parse_all`; `n` is the length of the sentence.

    Returns
    -------
    nodes : Nodes
        The forest, in arrays that may have room to spare.
    count : int
        Its number of nodes; 0 if there is no derivation.
    ways : float
        Its number of derivations: exact below 2^53, infinite with a loop.
    status : int
        DONE or TOO_LARGE.
    """
    room = tables.rules.shape[1] - FIRST_SOURCE + PARTS
    items, edges = FIRST_ITEMS, FIRST_EDGES
    chart = new_chart(items, edges, room)
    status = fill_split(tables, chart, split, wanted, names, axioms, most_pairs)
    while status == FULL:
        items, edges = 2 * items, 2 * edges
        if items > most_items or edges > most_edges:
            status = TOO_LARGE
        else:
            chart = new_chart(items, edges, room)
            status = fill_split(tables, chart, split, wanted, names, axioms, most_pairs)
    size = chart.size[ITEMS] + 2
    length = chart.size[EDGES] + size
    nodes = Nodes(
        np.zeros(size + 1, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(length, np.int32),
        np.empty(length, np.int32),
        np.empty(length, np.int32),
    )
    count = np.int64(0)
    if status == DONE:
        count, _ = _pack(chart, goal_types, n, nodes, np.int64(0), np.int64(0))
    return nodes, count, _count_ways(nodes, 0, count), status
