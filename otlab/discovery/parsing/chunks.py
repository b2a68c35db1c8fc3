"""Cut long work into chunks, between which a run can be stopped.

A kernel cannot be interrupted, so each call gets work for at most about 50 ms, whatever the lengths of
the utterances. The results do not depend on the chunks.
"""

from __future__ import annotations

import numpy as np

__all__ = ["CHART", "PHONES", "SPANS", "chunks"]

CHART = 10_000_000
"""Sum of n^3 over the utterances of a chart parser's chunk."""

SPANS = 2_000_000
"""Sum of n^2 over those of a segmentation lattice."""

PHONES = 12_000
"""Sum of n over those that are looked up in a lexicon with edits."""


def chunks(work: np.ndarray, most: float) -> list[slice]:
    """Return consecutive chunks of items of limited work; a single item may exceed the limit.

    Parameters
    ----------
    work : ndarray of shape (items,)
        Of each item, at least 0.
    most
        In one chunk.

    Examples
    --------
    >>> chunks(np.array([3, 3, 3, 20, 1]), 7)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    total = np.cumsum(work, dtype=float)
    out: list[slice] = []
    done = 0
    while done < total.size:
        before = total[done - 1] if done else 0.0
        stop = max(done + 1, int(np.searchsorted(total, before + most, side="right")))
        out.append(slice(done, stop))
        done = stop
    return out
