"""A growing record of ranking values: rows are added, none is ever changed.

So a read-only view of the first rows is a snapshot: it may be read on another
thread while later rows are written.
"""

from __future__ import annotations

import numpy as np

__all__ = ["grown", "snapshot"]

_FEWEST_ROWS = 1024


def grown(rows: np.ndarray, used: int, needed: int) -> np.ndarray:
    """Return an array with room for `needed` rows that begins with the `used` ones.

    It is `rows` itself where there is room, else a copy at least twice as long.

    >>> grown(np.ones((2, 3)), used=2, needed=3).shape
    (1024, 3)
    """
    if needed <= len(rows):
        return rows
    longer = np.empty((max(needed, 2 * len(rows), _FEWEST_ROWS), rows.shape[1]))
    longer[:used] = rows[:used]
    return longer


def snapshot(rows: np.ndarray, used: int) -> np.ndarray:
    """Return the first `used` rows, read-only."""
    view = rows[:used]
    view.flags.writeable = False
    return view
