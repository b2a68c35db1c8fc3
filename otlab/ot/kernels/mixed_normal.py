r"""Normal approximation of the likelihood of each pair, :math:`b^T \theta - \theta^T P \theta / 2`.

Its gradient, :math:`b - P \theta`, is the regression of the exact gradient on :math:`\theta` over draws of
the warm-up. That of a speaker in an average item is the sum over its pairs, less what their items explain.
Its values are :math:`x = m + D z` with standard normal z and :math:`D = diag(\tau)`.
Then, approximately,

.. math:: z \sim N(\mu, M^{-1}), \quad M = I + D P D = R R^T, \quad \mu = M^{-1} D (b - P m),
          \quad z = \mu + R^{-T} e, \quad e \sim N(0, I),

with a lower triangular R; the integral over z is :math:`\exp(b^T m - m^T P m / 2 + \mu^T M \mu / 2) / |R|`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.mixed import pair_density, pair_information

__all__ = [
    "Approximation",
    "Current",
    "begin",
    "effects_from",
    "factorise",
    "gather",
    "invert",
    "pull_of",
    "refresh",
    "solve_lower",
    "solve_upper",
    "standardised",
]


class Approximation(NamedTuple):
    """The normal approximation of each pair's likelihood, and the sums from which the next is made."""

    precision: np.ndarray  # (P, K, K)
    pull: np.ndarray  # (P, K)
    gathered: np.ndarray  # (1,) draws in what follows
    theta: np.ndarray  # (P, K) mean
    slope: np.ndarray  # (P, K) mean of the gradient
    scatter: np.ndarray  # (P, K, K) of theta
    cross: np.ndarray  # (P, K, K) of theta and the gradient


class Current(NamedTuple):
    """Log likelihood of each pair at its current values, and the gradient."""

    density: np.ndarray  # (P,)
    slope: np.ndarray  # (P, K)


@kernel
def factorise(precision, pull, m, tau, root, mean):
    """Write R of a group, and the approximate mean of z; return the logarithm of |R|."""
    k, log_volume = m.size, 0.0
    for i in range(k):
        residual = pull[i]
        for j in range(k):
            residual -= precision[i, j] * m[j]
        total = tau[i] * residual
        for j in range(i + 1):
            entry = tau[i] * precision[i, j] * tau[j]
            for a in range(j):
                entry -= root[i, a] * root[j, a]
            if j < i:
                root[i, j] = entry / root[j, j]
                total -= root[i, j] * mean[j]
            else:
                root[i, i] = math.sqrt(max(1.0 + entry, 1e-12))
                log_volume += math.log(root[i, i])
        mean[i] = total / root[i, i]
    solve_upper(root, mean)
    return log_volume


@kernel
def solve_upper(root, x):
    """Replace x by R^-T x."""
    for i in range(x.size - 1, -1, -1):
        for j in range(i + 1, x.size):
            x[i] -= root[j, i] * x[j]
        x[i] /= root[i, i]


@kernel
def solve_lower(root, x):
    """Replace x by R^-1 x."""
    for i in range(x.size):
        for j in range(i):
            x[i] -= root[i, j] * x[j]
        x[i] /= root[i, i]


@kernel
def invert(root, out):
    """Write R^-1, its upper part 0."""
    k = out.shape[0]
    for j in range(k):
        for i in range(k):
            if i < j:
                out[i, j] = 0.0
                continue
            total = 1.0 if i == j else 0.0
            for a in range(j, i):
                total -= root[i, a] * out[a, j]
            out[i, j] = total / root[i, i]


@kernel
def standardised(root, mean, z, out):
    """Write e = R^T (z - mu)."""
    for i in range(z.size):
        out[i] = 0.0
        for j in range(i, z.size):
            out[i] += root[j, i] * (z[j] - mean[j])


@kernel
def effects_from(root, mean, e, out):
    """Write z = mu + R^-T e."""
    out[:] = e
    solve_upper(root, out)
    for i in range(e.size):
        out[i] += mean[i]


@kernel
def pull_of(level, g, approximation, others, out):
    """Write b of a group: that of its pairs, less what the other level explains."""
    out[:] = 0.0
    for at in range(level.start[g], level.start[g + 1]):
        pair = level.pairs[at]
        for i in range(out.size):
            out[i] += approximation.pull[pair, i]
            for j in range(out.size):
                out[i] -= approximation.precision[pair, i, j] * others[pair, j]


@kernel
def theta_of(data, levels, values, effects, pair, out):
    """Write the values of a pair."""
    k = out.size
    out[:] = values[:k]
    for which in range(2):
        if levels[which].on:
            for i in range(k):
                out[i] += values[(1 + which) * k + i] * effects[which].z[data.member[which, pair], i]


@kernel
def refresh(data, levels, values, effects, current):
    """Write density and gradient of each pair at its current values."""
    theta = np.empty(values.size // 3)
    for pair in range(current.density.size):
        theta_of(data, levels, values, effects, pair, theta)
        current.density[pair] = pair_density(data, pair, theta, current.slope[pair])


@kernel
def begin(data, levels, values, effects, current, approximation):
    """Write the approximation by the expected information at the current values."""
    theta = np.empty(values.size // 3)
    for pair in range(current.density.size):
        theta_of(data, levels, values, effects, pair, theta)
        precision = approximation.precision[pair]
        pair_information(data, pair, theta, precision)
        approximation.pull[pair] = current.slope[pair]
        for i in range(theta.size):
            for j in range(theta.size):
                approximation.pull[pair, i] += precision[i, j] * theta[j]


@kernel
def gather(data, levels, values, effects, current, approximation):
    """Add values and gradient of each pair to the means, and to the sums of products of deviations."""
    k = values.size // 3
    theta, off, risen = np.empty(k), np.empty(k), np.empty(k)
    approximation.gathered[0] += 1.0
    share = 1.0 / approximation.gathered[0]
    for pair in range(current.density.size):
        theta_of(data, levels, values, effects, pair, theta)
        for i in range(k):
            off[i] = theta[i] - approximation.theta[pair, i]
            risen[i] = current.slope[pair, i] - approximation.slope[pair, i]
            approximation.theta[pair, i] += share * off[i]
            approximation.slope[pair, i] += share * risen[i]
        for i in range(k):
            for j in range(k):
                approximation.scatter[pair, i, j] += (1.0 - share) * off[i] * off[j]
                approximation.cross[pair, i, j] += (1.0 - share) * off[i] * risen[j]
