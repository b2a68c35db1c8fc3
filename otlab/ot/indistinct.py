"""Constraints that the data cannot tell apart.

Two constraints are alike for weights if the violations of the candidates of each input differ by the same
numbers, and alike for rankings if they prefer the same candidates. Constraints that are together in every
condition of the observed candidates (:mod:`otlab.ot.conditions`) are alike for ranking values too, for
exchanging their values changes no probability of the data. A constraint that prefers no candidate to another
is left out: what is said of it is that nothing ranks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.conditions import known_relations
from otlab.ot.memo import PerTableau

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["alike_groups", "alike_words", "unseen_words"]

SAME, SAME_ORDER = "have the same violations", "prefer the same candidates everywhere"
SAME_CONDITIONS = "are together in every condition of the observed candidates"


def alike_groups(tableau: Tableau, *, weights: bool = False) -> tuple[tuple[tuple[int, ...], str], ...]:
    """Return the groups of constraints that cannot be told apart, by number, and in which respect.

    Parameters
    ----------
    tableau
        The tableau. Of its conditions only those that have been computed are used.
    weights
        Whether numbers of violations count (MaxEnt, Harmonic Grammar), and not only their order.

    Examples
    --------
    >>> from otlab.ot import Tableau
    >>> rows = [("x", "a", 3, [1, 2, 0]), ("x", "b", 1, [0, 0, 1])]
    >>> alike_groups(Tableau.from_rows(rows, ["A", "B", "C"]))
    (((0, 1), 'prefer the same candidates everywhere'),)
    >>> alike_groups(Tableau.from_rows(rows, ["A", "B", "C"]), weights=True)
    ()
    """
    exact, order = _columns_of(tableau)
    keys: Sequence[Hashable] = exact if weights else (_conditions(tableau) or order)
    groups: dict[Hashable, list[int]] = {}
    for c, key in enumerate(keys):
        if any(order[c]):
            groups.setdefault(key, []).append(c)
    return tuple((tuple(group), _respect(group, exact, order)) for group in groups.values() if len(group) > 1)


def alike_words(tableau: Tableau, *, weights: bool = False) -> tuple[str, ...]:
    """Return a clause for each group of constraints that cannot be told apart; as :func:`alike_groups`.

    >>> from otlab.ot import Tableau
    >>> alike_words(Tableau.from_rows([("x", "a", 3, [1, 1]), ("x", "b", 1, [0, 0])], ["A", "B"]))
    ('the data cannot tell A and B apart: they have the same violations; leave one out or read them as one',)
    """
    words = []
    for group, respect in alike_groups(tableau, weights=weights):
        *first, last = (tableau.constraints[c] for c in group)
        names = f"{', '.join(first)} and {last}"
        rest = (
            "leave one out or read them as one" if len(group) == 2 else "keep one of them or read them as one"
        )
        words.append(f"the data cannot tell {names} apart: they {respect}; {rest}")
    return tuple(words)


def unseen_words(tableau: Tableau) -> tuple[str, ...]:
    """Return a clause on a table in which nothing was observed; none where something was.

    >>> from otlab.ot import Tableau
    >>> unseen_words(Tableau.from_rows([("x", "a", 0, [1]), ("x", "b", 0, [0])], ["A"]))
    ('no candidate has a frequency: nothing was learnt, the values are those of the prior or the start',)
    """
    if tableau.frequencies.any():
        return ()
    return (
        "no candidate has a frequency: nothing was learnt, the values are those of the prior or the start",
    )


def _respect(group: Sequence[int], exact: Sequence[bytes], order: Sequence[bytes]) -> str:
    if len({exact[c] for c in group}) == 1:
        return SAME
    return SAME_ORDER if len({order[c] for c in group}) == 1 else SAME_CONDITIONS


def _conditions(tableau: Tableau) -> list[Hashable]:
    """Return in which conditions of observed candidates each constraint is, and on which side; if known."""
    relations = known_relations(tableau)
    if relations is None or not tableau.frequencies.any():
        return []
    sides: list[list[tuple[int, bool]]] = [[] for _ in tableau.constraints]
    observed = (r for r in relations if tableau.frequencies[list(r.members)].any())
    conjuncts = (erc for relation in observed for erc in relation.conjuncts)
    for number, erc in enumerate(conjuncts):
        for c in erc.winners:
            sides[c].append((number, True))
        for c in erc.losers:
            sides[c].append((number, False))
    return [tuple(side) or (c,) for c, side in enumerate(sides)]


def _columns(tableau: Tableau) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Return each constraint's violations above the least of each input, and their order, as bytes."""
    above = np.empty_like(tableau.violations)
    ranks = np.empty_like(tableau.violations)
    for k in range(len(tableau.inputs)):
        rows = tableau.rows(k)
        above[rows] = tableau.violations[rows] - tableau.violations[rows].min(axis=0)
        ranks[rows] = _dense_ranks(above[rows])
    return tuple(_bytes(above)), tuple(_bytes(ranks))


def _dense_ranks(block: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many smaller numbers each column has, int64 of the shape of the block."""
    order = np.argsort(block, axis=0, kind="stable")
    ordered = np.take_along_axis(block, order, axis=0)
    steps = np.zeros_like(block)
    steps[1:] = np.cumsum(np.diff(ordered, axis=0) > 0, axis=0)
    ranks = np.empty_like(block)
    np.put_along_axis(ranks, order, steps, axis=0)
    return ranks


def _bytes(matrix: NDArray[np.int64]) -> list[bytes]:
    return [column.tobytes() if column.any() else b"" for column in matrix.T]


_columns_of = PerTableau(_columns)
