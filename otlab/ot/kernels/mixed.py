r"""Kernels of grammars with speakers and items: densities, and a sampler of all their parameters.

A *pair* is a speaker and an item of which there are tokens; its values are
:math:`\theta = m + \tau z_g + \omega z_i`, with standard normal :math:`z`. A sweep is a trajectory of
Hamiltonian Monte Carlo of :math:`m, \tau, \omega` and every :math:`z` together, after moves that leave
every :math:`\theta`, hence the likelihood, as it is: what all speakers have in common goes to
:math:`m` (a normal draw), and :math:`\tau` changes with :math:`\tau z` held fixed. Of these two views of
:math:`\tau` the first mixes well where tokens are few, the second where they are many (interweaving; Yu &
Meng 2011).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.exact import drift, learn_scatter, tune
from otlab.ot.kernels.probability import PANEL, PlanArrays, fine_panel, gradients_on, standardise

__all__ = [
    "LOGIT",
    "PROBIT",
    "RANKING",
    "SOFTMAX",
    "Effects",
    "Level",
    "MixedPrior",
    "Record",
    "Tokens",
    "density_of_all",
    "likelihoods",
    "sweep_mixed",
]

# How candidates win: as in MaxEnt, by ranking, or the better of two with normal or with logistic noise.
SOFTMAX, RANKING, PROBIT, LOGIT = range(4)

MOST_LEAPS = 24
ASTRAY = -1000.0  # of the energy, as in Stan
TRAJECTORY = 1.5  # in posterior standard deviations
ACCEPT = 0.8
SCALE_MOVES = 4
MOST_LOG = 20.0  # of the logarithm of tau or omega, on both sides of 0, for moves that divide by it
ROOT_HALF = math.sqrt(0.5)
LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)
FAR = -20.0  # below it the normal cdf is that of its asymptotic series


class Tokens(NamedTuple):
    """The data: P pairs of a speaker and an item with C cells, each the counts of one pair in one input.

    For RANKING the cells of a pair are relations of the plan with one count each; for PROBIT and LOGIT an
    input has two rows in `violations`: the second's less the first's over the noise's scale, and zeros.
    """

    kind: int
    lowest: float  # values below it count as it: 0 or -inf
    noise: float
    violations: np.ndarray  # float64 (rows, K)
    offsets: np.ndarray  # (inputs + 1,)
    plan: PlanArrays
    active: np.ndarray
    member: np.ndarray  # (2, P) speaker and item of each pair
    cell_start: np.ndarray  # (P + 1,)
    cell: np.ndarray  # (C,) input, or relation
    count_start: np.ndarray  # (C + 1,)
    heard: np.ndarray


class Level(NamedTuple):
    """Whether speakers, or items, differ at all."""

    on: bool


class Effects(NamedTuple):
    """What is sampled of the speakers, or items: `z`, and the scale on which each one moves."""

    z: np.ndarray  # (groups, K)
    scale: np.ndarray  # (groups, K) posterior standard deviations
    gathered: np.ndarray  # (1,)
    mean: np.ndarray  # (groups, K)
    squares: np.ndarray  # (groups, K)


class MixedPrior(NamedTuple):
    """The prior of m, tau, omega; `lowest` and `bound` are as of ``Target``, (3 K,)."""

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
def log_cdf(z):
    """Return the logarithm of the normal cdf, and its derivative."""
    if z > FAR:
        p = 0.5 * math.erfc(-z * ROOT_HALF)
        return math.log(p), math.exp(-0.5 * z * z - LOG_ROOT_TWO_PI) / p
    inverse = 1.0 / (z * z)
    series = 1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse))
    return -0.5 * z * z - math.log(-z) - LOG_ROOT_TWO_PI + math.log(series), -z / series


@kernel
def log_logistic(z):
    """Return the logarithm of the logistic cdf, and its derivative."""
    shrunk = math.exp(-abs(z))
    log_p = min(z, 0.0) - math.log1p(shrunk)
    return log_p, (shrunk if z >= 0.0 else 1.0) / (1.0 + shrunk)


@kernel
def softmax_cells(data, pair, values, slope):
    """Return the log likelihood of a pair in a MaxEnt grammar; add its gradient to `slope`."""
    k, total = values.size, 0.0
    for c in range(data.cell_start[pair], data.cell_start[pair + 1]):
        first, last = data.offsets[data.cell[c]], data.offsets[data.cell[c] + 1]
        at = data.count_start[c]
        best, heard = np.inf, 0.0
        penalties = np.empty(last - first)
        for r in range(first, last):
            penalty = 0.0
            for i in range(k):
                penalty += values[i] * data.violations[r, i]
            penalties[r - first] = penalty
            best = min(best, penalty)
            heard += data.heard[at + r - first]
        normaliser = 0.0
        for r in range(last - first):
            normaliser += math.exp(best - penalties[r])
        log_normaliser = math.log(normaliser) - best
        for r in range(first, last):
            n, log_p = data.heard[at + r - first], -penalties[r - first] - log_normaliser
            if n > 0.0:
                total += n * log_p
            excess = heard * math.exp(log_p) - n
            for i in range(k):
                slope[i] += excess * data.violations[r, i]
    return total


@kernel
def cells_of_two(data, pair, values, slope):
    """Return the log likelihood of a pair where the better of two candidates wins; add its gradient."""
    k, total = values.size, 0.0
    for c in range(data.cell_start[pair], data.cell_start[pair + 1]):
        row, at = data.offsets[data.cell[c]], data.count_start[c]
        z = 0.0
        for i in range(k):
            z += values[i] * data.violations[row, i]
        pull = 0.0
        for side in range(2):
            n, sign = data.heard[at + side], 1.0 - 2.0 * side
            if n > 0.0:
                log_p, rise = log_logistic(sign * z) if data.kind == LOGIT else log_cdf(sign * z)
                total += n * log_p
                pull += n * sign * rise
        for i in range(k):
            slope[i] += pull * data.violations[row, i]
    return total


@kernel
def ranking_cells(data, pair, values, slope):
    """Return the log likelihood of a pair under strict domination, by its exact probabilities."""
    relations = data.plan.states.size - 1
    first, last = data.cell_start[pair], data.cell_start[pair + 1]
    if relations == 0 or first == last:
        return 0.0
    todo, p = np.zeros(relations, np.bool_), np.ones(relations)
    for c in range(first, last):
        todo[data.cell[c]] = True
    z, of_active = standardise(values, data.noise, data.active), np.zeros((relations, data.active.size))
    gradients_on(PANEL, z, data.plan, todo, p, of_active)
    if todo.any():
        gradients_on(fine_panel(z), z, data.plan, todo, p, of_active)
    total = 0.0
    for c in range(first, last):
        r, n = data.cell[c], data.heard[c]
        if not p[r] > 0.0:
            return -np.inf
        total += n * math.log(p[r])
        for a in range(data.active.size):
            slope[data.active[a]] += n * of_active[r, a] / (p[r] * data.noise)
    return total


@kernel
def pair_density(data, pair, theta, slope):
    """Return the log likelihood of a pair's tokens; write its gradient by theta to `slope`.

    Weights below the lowest are moved to it in `theta`, and have no slope.
    """
    slope[:] = 0.0
    if data.kind == RANKING:
        return ranking_cells(data, pair, theta, slope)
    for i in range(theta.size):
        theta[i] = max(theta[i], data.lowest)
    if data.kind == SOFTMAX:
        total = softmax_cells(data, pair, theta, slope)
    else:
        total = cells_of_two(data, pair, theta, slope)
    for i in range(theta.size):
        if theta[i] == data.lowest:
            slope[i] = 0.0
    return total


@kernel
def spread_of(values, level, which):
    """Return tau (which = 0) or omega (1), 0 where the level is off."""
    k = values.size // 3
    return values[(1 + which) * k : (2 + which) * k] if level.on else np.zeros(k)


@kernel
def shift(rng, prior, level, which, values, effects):
    """Draw what the groups of a level have in common, and give it to m; every theta stays."""
    k, mine = values.size // 3, effects[which]
    groups, tau = mine.z.shape[0], spread_of(values, level, which)
    moved = np.empty(k)
    for i in range(k):
        if abs(math.log(tau[i])) >= MOST_LOG:
            continue
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
        if abs(before) >= MOST_LOG:
            continue
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
def density_of_all(data, prior, levels, values, z, slope, of_z):
    """Return the log density of m, tau, omega and every z, up to a constant; write its gradient.

    `z` and its gradient `of_z` are pairs of arrays, of speakers and of items.
    """
    k, total = values.size // 3, 0.0
    slope[:] = 0.0
    for i in range(k):
        pull = 0.0
        for j in range(k):
            pull += prior.precision[i, j] * (values[j] - prior.centre[j])
        slope[i] = -pull
        total -= 0.5 * pull * (values[i] - prior.centre[i])
    for which in range(2):
        of_z[which][:] = -z[which]
        total -= 0.5 * np.sum(z[which] ** 2)
        if levels[which].on:
            for i in range((1 + which) * k, (2 + which) * k):
                total -= 0.5 * (values[i] / prior.spread) ** 2
                slope[i] = -values[i] / prior.spread**2
    tau, omega = spread_of(values, levels[0], 0), spread_of(values, levels[1], 1)
    theta, of_theta = np.empty(k), np.empty(k)
    for pair in range(data.member.shape[1]):
        g, w = data.member[0, pair], data.member[1, pair]
        for i in range(k):
            theta[i] = values[i] + tau[i] * z[0][g, i] + omega[i] * z[1][w, i]
        density = pair_density(data, pair, theta, of_theta)
        if density == -np.inf:
            return density
        total += density
        for i in range(k):
            slope[i] += of_theta[i]
            slope[k + i] += of_theta[i] * z[0][g, i]
            slope[2 * k + i] += of_theta[i] * z[1][w, i]
            of_z[0][g, i] += of_theta[i] * tau[i]
            of_z[1][w, i] += of_theta[i] * omega[i]
    return total


@kernel
def kick(momentum, of_values, half, slope, steps, of_z, effects):
    """Change momenta by half a step along the gradient."""
    of_values += half * (slope @ steps)
    for which in range(2):
        momentum[which][:] += half * effects[which].scale * of_z[which]


@kernel
def energy(momentum, of_values):
    """Return the kinetic energy."""
    return 0.5 * (np.sum(of_values**2) + np.sum(momentum[0] ** 2) + np.sum(momentum[1] ** 2))


@kernel
def move_all(rng, data, prior, levels, chain, effects, tuning_on):
    """Move all parameters along one trajectory; return whether its energy went astray."""
    d, tuning, k = chain.steps.shape[1], chain.tuning, chain.values.size // 3
    of_values, values, slope = np.empty(d), chain.values.copy(), np.empty_like(chain.values)
    z = (effects[0].z.copy(), effects[1].z.copy())
    of_z, momentum = (np.zeros_like(z[0]), np.zeros_like(z[1])), (np.zeros_like(z[0]), np.zeros_like(z[1]))
    size = math.exp(tuning[1] if tuning_on else tuning[2]) * (0.8 + 0.4 * rng.random())
    leaps = min(MOST_LEAPS, max(1, round(TRAJECTORY / size)))
    for a in range(d):
        of_values[a] = rng.standard_normal()
    for which in range(2):
        if levels[which].on:
            for g in range(z[which].shape[0]):
                for i in range(k):
                    momentum[which][g, i] = rng.standard_normal()
    density = density_of_all(data, prior, levels, values, z, slope, of_z)
    before = density - energy(momentum, of_values)
    for _leap in range(leaps):
        kick(momentum, of_values, 0.5 * size, slope, chain.steps, of_z, effects)
        if not drift(prior, values, of_values, chain.steps, size):
            density = -np.inf
            break
        for which in range(2):
            z[which][:] += size * effects[which].scale * momentum[which]
        density = density_of_all(data, prior, levels, values, z, slope, of_z)
        if density == -np.inf:
            break
        kick(momentum, of_values, 0.5 * size, slope, chain.steps, of_z, effects)
    ratio = density - energy(momentum, of_values) - before
    chance = math.exp(min(0.0, ratio)) if ratio == ratio else 0.0
    if rng.random() < chance:
        if prior.centred:
            values[:k] -= np.mean(values[:k])
        chain.values[:] = values
        for which in range(2):
            effects[which].z[:] = z[which]
    if tuning_on:
        tune(tuning, ACCEPT - chance)
    return ratio < ASTRAY or ratio != ratio


@kernel
def gather(effects):
    """Add the current z of a level to the running means and sums of squares."""
    effects.gathered[0] += 1.0
    n = effects.gathered[0]
    for g in range(effects.z.shape[0]):
        for i in range(effects.z.shape[1]):
            off = effects.z[g, i] - effects.mean[g, i]
            effects.mean[g, i] += off / n
            effects.squares[g, i] += off * (effects.z[g, i] - effects.mean[g, i])


@kernel
def sweep_mixed(rng, data, prior, levels, chain, effects, learning, tuning_on, sweeps, record, sweep):
    """Do sweeps; return the number done in all, and how many trajectories went astray."""
    k, astray = chain.values.size // 3, 0
    for _ in range(sweeps):
        for which in range(2):
            if levels[which].on:
                shift(rng, prior, levels[which], which, chain.values, effects)
                rescale(rng, prior, which, chain.values, effects)
        astray += move_all(rng, data, prior, levels, chain, effects, tuning_on)
        if learning:
            learn_scatter(chain)
            for which in range(2):
                gather(effects[which])
        sweep += 1
        if sweep % record.thin == 0:
            row = record.draws[sweep // record.thin - 1]
            row[:k] = chain.values[:k]
            row[k : 2 * k] = spread_of(chain.values, levels[0], 0)
            row[2 * k :] = spread_of(chain.values, levels[1], 1)
        if sweep % record.every == 0:
            at = 0
            for which in range(2):
                spread = spread_of(chain.values, levels[which], which)
                for g in range(effects[which].z.shape[0]):
                    for i in range(k):
                        record.kept[sweep // record.every - 1, at] = spread[i] * effects[which].z[g, i]
                        at += 1
    return sweep, astray


@kernel
def likelihoods(data, common, speakers, items, out):
    """Write the log likelihood of all tokens under each draw of m, and of the effects, to `out`, (draws,)."""
    theta, slope = np.empty(common.shape[1]), np.empty(common.shape[1])
    for d in range(out.size):
        out[d] = 0.0
        for pair in range(data.member.shape[1]):
            of_speaker, of_item = speakers[d, data.member[0, pair]], items[d, data.member[1, pair]]
            for i in range(theta.size):
                theta[i] = common[d, i] + of_speaker[i] + of_item[i]
            out[d] += pair_density(data, pair, theta, slope)
