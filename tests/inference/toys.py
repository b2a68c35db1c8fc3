"""Learners small enough to know everything about."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from otlab.inference.run import check_interrupt


@dataclass(frozen=True)
class Walk:
    """A random walk; its path depends on every draw."""

    size: int = 3
    name: str = "walk"

    def init(self, rng):
        return rng.normal(size=self.size)

    def step(self, rng, state, n):
        for _ in range(n):
            state = state + rng.normal(size=self.size)
        return state

    def view(self, state):
        return tuple(state.tolist())

    def finished(self, state):
        return False


@dataclass(frozen=True)
class Countdown:
    """Reaches its optimum after `start` steps."""

    start: int
    name: str = "countdown"

    def init(self, rng):
        return self.start

    def step(self, rng, state, n):
        return max(0, state - n)

    def view(self, state):
        return state

    def finished(self, state):
        return state == 0


@dataclass(frozen=True)
class Slow:
    """One sweep takes ten seconds, in parts of a millisecond that can be interrupted."""

    name: str = "slow"

    def init(self, rng):
        return 0

    def step(self, rng, state, n):
        for _ in range(10_000 * n):
            check_interrupt()
            time.sleep(0.001)
        return state + n

    def view(self, state):
        return state

    def finished(self, state):
        return False


@dataclass(frozen=True)
class Broken:
    """Fails at the third sweep."""

    name: str = "broken"

    def init(self, rng):
        return 0

    def step(self, rng, state, n):
        if state + n >= 3:
            raise ZeroDivisionError("the third sweep")
        return state + n

    def view(self, state):
        return state

    def finished(self, state):
        return False


@dataclass(frozen=True)
class Arrays:
    """Settings of every kind a learner holds."""

    data: np.ndarray
    weights: tuple[float, ...]
    options: dict[str, object]


@dataclass
class Number:
    """A state that says which of its numbers may not become NaN."""

    numbers: np.ndarray


@dataclass(frozen=True)
class Diverging:
    """Doubles until there is no number left: infinity after some thousand steps, then NaN."""

    name: str = "diverging"

    def init(self, rng):
        return Number(np.ones(2))

    def step(self, rng, state, n):
        with np.errstate(all="ignore"):
            for _ in range(n):
                doubled = state.numbers * 2
                state = Number(np.where(np.isinf(doubled), doubled - doubled, doubled))
        return state

    def view(self, state):
        return tuple(state.numbers)

    def finished(self, state):
        return False
