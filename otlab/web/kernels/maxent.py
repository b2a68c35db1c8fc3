r"""Weights of a MaxEnt grammar, with a normal prior or without, by Newton's method.

The objective is that of :mod:`otlab.ot.learners.maxent`. A prior makes it strictly concave, so that there is
one optimum, whatever way leads there; that module goes by L-BFGS-B. Without a prior (infinite standard
deviations) the likelihood may be flat along some directions, or rise without end. A small addition to the
curvature (Levenberg 1944) then keeps each step along the gradient's directions, and where there is no finite
optimum the weights grow until the slope is below :data:`GRADIENT`. Weights below their bound are moved onto
it, and a weight at its bound is held there while the objective falls to the inside of it (Bertsekas 1982,
Projected Newton methods, SIAM J. Control Optim. 20).
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["best_weights"]

STEPS = 500
HALVINGS = 60
GRADIENT = 1e-10
RISE = 1e-4  # of what the slope promises: a step is taken if it gains this much (Armijo)
ROUNDING = 1e-14
RIDGE = 1e-11  # added to curvatures without a prior, as a share of the largest entry of the first


@kernel
def objective(violations, starts, counts, mean, sd, weights, probability):
    """Return log likelihood and prior's penalty; write each row's probability."""
    total, penalty = 0.0, 0.0
    for x in range(starts.size - 1):
        top = -np.inf
        for row in range(starts[x], starts[x + 1]):
            score = 0.0
            for i in range(weights.size):
                score -= weights[i] * violations[row, i]
            probability[row] = score
            top = max(top, score)
        mass = 0.0
        for row in range(starts[x], starts[x + 1]):
            mass += math.exp(probability[row] - top)
        for row in range(starts[x], starts[x + 1]):
            log = probability[row] - top - math.log(mass)
            if counts[row] > 0.0:
                total += counts[row] * log
            probability[row] = math.exp(log)
    for i in range(weights.size):
        penalty += 0.5 * ((weights[i] - mean[i]) / sd[i]) ** 2
    return total, penalty


@kernel
def derivatives(violations, starts, counts, mean, sd, weights, probability, slope, curvature):
    """Write the gradient of the objective, and minus its Hessian."""
    k = weights.size
    curvature[:, :] = 0.0
    for i in range(k):
        slope[i] = -(weights[i] - mean[i]) / sd[i] ** 2
        curvature[i, i] = 1.0 / sd[i] ** 2
    expected = np.empty(k)
    for x in range(starts.size - 1):
        tokens = 0.0
        expected[:] = 0.0
        for row in range(starts[x], starts[x + 1]):
            tokens += counts[row]
            for i in range(k):
                expected[i] += probability[row] * violations[row, i]
        for row in range(starts[x], starts[x + 1]):
            for i in range(k):
                slope[i] += (tokens * probability[row] - counts[row]) * violations[row, i]
                part = tokens * probability[row] * (violations[row, i] - expected[i])
                for j in range(i + 1):
                    curvature[i, j] += part * (violations[row, j] - expected[j])
    for i in range(k):
        for j in range(i):
            curvature[j, i] = curvature[i, j]


@kernel
def ridge_of(curvature, sd):
    """Return what is added to the diagonal of each curvature: 0 if every weight has a prior."""
    flat, largest = False, 0.0
    for i in range(sd.size):
        flat |= math.isinf(sd[i])
        largest = max(largest, curvature[i, i])
    return RIDGE * largest if flat else 0.0


@kernel
def solve(matrix, right, free):
    """Solve for the free unknowns, in place in `right`, by Cholesky; the others become 0."""
    k = right.size
    for i in range(k):
        if not free[i]:
            right[i] = 0.0
            for j in range(k):
                matrix[i, j] = matrix[j, i] = 0.0
            matrix[i, i] = 1.0
    for i in range(k):
        for j in range(i + 1):
            value = matrix[i, j]
            for m in range(j):
                value -= matrix[i, m] * matrix[j, m]
            matrix[i, j] = math.sqrt(value) if i == j else value / matrix[j, j]
    for i in range(k):
        for m in range(i):
            right[i] -= matrix[i, m] * right[m]
        right[i] /= matrix[i, i]
    for i in range(k - 1, -1, -1):
        for m in range(i + 1, k):
            right[i] -= matrix[m, i] * right[m]
        right[i] /= matrix[i, i]


@kernel
def best_weights(violations, starts, counts, mean, sd, lowest, weights, probability):
    """Move `weights` to the optimum; return the log likelihood there, and the largest slope left.

    Parameters
    ----------
    violations : float64 (rows, K)
    starts : int64 (inputs + 1,)
        First row of each input.
    counts : float64 (rows,)
        Observations.
    mean, sd : float64 (K,)
        Of the prior of each weight; an sd of infinity is no prior.
    lowest
        Bound of the weights, 0 or -inf.
    weights : float64 (K,)
        Where to begin, at the bound or above.
    probability : float64 (rows,)
        Filled with each row's probability within its input.
    """
    k = weights.size
    slope, curvature, free = np.empty(k), np.empty((k, k)), np.empty(k, np.bool_)
    move, after = np.empty(k), np.empty(k)
    total, penalty = objective(violations, starts, counts, mean, sd, weights, probability)
    ridge = 0.0
    for step in range(STEPS):
        derivatives(violations, starts, counts, mean, sd, weights, probability, slope, curvature)
        steepest = 0.0
        for i in range(k):
            free[i] = weights[i] > lowest or slope[i] > 0.0
            move[i] = slope[i]
            if free[i]:
                steepest = max(steepest, abs(slope[i]))
        if steepest < GRADIENT:
            break
        ridge = ridge_of(curvature, sd) if step == 0 else ridge
        for i in range(k):
            curvature[i, i] += ridge
        solve(curvature, move, free)
        share, reached, gained = 1.0, total - penalty, False
        for _ in range(HALVINGS):
            promised = 0.0
            for i in range(k):
                after[i] = max(weights[i] + share * move[i], lowest)
                promised += slope[i] * (after[i] - weights[i])
            total, penalty = objective(violations, starts, counts, mean, sd, after, probability)
            gained = total - penalty >= reached + RISE * promised - ROUNDING * (1.0 + abs(reached))
            if gained:
                break
            share *= 0.5
        if not gained:
            break
        weights[:] = after
    total, _ = objective(violations, starts, counts, mean, sd, weights, probability)
    return total, steepest
