r"""Probability of each candidate under given ranking values: exact, and fast enough for dragging.

With :math:`y_i \sim N(\mu_i, \sigma^2)` independent, the probability that a relation
holds is a sum of nested integrals, computed by dynamic programming over the rivals not
yet beaten (:mod:`otlab.ot.probability_plan`) and quadrature (error below 1e-12). The gradient
is computed by the adjoint method; it gives the mean of the disharmonies if a candidate wins,

.. math:: E[y_i \mid w] = \mu_i + \sigma^2 \, \partial \log P(w) / \partial \mu_i .

If one candidate needs more than 20,000 transitions, its input is sampled instead, with
common random numbers: one seed gives the same noise for all ranking values, so differences
between ranking values are smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from otlab.errors import InputError, counted
from otlab.inference.random import fresh_seed
from otlab.ot.given import check_tableau
from otlab.ot.kernels.probability import batch_values, relation_gradients, relation_values, sample_winners
from otlab.ot.probability_plan import plan_of
from otlab.ot.settings import resolve_noise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["Gradient", "Prediction", "conditional_means", "gradient", "predict", "predict_many"]

SAMPLES = 100_000
SAMPLES_A_DRAW = 2_000


@dataclass(frozen=True, eq=False)
class Prediction:
    """Probabilities of the candidates.

    Attributes
    ----------
    probability : float64 (rows,)
        Sums to 1 over each input's candidates; identical candidates share equally.
    standard_error : float64 (rows,)
        0 if exact.
    method
        ``"monte carlo"`` if any input is sampled.
    seed
        Of the sampling; None if exact.
    """

    probability: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    method: Literal["exact", "monte carlo"]
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Gradient:
    """Probabilities of the candidates and their derivatives.

    Attributes
    ----------
    probability : float64 (rows,)
    slope : float64 (rows, K)
        d probability / d ranking value.
    """

    probability: NDArray[np.float64]
    slope: NDArray[np.float64]


def predict(
    tableau: Tableau, ranking_values: ArrayLike, noise: float | None = None, *, seed: int | None = None
) -> Prediction:
    """Return the probability of each candidate.

    Parameters
    ----------
    tableau
        Of K constraints.
    ranking_values : float (K,)
        In the order of the tableau's constraints; only their differences matter.
    noise
        Standard deviation of the evaluation noise; the tableau's, else 2.
    seed
        Of the sampling, if exact computation would take too long; a fresh one if None.

    Raises
    ------
    InputError
        If there are not K finite values, or the noise is not positive.

    Examples
    --------
    >>> from otlab.ot import read
    >>> predict(read("ilokano"), [-0.07755, 0.53159, -0.45404]).probability.round(4)
    array([0.3333, 0.3333, 0.3333])
    """
    values, sd = _checked(tableau, ranking_values, noise)
    plan = plan_of(tableau)
    entries = np.empty(plan.n_relations + 2)
    relation_values(values, sd, plan.active, plan.arrays, entries)
    probability = entries[plan.entry] * plan.share
    if not plan.sampled:
        return Prediction(probability, np.zeros(tableau.n_rows), "exact")
    seed = _seed(seed)
    sampled, wins, _ = _sample(tableau, values, sd, seed, SAMPLES)
    probability[sampled] = wins
    error = np.zeros(tableau.n_rows)
    error[sampled] = np.sqrt(wins * (1.0 - wins) / SAMPLES)
    return Prediction(probability, error, "monte carlo", seed)


def predict_many(
    tableau: Tableau, draws: ArrayLike, noise: float | None = None, *, seed: int | None = None
) -> NDArray[np.float64]:
    """Return the probability of each candidate under each of many ranking values.

    Parameters
    ----------
    tableau, noise, seed
        As for :func:`predict`; an input that must be sampled gets 2,000 rankings per draw.
    draws : float (D, K)
        For instance draws from a posterior.

    Returns
    -------
    ndarray, float64 (D, rows)

    Raises
    ------
    InputError
        As :func:`predict`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> predict_many(read("lin2005_table1"), [[0, 0, 0], [1, 0, 0]], noise=1).round(2)
    array([[0.67, 0.33],
           [0.82, 0.18]])
    """
    values, sd = _checked(tableau, draws, noise, dimensions=2)
    plan = plan_of(tableau)
    entries = np.empty((len(values), plan.n_relations + 2))
    batch_values(values, sd, plan.active, plan.arrays, entries)
    probability = entries[:, plan.entry] * plan.share
    if plan.sampled:
        seed = _seed(seed)
        for d, row in enumerate(values):
            sampled, wins, _ = _sample(tableau, row, sd, seed, SAMPLES_A_DRAW)
            probability[d, sampled] = wins
    return probability


def gradient(
    tableau: Tableau, ranking_values: ArrayLike, noise: float | None = None, *, seed: int | None = None
) -> Gradient:
    """Return the probability of each candidate and its derivative by each ranking value.

    Parameters and errors are those of :func:`predict`. In an input that must be sampled the
    slope is the mean of the score over the draws it wins.

    Examples
    --------
    >>> from otlab.ot import read
    >>> gradient(read("lin2005_table1"), [0.0, 0.0, 0.0], noise=1).slope[0].round(2)  # of y1
    array([ 0.14,  0.14, -0.28])
    """
    values, sd = _checked(tableau, ranking_values, noise)
    plan = plan_of(tableau)
    entries = np.empty(plan.n_relations + 2)
    slopes = np.empty((entries.size, tableau.n_constraints))
    relation_gradients(values, sd, plan.active, plan.arrays, entries, slopes)
    probability, slope = entries[plan.entry] * plan.share, slopes[plan.entry] * plan.share[:, None]
    if plan.sampled:
        sampled, wins, scores = _sample(tableau, values, sd, _seed(seed), SAMPLES)
        probability[sampled], slope[sampled] = wins, scores / sd
    return Gradient(probability, slope)


def conditional_means(
    tableau: Tableau, ranking_values: ArrayLike, noise: float | None = None, *, seed: int | None = None
) -> NDArray[np.float64]:
    """Return the mean disharmony of each constraint given that a candidate wins, float64 (rows, K).

    The E step of EM. NaN for a candidate that never wins; parameters and errors are those
    of :func:`predict`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> conditional_means(read("lin2005_table1"), [0.0, 0.0, 0.0], noise=1)[0].round(2)
    array([ 0.21,  0.21, -0.42])
    """
    values, sd = _checked(tableau, ranking_values, noise)
    result = gradient(tableau, values, sd, seed=seed)
    possible = np.where(result.probability > 0, result.probability, np.nan)
    means: NDArray[np.float64] = values + sd**2 * result.slope / possible[:, None]
    return means


def _checked(
    tableau: Tableau, values: ArrayLike, noise: float | None, dimensions: int = 1
) -> tuple[NDArray[np.float64], float]:
    check_tableau(tableau)
    array = np.array(values, dtype=np.float64, order="C")  # Numba compiles anew for those that are read-only
    k = tableau.n_constraints
    if array.ndim != dimensions or array.shape[-1] != k:
        raise InputError(
            f"there are {counted(k, 'constraint')}; give one ranking value for each, not {array.shape}"
        )
    if not np.isfinite(array).all():
        raise InputError("a ranking value is not finite; give numbers")
    return array, resolve_noise(tableau, noise)


def _seed(seed: int | None) -> int:
    return fresh_seed() if seed is None else seed


def _sample(
    tableau: Tableau, values: NDArray[np.float64], noise: float, seed: int, samples: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows of sampled inputs, how often each wins, and its mean score times the noise."""
    plan = plan_of(tableau)
    wins = np.zeros(tableau.n_rows, dtype=np.int64)
    scores = np.zeros((tableau.n_rows, tableau.n_constraints))
    inputs = np.array(plan.sampled, dtype=np.int64)
    rng = np.random.Generator(np.random.PCG64(seed))
    sample_winners(rng, values, noise, samples, tableau.violations, tableau.offsets, inputs, wins, scores)
    rows = np.flatnonzero(np.isin(tableau.input_of_row, inputs))
    first = _first_of_class(tableau, rows)
    share = plan.share[rows]
    return rows, wins[first] / samples * share, scores[first] / samples * share[:, None]


def _first_of_class(tableau: Tableau, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row the first one of its input with the same violations."""
    first: dict[tuple[int, bytes], int] = {}
    keys = [(int(tableau.input_of_row[r]), tableau.violations[r].tobytes()) for r in rows]
    for key, row in zip(keys, rows.tolist(), strict=True):
        first.setdefault(key, row)
    return np.array([first[key] for key in keys])
