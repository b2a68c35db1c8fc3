"""Resampling the trees of an adaptor grammar one utterance at a time.

A tree is proposed as a skeleton from the chart with everybody else's counts frozen; equal
BUILT parts of one skeleton may then share a table (with probability 1/2). The proposal
ignores that counts change within the container, so it is corrected by Metropolis-Hastings
(Johnson, Griffiths & Goldwater 2007, section 3): :func:`correction` is target over
proposal. Restaurants, containers and cells: see ``restaurants``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.discovery.kernels.chart import inside, new_chart
from otlab.discovery.kernels.lattice import Segmentation, draw_segmentation, new_segmentation
from otlab.discovery.kernels.layout import Chart, Entries, Item, Weights
from otlab.discovery.kernels.restaurants import release, reseat, spell_out, store, unseat
from otlab.discovery.kernels.skeletons import (
    BUILT,
    LOOKED_UP,
    RULE,
    Skeleton,
    match,
    new_skeleton,
    share,
    subtree_ends,
)
from otlab.discovery.kernels.trees import draw, most_steps
from otlab.inference.jit import kernel


class Scratch(NamedTuple):
    """Room to work in, as large as the longest item needs.

    Attributes
    ----------
    chart, segmentation
        Of the chart, or of the lattice, from which trees are proposed.
    stack : int64 ndarray
        Open derivations.
    open_nodes : int64 ndarray of shape (steps, 3)
        Nodes that are still to be drawn.
    old, new : Skeleton
        The present tree, and the proposal.
    made, seats : int64 ndarray
        BUILT steps whose table is new, and the customers of each.
    more_customers, more_tables : float64 ndarray of shape (adapted,)
        Those of the steps before.
    scale, fresh : float64 ndarray of shape (adapted,)
        See :class:`~otlab.discovery.kernels.layout.Weights`.
    """

    chart: Chart
    segmentation: Segmentation
    stack: np.ndarray
    open_nodes: np.ndarray
    old: Skeleton
    new: Skeleton
    made: np.ndarray
    seats: np.ndarray
    more_customers: np.ndarray
    more_tables: np.ndarray
    scale: np.ndarray
    fresh: np.ndarray


@kernel
def new_scratch(grammar, lattice, rule_weight, adapted, longest):
    """Return room for items of at most `longest` phones."""
    symbols = grammar.fewest.size
    room = most_steps(symbols, longest)
    by_lattice = lattice.rules.size > 0
    return Scratch(
        new_chart(symbols, adapted, 0 if by_lattice else longest, False),
        new_segmentation(lattice, rule_weight, longest if by_lattice else 0),
        np.zeros(3 * room + 6, dtype=np.int64),
        np.zeros((room, 3), dtype=np.int64),
        new_skeleton(room),
        new_skeleton(room),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(adapted),
        np.zeros(adapted),
        np.zeros(adapted),
        np.zeros(adapted),
    )


@kernel
def correction(size, skeleton, rule_weight, tables, restaurants, scratch):
    """Return target over proposal of a skeleton, both relative to everybody else's counts.

    The target seats the customers one after another; the proposal had the counts
    frozen, and rule weights cancel but for trees that share a table.
    """
    kinds, values, closes = skeleton.steps.kinds, skeleton.steps.values, skeleton.closes
    owner = skeleton.owner
    customers, discount = restaurants.customers, restaurants.discount
    made, seats, more_customers = scratch.made, scratch.seats, scratch.more_customers
    more_tables, extra = scratch.more_tables, tables.extra
    ratio = 1.0
    known = 0
    more_customers[:] = 0
    more_tables[:] = 0
    t = 0
    for _ in range(size):
        if t >= size:
            break
        following = t + 1
        if kinds[t] == LOOKED_UP:
            # 1. (n_k + extra - b) / (n_k - b), and N + a against N + a + customers before
            k = values[t]
            a = tables.adaptor[k]
            here = customers[a] + restaurants.concentration[a]
            ratio *= (tables.seated[k] + extra[k] - discount[a]) / (tables.seated[k] - discount[a])
            ratio *= here / (here + more_customers[a])
            extra[k] += 1
            more_customers[a] += 1
        elif kinds[t] == BUILT:
            a = values[t]
            here = customers[a] + restaurants.concentration[a]
            frozen = restaurants.concentration[a] + discount[a] * restaurants.tables[a]
            ratio *= here / (here + more_customers[a])
            more_customers[a] += 1
            equal, _ = match(t, made, known, -1, kinds, values, closes)
            joined = -1
            for m in range(known):
                if owner[made[m]] == owner[t]:
                    joined = m
            if joined < 0:
                # 2. a table of its own: a + b (K + tables before); not shared with probability 1/2
                new_table = (frozen + discount[a] * more_tables[a]) / frozen
                ratio *= new_table * (2.0 if equal > 0 else 1.0)
                more_tables[a] += 1
                made[known] = t
                seats[known] = 1
                known += 1
            else:
                # 3. a shared table: one of the equal ones, with its tree proposed twice
                ratio *= (seats[joined] - discount[a]) / frozen * 2.0 * equal
                seats[joined] += 1
                for e in range(t + 1, closes[t]):
                    ratio /= frozen_weight(kinds[e], values[e], rule_weight, tables, restaurants)
                following = closes[t]
        t = following
    for t in range(size):
        if kinds[t] == LOOKED_UP:
            extra[values[t]] = 0
    return ratio


@kernel
def frozen_weight(kind, value, rule_weight, tables, restaurants):
    """Return the proposal's weight of one step."""
    customers, concentration = restaurants.customers, restaurants.concentration
    discount = restaurants.discount
    if kind == RULE:
        return rule_weight[value]
    if kind == LOOKED_UP:
        a = tables.adaptor[value]
        return (tables.seated[value] - discount[a]) / (customers[a] + concentration[a])
    return (concentration[value] + discount[value] * restaurants.tables[value]) / (
        customers[value] + concentration[value]
    )


@kernel
def propose(rng, grammar, text, lattice, rule_weight, unit, item, seating, scratch):
    """Draw a skeleton from everybody else's counts; return its number of steps."""
    restaurants, new = seating.restaurants, scratch.new
    scale, fresh = scratch.scale, scratch.fresh
    # 1. Pitman-Yor predictive weights: 1 / (N + a), and (a + b K) / (N + a)
    for a in range(scale.size):
        here = restaurants.customers[a] + restaurants.concentration[a]
        scale[a] = 1.0 / here
        fresh[a] = (restaurants.concentration[a] + restaurants.discount[a] * restaurants.tables[a]) / here
    weights = Weights(rule_weight, restaurants.mass, scale, fresh)
    entries = Entries(restaurants.head, seating.tables.after, seating.tables.weight)
    # 2. the tree, and where its subtrees end
    if lattice.rules.size > 0:
        size = draw_segmentation(
            rng, text, item, lattice, weights, unit, scratch.segmentation, entries, scratch.made, new.steps
        )
    else:
        inside(grammar, text, item, weights, unit, scratch.chart)
        size = draw(
            rng, grammar, text, item, weights, unit, scratch.chart, entries, scratch.open_nodes, new.steps
        )
    subtree_ends(size, new, grammar.arity)
    # 3. which of its new tables are one
    share(rng, size, new, scratch.made)
    return size


@kernel
def resample(rng, containers, items, longest, always, grammar, texts, lattice, rule_weight, unit, seating):
    """Resample the derivations of some containers; return how many were done and how many moved.

    ``texts`` numbers all strings, then only those that can be stored elsewhere too (nobody
    else can have a table of the others). With a `lattice` (not empty) the proposal comes
    from the segmentation lattice, else from the chart. `longest` is the longest item of
    this and all further calls.

    Stops early when cells or tables run short: the caller makes room and goes on. With
    `always` the proposal is taken without a test (the first pass, from nothing).
    """
    every_text, repeated_text = texts
    derivations, tables, restaurants = seating.derivations, seating.tables, seating.restaurants
    free = seating.free
    scratch = new_scratch(grammar, lattice, rule_weight, restaurants.discount.size, longest)
    old, new, stack = scratch.old, scratch.new, scratch.stack
    room = new.owner.size
    moved = 0
    for c in range(containers.size):
        if free.left[0] < 2 * room or free.left[1] < room:
            return c, moved
        item = Item(items.at[c], items.n[c], items.root, items.bare)
        # 1. take the present tree out of the counts
        size = 0
        if not always:
            unseat(containers[c], seating, stack)
            size = spell_out(containers[c], derivations, tables, stack, old)
            subtree_ends(size, old, grammar.arity)
        # 2. propose another, and accept it with probability min(1, new ratio / old ratio)
        proposed = propose(rng, grammar, repeated_text, lattice, rule_weight, unit, item, seating, scratch)
        accepted = always
        if not always:
            before = correction(size, old, rule_weight, tables, restaurants, scratch)
            after = correction(proposed, new, rule_weight, tables, restaurants, scratch)
            accepted = rng.random() * before < after
        # 3. put the one that is kept back
        if accepted:
            moved += 1
            release(containers[c], size, old, derivations, tables.string, free)
            store(containers[c], proposed, new, every_text, item.at, seating, stack, scratch.made)
        reseat(containers[c], seating, stack)
    return containers.size, moved
