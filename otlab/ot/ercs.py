r"""Elementary ranking conditions (Prince 2002): what puts one candidate before another.

Candidate :math:`w` beats a rival :math:`l` iff the highest constraint on which they
differ prefers :math:`w`. With violations :math:`v` and values :math:`y` to rank by,

.. math:: \max_{i \in W} y_i > \max_{i \in L} y_i, \quad
          W = \{i : v_{li} > v_{wi}\}, \; L = \{i : v_{wi} > v_{li}\}.

Whether several can hold together, recursive constraint demotion decides (Tesar &
Smolensky 2000): rank whatever no open condition demotes, strike out what that
satisfies, and go on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ERC", "consistent", "minimal_conflict", "prune"]


@dataclass(frozen=True)
class ERC:
    """One conjunct: the highest of `winners` must be ranked above the highest of `losers`.

    Attributes
    ----------
    winners, losers
        Constraints by number: those that prefer the winner, and those that prefer the rival.
    rival
        The row of the rival; equality does not look at it.
    """

    winners: frozenset[int]
    losers: frozenset[int]
    rival: int = field(default=-1, compare=False)

    def implies(self, other: ERC) -> bool:
        """Return whether every ranking that satisfies this satisfies the other."""
        return self.winners <= other.winners and self.losers >= other.losers


def prune(ercs: Sequence[ERC]) -> tuple[ERC, ...]:
    """Return the conjuncts that no other one implies; of equal ones the first."""
    unique = list({(erc.winners, erc.losers): erc for erc in reversed(ercs)}.values())[::-1]
    return tuple(erc for erc in unique if not any(other.implies(erc) for other in unique if other is not erc))


def consistent(ercs: Iterable[ERC]) -> bool:
    """Return whether some ranking satisfies all conjuncts (recursive constraint demotion)."""
    open_ercs = list(ercs)
    while open_ercs:
        demoted = frozenset().union(*(erc.losers for erc in open_ercs))
        left = [erc for erc in open_ercs if erc.winners <= demoted]
        if len(left) == len(open_ercs):
            return False
        open_ercs = left
    return True


def minimal_conflict(ercs: Sequence[ERC]) -> list[ERC]:
    """Return conjuncts that cannot hold together, though they could without any one of them."""
    needed = list(ercs)
    for erc in ercs:
        without = [other for other in needed if other is not erc]
        if not consistent(without):
            needed = without
    return needed
