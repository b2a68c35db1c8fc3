"""Maximise a smooth function by L-BFGS, one iteration at a time (Nocedal & Wright 2006, algorithm 7.4).

SciPy's L-BFGS cannot be left between two iterations; this one can, so that a run is watched, saved and
resumed, with the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Ascent", "ascend"]

_MEMORY = 6
_TRIALS = 30
_SUFFICIENT = 1e-4  # of the rise that the slope promises


@dataclass(frozen=True, eq=False)
class Ascent:
    """The point that a maximisation has reached.

    Attributes
    ----------
    point, value, gradient
        Coordinates, the function's value there, and its gradient, of the shape of the point.
    changes : tuple of pairs of ndarray
        Changes of the point and of the gradient, with the sign of a minimisation, in the last iterations.
    ended
        Whether no step raises the value: the point is a maximum as far as rounding lets it be seen.
    """

    point: np.ndarray
    value: float
    gradient: np.ndarray
    changes: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    ended: bool = False

    def direction(self) -> np.ndarray:
        """Return the gradient times the inverse curvature that the last changes show."""
        step: np.ndarray = self.gradient.copy()
        if not self.changes:
            step /= max(1.0, float(np.linalg.norm(step)))
            return step
        shares = []
        for moved, turned in reversed(self.changes):
            share = float(moved @ step) / float(moved @ turned)
            shares.append(share)
            step -= share * turned
        moved, turned = self.changes[-1]
        step *= float(moved @ turned) / float(turned @ turned)
        for (moved, turned), share in zip(self.changes, reversed(shares), strict=True):
            step += (share - float(turned @ step) / float(moved @ turned)) * moved
        return step


def ascend(at: Ascent, function: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> Ascent:
    """Return the next point, whose value is never lower.

    Parameters
    ----------
    at
        The point reached.
    function
        Returns value and gradient of a point; a value of -inf or NaN is never accepted. The point that is
        accepted is the last one asked for.

    Notes
    -----
    Steps are shortened until the value rises by a share of what the slope promises. If none does, the next
    iteration starts anew from the gradient, and if that fails too, the ascent has ended.
    """
    if at.ended:
        return at
    step = at.direction()
    slope = float(step @ at.gradient)
    length = 1.0
    for _ in range(_TRIALS if slope > 0 else 0):
        point = at.point + length * step
        value, gradient = function(point)
        if value >= at.value + _SUFFICIENT * length * slope:
            moved, turned = point - at.point, at.gradient - gradient
            curved = float(moved @ turned) > 1e-10 * float(turned @ turned)
            changes = (*at.changes, (moved, turned)) if curved else at.changes
            return Ascent(point, value, gradient, changes[-_MEMORY:])
        length *= 0.5
    return replace(at, changes=(), ended=not at.changes)
