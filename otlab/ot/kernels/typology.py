"""Kernels of the factorial typology: demotion on ERCs as bits, and the search over inputs.

An ERC is two numbers whose bits are constraints: those that prefer the winner, and the rival.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["ERCArrays", "Search", "compatible", "count_orders", "demotes", "search"]


class ERCArrays(NamedTuple):
    """The ERCs of every class of every input, in compressed sparse rows.

    Class 0 of `offsets` holds what is given beforehand; those of input k are
    ``classes[k]:classes[k + 1]``.
    """

    classes: np.ndarray  # (inputs + 1,) first class of each input
    offsets: np.ndarray  # (classes + 1,) first ERC of each class
    winners: np.ndarray  # (ERCs,)
    losers: np.ndarray  # (ERCs,)


class Search(NamedTuple):
    """Where a depth-first search over inputs stands. Level d has chosen a class of the first d inputs."""

    position: np.ndarray  # (1,) current level; -1 at the end
    cursor: np.ndarray  # (inputs + 1,) next class to try at each level
    top: np.ndarray  # (inputs + 1,) number of ERCs that hold at each level
    orders: np.ndarray  # (inputs + 1, K) an order of the constraints that satisfies them
    winners: np.ndarray  # ERCs of the current path
    losers: np.ndarray
    left: np.ndarray  # scratch, one place per ERC


@kernel
def demotes(winners, losers, n, left, order):
    """Write an order that satisfies the first `n` ERCs; return whether there is one (RCD)."""
    unranked, placed, remaining = (1 << order.size) - 1, 0, n
    for e in range(n):
        left[e] = e
    while unranked:
        opposed = 0
        for e in range(remaining):
            opposed |= losers[left[e]]
        free = unranked & ~opposed
        if free == 0:
            return False
        for c in range(order.size):
            if free >> c & 1:
                order[placed] = c
                placed += 1
        unranked &= ~free
        kept = 0
        for e in range(remaining):
            if winners[left[e]] & free == 0:
                left[kept] = left[e]
                kept += 1
        remaining = kept
    return remaining == 0


@kernel
def holds(winner, loser, order):
    """Return whether an order satisfies one ERC."""
    for c in order:
        if winner >> c & 1:
            return True
        if loser >> c & 1:
            return False
    return True


@kernel
def extend(ercs, which, state, level):
    """Add the ERCs of a class to those of a level; return their number and whether the order holds.

    An ERC that follows from one that is there already is left out.
    """
    _, offsets, winners, losers = ercs
    _, _, top, orders, path_winners, path_losers, _ = state
    n, held = top[level], True
    for e in range(offsets[which], offsets[which + 1]):
        winner, loser = winners[e], losers[e]
        implied = False
        for other in range(n):
            if path_winners[other] & ~winner == 0 and loser & ~path_losers[other] == 0:
                implied = True
                break
        if not implied:
            path_winners[n], path_losers[n] = winner, loser
            n += 1
            held = held and holds(winner, loser, orders[level])
    return n, held


@kernel
def search(ercs, state, languages, rankings, found, steps):
    """Continue the search; return how many languages have been found.

    Stops after `steps` classes are tried, when `languages` is full, or at the end (level -1).
    ``languages[n]`` gets the class of each input in language n, ``rankings[n]`` a ranking.
    """
    position, cursor, top, orders, winners, losers, left = state
    n_inputs = ercs.classes.size - 1
    level = position[0]
    for _ in range(steps):
        if level == n_inputs:
            if found == languages.shape[0]:
                break
            for k in range(n_inputs):
                languages[found, k] = cursor[k] - 1
            demotes(winners, losers, top[level], left, rankings[found])
            found += 1
            level -= 1
        elif cursor[level] == ercs.classes[level + 1]:
            level -= 1
        else:
            which = cursor[level]
            cursor[level] += 1
            n, held = extend(ercs, which, state, level)
            if held:
                orders[level + 1] = orders[level]
            elif not demotes(winners, losers, n, left, orders[level + 1]):
                continue
            level += 1
            top[level] = n
            if level < n_inputs:
                cursor[level] = ercs.classes[level]
        if level < 0:
            break
    position[0] = level
    return found


@kernel
def compatible(ercs, first, n_constraints, out):
    """Write for each class whether some ranking satisfies it, class `first`, and what is given beforehand."""
    _, offsets, winners, losers = ercs
    most = 0
    for c in range(offsets.size - 1):
        most = max(most, offsets[c + 1] - offsets[c])
    path_winners = np.empty(3 * most, dtype=np.int64)
    path_losers, left = np.empty_like(path_winners), np.empty_like(path_winners)
    order = np.empty(n_constraints, dtype=np.int64)
    own = 0
    for c in (0, first):
        for e in range(offsets[c], offsets[c + 1]):
            path_winners[own], path_losers[own] = winners[e], losers[e]
            own += 1
    for other in range(offsets.size - 1):
        n = own
        for e in range(offsets[other], offsets[other + 1]):
            path_winners[n], path_losers[n] = winners[e], losers[e]
            n += 1
        out[other] = demotes(path_winners, path_losers, n, left, order)


@kernel
def count_orders(winners, losers, size, counts):
    """Return how many orders of `size` constraints satisfy all ERCs; `counts` is scratch, (2^size,).

    ``counts[s]`` is the number of orders of the constraints of set s, ranked above all others, that
    break no ERC: a constraint may come next unless it prefers the rival of an ERC that no
    constraint of s has decided.
    """
    counts[:] = 0
    counts[0] = 1
    for placed in range(counts.size - 1):
        if counts[placed] == 0:
            continue
        opposed = 0
        for e in range(winners.size):
            if winners[e] & placed == 0:
                opposed |= losers[e]
        free = ~placed & ~opposed
        for c in range(size):
            if free >> c & 1:
                counts[placed | 1 << c] += counts[placed]
    return counts[-1]
