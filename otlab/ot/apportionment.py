"""Whole numbers of observations from relative frequencies (Hamilton's method)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["counts_of", "largest_remainder"]


def counts_of(tableau: Tableau, total: int | None) -> NDArray[np.int64]:
    """Return how often each candidate counts as observed, as :meth:`Tableau.counts`."""
    if total is None:
        return _frequencies_as_counts(tableau)
    if total < 1:
        raise InputError(f"the total {total} is below 1; it is the number of observations per input")
    rows = [tableau.rows(k) for k in range(len(tableau.inputs))]
    return np.concatenate([largest_remainder(tableau.frequencies[one], total) for one in rows])


def _frequencies_as_counts(tableau: Tableau) -> NDArray[np.int64]:
    rounded = np.rint(tableau.frequencies)
    if (broken := np.flatnonzero(rounded != tableau.frequencies)).size:
        raise InputError(
            Fault(
                f"the frequency {tableau.frequencies[r]:g} of {quoted(tableau.candidates[r])} is no count",
                "say how many observations each input stands for (--total; in the lab Sample size M)",
                file=tableau.name,
                spot=f"input {quoted(tableau.inputs[tableau.input_of_row[r]])}",
                kind="frequencies are no counts",
            )
            for r in broken
        )
    return rounded.astype(np.int64)


def largest_remainder(frequencies: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Return `total` observations apportioned to the frequencies by largest remainder (Hamilton's method).

    Equal remainders: the first is served first. All 0 if the frequencies are.

    >>> largest_remainder(np.array([1.0, 1.0, 1.0]), 100)
    array([34, 33, 33])
    """
    if not frequencies.any():
        return np.zeros(frequencies.size, dtype=np.int64)
    exact = frequencies / frequencies.sum() * total
    # A share that is whole but for rounding must not fall to the number below.
    counts: NDArray[np.int64] = np.floor(exact + 1e-9).astype(np.int64)
    largest = np.argsort(-np.round(exact - counts, 9), kind="stable")
    counts[largest[: total - int(counts.sum())]] += 1
    return counts
