r"""The posterior density of the ranking values from exact probabilities, and its maximum.

The log likelihood of ranking values is :math:`\sum_r n_r \ln P_r(\mu)` over relations, with the
exact probabilities of :mod:`otlab.ot.probability`; only differences of values matter, so values
are centred. Where the parses of observed overt forms are not known, the probability is that of the overt
form, the sum of those of its parses. A normal prior :math:`N(m_i, s_i^2)` of each value has, with the mean
of the values integrated out, the precision :math:`Q = S - S 1 1^T S / 1^T S 1`,
:math:`S = \mathrm{diag}(s_i^{-2})`, for the centred values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError
from otlab.ot.kernels.exact import Sums, Target, Weighted, log_density
from otlab.ot.overt import overt_forms_of, parses_unknown
from otlab.ot.probability_plan import ALWAYS, plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.conditions import Relation
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.probability_plan import Plan
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = ["NO_SUMS", "exact_target", "log_posterior", "zero_sum_basis"]

NO_SUMS = Sums(np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))


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
    plan, overt = plan_of(tableau), bool(parses_unknown(tableau))
    counts = np.asarray(tableau.counts(settings.total), float)
    heard = np.unique(tableau.input_of_row[counts > 0]).tolist() if overt else ()
    large = {*heard, *(relation.input for relation in relations)} & set(plan.sampled)
    if large:
        raise InputError(
            Fault(
                f"{', '.join(repr(tableau.inputs[k]) for k in sorted(large))}: too many candidates differ"
                " in too many ways for exact probabilities",
                f"use --learner {'latent-gibbs' if overt else 'gibbs'}",
                file=tableau.name,
            )
        )
    weights = np.zeros(plan.n_relations + 2)
    for relation in relations:
        weights[plan.entry[relation.row]] += relation.count
    sums = heard_sums(tableau, plan, counts) if overt else NO_SUMS
    weights[2 + sums.relation] = 1.0
    k = tableau.n_constraints
    centre, precision, bound = np.zeros(k), np.zeros((k, k)), settings.bound
    if prior is not None:
        sharpness = prior.sd**-2.0
        precision = np.diag(sharpness) - np.outer(sharpness, sharpness) / sharpness.sum()
        centre, bound = prior.mean.astype(float), np.inf
    higher, lower = np.array(apriori, np.int64).reshape(-1, 2).T.copy()
    nothing = Weighted(np.empty((0, k)), np.zeros(1, np.int64), np.empty(0), np.empty(0, np.int64))
    limit = np.full(k, bound)
    prior_part = (-limit, limit, centre, precision, higher, lower)
    data = plan.arrays, plan.active, weights[2:].copy(), settings.noise
    return Target(*data, *prior_part, nothing, sums, False)


def heard_sums(tableau: Tableau, plan: Plan, counts: NDArray[np.float64]) -> Sums:
    """Return the observed overt forms as sums over relations; those that every ranking gives are left out.

    Parameters
    ----------
    tableau, plan
        The tableau, and its plan.
    counts : float64 (rows,)
        Observations of each candidate; those of the parses of an overt form are added up.
    """
    forms = overt_forms_of(tableau)
    of_form = forms.sums(counts)
    parts: list[tuple[float, NDArray[np.int64], NDArray[np.float64]]] = []
    for form in np.flatnonzero(of_form).tolist():
        rows = np.flatnonzero(forms.of_row == form)
        entries, share = plan.entry[rows], plan.share[rows]
        if not (entries == ALWAYS).any():
            relations, which = np.unique(entries[entries > ALWAYS] - 2, return_inverse=True)
            shares = np.bincount(which, share[entries > ALWAYS]).astype(float)
            parts.append((of_form[form], relations, shares))
    if not parts:
        return NO_SUMS
    numbers, relations_of, shares_of = zip(*parts, strict=True)
    return Sums(
        np.array(numbers),
        np.cumsum([0, *map(len, relations_of)]).astype(np.int64),
        np.concatenate(relations_of).astype(np.int64),
        np.concatenate(shares_of),
    )


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
