r"""Random draws that compile: categorical, log-gamma, Dirichlet and truncated normal.

Truncated normals (Robert 1995, as corrected in the derivations page): with
:math:`a = (b - \mu)/\sigma > 0` propose :math:`z = a + \mathrm{Exp}(1)/\lambda`,
:math:`\lambda = (a + \sqrt{a^2 + 4})/2`, and accept with probability
:math:`\exp(-(z - \lambda)^2/2)`. Lin (2005) prints the root without the square on
its argument and a rejection for the acceptance; both are wrong.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import borrowing, inlined, kernel

__all__ = ["categorical", "dirichlet", "log_gamma_variate", "truncated_normal"]

# No kernel may loop without end; a draw that is still refused after this many
# proposals (chance below 1e-300 in every branch used) takes the nearest bound.
TRIES = 10_000


@kernel
def categorical(rng, weights):
    """Draw an index with probability proportional to `weights` (nonnegative, not all 0).

    They are added up in their own precision.
    """
    total = weights.dtype.type(0.0)
    for w in weights:
        total += w
    u = rng.random() * total
    last = 0
    for i in range(weights.size):
        if weights[i] > 0.0:
            last = i
            u -= weights[i]
            if u < 0.0:
                return i
    return last


@kernel
def log_gamma_variate(rng, shape):
    """Draw the logarithm of a Gamma(shape, 1) variate; finite where the variate underflows.

    For shape < 1, Gamma(a) = Gamma(a + 1) U^(1/a) (Marsaglia & Tsang 2000, section 6).
    """
    if shape >= 1.0:
        return math.log(rng.standard_gamma(shape))
    return math.log(rng.standard_gamma(shape + 1.0)) + math.log(1.0 - rng.random()) / shape


@kernel
def dirichlet(rng, alpha, out):
    """Draw a Dirichlet(alpha) vector into `out`, by log-gammas: right at alpha = 1e-4 too."""
    top = -np.inf
    for i in range(alpha.size):
        out[i] = log_gamma_variate(rng, alpha[i])
        top = max(top, out[i])
    total = 0.0
    for i in range(alpha.size):
        out[i] = math.exp(out[i] - top)
        total += out[i]
    for i in range(alpha.size):
        out[i] /= total


@inlined
def _tail(rng, a):
    """Draw a standard normal on z > a, for a > 0."""
    if a < 0.45:
        for _ in range(TRIES):
            z = abs(rng.standard_normal())
            if z > a:
                return z
        return a
    lam = 0.5 * (a + math.sqrt(a * a + 4.0))
    for _ in range(TRIES):
        z = a + rng.standard_exponential() / lam
        d = z - lam
        if rng.standard_exponential() > 0.5 * d * d:
            return z
    return a


@inlined
def _one_sided(rng, a):
    """Draw a standard normal on z > a, any a."""
    if a > 0.0:
        return _tail(rng, a)
    for _ in range(TRIES):
        z = rng.standard_normal()
        if z > a:
            return z
    return a


@inlined
def _two_sided_right(rng, a, b):
    """Draw a standard normal on (a, b) with 0 < a < b."""
    lam = 0.5 * (a + math.sqrt(a * a + 4.0))
    if (b - a) * lam > 1.0:
        for _ in range(TRIES):
            z = a + rng.standard_exponential() / lam
            d = z - lam
            if z < b and rng.standard_exponential() > 0.5 * d * d:
                return z
        return a
    for _ in range(TRIES):
        z = a + (b - a) * rng.random()
        if rng.standard_exponential() > 0.5 * (z * z - a * a):
            return z
    return a


@inlined
def _two_sided_middle(rng, a, b):
    """Draw a standard normal on (a, b) with a <= 0 <= b."""
    if b - a > math.sqrt(2.0 * math.pi):
        for _ in range(TRIES):
            z = rng.standard_normal()
            if a < z < b:
                return z
        return 0.5 * (a + b)
    for _ in range(TRIES):
        z = a + (b - a) * rng.random()
        if rng.standard_exponential() > 0.5 * z * z:
            return z
    return 0.5 * (a + b)


@borrowing
def truncated_normal(rng, mean, sd, low, high):
    """Draw from N(mean, sd^2) on (low, high); either bound may be infinite."""
    a = (low - mean) / sd
    b = (high - mean) / sd
    # Mirrored where it is bounded above alone or below 0, so that each draw is compiled once.
    mirrored = b < 0.0 or (a == -np.inf and b < np.inf)
    if mirrored:
        a, b = -b, -a
    if b == np.inf:
        z = rng.standard_normal() if a == -np.inf else _one_sided(rng, a)
    elif a > 0.0:
        z = _two_sided_right(rng, a, b)
    else:
        z = _two_sided_middle(rng, a, b)
    return mean - sd * z if mirrored else mean + sd * z
