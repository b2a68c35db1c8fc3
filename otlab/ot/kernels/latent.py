r"""Kernel of the Gibbs sampler with latent parses: disharmonies given what was heard.

Every observation has disharmonies :math:`y \sim N(\mu, \sigma^2)` under which the winner sounds as what was
heard. Given the other values, the order of the other constraints cuts the line into slots; in each slot the
winner is fixed, and the slot is allowed if its winner has the observed overt form. The full conditional of
:math:`y_k` is :math:`N(\mu_k, \sigma^2)` on the union of the allowed slots. Parses are neither drawn nor
enumerated: they are summed over. With one parse per overt form the union is the one interval of Lin (2005),
section 5.2.

Ranking values that are drawn given the disharmonies move by steps of :math:`\sigma / \sqrt{M}` only. So each
sweep also moves each value together with its disharmonies, all :math:`y_{mk} - \mu_k` kept: its conditional
is the prior on the values with which every winner still sounds as heard (Yu & Meng 2011, *To center or not to
center: that is not the question*, Journal of Computational and Graphical Statistics 20).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import truncated_normal
from otlab.ot.kernels.gibbs import draw_ranking_values, record, room

if TYPE_CHECKING:
    from otlab.ot.kernels.evaluation import Evaluation

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
    states
        What is left of the candidates after the first constraints of a ranking.
    """

    form: np.ndarray
    input_of: np.ndarray
    of_row: np.ndarray
    states: Evaluation


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
def find_slots(data, observed, form, x, k, y, work):
    """Find in which slots between the other disharmonies that of active constraint `k` may be.

    Write them to the edges and flags of `work`, as :func:`draw_from_slots` takes them; return how many.
    """
    order, edges = work[0], work[4]
    count = data.active_start[x + 1] - data.active_start[x]
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
    if not allowed_by_states(data, observed, form, x, k, order, work[5]):
        allowed_by_candidates(data, observed.of_row, form, x, k, work)
    return count


@kernel
def allowed_by_states(data, observed, form, x, k, order, allowed):
    """Write in which slots the winner sounds as `form`; return False if a set of candidates is not stored."""
    first = data.active_start[x]
    count = data.active_start[x + 1] - first
    n = count - 1
    after, single, winner = observed.states.after, observed.states.single, observed.states.first
    above = observed.states.root[x]
    for s in range(count):
        if single[above]:
            allowed[s:count] = observed.of_row[winner[above]] == form
            return True
        state, below = after[above, data.active[first + k]], s
        while state >= 0 and not single[state] and below < n:
            state = after[state, data.active[first + order[below]]]
            below += 1
        if state < 0:
            return False
        allowed[s] = observed.of_row[winner[state]] == form
        if s < n:
            above = after[above, data.active[first + order[s]]]
            if above < 0:
                return False
    return True


@kernel
def allowed_by_candidates(data, of_row, form, x, k, work):
    """Write in which slots the winner sounds as `form`, comparing candidates."""
    order, prefix, rest, other, _, allowed = work
    count = data.active_start[x + 1] - data.active_start[x]
    n = count - 1
    rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
    start, violations = data.violation_start, data.violations
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


@kernel
def draw_observation(rng, data, observed, form, x, values, noise, y, work):
    """Draw the disharmonies of one observation, one active constraint after another, in place in `y`."""
    first = data.active_start[x]
    for k in range(data.active_start[x + 1] - first):
        count = find_slots(data, observed, form, x, k, y, work)
        y[k] = draw_from_slots(rng, values[data.active[first + k]], noise, work[4], work[5], count)


@kernel
def place_of(data, x, i):
    """Return the place of constraint `i` among the active ones of input `x`, -1 if it is not."""
    for a in range(data.active_start[x], data.active_start[x + 1]):
        if data.active[a] == i:
            return a - data.active_start[x]
    return -1


@kernel
def intersect(lows, highs, n, edges, allowed, count, at, both):
    """Cut intervals, the highest first, to the allowed slots less `at`; return how many are left."""
    new_lows, new_highs = both
    kept, s, r = 0, 0, 0
    while s < count and r < n:
        if not allowed[s]:
            s += 1
            continue
        last = s
        while last + 1 < count and allowed[last + 1]:
            last += 1
        low, high = edges[last + 1] - at, edges[s] - at
        overlap_low, overlap_high = max(low, lows[r]), min(high, highs[r])
        if overlap_low < overlap_high:
            new_lows[kept], new_highs[kept] = overlap_low, overlap_high
            kept += 1
        if lows[r] > low:
            r += 1
        else:
            s = last + 1
    lows[:kept] = new_lows[:kept]
    highs[:kept] = new_highs[:kept]
    return kept


@kernel
def draw_shift(rng, values, i, model, lows, highs, n):
    """Draw how far value `i` moves, by its prior on a union of intervals, the highest first."""
    if model.precision.size:
        edges, allowed = np.empty(2 * n), np.empty(2 * n - 1, np.bool_)
        for r in range(n):
            edges[2 * r], edges[2 * r + 1] = highs[r], lows[r]
            allowed[2 * r] = True
            if r + 1 < n:
                allowed[2 * r + 1] = False
        sd = 1.0 / math.sqrt(model.precision[i])
        return draw_from_slots(rng, model.prior_mean[i] - values[i], sd, edges, allowed, 2 * n - 1)
    length = 0.0
    for r in range(n):
        length += highs[r] - lows[r]
    u, r = rng.random() * length, 0
    while r + 1 < n and u > highs[r] - lows[r]:
        u -= highs[r] - lows[r]
        r += 1
    return max(lows[r], highs[r] - u)


@kernel
def move_together(rng, data, observed, model, y, values, work, intervals):
    """Draw each ranking value with its disharmonies, their distances kept; centred under a uniform prior."""
    lows, highs, new_lows, new_highs = intervals
    total, k, bound = observed.form.size, values.size, model.bound
    flat = model.precision.size == 0
    for i in range(k):
        low, high = -np.inf, np.inf
        if flat:  # the bound is that of centred values
            share = 1.0 / k
            low, high = (-bound - values[i]) / (1.0 - share), (bound - values[i]) / (1.0 - share)
            for j in range(k):
                if j != i:
                    low, high = max(low, (values[j] - bound) / share), min(high, (values[j] + bound) / share)
        low, high = room(values, i, -1, model, low, high)
        lows[0], highs[0], n = low, high, 1
        for m in range(total):
            x = observed.input_of[m]
            a = place_of(data, x, i)
            if a >= 0 and n > 0:
                count = find_slots(data, observed, observed.form[m], x, a, y[m], work)
                n = intersect(lows, highs, n, work[4], work[5], count, y[m, a], (new_lows, new_highs))
        if n == 0:
            continue  # rounding: the present values are at an edge
        shift = draw_shift(rng, values, i, model, lows, highs, n)
        back = shift / k if flat else 0.0
        values[i] += shift
        for m in range(total):
            a = place_of(data, observed.input_of[m], i)
            if a >= 0:
                y[m, a] += shift
        if flat:
            for j in range(k):
                values[j] -= back
            for m in range(total):
                for a in range(y.shape[1]):
                    y[m, a] -= back


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
    most_intervals = total * (k // 2 + 1) + 2
    intervals = (
        np.empty(most_intervals),
        np.empty(most_intervals),
        np.empty(most_intervals),
        np.empty(most_intervals),
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
                rng, data, observed, observed.form[drawn], x, values, model.noise, y[drawn], work
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
        # Step 3. ranking values together with their disharmonies
        if k > 1:
            move_together(rng, data, observed, model, y, values, work, intervals)
            budget -= y.size
        sweep += 1
        drawn = 0
        record(sweep, thin, values, draws)
    return sweep, drawn
