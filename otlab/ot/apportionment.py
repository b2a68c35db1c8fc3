"""Whole numbers of observations from relative frequencies (Hamilton's method)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["apportioned", "largest_remainder", "whole_frequencies"]


def apportioned(frequencies: NDArray[np.float64], inputs: Sequence[slice], total: int) -> NDArray[np.int64]:
    """Return `total` observations of each input, given by its rows, apportioned to its frequencies."""
    if total < 1:
        raise InputError(f"the total {total} is below 1; it is the number of observations per input")
    return np.concatenate([largest_remainder(frequencies[rows], total) for rows in inputs])


def whole_frequencies(
    frequencies: NDArray[np.float64], place: Callable[[int], tuple[str, str, str]]
) -> NDArray[np.int64]:
    """Return frequencies as counts; those that are none are named by candidate, input and file."""
    rounded = np.rint(frequencies)
    if (broken := np.flatnonzero(rounded != frequencies)).size:
        raise InputError(_no_count(frequencies[row], *place(int(row))) for row in broken)
    return rounded.astype(np.int64)


def _no_count(frequency: float, candidate: str, input: str, file: str) -> Fault:
    return Fault(
        f"the frequency {frequency:g} of {quoted(candidate)} is no count",
        "say how many observations each input stands for (--total; in the lab Sample size M)",
        file=file,
        spot=f"input {quoted(input)}",
        kind="frequencies are no counts",
    )


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
