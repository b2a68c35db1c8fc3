"""Snapshot of the phone loop during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import counted

if TYPE_CHECKING:
    from otlab.discovery.sound.phone_loop import LoopPosterior

__all__ = ["UnitsView"]


@dataclass(frozen=True, eq=False, repr=False)
class UnitsView:
    """A snapshot of a run.

    Attributes
    ----------
    iteration
        Iterations done.
    objective, likelihood, penalty : float64 ndarray
        The bound and its two parts; entry i is the value after i iterations.
    entries : float64 ndarray of shape (units,)
        Expected uses of each unit, in the order of `posterior`.
    weight, sd : float64 ndarray of shape (units,)
        Posterior mean and standard deviation of each unit's weight.
    lost
        Expected weight beyond the last unit.
    start : float32 ndarray of shape (frames,)
        Probability that a unit starts at this frame.
    unit : int16 ndarray of shape (frames,)
        The most probable unit of each frame.
    probability : float32 ndarray of shape (frames,)
        The probability of that unit.
    posterior
        Posterior of Gaussians, mixtures and loop, from which best paths are computed.
    """

    iteration: int
    objective: np.ndarray
    likelihood: np.ndarray
    penalty: np.ndarray
    entries: np.ndarray
    weight: np.ndarray
    sd: np.ndarray
    lost: float
    start: np.ndarray
    unit: np.ndarray
    probability: np.ndarray
    posterior: LoopPosterior

    def __repr__(self) -> str:
        return f"<UnitsView: iteration {self.iteration}, {counted(self.units_used, 'unit')} used>"

    @property
    def units_used(self) -> int:
        """Number of units that are the most probable one of some frame."""
        return int(np.unique(self.unit).size)

    @property
    def bound(self) -> float:
        """The last value of the objective."""
        return float(self.objective[-1])
