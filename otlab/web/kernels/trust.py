"""Split R-hat and effective sample size of draws, as :mod:`otlab.inference.diagnostics` has them.

That module asks arviz-stats, which needs Fourier transforms; here autocovariances are summed lag by lag, as
far as Geyer's initial sequence goes.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["chain_diagnostics"]

FEWEST = 8  # draws of a chain


@kernel
def covariance_at(halves, means, lag):
    """Return the autocovariance at a lag, the mean over half chains (m, n)."""
    total = 0.0
    for c in range(halves.shape[0]):
        for j in range(halves.shape[1] - lag):
            total += (halves[c, j] - means[c]) * (halves[c, j + lag] - means[c])
    return total / halves.size


@kernel
def variance(numbers):
    """Return the variance of a sample."""
    mean, total = numbers.mean(), 0.0
    for value in numbers:
        total += (value - mean) ** 2
    return total / (numbers.size - 1)


@kernel
def split_rhat(halves, means):
    """Return R-hat of half chains (m, n): how far they are apart."""
    within, n = 0.0, halves.shape[1]
    for c in range(halves.shape[0]):
        within += variance(halves[c]) / halves.shape[0]
    return math.sqrt((n * variance(means) / within + n - 1) / n)


@kernel
def effective_size(halves, means):
    """Return how many independent draws half chains (m, n) are worth."""
    chains, n = halves.shape
    within = covariance_at(halves, means, 0) * n / (n - 1.0)
    wide = within * (n - 1.0) / n + variance(means)
    rho = np.zeros(n)
    even, odd = 1.0, 1.0 - (within - covariance_at(halves, means, 1)) / wide
    rho[0], rho[1], t = even, odd, 1
    # Geyer's initial positive sequence
    while t < n - 3 and even + odd > 0.0:
        even = 1.0 - (within - covariance_at(halves, means, t + 1)) / wide
        odd = 1.0 - (within - covariance_at(halves, means, t + 2)) / wide
        if even + odd >= 0.0:
            rho[t + 1], rho[t + 2] = even, odd
        t += 2
    last = t - 2
    if even > 0.0:
        rho[last + 1] = even
    # Geyer's initial monotone sequence
    for t in range(1, last - 1, 2):
        if rho[t + 1] + rho[t + 2] > rho[t - 1] + rho[t]:
            rho[t + 1] = rho[t + 2] = (rho[t - 1] + rho[t]) / 2.0
    time = -1.0
    for t in range(last + 1):
        time += 2.0 * rho[t]
    time += rho[last + 1]
    return chains * n / max(time, 1.0 / math.log10(chains * n))


@kernel
def chain_diagnostics(draws, chains, out):
    """Write R-hat, ESS and the ESS of the squares of each column; NaN where they are not known.

    Parameters
    ----------
    draws : float64 (chains * n, K)
        One chain after another.
    chains
        How many; R-hat needs two.
    out : float64 (3 * K,)
        R-hat of each column, then the sizes, then those of the squares.
    """
    n, k = draws.shape[0] // chains, draws.shape[1]
    out[:] = np.nan
    if n < FEWEST:
        return
    half = n // 2
    halves, means = np.empty((2 * chains, half)), np.empty(2 * chains)
    for i in range(k):
        moving = False
        for square in range(2):
            for c in range(2 * chains):
                first = c // 2 * n + (c % 2) * (n - half)
                total = 0.0
                for j in range(half):
                    value = draws[first + j, i]
                    moving = moving or value != draws[first, i]
                    halves[c, j] = value * value if square else value
                    total += halves[c, j]
                means[c] = total / half
            if not moving:
                continue
            if not square and chains > 1:
                out[i] = split_rhat(halves, means)
            out[k + square * k + i] = effective_size(halves, means)
