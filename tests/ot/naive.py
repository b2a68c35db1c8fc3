"""Reference answers in plain Python: enumerated rankings, nested integrals, relations by definition."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import numpy as np
from scipy import integrate
from scipy.stats import norm


def winners(violations, order):
    """Return the candidates (rows of `violations`) that win under an order, highest constraint first."""
    left = list(range(len(violations)))
    for c in order:
        least = min(violations[row][c] for row in left)
        left = [row for row in left if violations[row][c] == least]
    return left


def shares(violations, weight_of_order):
    """Return each candidate's share of the orders' weights; identical winners share equally."""
    p = np.zeros(len(violations))
    for order in permutations(range(len(violations[0]))):
        best = winners(violations, order)
        p[best] += weight_of_order(order) / len(best)
    return p


def equal_values(violations):
    """Return the probabilities at equal ranking values: all K! orders are equally likely."""
    k = len(violations[0])
    return shares(violations, lambda order: 1.0 / factorial(k))


def nested(violations, values, noise):
    """Return the probabilities under three constraints, by adaptive quadrature over the middle one."""
    low, high = min(values) - 9 * noise, max(values) + 9 * noise

    def weight(order):
        top, middle, bottom = (values[c] / noise for c in order)

        def f(t):
            return norm.pdf(t - middle) * norm.sf(t - top) * norm.cdf(t - bottom)

        return integrate.quad(f, low / noise, high / noise, epsabs=1e-13, limit=200)[0]

    return shares(violations, weight)


def grid_nested(violations, values, noise, n=4001):
    """Return the probabilities by the nested integral of every order, in cumulative Simpson sums."""
    t = np.linspace(min(values) - 9 * noise, max(values) + 9 * noise, n)
    density = [norm(m, noise).pdf(t) for m in values]

    def weight(order):
        h = np.ones(n)
        for c in reversed(order):
            h = integrate.cumulative_simpson(density[c] * h, x=t, initial=0.0)
        return h[-1]

    return shares(violations, weight)


def can_win(violations, row):
    """Return whether a candidate is a winner under some order."""
    return any(row in winners(violations, order) for order in permutations(range(len(violations[0]))))


def simple_bounders(violations, row):
    """Return the candidates that are as good on every constraint and better on one."""
    own = np.asarray(violations[row])
    return [
        other
        for other, v in enumerate(np.asarray(violations))
        if other != row and (v <= own).all() and (v < own).any()
    ]


def smallest_bounding_sets(violations, row, rivals):
    """Return all minimal sets of rivals that together keep a candidate from winning."""

    def bounds(some):
        return not can_win([violations[row], *(violations[r] for r in some)], 0)

    return [
        set(some)
        for size in range(1, len(rivals) + 1)
        for some in combinations(rivals, size)
        if bounds(some) and not any(bounds([r for r in some if r != left]) for left in some)
    ]
