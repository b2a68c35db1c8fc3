r"""What learnt ranking values say about the data: predictions, likelihood, best draw.

The posterior predictive of a candidate is the mean of its exact probability over
draws; its 95 % interval holds the middle 95 % of them. The log likelihood of ranking
values :math:`\mu` is :math:`\sum_c n_c \ln P(c \mid \mu)`, exact, over classes of
candidates with the same violations: which of a class was said, no ranking tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.probability import predict_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ot.tableau import Tableau

__all__ = ["Predicted", "log_likelihood", "log_likelihoods", "predict_from_draws", "spread_out"]

LEVEL = 0.95
# Transitions of the exact probabilities worth a second or two; fewer draws where one costs much.
_WORK = 5_000_000
_FEWEST, _MOST = 200, 1000


@dataclass(frozen=True, eq=False)
class Predicted:
    """Each candidate's probability under many draws of a grammar.

    Attributes
    ----------
    mean, low, high : ndarray of shape (rows,)
        Over draws: the mean, and the ends of the 95 % interval; NaN where there is none.
    at_best : ndarray of shape (rows,)
        Under the draw with the highest likelihood.
    best : ndarray of shape (constraints,)
        That draw.
    log_likelihood
        Its log likelihood in nats; -inf if it excludes what was observed.
    typical_log_likelihood
        The median over draws.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at_best: np.ndarray
    best: np.ndarray
    log_likelihood: float
    typical_log_likelihood: float


def log_likelihoods(tableau: Tableau, probabilities: np.ndarray, total: int | None = None) -> np.ndarray:
    """Return the log likelihood of each row of candidate probabilities.

    Parameters
    ----------
    tableau, total
        As for :meth:`Tableau.counts <otlab.ot.counting.counts>`.
    probabilities : ndarray of shape (draws, rows)
        As :func:`~otlab.ot.probability.predict_many` returns them.

    Returns
    -------
    ndarray of shape (draws,)
    """
    counts = tableau.counts(total)
    said = counts > 0
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities[:, said] / tableau.plan.share[said])
    out: np.ndarray = logs @ counts[said]
    return out


def log_likelihood(
    tableau: Tableau,
    ranking_values: Sequence[float] | np.ndarray,
    noise: float | None = None,
    total: int | None = None,
) -> float:
    """Return the exact log likelihood of ranking values, in nats.

    Parameters
    ----------
    tableau
        Of K constraints; its frequencies are the data.
    ranking_values : float (K,)
        Only their differences matter.
    noise, total
        As for :func:`~otlab.ot.settings.resolve_settings`.

    Examples
    --------
    The Ilokano data are fitted exactly, a third each (99 ln 3 = 108.8):

    >>> from otlab.ot import read
    >>> round(log_likelihood(read("ilokano"), [-0.07755, 0.53159, -0.45404]), 1)
    -108.8
    """
    probability = predict_many(tableau, np.atleast_2d(np.asarray(ranking_values, float)), noise, seed=0)
    return float(log_likelihoods(tableau, probability, total)[0])


def spread_out(draws: np.ndarray, tableau: Tableau) -> np.ndarray:
    """Return evenly spaced draws, as many as can be evaluated in about a second.

    Parameters
    ----------
    draws : ndarray of shape (n, K)
        Chains pooled, one after another.
    """
    size = int(np.clip(_WORK // max(1, tableau.plan.constraint.size), _FEWEST, _MOST))
    chosen = np.linspace(0, len(draws) - 1, min(size, len(draws))).round().astype(int)
    thinned: np.ndarray = draws[chosen]
    return thinned


def predict_from_draws(
    tableau: Tableau, draws: np.ndarray, noise: float, total: int | None = None, *, seed: int = 0
) -> Predicted:
    """Return the predictive distribution of draws, and the best of them.

    Parameters
    ----------
    tableau, total
        As for :meth:`Tableau.counts <otlab.ot.counting.counts>`.
    draws : ndarray of shape (n, K)
        Evaluated all; thin them with :func:`spread_out` first.
    noise
        Evaluation noise.
    seed
        Of the sampling, where an input is too large for exact probabilities.
    """
    probability = predict_many(tableau, draws, noise, seed=seed)
    scores = log_likelihoods(tableau, probability, total)
    best = int(np.argmax(scores))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(probability, [tail, 1 - tail], axis=0)
    top, typical = float(scores[best]), float(np.median(scores))
    return Predicted(probability.mean(axis=0), low, high, probability[best], draws[best], top, typical)
