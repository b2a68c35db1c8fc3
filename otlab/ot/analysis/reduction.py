"""Fusional reduction: smallest equivalent sets of ERCs (Brasoveanu & Prince 2011).

The fusion of ERCs is a single ERC that follows from all of them: a constraint prefers the rival if it
does in one of them, and otherwise the winner if it does in one of them. Fusional reduction (section 3 of
the paper) fuses ERCs and continues with those that are indifferent to a constraint for which the fusion
prefers the winner. The fusions that add information form

* the *most informative basis*: as few ERCs as possible, each as strong as possible;
* the *skeletal basis*: equally many, each with as few constraints as possible.

Both hold under the same rankings as the ERCs themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.ot.conditions import ERC, consistent, prune

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Bases", "bases", "crucial_rankings", "entails", "fuse", "transitive_reduction"]


class Bases(NamedTuple):
    """The two bases; elements with the same index come from the same fusion."""

    most_informative: tuple[ERC, ...]
    skeletal: tuple[ERC, ...]


def fuse(ercs: Iterable[ERC]) -> ERC:
    """Return the fusion of ERCs.

    >>> fused = fuse([ERC(frozenset({0}), frozenset({2})), ERC(frozenset({1, 2}), frozenset({3}))])
    >>> sorted(fused.winners), sorted(fused.losers)
    ([0, 1], [2, 3])
    """
    winners, losers = frozenset[int](), frozenset[int]()
    for erc in ercs:
        winners, losers = winners | erc.winners, losers | erc.losers
    return ERC(winners - losers, losers)


def entails(ercs: Sequence[ERC], other: ERC) -> bool:
    """Return whether every ranking that satisfies the ERCs satisfies a further one.

    It does if no ranking satisfies the ERCs and the negation of the further one, which is the ERC with
    its two sides exchanged (Prince 2002).
    """
    return not other.losers or not consistent([*ercs, ERC(other.losers, other.winners)])


def bases(ercs: Sequence[ERC]) -> Bases:
    """Return the most informative and the skeletal basis of consistent ERCs.

    Parameters
    ----------
    ercs
        ERCs that some ranking satisfies; see
        :func:`~otlab.ot.conditions.consistent`.
    """
    found: dict[ERC, ERC] = {}
    waiting, known = [frozenset(prune([erc for erc in ercs if erc.losers]))], set[frozenset[ERC]]()
    while waiting:
        group = waiting.pop(0)
        if not group or group in known:
            continue
        known.add(group)
        fused = fuse(group)
        residues = [
            frozenset(erc for erc in group if c not in erc.winners and c not in erc.losers)
            for c in sorted(fused.winners)
        ]
        rest = fuse(frozenset[ERC]().union(*residues))
        if not (rest.losers and rest.implies(fused)):
            found[fused] = ERC(fused.winners, fused.losers - rest.losers)
        waiting += residues
    return Bases(tuple(found), tuple(found.values()))


def crucial_rankings(ercs: Sequence[ERC], n_constraints: int) -> tuple[tuple[int, int], ...]:
    """Return each (higher, lower) pair of constraints that consistent ERCs put in this order.

    Pairs that follow from others by transitivity are left out, so these are the lines of a Hasse
    diagram. Constraints are numbered from 0.
    """
    skeleton = bases(ercs).skeletal
    domination = [
        (a, b)
        for a in range(n_constraints)
        for b in range(n_constraints)
        if a != b and entails(skeleton, ERC(frozenset({a}), frozenset({b})))
    ]
    return transitive_reduction(domination)


def transitive_reduction(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a transitive order that do not follow from two others.

    >>> transitive_reduction([(0, 1), (1, 2), (0, 2)])
    ((0, 1), (1, 2))
    """
    below: dict[int, set[int]] = {}
    for a, b in pairs:
        below.setdefault(a, set()).add(b)
    return tuple(
        (a, b)
        for a in sorted(below)
        for b in sorted(below[a])
        if not any(b in below.get(c, ()) for c in below[a])
    )
