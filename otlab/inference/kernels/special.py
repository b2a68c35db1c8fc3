"""The digamma function for kernels: SciPy's does not compile."""

from __future__ import annotations

import math

from otlab.inference.jit import kernel

__all__ = ["digamma"]


@kernel
def digamma(x):
    """Return digamma(x) for x > 0, to 1e-14: recurrence up to 10, then the asymptotic series."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    series = f * (
        1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f * (1 / 132 - f * (691 / 32760 - f / 12)))))
    )
    return result + math.log(x) - 0.5 / x - series
