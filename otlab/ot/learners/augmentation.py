"""How the Gibbs sampler lays out ordering relations and disharmonies as arrays.

A relation's *sites* are the constraints that occur in any of its conjuncts, in file
order. Each conjunct has two *sides*, winners and losers; a side's constraints fill
consecutive *slots*, in the order of the sites, followed by an empty slot. For
``A > max(C, I)`` with the constraints C, A, I::

    sites   C A I
    sides   0: A         1: C I
    slots   A -          C I -

Constraints in no conjunct are no sites: the relation says nothing about them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.kernels.gibbs import Layout, Scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.ot.conditions import Relation

__all__ = ["feasible_values", "lay_out", "make_scratch"]


class _Sites:
    """Sites, sides and slots of one relation, and the sides and slots of which each site is a member."""

    def __init__(self, relation: Relation) -> None:
        self.sites = relation.sites
        number = {i: s for s, i in enumerate(self.sites)}
        self.slots: list[int] = []
        self.side_slot: list[int] = []
        self.wins: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        self.losses: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        for erc in relation.conjuncts:
            for members, memberships in ((erc.winners, self.wins), (erc.losers, self.losses)):
                side = len(self.side_slot)
                self.side_slot.append(len(self.slots))
                for i in sorted(members):
                    memberships[number[i]].append((side, len(self.slots)))
                    self.slots.append(number[i])
                self.slots.append(-1)


def lay_out(relations: Sequence[Relation], vectors: Sequence[int]) -> Layout:
    """Return the arrays of the kernels for relations with one conjunct or more.

    Parameters
    ----------
    relations
        Their counts are the observations.
    vectors
        How many vectors of disharmonies are kept for each relation.
    """
    parts = [_Sites(relation) for relation in relations]
    wins = [members for part in parts for members in part.wins]
    both = [won + lost for part in parts for won, lost in zip(part.wins, part.losses, strict=True)]
    member_start = _offsets(map(len, both))
    return Layout(
        counts=_integers(relation.count for relation in relations),
        vector_start=_offsets(vectors),
        value_start=_offsets(n * len(part.sites) for n, part in zip(vectors, parts, strict=True)),
        site_start=_offsets(len(part.sites) for part in parts),
        site_constraint=_integers(i for part in parts for i in part.sites),
        member_start=member_start,
        lose_start=member_start[:-1] + _integers(map(len, wins)),
        member_side=_integers(side for members in both for side, _ in members),
        member_slot=_integers(slot for members in both for _, slot in members),
        side_start=_offsets(len(part.side_slot) for part in parts),
        side_slot=_integers(slot for part in parts for slot in part.side_slot),
        slot_start=_offsets(len(part.slots) for part in parts),
        slot_site=_integers(site for part in parts for site in part.slots),
    )


def _offsets(sizes: Iterable[int]) -> np.ndarray:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _integers(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64)


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
        counts=np.zeros_like(layout.counts),
    )


def feasible_values(relation: Relation, rng: np.random.Generator) -> np.ndarray:
    """Return a value per site that observes the relation: ranks in a random consistent order.

    Constraints are ranked from the top down, each one a loser of no conjunct that is not yet
    satisfied (Tesar & Smolensky 2000); whichever is chosen, the rest can be ranked too.

    Raises
    ------
    ValueError
        If no order observes the relation: its candidate is harmonically bounded.
    """
    sites, conjuncts = relation.sites, list(relation.conjuncts)
    unranked, values = list(sites), np.empty(len(sites))
    for rank in range(len(sites), 0, -1):
        losers = {i for erc in conjuncts for i in erc.losers}
        possible = [i for i in unranked if i not in losers]
        if not possible:
            raise ValueError("no order of the constraints observes this relation")
        chosen = possible[int(rng.integers(len(possible)))]
        values[sites.index(chosen)] = rank
        unranked.remove(chosen)
        conjuncts = [erc for erc in conjuncts if chosen not in erc.winners]
    return values
