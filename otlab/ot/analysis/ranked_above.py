r"""Compute the probability that one constraint is ranked above another, with its interval.

In an evaluation :math:`y_i \sim N(\mu_i, \sigma^2)`, so that constraint a is above b with probability

.. math:: P(a \gg b) = \Phi\left(\frac{\mu_a - \mu_b}{\sqrt{\sigma_a^2 + \sigma_b^2}}\right)

under one grammar, with the same noise for all constraints unless the noises were learnt. For a
constraint that is a mixture, the probabilities of its two components are weighted by their shares. A
posterior has such a probability for each draw; the result has their mean and central 95 % interval.
These probabilities concern pairs of constraints, unlike ranking values, whose marginals may have several
peaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from otlab.errors import InputError
from otlab.ot.fitted import LEVEL

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.fitted import Fit

__all__ = ["RankedAbove", "ranked_above", "says_of_pairs"]

_MOST_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class RankedAbove:
    """The probability that the constraint of a row is ranked above that of a column.

    Attributes
    ----------
    constraints
        Names, sorted by the mean probability of being ranked above another constraint, highest first.
    mean, low, high : float64 (constraints, constraints)
        Posterior mean, and the ends of the 95 % interval; NaN on the diagonal. In the order of `constraints`.
    """

    constraints: tuple[str, ...]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each pair: higher, lower, mean, low, high."""
        import pandas as pd

        a, b = np.nonzero(~np.eye(len(self.constraints), dtype=bool))
        names = np.array(self.constraints, dtype=object)
        numbers = {name: getattr(self, name)[a, b] for name in ("mean", "low", "high")}
        return pd.DataFrame({"higher": names[a], "lower": names[b], **numbers})


def says_of_pairs(fit: Fit) -> bool:
    """Return whether a fit says how probable it is that one constraint is ranked above another."""
    drawn = fit.posterior is not None and "ranking_value" in fit.posterior.draws
    return drawn or fit.pairs is not None


def ranked_above(fit: Fit) -> RankedAbove:
    """Return the probability that each constraint is ranked above each other constraint.

    Parameters
    ----------
    fit
        Fit of a learner that samples ranking values, or learns these probabilities in several runs: mean
        and interval are over runs then.

    Raises
    ------
    InputError
        If the fit has no draws of ranking values.

    Examples
    --------
    >>> from otlab.ot import fit_exact, read
    >>> above = ranked_above(fit_exact(read("ilokano"), sweeps=2000, seed=1))
    >>> above.constraints
    ('AL', '*C-ONS', 'I_BR')
    >>> above.mean.round(2).tolist()[0]
    [nan, 0.67, 0.76]
    """
    posterior = fit.posterior
    if fit.pairs is not None:
        tail = (1 - LEVEL) / 2
        ends = np.quantile(fit.pairs, [tail, 1 - tail], axis=0)
        return _sorted(fit.tableau.constraints, fit.pairs.mean(axis=0), *ends)
    if posterior is None or "ranking_value" not in posterior.draws:
        raise InputError("only draws of ranking values say how probable a ranking is; run gibbs or exact")
    chosen = _evenly(len(posterior.pooled("ranking_value")))
    values = posterior.pooled("ranking_value")[chosen]
    noise = np.full_like(values, fit.settings["noise"])
    if "noise" in posterior.draws:
        noise = posterior.pooled("noise")[chosen]
    places = [(values, np.ones_like(values))]
    if "share_higher" in posterior.draws:
        named = {name: posterior.pooled(name)[chosen] for name in ("higher", "lower", "share_higher")}
        plain = np.isnan(named["share_higher"])
        share = np.where(plain, 1.0, named["share_higher"])
        places = [
            (np.where(plain, values, named["higher"]), share),
            (np.where(plain, values, named["lower"]), 1.0 - share),
        ]
    return _summary(fit.tableau.constraints, places, noise)


def _evenly(n: int) -> NDArray[np.int64]:
    """Return the indices of evenly spaced draws, at most 2,000."""
    return np.linspace(0, n - 1, min(n, _MOST_DRAWS)).round().astype(np.int64)


def _summary(
    names: tuple[str, ...],
    places: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    noise: NDArray[np.float64],
) -> RankedAbove:
    """Return mean and interval over draws; `places` are means (draws, K) with their shares."""
    k, tail = len(names), (1 - LEVEL) / 2
    mean, low, high = (np.full((k, k), np.nan) for _ in range(3))
    for a in range(k):
        for b in range(a):
            apart = np.hypot(noise[:, a], noise[:, b])
            above = sum(
                s[:, a] * t[:, b] * ndtr((p[:, a] - q[:, b]) / apart) for p, s in places for q, t in places
            )
            mean[a, b], (low[a, b], high[a, b]) = np.mean(above), np.quantile(above, [tail, 1 - tail])
            mean[b, a], low[b, a], high[b, a] = 1 - mean[a, b], 1 - high[a, b], 1 - low[a, b]
    return _sorted(names, mean, low, high)


def _sorted(
    names: tuple[str, ...], mean: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> RankedAbove:
    """Return the constraints by how often each is above another, the diagonals NaN."""
    for matrix in (mean, low, high):
        np.fill_diagonal(matrix, np.nan)
    order = np.argsort(-np.nansum(mean, axis=1), kind="stable")
    grid = np.ix_(order, order)
    return RankedAbove(tuple(names[i] for i in order), mean[grid], low[grid], high[grid])
