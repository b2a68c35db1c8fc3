r"""Sampler of grammars with speakers and items: all their parameters, exactly.

Values of a pair are :math:`\theta = m + \tau z_g + \omega z_w`, with standard normal :math:`z` for each
speaker g and item w. A normal approximation of the likelihood, learnt in the warm-up, writes z by e
(:mod:`otlab.ot.kernels.mixed_normal`), which is then nearly standard normal, whatever the data. A sweep does
five moves for speakers, then for items; the first three are in :mod:`otlab.ot.kernels.mixed_scales`:

1. what all have in common goes to :math:`m` (a normal draw), every :math:`\theta` held fixed;
2. :math:`\tau` changes with :math:`\tau z` held fixed (interweaving; Yu & Meng 2011);
3. one :math:`\tau_k` jumps, with z held fixed;
4. each e moves by Hamiltonian Monte Carlo, split into a rotation, which is exact for the approximation, and
   kicks by what the exact gradient adds (Shahbaba et al. 2014);
5. :math:`(m, \ln \tau)` move by Hamiltonian Monte Carlo with every e held fixed. With few tokens (P = 0) e
   is z, with many it is :math:`\theta`: the non-centred and the centred form are its two ends, and between
   them e says hardly anything of :math:`(m, \tau)`.

The end of each trajectory is accepted or rejected by the exact density, whatever the approximation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.exact import Chain, drift, learn_scatter, tune
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
from otlab.ot.kernels.mixed_scales import evaluate, jump, others_of, rescale, shift, spread_of

__all__ = ["Effects", "Level", "MixedPrior", "Record", "sweep_mixed"]

MOST_LEAPS = 24
ASTRAY = -1000.0  # of the energy, as in Stan
QUARTER = 0.5 * math.pi  # turn of a normal distribution, after which nothing is left of the start
TRAJECTORY = 1.5  # of m and ln tau, in posterior standard deviations
ACCEPT = 0.8


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


class Approximate(NamedTuple):
    """The normal approximation of each group at given m and tau."""

    precision: np.ndarray  # (groups, K, K) P
    pull: np.ndarray  # (groups, K) b
    root: np.ndarray  # (groups, K, K) R
    mean: np.ndarray  # (groups, K) of z


class Record(NamedTuple):
    """Where draws go: row j of `draws` is of sweep (j + 1) * thin, of `kept` of sweep (j + 1) * every."""

    draws: np.ndarray  # m, tau and omega
    thin: int
    kept: np.ndarray  # effects of all speakers, then of all items
    every: int


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
def squared(x):
    """Return the sum of squares."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return total


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
def approximate_slope(prior, level, place, precision, pulls, slope):
    """Write the gradient of the approximate log density of m and ln tau, every z integrated out."""
    k = place.size // 2
    m, tau = place[:k], np.exp(place[k:]) * level.on
    root, mean, inverse = np.zeros((k, k)), np.empty(k), np.empty((k, k))
    prior_slope(prior, level, place, slope)
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
def prior_slope(prior, level, place, slope):
    """Write the gradient of :func:`prior_density`."""
    k = place.size // 2
    for i in range(k):
        slope[i], slope[k + i] = 0.0, 0.0
        if level.on:
            slope[k + i] = 1.0 - (math.exp(place[k + i]) / prior.spread) ** 2
        for j in range(k):
            slope[i] -= prior.precision[i, j] * (place[j] - prior.centre[j])


@kernel
def common_density(data, prior, level, place, approximate, others, e, z, density, of_pairs):
    """Return the log density of m and ln tau, every e held fixed.

    R and the mean of each group are written to `approximate`; z, and what each pair adds, to the last three.
    """
    k, total = place.size // 2, prior_density(prior, level, place)
    m, tau, theta = place[:k], np.exp(place[k:]) * level.on, np.empty(k)
    for g in range(z.shape[0]):
        root, mean = approximate.root[g], approximate.mean[g]
        total -= factorise(approximate.precision[g], approximate.pull[g], m, tau, root, mean)
        if level.on:
            effects_from(root, mean, e[g], z[g])
        total -= 0.5 * squared(z[g])
        total += evaluate(data, level, g, others, m, tau, z[g], density, of_pairs, theta)
        if total == -np.inf:
            break
    return total


@kernel
def common_slope(prior, level, place, approximate, e, z, of_pairs, slope):
    r"""Write the gradient of :func:`common_density`, after it.

    With l the gradient of a group's log likelihood by x, :math:`y = D l - z, w = R^{-1} y, q = R^{-T} w`, it
    adds :math:`l - P D q` by m, and
    :math:`(M^{-1})_{kk} - 1 + \mu_k (2 q_k - y_k) + \tau_k z_k l_k - 2 [(M - I) R^{-T} B R^{-1}]_{kk}` by
    :math:`\ln \tau_k`; B is half the symmetric matrix whose lower part is that of :math:`e w^T` (from the
    derivative of R).
    """
    k = place.size // 2
    tau = np.exp(place[k:]) * level.on
    inverse, rise, y, w, q = np.empty((k, k)), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    prior_slope(prior, level, place, slope)
    for g in range(z.shape[0]):
        rise[:] = 0.0
        for at in range(level.start[g], level.start[g + 1]):
            for i in range(k):
                rise[i] += of_pairs[level.pairs[at], i]
        for i in range(k):
            slope[i] += rise[i]
        if not level.on:
            continue
        root, mean, precision = approximate.root[g], approximate.mean[g], approximate.precision[g]
        invert(root, inverse)
        for i in range(k):
            y[i] = tau[i] * rise[i] - z[g, i]
        w[:] = y
        solve_lower(root, w)
        q[:] = w
        solve_upper(root, q)
        for j in range(k):
            for i in range(k):
                slope[i] -= precision[i, j] * tau[j] * q[j]
            turned = turned_entry(root, inverse, e[g], w, z[g, j] - mean[j], j)
            slope[k + j] += turned - 1.0 + mean[j] * (2.0 * q[j] - y[j]) + tau[j] * z[g, j] * rise[j]


@kernel
def turned_entry(root, inverse, e, w, whole, j):
    r"""Return :math:`(M^{-1})_{jj} - 2 [(M - I) R^{-T} B R^{-1}]_{jj}`; `whole` is :math:`(R^{-T} e)_j`."""
    total, of_w, of_e = 0.0, 0.0, 0.0
    for i in range(w.size):
        # twice the entry (i, j) of B R^-1
        entry = w[i] * whole
        if i >= j:
            of_w += w[i] * inverse[i, j]
            of_e += e[i] * inverse[i, j]
            entry = e[i] * of_w + w[i] * (whole - of_e)
            total += inverse[i, j] * (inverse[i, j] + entry)
        if i <= j:
            total -= root[j, i] * entry
    return total


@kernel
def approximated(level, values, tau, mine, approximation, others, e):
    """Return the approximation of each group at the current values; write every e."""
    groups, k = mine.z.shape
    root, mean, pull = np.zeros((groups, k, k)), np.empty((groups, k)), np.empty((groups, k))
    for g in range(groups):
        pull_of(level, g, approximation, others, pull[g])
        factorise(mine.precision[g], pull[g], values[:k], tau, root[g], mean[g])
        if level.on:
            standardised(root[g], mean[g], mine.z[g], e[g])
    return Approximate(mine.precision, pull, root, mean)


@kernel
def move_common(rng, data, prior, levels, which, values, effects, approximation, current, tuning_on):
    """Move m and the spread of a level, every e held fixed; return whether the energy went astray."""
    mine, level, k = effects[which], levels[which], values.size // 3
    steps, tuning, groups = mine.chain.steps, mine.chain.tuning, mine.z.shape[0]
    if steps.shape[1] == 0:
        return False
    others, tau = others_of(data, levels, which, values, effects), spread_of(values, level, which)
    e, z, place, slope = np.zeros((groups, k)), mine.z.copy(), np.zeros(2 * k), np.empty(2 * k)
    approximate = approximated(level, values, tau, mine, approximation, others, e)
    place[:k] = values[:k]
    if level.on:
        place[k:] = np.log(tau)
    momentum, density, of_pairs = np.empty(steps.shape[1]), current.density.copy(), current.slope.copy()
    before = prior_density(prior, level, place) + np.sum(density)
    for g in range(groups):
        before -= 0.5 * squared(z[g])
        for i in range(k):
            before -= math.log(approximate.root[g, i, i])
    for a in range(momentum.size):
        momentum[a] = rng.standard_normal()
    before -= 0.5 * squared(momentum)
    size, after = size_of(tuning, tuning_on, TRAJECTORY), -np.inf
    leaps = min(MOST_LEAPS, max(1, round(TRAJECTORY / size)))
    size *= 0.8 + 0.4 * rng.random()
    common_slope(prior, level, place, approximate, e, z, of_pairs, slope)
    for _ in range(leaps):
        momentum += 0.5 * size * (slope @ steps)
        if not drift(prior, place, momentum, steps, size):
            after = -np.inf
            break
        after = common_density(data, prior, level, place, approximate, others, e, z, density, of_pairs)
        if after == -np.inf:
            break
        common_slope(prior, level, place, approximate, e, z, of_pairs, slope)
        momentum += 0.5 * size * (slope @ steps)
    ratio = after - 0.5 * squared(momentum) - before
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
def learn(data, levels, values, effects, current, approximation):
    """Gather what the next window needs: the covariance of m and ln tau, and the approximations."""
    k = values.size // 3
    for which in range(2):
        chain = effects[which].chain
        chain.values[:k] = values[:k]
        for i in range(k):
            chain.values[k + i] = math.log(values[(1 + which) * k + i])
        learn_scatter(chain)
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
                jump(rng, data, prior, levels, which, values, effects, current)
                astray += move_groups(
                    rng, data, levels, which, values, effects, approximation, current, tuning_on
                )
            if levels[which].on or (which == 0 and not levels[1].on):
                astray += move_common(
                    rng, data, prior, levels, which, values, effects, approximation, current, tuning_on
                )
        sweep += 1
        if learning:
            learn(data, levels, values, effects, current, approximation)
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
