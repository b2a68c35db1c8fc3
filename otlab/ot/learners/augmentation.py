"""Sites and slots: how the Gibbs sampler lays out relations and augmented data.

A relation's *sites* are the constraints that stand in any of its conjuncts, in file
order. Each conjunct has two *sides*, winners and losers; a side's constraints fill
consecutive *slots*, in the order of the sites, closed by an empty slot. For
``A > max(C, I)`` with the constraints C, A, I::

    sites   C A I
    sides   0: A         1: C I
    slots   A -          C I -

Constraints in no conjunct are no sites: the relation says nothing about them.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.kernels.gibbs import Layout, Scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.ot.conditions import RelationArrays

__all__ = ["Conjuncts", "conjuncts_of", "feasible_values", "lay_out", "make_scratch"]

Conjuncts = list[tuple[list[int], list[int]]]


def conjuncts_of(arrays: RelationArrays) -> list[Conjuncts]:
    """Return the (winners, losers) of each conjunct of each relation, as sorted lists."""

    def side(offsets: np.ndarray, members: np.ndarray, k: int) -> list[int]:
        return sorted(members[offsets[k] : offsets[k + 1]].tolist())

    return [
        [
            (side(arrays.winner_offsets, arrays.winners, k), side(arrays.loser_offsets, arrays.losers, k))
            for k in range(start, end)
        ]
        for start, end in zip(arrays.conjunct_offsets[:-1], arrays.conjunct_offsets[1:], strict=True)
    ]


def _starts(lengths: Iterable[int]) -> np.ndarray:
    return np.array([0, *accumulate(lengths)], np.int64)


def _integers(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64)


class _Plan:
    """One relation, on its way into a layout."""

    def __init__(self, conjuncts: Conjuncts) -> None:
        sides = [side for conjunct in conjuncts for side in conjunct]
        self.sites = sorted({i for side in sides for i in side})
        local = {i: s for s, i in enumerate(self.sites)}
        self.slots = [site for side in sides for site in (*(local[i] for i in side), -1)]
        self.side_slot = _starts(len(side) + 1 for side in sides)[:-1].tolist()
        self.wins: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        self.losses: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        for q, side in enumerate(sides):
            for offset, i in enumerate(side):
                member = (q, self.side_slot[q] + offset)
                (self.losses if q % 2 else self.wins)[local[i]].append(member)


def lay_out(arrays: RelationArrays) -> Layout:
    """Return the arrays the kernels walk through."""
    plans = [_Plan(conjuncts) for conjuncts in conjuncts_of(arrays)]
    counts = np.asarray(arrays.counts, np.int64)
    wins = [members for plan in plans for members in plan.wins]
    both = [w + lost for plan in plans for w, lost in zip(plan.wins, plan.losses, strict=True)]
    member_start = _starts(map(len, both))
    return Layout(
        counts=counts,
        value_start=_starts(int(n) * len(plan.sites) for n, plan in zip(counts, plans, strict=True)),
        site_start=_starts(len(plan.sites) for plan in plans),
        site_constraint=_integers(i for plan in plans for i in plan.sites),
        member_start=member_start,
        lose_start=member_start[:-1] + _integers(map(len, wins)),
        member_side=_integers(side for members in both for side, _ in members),
        member_slot=_integers(slot for members in both for _, slot in members),
        side_start=_starts(len(plan.side_slot) for plan in plans),
        side_slot=_integers(slot for plan in plans for slot in plan.side_slot),
        slot_start=_starts(len(plan.slots) for plan in plans),
        slot_site=_integers(site for plan in plans for site in plan.slots),
    )


def make_scratch(layout: Layout, n_constraints: int) -> Scratch:
    """Return working arrays that fit every relation of the layout."""

    def largest(starts: np.ndarray) -> int:
        return int(np.diff(starts).max(initial=0))

    sides = largest(layout.side_start)
    return Scratch(
        after=np.empty(largest(layout.slot_start)),
        before=np.empty(sides),
        current=np.empty(sides),
        proposal=np.empty(n_constraints),
        sums=np.zeros(n_constraints),
    )


def feasible_values(conjuncts: Conjuncts, sites: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Return disharmonies that observe a relation: ranks of a random consistent order.

    Constraints are placed from the top down, each one a loser of no conjunct still
    open (Tesar & Smolensky 2000); such a placement can never be a mistake.

    Raises
    ------
    ValueError
        If no order observes the relation: its candidate is harmonically bounded.
    """
    open_conjuncts = list(conjuncts)
    left = list(sites)
    values = np.empty(len(sites))
    for rank in range(len(sites), 0, -1):
        losers = {i for _, lost in open_conjuncts for i in lost}
        safe = [i for i in left if i not in losers]
        if not safe:
            raise ValueError("no order of the constraints observes this relation")
        placed = safe[int(rng.integers(len(safe)))]
        values[sites.index(placed)] = rank
        left.remove(placed)
        open_conjuncts = [(won, lost) for won, lost in open_conjuncts if placed not in won]
    return values
