"""Inside, outside and best weights of packed forests, and samples from them.

In log space, node by node, tails first::

    I(v) = ln sum over edges e of v:  exp(w(e) + sum of I(tails of e))
    m(root) = 1,   m(tail) += m(v) p(e),   p(e) = exp(w(e) + sum I(tails) - I(v))

where w(e) is the log weight of the edge's lexical slot. The expected count of a slot
is the sum of m(v) p(e) over its edges. In a cyclic component (a silent loop) I is
the least solution of polynomial equations, found by Newton's method from 0, which
climbs to it (Etessami & Yannakakis 2009), and m solves a linear system. Both exist:
dropping movement, a lexicon is a top-down context-free grammar over selection trees
whose derivations have mass 1 at most.
"""

import math

import numpy as np

from otlab.inference.jit import kernel

NEWTON_STEPS = 100
MOST_VISITS = 10_000_000
LARGEST_DENSE = 200
LARGEST_VALUE = 1e12
SOLVED, UNSOLVED = 0, 1


@kernel
def edge_weight(first, second, slot, e, base, slot_weight, score):
    """Return w(e) plus the scores of the edge's tails."""
    total = 0.0
    s, a, b = slot[e], first[e], second[e]
    if s >= 0:
        total = slot_weight[s]
    if a >= 0:
        total += score[base + a]
    if b >= 0:
        total += score[base + b]
    return total


@kernel
def _log_sum(edge_ptr, first, second, slot, node, base, slot_weight, score):
    """Return ln of the summed weights of a node's edges."""
    begin, end = edge_ptr[node], edge_ptr[node + 1]
    if end - begin == 1:
        return edge_weight(first, second, slot, begin, base, slot_weight, score)
    top = -np.inf
    for e in range(begin, end):
        top = max(top, edge_weight(first, second, slot, e, base, slot_weight, score))
    if top == -np.inf:
        return top
    total = 0.0
    for e in range(begin, end):
        total += math.exp(edge_weight(first, second, slot, e, base, slot_weight, score) - top)
    return top + math.log(total)


@kernel
def _member(tail, base, first_node, size):
    """Return the position of a tail within the component, -1 if it is outside."""
    v = base + tail - first_node
    return v if tail >= 0 and 0 <= v < size else -1


@kernel
def _outer_weight(first, second, slot, e, base, first_node, size, slot_weight, score):
    """Return w(e) plus the scores of the tails outside the component, and the members."""
    total = 0.0
    s, a, b = slot[e], first[e], second[e]
    if s >= 0:
        total = slot_weight[s]
    x, y = _member(a, base, first_node, size), _member(b, base, first_node, size)
    if a >= 0 and x < 0:
        total += score[base + a]
    if b >= 0 and y < 0:
        total += score[base + b]
    return total, x, y


@kernel
def _scale(forest, base, first_node, size, slot_weight, score):
    """Return the log scale of a component's equations.

    If an edge has both tails inside the component, all of them cover no words: the equations
    are of silent material only and need no scaling. All others are linear, and any scale will do.
    """
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    scale = -np.inf
    for e in range(edge_ptr[first_node], edge_ptr[first_node + size]):
        w, x, y = _outer_weight(first, second, slot, e, base, first_node, size, slot_weight, score)
        if x >= 0 and y >= 0:
            return 0.0
        if x < 0 and y < 0:
            scale = max(scale, w)
    return scale


@kernel
def _equations(forest, base, first_node, size, slot_weight, score, scale, x, change, matrix):
    """Write F(x) - x and 1 - F'(x)."""
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    for v in range(size):
        change[v] = -x[v]
        matrix[v, :] = 0.0
        matrix[v, v] = 1.0
        for e in range(edge_ptr[first_node + v], edge_ptr[first_node + v + 1]):
            w, a, b = _outer_weight(first, second, slot, e, base, first_node, size, slot_weight, score)
            if a < 0 and b < 0:
                change[v] += math.exp(w - scale)
            elif a >= 0 and b >= 0:
                c = math.exp(w)
                change[v] += c * x[a] * x[b]
                matrix[v, a] -= c * x[b]
                matrix[v, b] -= c * x[a]
            else:
                u = max(a, b)
                c = math.exp(w)
                change[v] += c * x[u]
                matrix[v, u] -= c


@kernel
def _sweep_inside(forest, base, first_node, size, slot_weight, score, scale, x):
    """Set x[v] to F_v(x), node after node, tails first; return the largest relative change."""
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    moved = 0.0
    for v in range(size):
        total = 0.0
        for e in range(edge_ptr[first_node + v], edge_ptr[first_node + v + 1]):
            w, a, b = _outer_weight(first, second, slot, e, base, first_node, size, slot_weight, score)
            if a < 0 and b < 0:
                w -= scale
            c = math.exp(w)
            c *= x[a] if a >= 0 else 1.0
            total += c * x[b] if b >= 0 else c
        moved = max(moved, abs(total - x[v]) / max(total, 1e-300))
        x[v] = total
    return moved


@kernel
def solve(matrix, right):
    """Solve a linear system in place by elimination with row pivots; return SOLVED or not.

    The answer is written to `right`; `matrix` is used up.
    """
    n = right.size
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if not abs(matrix[pivot, k]) > 1e-300:
            return UNSOLVED
        if pivot != k:
            for j in range(k, n):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
            right[k], right[pivot] = right[pivot], right[k]
        for i in range(k + 1, n):
            f = matrix[i, k] / matrix[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    matrix[i, j] -= f * matrix[k, j]
                right[i] -= f * right[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            right[k] -= matrix[k, j] * right[j]
        right[k] /= matrix[k, k]
    return SOLVED


@kernel
def _newton(forest, base, first_node, size, slot_weight, score, scale, x):
    """Solve a component's equations by Newton's method from 0; return the last relative change."""
    change, matrix = np.zeros(size), np.zeros((size, size))
    moved = np.inf
    for _ in range(NEWTON_STEPS):
        before = moved
        _equations(forest, base, first_node, size, slot_weight, score, scale, x, change, matrix)
        if solve(matrix, change) == UNSOLVED:
            return np.inf
        moved = 0.0
        for v in range(size):
            x[v] += change[v]
            if not 0.0 <= x[v] < LARGEST_VALUE:
                return np.inf
            moved = max(moved, abs(change[v]) / max(x[v], 1e-300))
        # Near the answer each step squares the error, until only rounding moves it.
        if moved <= 1e-15 or (moved < 1e-9 and moved >= before):
            break
    return moved


@kernel
def _solve_inside(forest, base, first_node, size, slot_weight, score):
    """Write the inside weights of a cyclic component; return SOLVED or UNSOLVED."""
    scale = _scale(forest, base, first_node, size, slot_weight, score)
    if scale == -np.inf:
        score[first_node : first_node + size] = -np.inf
        return SOLVED
    x = np.zeros(size)
    if size <= LARGEST_DENSE:
        moved = _newton(forest, base, first_node, size, slot_weight, score, scale, x)
    else:
        moved = np.inf
        for _ in range(_sweeps(forest, first_node, size)):
            moved = _sweep_inside(forest, base, first_node, size, slot_weight, score, scale, x)
            if moved <= 1e-15 or not x[size - 1] < LARGEST_VALUE:
                break
    # Rounding may keep changing the last digits, and sweeps converge more slowly than Newton's method.
    if not moved <= (1e-9 if size <= LARGEST_DENSE else 1e-13):
        return UNSOLVED
    for v in range(size):
        score[first_node + v] = math.log(x[v]) + scale if x[v] > 0.0 else -np.inf
    return SOLVED


@kernel
def _sweeps(forest, first_node, size):
    """Return the largest number of sweeps over a large component's edges."""
    edges = forest.edge_ptr[first_node + size] - forest.edge_ptr[first_node]
    return max(50, MOST_VISITS // edges)


@kernel
def inside(forest, base, end, slot_weight, score):
    """Write the inside weight of each node of one forest; return whether loops were SOLVED.

    Parameters
    ----------
    forest : Nodes
    base, end : int
        The forest's first node, and the one after its root.
    slot_weight : ndarray
        Log weight of each lexical slot.
    score : ndarray of shape (nodes of all forests,)
        Written from `base` to `end`.
    """
    # The inner loops take arrays, because references to a tuple would be counted at every call.
    edge_ptr, loop, first, second, slot = (
        forest.edge_ptr,
        forest.loop,
        forest.first,
        forest.second,
        forest.slot,
    )
    v = base
    while v < end:
        size = loop[v]
        if size == 0:
            score[v] = _log_sum(edge_ptr, first, second, slot, v, base, slot_weight, score)
            v += 1
        else:
            if _solve_inside(forest, base, v, size, slot_weight, score) == UNSOLVED:
                return UNSOLVED
            v += size
    return SOLVED


@kernel
def _share(first, second, slot, e, v, base, slot_weight, score):
    """Return p(e), the share of an edge in its node."""
    return math.exp(edge_weight(first, second, slot, e, base, slot_weight, score) - score[v])


@kernel
def _flow(forest, base, first_node, size, slot_weight, score, matrix):
    """Fill a matrix with 1 - p: what each node of a component passes to each other."""
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    for v in range(first_node, first_node + size):
        matrix[v - first_node, v - first_node] += 1.0
        if score[v] == -np.inf:
            continue
        for e in range(edge_ptr[v], edge_ptr[v + 1]):
            p = _share(first, second, slot, e, v, base, slot_weight, score)
            for tail in (first[e], second[e]):
                u = _member(tail, base, first_node, size)
                if u >= 0:
                    matrix[u, v - first_node] -= p


@kernel
def _sweep_outside(forest, base, first_node, size, slot_weight, score, entering, late, mass):
    """Pass mass down a component, node after node, heads first; return the largest change.

    Mass that a node passes to an earlier node is kept in `late` for the next sweep.
    """
    edge_ptr, first, second, slot = forest.edge_ptr, forest.first, forest.second, forest.slot
    total = entering + late
    late[:] = 0.0
    moved = 0.0
    for v in range(size - 1, -1, -1):
        moved = max(moved, abs(total[v] - mass[v]))
        mass[v] = total[v]
        if score[first_node + v] == -np.inf:
            continue
        for e in range(edge_ptr[first_node + v], edge_ptr[first_node + v + 1]):
            p = _share(first, second, slot, e, first_node + v, base, slot_weight, score)
            for tail in (first[e], second[e]):
                u = _member(tail, base, first_node, size)
                if u >= v:
                    late[u] += p * mass[v]
                elif u >= 0:
                    total[u] += p * mass[v]
    return moved


@kernel
def _solve_outside(forest, base, first_node, size, slot_weight, score, mass):
    """Replace the mass that enters a component by the mass of its nodes; return SOLVED or not."""
    inner = mass[first_node : first_node + size]
    if size <= LARGEST_DENSE:
        matrix = np.zeros((size, size))
        _flow(forest, base, first_node, size, slot_weight, score, matrix)
        return solve(matrix, inner)
    entering, late = inner.copy(), np.zeros(size)
    for _ in range(_sweeps(forest, first_node, size)):
        moved = _sweep_outside(forest, base, first_node, size, slot_weight, score, entering, late, inner)
        if moved <= 1e-14 * inner.max():
            return SOLVED
    return UNSOLVED


@kernel
def _push(edge_ptr, first, second, slot, v, base, first_node, size, slot_weight, score, mass, count):
    """Pass a node's mass to its slots and tails; tails inside its own loop have theirs already."""
    m = mass[v]
    if m == 0.0:
        return
    begin, end = edge_ptr[v], edge_ptr[v + 1]
    for e in range(begin, end):
        p = m if end - begin == 1 else m * _share(first, second, slot, e, v, base, slot_weight, score)
        s, a, b = slot[e], first[e], second[e]
        if s >= 0:
            count[s] += p
        if a >= 0 and _member(a, base, first_node, size) < 0:
            mass[base + a] += p
        if b >= 0 and _member(b, base, first_node, size) < 0:
            mass[base + b] += p


@kernel
def outside(forest, base, end, slot_weight, score, weight, mass, count):
    """Add `weight` times the expected count of each slot to `count`; return SOLVED or not.

    Parameters
    ----------
    forest, base, end, slot_weight
        As for `inside`.
    score : ndarray
        The inside weights; the root's is finite.
    weight : float
        How often the sentence occurs.
    mass : ndarray of shape (nodes of all forests,)
        Written from `base` to `end`: the expected number of uses of each node.
    count : ndarray
        One entry a slot.
    """
    edge_ptr, closes, first, second, slot = (
        forest.edge_ptr,
        forest.closes,
        forest.first,
        forest.second,
        forest.slot,
    )
    mass[base:end] = 0.0
    mass[end - 1] = weight
    v = end - 1
    while v >= base:
        size = closes[v]
        if size == 0:
            _push(edge_ptr, first, second, slot, v, base, v, 0, slot_weight, score, mass, count)
            v -= 1
            continue
        start = v - size + 1
        if _solve_outside(forest, base, start, size, slot_weight, score, mass) == UNSOLVED:
            return UNSOLVED
        for u in range(start, v + 1):
            _push(edge_ptr, first, second, slot, u, base, start, size, slot_weight, score, mass, count)
        v = start - 1
    return SOLVED
