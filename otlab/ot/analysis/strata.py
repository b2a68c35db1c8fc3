"""Strata of constraints: moves of single constraints, and how often each candidate wins under them.

Strata are a partial order: each constraint is ranked above all those of lower strata, and inside a
stratum every order is as likely as any other (Anttila 1997). The share of a candidate is the number of
rankings that keep to the strata and let it win, over the number of all that keep to them; both are
counted exactly.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

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

__all__ = ["moved", "strata_pairs", "strata_shares"]


def strata_pairs(strata: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return (higher, lower) pairs of constraints of neighbouring strata, by number."""
    return tuple((a, b) for upper, lower in pairwise(strata) for a in upper for b in lower)


def strata_shares(tableau: Tableau, strata: Iterable[Iterable[int | str]]) -> NDArray[np.float64]:
    """Return the share of rankings under which each candidate wins, float64 (rows,).

    Parameters
    ----------
    tableau
        Its frequencies play no part. Candidates with the same violations share equally.
    strata
        Every constraint once, by name or number, the highest stratum first.

    Raises
    ------
    InputError
        If a constraint is missing or there twice, or there are more than 20.

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
    """Return the strata with a constraint in stratum `to`, or in one of its own before that stratum.

    >>> moved(((0, 1), (2,)), 1, 1), moved(((0, 1), (2,)), 1, 0, between=True)
    (((0,), (2, 1)), ((1,), (0,), (2,)))
    """
    changed = [[c for c in stratum if c != constraint] for stratum in strata]
    if between:
        changed.insert(to, [constraint])
    else:
        changed[to].append(constraint)
    return tuple(tuple(stratum) for stratum in changed if stratum)
