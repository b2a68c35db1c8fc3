"""Resampling the trees of an adaptor grammar one utterance at a time.

A tree is proposed as a skeleton from the chart with the counts of all other containers frozen; equal
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
from otlab.discovery.kernels.layout import Chart, Entries, Item, Steps, Weights
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
from otlab.discovery.kernels.trees import draw, most_steps, new_steps
from otlab.inference.jit import borrowing, inlined, kernel


class Seated(NamedTuple):
    """Customers seated by earlier steps, for :func:`correction`.

    Attributes
    ----------
    made, seats : int64 ndarray
        BUILT steps with a new table, and the customers of each.
    more_customers, more_tables : float64 ndarray of shape (adapted,)
        Customers and tables added to each restaurant.
    """

    made: np.ndarray
    seats: np.ndarray
    more_customers: np.ndarray
    more_tables: np.ndarray


@kernel
def new_seated(adapted, size):
    """Return room for trees of `size` steps."""
    return Seated(
        np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64), np.zeros(adapted), np.zeros(adapted)
    )


class Scratch(NamedTuple):
    """Working space of :func:`resample`, made once for many containers.

    Attributes
    ----------
    chart, segmentation
        Weights of one item's analyses, by the chart or by the segmentation lattice.
    stack : int64 ndarray
        Open containers or cells.
    open_nodes : int64 ndarray of shape (steps, 3)
        Open nodes of :func:`~otlab.discovery.kernels.trees.draw`.
    steps
        The proposal as it was drawn.
    old, new
        Skeletons of the present tree and of the proposal, which shares the memory of `steps`.
    before
        Working space of :func:`correction`.
    """

    chart: Chart
    segmentation: Segmentation
    stack: np.ndarray
    open_nodes: np.ndarray
    steps: Steps
    old: Skeleton
    new: Skeleton
    before: Seated


@kernel
def new_scratch(grammar, adapted, longest, lattice, rule_weight):
    """Return room for items of at most `longest` phones."""
    by_lattice = lattice.rules.size > 0
    symbols = grammar.fewest.size
    room = most_steps(symbols, longest)
    steps = new_steps(room)
    return Scratch(
        new_chart(symbols, adapted, 0 if by_lattice else longest, False),
        new_segmentation(lattice, rule_weight, longest if by_lattice else 0),
        np.zeros(3 * room + 6, dtype=np.int64),
        np.zeros((room, 3), dtype=np.int64),
        steps,
        new_skeleton(new_steps(room)),
        new_skeleton(steps),
        new_seated(adapted, room),
    )


@inlined
def correction(size, skeleton, rule_weight, tables, restaurants, before):
    """Return target over proposal of a skeleton, both relative to the counts of all other containers.

    The target seats the customers one after another; the proposal had the counts
    frozen, and rule weights cancel but for trees that share a table.
    """
    kinds, values, closes, owner = skeleton
    customers, open_tables = restaurants.customers, restaurants.tables
    concentration, discount = restaurants.concentration, restaurants.discount
    adaptor, seated, extra = tables.adaptor, tables.seated, tables.extra
    made, seats, more_customers, more_tables = before
    ratio = 1.0
    known = 0
    for a in range(more_customers.size):
        more_customers[a] = 0
        more_tables[a] = 0
    t = 0
    for _ in range(size):
        if t >= size:
            break
        following = t + 1
        if kinds[t] == LOOKED_UP:
            # 1. (n_k + extra - b) / (n_k - b), and N + a against N + a + customers before
            k = values[t]
            a = adaptor[k]
            if extra[k] > 0:
                ratio *= (seated[k] + extra[k] - discount[a]) / (seated[k] - discount[a])
            if more_customers[a] > 0:
                here = customers[a] + concentration[a]
                ratio *= here / (here + more_customers[a])
            extra[k] += 1
            more_customers[a] += 1
        elif kinds[t] == BUILT:
            a = values[t]
            here = customers[a] + concentration[a]
            frozen = concentration[a] + discount[a] * open_tables[a]
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


@inlined
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


@inlined
def same_tree(size, old, new):
    """Return whether two skeletons of one size have the same steps, at most one of them BUILT."""
    old_kinds, old_values, new_kinds, new_values = old.kinds, old.values, new.kinds, new.values
    built = 0
    for t in range(size):
        if old_kinds[t] != new_kinds[t] or old_values[t] != new_values[t]:
            return False
        built += old_kinds[t] == BUILT
    return built < 2


@inlined
def predict(restaurants, scale, fresh):
    """Write the Pitman-Yor predictive weights: 1 / (N + a), and (a + b K) / (N + a) of a new table."""
    customers, tables = restaurants.customers, restaurants.tables
    concentration, discount = restaurants.concentration, restaurants.discount
    for a in range(scale.size):
        here = customers[a] + concentration[a]
        scale[a] = 1.0 / here
        fresh[a] = (concentration[a] + discount[a] * tables[a]) / here


@kernel
def resample(rng, containers, items, longest, always, grammar, texts, lattice, rule_weight, unit, seating):
    """Resample the derivations of some containers; return how many were done and how many moved.

    ``texts`` numbers all strings, then only those that another container can have stored too (the
    others appear once). With a `lattice` (not empty) the proposal comes
    from the segmentation lattice, else from the chart. `longest` is the longest item of
    this and all further calls.

    Stops early when cells or tables run short: the caller makes room and goes on. With
    `always` the proposal is taken without a test (the first pass, from nothing).
    """
    adapted = seating.restaurants.discount.size
    scratch = new_scratch(grammar, adapted, longest, lattice, rule_weight)
    weights = Weights(rule_weight, seating.restaurants.mass, np.zeros(adapted), np.zeros(adapted))
    return resample_each(
        rng, containers, items, always, grammar, texts, lattice, weights, unit, seating, scratch
    )


@borrowing
def resample_each(rng, containers, items, always, grammar, texts, lattice, weights, unit, seating, scratch):
    """Resample the derivations of some containers, with all working space at hand; see :func:`resample`."""
    every_text, text = texts
    derivations, tables, restaurants = seating.derivations, seating.tables, seating.restaurants
    free, rule_count = seating.free, seating.rule_count
    chart, segmentation, stack, open_nodes, steps, old, new, before = scratch
    rule_weight, scale, fresh = weights.rule, weights.scale, weights.fresh
    entries = Entries(restaurants.head, tables.after, tables.weight)
    by_lattice, room = lattice.rules.size > 0, steps.kinds.size
    at, n, left, arity, made = items.at, items.n, free.left, grammar.arity, before.made
    moved = 0
    for c in range(containers.size):
        if left[0] < 2 * room or left[1] < room:
            return c, moved
        container = containers[c]
        item = Item(at[c], n[c], items.root, items.bare)
        # 1. take the present tree out of the counts
        size = 0
        if not always:
            unseat(container, derivations, tables, restaurants, rule_count, stack)
            size = spell_out(container, derivations, tables, stack, old)
            subtree_ends(size, old, arity)
        # 2. propose another, with the counts of all other containers frozen
        predict(restaurants, scale, fresh)
        if by_lattice:
            proposed = draw_segmentation(
                rng, text, item, lattice, weights, unit, segmentation, entries, made, steps
            )
        else:
            inside(grammar, text, item, weights, unit, chart)
            proposed = draw(rng, grammar, text, item, weights, unit, chart, entries, open_nodes, steps)
        subtree_ends(proposed, new, arity)
        share(rng, proposed, new, made)
        # 3. accept it with probability min(1, its correction / that of the present tree); no need to
        #    compute either where it is the present tree again
        accepted, again = always, False
        if not always:
            chance = rng.random()
            again = size == proposed and same_tree(size, old, new)
            accepted = again
        if not accepted:
            present = correction(size, old, rule_weight, tables, restaurants, before)
            other = correction(proposed, new, rule_weight, tables, restaurants, before)
            accepted = chance * present < other
        # 4. put the one that is kept back
        if accepted:
            moved += 1
        if accepted and not again:
            release(container, size, old, derivations, tables.string, free)
            store(
                container, proposed, new, steps, every_text, item.at, derivations, tables, free, stack,
                made,
            )  # fmt: skip
        reseat(container, derivations, tables, restaurants, rule_count, stack)
    return containers.size, moved
