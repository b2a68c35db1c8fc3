"""A learner that is made where it runs: parsing a corpus belongs to the worker, not to the page."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from otlab.mg.learners.vb import VB

__all__ = ["Lazy"]


class Lazy:
    """VB over a corpus that is parsed when the run begins.

    Parameters
    ----------
    make
        Returns the learner; called once, on the worker's thread. What it raises ends the
        run; None, where there is nothing to learn from, is finished at once with the view None.
    """

    name = "vb"

    def __init__(self, make: Callable[[], VB | None]) -> None:
        self._make = make

    @cached_property
    def inner(self) -> VB | None:
        """The learner, if there is one."""
        return self._make()

    def init(self, rng: np.random.Generator) -> Any:
        """Return the learner's start."""
        return self.inner and self.inner.init(rng)

    def step(self, rng: np.random.Generator, state: Any, n: int) -> Any:
        """Do `n` iterations."""
        return self.inner and self.inner.step(rng, state, n)

    def view(self, state: Any) -> Any:
        """Return the learner's view."""
        return self.inner and self.inner.view(state)

    def finished(self, state: Any) -> bool:
        """Return whether the learner is finished."""
        return self.inner is None or self.inner.finished(state)
