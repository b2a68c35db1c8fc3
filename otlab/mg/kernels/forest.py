"""From a chart to a packed forest: what the goals can reach, tails before heads.

Tarjan's algorithm (1972), iteratively, finds the strongly connected components in
exactly the order inside weights need: a component comes after all it depends on.
Components larger than one node, or with an edge to themselves, are silent loops.
"""

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.mg.kernels.chart import (
    DONE,
    EDGES,
    FIRST,
    FULL,
    HEAD,
    ITEMS,
    SECOND,
    SLOT,
    SPAN,
    TOO_LARGE,
    TYPE,
    WILD,
    fill,
    new_chart,
)
from otlab.mg.parsing.tables import FIRST_SOURCE

# Initial sizes, small enough that a short sentence allocates no new pages of memory.
FIRST_ITEMS, FIRST_EDGES = 256, 1024


class Nodes(NamedTuple):
    """Forests one after the other, in arrays that may have room to spare.

    Attributes
    ----------
    edge_ptr : ndarray of shape (nodes + 1,)
        Where each node's edges begin.
    loop : ndarray of shape (nodes,)
        0, or at the first node of a cyclic component its number of nodes.
    closes : ndarray of shape (nodes,)
        The same at its last node.
    first, second, slot : ndarray of shape (edges,)
        Tails as numbers within the forest, lexical slot; -1: none.
    """

    edge_ptr: np.ndarray
    loop: np.ndarray
    closes: np.ndarray
    first: np.ndarray
    second: np.ndarray
    slot: np.ndarray


@kernel
def _edges_by_head(edges, count, items):
    """Return where each item's edges begin in a list of edges sorted by head, and that list."""
    ptr = np.zeros(items + 1, np.int32)
    for e in range(count):
        ptr[edges[e, HEAD] + 1] += 1
    for i in range(items):
        ptr[i + 1] += ptr[i]
    fill_at = ptr[:-1].copy()
    order = np.empty(count, np.int32)
    for e in range(count):
        h = edges[e, HEAD]
        order[fill_at[h]] = e
        fill_at[h] += 1
    return ptr, order


@kernel
def _components(edges, ptr, order, goals, goal_count, listed, component):
    """List the items the goals reach, component by component, tails first; return how many.

    `component` gets each listed item's component number, -1 for the others.
    """
    items = ptr.size - 1
    index = np.full(items, -1, np.int32)
    low = np.zeros(items, np.int32)
    at = np.zeros(items, np.int32)
    path = np.empty(items, np.int32)
    open_items = np.empty(items, np.int32)
    component[:] = -1
    counter = listed_count = open_count = components = 0
    for g in range(goal_count):
        if index[goals[g]] >= 0:
            continue
        depth = 0
        path[0] = goals[g]
        while depth >= 0:
            v = path[depth]
            if index[v] < 0:
                index[v] = low[v] = counter
                counter += 1
                open_items[open_count] = v
                open_count += 1
                at[v] = 2 * ptr[v]
            descended = False
            while at[v] < 2 * ptr[v + 1]:
                tail = edges[order[at[v] >> 1], FIRST + (at[v] & 1)]
                if tail >= 0 and index[tail] < 0:
                    # `at` does not advance: the tail's low link is read when the walk returns to this edge.
                    depth += 1
                    path[depth] = tail
                    descended = True
                    break
                at[v] += 1
                if tail >= 0 and component[tail] < 0:
                    low[v] = min(low[v], low[tail])
            if descended:
                continue
            if low[v] == index[v]:
                while True:
                    open_count -= 1
                    u = open_items[open_count]
                    component[u] = components
                    listed[listed_count] = u
                    listed_count += 1
                    if u == v:
                        break
                components += 1
            depth -= 1
    return listed_count


@kernel
def _is_loop(edges, ptr, order, item):
    """Return whether an item is a tail of one of its own edges."""
    for p in range(ptr[item], ptr[item + 1]):
        if edges[order[p], FIRST] == item or edges[order[p], SECOND] == item:
            return True
    return False


@kernel
def _goals(items, count, goal_types, n, goals):
    """List the items that are complete sentences; return how many."""
    found = 0
    for i in range(count):
        for t in goal_types:
            if items[i, TYPE] == t:
                whole = items[i, SPAN] == 0 and items[i, SPAN + 1] == n
                if whole or (n == 0 and items[i, SPAN] == WILD):
                    goals[found] = i
                    found += 1
    return found


@kernel
def _pack(chart, goal_types, n, nodes, node, edge):
    """Write the forest of a filled chart behind `node` nodes and `edge` edges.

    Returns the new numbers of nodes and edges; (-1, -1) if there is no room.
    The root comes last: one edge to each complete sentence. No goal, no forest.
    """
    items, edges = chart.items, chart.edges
    item_count, edge_count = chart.size[ITEMS], chart.size[EDGES]
    goals = np.empty(item_count + 1, np.int32)
    goal_count = _goals(items, item_count, goal_types, n, goals)
    if goal_count == 0:
        return node, edge
    if node + item_count + 1 >= nodes.loop.size or edge + edge_count + goal_count > nodes.first.size:
        return -1, -1
    edge_ptr, loop, closes = nodes.edge_ptr, nodes.loop, nodes.closes
    first, second, slot = nodes.first, nodes.second, nodes.slot
    ptr, order = _edges_by_head(edges, edge_count, item_count)
    listed = np.empty(item_count, np.int32)
    component = np.empty(item_count, np.int32)
    count = _components(edges, ptr, order, goals, goal_count, listed, component)
    number = np.full(item_count, -1, np.int32)
    for v in range(count):
        number[listed[v]] = v
    begin = 0
    for v in range(count):
        i = listed[v]
        if component[i] != component[listed[begin]]:
            begin = v
        loop[node + v] = closes[node + v] = 0
        if begin < v:
            closes[node + v - 1] = 0
            loop[node + begin] = closes[node + v] = v - begin + 1
        elif _is_loop(edges, ptr, order, i):
            loop[node + v] = closes[node + v] = 1
        for p in range(ptr[i], ptr[i + 1]):
            e = order[p]
            first[edge] = -1 if edges[e, FIRST] < 0 else number[edges[e, FIRST]]
            second[edge] = -1 if edges[e, SECOND] < 0 else number[edges[e, SECOND]]
            slot[edge] = edges[e, SLOT]
            edge += 1
        edge_ptr[node + v + 1] = edge
    loop[node + count] = closes[node + count] = 0
    for g in range(goal_count):
        first[edge] = number[goals[g]]
        second[edge] = slot[edge] = -1
        edge += 1
    edge_ptr[node + count + 1] = edge
    return node + count + 1, edge


@kernel
def _count_ways(nodes, begin, end):
    """Return how many derivations a forest has: exact below 2^53, infinite with a loop.

    No node has more derivations than the root, so no intermediate number is larger.
    """
    edge_ptr, loop, first, second = nodes.edge_ptr, nodes.loop, nodes.first, nodes.second
    ways = np.zeros(end - begin + 1)
    for v in range(begin, end):
        if loop[v] > 0:
            return np.inf
        for e in range(edge_ptr[v], edge_ptr[v + 1]):
            n = ways[first[e]] if first[e] >= 0 else 1.0
            ways[v - begin] += n * ways[second[e]] if second[e] >= 0 else n
    return ways[max(0, end - begin - 1)]


@kernel
def _longer(old, size):
    new = np.empty(size, np.int32)
    for i in range(old.size):
        new[i] = old[i]
    return new


@kernel
def _more_room(nodes):
    """Return the same forests in arrays twice as long."""
    n, e = 2 * nodes.loop.size, 2 * nodes.first.size
    return Nodes(
        _longer(nodes.edge_ptr, n + 1),
        _longer(nodes.loop, n),
        _longer(nodes.closes, n),
        _longer(nodes.first, e),
        _longer(nodes.second, e),
        _longer(nodes.slot, e),
    )


@kernel
def parse_all(
    tables, wanted, names, goal_types, lengths, axiom_ptr, axioms, most_items, most_edges, most_pairs
):
    """Parse several sentences.

    Parameters
    ----------
    tables, wanted, names, goal_types
        The compiled lexicon.
    lengths : ndarray of shape (sentences,)
    axiom_ptr : ndarray of shape (sentences + 1,)
    axioms : ndarray of shape (m, 3)
        As for `fill`.
    most_items, most_edges, most_pairs : int
        A sentence that needs more is given up.

    Returns
    -------
    nodes : Nodes
    node_ptr : ndarray of shape (sentences + 1,)
        Where each forest begins; an empty one has no derivation.
    ways : ndarray of shape (sentences,)
        How many derivations: exact below 2^53, infinite with a loop.
    status : ndarray of shape (sentences,)
        DONE or TOO_LARGE.
    """
    movers = tables.rules.shape[1] - FIRST_SOURCE
    chart = new_chart(FIRST_ITEMS, FIRST_EDGES, movers)
    nodes = Nodes(
        np.zeros(FIRST_ITEMS + 1, np.int32),
        np.empty(FIRST_ITEMS, np.int32),
        np.empty(FIRST_ITEMS, np.int32),
        np.empty(FIRST_EDGES, np.int32),
        np.empty(FIRST_EDGES, np.int32),
        np.empty(FIRST_EDGES, np.int32),
    )
    count = lengths.size
    node_ptr = np.zeros(count + 1, np.int64)
    ways = np.zeros(count)
    status = np.zeros(count, np.int8)
    edge = np.int64(0)
    for s in range(count):
        mine = axioms[axiom_ptr[s] : axiom_ptr[s + 1]]
        found = fill(tables, chart, wanted, names, lengths[s], mine, most_pairs)
        while found == FULL:
            items, edges = 2 * (chart.items.shape[0] - 1), 2 * chart.edges.shape[0]
            if items > most_items or edges > most_edges:
                found = TOO_LARGE
            else:
                chart = new_chart(items, edges, movers)
                found = fill(tables, chart, wanted, names, lengths[s], mine, most_pairs)
        status[s] = found
        node_ptr[s + 1] = node_ptr[s]
        if found != DONE:
            continue
        node, new_edge = _pack(chart, goal_types, lengths[s], nodes, node_ptr[s], edge)
        while node < 0:
            nodes = _more_room(nodes)
            node, new_edge = _pack(chart, goal_types, lengths[s], nodes, node_ptr[s], edge)
        node_ptr[s + 1], edge = node, new_edge
        ways[s] = _count_ways(nodes, node_ptr[s], node)
    return nodes, node_ptr, ways, status
