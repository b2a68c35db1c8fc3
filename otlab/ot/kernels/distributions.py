r"""Kernels of exact probabilities where constraints differ in more than their ranking values.

A constraint's selection point has the density

.. math:: \varphi_i = \pi_i N(\mu_i + (1 - \pi_i) d_i, \sigma_i^2)
                    + (1 - \pi_i) N(\mu_i - \pi_i d_i, \sigma_i^2),
          \qquad \sigma_i = \sigma e^{\lambda_i}, \quad \pi_i = 1 / (1 + e^{-a_i}),

a mixture of two normals with mean :math:`\mu_i`, its ranking value. One normal is the case
:math:`d_i = 0`. The recursion is that of :mod:`otlab.ot.kernels.probability`, with these densities
and cdfs in its tables.

The parameters of K constraints are one vector of four parts of length K: the ranking values
:math:`\mu`, the log noises :math:`\lambda`, the distances :math:`d` and the logits :math:`a`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.probability import (
    DENSITY,
    NODES,
    ORDER,
    PANEL,
    RARE,
    REACH,
    ROOT_HALF,
    TAIL,
    WEIGHTS,
    PlanArrays,
    cumulate_back,
    integrate,
    weigh,
    workspace,
)

__all__ = ["Components", "batch_distributed", "components", "distributed_density"]

MOST_PANELS = 1000
FURTHEST = 20.0  # log noises and logits beyond it are refused: nothing of their prior's mass is there


class Components(NamedTuple):
    """The two normals of each constraint."""

    means: np.ndarray  # (K, 2)
    sds: np.ndarray  # (K,) of both
    shares: np.ndarray  # (K,) of the first


class Tables(NamedTuple):
    """Nodes and what is integrated on them, as `integrate` takes it.

    Every integrand has one density as a factor, so that `density` holds it times the half width of
    the panel: `half` is then 1 for all.
    """

    t: np.ndarray  # (n,)
    half: float
    weights: np.ndarray  # (n,)
    density: np.ndarray  # (A, n)
    cdf: np.ndarray  # (A, n)


@kernel
def components(values, noise):
    """Return the normals of each constraint, from a vector of parameters (4 K,)."""
    k = values.size // 4
    means, sds, shares = np.empty((k, 2)), np.empty(k), np.empty(k)
    for i in range(k):
        share, apart = 1.0 / (1.0 + math.exp(-values[3 * k + i])), values[2 * k + i]
        means[i, 0] = values[i] + (1.0 - share) * apart
        means[i, 1] = values[i] - share * apart
        sds[i] = noise * math.exp(values[k + i])
        shares[i] = share
    return Components(means, sds, shares)


@kernel
def panel_edges(normals, active, fine):
    """Return the edges of panels, empty if there would be too many.

    Where a normal has mass, panels are twice as wide as its standard deviation, narrower if `fine`;
    where several have, the smallest counts; a gap between them is one panel.
    """
    least, high, first, last = np.inf, -np.inf, np.inf, -np.inf
    edges, n = np.empty(MOST_PANELS + 1), 0
    edges[0] = np.inf
    for i in active:
        least = min(least, normals.sds[i])
        for c in range(2):
            mean, tail = normals.means[i, c], TAIL * normals.sds[i]
            first, last = min(first, mean), max(last, mean)
            edges[0], high = min(edges[0], mean - tail), max(high, mean + tail)
    widest = PANEL
    if fine:  # products of far tails change by large factors within one panel
        widest = min(PANEL, 6.0 / max(min((last - first) / least, REACH), 1.0))
    while edges[n] < high:
        if n == MOST_PANELS:
            return np.empty(0)
        end = high
        for i in active:
            sd = normals.sds[i]
            for c in range(2):
                begin = normals.means[i, c] - TAIL * sd
                if edges[n] < begin:
                    end = min(end, begin)
                elif edges[n] < begin + 2.0 * TAIL * sd:
                    end = min(end, edges[n] + widest * sd)
        n += 1
        edges[n] = end
    return edges[: n + 1]


@kernel
def tabulate_normals(normals, active, edges):
    """Return the tables of the active constraints' mixtures, and densities and cdfs of their normals."""
    panels = edges.size - 1
    n = panels * ORDER
    t, weights, half = np.empty(n), np.empty(n), np.empty(n)
    for p in range(panels):
        for j in range(ORDER):
            half[p * ORDER + j] = 0.5 * (edges[p + 1] - edges[p])
            t[p * ORDER + j] = edges[p] + half[p * ORDER + j] * (1.0 + NODES[j])
            weights[p * ORDER + j] = WEIGHTS[j]
    density, cdf = np.empty((active.size, 2, n)), np.empty((active.size, 2, n))
    mixed_density, mixed_cdf = np.empty((active.size, n)), np.empty((active.size, n))
    for a in range(active.size):
        i = active[a]
        share = normals.shares[i]
        for j in range(n):
            for c in range(2):
                z = (t[j] - normals.means[i, c]) / normals.sds[i]
                density[a, c, j] = DENSITY * math.exp(-0.5 * z * z) / normals.sds[i]
                cdf[a, c, j] = 0.5 * math.erfc(-z * ROOT_HALF)
            mixed = share * density[a, 0, j] + (1.0 - share) * density[a, 1, j]
            mixed_density[a, j] = half[j] * mixed
            mixed_cdf[a, j] = share * cdf[a, 0, j] + (1.0 - share) * cdf[a, 1, j]
    return Tables(t, 1.0, weights, mixed_density, mixed_cdf), density, cdf


@kernel
def gather(plan, r, tables, work, due, scale, own, below):
    """Add where relation `r` has its probability, times `scale`, after ``integrate``.

    A transition adds its integrand to `own` of its highest constraint and to `below` of those that
    may be ranked anywhere below it. The derivative of P by any parameter of a constraint is the
    sum over nodes of `own` times that of its log density plus `below` times that of its log cdf.
    Lambda is as in :func:`otlab.ot.kernels.probability.differentiate`.
    """
    states, transitions, constraint, target, below_offsets, below_of = plan
    won, later, q = work
    first, last = states[r], states[r + 1]
    due[: last - first] = 0.0
    for state in range(last - 1, first - 1, -1):
        if state == last - 1:
            later[:] = 1.0
        else:
            cumulate_back(due[state - first], tables.half, later)
        for move in range(transitions[state], transitions[state + 1]):
            weigh(plan, move, tables, q)
            v = target[move]
            for j in range(q.size):
                q[j] *= later[j]
            if v >= 0:
                for j in range(q.size):
                    due[v, j] += q[j]
                    q[j] *= won[v, j]
            for j in range(q.size):
                q[j] *= scale * tables.weights[j]
                own[constraint[move], j] += q[j]
            for b in range(below_offsets[move], below_offsets[move + 1]):
                for j in range(q.size):
                    below[below_of[b], j] += q[j]


@kernel
def add_slopes(values, normals, active, tables, density, cdf, own, below, slope):
    """Add the derivatives by each parameter of what `own` and `below` gather."""
    k = values.size // 4
    for a in range(active.size):
        i = active[a]
        share, sd, apart = normals.shares[i], normals.sds[i], values[2 * k + i]
        by_mean, by_share, by_sd = np.zeros(2), 0.0, 0.0
        for j in range(tables.t.size):
            u, v = 0.0, 0.0
            mixed = share * density[a, 0, j] + (1.0 - share) * density[a, 1, j]
            if mixed > 0.0:
                u = own[a, j] / mixed
            if tables.cdf[a, j] > 0.0:
                v = below[a, j] / tables.cdf[a, j]
            for c in range(2):
                part = (share if c == 0 else 1.0 - share) * density[a, c, j]
                z = (tables.t[j] - normals.means[i, c]) / sd
                by_mean[c] += part * (u * z / sd - v)
                by_sd += part * (u * (z * z - 1.0) / sd - v * z)
            by_share += u * (density[a, 0, j] - density[a, 1, j]) + v * (cdf[a, 0, j] - cdf[a, 1, j])
        both = by_mean[0] + by_mean[1]
        slope[i] += both
        slope[k + i] += by_sd * sd
        slope[2 * k + i] += (1.0 - share) * by_mean[0] - share * by_mean[1]
        slope[3 * k + i] += share * (1.0 - share) * (by_share - apart * both)


@kernel
def distributed_density(plan: PlanArrays, active, counts, noise, values, slope, wanted):
    """Return the log likelihood of the parameters, -inf if a probability underflows.

    The log density of uniform shares is added, and the gradient to `slope` if wanted.
    """
    k, total = values.size // 4, 0.0
    for i in range(k):
        if not (abs(values[k + i]) < FURTHEST and abs(values[3 * k + i]) < FURTHEST):
            return -np.inf
        share = 1.0 / (1.0 + math.exp(-values[3 * k + i]))
        total += math.log(share) + math.log(1.0 - share)
        slope[3 * k + i] += 1.0 - 2.0 * share
    normals, todo = components(values, noise), counts > 0
    for fine in (False, True):
        if not todo.any():
            break
        edges = panel_edges(normals, active, fine)
        if edges.size == 0:
            return -np.inf
        tables, density, cdf = tabulate_normals(normals, active, edges)
        n = tables.t.size
        work = workspace(plan, n)
        due = np.empty(work[0].shape if wanted else (0, 0))
        own, below = np.zeros((active.size, n)), np.zeros((active.size, n))
        for r in range(counts.size):
            if not todo[r]:
                continue
            p = integrate(plan, r, tables, work)
            todo[r] = not fine and p < RARE and p != 0.0
            if todo[r]:
                continue
            if not p > 0.0:
                return -np.inf
            total += counts[r] * math.log(p)
            if wanted:
                gather(plan, r, tables, work, due, counts[r] / p, own, below)
        if wanted:
            add_slopes(values, normals, active, tables, density, cdf, own, below, slope)
    return total


@kernel
def batch_distributed(draws, noise, active, plan, out):
    """Write 0, 1 and the probability of each relation under each draw of the parameters into `out`."""
    for d in range(draws.shape[0]):
        out[d, 0], out[d, 1] = 0.0, 1.0
        if out.shape[1] == 2:
            continue
        out[d, 2:] = 0.0
        normals, todo = components(draws[d], noise), np.ones(out.shape[1] - 2, dtype=np.bool_)
        for fine in (False, True):
            if not todo.any():
                break
            edges = panel_edges(normals, active, fine)
            if edges.size == 0:
                break  # such parameters, or what is left of the relations, have a probability near 0
            tables, _, _ = tabulate_normals(normals, active, edges)
            work = workspace(plan, tables.t.size)
            for r in range(todo.size):
                if todo[r]:
                    p = integrate(plan, r, tables, work)
                    out[d, 2 + r] = max(p, 0.0)
                    todo[r] = not fine and p < RARE and p != 0.0
