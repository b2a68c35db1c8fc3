"""A learner that takes its time, so that a class can watch it.

Fifty iterations over a blackboard corpus take a millisecond. Waiting between steps
changes no number: a learner's result does not depend on how its steps are cut.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    import numpy as np

    from otlab.inference import Run, Tick
    from otlab.mg.learners.em import EM, MAP
    from otlab.mg.learners.gibbs import Gibbs
    from otlab.mg.learners.induction import Induction
    from otlab.mg.learners.vb import VB

__all__ = ["Throttled"]


@dataclass(frozen=True)
class Throttled:
    """A learner with a rest after each iteration.

    Parameters
    ----------
    inner
        The learner.
    rest
        Seconds to wait after each iteration.
    """

    inner: VB | EM | MAP | Gibbs
    rest: float

    @property
    def name(self) -> str:
        """The learner's name."""
        return self.inner.name

    def init(self, rng: np.random.Generator) -> Any:
        """Return the learner's start."""
        return self.inner.init(rng)

    def step(self, rng: np.random.Generator, state: Any, n: int) -> Any:
        """Do `n` iterations, resting after each."""
        for _ in range(n):
            state = self.inner.step(rng, state, 1)
            time.sleep(self.rest)
            check_interrupt()
        return state

    def view(self, state: Any) -> Any:
        """Return the learner's view."""
        return self.inner.view(state)

    def finished(self, state: Any) -> bool:
        """Return whether the learner is finished."""
        return self.inner.finished(state)

    def conclude(self, run: Run[Any, Any], tick: Tick[Any], *, stopped: bool) -> Induction:
        """Return what the run has found, as the learner itself does."""
        return self.inner.conclude(run, tick, stopped=stopped)
