"""Counts and relative frequencies of a tableau's candidates.

Frequencies that are no counts need a total M: each input's M observations are
dealt out by largest remainder (Hamilton's method). M is the pretended sample size:
the width of every interval depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["counts", "largest_remainder", "observed"]


def counts(tableau: Tableau, total: int | None = None) -> NDArray[np.int64]:
    """Return how often each candidate is taken to be observed.

    Parameters
    ----------
    tableau
        Of n rows.
    total
        Observations an input; the tableau's own total where it is None. Where
        neither is set, the frequencies are the counts.

    Returns
    -------
    ndarray, int64 (n,)
        0 throughout for an input without data.

    Raises
    ------
    InputError
        If there is no total and the frequencies are not whole numbers, or if the
        total is below 1.
    """
    total = tableau.total if total is None else total
    if total is None:
        return _whole(tableau)
    if total < 1:
        raise InputError(f"the total {total} is below 1; give --total the number of observations an input")
    blocks = [
        largest_remainder(tableau.frequencies[tableau.rows(k)], total) for k in range(len(tableau.inputs))
    ]
    return np.concatenate(blocks)


def _whole(tableau: Tableau) -> NDArray[np.int64]:
    whole = np.rint(tableau.frequencies)
    broken = np.flatnonzero(whole != tableau.frequencies)
    if broken.size:
        names = tableau.candidates
        raise InputError(
            Fault(
                f"the frequency {tableau.frequencies[r]:g} of {names[r]!r} is no count",
                "give the number of observations an input with --total",
                file=tableau.name,
            )
            for r in broken
        )
    return whole.astype(np.int64)


def largest_remainder(frequencies: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Deal `total` observations out in proportion to the frequencies.

    Ties of remainders go to the first. All 0 where the frequencies are.

    >>> largest_remainder(np.array([1.0, 1.0, 1.0]), 100)
    array([34, 33, 33])
    """
    if not frequencies.any():
        return np.zeros(frequencies.size, dtype=np.int64)
    exact = frequencies / frequencies.sum() * total
    # A share that is whole but for rounding must not fall to the number below.
    dealt: NDArray[np.int64] = np.floor(exact + 1e-9).astype(np.int64)
    largest = np.argsort(-np.round(exact - dealt, 9), kind="stable")
    dealt[largest[: total - int(dealt.sum())]] += 1
    return dealt


def observed(tableau: Tableau) -> NDArray[np.float64]:
    """Return each candidate's relative frequency within its input, float64 (rows,).

    NaN for the candidates of an input without data.
    """
    sums = np.add.reduceat(tableau.frequencies, tableau.offsets[:-1])
    per_row = np.repeat(np.where(sums > 0, sums, np.nan), np.diff(tableau.offsets))
    shares: NDArray[np.float64] = tableau.frequencies / per_row
    return shares
