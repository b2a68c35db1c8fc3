r"""Kernels of the exact probabilities: integrals over the rivals not yet beaten.

For a state :math:`U` of :mod:`otlab.ot.probability_plan`

.. math:: H_\emptyset = 1, \quad H_U(x) = \int_{-\infty}^x \sum_{U \to V \text{ by } i}
          \varphi_i(t) \prod_{j \text{ below}} \Phi_j(t) \; H_V(t) \, dt,
          \qquad P(\text{win}) = H_{U_0}(\infty).

Panels of 12 Gauss-Legendre nodes; within one the running integral is a 12 x 12 matrix
(exact for polynomials of degree 11). Everything is in units of the evaluation noise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from otlab.inference.jit import borrowing, kernel

__all__ = ["PlanArrays", "batch_values", "relation_gradients", "relation_values", "sample_winners"]

ORDER = 12
PANEL = 2.0  # width
TAIL = 8.5  # the mass further than this from the outermost value is below 1e-16
REACH = 38.0  # a normal density underflows further out
GAP = 2.0 * REACH
RARE = 1e-9  # smaller probabilities lose digits on panels of width 2


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


class PlanArrays(NamedTuple):
    """R relations with S states and T transitions in all, in compressed sparse rows.

    States of one relation are consecutive, targets before sources, the full set of rivals last.
    """

    states: np.ndarray  # (R + 1,) first state of each relation
    transitions: np.ndarray  # (S + 1,) first transition of each state
    constraint: np.ndarray  # (T,) highest remaining constraint
    target: np.ndarray  # (T,) state it leads to: number within the relation, -1 for the empty set
    below_offsets: np.ndarray  # (T + 1,)
    below: np.ndarray  # constraints that may be ranked anywhere below


@kernel
def standardise(values, noise, active):
    """Return the active constraints' values in units of the noise, the lowest at 0.

    Only differences matter, and neighbours further apart than GAP never change places:
    wider gaps are reduced to GAP, which keeps every digit of values that drifted to millions.
    """
    z, order = np.zeros(active.size), np.empty(active.size, np.int64)
    # by insertion, since NumPy's sort takes seconds to compile
    for a in range(active.size):
        at = a
        while at > 0 and values[active[order[at - 1]]] > values[active[a]]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = a
    for a in range(1, active.size):
        gap = (values[active[order[a]]] - values[active[order[a - 1]]]) / noise
        z[order[a]] = z[order[a - 1]] + min(gap, GAP)
    return z


@kernel
def extremes(z):
    """Return the least and the largest of some numbers."""
    low, high = z[0], z[0]
    for a in range(1, z.size):
        low, high = min(low, z[a]), max(high, z[a])
    return low, high


@kernel
def tabulate(z, widest):
    """Return nodes, the half width of panels, quadrature weights, densities and cdfs of each constraint."""
    low, high = extremes(z)
    low, high = low - TAIL, high + TAIL
    panels = math.ceil((high - low) / widest)
    n, half = panels * ORDER, 0.5 * (high - low) / panels
    t, weights = np.empty(n), np.empty(n)
    for p in range(panels):
        for k in range(ORDER):
            t[p * ORDER + k] = low + half * (2 * p + 1 + NODES[k])
            weights[p * ORDER + k] = half * WEIGHTS[k]
    density, cdf = np.empty((z.size, n)), np.empty((z.size, n))
    for a in range(z.size):
        for k in range(n):
            d = t[k] - z[a]
            density[a, k] = DENSITY * math.exp(-0.5 * d * d)
            cdf[a, k] = 0.5 * math.erfc(-d * ROOT_HALF)
    return t, half, weights, density, cdf


@kernel
def fine_panel(z):
    """Return the width of panels on which products of far tails are smooth too.

    A tail changes by exp(d) within one unit at distance d, and a polynomial of degree
    11 follows a factor of exp(6) from end to end.
    """
    low, high = extremes(z)
    spread = min(high - low, REACH)
    return min(PANEL, 6.0 / max(spread, 1.0))


@borrowing
def cumulate(f, half, out):
    """Write the integral of `f` from the left end to every node into `out`."""
    base = 0.0
    for p in range(f.size // ORDER):
        for k in range(ORDER):
            out[p * ORDER + k] = 0.0
        whole = 0.0
        for j in range(ORDER):
            height = half * f[p * ORDER + j]
            whole += height * WEIGHTS[j]
            for k in range(ORDER):
                out[p * ORDER + k] += height * FROM_LEFT[j, k]
        for k in range(ORDER):
            out[p * ORDER + k] += base
        base += whole


@borrowing
def cumulate_back(f, half, out):
    """Write the integral of `f` from every node to the right end into `out`."""
    base = 0.0
    for p in range(f.size // ORDER - 1, -1, -1):
        for k in range(ORDER):
            out[p * ORDER + k] = 0.0
        whole = 0.0
        for j in range(ORDER):
            height = half * f[p * ORDER + j]
            whole += height * WEIGHTS[j]
            for k in range(ORDER):
                out[p * ORDER + k] += height * FROM_RIGHT[j, k]
        for k in range(ORDER):
            out[p * ORDER + k] += base
        base += whole


@kernel
def workspace(plan, nodes):
    """Return arrays for H of every state of the largest relation, an integrand, a transition's factor."""
    states = plan.states
    most = 0
    for r in range(states.size - 1):
        most = max(most, states[r + 1] - states[r])
    return np.empty((most, nodes)), np.empty(nodes), np.empty(nodes)


@borrowing
def weigh(plan, move, tables, out):
    """Write a transition's factor: its constraint's density times the cdfs of those below it."""
    _, _, constraint, _, below_offsets, below = plan
    _, _, _, density, cdf = tables
    i = constraint[move]
    for k in range(out.size):
        out[k] = density[i, k]
    for b in range(below_offsets[move], below_offsets[move + 1]):
        j = below[b]
        for k in range(out.size):
            out[k] *= cdf[j, k]


@borrowing
def integrate(plan, r, tables, work):
    """Return the probability of relation `r`: H of its last state at infinity.

    H of the other states is written to `work`.
    """
    states, transitions, _, target, _, _ = plan
    _, half, weights, _, _ = tables
    won, f, factor = work
    first, last = states[r], states[r + 1]
    # H of each state, from the smallest set of rivals to the full one
    for state in range(first, last):
        f[:] = 0.0
        for move in range(transitions[state], transitions[state + 1]):
            weigh(plan, move, tables, factor)
            v = target[move]
            if v < 0:
                for k in range(f.size):
                    f[k] += factor[k]
            else:
                for k in range(f.size):
                    f[k] += factor[k] * won[v, k]
        if state < last - 1:
            cumulate(f, half, won[state - first])
    total = 0.0
    for k in range(f.size):
        total += weights[k] * f[k]
    return total


@kernel
def values_on(widest, z, plan, todo, p):
    """Write the probability of each relation in `todo`; those that are rare stay there, for finer panels."""
    tables = tabulate(z, widest)
    work = workspace(plan, tables[0].size)
    for r in range(p.size):
        if todo[r]:
            p[r] = integrate(plan, r, tables, work)
            todo[r] = p[r] < RARE and p[r] != 0.0


@kernel
def relation_values(values, noise, active, plan, out):
    """Write 0, 1 and the probability of each relation of a plan into `out`.

    Exactly 0 means that every product underflows: below 1e-300.
    """
    out[0], out[1] = 0.0, 1.0
    if out.size == 2:
        return
    z, p, todo = standardise(values, noise, active), out[2:], np.ones(out.size - 2, dtype=np.bool_)
    values_on(PANEL, z, plan, todo, p)
    if todo.any():
        values_on(fine_panel(z), z, plan, todo, p)
    for r in range(p.size):
        p[r] = max(p[r], 0.0)


@kernel
def batch_values(draws, noise, active, plan, out):
    """Do the work of :func:`relation_values` for each row of `draws`."""
    for d in range(draws.shape[0]):
        relation_values(draws[d], noise, active, plan, out[d])


@kernel
def inverse_mills(tables):
    """Return density over cdf, 0 where the cdf underflows (and all it multiplies with it)."""
    _, _, _, density, cdf = tables
    mills = np.zeros(cdf.shape)
    for a in range(cdf.shape[0]):
        for k in range(cdf.shape[1]):
            if cdf[a, k] > 0.0:
                mills[a, k] = density[a, k] / cdf[a, k]
    return mills


@borrowing
def differentiate(plan, r, z, tables, mills, work, due, slope):
    """Write d P / d z of relation `r` by the adjoint method, after :func:`integrate`.

    Lambda of the full set is 1, Lambda_V(s) the integral from s to infinity of the sum
    over U -> V of Lambda_U times the transition's factor (gathered in `due`). So a
    transition carries q = Lambda_U factor H_V: it moves its own constraint by
    q (t - z_i), and those below by -q times their inverse Mills ratio.
    """
    states, transitions, constraint, target, below_offsets, below = plan
    t, half, weights, _, _ = tables
    won, later, q = work
    first, last = states[r], states[r + 1]
    due[: last - first] = 0.0
    slope[:] = 0.0
    # Lambda of each state, from the full set of rivals to the smallest
    for state in range(last - 1, first - 1, -1):
        if state == last - 1:
            later[:] = 1.0
        else:
            cumulate_back(due[state - first], half, later)
        for move in range(transitions[state], transitions[state + 1]):
            weigh(plan, move, tables, q)
            v = target[move]
            for k in range(q.size):
                q[k] *= later[k]
            if v >= 0:
                for k in range(q.size):
                    due[v, k] += q[k]
                    q[k] *= won[v, k]
            i = constraint[move]
            for k in range(q.size):
                q[k] *= weights[k]
                slope[i] += q[k] * (t[k] - z[i])
            for b in range(below_offsets[move], below_offsets[move + 1]):
                j = below[b]
                for k in range(q.size):
                    slope[j] -= q[k] * mills[j, k]


@kernel
def gradients_on(widest, z, plan, todo, p, slopes):
    """Do the work of :func:`values_on`, and write d p / d z into `slopes`."""
    tables = tabulate(z, widest)
    work, mills = workspace(plan, tables[0].size), inverse_mills(tables)
    due = np.empty(work[0].shape)
    for r in range(p.size):
        if todo[r]:
            p[r] = integrate(plan, r, tables, work)
            differentiate(plan, r, z, tables, mills, work, due, slopes[r])
            todo[r] = p[r] < RARE and p[r] != 0.0


@kernel
def relation_gradients(values, noise, active, plan, out, slopes):
    """Do the work of :func:`relation_values`, and write d P / d value into ``slopes[2:]``."""
    out[0], out[1] = 0.0, 1.0
    slopes[:] = 0.0
    if out.size == 2:
        return
    z, p, todo = standardise(values, noise, active), out[2:], np.ones(out.size - 2, dtype=np.bool_)
    of_active = np.empty((p.size, z.size))
    gradients_on(PANEL, z, plan, todo, p, of_active)
    if todo.any():
        gradients_on(fine_panel(z), z, plan, todo, p, of_active)
    for r in range(p.size):
        p[r] = max(p[r], 0.0)
        for a in range(z.size):
            slopes[2 + r, active[a]] = of_active[r, a] / noise


@kernel
def sample_winners(rng, values, noise, samples, violations, offsets, inputs, wins, scores):
    """Draw rankings and count the winners; the same `rng` gives the same noise for all values.

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
        # strict domination: each constraint keeps the candidates that violate it least
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
