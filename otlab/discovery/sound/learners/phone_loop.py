"""The phone loop as a learner: a run, its view and its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from otlab.discovery.sound.estep import Expected, expect
from otlab.discovery.sound.fitted import SoundFitted
from otlab.discovery.sound.phone_loop import LoopPosterior, LoopPrior
from otlab.discovery.sound.speech import SHORTEST
from otlab.discovery.sound.view import UnitsView
from otlab.errors import Fault, InputError, counted
from otlab.inference.learner import read_only
from otlab.inference.parallel import thread_pool
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from otlab.discovery.sound.speech import Speech
    from otlab.inference import Run, Tick

__all__ = ["PhoneLoop", "PhoneLoopSettings"]


class PhoneLoopSettings(param.Parameterized):
    """Settings of the phone loop."""

    iterations = param.Integer(15, bounds=(1, None), doc="Number of iterations.")
    units = param.Integer(50, bounds=(1, 2000), doc="Largest number of phone-like units.")
    components = param.Integer(2, bounds=(1, 64), doc="Gaussians in each of a unit's three states.")
    concentration = param.Number(
        1.0, bounds=(0, None), inclusive_bounds=(False, True), doc="Concentration of the units' weights."
    )
    self_loop = param.Number(
        0.5,
        bounds=(0, 1),
        inclusive_bounds=(False, False),
        doc="P(the next frame stays in the same state of a unit).",
    )
    learn_transitions = param.Boolean(
        False, doc="Learn the self-loop of each state; --self-loop is its prior mean."
    )


@dataclass
class LoopState:
    """State of a run: the newest E-step, its parameters, and the trace."""

    posterior: LoopPosterior
    expected: Expected
    likelihood: list[float] = field(default_factory=list)
    penalty: list[float] = field(default_factory=list)

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: log likelihoods."""
        return np.asarray(self.likelihood[-1:])


@dataclass(frozen=True)
class PhoneLoop:
    """Batch variational Bayes of the phone loop.

    Parameters
    ----------
    speech
        The frames.
    units, states, components
        Largest number of units, states of each unit, Gaussians of each state; all >= 1.
    concentration
        Concentration of the units' weights, > 0.
    self_loop
        Probability of staying in a state, in (0, 1).
    learn_transitions
        Whether the self-loop of each state is learnt.
    threads
        Number of threads, one per core if None. The results do not depend on it.

    Raises
    ------
    InputError
        If an utterance has fewer frames than a unit has states.
    """

    speech: Speech
    units: int = 50
    states: int = SHORTEST
    components: int = 2
    concentration: float = 1.0
    self_loop: float = 0.5
    learn_transitions: bool = False
    threads: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        short = np.flatnonzero(self.speech.lengths < self.states)
        if short.size:
            name, frames = self.speech.names[short[0]], self.speech.lengths[short[0]]
            what = f"{name} has {counted(frames, 'frame')}: a unit takes {self.states}"
            raise InputError(Fault(what, "leave it out"))

    @property
    def name(self) -> str:
        """``"units"``."""
        return "units"

    @classmethod
    def from_settings(cls, speech: Speech, settings: PhoneLoopSettings) -> PhoneLoop:
        """Return the learner for some speech, with a user's settings."""
        values = settings.param.values()
        names = ("units", "components", "concentration", "self_loop", "learn_transitions")
        return cls(speech, **{name: values[name] for name in names})

    @property
    def prior(self) -> LoopPrior:
        """Sizes and hyperparameters."""
        return LoopPrior(
            self.units,
            self.states,
            self.components,
            self.concentration,
            self.self_loop,
            self.learn_transitions,
        )

    def init(self, rng: np.random.Generator) -> LoopState:
        """Return a state with Gaussians at random frames, after an E-step."""
        return self._expect(LoopPosterior.at_random_frames(self.speech, self.prior, rng), [], [])

    def _expect(self, posterior: LoopPosterior, likelihood: list[float], penalty: list[float]) -> LoopState:
        # The penalty is computed at the same time as the E-step, which does not need it.
        divergence = thread_pool(self.threads).submit(lambda: posterior.penalty)
        expected = expect(self.speech, posterior.scores, self.threads)
        trace = [*likelihood, float(expected.log_z.sum())], [*penalty, divergence.result()]
        return LoopState(posterior, expected, *trace)

    def step(self, rng: np.random.Generator, state: LoopState, n: int) -> LoopState:
        """Do `n` iterations: an M-step, then an E-step."""
        for _ in range(n):
            check_interrupt()
            state = self._expect(state.posterior.updated(state.expected), state.likelihood, state.penalty)
        return state

    def pruned(self, state: LoopState, least: float) -> LoopState:
        r"""Return the state without the last units that are used less often than `least`.

        With :math:`n_u` the expected uses of these units in utterance u, :math:`\ln Z_u` falls by at most
        :math:`-\ln(1 - n_u)`, because the remaining paths weigh at least :math:`Z_u (1 - n_u)`. The penalty
        falls by the divergences of the units that are removed. The trace is not changed.
        """
        used = np.flatnonzero(state.expected.entries >= least)
        units = 1 + int(used[-1]) if used.size else 1
        if units == state.posterior.prior.units:
            return state
        posterior = state.posterior.first_units(units)
        expected = expect(self.speech, posterior.scores, self.threads)
        return LoopState(posterior, expected, state.likelihood, state.penalty)

    def finished(self, state: LoopState) -> bool:
        """Return False: only the number of iterations ends a run."""
        return False

    def view(self, state: LoopState) -> UnitsView:
        """Return a snapshot."""
        likelihood, penalty = np.array(state.likelihood), np.array(state.penalty)
        frames, sticks = state.expected.frames, state.posterior.sticks
        return UnitsView(
            iteration=likelihood.size - 1,
            objective=likelihood - penalty,
            likelihood=likelihood,
            penalty=penalty,
            entries=read_only(state.expected.entries),
            weight=sticks.mean,
            sd=sticks.sd,
            lost=float(np.prod(sticks.second / (sticks.first + sticks.second))),
            start=read_only(frames.start),
            unit=read_only(frames.unit),
            probability=read_only(frames.probability),
            posterior=state.posterior,
        )

    def conclude(
        self, run: Run[Any, UnitsView], tick: Tick[UnitsView], *, stopped: bool = False
    ) -> SoundFitted:
        """Return the result of a run."""
        return SoundFitted(run, tick, stopped)
