r"""The protocol of learners, and the tick that a run of one yields.

::

    data, hyperparameters          Learner        frozen, holds no progress
        |  init(rng)
        v
    start -> step(rng, state, n) -> state         n sweeps in one kernel call
                   |  view(state)
                   v
                 Tick                             what a plot or a printout needs

A Gibbs sampler's *sweep*, an EM or VB *iteration* and a GLA *trial* are all one
step of a learner. A sampler whose numbers depend on how its steps were cut into
calls is wrong: ``step(rng, s, 2)`` equals ``step(rng, step(rng, s, 1), 1)``.

A state with a property ``numbers`` has that array checked after each tick: where a value is
NaN, the run ends with an error; plots of NaN would be empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Learner", "Tick", "read_only"]

S = TypeVar("S")
V = TypeVar("V", covariant=True)


@runtime_checkable
class Learner(Protocol[S, V]):
    """Data and hyperparameters of one way of learning; a frozen dataclass.

    Its methods may be called at any time and from any thread, as long as no two threads
    use the same state.
    """

    @property
    def name(self) -> str:
        """The learner's name as users know it: ``"gibbs"``, ``"gla"``, ``"vb"``."""

    def init(self, rng: np.random.Generator) -> S:
        """Return a fresh starting state, drawn with `rng` where it is random."""

    def step(self, rng: np.random.Generator, state: S, n: int) -> S:
        """Do `n` >= 1 sweeps and return the new state; the state passed in may be overwritten.

        A step that takes more than 50 ms for ``n = 1`` calls
        :func:`otlab.inference.run.check_interrupt` between its parts.
        """

    def view(self, state: S) -> V:
        """Return a small frozen snapshot, safe to read while the state changes."""

    def finished(self, state: S) -> bool:
        """Return whether further sweeps would change nothing, because an optimum is reached."""


@dataclass(frozen=True, slots=True)
class Tick(Generic[V]):
    """Progress of a run, with a snapshot of each chain.

    Attributes
    ----------
    sweep, total
        Number of sweeps done in each chain, and number of sweeps asked for.
    views
        One snapshot per chain.
    seconds
        Time spent stepping so far, pauses left out.
    finished
        Whether this is the last tick: `sweep` equals `total`, or every chain has
        reached its optimum.
    """

    sweep: int
    total: int
    views: tuple[Any, ...]
    seconds: float
    finished: bool

    @property
    def view(self) -> Any:
        """The snapshot of the first chain."""
        return self.views[0]


def read_only(array: np.ndarray) -> np.ndarray:
    """Return the same array for a view: writing through it into the learner's state raises ValueError."""
    view = array.view()
    view.flags.writeable = False
    return view
