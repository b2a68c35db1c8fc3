r"""Priors learnt from the text: drawn by the samplers, fitted by VB and MAP-EM.

The samplers draw the logarithms of alpha_x and alpha_y after each sweep, given the counts n of the sample, by
slice sampling from

.. math::
    p(\alpha \mid n) \propto e^{-\alpha} \prod_{rows}
    \frac{\Gamma(K\alpha)}{\Gamma(n_\cdot + K\alpha)} \prod_i \frac{\Gamma(n_i + \alpha)}{\Gamma(\alpha)},

an exponential prior of mean 1 times the probability of the counts. Goldwater & Griffiths (2007), who learn
them too, use an improper uniform prior and Metropolis-Hastings.

VB and MAP-EM take one step of Minka's fixed point (2000, equation 55) before each M-step,

.. math::
    \alpha \leftarrow \alpha \, \frac{\sum_{rows} \sum_i \psi(n_i + \alpha) - \psi(\alpha)}
    {\sum_{rows} K (\psi(n_\cdot + K\alpha) - \psi(K\alpha))},

on the expected counts. It raises the probability of the counts, the only part of the bound that depends on
alpha once the posterior of the parameters is the best one; so the free energy still never rises. MAP-EM's
parameters are then modes under the prior that its counts prefer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma, gammaln

from otlab.inference.dirichlet import log_marginal
from otlab.inference.slice import slice_sample
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.learners.expectation import ExpectationLearner, FitState

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging.hmm.parameters import Counts
    from otlab.tagging.learners.expectation import Space
    from otlab.tagging.view import Trace

__all__ = ["PriorLearner", "draw_emission_prior", "draw_prior", "drawn_prior", "fixed_point_prior"]

_LOWEST, _HIGHEST = 1e-7, 1e3


@dataclass(frozen=True, eq=False)
class PriorLearner(ExpectationLearner):
    """A learner with Dirichlet priors, which it may fit to the text.

    Attributes
    ----------
    prior
        The paper's alpha_x and alpha_y.
    learn_priors
        Whether both are fitted to the expected counts before each M-step, from these values on.
    """

    prior: Prior = field(default_factory=Prior)
    learn_priors: bool = False

    def expect(self, counts: Counts, trace: Trace, alarm: str, space: Space) -> FitState:
        """Return the next state; with priors that are learnt, under those of its counts."""
        if not self.learn_priors:
            return super().expect(counts, trace, alarm, space)
        now = Prior(*trace.priors[-1]) if trace.priors else self.prior
        if trace.priors:
            now = fixed_point_prior(counts, now, self.allowed)
        trace.priors.append((now.emission, now.transition))
        return replace(self, prior=now, learn_priors=False).expect(counts, trace, alarm, space)


def drawn_prior(rng: np.random.Generator, alpha: float, log_marginal_of: Callable[[float], float]) -> float:
    """Return alpha drawn under an exponential prior of mean 1, given the log probability of the counts."""

    def log_density(log_alpha: float) -> float:
        value = float(np.exp(log_alpha))
        if not _LOWEST <= value <= _HIGHEST:
            return -np.inf
        return log_alpha - value + log_marginal_of(value)

    return float(np.exp(slice_sample(rng, log_density, float(np.log(alpha)))))


def draw_prior(
    rng: np.random.Generator,
    emissions: np.ndarray,
    transitions: np.ndarray,
    per_state: np.ndarray,
    prior: Prior,
    outcomes: np.ndarray,
) -> Prior:
    """Return priors drawn given the counts of a sample.

    Parameters
    ----------
    rng, prior
        Source of random numbers, and the present priors.
    emissions, transitions, per_state
        Counts; see :class:`~otlab.tagging.hmm.parameters.Counts`. Emissions below 0 are ignored.
    outcomes : ndarray of int, shape (states,)
        Number of words that each state may emit.
    """
    emission = draw_emission_prior(rng, emissions, per_state, prior.emission, outcomes)
    transition = drawn_prior(rng, prior.transition, lambda alpha: log_marginal(transitions, np.array(alpha)))
    return Prior(emission, transition)


def draw_emission_prior(
    rng: np.random.Generator,
    emissions: np.ndarray,
    per_state: np.ndarray,
    prior: float,
    outcomes: np.ndarray,
) -> float:
    """Return the emission prior drawn given the counts of a sample; see :func:`draw_prior`."""
    sizes = np.bincount(emissions[emissions > 0].astype(np.int64))
    values = np.flatnonzero(sizes)
    cells = sizes[values]
    used = outcomes > 0
    totals, words = per_state[used], outcomes[used]

    def of_emissions(alpha: float) -> float:
        filled = float(cells @ (gammaln(values + alpha) - gammaln(alpha)))
        return filled + float((gammaln(words * alpha) - gammaln(totals + words * alpha)).sum())

    return drawn_prior(rng, prior, of_emissions)


def _fixed_point(counts: np.ndarray, alpha: float, sizes: np.ndarray) -> float:
    """Return Minka's next alpha of rows of counts with so many outcomes each."""
    gain = float((digamma(counts + alpha) - digamma(alpha)).sum())
    totals = counts.sum(1, dtype=np.float64)
    cost = float((sizes * (digamma(totals + sizes * alpha) - digamma(sizes * alpha))).sum())
    if not (gain > 0 and cost > 0):
        return alpha
    return float(np.clip(alpha * gain / cost, _LOWEST, _HIGHEST))


def fixed_point_prior(counts: Counts, prior: Prior, allowed: np.ndarray | None = None) -> Prior:
    """Return the priors after a step of Minka's fixed point on expected counts.

    Parameters
    ----------
    counts, prior
        Expected counts, and the present priors.
    allowed : ndarray of bool, shape (types, states), optional
        The states that each word may have.
    """
    types, states = counts.emissions.shape
    sizes = np.full(states, types) if allowed is None else allowed.sum(0)
    by_state = counts.emissions.T.astype(np.float64)
    emission = _fixed_point(by_state[sizes > 0], prior.emission, sizes[sizes > 0])
    transitions = counts.transitions.reshape(-1, states + 1)
    rows = np.full(len(transitions), states + 1)
    return Prior(emission, _fixed_point(transitions, prior.transition, rows))
