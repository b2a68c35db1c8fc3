"""Step through learners by hand: forward one draw or trial at a time, and back.

The numbers are those of the first chain of a run with the same seed.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.inference.random import chain_generators
from otlab.ot.learners.gibbs import trace_sweep
from otlab.ot.steps import trace_trial

if TYPE_CHECKING:
    import numpy as np

    from otlab.ot.conditions import Relation
    from otlab.ot.learners.error_driven import TrialState
    from otlab.ot.learners.gibbs import Gibbs, GibbsState
    from otlab.ot.learners.gla import GLA
    from otlab.ot.steps import SiteDraw, TrialTrace

__all__ = ["GLAWalk", "GibbsWalk"]

MOST_SWEEPS_BACK = 20


class GibbsWalk:
    """One chain of the Gibbs sampler, one conditional draw at a time.

    Parameters
    ----------
    learner
        With fixed counts.
    seed
        Of the run whose first chain this is.

    Attributes
    ----------
    sweep
        The sweep being made, counted from 1.
    observation
        The observation being drawn for, counted from 0.
    made
        How many of its draws are made.
    sample_size
        Observations in all, those that say nothing about the ranking included.
    draws : tuple of SiteDraw
        All draws for this observation, those to come included.

    Raises
    ------
    InputError
        If the data say nothing about the ranking: there is nothing to draw.
    """

    def __init__(self, learner: Gibbs, seed: int) -> None:
        self._learner = learner
        self._informative = learner.relations
        self.observations = [(r, n) for r, each in enumerate(self._informative) for n in range(each.count)]
        if not self.observations:
            raise InputError("no observation says anything about the ranking; count one that does")
        self.sample_size = int(learner.tableau.counts(learner.settings.total).sum())
        self._rng = chain_generators(seed, 1)[0]
        self._state = learner.init(self._rng)
        self._past: list[tuple[np.random.Generator, GibbsState]] = []
        self.sweep = 1
        self.made = 0
        self._enter(0, made=0)

    @property
    def relation(self) -> Relation:
        """The conditions on the ranking for the present observation."""
        return self._informative[self.observations[self.observation][0]]

    @property
    def values(self) -> np.ndarray:
        """Ranking values of this sweep, float64 (K,)."""
        return self._state.values

    @property
    def done(self) -> bool:
        """Whether every draw for this observation is made."""
        return self.made == len(self.draws)

    def forward(self) -> None:
        """Make the next draw, of the next observation if this one is done."""
        if self.done:
            self.next_observation()
        self.made += 1

    def next_observation(self) -> None:
        """Move to the next observation; after the last one, the ranking values are drawn again."""
        if self.observation + 1 == len(self.observations):
            self._next_sweep()
        else:
            self._enter(self.observation + 1, made=0)

    def back(self) -> None:
        """Undo the last draw."""
        if self.made > 1 or (self.made == 1 and self.observation == 0 and not self._past):
            self.made -= 1
        elif self.observation > 0:
            self._enter(self.observation - 1, made=None)
        elif self._past:
            self._rng, self._state = self._past.pop()
            self.sweep -= 1
            self._enter(len(self.observations) - 1, made=None)

    def go_to(self, draw: int) -> None:
        """Go back to a draw already made for this observation, counted from 0."""
        self.made = min(max(draw + 1, 1), self.made)

    def _next_sweep(self) -> None:
        self._past.append(copy.deepcopy((self._rng, self._state)))
        del self._past[:-MOST_SWEEPS_BACK]
        self._state = self._learner.step(self._rng, self._state, 1)
        self.sweep += 1
        self._enter(0, made=0)

    def _enter(self, observation: int, made: int | None) -> None:
        self.observation = observation
        relation, n = self.observations[observation]
        self.draws: tuple[SiteDraw, ...] = trace_sweep(self._learner, self._rng, self._state, relation, n)
        self.made = len(self.draws) if made is None else made


class GLAWalk:
    """One run of the GLA, one trial at a time.

    Parameters
    ----------
    learner, seed
        Of the run whose first learner this is.

    Attributes
    ----------
    at
        The trial shown, counted from 1; 0 before the first.
    """

    def __init__(self, learner: GLA, seed: int) -> None:
        self._learner = learner
        self._rng = chain_generators(seed, 1)[0]
        self._state: TrialState = learner.init(self._rng)
        self._trials: list[TrialTrace] = []
        self.at = 0

    @property
    def trial(self) -> TrialTrace | None:
        """The trial shown."""
        return self._trials[self.at - 1] if self.at else None

    @property
    def errors(self) -> int:
        """How many of the trials so far moved ranking values."""
        return sum(trial.error for trial in self._trials[: self.at])

    def forward(self) -> None:
        """Make the next trial."""
        if self.at == len(self._trials):
            self._trials.append(trace_trial(self._learner, self._rng, self._state))
            self._state = self._learner.step(self._rng, self._state, 1)
        self.at += 1

    def to_next_error(self, at_most: int = 10_000) -> None:
        """Make trials until the learner produces another form than it observed."""
        for _ in range(at_most):
            self.forward()
            if self.trial is not None and self.trial.error:
                return

    def back(self) -> None:
        """Go back one trial."""
        self.at = max(self.at - 1, 0)
