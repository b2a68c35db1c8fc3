"""Strata of constraints: constraint demotion, edits by hand, and the candidates that win.

A constraint may be ranked next if it prefers no rival in an ERC that is not satisfied yet. The
algorithms differ in which of these constraints they rank next:

* :func:`demote`: all of them, recursive constraint demotion (RCD; Tesar & Smolensky 2000);
* :func:`demote_biased`: markedness first, then as few faithfulness constraints as free a
  markedness constraint, biased constraint demotion (BCD; Prince & Tesar 2004, section 5);
* :func:`demote_low_faithfulness`: markedness first, then faithfulness constraints that are
  active, specific and autonomous, low faithfulness constraint demotion (LFCD; Hayes 2004,
  section 5).

Each finds strata exactly when some ranking satisfies all ERCs.

Strata are a partial order: each constraint is ranked above all those of lower strata, and inside a
stratum every order is as likely as any other (Anttila 1997). The share of a candidate is the number of
rankings that respect the strata and let it win, divided by the number of all that respect them; both are
counted exactly.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import InputError
from otlab.ot.analysis.typology import MOST_COUNTED, lay_out
from otlab.ot.conditions import identical_rows
from otlab.ot.constraint_names import constraint_number, numbered_pairs
from otlab.ot.kernels.typology import count_orders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

    Strata = tuple[tuple[int, ...], ...]
    from collections.abc import Callable, Collection

    from otlab.ot.conditions import ERC

    Choice = Callable[[list[int], list[ERC]], Collection[int]]

__all__ = [
    "Demotion",
    "demote",
    "demote_biased",
    "demote_low_faithfulness",
    "moved",
    "strata_pairs",
    "strata_shares",
]


def strata_pairs(strata: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return (higher, lower) pairs of constraints of neighbouring strata, by number."""
    return tuple((a, b) for upper, lower in pairwise(strata) for a in upper for b in lower)


def strata_shares(tableau: Tableau, strata: Iterable[Iterable[int | str]]) -> NDArray[np.float64]:
    """Return the share of rankings under which each candidate wins, float64 (rows,).

    Parameters
    ----------
    tableau
        The tableau; its frequencies are not used. Candidates with the same violations share equally.
    strata
        Each constraint once, by name or number, the highest stratum first.

    Raises
    ------
    InputError
        If a constraint is missing or given twice, or there are more than 20.

    Examples
    --------
    Anttila's strata for Finnish genitive plurals, three constraints above six:

    >>> from otlab.ot import read
    >>> finnish = read("finnish_genitive_plural_motifs")
    >>> high = ["*H/I", "*I-stressed", "*L.L"]
    >>> low = [name for name in finnish.constraints if name not in high]
    >>> strata_shares(finnish, [high, low]).round(2)[::2]
    array([1.  , 1.  , 0.33, 0.5 , 0.2 , 0.  ])
    """
    numbered = tuple(tuple(constraint_number(tableau, which) for which in stratum) for stratum in strata)
    k = tableau.n_constraints
    if sorted(c for stratum in numbered for c in stratum) != list(range(k)):
        raise InputError("strata have every constraint once; add or remove some")
    if k > MOST_COUNTED:
        raise InputError(f"{k} constraints: rankings are counted up to {MOST_COUNTED}; remove some")
    rows, ercs = lay_out(tableau, numbered_pairs(tableau, strata_pairs(numbered)))
    scratch = np.empty(2**k, np.int64)
    given = slice(0, int(ercs.offsets[1]))
    total = count_orders(ercs.winners[given], ercs.losers[given], k, scratch)
    shares = np.zeros(tableau.n_rows)
    for c in range(1, len(rows)):
        own = slice(int(ercs.offsets[c]), int(ercs.offsets[c + 1]))
        winners = np.concatenate([ercs.winners[given], ercs.winners[own]])
        losers = np.concatenate([ercs.losers[given], ercs.losers[own]])
        shares[rows[c]] = count_orders(winners, losers, k, scratch) / total
    for number in range(len(tableau.inputs)):
        for alike in identical_rows(tableau, number):
            shares[list(alike)] = shares[list(alike)].sum() / len(alike)
    return shares


def moved(strata: Strata, constraint: int, to: int, *, between: bool = False) -> Strata:
    """Return the strata with a constraint moved to stratum `to`, or to a new stratum before it.

    >>> moved(((0, 1), (2,)), 1, 1), moved(((0, 1), (2,)), 1, 0, between=True)
    (((0,), (2, 1)), ((1,), (0,), (2,)))
    """
    changed = [[c for c in stratum if c != constraint] for stratum in strata]
    if between:
        changed.insert(to, [constraint])
    else:
        changed[to].append(constraint)
    return tuple(tuple(stratum) for stratum in changed if stratum)


class Demotion(NamedTuple):
    """Strata, and the ERCs that no ranking satisfies together.

    Attributes
    ----------
    strata
        Constraints by number, the highest stratum first, without those that cannot be ranked.
    unsatisfied
        The ERCs that remain when no constraint can be ranked; empty if there is a ranking.
    """

    strata: tuple[tuple[int, ...], ...]
    unsatisfied: tuple[ERC, ...]


def demote(ercs: Iterable[ERC], n_constraints: int) -> Demotion:
    """Return strata by recursive constraint demotion, with each constraint as high as possible.

    Parameters
    ----------
    ercs
        ERCs that the ranking must satisfy.
    n_constraints
        Number of constraints, which are numbered from 0.
    """
    return _demote(ercs, n_constraints, lambda free, _: free)


def demote_biased(ercs: Iterable[ERC], n_constraints: int, faithfulness: Collection[int]) -> Demotion:
    """Return strata by biased constraint demotion, with faithfulness as low as possible.

    Of several smallest sets of faithfulness constraints, the one that allows the most markedness
    constraints to be ranked is chosen, the first one on a tie.

    Parameters
    ----------
    ercs, n_constraints
        As in :func:`demote`.
    faithfulness
        Numbers of the faithfulness constraints.
    """

    def choose(free: list[int], remaining: list[ERC]) -> Collection[int]:
        markedness = [c for c in free if c not in faithfulness]
        active = _active(free, remaining)
        if markedness or not active:
            return markedness or free
        return _freeing_set(active, remaining, faithfulness)

    return _demote(ercs, n_constraints, choose)


def demote_low_faithfulness(
    ercs: Iterable[ERC],
    n_constraints: int,
    faithfulness: Collection[int],
    violations: NDArray[np.int64],
) -> Demotion:
    """Return strata by low faithfulness constraint demotion.

    Of the active faithfulness constraints, those without a more specific active one are candidates. Of
    these, the most autonomous ones are ranked: those that satisfy some ERC with the fewest helpers. A
    helper is another constraint that prefers the winner, but no faithfulness constraint that is violated
    wherever the first is: *Dep* does not help *Dep(h)* (OTSoft 2.7 counts so too).

    Parameters
    ----------
    ercs, n_constraints, faithfulness
        As in :func:`demote_biased`.
    violations : int64 (rows, K)
        Violations of all candidates. A constraint is more specific if its violations are a proper subset.
    """
    general = {c: frozenset(d for d in faithfulness if _covers(violations, d, c)) for c in faithfulness}

    def choose(free: list[int], remaining: list[ERC]) -> Collection[int]:
        markedness = [c for c in free if c not in faithfulness]
        active = _active(free, remaining)
        if markedness or not active:
            return markedness or free
        specific = [c for c in active if not any(_more_specific(violations, d, c) for d in active if d != c)]
        helpers = {
            c: min(len(erc.winners - general[c]) for erc in remaining if c in erc.winners) for c in specific
        }
        return [c for c in specific if helpers[c] == min(helpers.values())]

    return _demote(ercs, n_constraints, choose)


def _demote(ercs: Iterable[ERC], n_constraints: int, choose: Choice) -> Demotion:
    """Return strata; `choose` selects each from the constraints that prefer no rival of a remaining ERC."""
    remaining = list(ercs)
    unranked = list(range(n_constraints))
    strata: list[tuple[int, ...]] = []
    while unranked:
        opposed = frozenset().union(*(erc.losers for erc in remaining))
        free = [c for c in unranked if c not in opposed]
        if not free:
            break
        stratum = tuple(sorted(choose(free, remaining)))
        strata.append(stratum)
        unranked = [c for c in unranked if c not in stratum]
        remaining = _without(remaining, stratum)
    return Demotion(tuple(strata), tuple(remaining))


def _without(ercs: Iterable[ERC], stratum: Iterable[int]) -> list[ERC]:
    """Return the ERCs that no constraint of the stratum satisfies."""
    return [erc for erc in ercs if erc.winners.isdisjoint(stratum)]


def _active(constraints: Iterable[int], ercs: Sequence[ERC]) -> list[int]:
    """Return the constraints that prefer the winner of some ERC."""
    preferring = frozenset().union(*(erc.winners for erc in ercs))
    return [c for c in constraints if c in preferring]


def _freeing_set(active: list[int], ercs: list[ERC], faithfulness: Collection[int]) -> Collection[int]:
    """Return the best of the smallest sets that free a markedness constraint; all if none does."""
    blocked = frozenset().union(*(erc.losers for erc in ercs)) - frozenset(faithfulness)
    for size in range(1, len(active)):
        freed = {chosen: _freed(ercs, chosen, blocked) for chosen in combinations(active, size)}
        most = max(freed.values())
        if most:
            return next(chosen for chosen, n in freed.items() if n == most)
    return active


def _freed(ercs: list[ERC], stratum: Collection[int], blocked: frozenset[int]) -> int:
    """Return how many of the blocked constraints can be ranked once a stratum is."""
    count = 0
    while stratum:
        ercs = _without(ercs, stratum)
        stratum = blocked.difference(*(erc.losers for erc in ercs))
        blocked -= stratum
        count += len(stratum)
    return count


def _more_specific(violations: NDArray[np.int64], one: int, other: int) -> bool:
    """Return whether the violations of a constraint are a proper subset of those of another."""
    return _covers(violations, other, one) and not _covers(violations, one, other)


def _covers(violations: NDArray[np.int64], one: int, other: int) -> bool:
    """Return whether each candidate violates a constraint at least as often as another; itself it covers."""
    return bool(np.all(violations[:, other] <= violations[:, one]))
