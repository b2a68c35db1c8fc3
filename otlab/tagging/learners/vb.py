"""Variational Bayes for the bitag model (Johnson 2007, section 4, equations 4 and 5).

Departures: (4)'s K is s + 1 (:mod:`otlab.tagging.hmm.parameters`), digamma is exact
(:mod:`otlab.tagging.kernels.weights`), and the objective is the free energy with its
KL term, from iteration 0 on, because every start is made of pseudo-counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.tagging.hmm.mstep import Prior, bayes_weights, posterior_mean
from otlab.tagging.learners.expectation import DecodeSettings, FitState
from otlab.tagging.learners.learnt_priors import PriorLearner
from otlab.tagging.learners.settings import LearntPriorSettings

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts, Weights

__all__ = ["VB", "VBSettings"]


class VBSettings(DecodeSettings, LearntPriorSettings):
    """The settings of Variational Bayes."""


@dataclass(frozen=True, eq=False)
class VB(PriorLearner):
    """Mean-field posterior; the objective is the free energy in nats, which falls."""

    name: ClassVar[str] = "vb"
    direction: ClassVar[int] = -1
    normalized: ClassVar[bool] = False

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return exp(E[log theta]) under Dirichlet(counts + prior), and the KL divergence."""
        return bayes_weights(counts, self.prior, self.precision, allowed=self.allowed, threads=self.threads)

    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return the free energy; none is defined while the temperature is above 1."""
        return penalty - log_probability if temperature == 1 else np.nan

    def probabilities(self, state: FitState) -> Weights:
        """Return the means of the posterior given the last expected counts."""
        prior = Prior(*state.trace.priors[-1]) if state.trace.priors else self.prior
        return posterior_mean(state.expected.counts, prior, "f64", self.allowed)
