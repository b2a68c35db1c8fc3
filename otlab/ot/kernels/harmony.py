"""Kernels of weighted grammars: the candidate of least penalty wins, with noise of some kind.

The penalty of a candidate is the sum of its violations, each times the weight of its constraint.
All rivals compete: with noise, one that is harmonically bounded may win too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["BY_CELL", "BY_CONSTRAINT", "GUMBEL", "LATE", "Pull", "count_winners", "weight_trials"]

# Where noise is added: to each weight, to the weight in each cell, to each penalty; or Gumbel
# noise to each penalty, under which candidates win as in a MaxEnt grammar.
BY_CONSTRAINT, BY_CELL, LATE, GUMBEL = range(4)


class Pull(NamedTuple):
    """A normal prior, spread over the observations.

    Attributes
    ----------
    mean, rate : float64 (K,)
        Each trial moves a weight towards the mean by `rate` times the plasticity of their
        distance; both empty without a prior.
    lowest
        Bound of the weights, 0 or -inf.
    """

    mean: np.ndarray
    rate: np.ndarray
    lowest: float


@kernel
def draw_weights(rng, data, x, kind, weights, noise, drawn):
    """Write the weights of the active constraints of input `x`, with their noise if it has such."""
    first = data.active_start[x]
    for a in range(data.active_start[x + 1] - first):
        i = data.active[first + a]
        drawn[a] = weights[i]
        if kind == BY_CONSTRAINT:
            drawn[a] += noise[i] * rng.standard_normal()


@kernel
def noisy_penalty(rng, data, x, row, kind, noise, drawn):
    """Return the penalty of a row of input `x` under drawn weights, with noise of its own if it has such."""
    first, start, penalty, variance = data.active_start[x], data.violation_start[row], 0.0, 0.0
    for a in range(data.active_start[x + 1] - first):
        marks = data.violations[start + a]
        penalty += drawn[a] * marks
        if kind == BY_CELL:
            variance += (noise[data.active[first + a]] * marks) ** 2
    if kind == BY_CELL:  # the sum of independent noise over cells is one normal number
        penalty += math.sqrt(variance) * rng.standard_normal()
    elif kind == LATE:
        penalty += noise[0] * rng.standard_normal()
    elif kind == GUMBEL:
        penalty += math.log(rng.standard_exponential())
    return penalty


@kernel
def winner(rng, data, x, kind, weights, noise, drawn):
    """Return the row that wins input `x`; of equal ones the first. `drawn` is scratch, (K,)."""
    draw_weights(rng, data, x, kind, weights, noise, drawn)
    best, least = -1, np.inf
    for r in range(data.rival_start[x], data.rival_start[x + 1]):
        penalty = noisy_penalty(rng, data, x, data.rivals[r], kind, noise, drawn)
        if penalty < least:
            best, least = data.rivals[r], penalty
    return best


@kernel
def move_weights(rng, data, x, pull, stage, weights, size, target, produced):
    """Move weights after a trial on input `x`; return whether the two rows have other violations."""
    plasticity, first = stage.plasticity, data.active_start[x]
    wrong, step = False, size
    if stage.spread > 0.0:
        step *= 1.0 + stage.spread * rng.standard_normal()
    for a in range(data.active_start[x + 1] - first):
        d = data.violations[data.violation_start[produced] + a]
        d -= data.violations[data.violation_start[target] + a]
        if d != 0:
            i = data.active[first + a]
            weights[i] = max(pull.lowest, weights[i] + step * plasticity[i] * d)
            wrong = True
    for i in range(pull.rate.size):
        back = min(1.0, size * plasticity[i] * pull.rate[i]) * (weights[i] - pull.mean[i])
        weights[i] = max(pull.lowest, weights[i] - back)
    return wrong


@kernel
def weight_trials(rng, data, kind, pull, stage, weights, record, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor.

    On an error each weight moves by the plasticity times the difference of violations. `record`
    and `size` as for :func:`otlab.ot.kernels.gla.trials`.
    """
    errors, entries, drawn = 0, data.observed.size, np.empty_like(weights)
    row, due = 0, record.due
    for _ in range(n):
        u = rng.random() * entries
        j = int(u)
        if u - j >= data.chance[j]:
            j = data.alias[j]
        target = data.observed[j]
        x = data.input_of[target]
        produced = winner(rng, data, x, kind, weights, stage.noise, drawn)
        errors += move_weights(rng, data, x, pull, stage, weights, size, target, produced)
        size *= stage.ratio
        due -= 1
        if due == 0:
            record.rows[row] = weights
            row, due = row + 1, record.every
    return errors, size


@kernel
def count_winners(rng, data, kind, weights, noise, draws, wins):
    """Count in `wins`, (rows,), how often each row wins its input in a number of draws."""
    drawn = np.empty_like(weights)
    for x in range(data.rival_start.size - 1):
        for _ in range(draws):
            wins[winner(rng, data, x, kind, weights, noise, drawn)] += 1
