r"""Integrals over undefeated rivals, all relations of a tableau in one call.

For a state :math:`U` of :mod:`otlab.ot.plan`

.. math:: H_\emptyset = 1, \quad H_U(x) = \int_{-\infty}^x \sum_{U \to V \text{ by } i}
          \varphi_i(t) \prod_{j \text{ below}} \Phi_j(t) \; H_V(t) \, dt,
          \qquad P(\text{win}) = H_{U_0}(\infty).

Panels of 12 Gauss-Legendre nodes; within one the running integral is a 12 x 12 matrix
(exact for polynomials of degree 11). Everything is in units of the evaluation noise.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import legendre

from otlab.inference.jit import kernel

__all__ = ["batch_values", "relation_gradients", "relation_values", "sample_winners"]

ORDER = 12
PANEL = 2.0  # the widest panel
TAIL = 8.5  # beyond the outermost value by this much there is less than 1e-16
REACH = 38.0  # a normal density underflows beyond


def _running_integral():
    """Return nodes, weights and M[j, k], the integral of the j-th Lagrange polynomial from -1 to node k."""
    x, w = legendre.leggauss(ORDER)
    p = legendre.legvander(x, ORDER)
    m = np.arange(1, ORDER)
    primitive = np.column_stack([x + 1.0, (p[:, 2:] - p[:, :-2]) / (2 * m + 1)])
    coefficient = w[:, None] * p[:, :ORDER] * (2 * np.arange(ORDER) + 1) / 2
    return x, w, np.ascontiguousarray(coefficient @ primitive.T)


NODES, WEIGHTS, FROM_LEFT = _running_integral()
FROM_RIGHT = np.ascontiguousarray(FROM_LEFT[::-1, ::-1])  # from node k to 1, by symmetry
ROOT_HALF = math.sqrt(0.5)
DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


@kernel
def lay_panels(z):
    """Return the left ends and half widths of panels over all that is not negligible.

    From TAIL below the lowest of `z` to TAIL above the highest, leaving out what lies
    further than REACH from every one: there all densities are 0 in double precision.
    """
    z = np.sort(z)
    starts, ends = np.empty(z.size), np.empty(z.size)
    starts[0], segments = z[0] - TAIL, 0
    for i in range(1, z.size):
        if z[i] - z[i - 1] > 2.0 * REACH:
            ends[segments] = z[i - 1] + REACH
            segments += 1
            starts[segments] = z[i] - REACH
    ends[segments] = z[-1] + TAIL
    segments += 1
    total = 0
    for s in range(segments):
        total += math.ceil((ends[s] - starts[s]) / PANEL)
    left, half, p = np.empty(total), np.empty(total), 0
    for s in range(segments):
        n = math.ceil((ends[s] - starts[s]) / PANEL)
        width = (ends[s] - starts[s]) / n
        for i in range(n):
            left[p], half[p] = starts[s] + i * width, 0.5 * width
            p += 1
    return left, half


@kernel
def tabulate(values, noise, active):
    """Return panel half widths, quadrature weights, and densities and cdfs of each active constraint."""
    z = np.empty(active.size)
    for a in range(active.size):
        z[a] = values[active[a]] / noise
    left, half = lay_panels(z)
    n = half.size * ORDER
    t, weights = np.empty(n), np.empty(n)
    for p in range(half.size):
        for k in range(ORDER):
            t[p * ORDER + k] = left[p] + half[p] * (1.0 + NODES[k])
            weights[p * ORDER + k] = half[p] * WEIGHTS[k]
    density, below = np.empty((z.size, n)), np.empty((z.size, n))
    for a in range(z.size):
        for k in range(n):
            d = t[k] - z[a]
            density[a, k] = DENSITY * math.exp(-0.5 * d * d)
            below[a, k] = 0.5 * math.erfc(-d * ROOT_HALF)
    return z, t, half, weights, density, below


@kernel
def cumulate(f, half, out):
    """Integrate `f` from the left end up to every node."""
    base = 0.0
    for p in range(half.size):
        for k in range(ORDER):
            out[p * ORDER + k] = 0.0
        whole = 0.0
        for j in range(ORDER):
            height = half[p] * f[p * ORDER + j]
            whole += height * WEIGHTS[j]
            for k in range(ORDER):
                out[p * ORDER + k] += height * FROM_LEFT[j, k]
        for k in range(ORDER):
            out[p * ORDER + k] += base
        base += whole


@kernel
def cumulate_back(f, half, out):
    """Integrate `f` from every node to the right end."""
    base = 0.0
    for p in range(half.size - 1, -1, -1):
        for k in range(ORDER):
            out[p * ORDER + k] = 0.0
        whole = 0.0
        for j in range(ORDER):
            height = half[p] * f[p * ORDER + j]
            whole += height * WEIGHTS[j]
            for k in range(ORDER):
                out[p * ORDER + k] += height * FROM_RIGHT[j, k]
        for k in range(ORDER):
            out[p * ORDER + k] += base
        base += whole


@kernel
def weigh(move, constraint, below_offsets, below, density, cdf, out):
    """Write a transition's factor: its constraint's density times the cdfs of those below."""
    i = constraint[move]
    for k in range(out.size):
        out[k] = density[i, k]
    for b in range(below_offsets[move], below_offsets[move + 1]):
        j = below[b]
        for k in range(out.size):
            out[k] *= cdf[j, k]


@kernel
def integrate_states(
    first, last, transition_offsets, constraint, target, below_offsets, below, tables, won, f, factor
):
    """Fill `won` with H of the states of one relation but its last; return H of that at infinity."""
    half, weights, density, cdf = tables
    for state in range(first, last):
        f[:] = 0.0
        for move in range(transition_offsets[state], transition_offsets[state + 1]):
            weigh(move, constraint, below_offsets, below, density, cdf, factor)
            if target[move] < 0:
                for k in range(f.size):
                    f[k] += factor[k]
            else:
                v = target[move]
                for k in range(f.size):
                    f[k] += factor[k] * won[v, k]
        if state < last - 1:
            cumulate(f, half, won[state - first])
    total = 0.0
    for k in range(f.size):
        total += weights[k] * f[k]
    return total


@kernel
def most_states(state_offsets):
    """Return the size of the largest relation."""
    most = 0
    for r in range(state_offsets.size - 1):
        most = max(most, state_offsets[r + 1] - state_offsets[r])
    return most


@kernel
def relation_values(
    values, noise, active, state_offsets, transition_offsets, constraint, target, below_offsets, below, out
):
    """Write the probability of each relation of a plan into ``out[2:]``; 0 and 1 before."""
    out[0], out[1] = 0.0, 1.0
    if out.size == 2:
        return
    _, _, half, weights, density, cdf = tabulate(values, noise, active)
    n = weights.size
    won, f, factor = np.empty((most_states(state_offsets), n)), np.empty(n), np.empty(n)
    tables = (half, weights, density, cdf)
    for r in range(state_offsets.size - 1):
        first, last = state_offsets[r], state_offsets[r + 1]
        out[2 + r] = integrate_states(
            first, last, transition_offsets, constraint, target, below_offsets, below, tables, won, f, factor
        )


@kernel
def batch_values(
    draws, noise, active, state_offsets, transition_offsets, constraint, target, below_offsets, below, out
):
    """Do :func:`relation_values` for each row of `draws`."""
    for d in range(draws.shape[0]):
        relation_values(
            draws[d],
            noise,
            active,
            state_offsets,
            transition_offsets,
            constraint,
            target,
            below_offsets,
            below,
            out[d],
        )


@kernel
def relation_gradients(
    values,
    noise,
    active,
    state_offsets,
    transition_offsets,
    constraint,
    target,
    below_offsets,
    below,
    out,
    slope,
):
    """Do :func:`relation_values` and write d P / d value into ``slope[2:]``, by the adjoint.

    Lambda of the full set is 1, Lambda_V(s) the integral from s to infinity of the sum
    over U -> V of Lambda_U times the transition's factor. A transition then weighs
    q = Lambda_U factor H_V, and moves its own constraint by q (t - z_i) and those below
    by -q times their inverse Mills ratio.
    """
    out[0], out[1] = 0.0, 1.0
    slope[:] = 0.0
    if out.size == 2:
        return
    z, t, half, weights, density, cdf = tabulate(values, noise, active)
    n, most = weights.size, most_states(state_offsets)
    mills = np.zeros((z.size, n))
    for a in range(z.size):
        for k in range(n):
            if cdf[a, k] > 0.0:
                mills[a, k] = density[a, k] / cdf[a, k]
    won, due, later = np.empty((most, n)), np.empty((most, n)), np.empty(n)
    f, factor = np.empty(n), np.empty(n)
    tables = (half, weights, density, cdf)
    for r in range(state_offsets.size - 1):
        first, last = state_offsets[r], state_offsets[r + 1]
        out[2 + r] = integrate_states(
            first, last, transition_offsets, constraint, target, below_offsets, below, tables, won, f, factor
        )
        due[: last - first] = 0.0
        for state in range(last - 1, first - 1, -1):
            if state == last - 1:
                later[:] = 1.0
            else:
                cumulate_back(due[state - first], half, later)
            for move in range(transition_offsets[state], transition_offsets[state + 1]):
                weigh(move, constraint, below_offsets, below, density, cdf, factor)
                v = target[move]
                for k in range(n):
                    factor[k] *= later[k]
                if v >= 0:
                    for k in range(n):
                        due[v, k] += factor[k]
                        factor[k] *= won[v, k]
                i = constraint[move]
                total = 0.0
                for k in range(n):
                    factor[k] *= weights[k]
                    total += factor[k] * (t[k] - z[i])
                slope[2 + r, active[i]] += total / noise
                for b in range(below_offsets[move], below_offsets[move + 1]):
                    j = below[b]
                    total = 0.0
                    for k in range(n):
                        total += factor[k] * mills[j, k]
                    slope[2 + r, active[j]] -= total / noise


@kernel
def sample_winners(rng, values, noise, samples, violations, offsets, inputs, wins, scores):
    """Draw rankings and count who wins; the same `rng` gives the same noise for all values.

    ``wins[row]`` counts the draws in which the row wins, the first where rows are
    identical, and ``scores[row]`` sums the standardised noise of every constraint over them.
    """
    k = values.size
    noises, y = np.empty(k), np.empty(k)
    alive = np.empty(wins.size, dtype=np.int64)
    for _ in range(samples):
        for i in range(k):
            noises[i] = rng.standard_normal()
            y[i] = -(values[i] + noise * noises[i])
        order = np.argsort(y)
        for x in inputs:
            left = 0
            for row in range(offsets[x], offsets[x + 1]):
                alive[left] = row
                left += 1
            for c in order:
                if left == 1:
                    break
                least = violations[alive[0], c]
                for a in range(1, left):
                    least = min(least, violations[alive[a], c])
                kept = 0
                for a in range(left):
                    if violations[alive[a], c] == least:
                        alive[kept] = alive[a]
                        kept += 1
                left = kept
            winner = alive[0]
            wins[winner] += 1
            for i in range(k):
                scores[winner, i] += noises[i]
