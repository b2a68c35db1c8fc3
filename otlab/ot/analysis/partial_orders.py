r"""Partial orders of the constraints (Anttila 1997): each ranking that obeys the order is equally likely.

A candidate's probability is the share of these rankings under which it wins. With up to 7 constraints
all rankings are enumerated; with more, 20,000 random rankings are used. An order for given data is
found by a greedy search: the ranked pair that raises the likelihood most is added until no pair raises
it. The result need not be the best order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from otlab.inference import check_interrupt
from otlab.ot.conditions import identical_rows
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.overt import overt_forms_of, parses_unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["PartialOrder", "fit_partial_order", "partial_order_probabilities"]

MOST_ENUMERATED = 7
RANDOM_RANKINGS = 20_000
_FEWEST = 200
_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """A partial order, and the probabilities of candidates under it.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Ranked pairs, the higher constraint first, without those implied by others.
    probability : float64 (rows,)
        Probability of each candidate within its input; identical candidates share equally.
    """

    pairs: tuple[tuple[str, str], ...]
    probability: NDArray[np.float64]


class _Rankings:
    """Rankings as positions of the constraints, and the winner of each input under each of them."""

    def __init__(self, tableau: Tableau, seed: int = 0) -> None:
        k = tableau.n_constraints
        if k <= MOST_ENUMERATED:
            orders = np.array(list(permutations(range(k))))
        else:
            orders = np.random.default_rng(seed).permuted(np.tile(np.arange(k), (RANDOM_RANKINGS, 1)), axis=1)
        self.enumerated = k <= MOST_ENUMERATED
        self.place = np.argsort(orders, axis=1)
        self.tableau = tableau
        self.winner = np.stack(
            [_winners(tableau.violations[tableau.rows(i)], orders) for i in range(len(tableau.inputs))],
            axis=1,
        )
        self._first, self.share = _classes(tableau)

    def obeying(self, higher: int, lower: int) -> NDArray[np.bool_]:
        """Return a mask of the rankings with one constraint above another."""
        return np.asarray(self.place[:, higher] < self.place[:, lower])

    def probability(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the share of the chosen rankings under which each candidate wins, shape (rows,)."""
        wins = np.zeros(self.tableau.n_rows)
        for i, start in enumerate(self.tableau.offsets[:-1].tolist()):
            rows = self.tableau.rows(i)
            wins[rows] = np.bincount(self.winner[chosen, i], minlength=rows.stop - start)
        shares: NDArray[np.float64] = wins[self._first] * self.share / max(1, chosen.sum())
        return shares


def _winners(violations: NDArray[np.int64], orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the winner under each order, the first one of identical candidates."""
    alive = np.ones((len(violations), len(orders)), bool)
    for column in orders.T:
        marks = np.where(alive, violations[:, column], np.iinfo(np.int64).max)
        alive &= marks == marks.min(axis=0)
    return np.asarray(alive.argmax(axis=0))


def _classes(tableau: Tableau) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the first identical candidate of each row, and its share of their probability."""
    first, share = np.arange(tableau.n_rows), np.ones(tableau.n_rows)
    for i in range(len(tableau.inputs)):
        for rows in identical_rows(tableau, i):
            first[list(rows)], share[list(rows)] = rows[0], 1 / len(rows)
    return first, share


def partial_order_probabilities(
    tableau: Tableau, pairs: Iterable[tuple[int | str, int | str]]
) -> NDArray[np.float64]:
    """Return the share of the rankings with these pairs under which each candidate wins.

    Parameters
    ----------
    tableau
        The tableau; its frequencies are not used.
    pairs
        Ranked pairs, the higher constraint first, by name or number.

    Raises
    ------
    InputError
        If a constraint is unknown, or the pairs form a cycle.

    Examples
    --------
    >>> from otlab.ot import read
    >>> partial_order_probabilities(read("lin2005_table1"), []).round(3).tolist()
    [0.667, 0.333]
    """
    rankings = _Rankings(tableau)
    chosen = np.ones(len(rankings.place), bool)
    for higher, lower in numbered_pairs(tableau, pairs):
        chosen &= rankings.obeying(higher, lower)
    return rankings.probability(chosen)


def fit_partial_order(tableau: Tableau, total: int | None = None) -> PartialOrder:
    """Return a partial order under which the data are likely, or overt forms where parses are not known.

    Parameters
    ----------
    tableau, total
        As in :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.
    """
    counts, rankings = tableau.counts(total), _Rankings(tableau)
    share, overt = rankings.share, bool(parses_unknown(tableau))
    forms = overt_forms_of(tableau)
    counts = forms.sums(counts).astype(np.int64) if overt else counts
    attested = counts > 0

    def score(chosen: NDArray[np.bool_]) -> float:
        each = rankings.probability(chosen)
        p = forms.sums(each)[attested] if overt else each[attested] / share[attested]
        with np.errstate(divide="ignore"):
            return float(counts[attested] @ np.log(p))

    k = tableau.n_constraints
    chosen, pairs = np.ones(len(rankings.place), bool), []
    best = score(chosen)
    while True:
        check_interrupt()
        trials = []
        for a, b in permutations(range(k), 2):
            more = chosen & rankings.obeying(a, b)
            enough = more.any() if rankings.enumerated else more.sum() >= _FEWEST
            if enough and more.sum() < chosen.sum():
                trials.append((score(more), -a, -b, more))
        if not trials:
            break
        top = max(trials, key=lambda trial: trial[:3])
        if not top[0] > best + _GAIN:
            break
        best, chosen = top[0], top[3]
        pairs.append((-top[1], -top[2]))
    names = tableau.constraints
    needed = [(a, b) for a, b in pairs if not _implied(a, b, [p for p in pairs if p != (a, b)])]
    return PartialOrder(tuple((names[a], names[b]) for a, b in needed), rankings.probability(chosen))


def _implied(higher: int, lower: int, pairs: list[tuple[int, int]]) -> bool:
    """Return whether other pairs imply that one constraint is ranked above another."""
    below, fresh = {higher}, {higher}
    while fresh:
        fresh = {b for a, b in pairs if a in fresh} - below
        below |= fresh
    return lower in below
