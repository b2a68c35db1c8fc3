r"""Compute the M-steps: from expected counts, the weights of the next E-step.

========  ======================================================================
EM        :math:`\theta = E[n] / \sum E[n]` (Johnson 2007, equation 2)
MAP-EM    counts :math:`\max(0, E[n] + \alpha - 1)` instead (section 4's ad hoc foil)
VB        :math:`\tilde\theta = f(E[n] + \alpha) / f(\sum (E[n] + \alpha))`,
          :math:`f = \exp \psi` (equation 4, with K = s + 1 for its s)
========  ======================================================================

The variational free energy is :math:`F = -\sum \ln z(\tilde\theta, \tilde\phi) +
\sum_{rows} KL(\text{posterior} \| \text{prior})`; it never increases, while the
paper's :math:`-\sum \ln z` alone can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma, gammaln

from otlab.errors import InputError
from otlab.inference.dirichlet import expected_log, kl_divergence
from otlab.tagging.hmm.estep import row_blocks
from otlab.tagging.hmm.parameters import Weights, float_type
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.weights import (
    bayes_active_rows,
    bayes_rows,
    count_filled,
    share_rows,
    sum_rows,
)

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts, Precision

__all__ = [
    "LEAST_SHARE",
    "Prior",
    "bayes_emissions",
    "bayes_transitions",
    "bayes_weights",
    "posterior_mean",
    "share_weights",
]

LEAST_SHARE = 1e-18
"""Lower bound of EM's shares. A share that is 0 stays 0, and shares can fall by a constant factor in each
iteration: those of float32 would be 0 long before those of float64, and the two would find different
optima. The bound is too small to change the sum of a row in float64."""

FEW = 0.25
"""Share of counts above 0 below which VB's M-step visits only these, as after a sparse E-step."""


@dataclass(frozen=True)
class Prior:
    """Symmetric Dirichlet priors.

    Attributes
    ----------
    emission, transition
        alpha_x and alpha_y of the paper: the pseudo-count of each word in each state, and of each
        transition from a state or the boundary.
    """

    emission: float = 0.1
    transition: float = 0.1

    def __post_init__(self) -> None:
        for name, value in (("emission", self.emission), ("transition", self.transition)):
            if not 0 < value < np.inf:
                raise InputError(f"--{name}-prior {value:g}: a Dirichlet prior is a number above 0")


def _lifted(transitions: np.ndarray, precision: Precision) -> np.ndarray:
    """Return weights that do not underflow, so that rounding leaves a path for each sentence."""
    least = np.finfo(float_type(precision)).tiny * 1e8
    lifted: np.ndarray = np.maximum(transitions, least)
    return lifted


def share_weights(
    counts: Counts,
    precision: Precision,
    *,
    prior: Prior | None = None,
    allowed: np.ndarray | None = None,
    threads: int = 1,
) -> Weights:
    """Return relative frequencies of the counts.

    Parameters
    ----------
    counts, precision
        The counts, and the precision of the weights.
    prior
        If given, alpha - 1 is added to every count first, and negative counts become 0. A word whose
        counts are 0 in all states has the same small weight in each, and transitions are kept above 0,
        because its sentences would otherwise have no path.
    allowed : ndarray of bool, shape (types, states), optional
        The states that each word may have.

    Notes
    -----
    A state without counts has a uniform row of transitions and emits nothing. No share of a row of
    transitions is below :data:`LEAST_SHARE`, and no emission is below this times the word's best, unless
    the prior makes it 0 or `allowed` excludes it.
    """
    added = 0.0 if prior is None else float(prior.emission) - 1
    transitions = np.maximum(counts.transitions + (0.0 if prior is None else prior.transition - 1), 0.0)
    no_words = (-1,) * transitions.ndim
    transitions[no_words] = 0.0
    totals = transitions.sum(-1, keepdims=True)
    uniform = np.full(transitions.shape[-1], 1 / transitions.shape[-1])
    theta = np.where(totals > 0, transitions / np.where(totals > 0, totals, 1), uniform)
    theta = np.maximum(theta, LEAST_SHARE)
    theta[no_words] = 0.0
    types, states = counts.emissions.shape
    mask = np.ones((1, 1), bool) if allowed is None else allowed
    emission, log_scale = np.empty((types, states), float_type(precision)), np.empty(types)
    taken = counts.emissions, added, mask, allowed is not None
    blocks = row_blocks(types)
    per_state = np.sum(each(lambda rows: sum_rows(*taken, *rows), blocks, threads), axis=0)
    least = LEAST_SHARE if added >= 0 else 0.0
    inverse = np.where(per_state > 0, 1 / np.where(per_state > 0, per_state, 1), 0.0)

    def block(rows: tuple[int, int]) -> None:
        share_rows(*taken, inverse, least, *rows, emission, log_scale)

    each(block, blocks, threads)
    return Weights(theta, emission, log_scale)


def bayes_weights(
    counts: Counts,
    prior: Prior,
    precision: Precision,
    *,
    masses: np.ndarray | None = None,
    allowed: np.ndarray | None = None,
    threads: int = 1,
) -> tuple[Weights, float]:
    """Return VB's weights, and the KL divergence of the posterior from the prior in nats.

    Parameters
    ----------
    counts
        Expected counts. The posterior of each row is Dirichlet(counts + prior).
    prior
        See :class:`Prior`.
    precision
        Precision of the weights; the divergence is computed in float64.
    masses : ndarray of the shape of the transitions, optional
        Prior of each transition, in place of the symmetric one.
    allowed : ndarray of bool, shape (types, states), optional
        The states that each word may have. There is no prior for the others.
    """
    of_rows = np.array(prior.transition) if masses is None else masses
    theta, divergence = bayes_transitions(counts, of_rows, precision)
    found = bayes_emissions(counts.emissions, prior.emission, precision, allowed, threads, divergence)
    emission, log_scale, divergence = found
    return Weights(theta, emission, log_scale), divergence


def bayes_transitions(counts: Counts, prior: np.ndarray, precision: Precision) -> tuple[np.ndarray, float]:
    """Return VB's weights of transitions, and the KL divergence of their posterior from the prior in nats."""
    posterior = counts.transitions + prior
    theta = _lifted(np.exp(np.maximum(expected_log(posterior), -745.0)), precision)
    return theta, kl_divergence(posterior, prior)


def bayes_emissions(
    counts: np.ndarray,
    prior: float,
    precision: Precision,
    allowed: np.ndarray | None,
    threads: int,
    divergence: float,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return VB's weights of emissions, the log scale of each word, and `divergence` plus theirs in nats.

    `counts` are those of words in states, of shape (types, states).
    """
    types, states = counts.shape
    outcomes = np.full(states, types) if allowed is None else allowed.sum(0)
    mass = outcomes * prior
    mask, blocks = np.ones((1, 1), bool) if allowed is None else allowed, row_blocks(types)
    sums = each(lambda rows: sum_rows(counts, 0.0, mask, False, *rows), blocks, threads)
    per_state = np.sum(sums, axis=0)
    shift = digamma(np.where(outcomes > 0, per_state + mass, 1.0))
    emission, log_scale = np.empty((types, states), float_type(precision)), np.empty(types)
    filled = sum(each(lambda rows: count_filled(counts, *rows), blocks, threads))
    written = emission, log_scale

    def few_cells(rows: tuple[int, int]) -> float:
        psi = float(digamma(prior))
        return float(bayes_active_rows(counts, prior, psi, shift, *rows, *written))

    def all_cells(rows: tuple[int, int]) -> float:
        masked = mask, allowed is not None
        return float(bayes_rows(counts, prior, *masked, shift, *rows, *written))

    block = few_cells if allowed is None and filled < FEW * types * states else all_cells
    divergence += sum(each(block, blocks, threads))
    used = outcomes > 0
    totals = gammaln(per_state[used] + mass[used]) - gammaln(mass[used]) - per_state[used] * shift[used]
    return emission, log_scale, divergence + float(totals.sum())


def posterior_mean(
    counts: Counts,
    prior: Prior,
    precision: Precision,
    allowed: np.ndarray | None,
    masses: np.ndarray | None = None,
    *,
    emission_prior: np.ndarray | None = None,
) -> Weights:
    """Return the predictive probabilities, the means of Dirichlet(counts + prior) for each row.

    `masses` are as in :func:`bayes_weights`; `emission_prior` is that of each state, where they differ.
    """
    added = prior.emission if emission_prior is None else emission_prior
    transitions = counts.transitions + (prior.transition if masses is None else masses)
    usable = np.ones(counts.emissions.shape, bool) if allowed is None else allowed
    emissions = np.where(usable, counts.emissions + added, 0.0)
    totals = np.maximum(emissions.sum(0, dtype=np.float64), np.finfo(float).tiny)
    return Weights.of_probabilities(
        transitions / transitions.sum(-1, keepdims=True), emissions / totals, precision
    )
