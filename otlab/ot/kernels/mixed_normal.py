r"""Normal approximation of the likelihood of each pair, :math:`b^T \theta - \theta^T P \theta / 2`.

P is its mean expected information, and b makes the mean gradient right: the best approximation of its
posterior, as by Stein's identity. That of a speaker in an average item is the sum over its pairs, less what
their items explain. Its values are :math:`x = m + D z` with standard normal z and :math:`D = diag(\tau)`.
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
    """The normal approximation of each pair's likelihood, and running means from which the next is made."""

    precision: np.ndarray  # (P, K, K)
    pull: np.ndarray  # (P, K)
    gathered: np.ndarray  # (1,)
    theta: np.ndarray  # (P, K)
    slope: np.ndarray  # (P, K)
    information: np.ndarray  # (P, K, K)


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
def gather(data, levels, values, effects, current, approximation):
    """Add values, gradient and information of each pair to their running means."""
    k = values.size // 3
    theta, information = np.empty(k), np.empty((k, k))
    approximation.gathered[0] += 1.0
    share = 1.0 / approximation.gathered[0]
    for pair in range(current.density.size):
        theta_of(data, levels, values, effects, pair, theta)
        approximation.theta[pair] += share * (theta - approximation.theta[pair])
        approximation.slope[pair] += share * (current.slope[pair] - approximation.slope[pair])
        pair_information(data, pair, theta, information)
        approximation.information[pair] += share * (information - approximation.information[pair])
