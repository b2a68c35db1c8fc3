"""Compute leave-one-out by Pareto-smoothed importance sampling [1]_, from draws of a posterior.

.. [1] A. Vehtari, A. Gelman and J. Gabry (2017), Practical Bayesian model evaluation using
   leave-one-out cross-validation and WAIC, *Statistics and Computing* 27.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

__all__ = ["RELIABLE", "leave_one_out", "of_each_draw", "reliability", "smoothed"]

_DRAWS = 1000
_VARIES = 1e-9
_SMALLEST = 0.05
RELIABLE = 0.7
"""A larger Pareto k says that a term of leave-one-out may be far off (Vehtari et al. 2017)."""


def leave_one_out(logs: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return the expected log predictive density, its standard error, and the largest Pareto k.

    If the lowest 5 % of an outcome's log probabilities are equal, there is no tail to smooth, and its term
    is that of importance sampling without smoothing. Pareto k is NaN if this holds for every outcome.

    Parameters
    ----------
    logs : float64 (chains, draws, outcomes)
        Log probability of each outcome under each draw.
    counts : int64 (outcomes,)
        Number of observations of each outcome, 1 or more.
    """
    terms, shapes = smoothed(logs)
    largest = float(np.nanmax(shapes)) if not np.isnan(shapes).all() else math.nan
    elpd, size = float(counts @ terms), int(counts.sum())
    variance = float(counts @ (terms - elpd / size) ** 2) / max(1, size - 1)
    return elpd, math.sqrt(size * variance), largest


def smoothed(logs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the leave-one-out term of each outcome, and its Pareto k, NaN without a tail to smooth; (n,).

    Parameters
    ----------
    logs : float64 (chains, draws, n)
        Log probability of each outcome under each draw.
    """
    from arviz_stats.base import array_stats

    flat = logs.reshape(-1, logs.shape[-1])
    terms, shapes = math.log(len(flat)) - logsumexp(-flat, axis=0), np.full(logs.shape[-1], math.nan)
    varies = np.quantile(flat, _SMALLEST, axis=0) - flat.min(axis=0) > _VARIES
    if varies.any():
        some = np.moveaxis(logs[..., varies], -1, 0)
        terms[varies], shapes[varies], _ = array_stats.loo(some, chain_axis=-2, draw_axis=-1)
    return terms, shapes


def of_each_draw(
    draws: NDArray[np.float64], probabilities: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return candidates' probabilities under evenly spaced draws, (chains, draws, rows)."""
    chains, length = draws.shape[:2]
    chosen = np.linspace(0, length - 1, min(length, _DRAWS // chains)).round().astype(int)
    flat = draws[:, chosen].reshape(-1, draws.shape[2])
    return probabilities(flat).reshape(chains, len(chosen), -1)


def reliability(shapes: Iterable[tuple[str, float]]) -> str:
    """Return a sentence on the largest Pareto k of each model's leave-one-out; empty if none has any.

    Parameters
    ----------
    shapes
        Label of each model, and its largest Pareto k, NaN where it has none.

    Examples
    --------
    >>> reliability([("MaxEnt", 0.31), ("Noisy HG", float("nan"))])
    'Largest Pareto k of leave-one-out: MaxEnt 0.31.'
    """
    known = [(label, k) for label, k in shapes if not math.isnan(k)]
    if not known:
        return ""
    each = ", ".join(f"{label} {k:.2f}" for label, k in known)
    unsure = [label for label, k in known if k > RELIABLE]
    rest = f"; above {RELIABLE:g} leave-one-out is not reliable ({', '.join(unsure)})" if unsure else ""
    return f"Largest Pareto k of leave-one-out: {each}{rest}."
