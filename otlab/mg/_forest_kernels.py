"""From a chart to a packed forest: what the goals can reach, tails before heads.

Tarjan's algorithm (1972), iteratively, finds the strongly connected components in
exactly the order inside weights need: a component comes after all it depends on.
Components larger than one node, or with an edge to themselves, are silent loops.
"""

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.mg._chart_kernels import DONE, EDGES, FULL, ITEMS, TOO_LARGE, WILD, fill, new_chart


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
    item : ndarray of shape (nodes,)
        The type of the node; -1 for the root.
    first, second, slot : ndarray of shape (edges,)
        Tails as numbers within the forest, lexical slot; -1: none.
    """

    edge_ptr: np.ndarray
    loop: np.ndarray
    closes: np.ndarray
    item: np.ndarray
    first: np.ndarray
    second: np.ndarray
    slot: np.ndarray


@kernel
def _edges_by_head(chart):
    """Return where each item's edges begin in a list of edges sorted by head, and that list."""
    items, edges = chart.size[ITEMS], chart.size[EDGES]
    ptr = np.zeros(items + 1, np.int32)
    for e in range(edges):
        ptr[chart.head[e] + 1] += 1
    for i in range(items):
        ptr[i + 1] += ptr[i]
    fill_at = ptr[:-1].copy()
    order = np.empty(edges, np.int32)
    for e in range(edges):
        h = chart.head[e]
        order[fill_at[h]] = e
        fill_at[h] += 1
    return ptr, order


@kernel
def _tail(chart, edge, which):
    return chart.first[edge] if which == 0 else chart.second[edge]


@kernel
def _components(chart, ptr, order, goals, goal_count, listed, component):
    """List the items the goals reach, component by component, tails first; return how many.

    `component` gets each listed item's component number, -1 for the others.
    """
    items = chart.size[ITEMS]
    index = np.full(items, -1, np.int32)
    low = np.zeros(items, np.int32)
    at = np.zeros(items, np.int32)
    path = np.empty(items, np.int32)
    open_items = np.empty(items, np.int32)
    component[:items] = -1
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
                tail = _tail(chart, order[at[v] >> 1], at[v] & 1)
                if tail >= 0 and index[tail] < 0:
                    # `at` stays: coming back, the tail's low link is read.
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
def _is_loop(chart, ptr, order, item):
    """Return whether an item is a tail of one of its own edges."""
    for e in range(ptr[item], ptr[item + 1]):
        if chart.first[order[e]] == item or chart.second[order[e]] == item:
            return True
    return False


@kernel
def _goals(chart, goal_types, n, goals):
    """List the items that are complete sentences; return how many."""
    count = 0
    for i in range(chart.size[ITEMS]):
        for t in goal_types:
            if chart.kind[i] == t:
                whole = chart.span[i, 0] == 0 and chart.span[i, 1] == n
                if whole or (n == 0 and chart.span[i, 0] == WILD):
                    goals[count] = i
                    count += 1
    return count


@kernel
def _pack(chart, goal_types, n, nodes, node, edge):
    """Write the forest of a filled chart behind `node` nodes and `edge` edges.

    Returns the new numbers of nodes and edges; (-1, -1) if there is no room.
    The root comes last: one edge to each complete sentence. No goal, no forest.
    """
    items = chart.size[ITEMS]
    goals = np.empty(items + 1, np.int32)
    goal_count = _goals(chart, goal_types, n, goals)
    if goal_count == 0:
        return node, edge
    if node + items + 1 >= nodes.loop.size or edge + chart.size[EDGES] + goal_count > nodes.first.size:
        return -1, -1
    ptr, order = _edges_by_head(chart)
    listed = np.empty(items, np.int32)
    component = np.empty(items, np.int32)
    count = _components(chart, ptr, order, goals, goal_count, listed, component)
    number = np.full(items, -1, np.int32)
    for v in range(count):
        number[listed[v]] = v
    begin = 0
    for v in range(count):
        i = listed[v]
        if component[i] != component[listed[begin]]:
            begin = v
        nodes.loop[node + v] = nodes.closes[node + v] = 0
        if begin < v:
            nodes.closes[node + v - 1] = 0
            nodes.loop[node + begin] = nodes.closes[node + v] = v - begin + 1
        elif _is_loop(chart, ptr, order, i):
            nodes.loop[node + v] = nodes.closes[node + v] = 1
        nodes.item[node + v] = chart.kind[i]
        for p in range(ptr[i], ptr[i + 1]):
            e = order[p]
            nodes.first[edge] = -1 if chart.first[e] < 0 else number[chart.first[e]]
            nodes.second[edge] = -1 if chart.second[e] < 0 else number[chart.second[e]]
            nodes.slot[edge] = chart.slot[e]
            edge += 1
        nodes.edge_ptr[node + v + 1] = edge
    nodes.loop[node + count] = nodes.closes[node + count] = 0
    nodes.item[node + count] = -1
    for g in range(goal_count):
        nodes.first[edge] = number[goals[g]]
        nodes.second[edge] = -1
        nodes.slot[edge] = -1
        edge += 1
    nodes.edge_ptr[node + count + 1] = edge
    return node + count + 1, edge


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
        _longer(nodes.item, n),
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
    axioms : ndarray of shape (m, 4)
        As for `fill`.
    most_items, most_edges, most_pairs : int
        A sentence that needs more is given up.

    Returns
    -------
    nodes : Nodes
    node_ptr : ndarray of shape (sentences + 1,)
        Where each forest begins; an empty one has no derivation.
    status : ndarray of shape (sentences,)
        DONE or TOO_LARGE.
    """
    movers = tables.source.shape[1]
    chart = new_chart(1024, 4096, movers)
    nodes = Nodes(
        np.zeros(4097, np.int32),
        np.empty(4096, np.int32),
        np.empty(4096, np.int32),
        np.empty(4096, np.int32),
        np.empty(8192, np.int32),
        np.empty(8192, np.int32),
        np.empty(8192, np.int32),
    )
    count = lengths.size
    node_ptr = np.zeros(count + 1, np.int64)
    status = np.zeros(count, np.int8)
    edge = np.int64(0)
    for s in range(count):
        mine = axioms[axiom_ptr[s] : axiom_ptr[s + 1]]
        found = fill(tables, chart, wanted, names, lengths[s], mine, most_pairs)
        while found == FULL:
            items, edges = 2 * chart.kind.size, 2 * chart.head.size
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
    return nodes, node_ptr, status
