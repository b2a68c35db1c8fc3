"""Slice sampling of one number (Neal 2003, section 4): step out, then shrink."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["slice_sample"]

_OUT, _SHRINK = 20, 200


def slice_sample(
    rng: np.random.Generator, log_density: Callable[[float], float], x: float, width: float = 1.0
) -> float:
    """Return a draw that leaves a density invariant.

    Parameters
    ----------
    rng
        Source of random numbers.
    log_density
        Logarithm of the density, up to a constant; -inf is allowed outside its support.
    x
        The present value, inside the support.
    width
        How far the interval is widened at a time, at most twenty times in all.
    """
    level = log_density(x) + np.log1p(-rng.random())
    low = x - width * rng.random()
    high = low + width
    left = int(_OUT * rng.random())
    right = _OUT - 1 - left
    while left > 0 and log_density(low) > level:
        low, left = low - width, left - 1
    while right > 0 and log_density(high) > level:
        high, right = high + width, right - 1
    for _ in range(_SHRINK):
        new = float(rng.uniform(low, high))
        if log_density(new) > level:
            return new
        low, high = (new, high) if new < x else (low, new)
    return x
