r"""The phone loop: units of three states in a loop, weighted by sticks, by variational Bayes.

Unit m is drawn with probability :math:`\pi_m = \nu_m \prod_{j<m} (1 - \nu_j)`,
:math:`\nu_m \sim \mathrm{Beta}(1, \gamma)`; it runs through its states from left to right and
each state emits frames from its mixture of Gaussians (Ondel, Burget and Cernocky 2016;
Stengel-Eskin 2017, section 2.5). With :math:`n_m`, the expected *entries* into unit m,

.. math::
    g^1_m = 1 + n_m, \qquad g^2_m = \gamma + \textstyle\sum_{j>m} n_j, \qquad
    E\ln\pi_m = E\ln\nu_m + \textstyle\sum_{j<m} E\ln(1 - \nu_j)

All M sticks have Beta posteriors; the mass beyond the last one is lost, and the view reports it.
Units are sorted by :math:`n_m` in the M-step, before the sticks are computed from the same counts,
so that sorting never lowers the bound. The bound has a closed form:

.. math::
    \textstyle\sum_u \ln Z_u - \mathrm{KL(sticks)} - \mathrm{KL(mixtures)}
    - \mathrm{KL(transitions)} - \mathrm{KL(Gaussians)}

The paper prints :math:`\prod_{i=1}^{i-1}` in the weight of a unit, which is not defined, and
has errors in the sums of :math:`g^2` and of :math:`E\ln\pi`
(:mod:`~otlab.discovery.learners.sticks`). Sticks, Gaussians and transitions are the global
variables, paths the local ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.phone_loop import Loop
from otlab.discovery.learners.sticks import Sticks
from otlab.discovery.sound.estep import Scores
from otlab.discovery.sound.gaussians import Moments, NormalGamma, mixture_scores
from otlab.inference import dirichlet

if TYPE_CHECKING:
    from otlab.discovery.sound.estep import Expected
    from otlab.discovery.sound.speech import Speech

__all__ = ["LoopPosterior", "LoopPrior"]

MIXTURE_PRIOR = 1.0
FIRST_SHARE = 0.1
"""At the start each Gaussian counts this share of an equal part of all frames."""

FIRST_DURATION = 8
"""Assumed duration of a unit at the start, in frames."""


@dataclass(frozen=True)
class LoopPrior:
    """Sizes and hyperparameters.

    Attributes
    ----------
    units, states, components
        M, S and C: largest number of units, states of each unit, Gaussians of each state.
    concentration
        gamma, > 0.
    self_loop
        Probability of staying in a state, in (0, 1); the prior mean if transitions are learnt.
    learn_transitions
        Whether the transitions of each state are learnt.
    """

    units: int
    states: int
    components: int
    concentration: float
    self_loop: float
    learn_transitions: bool

    @property
    def transition(self) -> np.ndarray:
        """Pseudo-counts of staying and leaving, which sum to 2."""
        return 2 * np.array([self.self_loop, 1 - self.self_loop])


@dataclass(frozen=True, eq=False)
class LoopPosterior:
    """Posterior of all global variables.

    Attributes
    ----------
    prior
        The prior.
    sticks
        Posterior of the units' sticks, the most used unit first.
    mixture : float64 ndarray of shape (components, states, units)
        Dirichlet parameters.
    gaussians
        Posterior of the Gaussians, of the same shape.
    transition : float64 ndarray of shape (states, units, 2)
        Dirichlet parameters of staying and leaving; not used if transitions are not learnt.
    """

    prior: LoopPrior
    sticks: Sticks
    mixture: np.ndarray
    gaussians: NormalGamma
    transition: np.ndarray

    @staticmethod
    def at_random_frames(speech: Speech, prior: LoopPrior, rng: np.random.Generator) -> LoopPosterior:
        """Return a start with each Gaussian at a random frame, counted as a tenth of its share of frames.

        On synthetic speech (ten seeds), larger and smaller counts both end at lower bounds.
        """
        shape = (prior.components, prior.states, prior.units)
        size = prior.components * prior.states * prior.units
        chosen = rng.choice(speech.frames, size, replace=speech.frames < size)
        means = speech.features[chosen].reshape(*shape, -1)
        share = np.full(shape, FIRST_SHARE * speech.frames / size)
        moments = Moments(share, share[..., None] * means, share[..., None] * (means**2 + 1.0))
        entries = np.full(prior.units, speech.frames / (prior.units * FIRST_DURATION))
        return LoopPosterior(
            prior,
            Sticks.fitted(np.arange(prior.units), entries, 0.0, prior.concentration, 0.0),
            MIXTURE_PRIOR + share,
            NormalGamma.fitted(moments),
            np.broadcast_to(prior.transition, (*shape[1:], 2)).copy(),
        )

    def updated(self, expected: Expected) -> LoopPosterior:
        """Return the posterior given expected counts, with the units sorted by their entries."""
        prior = self.prior
        sticks = Sticks.fitted(np.arange(prior.units), expected.entries, 0.0, prior.concentration, 0.0)
        order = sticks.strings
        moments = expected.moments.ordered(order)
        moved = np.stack([expected.stays[:, order], expected.leaves[:, order]], axis=-1)
        return LoopPosterior(
            prior,
            sticks,
            MIXTURE_PRIOR + moments.uses,
            NormalGamma.fitted(moments),
            prior.transition + (moved if prior.learn_transitions else 0.0 * moved),
        )

    def first_units(self, units: int) -> LoopPosterior:
        """Return the posterior of the first units alone; the weight of the others is lost."""
        sticks = replace(
            self.sticks,
            strings=self.sticks.strings[:units],
            first=self.sticks.first[:units],
            second=self.sticks.second[:units],
        )
        return LoopPosterior(
            replace(self.prior, units=units),
            sticks,
            self.mixture[..., :units],
            self.gaussians.first_units(units),
            self.transition[:, :units],
        )

    def log_transitions(self) -> np.ndarray:
        """Return E ln of staying and leaving, of shape (states, units, 2)."""
        if self.prior.learn_transitions:
            return dirichlet.expected_log(self.transition)
        stay = self.prior.self_loop
        return np.broadcast_to(np.log([stay, 1 - stay]), self.transition.shape)

    @cached_property
    def scores(self) -> Scores:
        """Coefficients that score frames in the E-step."""
        coefficients = self.gaussians.coefficients()
        coefficients[..., -1] += mixture_scores(self.mixture)
        return Scores(coefficients, self._loop(self.sticks.weights))

    def _loop(self, entry: np.ndarray) -> Loop:
        stay, leave = np.moveaxis(np.exp(self.log_transitions()), -1, 0)
        return Loop(entry, np.ascontiguousarray(stay), np.ascontiguousarray(leave))

    @property
    def log_loop(self) -> Loop:
        """Logarithms of the loop's weights for the best path, with posterior means for the units' weights."""
        return Loop(*(np.log(weights) for weights in self._loop(self.sticks.mean)))

    @property
    def penalty(self) -> float:
        """Sum of the KL divergences from the prior, in nats."""
        mixture = np.moveaxis(self.mixture, 0, -1)
        divergence = self.sticks.kl() + self.gaussians.kl()
        divergence += dirichlet.kl_divergence(mixture, np.array(MIXTURE_PRIOR))
        if self.prior.learn_transitions:
            divergence += dirichlet.kl_divergence(self.transition, self.prior.transition)
        return divergence
