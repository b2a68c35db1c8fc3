"""Detect ranking values of the GLA that drift: with variable data some never settle.

Predictions settle all the same (ot.gla); but beside values in the thousands a posterior
could not be seen, so pictures keep to the posterior and say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.viz.ot.histograms import DrawHistogram

__all__ = ["drifted", "out_of_sight", "runs_in_sight"]

_REACH = 2.0


def out_of_sight(farthest: float, draws: DrawHistogram) -> bool:
    """Return whether a value this far from 0 lies two widths of the posterior beyond it."""
    if not draws.n:
        return False
    low, high = draws.quantiles([0.001, 0.999])
    widest = max(abs(low.min()), abs(high.max()))
    return bool(farthest > widest + _REACH * (high.max() - low.min()))


def runs_in_sight(runs: np.ndarray | None, draws: DrawHistogram) -> np.ndarray | None:
    """Return the runs, or None if they drifted so far that the posterior would be invisible beside them."""
    return None if runs is None or out_of_sight(np.abs(runs).max(), draws) else runs


def drifted(wandering: DrawHistogram, draws: DrawHistogram) -> bool:
    """Return whether most of a learner's path lies far outside the posterior."""
    low, high = wandering.quantiles([0.01, 0.99])
    return out_of_sight(max(abs(low.min()), abs(high.max())), draws)
