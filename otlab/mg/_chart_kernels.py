"""The agenda chart: from a sentence's lexical items to all expressions it contains.

An item is a type with a span for the head and one for each mover. The span of
silent material is a wildcard (-1, -1), neutral in concatenation: each derivation
still has exactly one set of spans, and silent items need no copy at every position.
Items wait in the agenda in the order they were made; each meets the partners that
were taken out before it, found through buckets by (category, edge position), so
every pair meets once. Every step is a hyperedge: head item <- one or two tails, or
a lexical slot. With k movers at most there are O(n^(2k+2)) items and O(n^(2k+3)) steps.
"""

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.mg.tables import FINAL, LICENSOR, MERGE_L, MERGE_R, MOVE_1, MOVING, RIGHT

DONE, FULL, TOO_LARGE = 0, 1, 2
ITEMS, EDGES, PAIRS = 0, 1, 2
WILD = -1


class Chart(NamedTuple):
    """Working arrays of one sentence.

    Attributes
    ----------
    kind : ndarray of shape (items,)
        Type of each item.
    span : ndarray of shape (items, 2 * (movers + 1))
        Begin and end of the head and of each mover.
    next_a, next_b : ndarray of shape (items,)
        Links of the bucket lists.
    slots : ndarray of shape (power of 2,)
        Hash table of items.
    head, first, second, slot : ndarray of shape (edges,)
        Each step: the item made, its tails (-1: none), its lexical slot (-1: none).
    scratch : ndarray of shape (2 * (movers + 1),)
        The spans under construction.
    size : ndarray of shape (3,)
        Items, edges, and pairs tried so far.
    """

    kind: np.ndarray
    span: np.ndarray
    next_a: np.ndarray
    next_b: np.ndarray
    slots: np.ndarray
    head: np.ndarray
    first: np.ndarray
    second: np.ndarray
    slot: np.ndarray
    scratch: np.ndarray
    size: np.ndarray


@kernel
def new_chart(items, edges, movers):
    """Return empty working arrays; `items` is a power of 2."""
    width = 2 * (movers + 1)
    return Chart(
        np.empty(items, np.int32),
        np.empty((items, width), np.int16),
        np.empty(items, np.int32),
        np.empty(items, np.int32),
        np.full(2 * items, -1, np.int32),
        np.empty(edges, np.int32),
        np.empty(edges, np.int32),
        np.empty(edges, np.int32),
        np.empty(edges, np.int32),
        np.full(width, WILD, np.int16),
        np.zeros(3, np.int64),
    )


@inlined
def _find_or_add(chart, kind):
    """Return the item with this type and the scratch spans, new or old; -1 if there is no room."""
    width = chart.scratch.size
    h = np.uint64(kind) * np.uint64(0x9E3779B97F4A7C15)
    for v in range(width):
        h = (h ^ np.uint64(chart.scratch[v] + 1)) * np.uint64(0x100000001B3)
        h ^= h >> np.uint64(29)
    mask = chart.slots.size - 1
    place = np.int64(h & np.uint64(mask))
    for _ in range(chart.slots.size):
        found = chart.slots[place]
        if found < 0:
            break
        if chart.kind[found] == kind:
            same = True
            for v in range(width):
                if chart.span[found, v] != chart.scratch[v]:
                    same = False
                    break
            if same:
                return found
        place = (place + 1) & mask
    new = chart.size[ITEMS]
    if new == chart.kind.size:
        return -1
    chart.kind[new] = kind
    for v in range(width):
        chart.span[new, v] = chart.scratch[v]
    chart.slots[place] = new
    chart.size[ITEMS] = new + 1
    return new


@inlined
def _add_edge(chart, item, first, second, slot):
    """Append a step; return whether there was room."""
    e = chart.size[EDGES]
    if item < 0 or e == chart.head.size:
        return False
    chart.head[e] = item
    chart.first[e] = first
    chart.second[e] = second
    chart.slot[e] = slot
    chart.size[EDGES] = e + 1
    return True


@inlined
def _join(chart, a_begin, a_end, b_begin, b_end):
    """Put the concatenation of two spans into the scratch head; return whether they touch."""
    if a_begin == WILD:
        chart.scratch[0], chart.scratch[1] = b_begin, b_end
    elif b_begin == WILD:
        chart.scratch[0], chart.scratch[1] = a_begin, a_end
    elif a_end == b_begin:
        chart.scratch[0], chart.scratch[1] = a_begin, b_end
    else:
        return False
    return True


@inlined
def _overlap(chart, a, a_chains, b, b_chains):
    """Return whether some chain of one item shares a word with some chain of the other."""
    for i in range(a_chains):
        for j in range(b_chains):
            begin = max(chart.span[a, 2 * i], chart.span[b, 2 * j])
            if begin < min(chart.span[a, 2 * i + 1], chart.span[b, 2 * j + 1]):
                return True
    return False


@inlined
def _rule_of(tables, selecting, selected):
    """Return the merge rule of two types, by bisection; -1 if there is none."""
    low, high = tables.binary_ptr[selecting], tables.binary_ptr[selecting + 1]
    while low < high:
        middle = (low + high) >> 1
        if tables.binary_arg[middle] < selected:
            low = middle + 1
        else:
            high = middle
    if low < tables.binary_ptr[selecting + 1] and tables.binary_arg[low] == selected:
        return tables.binary_rule[low]
    return -1


@inlined
def _merge(tables, chart, wanted, a, b):
    """Merge a selecting and a selected item if a rule allows; return whether there was room."""
    chart.size[PAIRS] += 1
    rule = _rule_of(tables, chart.kind[a], chart.kind[b])
    if rule < 0 or not wanted[tables.result[rule]]:
        return True
    op = tables.op[rule]
    span = chart.span
    if op == MERGE_R:
        if not _join(chart, span[a, 0], span[a, 1], span[b, 0], span[b, 1]):
            return True
    elif op == MERGE_L:
        if not _join(chart, span[b, 0], span[b, 1], span[a, 0], span[a, 1]):
            return True
    else:
        chart.scratch[0], chart.scratch[1] = span[a, 0], span[a, 1]
    if _overlap(chart, a, tables.movers[chart.kind[a]] + 1, b, tables.movers[chart.kind[b]] + 1):
        return True
    most = tables.source.shape[1]
    for v in range(most):
        s = tables.source[rule, v]
        if s < 0:
            begin, end = WILD, WILD
        elif s < most:
            begin, end = span[a, 2 * s + 2], span[a, 2 * s + 3]
        else:
            # 2 * most is the selected head itself.
            c = 0 if s == 2 * most else s - most + 1
            begin, end = span[b, 2 * c], span[b, 2 * c + 1]
        chart.scratch[2 * v + 2], chart.scratch[2 * v + 3] = begin, end
    return _add_edge(chart, _find_or_add(chart, tables.result[rule]), a, b, -1)


@kernel
def _move(tables, chart, wanted, a):
    """Apply every move rule of an item; return whether there was room."""
    kind = chart.kind[a]
    most = tables.source.shape[1]
    span = chart.span
    for u in range(tables.unary_ptr[kind], tables.unary_ptr[kind + 1]):
        rule = tables.unary_rule[u]
        if not wanted[tables.result[rule]]:
            continue
        m = 2 * tables.mover[rule] + 2
        if tables.op[rule] == MOVE_1:
            if not _join(chart, span[a, m], span[a, m + 1], span[a, 0], span[a, 1]):
                continue
        else:
            chart.scratch[0], chart.scratch[1] = span[a, 0], span[a, 1]
        for v in range(most):
            s = tables.source[rule, v]
            chart.scratch[2 * v + 2] = WILD if s < 0 else span[a, 2 * s + 2]
            chart.scratch[2 * v + 3] = WILD if s < 0 else span[a, 2 * s + 3]
        if not _add_edge(chart, _find_or_add(chart, tables.result[rule]), a, -1, -1):
            return False
    return True


@kernel
def _meet(tables, chart, wanted, bucket, a, a_selects):
    """Merge item `a` with every item of a bucket that is linked by `next_a`."""
    b = np.int64(bucket)
    while b >= 0:
        if a_selects:
            room = _merge(tables, chart, wanted, a, b)
        else:
            room = _merge(tables, chart, wanted, b, a)
        if not room:
            return False
        b = np.int64(chart.next_a[b])
    return True


@kernel
def _meet_by_end(tables, chart, wanted, bucket, a):
    """Merge selecting item `a` with every item of a bucket linked by `next_b`."""
    b = np.int64(bucket)
    while b >= 0:
        if not _merge(tables, chart, wanted, a, b):
            return False
        b = np.int64(chart.next_b[b])
    return True


@kernel
def _take_selecting(tables, chart, wanted, buckets, a):
    """Enter a selecting item and meet the selected ones that touch it, or will move."""
    kind = chart.kind[a]
    x, right = tables.name[kind], tables.kind[kind] == RIGHT
    selecting, starting, ending, moving = buckets
    wild = starting.shape[1] - 1
    position = chart.span[a, 1] if right else chart.span[a, 0]
    place = wild if position == WILD else position
    side = 0 if right else 1
    chart.next_a[a] = selecting[side, x, place]
    selecting[side, x, place] = a
    if not _meet(tables, chart, wanted, moving[x], a, True):
        return False
    # A wild selector touches anything; anything touches a wild argument.
    for p in range(wild + 1):
        if place != wild and p not in (place, wild):
            continue
        bucket = starting[x, p] if right else ending[x, p]
        if bucket < 0:
            continue
        if right:
            room = _meet(tables, chart, wanted, bucket, a, True)
        else:
            room = _meet_by_end(tables, chart, wanted, bucket, a)
        if not room:
            return False
    return True


@kernel
def _take_final(tables, chart, wanted, buckets, a):
    """Enter a finished argument and meet the selectors it touches."""
    x = tables.name[chart.kind[a]]
    selecting, starting, ending, _ = buckets
    wild = starting.shape[1] - 1
    is_wild = chart.span[a, 0] == WILD
    start = wild if is_wild else chart.span[a, 0]
    end = wild if is_wild else chart.span[a, 1]
    chart.next_a[a] = starting[x, start]
    starting[x, start] = a
    chart.next_b[a] = ending[x, end]
    ending[x, end] = a
    for side in range(2):
        edge = start if side == 0 else end
        for p in range(wild + 1):
            bucket = selecting[side, x, p]
            if bucket >= 0 and (is_wild or p == edge or p == wild):  # noqa: PLR1714 - a tuple would be built
                if not _meet(tables, chart, wanted, bucket, a, False):
                    return False
    return True


@kernel
def _take_moving(tables, chart, wanted, buckets, a):
    """Enter an argument that will move and meet all its selectors, wherever they are."""
    x = tables.name[chart.kind[a]]
    selecting, _, _, moving = buckets
    chart.next_a[a] = moving[x]
    moving[x] = a
    for side in range(2):
        for p in range(selecting.shape[2]):
            bucket = selecting[side, x, p]
            if bucket >= 0 and not _meet(tables, chart, wanted, bucket, a, False):
                return False
    return True


@kernel
def _take(tables, chart, wanted, buckets, a):
    """Do all that an item can do with those taken before it; return whether there was room."""
    kind = tables.kind[chart.kind[a]]
    if kind == LICENSOR:
        return _move(tables, chart, wanted, a)
    if kind == FINAL:
        return _take_final(tables, chart, wanted, buckets, a)
    if kind == MOVING:
        return _take_moving(tables, chart, wanted, buckets, a)
    return _take_selecting(tables, chart, wanted, buckets, a)


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
    axioms : ndarray of shape (m, 4)
        Lexical items: type, begin, end (-1, -1 if silent), slot.
    most_pairs : int
        Give up after this many.

    Returns
    -------
    int
        DONE, FULL (the arrays are too small) or TOO_LARGE.
    """
    chart.size[:] = 0
    chart.slots[:] = -1
    buckets = (
        np.full((2, names, n + 2), -1, np.int32),
        np.full((names, n + 2), -1, np.int32),
        np.full((names, n + 2), -1, np.int32),
        np.full(names, -1, np.int32),
    )
    for i in range(axioms.shape[0]):
        if wanted[axioms[i, 0]]:
            chart.scratch[:] = WILD
            chart.scratch[0], chart.scratch[1] = axioms[i, 1], axioms[i, 2]
            if not _add_edge(chart, _find_or_add(chart, axioms[i, 0]), -1, -1, axioms[i, 3]):
                return FULL
    for a in range(chart.kind.size):
        if a == chart.size[ITEMS]:
            break
        if not _take(tables, chart, wanted, buckets, a):
            return FULL
        if chart.size[PAIRS] > most_pairs:
            return TOO_LARGE
    return DONE
