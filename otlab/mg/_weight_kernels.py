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

NEWTON_STEPS = 200
LARGEST_DENSE = 300
SOLVED, UNSOLVED = 0, 1


@kernel
def _edge_weight(forest, e, base, slot_weight, score):
    """Return w(e) plus the scores of the edge's tails."""
    total = 0.0
    s, a, b = forest.slot[e], forest.first[e], forest.second[e]
    if s >= 0:
        total = slot_weight[s]
    if a >= 0:
        total += score[base + a]
    if b >= 0:
        total += score[base + b]
    return total


@kernel
def _log_sum(forest, node, base, slot_weight, score):
    """Return ln of the summed weights of a node's edges."""
    begin, end = forest.edge_ptr[node], forest.edge_ptr[node + 1]
    if end - begin == 1:
        return _edge_weight(forest, begin, base, slot_weight, score)
    top = -np.inf
    for e in range(begin, end):
        top = max(top, _edge_weight(forest, e, base, slot_weight, score))
    if top == -np.inf:
        return top
    total = 0.0
    for e in range(begin, end):
        total += math.exp(_edge_weight(forest, e, base, slot_weight, score) - top)
    return top + math.log(total)


@kernel
def _member(tail, base, first_node, size):
    """Return the position of a tail within the component, -1 if it is outside."""
    v = base + tail - first_node
    return v if tail >= 0 and 0 <= v < size else -1


@kernel
def _outer_weight(forest, e, base, first_node, size, slot_weight, score):
    """Return w(e) plus the scores of the tails outside the component, and the members."""
    total = 0.0
    s, a, b = forest.slot[e], forest.first[e], forest.second[e]
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

    Two tails inside one component cover the same words, so none: such equations are
    of silent material only and need no scaling; the others are linear and may have any.
    """
    scale = -np.inf
    for v in range(first_node, first_node + size):
        for e in range(forest.edge_ptr[v], forest.edge_ptr[v + 1]):
            w, x, y = _outer_weight(forest, e, base, first_node, size, slot_weight, score)
            if x >= 0 and y >= 0:
                return 0.0
            if x < 0 and y < 0:
                scale = max(scale, w)
    return scale


@kernel
def _equations(forest, base, first_node, size, slot_weight, score, scale, x, value, slope):
    """Write F(x) and, unless `slope` is empty, its derivative."""
    value[:] = 0.0
    slope[:] = 0.0
    dense = slope.size > 0
    for v in range(size):
        for e in range(forest.edge_ptr[first_node + v], forest.edge_ptr[first_node + v + 1]):
            w, a, b = _outer_weight(forest, e, base, first_node, size, slot_weight, score)
            if a < 0 and b < 0:
                value[v] += math.exp(w - scale)
            elif a >= 0 and b >= 0:
                c = math.exp(w)
                value[v] += c * x[a] * x[b]
                if dense:
                    slope[v, a] += c * x[b]
                    slope[v, b] += c * x[a]
            else:
                u = max(a, b)
                c = math.exp(w)
                value[v] += c * x[u]
                if dense:
                    slope[v, u] += c


@kernel
def _solve_inside(forest, base, first_node, size, slot_weight, score):
    """Write the inside weights of a cyclic component; return SOLVED or UNSOLVED."""
    scale = _scale(forest, base, first_node, size, slot_weight, score)
    if scale == -np.inf:
        score[first_node : first_node + size] = -np.inf
        return SOLVED
    dense = size <= LARGEST_DENSE
    x, value = np.zeros(size), np.zeros(size)
    slope = np.zeros((size, size) if dense else (0, 0))
    steps = NEWTON_STEPS if dense else 100 * NEWTON_STEPS
    solved = UNSOLVED
    for _ in range(steps):
        _equations(forest, base, first_node, size, slot_weight, score, scale, x, value, slope)
        change = value - x
        if dense:
            change = np.linalg.solve(np.eye(size) - slope, change)
        x += change
        if not np.all(np.isfinite(x)) or x.max() > 1e12:
            return UNSOLVED
        if np.abs(change).max() <= 1e-15 * x.max():
            solved = SOLVED
            break
    # Newton ends in a cycle of last digits where the loop has mass near 1.
    if solved == UNSOLVED and np.abs(change).max() > 1e-9 * x.max():
        return UNSOLVED
    for v in range(size):
        score[first_node + v] = math.log(x[v]) + scale if x[v] > 0.0 else -np.inf
    return SOLVED


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
    v = base
    while v < end:
        size = forest.loop[v]
        if size == 0:
            score[v] = _log_sum(forest, v, base, slot_weight, score)
            v += 1
        else:
            if _solve_inside(forest, base, v, size, slot_weight, score) == UNSOLVED:
                return UNSOLVED
            v += size
    return SOLVED


@kernel
def _share(forest, e, v, base, slot_weight, score):
    """Return p(e), the share of an edge in its node."""
    return math.exp(_edge_weight(forest, e, base, slot_weight, score) - score[v])


@kernel
def _solve_outside(forest, base, first_node, size, slot_weight, score, mass):
    """Replace the mass that enters a component by the mass of its nodes; return SOLVED or not."""
    flow = np.zeros((size, size)) if size <= LARGEST_DENSE else np.zeros((0, 0))
    entering = mass[first_node : first_node + size].copy()
    if size <= LARGEST_DENSE:
        for v in range(size):
            for e in range(forest.edge_ptr[first_node + v], forest.edge_ptr[first_node + v + 1]):
                _, a, b = _outer_weight(forest, e, base, first_node, size, slot_weight, score)
                if score[first_node + v] > -np.inf:
                    p = _share(forest, e, first_node + v, base, slot_weight, score)
                    if a >= 0:
                        flow[a, v] += p
                    if b >= 0:
                        flow[b, v] += p
        mass[first_node : first_node + size] = np.linalg.solve(np.eye(size) - flow, entering)
        return SOLVED
    for _ in range(100 * NEWTON_STEPS):
        total = entering.copy()
        for v in range(size):
            if mass[first_node + v] == 0.0:
                continue
            for e in range(forest.edge_ptr[first_node + v], forest.edge_ptr[first_node + v + 1]):
                _, a, b = _outer_weight(forest, e, base, first_node, size, slot_weight, score)
                p = mass[first_node + v] * _share(forest, e, first_node + v, base, slot_weight, score)
                if a >= 0:
                    total[a] += p
                if b >= 0:
                    total[b] += p
        change = np.abs(total - mass[first_node : first_node + size]).max()
        mass[first_node : first_node + size] = total
        if change <= 1e-14 * total.max():
            return SOLVED
    return UNSOLVED


@kernel
def _push(forest, v, base, first_node, size, slot_weight, score, mass, count):
    """Pass a node's mass to its slots and tails; tails inside its own loop have theirs already."""
    m = mass[v]
    if m == 0.0:
        return
    begin, end = forest.edge_ptr[v], forest.edge_ptr[v + 1]
    for e in range(begin, end):
        p = m if end - begin == 1 else m * _share(forest, e, v, base, slot_weight, score)
        s, a, b = forest.slot[e], forest.first[e], forest.second[e]
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
    mass[base:end] = 0.0
    mass[end - 1] = weight
    v = end - 1
    while v >= base:
        size = forest.closes[v]
        if size == 0:
            _push(forest, v, base, v, 0, slot_weight, score, mass, count)
            v -= 1
            continue
        first = v - size + 1
        if _solve_outside(forest, base, first, size, slot_weight, score, mass) == UNSOLVED:
            return UNSOLVED
        for u in range(first, v + 1):
            _push(forest, u, base, first, size, slot_weight, score, mass, count)
        v = first - 1
    return SOLVED
