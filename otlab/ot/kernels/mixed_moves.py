r"""Sampler of grammars with speakers and items: all their parameters, exactly.

Values of a pair are :math:`\theta = m + \tau z_g + \omega z_w`, with standard normal :math:`z` for each
speaker g and item w. A normal approximation of the likelihood, learnt in the warm-up, writes z by e
(:mod:`otlab.ot.kernels.mixed_normal`), which is then nearly standard normal, whatever the data. A sweep does
four moves for speakers, then for items:

1. what all have in common goes to :math:`m` (a normal draw), every :math:`\theta` held fixed;
2. :math:`\tau` changes with :math:`\tau z` held fixed (interweaving; Yu & Meng 2011);
3. each e moves by Hamiltonian Monte Carlo, split into a rotation, which is exact for the approximation, and
   kicks by what the exact gradient adds (Shahbaba et al. 2014);
4. :math:`(m, \ln \tau)` and every e move together, likewise: a rotation of e and leapfrog steps by the
   gradient of the closed integral, between kicks by what the exact gradient adds. With few tokens (P = 0) e
   is z, with many it is :math:`\theta`: the non-centred and the centred form are its two ends.

The end of each trajectory is accepted or rejected by the exact density, whatever the approximation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.exact import Chain, drift, learn_scatter, tune
from otlab.ot.kernels.mixed import pair_density
from otlab.ot.kernels.mixed_normal import (
    effects_from,
    factorise,
    gather,
    invert,
    pull_of,
    solve_lower,
    solve_upper,
    standardised,
)

__all__ = ["MOST_LOG", "Effects", "Level", "MixedPrior", "Record", "sweep_mixed"]

MOST_LEAPS = 24
ASTRAY = -1000.0  # of the energy, as in Stan
QUARTER = 0.5 * math.pi  # turn of a normal distribution, after which nothing is left of the start
TRAJECTORY = 1.5  # of m and ln tau, in posterior standard deviations
INNER = 0.3  # steps of the approximation within it
ACCEPT = 0.8
SCALE_MOVES = 4
MOST_LOG = 20.0  # of the logarithm of tau or omega, on both sides of 0
EVERY = 4  # sweeps of the warm-up to a place at which the information is computed


class Level(NamedTuple):
    """Speakers, or items: whether they differ at all, and the pairs of each, in compressed rows."""

    on: bool
    start: np.ndarray  # (groups + 1,)
    pairs: np.ndarray  # (P,)


class Effects(NamedTuple):
    """What is sampled of the speakers, or items, and how they move."""

    z: np.ndarray  # (groups, K)
    precision: np.ndarray  # (groups, K, K) of the approximations of their pairs, summed
    tuning: np.ndarray  # (6,) of the angle by which they turn, as in ``Chain``
    chain: Chain  # of m and ln tau


class MixedPrior(NamedTuple):
    """The prior of m, tau, omega; `lowest` and `bound` are of m and ln tau, (2 K,)."""

    lowest: np.ndarray
    bound: np.ndarray
    centre: np.ndarray  # (K,)
    precision: np.ndarray  # (K, K)
    spread: float  # scale of the half-normal prior of tau and omega
    centred: bool  # whether m has mean 0


class Record(NamedTuple):
    """Where draws go: row j of `draws` is of sweep (j + 1) * thin, of `kept` of sweep (j + 1) * every."""

    draws: np.ndarray  # m, tau and omega
    thin: int
    kept: np.ndarray  # effects of all speakers, then of all items
    every: int


@kernel
def spread_of(values, level, which):
    """Return tau (which = 0) or omega (1), 0 where the level is off."""
    k = values.size // 3
    return values[(1 + which) * k : (2 + which) * k].copy() if level.on else np.zeros(k)


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
def unexplained(level, g, precision, pull, m, tau, z, slope, out):
    """Write the gradient by x of the exact log likelihood of a group less its approximation."""
    for i in range(m.size):
        out[i] = -pull[i]
        for j in range(m.size):
            out[i] += precision[i, j] * (m[j] + tau[j] * z[j])
    for at in range(level.start[g], level.start[g + 1]):
        for i in range(m.size):
            out[i] += slope[level.pairs[at], i]


@kernel
def size_of(tuning, tuning_on, most):
    """Return the step size in force: the one that is tried, or the average of those."""
    return min(most, math.exp(tuning[1] if tuning_on else tuning[2]))


@kernel
def tune_within(tuning, error, most):
    """Tune a step size, unless it would grow above its most."""
    if error > 0.0 or tuning[1] < math.log(most):
        tune(tuning, error)


# ---- each group, given m and tau


@kernel
def move_groups(rng, data, levels, which, values, effects, approximation, current, tuning_on):
    """Turn the effects of each group of a level; return how many trajectories went astray."""
    k, mine, level, astray, mean_chance = values.size // 3, effects[which], levels[which], 0, 0.0
    m, tau, others = (
        values[:k],
        spread_of(values, level, which),
        others_of(data, levels, which, values, effects),
    )
    angle = size_of(mine.tuning, tuning_on, QUARTER)
    turns = min(MOST_LEAPS, max(1, round(QUARTER / angle)))
    density, slope, theta = np.empty_like(current.density), np.empty_like(current.slope), np.empty(k)
    root, mean, pull, force = np.zeros((k, k)), np.empty(k), np.empty(k), np.empty(k)
    e, momentum, z = np.empty(k), np.empty(k), np.empty(k)
    for g in range(mine.z.shape[0]):
        pull_of(level, g, approximation, others, pull)
        factorise(mine.precision[g], pull, m, tau, root, mean)
        z[:] = mine.z[g]
        standardised(root, mean, z, e)
        before, size = 0.0, angle * (0.8 + 0.4 * rng.random())
        for i in range(k):
            momentum[i] = rng.standard_normal()
            before -= 0.5 * (momentum[i] ** 2 + z[i] ** 2)
        for at in range(level.start[g], level.start[g + 1]):
            before += current.density[level.pairs[at]]
        cosine, sine, after = math.cos(size), math.sin(size), -np.inf
        unexplained(level, g, mine.precision[g], pull, m, tau, z, current.slope, force)
        for _ in range(turns):
            force *= tau
            solve_lower(root, force)
            for i in range(k):
                momentum[i] += 0.5 * size * force[i]
                e[i], momentum[i] = cosine * e[i] + sine * momentum[i], cosine * momentum[i] - sine * e[i]
            effects_from(root, mean, e, z)
            after = evaluate(data, level, g, others, m, tau, z, density, slope, theta)
            if after == -np.inf:
                break
            unexplained(level, g, mine.precision[g], pull, m, tau, z, slope, force)
            kicked = force * tau
            solve_lower(root, kicked)
            momentum += 0.5 * size * kicked
        ratio = after - 0.5 * (np.sum(momentum**2) + np.sum(z**2)) - before
        chance = math.exp(min(0.0, ratio)) if ratio == ratio else 0.0
        mean_chance += chance / mine.z.shape[0]
        astray += ratio < ASTRAY or ratio != ratio
        if rng.random() < chance:
            mine.z[g] = z
            for at in range(level.start[g], level.start[g + 1]):
                pair = level.pairs[at]
                current.density[pair], current.slope[pair] = density[pair], slope[pair]
    if tuning_on:
        tune_within(mine.tuning, ACCEPT - mean_chance, QUARTER)
    return astray


# ---- m and ln tau, given every e


@kernel
def approximate_slope(prior, level, place, precision, pulls, slope):
    """Write the gradient of the approximate log density of m and ln tau, every z integrated out."""
    k = place.size // 2
    m, tau = place[:k], np.exp(place[k:]) * level.on
    root, mean, inverse = np.zeros((k, k)), np.empty(k), np.empty((k, k))
    for i in range(k):
        slope[i], slope[k + i] = 0.0, 1.0 - (tau[i] / prior.spread) ** 2
        for j in range(k):
            slope[i] -= prior.precision[i, j] * (m[j] - prior.centre[j])
    for g in range(precision.shape[0]):
        factorise(precision[g], pulls[g], m, tau, root, mean)
        invert(root, inverse)
        for i in range(k):
            slope[i] += pulls[g, i]
            slope[k + i] += mean[i] ** 2 - 1.0
            for j in range(k):
                slope[i] -= precision[g, i, j] * (m[j] + tau[j] * mean[j])
                slope[k + i] += inverse[j, i] ** 2


@kernel
def remaining_slope(level, place, precision, pulls, e, z, of_pairs, slope):
    r"""Write the gradient of what the exact log density of m and ln tau has more, every e held fixed.

    With d the gradient by x, :math:`y = D d, w = R^{-1} y, q = R^{-T} w`, it is :math:`d - P D q` by m, and
    :math:`y_k z_k + \mu_k (2 q_k - y_k) - 2 [(M - I) R^{-T} B R^{-1}]_{kk}` by :math:`\ln \tau_k`, where B is
    half the symmetric matrix whose lower part is that of :math:`e w^T` (from the derivative of R).
    """
    k = place.size // 2
    m, tau = place[:k], np.exp(place[k:]) * level.on
    root, mean, inverse, d = np.zeros((k, k)), np.empty(k), np.empty((k, k)), np.empty(k)
    w, q, turned = np.empty(k), np.empty(k), np.empty((k, k))
    slope[:] = 0.0
    for g in range(precision.shape[0]):
        factorise(precision[g], pulls[g], m, tau, root, mean)
        invert(root, inverse)
        unexplained(level, g, precision[g], pulls[g], m, tau, z[g], of_pairs, d)
        w[:] = tau * d
        solve_lower(root, w)
        q[:] = w
        solve_upper(root, q)
        for i in range(k):
            for j in range(k):
                turned[i, j] = 0.0
                for a in range(j, k):
                    half = e[g, i] * w[a] if i >= a else e[g, a] * w[i]
                    turned[i, j] += 0.5 * half * inverse[a, j]
        for i in range(k):
            y, twice = tau[i] * d[i], 0.0
            slope[i] += d[i]
            for j in range(k):
                slope[i] -= precision[g, i, j] * tau[j] * q[j]
                twice -= inverse[j, i] * turned[j, i]
                if j <= i:
                    twice += root[i, j] * turned[j, i]
            slope[k + i] += y * z[g, i] + mean[i] * (2.0 * q[i] - y) - 2.0 * twice


@kernel
def prior_density(prior, level, place):
    """Return the log prior density of m and ln tau, up to a constant."""
    k, total = place.size // 2, 0.0
    for i in range(k):
        for j in range(k):
            pull = prior.precision[i, j] * (place[j] - prior.centre[j])
            total -= 0.5 * (place[i] - prior.centre[i]) * pull
        if level.on:
            total += place[k + i] - 0.5 * (math.exp(place[k + i]) / prior.spread) ** 2
    return total


@kernel
def turn(e, momentum, angle):
    """Turn all e and their momenta by an angle."""
    cosine, sine = math.cos(angle), math.sin(angle)
    for g in range(e.shape[0]):
        for i in range(e.shape[1]):
            before = e[g, i]
            e[g, i] = cosine * before + sine * momentum[g, i]
            momentum[g, i] = cosine * momentum[g, i] - sine * before


@kernel
def common_density(data, prior, level, place, precision, pulls, others, e, z, density, of_pairs):
    """Return the log density of m and ln tau, every e held fixed; write z, and what each pair adds."""
    k, total = place.size // 2, prior_density(prior, level, place)
    m, tau = place[:k], np.exp(place[k:]) * level.on
    root, mean, theta = np.zeros((k, k)), np.empty(k), np.empty(k)
    for g in range(precision.shape[0]):
        total -= factorise(precision[g], pulls[g], m, tau, root, mean)
        if level.on:
            effects_from(root, mean, e[g], z[g])
        total -= 0.5 * np.sum(z[g] ** 2)
        total += evaluate(data, level, g, others, m, tau, z[g], density, of_pairs, theta)
        if total == -np.inf:
            break
    return total


@kernel
def glide(prior, level, place, momentum, steps, size, precision, pulls, slope):
    """Move m and ln tau along a trajectory of the approximation; return False if it cannot."""
    leaps = max(1, math.ceil(size / INNER))
    step = size / leaps
    approximate_slope(prior, level, place, precision, pulls, slope)
    for _ in range(leaps):
        momentum += 0.5 * step * (slope @ steps)
        if not drift(prior, place, momentum, steps, step):
            return False
        approximate_slope(prior, level, place, precision, pulls, slope)
        momentum += 0.5 * step * (slope @ steps)
    return True


@kernel
def push_effects(level, place, precision, pulls, z, of_pairs, size, of_e):
    """Change the momenta of all e by what the exact gradient adds."""
    k = place.size // 2
    if not level.on:
        return
    m, tau = place[:k], np.exp(place[k:])
    root, mean, d = np.zeros((k, k)), np.empty(k), np.empty(k)
    for g in range(precision.shape[0]):
        factorise(precision[g], pulls[g], m, tau, root, mean)
        unexplained(level, g, precision[g], pulls[g], m, tau, z[g], of_pairs, d)
        d *= tau
        solve_lower(root, d)
        of_e[g] += size * d


@kernel
def move_common(rng, data, prior, levels, which, values, effects, approximation, current, tuning_on):
    """Move m, the spread of a level and every e together; return whether the energy went astray."""
    mine, level, k = effects[which], levels[which], values.size // 3
    steps, tuning, groups = mine.chain.steps, mine.chain.tuning, mine.z.shape[0]
    if steps.shape[1] == 0:
        return False
    others, tau = others_of(data, levels, which, values, effects), spread_of(values, level, which)
    place, momentum, slope = np.zeros(2 * k), np.empty(steps.shape[1]), np.empty(2 * k)
    place[:k] = values[:k]
    pulls, e, z = np.empty((groups, k)), np.zeros((groups, k)), mine.z.copy()
    root, mean = np.zeros((k, k)), np.empty(k)
    density, of_pairs = current.density.copy(), current.slope.copy()
    before = np.sum(density) - 0.5 * np.sum(z**2)
    for g in range(groups):
        pull_of(level, g, approximation, others, pulls[g])
        before -= factorise(mine.precision[g], pulls[g], values[:k], tau, root, mean)
        if level.on:
            standardised(root, mean, z[g], e[g])
    if level.on:
        place[k:] = np.log(tau)
    before += prior_density(prior, level, place)
    for a in range(momentum.size):
        momentum[a] = rng.standard_normal()
    of_e = np.zeros((groups, k))
    for g in range(groups if level.on else 0):
        for i in range(k):
            of_e[g, i] = rng.standard_normal()
    before -= 0.5 * np.sum(of_e**2)
    before -= 0.5 * np.sum(momentum**2)
    size = size_of(tuning, tuning_on, TRAJECTORY)
    leaps = min(MOST_LEAPS, max(1, round(TRAJECTORY / size)))
    size *= 0.8 + 0.4 * rng.random()
    after = -np.inf
    remaining_slope(level, place, mine.precision, pulls, e, z, of_pairs, slope)
    momentum += 0.5 * size * (slope @ steps)
    push_effects(level, place, mine.precision, pulls, z, of_pairs, 0.5 * size, of_e)
    for leap in range(leaps):
        if not glide(prior, level, place, momentum, steps, size, mine.precision, pulls, slope):
            after = -np.inf
            break
        turn(e, of_e, size)
        after = common_density(
            data, prior, level, place, mine.precision, pulls, others, e, z, density, of_pairs
        )
        if after == -np.inf:
            break
        remaining_slope(level, place, mine.precision, pulls, e, z, of_pairs, slope)
        part = (1.0 if leap < leaps - 1 else 0.5) * size
        momentum += part * (slope @ steps)
        push_effects(level, place, mine.precision, pulls, z, of_pairs, part, of_e)
    after -= 0.5 * np.sum(of_e**2)
    ratio = after - 0.5 * np.sum(momentum**2) - before
    chance = math.exp(min(0.0, ratio)) if ratio == ratio else 0.0
    if rng.random() < chance:
        values[:k] = place[:k] - (np.mean(place[:k]) if prior.centred else 0.0)
        if level.on:
            values[(1 + which) * k : (2 + which) * k] = np.exp(place[k:])
        mine.z[:], current.density[:], current.slope[:] = z, density, of_pairs
    if tuning_on:
        tune_within(tuning, ACCEPT - chance, TRAJECTORY)
    return ratio < ASTRAY or ratio != ratio


# ---- what is learnt in the warm-up


@kernel
def learn(data, levels, values, effects, current, approximation, sweep):
    """Gather what the next window needs: the covariance of m and ln tau, and the approximations."""
    k = values.size // 3
    for which in range(2):
        chain = effects[which].chain
        chain.values[:k] = values[:k]
        for i in range(k):
            chain.values[k + i] = math.log(values[(1 + which) * k + i])
        learn_scatter(chain)
    if sweep % EVERY == 0:
        gather(data, levels, values, effects, current, approximation)


@kernel
def sweep_mixed(
    rng, model, values, effects, approximation, current, learning, tuning_on, sweeps, record, sweep
):
    """Do sweeps; return the number done in all, and how many trajectories went astray."""
    data, prior, levels = model
    k, astray = values.size // 3, 0
    for _ in range(sweeps):
        for which in range(2):
            if levels[which].on:
                shift(rng, prior, levels[which], which, values, effects)
                rescale(rng, prior, which, values, effects)
                astray += move_groups(
                    rng, data, levels, which, values, effects, approximation, current, tuning_on
                )
            if levels[which].on or (which == 0 and not levels[1].on):
                astray += move_common(
                    rng, data, prior, levels, which, values, effects, approximation, current, tuning_on
                )
        sweep += 1
        if learning:
            learn(data, levels, values, effects, current, approximation, sweep)
        if sweep % record.thin == 0:
            row = record.draws[sweep // record.thin - 1]
            row[:k] = values[:k]
            row[k : 2 * k] = spread_of(values, levels[0], 0)
            row[2 * k :] = spread_of(values, levels[1], 1)
        if sweep % record.every == 0:
            at = 0
            for which in range(2):
                spread = spread_of(values, levels[which], which)
                for g in range(effects[which].z.shape[0]):
                    for i in range(k):
                        record.kept[sweep // record.every - 1, at] = spread[i] * effects[which].z[g, i]
                        at += 1
    return sweep, astray
