r"""Kernel of parallel tempering for the Gibbs sampler with latent parses.

At level l an observation whose winner does not sound as what was heard, a *miss*, costs a factor
:math:`\varepsilon_l` instead of being ruled out. With the disharmonies integrated out the likelihood of an
overt form is :math:`P(o) + \varepsilon_l (1 - P(o))`. Level 0 has :math:`\varepsilon_0 = 0`, the posterior;
the highest has :math:`\varepsilon = 1`, the prior, which passes freely from one parse to another.
Neighbouring levels exchange their states with the Metropolis probability

.. math:: \min\bigl(1, (\varepsilon_{l+1} / \varepsilon_l)^{n_l - n_{l+1}}\bigr),

*n* being the misses, even pairs of levels after even sweeps and odd ones after odd sweeps (Geyer 1991; Syed,
Bouchard-Cote, Deligiannidis & Doucet 2022, *Non-reversible parallel tempering*, Journal of the Royal
Statistical Society B 84). Level 0 is therefore drawn from the posterior itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import truncated_normal
from otlab.ot.kernels.gibbs import draw_ranking_values, record, room
from otlab.ot.kernels.latent import draw_from_slots, find_slots, normal_mass, place_of
from otlab.ot.kernels.overt import optimal

__all__ = ["Ladder", "count_misses", "draw_from_weighted_slots", "miss_runs", "tempered_sweeps"]


class Ladder(NamedTuple):
    """The levels of one chain.

    Attributes
    ----------
    epsilon : float64 (L,)
        Factor of a miss at each level, from 0 up.
    holder : int64 (L,)
        Which of the L states is at each level.
    rejected, tried : float64 (L - 1,)
        Sum of the probabilities of no exchange between two levels, and exchanges tried, since the levels were
        placed last.
    hottest_last : int64 (L,)
        For each state, 1 if it was at the highest level since it was last at level 0.
    arrivals : int64 (1,)
        How often a state came from the highest level to level 0.
    """

    epsilon: np.ndarray
    holder: np.ndarray
    rejected: np.ndarray
    tried: np.ndarray
    hottest_last: np.ndarray
    arrivals: np.ndarray


@kernel
def draw_from_weighted_slots(rng, mean, sd, edges, allowed, count, epsilon):
    """Draw a normal number, a slot that is not allowed being `epsilon` times as probable.

    Slots are those of :func:`otlab.ot.kernels.latent.draw_from_slots`.
    """
    if epsilon == 0.0:
        return draw_from_slots(rng, mean, sd, edges, allowed, count)
    total = 0.0
    for s in range(count):
        mass = normal_mass(edges[s + 1], edges[s], mean, sd)
        total += mass if allowed[s] else epsilon * mass
    u, chosen = rng.random() * total, -1
    for s in range(count):
        mass = normal_mass(edges[s + 1], edges[s], mean, sd)
        mass = mass if allowed[s] else epsilon * mass
        if mass > 0.0:
            chosen = s
            u -= mass
            if u <= 0.0:
                break
    return truncated_normal(rng, mean, sd, edges[chosen + 1], edges[chosen])


@kernel
def is_miss(data, of_row, form, x, y, left):
    """Return whether the winner under the disharmonies of one observation sounds otherwise."""
    count = data.active_start[x + 1] - data.active_start[x]
    rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
    return of_row[optimal(rivals, data.violation_start, data.violations, y, count, left)] != form


@kernel
def count_misses(data, observed, y, left):
    """Return how many observations have a winner that sounds otherwise."""
    misses = 0
    for m in range(observed.form.size):
        misses += is_miss(data, observed.of_row, observed.form[m], observed.input_of[m], y[m], left)
    return misses


@kernel
def miss_runs(data, observed, y, i, work, at, change):
    """Find where misses begin and end as value `i` and its disharmonies move by a shift.

    Returns
    -------
    n
        How many places there are.
    lowest
        Misses, among the observations of which `i` is active, at a shift of minus infinity.

    The first n of `at` and `change`, float64, get the shifts at which misses change, in no order, and by how
    many.
    """
    n, lowest = 0, 0
    for m in range(observed.form.size):
        x = observed.input_of[m]
        a = place_of(data, x, i)
        if a < 0:
            continue
        count = find_slots(data, observed, observed.form[m], x, a, y[m], work)
        edges, allowed = work[4], work[5]
        lowest += not allowed[count - 1]
        for s in range(count - 1):
            if allowed[s] != allowed[s + 1]:
                at[n] = edges[s + 1] - y[m, a]
                change[n] = 1.0 if allowed[s + 1] else -1.0
                n += 1
    return n, lowest


@kernel
def draw_weighted_shift(rng, values, i, model, low, high, epsilon, runs):
    """Draw how far value `i` moves: its prior between `low` and `high`, times `epsilon` for each miss.

    `runs` is (places, changes, misses at the far left, weights as scratch); places rise.
    """
    at, change, lowest, weights = runs
    n = at.size
    normal = model.precision.size > 0
    mean, sd = 0.0, 1.0
    if normal:
        mean, sd = model.prior_mean[i] - values[i], 1.0 / math.sqrt(model.precision[i])
    log_epsilon = math.log(epsilon) if epsilon > 0.0 else -np.inf
    largest, misses = -np.inf, float(lowest)
    for r in range(n + 1):
        left, right = low if r == 0 else max(low, at[r - 1]), high if r == n else min(high, at[r])
        weights[r] = -np.inf
        if left < right:
            mass = normal_mass(left, right, mean, sd) if normal else right - left
            if mass > 0.0:
                weights[r] = math.log(mass) + (misses * log_epsilon if misses > 0.0 else 0.0)
        largest = max(largest, weights[r])
        if r < n:
            misses += change[r]
    if largest == -np.inf:
        return 0.0  # rounding: the present values are at an edge
    total = 0.0
    for r in range(n + 1):
        weights[r] = math.exp(weights[r] - largest)
        total += weights[r]
    u, chosen = rng.random() * total, -1
    for r in range(n + 1):
        if weights[r] > 0.0:
            chosen = r
            u -= weights[r]
            if u <= 0.0:
                break
    left = low if chosen == 0 else max(low, at[chosen - 1])
    right = high if chosen == n else min(high, at[chosen])
    if normal:
        return truncated_normal(rng, mean, sd, left, right)
    return left + rng.random() * (right - left)


@kernel
def shift_together(rng, data, observed, model, epsilon, y, values, work, places):
    """Draw each ranking value with its disharmonies, their distances kept; centred under a uniform prior."""
    at, change, weights = places
    k, bound = values.size, model.bound
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
        n, lowest = miss_runs(data, observed, y, i, work, at, change)
        order = np.argsort(at[:n])
        runs = (at[:n][order], change[:n][order], lowest, weights)
        shift = draw_weighted_shift(rng, values, i, model, low, high, epsilon, runs)
        back = shift / k if flat else 0.0
        values[i] += shift
        for j in range(k):
            values[j] -= back
        for m in range(observed.form.size):
            a = place_of(data, observed.input_of[m], i)
            if a >= 0:
                y[m, a] += shift
            if flat:
                for a in range(y.shape[1]):
                    y[m, a] -= back


@kernel
def sweep_level(rng, data, observed, model, epsilon, y, values, scratch, work, places):
    """Do one sweep of one state at one level; see :func:`otlab.ot.kernels.latent.latent_sweeps`."""
    total = observed.form.size
    scratch.sums[:] = 0.0
    for m in range(total):
        x = observed.input_of[m]
        first = data.active_start[x]
        for a in range(data.active_start[x + 1] - first):
            count = find_slots(data, observed, observed.form[m], x, a, y[m], work)
            mean = values[data.active[first + a]]
            y[m, a] = draw_from_weighted_slots(rng, mean, model.noise, work[4], work[5], count, epsilon)
            scratch.sums[data.active[first + a]] += y[m, a]
    for i in range(values.size):  # constraints on which no candidates of an input differ are free
        free = 0
        for m in range(total):
            free += place_of(data, observed.input_of[m], i) < 0
        if free > 0:
            scratch.sums[i] += free * values[i] + math.sqrt(free) * model.noise * rng.standard_normal()
    draw_ranking_values(rng, total, model, values, scratch)
    if values.size > 1:
        shift_together(rng, data, observed, model, epsilon, y, values, work, places)


@kernel
def exchange(rng, ladder, misses, sweep):
    """Let neighbouring levels exchange states: even pairs after even sweeps, odd ones after odd sweeps."""
    levels = ladder.epsilon.size
    for lower in range(sweep % 2, levels - 1, 2):
        one, other = ladder.holder[lower], ladder.holder[lower + 1]
        more = misses[one] - misses[other]
        chance = 1.0
        if more < 0:
            if ladder.epsilon[lower] == 0.0:
                chance = 0.0
            else:
                chance = math.exp(
                    more * (math.log(ladder.epsilon[lower + 1]) - math.log(ladder.epsilon[lower]))
                )
        ladder.rejected[lower] += 1.0 - chance
        ladder.tried[lower] += 1.0
        if rng.random() < chance:
            ladder.holder[lower], ladder.holder[lower + 1] = other, one
    ladder.hottest_last[ladder.holder[levels - 1]] = 1
    if ladder.hottest_last[ladder.holder[0]] == 1:
        ladder.hottest_last[ladder.holder[0]] = 0
        ladder.arrivals[0] += 1


@kernel
def tempered_sweeps(rng, data, observed, model, ladder, y, values, scratch, draws, thin, sweep, last):
    """Do sweeps of all levels, from one to the next, until `last` are done.

    `y`, float64 (L, M, K), and `values`, float64 (L, K), are those of the L states; the draws are those of
    level 0. The other arguments are as in :func:`otlab.ot.kernels.latent.latent_sweeps`.
    """
    k, total = values.shape[1], observed.form.size
    most = max(1, np.diff(data.rival_start).max())
    work = (
        np.empty(k, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(k + 1),
        np.empty(k, np.bool_),
    )
    places = np.empty(total * k + 1), np.empty(total * k + 1), np.empty(total * k + 1)
    misses = np.zeros(ladder.epsilon.size, np.int64)
    while sweep < last:
        for level in range(ladder.epsilon.size):
            h = ladder.holder[level]
            epsilon = ladder.epsilon[level]
            sweep_level(rng, data, observed, model, epsilon, y[h], values[h], scratch, work, places)
            misses[h] = count_misses(data, observed, y[h], work[1]) if level > 0 else 0
        exchange(rng, ladder, misses, sweep)
        sweep += 1
        record(sweep, thin, values[ladder.holder[0]], draws)
