r"""Kernels of grammars with speakers and items: the likelihood of their tokens.

A *pair* is a speaker and an item of which there are tokens. For each there are the log likelihood as a
function of its values :math:`\theta`, the gradient, and the expected information
:math:`n \sum_c \nabla p_c \nabla p_c^T / p_c`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.mixed_ranking import ranking_density, relations_of

if TYPE_CHECKING:
    from otlab.ot.kernels.probability import PlanArrays

__all__ = [
    "LOGIT",
    "PROBIT",
    "RANKING",
    "SOFTMAX",
    "Tokens",
    "likelihoods",
    "pair_density",
    "pair_information",
]

# How candidates win: as in MaxEnt, by ranking, or the better of two with normal or with logistic noise.
SOFTMAX, RANKING, PROBIT, LOGIT = range(4)

ROOT_HALF = math.sqrt(0.5)
LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)
FAR = -20.0  # below it the normal cdf is that of its asymptotic series


class Tokens(NamedTuple):
    """The data: P pairs of a speaker and an item with C cells, each the counts of one pair in one input.

    For RANKING the cells of a pair are relations of the plan with one count each, those of all candidates of
    an input of which it has tokens; for PROBIT and LOGIT an
    input has two rows in `violations`: the second's less the first's over the noise's scale, and zeros.
    """

    kind: int
    lowest: float  # values below it count as it: 0 or -inf
    noise: float
    violations: np.ndarray  # float64 (rows, K)
    offsets: np.ndarray  # (inputs + 1,)
    plan: PlanArrays
    active: np.ndarray
    sides: np.ndarray  # int8 (relations, active) of those with one rival: 1 favours the winner, -1 the rival
    member: np.ndarray  # (2, P) speaker and item of each pair
    cell_start: np.ndarray  # (P + 1,)
    cell: np.ndarray  # (C,) input, or relation
    count_start: np.ndarray  # (C + 1,)
    heard: np.ndarray
    trials: np.ndarray  # (C,) of RANKING: tokens of the inputs that the relation is of


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
def pair_density(data, pair, theta, slope):
    """Return the log likelihood of a pair's tokens; write its gradient by theta to `slope`.

    Weights below the lowest are moved to it in `theta`, and have no slope.
    """
    slope[:] = 0.0
    if data.kind == RANKING:
        return ranking_density(data, pair, theta, slope)
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
def add_outer(factor, vector, out):
    """Add a multiple of a vector's outer product with itself."""
    for i in range(vector.size):
        for j in range(vector.size):
            out[i, j] += factor * vector[i] * vector[j]


@kernel
def softmax_information(data, pair, theta, out):
    """Add the expected information of a pair's tokens in a MaxEnt grammar."""
    k = theta.size
    for c in range(data.cell_start[pair], data.cell_start[pair + 1]):
        first, last = data.offsets[data.cell[c]], data.offsets[data.cell[c] + 1]
        heard = np.sum(data.heard[data.count_start[c] : data.count_start[c] + last - first])
        p, mean = np.empty(last - first), np.zeros(k)
        for r in range(first, last):
            p[r - first] = -np.sum(theta * data.violations[r])
        p = np.exp(p - np.max(p))
        p /= np.sum(p)
        for r in range(first, last):
            mean += p[r - first] * data.violations[r]
        for r in range(first, last):
            add_outer(heard * p[r - first], data.violations[r] - mean, out)


@kernel
def information_of_two(data, pair, theta, out):
    """Add the expected information of a pair where the better of two candidates wins."""
    for c in range(data.cell_start[pair], data.cell_start[pair + 1]):
        row, at = data.offsets[data.cell[c]], data.count_start[c]
        z = np.sum(theta * data.violations[row])
        if data.kind == LOGIT:
            sharpness = log_logistic(z)[1] * log_logistic(-z)[1]
        else:
            sharpness = log_cdf(z)[1] * log_cdf(-z)[1]
        add_outer((data.heard[at] + data.heard[at + 1]) * sharpness, data.violations[row], out)


@kernel
def ranking_information(data, pair, theta, out):
    """Add the expected information of a pair under strict domination."""
    first, last = data.cell_start[pair], data.cell_start[pair + 1]
    p, of_active = relations_of(data, pair, theta, True)
    score = np.zeros(theta.size)
    for c in range(first, last):
        r = data.cell[c]
        if p[r] > 0.0:
            for a in range(data.active.size):
                score[data.active[a]] = of_active[r, a] / data.noise
            add_outer(data.trials[c] / p[r], score, out)


@kernel
def pair_information(data, pair, theta, out):
    """Write the expected information of a pair's tokens about theta to `out`, (K, K)."""
    out[:] = 0.0
    if data.kind == RANKING:
        ranking_information(data, pair, theta, out)
        return
    for i in range(theta.size):
        theta[i] = max(theta[i], data.lowest)
    if data.kind == SOFTMAX:
        softmax_information(data, pair, theta, out)
    else:
        information_of_two(data, pair, theta, out)
    for i in range(theta.size):
        if theta[i] == data.lowest:
            out[i, :] = 0.0
            out[:, i] = 0.0


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
