"""Divide work into chunks, between which a run can be stopped.

A kernel cannot be interrupted, so each call gets at most about 50 ms of work, whatever the lengths of
the utterances. The results do not depend on the chunks.
"""

from __future__ import annotations

import numpy as np

__all__ = ["CHART", "PHONES", "SPANS", "chunks"]

CHART = 10_000_000
"""Largest sum of n^3 over the utterances of a chunk for the chart parser."""

SPANS = 2_000_000
"""Largest sum of n^2 over the utterances of a chunk for the segmentation lattice."""

PHONES = 12_000
"""Largest sum of n over the utterances of a chunk for the search of edited words."""


def chunks(work: np.ndarray, most: float) -> list[slice]:
    """Return consecutive chunks of items with limited work; a single item may exceed the limit.

    Parameters
    ----------
    work : ndarray of shape (items,)
        Work of each item, at least 0.
    most
        Largest work in one chunk.

    Examples
    --------
    >>> chunks(np.array([3, 3, 3, 20, 1]), 7)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    total = np.cumsum(work, dtype=float)
    out: list[slice] = []
    start = 0
    while start < total.size:
        before = total[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(total, before + most, side="right")))
        out.append(slice(start, stop))
        start = stop
    return out
