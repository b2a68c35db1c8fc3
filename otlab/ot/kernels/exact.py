"""Kernels of the exact posterior: its density, and two samplers that need nothing else.

The posterior is that of ranking values, of all parameters of the constraints' distributions
(:mod:`otlab.ot.kernels.distributions`), or of the weights of a MaxEnt grammar. Ranking values
are centred and moved within the sum-zero subspace by a matrix `steps`, shape (K, K - 1), whose
columns sum to 0 and whose square is roughly the posterior's covariance; of weights it is (K, K).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.distributions import distributed_density
from otlab.ot.kernels.gibbs import in_order
from otlab.ot.kernels.probability import PANEL, PlanArrays, fine_panel, gradients_on, standardise, values_on

__all__ = ["Chain", "Sums", "Target", "Weighted", "hamiltonian", "information", "log_density", "random_walk"]

MOST_LEAPS = 16
MOST_REFLECTIONS = 64
TRAJECTORY = 1.5  # in posterior standard deviations: a quarter turn of a normal distribution
ACCEPT_HAMILTONIAN = 0.8
ACCEPT_WALK = 0.3


class Weighted(NamedTuple):
    """The data of a MaxEnt grammar; without rows for ranking values."""

    violations: np.ndarray  # float64 (rows, K)
    offsets: np.ndarray  # (inputs + 1,)
    counts: np.ndarray  # float64 (rows,), of an overt form at its first row
    form: np.ndarray  # (rows,) overt form of each row: the number of its first row


class Sums(NamedTuple):
    """Overt forms whose probabilities are sums over relations; none where each relation is observed."""

    counts: np.ndarray  # float64 (F,) observations of each form
    start: np.ndarray  # (F + 1,) its first entry in the following
    relation: np.ndarray  # (J,)
    share: np.ndarray  # (J,) what of the relation's probability is the form's


class Target(NamedTuple):
    """The posterior: a plan with a weight for each relation, or the data of weights, and the prior."""

    plan: PlanArrays
    active: np.ndarray  # (A,) constraints that the plan mentions
    weights: np.ndarray  # (R,) observations of each relation; above 0 if `sums` need it
    noise: float
    lowest: np.ndarray  # (K,) values stay above it, -inf with a normal prior
    bound: np.ndarray  # (K,) and below this, inf with a normal prior
    centre: np.ndarray  # (K,) of a normal prior
    precision: np.ndarray  # (K, K) of a normal prior, on centred ranking values; all 0 without one
    higher: np.ndarray  # (pairs,) constraints that are ranked a priori
    lower: np.ndarray  # (pairs,) above these
    weighted: Weighted
    sums: Sums
    distributed: bool  # whether the values are parameters of the constraints' distributions, 4 of each


class Chain(NamedTuple):
    """One chain.

    `tuning` holds the log density at `values`, the log step size, its average, and the running
    statistics of dual averaging (Hoffman & Gelman 2014, section 3.2): mean error and count.
    """

    values: np.ndarray  # (K,)
    slope: np.ndarray  # (K,) gradient at `values`
    steps: np.ndarray  # (K, K - 1)
    tuning: np.ndarray  # (6,) log density, log step, averaged log step, error, count, anchor
    gathered: np.ndarray  # (1,) draws in `mean` and `scatter`
    mean: np.ndarray  # (K,)
    scatter: np.ndarray  # (K, K)


@kernel
def probabilities(target, values, p, of_active, wanted):
    """Write the probability of each relation with a weight, and its gradient if wanted."""
    z, todo = standardise(values, target.noise, target.active), target.weights > 0
    if wanted:
        gradients_on(PANEL, z, target.plan, todo, p, of_active)
        if todo.any():
            gradients_on(fine_panel(z), z, target.plan, todo, p, of_active)
    else:
        values_on(PANEL, z, target.plan, todo, p)
        if todo.any():
            values_on(fine_panel(z), z, target.plan, todo, p)


@kernel
def log_density(target, values, slope, wanted):
    """Return the log posterior density up to a constant, -inf if a probability underflows.

    Its gradient is written to `slope` if wanted.
    """
    total = 0.0
    slope[:] = 0.0
    for i in range(values.size):
        pull = 0.0
        for j in range(values.size):
            pull += target.precision[i, j] * (values[j] - target.centre[j])
        slope[i] -= pull
        total -= 0.5 * pull * (values[i] - target.centre[i])
    if target.weighted.counts.size:
        return total + weighted_density(target.weighted, values, slope)
    if target.distributed:
        return total + distributed_density(
            target.plan, target.active, target.weights, target.noise, values, slope, wanted
        )
    relations, active = target.weights.size, target.active.size
    if relations == 0:
        return total
    p, of_active = np.ones(relations), np.empty((relations if wanted else 0, active))
    probabilities(target, values, p, of_active, wanted)
    if target.sums.counts.size:
        return total + summed_density(target, p, of_active, slope, wanted)
    for r in range(relations):
        weight = target.weights[r]
        if weight > 0:
            if not p[r] > 0.0:
                return -np.inf
            total += weight * math.log(p[r])
            if wanted:
                for a in range(active):
                    slope[target.active[a]] += weight * of_active[r, a] / (p[r] * target.noise)
    return total


@kernel
def summed_density(target, p, of_active, slope, wanted):
    """Return the log likelihood of overt forms; add its gradient to `slope` if wanted."""
    total, sums = 0.0, target.sums
    for f in range(sums.counts.size):
        whole = 0.0
        for j in range(sums.start[f], sums.start[f + 1]):
            whole += sums.share[j] * max(0.0, p[sums.relation[j]])
        if not whole > 0.0:
            return -np.inf
        total += sums.counts[f] * math.log(whole)
        if wanted:
            for j in range(sums.start[f], sums.start[f + 1]):
                factor = sums.counts[f] * sums.share[j] / (whole * target.noise)
                for a in range(target.active.size):
                    slope[target.active[a]] += factor * of_active[sums.relation[j], a]
    return total


@kernel
def weighted_density(data, weights, slope):
    """Return the log likelihood of a MaxEnt grammar's weights; add its gradient to `slope`.

    That of an overt form is the sum over its rows, which share its observations by their probabilities.
    """
    k, total = weights.size, 0.0
    for x in range(data.offsets.size - 1):
        first, last = data.offsets[x], data.offsets[x + 1]
        heard = np.sum(data.counts[first:last])
        if heard == 0.0:
            continue
        scores = np.empty(last - first)
        for r in range(first, last):
            penalty = 0.0
            for i in range(k):
                penalty += weights[i] * data.violations[r, i]
            scores[r - first] = -penalty
        top = np.max(scores)
        normaliser = top + math.log(np.sum(np.exp(scores - top)))
        for r in range(first, last):
            log_p, of_form = scores[r - first] - normaliser, data.form[r]
            counts = data.counts[of_form]
            if counts > 0.0:
                highest, share = -np.inf, 0.0
                for c in range(of_form, last):
                    if data.form[c] == of_form:
                        highest = max(highest, scores[c - first])
                for c in range(of_form, last):
                    if data.form[c] == of_form:
                        share += math.exp(scores[c - first] - highest)
                whole = highest + math.log(share)
                total += counts * (whole - normaliser) if of_form == r else 0.0
                counts *= math.exp(scores[r - first] - whole)
            excess = heard * math.exp(log_p) - counts
            for i in range(k):
                slope[i] += excess * data.violations[r, i]
    return total


@kernel
def information(target, values, out):
    """Write the sum of outer products of scores: roughly how sharply the data fix the values."""
    out[:] = target.precision
    relations, active = target.weights.size, target.active.size
    if relations == 0:
        return
    p, of_active = np.ones(relations), np.empty((relations, active))
    probabilities(target, values, p, of_active, True)
    sums = target.sums
    for f in range(sums.counts.size):
        whole, score = 0.0, np.zeros(active)
        for j in range(sums.start[f], sums.start[f + 1]):
            whole += sums.share[j] * max(0.0, p[sums.relation[j]])
            score += sums.share[j] * of_active[sums.relation[j]]
        if whole > 0.0:
            score /= whole * target.noise
            for a in range(active):
                for b in range(active):
                    out[target.active[a], target.active[b]] += sums.counts[f] * score[a] * score[b]
    if sums.counts.size:
        return
    for r in range(relations):
        if target.weights[r] > 0 and p[r] > 0.0:
            for a in range(active):
                for b in range(active):
                    score = of_active[r, a] * of_active[r, b] / (p[r] * target.noise) ** 2
                    out[target.active[a], target.active[b]] += target.weights[r] * score


@kernel
def tune(tuning, error):
    """Adapt the log step so that the mean of `error`, goal less acceptance, tends to 0."""
    tuning[4] += 1.0
    t = tuning[4]
    tuning[3] += (error - tuning[3]) / (t + 10.0)
    tuning[1] = tuning[5] - math.sqrt(t) / 0.05 * tuning[3]
    share = t**-0.75
    tuning[2] = share * tuning[1] + (1.0 - share) * tuning[2]


@kernel
def learn_scatter(chain):
    """Add the current values to the running mean and scatter."""
    k = chain.values.size
    chain.gathered[0] += 1
    before = chain.values - chain.mean
    for i in range(k):
        chain.mean[i] += before[i] / chain.gathered[0]
    for i in range(k):
        for j in range(k):
            chain.scatter[i, j] += before[i] * (chain.values[j] - chain.mean[j])


@kernel
def inside(target, values):
    """Return whether all values are within the bounds, and in the order of a priori rankings."""
    if not in_order(values, target.higher, target.lower):
        return False
    return np.all(values > target.lowest) and np.all(values < target.bound)


@kernel
def settled(target, values):
    """Return the values as they are kept: ranking values centred."""
    return values - (0.0 if target.weighted.counts.size or target.distributed else np.mean(values))


@kernel
def drift(target, values, momentum, steps, size):
    """Move values along the momentum, reflected where one reaches a bound; return False if it cannot."""
    k, d = steps.shape
    velocity, left = steps @ momentum, size
    for _ in range(MOST_REFLECTIONS):
        first, wall = left, -1
        for i in range(k):
            if velocity[i] != 0.0:
                limit = target.bound[i] if velocity[i] > 0.0 else target.lowest[i]
                until = (limit - values[i]) / velocity[i]
                if until < first:
                    first, wall = max(until, 0.0), i
        for i in range(k):
            values[i] += first * velocity[i]
        left -= first
        if wall < 0:
            return True
        along, norm = 0.0, 0.0
        for a in range(d):
            along += steps[wall, a] * momentum[a]
            norm += steps[wall, a] ** 2
        for a in range(d):
            momentum[a] -= 2.0 * along / norm * steps[wall, a]
        velocity = steps @ momentum
    return False


@kernel
def hamiltonian(rng, target, chain, learning, tuning_on, sweeps, draws, thin, sweep):
    """Do sweeps of Hamiltonian Monte Carlo, reflected at the bound; return the number done in all.

    With `tuning_on` the step size is tuned, with `learning` the scatter is accumulated.
    ``draws[j]`` gets the values of sweep (j + 1) * thin.
    """
    d, tuning = chain.steps.shape[1], chain.tuning
    momentum, values, slope = np.empty(d), np.empty_like(chain.values), np.empty_like(chain.slope)
    for _ in range(sweeps):
        size = math.exp(tuning[1] if tuning_on else tuning[2]) * (0.8 + 0.4 * rng.random())
        leaps = min(MOST_LEAPS, max(1, round(TRAJECTORY / size)))
        for a in range(d):
            momentum[a] = rng.standard_normal()
        before = tuning[0] - 0.5 * np.sum(momentum**2)
        values[:], slope[:] = chain.values, chain.slope
        density = tuning[0]
        for _leap in range(leaps):
            momentum += 0.5 * size * (slope @ chain.steps)
            if not drift(target, values, momentum, chain.steps, size):
                density = -np.inf
                break
            density = log_density(target, values, slope, True)
            if density == -np.inf:
                break
            momentum += 0.5 * size * (slope @ chain.steps)
        ratio = density - 0.5 * np.sum(momentum**2) - before
        chance = math.exp(min(0.0, ratio)) if ratio == ratio else 0.0
        if rng.random() < chance and inside(target, values):
            chain.values[:], chain.slope[:] = settled(target, values), slope
            tuning[0] = density
        if tuning_on:
            tune(tuning, ACCEPT_HAMILTONIAN - chance)
        if learning:
            learn_scatter(chain)
        sweep += 1
        if sweep % thin == 0:
            draws[sweep // thin - 1] = chain.values
    return sweep


@kernel
def random_walk(rng, target, chain, learning, tuning_on, sweeps, draws, thin, sweep):
    """Do sweeps of a random walk with normal steps; arguments as for :func:`hamiltonian`."""
    d, tuning = chain.steps.shape[1], chain.tuning
    move, slope = np.empty(d), np.empty_like(chain.slope)
    for _ in range(sweeps):
        size = math.exp(tuning[1] if tuning_on else tuning[2])
        for a in range(d):
            move[a] = size * rng.standard_normal()
        values, chance = chain.values + chain.steps @ move, 0.0
        if inside(target, values):
            density = log_density(target, values, slope, False)
            chance = math.exp(min(0.0, density - tuning[0]))
            if rng.random() < chance:
                chain.values[:] = settled(target, values)
                tuning[0] = density
        if tuning_on:
            tune(tuning, ACCEPT_WALK - chance)
        if learning:
            learn_scatter(chain)
        sweep += 1
        if sweep % thin == 0:
            draws[sweep // thin - 1] = chain.values
    return sweep
