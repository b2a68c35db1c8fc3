r"""The posterior density of the ranking values from exact probabilities, and its maximum.

The log likelihood of ranking values is :math:`\sum_r n_r \ln P_r(\mu)` over relations, with the
exact probabilities of :mod:`otlab.ot.probability`; only differences of values matter, so values
are centred. A normal prior :math:`N(m_i, s_i^2)` of each value has, with the mean
of the values integrated out, the precision :math:`Q = S - S 1 1^T S / 1^T S 1`,
:math:`S = \mathrm{diag}(s_i^{-2})`, for the centred values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError
from otlab.ot.kernels.exact import Target, Weighted, log_density
from otlab.ot.probability_plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.conditions import Relation
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = ["exact_target", "log_posterior", "zero_sum_basis"]


def exact_target(
    tableau: Tableau,
    relations: Sequence[Relation],
    settings: Settings,
    prior: NormalPrior | None,
    apriori: Sequence[tuple[int, int]] = (),
) -> Target:
    """Return the posterior as the kernels take it.

    Parameters
    ----------
    tableau, settings
        What is learnt from, with the noise and the bound.
    relations
        Those that are observed; see
        :meth:`RankingSampler.relations <otlab.ot.learners.sampler.RankingSampler.relations>`.
    prior
        Uniform within the bound if None.
    apriori
        Pairs of constraints by number: ranking values keep the first above the second.

    Raises
    ------
    InputError
        If the probabilities of an observed input cannot be computed exactly.
    """
    plan = plan_of(tableau)
    large = {relation.input for relation in relations} & set(plan.sampled)
    if large:
        raise InputError(
            Fault(
                f"{', '.join(repr(tableau.inputs[k]) for k in sorted(large))}: too many candidates differ"
                " in too many ways for exact probabilities",
                "use --learner gibbs",
                file=tableau.name,
            )
        )
    weights = np.zeros(plan.n_relations + 2)
    for relation in relations:
        weights[plan.entry[relation.row]] += relation.count
    k = tableau.n_constraints
    centre, precision, bound = np.zeros(k), np.zeros((k, k)), settings.bound
    if prior is not None:
        sharpness = prior.sd**-2.0
        precision = np.diag(sharpness) - np.outer(sharpness, sharpness) / sharpness.sum()
        centre, bound = prior.mean.astype(float), np.inf
    higher, lower = np.array(apriori, np.int64).reshape(-1, 2).T.copy()
    nothing = Weighted(np.empty((0, k)), np.zeros(1, np.int64), np.empty(0))
    limit = np.full(k, bound)
    prior_part = (-limit, limit, centre, precision, higher, lower)
    return Target(plan.arrays, plan.active, weights[2:].copy(), settings.noise, *prior_part, nothing, False)


def log_posterior(target: Target, values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the log posterior density up to a constant, and its gradient; the bound is not checked."""
    slope = np.empty(values.size)
    density = log_density(target, np.ascontiguousarray(values, dtype=np.float64), slope, True)
    return float(density), slope


def zero_sum_basis(n: int) -> NDArray[np.float64]:
    """Return an orthonormal basis of the vectors with sum 0, shape (n, n - 1) (Helmert).

    >>> zero_sum_basis(3).round(3)
    array([[ 0.707,  0.408],
           [-0.707,  0.408],
           [ 0.   , -0.816]])
    """
    basis = np.zeros((n, n - 1))
    for j in range(n - 1):
        basis[: j + 1, j], basis[j + 1, j] = 1.0, -(j + 1.0)
    basis /= np.sqrt((basis**2).sum(axis=0))
    return basis
