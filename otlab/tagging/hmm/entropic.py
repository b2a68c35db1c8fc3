r"""The M-step under Brand's entropic prior (1999), which makes rows as certain as the counts allow.

For each row of counts n it maximises

.. math::
    \sum_i n_i \ln \theta_i + \sum_i \theta_i \ln \theta_i, \quad \sum_i \theta_i = 1.

Setting the derivative to 0, with :math:`v_i = n_i / \theta_i` and the multiplier :math:`\lambda`,

.. math::
    v_i - \ln v_i = -1 - \lambda - \ln n_i, \quad \theta_i = n_i / v_i,

so that :math:`v_i = -W(-n_i e^{1 + \lambda})`, W being Lambert's function. Brand takes the branch with
v >= 1 for all outcomes; at a maximum at most one outcome, that of the largest count, may be on the other,
and is if the counts add up to little. With large counts the exponential underflows: v is found from its
logarithm here.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.run import check_interrupt

__all__ = ["entropic_rows", "negative_entropy"]

_STEPS, _HALVINGS = 60, 200
_NEAR = 1e-13


def negative_entropy(rows: np.ndarray) -> float:
    """Return the sum of theta ln theta over all entries, in nats."""
    used = rows[rows > 0]
    return float((used * np.log(used)).sum())


def _upper(c: np.ndarray) -> np.ndarray:
    """Return the solution v >= 1 of v - ln v = c, for c >= 1."""
    excess = np.maximum(c - 1, 0.0)
    # The first terms of the series near 1 and far from it; both are good starts for Newton's method.
    v = np.where(excess < 1, 1 + np.sqrt(2 * excess) + 2 * excess / 3, c + np.log(np.maximum(c, 1.0)))
    for _ in range(8):
        step = np.where(v > 1, (v - np.log(v) - c) / np.where(v > 1, 1 - 1 / v, 1.0), 0.0)
        v = np.maximum(v - step, 1.0)
    return np.asarray(v)


def _lower(c: float) -> float:
    """Return the solution 0 < v <= 1 of v - ln v = c, for c >= 1."""
    log_v = -c if c > 2 else -np.sqrt(2 * max(c - 1, 0.0))
    for _ in range(50):
        v = np.exp(log_v)
        slope = v - 1
        if slope >= 0:
            break
        step = (v - log_v - c) / slope
        log_v = min(log_v - step, 0.0)
        if abs(step) < 1e-16:
            break
    return float(np.exp(log_v))


def _row(counts: np.ndarray) -> np.ndarray:
    """Return the maximum of one row of positive counts."""
    if counts.size == 1:
        return np.ones(1)
    logs = np.log(counts)
    top = int(counts.argmax())
    bound = -2 - logs[top]  # of the multiplier: all v are defined up to here

    def shares(multiplier: float, *, low: bool) -> np.ndarray:
        c = -1 - multiplier - logs
        theta: np.ndarray = counts / _upper(c)
        if low:
            theta[top] = counts[top] / _lower(float(c[top]))
        return theta

    low_branch = float(shares(bound, low=False).sum()) < 1
    # Multiplying the condition by theta and adding up gives the multiplier of any theta near the maximum.
    guess = counts / counts.sum()
    multiplier = min(-1 - counts.sum() - negative_entropy(guess), bound)
    below, above = -np.inf, bound
    for _ in range(_STEPS + _HALVINGS):
        theta = shares(multiplier, low=low_branch)
        excess = theta.sum() - 1
        if abs(excess) < _NEAR:
            break
        # The sum rises with the multiplier on Brand's branch, and falls near the root on the other.
        if (excess < 0) != low_branch:
            below = multiplier
        else:
            above = multiplier
        v = counts / theta
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = float((theta / (v - 1)).sum())
            following = multiplier - excess / slope
        if not below < following < above:
            following = (
                (below + above) / 2 if np.isfinite(below) else multiplier - 2 * (above - multiplier) - 1
            )
        multiplier = following
    return np.asarray(theta / theta.sum())


def entropic_rows(counts: np.ndarray) -> np.ndarray:
    """Return the rows that maximise the counts' likelihood times the entropic prior.

    Parameters
    ----------
    counts : ndarray of shape (rows, outcomes)
        Expected counts; an outcome without one has probability 0, and a row without any is 0.

    Examples
    --------
    >>> entropic_rows(np.array([[6.0, 3.0, 1.0]])).round(3)
    array([[0.625, 0.289, 0.086]])
    """
    rows = np.zeros(counts.shape)
    for row, of_row in zip(rows, np.asarray(counts, np.float64), strict=True):
        check_interrupt()
        used = of_row > 1e-12 * max(float(of_row.max()), 1e-300)
        if used.any():
            row[used] = _row(of_row[used])
    return rows
