"""The agenda chart: from a sentence's lexical items to all expressions it contains.

An item is a type with a span for the head and one for each mover. The span of
silent material is a wildcard (-1, -1), neutral in concatenation: each derivation
still has exactly one set of spans, and silent items need no copy at every position.
Items wait in the agenda in the order they were made; each meets the partners that
were taken out before it, found through buckets by (category, edge position), so
every pair is tried once. Every step is a hyperedge: head item <- one or two tails, or
a lexical slot. With k movers at most there are O(n^(2k+2)) items and O(n^(2k+3)) steps.

Tables and charts are a few arrays with one column per field, passed as separate arguments:
references to a tuple of arrays would be counted at each access in the innermost loop.
"""

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.mg.parsing.tables import (
    BINARY_PTR,
    FINAL,
    FIRST_SOURCE,
    KIND,
    LEFT,
    LICENSOR,
    MERGE_L,
    MERGE_R,
    MOVE_1,
    MOVER,
    MOVERS,
    MOVING,
    NAME,
    OP,
    RESULT,
    RIGHT,
    UNARY_PTR,
)

DONE, FULL, TOO_LARGE = 0, 1, 2
ITEMS, EDGES, PAIRS = 0, 1, 2
WILD = -1
# Columns of an item: its type, two links of bucket lists, then begin and end of each chain.
TYPE, NEXT_A, NEXT_B, SPAN = 0, 1, 2, 3
# Columns of an edge: the item made, its tails (-1: none), its lexical slot (-1: none).
HEAD, FIRST, SECOND, SLOT = 0, 1, 2, 3


class Chart(NamedTuple):
    """Working arrays of one sentence.

    Attributes
    ----------
    items : ndarray of shape (items + 1, 3 + 2 * (movers + 1))
        The row behind the last item is scratch for the one under construction.
    edges : ndarray of shape (edges, 4)
    slots : ndarray of shape (power of 2,)
        Hash table of items.
    size : ndarray of shape (3,)
        Items, edges, and pairs tried so far.
    """

    items: np.ndarray
    edges: np.ndarray
    slots: np.ndarray
    size: np.ndarray


@kernel
def new_chart(items, edges, movers):
    """Return empty working arrays; `items` is a power of 2."""
    return Chart(
        np.empty((items + 1, SPAN + 2 * (movers + 1)), np.int32),
        np.empty((edges, 4), np.int32),
        np.empty(2 * items, np.int32),
        np.zeros(3, np.int64),
    )


@inlined
def _find_or_add(items, slots, size):
    """Return the item with the type and spans of the scratch row, added if new; -1 without room."""
    new = size[ITEMS]
    width = items.shape[1]
    h = np.uint32(items[new, TYPE]) * np.uint32(0x9E3779B1)
    for v in range(SPAN, width):
        h = (h ^ np.uint32(items[new, v])) * np.uint32(0x85EBCA6B)
        h ^= h >> np.uint32(13)
    mask = slots.size - 1
    place = np.int64(h) & mask
    for _ in range(slots.size):
        found = slots[place]
        if found < 0:
            break
        same = items[found, TYPE] == items[new, TYPE]
        for v in range(SPAN, width):
            if not same:
                break
            same = items[found, v] == items[new, v]
        if same:
            return np.int64(found)
        place = (place + 1) & mask
    if new == items.shape[0] - 1:
        return np.int64(-1)
    slots[place] = new
    size[ITEMS] = new + 1
    return new


@inlined
def _add(items, edges, slots, size, first, second, slot):
    """Add the step that made the scratch row's item; return whether there was room."""
    item = _find_or_add(items, slots, size)
    e = size[EDGES]
    if item < 0 or e == edges.shape[0]:
        return False
    edges[e, HEAD] = item
    edges[e, FIRST] = first
    edges[e, SECOND] = second
    edges[e, SLOT] = slot
    size[EDGES] = e + 1
    return True


@inlined
def _join(items, new, a, a_span, b, b_span):
    """Put one chain's span before another's into the scratch head; return whether they touch."""
    if items[a, a_span] == WILD:
        items[new, SPAN], items[new, SPAN + 1] = items[b, b_span], items[b, b_span + 1]
    elif items[b, b_span] == WILD:
        items[new, SPAN], items[new, SPAN + 1] = items[a, a_span], items[a, a_span + 1]
    elif items[a, a_span + 1] == items[b, b_span]:
        items[new, SPAN], items[new, SPAN + 1] = items[a, a_span], items[b, b_span + 1]
    else:
        return False
    return True


@inlined
def _overlap(items, a, a_chains, b, b_chains):
    """Return whether some chain of one item shares a word with some chain of the other."""
    for i in range(SPAN, SPAN + 2 * a_chains, 2):
        for j in range(SPAN, SPAN + 2 * b_chains, 2):
            if max(items[a, i], items[b, j]) < min(items[a, i + 1], items[b, j + 1]):
                return True
    return False


@inlined
def _rule_of(types, binary, selecting, selected):
    """Return the merge rule of two types, by bisection; -1 if there is none."""
    low, end = types[selecting, BINARY_PTR], types[selecting + 1, BINARY_PTR]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if binary[middle, 0] < selected:
            low = middle + 1
        else:
            high = middle
    return binary[low, 1] if low < end and binary[low, 0] == selected else -1


@inlined
def _merge(types, rules, binary, wanted, items, edges, slots, size, a, b):
    """Merge a selecting and a selected item if a rule allows; return whether there was room."""
    size[PAIRS] += 1
    rule = _rule_of(types, binary, items[a, TYPE], items[b, TYPE])
    if rule < 0 or not wanted[rules[rule, RESULT]]:
        return True
    new = size[ITEMS]
    op = rules[rule, OP]
    if op == MERGE_R:
        if not _join(items, new, a, SPAN, b, SPAN):
            return True
    elif op == MERGE_L:
        if not _join(items, new, b, SPAN, a, SPAN):
            return True
    else:
        items[new, SPAN], items[new, SPAN + 1] = items[a, SPAN], items[a, SPAN + 1]
    if _overlap(items, a, types[items[a, TYPE], MOVERS] + 1, b, types[items[b, TYPE], MOVERS] + 1):
        return True
    most = rules.shape[1] - FIRST_SOURCE
    for v in range(most):
        s = rules[rule, FIRST_SOURCE + v]
        to = SPAN + 2 * v + 2
        if s < 0:
            items[new, to], items[new, to + 1] = WILD, WILD
        elif s < most:
            items[new, to], items[new, to + 1] = items[a, SPAN + 2 * s + 2], items[a, SPAN + 2 * s + 3]
        else:
            # 2 * most is the selected head itself.
            c = SPAN if s == 2 * most else SPAN + 2 * (s - most + 1)
            items[new, to], items[new, to + 1] = items[b, c], items[b, c + 1]
    items[new, TYPE] = rules[rule, RESULT]
    return _add(items, edges, slots, size, a, b, -1)


@inlined
def _move(types, rules, unary, wanted, items, edges, slots, size, a):
    """Apply every move rule of an item; return whether there was room."""
    kind = items[a, TYPE]
    most = rules.shape[1] - FIRST_SOURCE
    for u in range(types[kind, UNARY_PTR], types[kind + 1, UNARY_PTR]):
        rule = unary[u]
        new = size[ITEMS]
        if not wanted[rules[rule, RESULT]]:
            continue
        if rules[rule, OP] == MOVE_1:
            if not _join(items, new, a, SPAN + 2 * rules[rule, MOVER] + 2, a, SPAN):
                continue
        else:
            items[new, SPAN], items[new, SPAN + 1] = items[a, SPAN], items[a, SPAN + 1]
        for v in range(most):
            s = rules[rule, FIRST_SOURCE + v]
            for end in range(2):
                items[new, SPAN + 2 * v + 2 + end] = WILD if s < 0 else items[a, SPAN + 2 * s + 2 + end]
        items[new, TYPE] = rules[rule, RESULT]
        if not _add(items, edges, slots, size, a, -1, -1):
            return False
    return True


@inlined
def _await_selected(types, items, buckets, moving, chains, a):
    """Enter a selecting item; list the chains of selected ones that touch it, or will move."""
    kind = items[a, TYPE]
    x = types[kind, NAME]
    side = 0 if types[kind, KIND] == RIGHT else 1
    wild = buckets.shape[2] - 1
    position = items[a, SPAN + 1 - side]
    place = wild if position == WILD else position
    items[a, NEXT_A] = buckets[side, x, place]
    buckets[side, x, place] = a
    chains[0, 0], chains[0, 1] = moving[x], NEXT_A
    count = 1
    # A silent selector is adjacent to any argument, and a silent argument to any selector.
    for p in range(0 if place == wild else place, wild + 1):
        if (place == wild or p in (place, wild)) and buckets[2 + side, x, p] >= 0:
            chains[count, 0], chains[count, 1] = buckets[2 + side, x, p], NEXT_A + side
            count += 1
    return count


@inlined
def _await_selecting(types, items, buckets, chains, a):
    """Enter a finished argument by both its edges; list the chains of selectors it touches."""
    x = types[items[a, TYPE], NAME]
    wild = buckets.shape[2] - 1
    is_wild = items[a, SPAN] == WILD
    count = 0
    for side in range(2):
        edge = wild if is_wild else items[a, SPAN + side]
        items[a, NEXT_A + side] = buckets[2 + side, x, edge]
        buckets[2 + side, x, edge] = a
        for p in range(0 if is_wild else edge, wild + 1):
            if (is_wild or p in (edge, wild)) and buckets[side, x, p] >= 0:
                chains[count, 0], chains[count, 1] = buckets[side, x, p], NEXT_A
                count += 1
    return count


@inlined
def _await_selecting_anywhere(types, items, buckets, moving, chains, a):
    """Enter an argument that will move; list the chains of all its selectors, wherever they are."""
    x = types[items[a, TYPE], NAME]
    items[a, NEXT_A] = moving[x]
    moving[x] = a
    count = 0
    for side in range(2):
        for p in range(buckets.shape[2]):
            if buckets[side, x, p] >= 0:
                chains[count, 0], chains[count, 1] = buckets[side, x, p], NEXT_A
                count += 1
    return count


@kernel
def fill(tables, chart, wanted, names, n, axioms, most_pairs):
    """Fill the chart of one sentence.

    Parameters
    ----------
    tables : Tables
    chart : Chart
        Emptied first.
    wanted : ndarray of shape (types,)
        1 for the types that may be built.
    names : int
        How many category names there are.
    n : int
        Length of the sentence.
    axioms : ndarray of shape (m, 3)
        Lexical items: type, begin, end (-1, -1 if silent); the row is the slot.
    most_pairs : int
        Give up after this many.

    Returns
    -------
    int
        DONE, FULL (the arrays are too small) or TOO_LARGE.
    """
    types, rules, unary, binary = tables.types, tables.rules, tables.unary, tables.binary
    items, edges, slots, size = chart.items, chart.edges, chart.slots, chart.size
    size[:] = 0
    slots[:] = -1
    # Selecting items to the right, to the left; finished ones by begin, by end; the last place is wild.
    buckets = np.full((4, names, n + 2), -1, np.int32)
    moving = np.full(names, -1, np.int32)
    for i in range(axioms.shape[0]):
        if wanted[axioms[i, 0]]:
            new = size[ITEMS]
            items[new, SPAN:] = WILD
            items[new, TYPE] = axioms[i, 0]
            items[new, SPAN], items[new, SPAN + 1] = axioms[i, 1], axioms[i, 2]
            if not _add(items, edges, slots, size, -1, -1, i):
                return FULL
    # First item and link column of each chain of partners an item meets.
    chains = np.empty((2 * n + 4, 2), np.int32)
    for a in range(items.shape[0]):
        if a == size[ITEMS]:
            break
        kind = types[items[a, TYPE], KIND]
        count = 0
        if kind == LICENSOR:
            if not _move(types, rules, unary, wanted, items, edges, slots, size, a):
                return FULL
        elif kind == FINAL:
            count = _await_selecting(types, items, buckets, chains, a)
        elif kind == MOVING:
            count = _await_selecting_anywhere(types, items, buckets, moving, chains, a)
        else:
            count = _await_selected(types, items, buckets, moving, chains, a)
        selects = kind in (RIGHT, LEFT)
        for c in range(count):
            b, link = np.int64(chains[c, 0]), chains[c, 1]
            while b >= 0:
                one, other = (a, b) if selects else (b, a)
                if not _merge(types, rules, binary, wanted, items, edges, slots, size, one, other):
                    return FULL
                b = np.int64(items[b, link])
        if size[PAIRS] > most_pairs:
            return TOO_LARGE
    return DONE
