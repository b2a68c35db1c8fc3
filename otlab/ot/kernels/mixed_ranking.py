r"""Likelihood of a speaker's tokens under strict domination, by exact probabilities.

Where a candidate has one rival, it wins if the highest of the constraints that tell them apart, S, is one of
those that favour it, W; L are the others. With :math:`G = \prod_{i \in S} \Phi_i` and the inverse Mills
ratios :math:`\lambda_i = \varphi_i / \Phi_i`,

.. math:: p = \int G \sum_{i \in W} \lambda_i, \quad
          \frac{\partial p}{\partial z_i} = \int G \lambda_i \sum_{j \in L} \lambda_j \ (i \in W), \quad
          -\int G \lambda_i \sum_{j \in W} \lambda_j \ (i \in L),

by the trapezoidal rule. With steps h its relative error is about :math:`2 e^{-2 \pi^2 / (h^2 |S|)}`: where x
becomes x + iy, each factor grows by at most :math:`e^{y^2 / 2}` (Trefethen & Weideman 2014, theorem 5.1).
Candidates with more rivals take the integrals of :mod:`otlab.ot.kernels.probability`.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import borrowing, kernel
from otlab.ot.kernels.probability import fine_panel, gradients_on, standardise

__all__ = ["ranking_density", "relations_of"]

WIDE = 3.0  # panels of integrals over 8 constraints: relative errors up to 1e-8, in two thirds of the time
TAIL = 7.0  # the mass further than this from the outermost value is below 2e-12
EXPONENT = 21.5  # 2 exp(-21.5) = 1e-9
ROOT_HALF = math.sqrt(0.5)
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


@kernel
def relations_of(data, pair, values, every):
    """Return probability and gradient of each relation of a pair.

    Without `every`, only of those that it has tokens of and that have several rivals.
    """
    relations = data.plan.states.size - 1
    todo, p = np.zeros(relations, np.bool_), np.ones(relations)
    for c in range(data.cell_start[pair], data.cell_start[pair + 1]):
        r = data.cell[c]
        todo[r] = every or (data.heard[c] > 0.0 and not has_one_rival(data, r))
    z, of_active = standardise(values, data.noise, data.active), np.zeros((relations, data.active.size))
    if todo.any():
        widest = WIDE * min(1.0, math.sqrt(8.0 / z.size))
        gradients_on(widest, z, data.plan, todo, p, of_active)
    if todo.any():
        gradients_on(fine_panel(z), z, data.plan, todo, p, of_active)
    return p, of_active


@kernel
def has_one_rival(data, r):
    """Return whether a relation says which of two candidates wins."""
    return data.plan.states[r + 1] == data.plan.states[r] + 1


@kernel
def on_grid(z):
    """Return the step, and on its grid the cdf and the inverse Mills ratio of each constraint, (A, n)."""
    step = math.pi * math.sqrt(2.0 / (EXPONENT * z.size))
    low, high = np.min(z) - TAIL, np.max(z) + TAIL
    n = math.ceil((high - low) / step) + 1
    cdf, mills = np.empty((z.size, n)), np.zeros((z.size, n))
    for a in range(z.size):
        for k in range(n):
            cdf[a, k] = 0.5 * math.erfc((z[a] - low - k * step) * ROOT_HALF)
        for k in range(n):
            if cdf[a, k] > 0.0:
                d = low + k * step - z[a]
                mills[a, k] = DENSITY * math.exp(-0.5 * d * d) / cdf[a, k]
    return step, cdf, mills


@borrowing
def inner(x, y):
    """Return the scalar product; two sums run beside each other."""
    even, odd = 0.0, 0.0
    for k in range(0, x.size - 1, 2):
        even += x[k] * y[k]
        odd += x[k + 1] * y[k + 1]
    if x.size % 2:
        even += x[-1] * y[-1]
    return even + odd


@borrowing
def beats_one(sides, grid, all_below, for_it, against, slope):
    """Return the probability that a candidate beats its rival; write the gradient by z to `slope`.

    `sides` has 1 for the constraints of W, -1 for those of L; the arrays before `slope` are overwritten.
    """
    step, cdf, mills = grid
    for k in range(all_below.size):
        all_below[k], for_it[k], against[k] = step, 0.0, 0.0
    for a in range(sides.size):
        if sides[a] == 0:
            continue
        for k in range(all_below.size):
            all_below[k] *= cdf[a, k]
        if sides[a] > 0:
            for k in range(all_below.size):
                for_it[k] += mills[a, k]
        else:
            for k in range(all_below.size):
                against[k] += mills[a, k]
    p = inner(all_below, for_it)
    for k in range(all_below.size):
        for_it[k] *= all_below[k]
        against[k] *= all_below[k]
    for a in range(sides.size):
        slope[a] = 0.0
        if sides[a] > 0:
            slope[a] = inner(against, mills[a])
        elif sides[a] < 0:
            slope[a] = -inner(for_it, mills[a])
    return p


@kernel
def ranking_density(data, pair, values, slope):
    """Return the log likelihood of a pair under strict domination; add its gradient to `slope`."""
    first, last = data.cell_start[pair], data.cell_start[pair + 1]
    if data.plan.states.size == 1 or first == last:
        return 0.0
    p, of_active = relations_of(data, pair, values, False)
    grid = on_grid(standardise(values, data.noise, data.active))
    n, total = grid[1].shape[1], 0.0
    all_below, for_it, against = np.empty(n), np.empty(n), np.empty(n)
    for c in range(first, last):
        r, heard = data.cell[c], data.heard[c]
        if heard == 0.0:
            continue
        if has_one_rival(data, r):
            p[r] = beats_one(data.sides[r], grid, all_below, for_it, against, of_active[r])
        if not p[r] > 0.0:
            return -np.inf
        total += heard * math.log(p[r])
        for a in range(data.active.size):
            slope[data.active[a]] += heard * of_active[r, a] / (p[r] * data.noise)
    return total
