"""Exact posteriors of two and three ranking values, by quadrature on a grid.

Nothing here samples, and nothing is shared with the sampler: probabilities of
relations come from SciPy's normal distribution functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True)
class Moments:
    mean: np.ndarray
    sd: np.ndarray


def weighted(values, log_density):
    """Return mean and sd of each column of `values` under a density on an even grid."""
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()
    mean = weight @ values
    return Moments(mean, np.sqrt(weight @ (values - mean) ** 2))


def two(wins, losses, noise=1.0, bound=6.0, apriori=()):
    """Return the posterior of two values with sum 0, after C1 > C2 `wins` times, C2 > C1 `losses` times."""
    half = np.linspace(-bound, bound, 20_001)[1:-1]
    values = in_order(np.stack([half, -half], 1), apriori)
    z = (values[:, 0] - values[:, 1]) / (noise * np.sqrt(2.0))
    return weighted(values, wins * norm.logcdf(z) + losses * norm.logcdf(-z))


def chain(top, middle, bottom):
    """Return P(y_top > y_middle > y_bottom), unit noise: the middle one's value integrated out."""
    t = middle[..., None] + NODES
    return (norm.sf(t - top[..., None]) * norm.cdf(t - bottom[..., None])) @ WEIGHTS


def above_both(one, other, third):
    """Return P(y_one > max(y_other, y_third)), unit noise."""
    t = one[..., None] + NODES
    return (norm.cdf(t - other[..., None]) * norm.cdf(t - third[..., None])) @ WEIGHTS


def in_order(values, apriori):
    """Return the ranking values (n, K) in which the first constraint of each pair is above the second."""
    for higher, lower in apriori:
        values = values[values[:, higher] > values[:, lower]]
    return values


def plane(half_width, centre=(0.0, 0.0), points=241, bound=6.0):
    """Return ranking values (n, 3) with sum 0 within the bound, on an even grid around a centre."""
    a = np.linspace(centre[0] - half_width, centre[0] + half_width, points)
    b = np.linspace(centre[1] - half_width, centre[1] + half_width, points)
    first, second = (grid.ravel() for grid in np.meshgrid(a, b, indexing="ij"))
    values = np.stack([first, second, -first - second], axis=1)
    return values[(np.abs(values) < bound).all(axis=1)]


def ilokano(count, half_width, points=161, apriori=(), prior=None):
    """Return the posterior of the Ilokano values (C, A, I), every form `count` times, noise 1, bound 6.

    With means and sds as `prior` there is no bound: the normal prior is that of the centred values, the level
    of all values integrated out. The cut between AL and another constraint is midway between points.
    """
    h = 2 * half_width / (points - 1)
    centre = (-0.078, 0.533) if not apriori else (h * (np.floor(-0.078 / h) + 0.5), h * np.round(0.533 / h))
    bound = 6.0 if prior is None else np.inf
    values = in_order(plane(half_width, centre, points, bound), apriori)
    c, a, i = values.T
    second = above_both(-c, -a, -i)  # C lowest: minus the values are normal too
    first = chain(a, c, i)
    third = norm.cdf((c - a) / np.sqrt(2.0))
    log_density = count * sum(np.log(np.maximum(p, 1e-300)) for p in (first, second, third))
    if prior is not None:
        mean, sd = prior
        away, weight = values - mean, sd**-2.0
        level = (away @ weight) / weight.sum()
        log_density -= 0.5 * ((away - level[:, None]) ** 2 @ weight)
    return weighted(values, log_density)
