"""Annealing: parameters to the power 1/T while T falls to 1 (Johnson 2007, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from otlab.errors import InputError

__all__ = ["NO_ANNEALING", "Annealing"]


@dataclass(frozen=True)
class Annealing:
    """A temperature for each iteration.

    Attributes
    ----------
    start
        Temperature at iteration 0; 1 means no annealing.
    iterations
        When 1 is reached.
    shape
        Falls by equal differences or by equal ratios.
    """

    start: float = 1.0
    iterations: int = 0
    shape: Literal["linear", "exponential"] = "exponential"

    def __post_init__(self) -> None:
        if not 1 <= self.start < float("inf") or self.iterations < 0:
            raise InputError(
                f"annealing from {self.start:g} over {self.iterations} iterations: start at 1 or more"
            )
        if self.shape not in ("linear", "exponential"):
            raise InputError(f"there is no annealing shape {self.shape!r}; choose linear or exponential")

    def temperature(self, iteration: int) -> float:
        """Return T at an iteration.

        >>> [Annealing(4, 2).temperature(i) for i in range(4)]
        [4.0, 2.0, 1.0, 1.0]
        """
        if iteration >= self.iterations:
            return 1.0
        done = iteration / self.iterations
        if self.shape == "linear":
            return self.start + done * (1 - self.start)
        return float(self.start ** (1 - done))


NO_ANNEALING = Annealing()
