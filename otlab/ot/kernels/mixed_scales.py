r"""Moves of speakers and items that use no approximation: what all have in common, and how much they differ.

Values of a pair are :math:`\theta = m + \tau z_g + \omega z_w`; see :mod:`otlab.ot.kernels.mixed_moves`. The
first two moves leave every :math:`\theta` as it is. The third makes :math:`\ln \tau` jump where tokens hardly
say how small :math:`\tau` is: its density falls like :math:`\tau` there, over a range that steps of the size
that suits larger :math:`\tau` would take hundreds of sweeps to leave.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.mixed import pair_density

__all__ = ["MOST_LOG", "evaluate", "jump", "others_of", "rescale", "shift", "spread_of"]

SCALE_MOVES = 4
MOST_LOG = 20.0  # of the logarithm of tau or omega, on both sides of 0
JUMP = 1.5  # standard deviation, in the logarithm


@kernel
def spread_of(values, level, which):
    """Return tau (which = 0) or omega (1), 0 where the level is off."""
    k = values.size // 3
    return values[(1 + which) * k : (2 + which) * k].copy() if level.on else np.zeros(k)


@kernel
def others_of(data, levels, which, values, effects):
    """Return what the other level adds to the values of each pair, (P, K)."""
    other, k = 1 - which, values.size // 3
    out, spread = np.zeros((data.member.shape[1], k)), spread_of(values, levels[other], other)
    if levels[other].on:
        for pair in range(out.shape[0]):
            for i in range(k):
                out[pair, i] = spread[i] * effects[other].z[data.member[other, pair], i]
    return out


@kernel
def evaluate(data, level, g, others, m, tau, z, density, slope, theta):
    """Write density and gradient of each pair of a group; return the sum of the densities."""
    total = 0.0
    for at in range(level.start[g], level.start[g + 1]):
        pair = level.pairs[at]
        for i in range(m.size):
            theta[i] = m[i] + tau[i] * z[i] + others[pair, i]
        density[pair] = pair_density(data, pair, theta, slope[pair])
        total += density[pair]
    return total


@kernel
def shift(rng, prior, level, which, values, effects):
    """Draw what the groups of a level have in common, and give it to m; every theta stays."""
    k, mine = values.size // 3, effects[which]
    groups, tau = mine.z.shape[0], spread_of(values, level, which)
    moved = np.empty(k)
    for i in range(k):
        pull = 0.0
        for j in range(k):
            pull += prior.precision[i, j] * (values[j] - prior.centre[j])
        own, common = groups / (tau[i] * tau[i]), np.sum(mine.z[:, i]) / tau[i]
        sharpness = own + prior.precision[i, i]
        d = (common - pull) / sharpness + rng.standard_normal() / math.sqrt(sharpness)
        moved[:] = values[:k]
        moved[i] += d
        if prior.centred:
            moved -= np.mean(moved)
        if np.all(moved > prior.lowest[:k]) and np.all(moved < prior.bound[:k]):
            values[:k] = moved
            for g in range(groups):
                mine.z[g, i] -= d / tau[i]


@kernel
def rescale(rng, prior, which, values, effects):
    """Change the spread of a level with its effects, hence every theta, held fixed: random walk in ln tau."""
    k, mine = values.size // 3, effects[which]
    groups, low = mine.z.shape[0], (1 + which) * k
    width = 2.4 / math.sqrt(2.0 * groups)
    for i in range(k):
        before = math.log(values[low + i])
        squares, log_tau = np.sum(mine.z[:, i] ** 2) * math.exp(2.0 * before), before
        for _ in range(SCALE_MOVES):
            new = log_tau + width * rng.standard_normal()
            ratio = (1.0 - groups) * (new - log_tau)
            ratio -= 0.5 * squares * (math.exp(-2.0 * new) - math.exp(-2.0 * log_tau))
            ratio -= 0.5 * (math.exp(2.0 * new) - math.exp(2.0 * log_tau)) / prior.spread**2
            if abs(new) < MOST_LOG and rng.random() < math.exp(min(0.0, ratio)):
                log_tau = new
        values[low + i] = math.exp(log_tau)
        ratio = math.exp(before - log_tau)
        for g in range(groups):
            mine.z[g, i] *= ratio


@kernel
def jump(rng, data, prior, levels, which, values, effects, current):
    """Let the spread of one constraint jump, every z held fixed: random walk in ln tau with wide steps."""
    k, mine, level = values.size // 3, effects[which], levels[which]
    at = rng.integers(0, k)
    tau, others = spread_of(values, level, which), others_of(data, levels, which, values, effects)
    before = tau[at]
    tau[at] *= math.exp(JUMP * rng.standard_normal())
    ratio = math.log(tau[at] / before) - 0.5 * (tau[at] ** 2 - before**2) / prior.spread**2
    threshold = math.log(rng.random())
    if abs(math.log(tau[at])) >= MOST_LOG:
        return
    density, slope, theta = np.empty_like(current.density), np.empty_like(current.slope), np.empty(k)
    for g in range(mine.z.shape[0]):
        ratio += evaluate(data, level, g, others, values[:k], tau, mine.z[g], density, slope, theta)
    ratio -= np.sum(current.density)
    if threshold < ratio:
        values[(1 + which) * k + at] = tau[at]
        current.density[:], current.slope[:] = density, slope
