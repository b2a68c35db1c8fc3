r"""Variational Bayes for the infinite HMM with at most so many states.

The prior is that of :mod:`otlab.tagging.learners.ihmm`, truncated: rows of transitions are drawn around
common weights beta, of which a point is estimated, with alpha, rho and gamma
(:mod:`otlab.tagging.hmm.weak_limit`). Given these, a posterior is found as in
:mod:`otlab.tagging.learners.vb`, each row's prior being its masses
:math:`\alpha((1 - \rho)\beta_q + \rho[k = q])`. The objective is the free energy less the log prior of
what is estimated by a point, in nats; it falls.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.inference.kernels.subnormals import no_subnormals
from otlab.tagging.hmm.hdp import Concentration, Franchise
from otlab.tagging.hmm.mstep import Prior, bayes_weights, posterior_mean
from otlab.tagging.hmm.weak_limit import climb, log_prior, prior_masses, start_weights
from otlab.tagging.learners.expectation import DecodeSettings, FitState
from otlab.tagging.learners.ihmm import InfiniteHMM, InfiniteSettings
from otlab.tagging.learners.learnt_priors import fixed_point_prior
from otlab.tagging.learners.vb import VB
from otlab.tagging.view import Trace

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts, Weights
    from otlab.tagging.learners.expectation import Space
    from otlab.tagging.view import View

__all__ = ["HdpState", "HdpVB", "HdpVBSettings"]

_USED = 1.0  # expected tokens of a state that counts


class HdpVBSettings(DecodeSettings, InfiniteSettings):
    """The settings of truncated VB; `states` is the most that there may be."""


@dataclass
class HdpState(FitState):
    """A run between two updates, with the point estimates.

    Attributes
    ----------
    franchise
        Weights and concentrations.
    state_counts
        States of at least one expected token, in each iteration.
    concentrations
        gamma, alpha and rho in each iteration.
    """

    franchise: Franchise = field(default_factory=lambda: Franchise(1.0, 1.0, 0.0))
    state_counts: list[int] = field(default_factory=list)
    concentrations: list[tuple[float, float, float]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class HdpVB(VB):
    """Truncated variational Bayes of the infinite HMM; the prior of transitions is not used.

    Attributes
    ----------
    states
        The most that there may be.
    new_states, row_concentration
        Priors of gamma and alpha.
    sticky
        Whether rho is above 0, and estimated.
    now
        Weights and concentrations of the update that is being made.

    Examples
    --------
    >>> from otlab.inference import fit
    >>> from otlab.tagging import simulate_hmm
    >>> view = fit(HdpVB(simulate_hmm(400, 1, tags=3, types=20), states=8), steps=5, seed=1).view
    >>> view.state_counts.size, int(view.state_counts[-1]) <= 8
    (6, True)
    """

    name: ClassVar[str] = "vb-hdp"

    new_states: Concentration = InfiniteHMM.new_states
    row_concentration: Concentration = InfiniteHMM.row_concentration
    sticky: bool = False
    now: Franchise | None = None

    @property
    def _priors(self) -> tuple[Concentration, Concentration]:
        return self.new_states, self.row_concentration

    def init(self, rng: np.random.Generator) -> HdpState:
        """Return the start, evaluated by an E-step."""
        counts = self.first_counts(rng)
        concentrations = self.new_states.first, self.row_concentration.first
        franchise = start_weights(counts.transitions, *concentrations, 0.5 if self.sticky else 0.0)
        with no_subnormals():
            return self._next(counts, franchise, None, self.space(None))

    def step(self, rng: np.random.Generator, state: FitState, n: int) -> FitState:
        """Do `n` updates; nothing is random."""
        assert isinstance(state, HdpState)  # as init made it
        space = self.space(state)
        with no_subnormals():
            for _ in range(n):
                counts = state.expected.counts
                franchise = climb(counts.transitions, state.franchise, self._priors)
                state = self._next(counts, franchise, state, space)
        return state

    def _next(self, counts: Counts, franchise: Franchise, before: HdpState | None, space: Space) -> HdpState:
        """Return the state of the posterior given counts, at some weights and concentrations."""
        trace, alarm = (before.trace, before.alarm) if before else (Trace(), "")
        prior = self.prior
        if self.learn_priors:
            if trace.priors:
                prior = fixed_point_prior(counts, Prior(trace.priors[-1][0]), self.allowed)
            trace.priors.append((prior.emission, franchise.alpha))
        at = replace(self, prior=prior, learn_priors=False, now=franchise)
        reached = VB.expect(at, counts, trace, alarm, space)
        used = int(np.count_nonzero(reached.expected.counts.per_state >= _USED))
        state_counts = [*(before.state_counts if before else ()), used]
        concentrations = [*(before.concentrations if before else ())]
        concentrations.append((franchise.gamma, franchise.alpha, franchise.rho))
        return HdpState(
            **vars(reached), franchise=franchise, state_counts=state_counts, concentrations=concentrations
        )

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return exp(E[log theta]), and the KL divergence less the log prior of the point estimates."""
        assert self.now is not None  # as _next set it
        masses = prior_masses(self.now)
        weights, divergence = bayes_weights(
            counts, self.prior, self.precision, masses=masses, allowed=self.allowed, threads=self.threads
        )
        return weights, divergence - log_prior(self.now, self._priors)

    def view(self, state: FitState) -> View:
        """Return a snapshot."""
        assert isinstance(state, HdpState)
        counts, concentrations = np.array(state.state_counts), np.array(state.concentrations)
        return replace(super().view(state), state_counts=counts, concentrations=concentrations, sampled=False)

    def probabilities(self, state: FitState) -> Weights:
        """Return the means of the posterior given the last expected counts."""
        assert isinstance(state, HdpState)
        prior = Prior(state.trace.priors[-1][0]) if state.trace.priors else self.prior
        masses = prior_masses(state.franchise)
        return posterior_mean(state.expected.counts, prior, "f64", self.allowed, masses)
