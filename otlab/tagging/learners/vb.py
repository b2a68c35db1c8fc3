"""Variational Bayes for the bitag model (Johnson 2007, section 4, equations 4 and 5).

Departures: (4)'s K is s + 1 (:mod:`otlab.tagging.hmm.parameters`), digamma is exact
(:mod:`otlab.tagging.kernels.weights`), and the objective is the free energy with its
KL term, from iteration 0 on, because every start is made of pseudo-counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.tagging.hmm.mstep import Prior, bayes_weights, posterior_mean
from otlab.tagging.learners.expectation import DecodeSettings, ExpectationLearner, FitState
from otlab.tagging.learners.learnt_priors import fixed_point_prior
from otlab.tagging.learners.settings import LearntPriorSettings

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts, Weights
    from otlab.tagging.learners.expectation import Space
    from otlab.tagging.view import Trace

__all__ = ["VB", "VBSettings"]


class VBSettings(DecodeSettings, LearntPriorSettings):
    """The settings of Variational Bayes."""


@dataclass(frozen=True, eq=False)
class VB(ExpectationLearner):
    """Mean-field posterior; the objective is the free energy in nats, which falls.

    Attributes
    ----------
    prior
        The paper's alpha_x and alpha_y.
    learn_priors
        Whether both are fitted to the expected counts before each M-step, from these values on.
    """

    name: ClassVar[str] = "vb"
    direction: ClassVar[int] = -1
    normalized: ClassVar[bool] = False

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
