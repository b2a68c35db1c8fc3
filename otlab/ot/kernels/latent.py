r"""Kernel of the Gibbs sampler with latent parses: disharmonies given what was heard.

Every observation has disharmonies :math:`y \sim N(\mu, \sigma^2)` under which the winner sounds as what was
heard. Given the other values, the order of the other constraints cuts the line into slots; in each slot the
winner is fixed, and the slot is allowed if its winner has the observed overt form. The full conditional of
:math:`y_k` is :math:`N(\mu_k, \sigma^2)` on the union of the allowed slots. Parses are neither drawn nor
enumerated: they are summed over. With one parse per overt form the union is the one interval of Lin (2005),
section 5.2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import truncated_normal
from otlab.ot.kernels.gibbs import draw_ranking_values, record

__all__ = ["Observed", "latent_sweeps"]


class Observed(NamedTuple):
    """The observations, one after another.

    Attributes
    ----------
    form : int64 (M,)
        Overt form of each.
    input_of : int64 (M,)
        Input of each.
    of_row : int64 (rows,)
        Overt form of each candidate.
    """

    form: np.ndarray
    input_of: np.ndarray
    of_row: np.ndarray


@kernel
def narrowed(rows, n, start, violations, a, out):
    """Write those of the first `n` rows that violate active constraint `a` least; return how many."""
    fewest, kept = violations[start[rows[0]] + a], 0
    for c in range(n):
        marks = violations[start[rows[c]] + a]
        if marks < fewest:
            fewest, kept = marks, 0
        if marks == fewest:
            out[kept] = rows[c]
            kept += 1
    return kept


@kernel
def normal_mass(low, high, mean, sd):
    """Return the probability of an interval under a normal distribution."""
    scale = 1.0 / (sd * math.sqrt(2.0))
    below, above = (low - mean) * scale, (high - mean) * scale
    if below > 0.0:
        return 0.5 * (math.erfc(below) - math.erfc(above))
    return 0.5 * (math.erfc(-above) - math.erfc(-below))


@kernel
def draw_from_slots(rng, mean, sd, edges, allowed, count):
    """Draw a normal number from the union of allowed slots.

    Slot s, of `count`, lies between ``edges[s + 1]`` and ``edges[s]``; edges fall from inf to -inf.
    Neighbouring slots are one interval.
    """
    # 1. the intervals' probabilities
    total, intervals, near, nearest = 0.0, 0, -1, np.inf
    s = 0
    while s < count:
        if not allowed[s]:
            s += 1
            continue
        first = s
        while s < count and allowed[s]:
            s += 1
        intervals += 1
        total += normal_mass(edges[s], edges[first], mean, sd)
        distance = max(edges[s] - mean, mean - edges[first], 0.0)
        if distance < nearest:
            nearest, near = distance, first
    # 2. one of them; the nearest where all are too improbable for floating point
    u = rng.random() * total if intervals > 1 else 0.0
    s = 0
    while s < count:
        if not allowed[s]:
            s += 1
            continue
        first = s
        while s < count and allowed[s]:
            s += 1
        if intervals == 1 or (total == 0.0 and first == near):
            break
        if total > 0.0:
            u -= normal_mass(edges[s], edges[first], mean, sd)
            if u <= 0.0:
                break
    # 3. the number
    return truncated_normal(rng, mean, sd, edges[s], edges[first])


@kernel
def draw_observation(rng, data, of_row, form, x, values, noise, y, work):
    """Draw the disharmonies of one observation, one active constraint after another, in place in `y`."""
    order, prefix, rest, other, edges, allowed = work
    first = data.active_start[x]
    count = data.active_start[x + 1] - first
    rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
    start, violations = data.violation_start, data.violations
    for k in range(count):
        # 1. the other constraints from the highest down
        n = 0
        for a in range(count):
            if a != k:
                at = n
                while at > 0 and y[order[at - 1]] < y[a]:
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = a
                n += 1
        edges[0] = np.inf
        for s in range(n):
            edges[s + 1] = y[order[s]]
        edges[count] = -np.inf
        # 2. the winner in each slot: those left by the constraints above, then k, then those below
        left = rivals.size
        prefix[:left] = rivals
        for s in range(count):
            if left == 1:
                same = of_row[prefix[0]] == form
                for later in range(s, count):
                    allowed[later] = same
                break
            kept = narrowed(prefix, left, start, violations, k, rest)
            below = s
            while kept > 1 and below < n:
                kept = narrowed(rest, kept, start, violations, order[below], other)
                rest[:kept] = other[:kept]
                below += 1
            allowed[s] = of_row[rest[0]] == form
            if s < n:
                left = narrowed(prefix, left, start, violations, order[s], other)
                prefix[:left] = other[:left]
        # 3. N(mu_k, sigma^2) on the union of the allowed slots
        y[k] = draw_from_slots(rng, values[data.active[first + k]], noise, edges, allowed, count)


@kernel
def latent_sweeps(rng, data, observed, model, y, values, scratch, draws, thin, at, last, budget):
    """Do sweeps until `last` are done or about `budget` sites are drawn, whichever comes first.

    `y`, float64 (M, K), has the disharmonies of each observation, its active constraints first; `at` is
    (sweeps done, observations drawn in the next one), and so is the result. The other
    arguments are those of :func:`otlab.ot.kernels.gibbs.sweeps`.
    """
    sweep, drawn = at
    total, k = observed.form.size, values.size
    most = max(1, np.diff(data.rival_start).max())
    work = (
        np.empty(k, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(k + 1),
        np.empty(k, np.bool_),
    )
    while sweep < last and budget > 0:
        # Step 1. disharmonies given the ranking values and what was heard
        if drawn == 0:
            scratch.sums[:] = 0.0
        while drawn < total and budget > 0:
            x = observed.input_of[drawn]
            first = data.active_start[x]
            count = data.active_start[x + 1] - first
            draw_observation(
                rng, data, observed.of_row, observed.form[drawn], x, values, model.noise, y[drawn], work
            )
            for a in range(count):
                scratch.sums[data.active[first + a]] += y[drawn, a]
            budget -= count
            drawn += 1
        if drawn < total:
            break
        # constraints on which no candidates of the input differ are free
        for i in range(k):
            free = total
            for m in range(total):
                x = observed.input_of[m]
                for a in range(data.active_start[x], data.active_start[x + 1]):
                    if data.active[a] == i:
                        free -= 1
            if free > 0:
                scratch.sums[i] += free * values[i] + np.sqrt(free) * model.noise * rng.standard_normal()
        # Step 2. ranking values given the disharmonies
        draw_ranking_values(rng, total, model, values, scratch)
        sweep += 1
        drawn = 0
        record(sweep, thin, values, draws)
    return sweep, drawn
