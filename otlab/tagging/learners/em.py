"""Expectation-Maximization for the bitag model (Johnson 2007, section 3, equation 2).

MAP-EM adds alpha - 1 to the expected counts and clips at 0, "the well-known ad hoc
technique" section 4 compares VB with; with alpha = 1 it is EM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from otlab.tagging.hmm.mstep import share_weights
from otlab.tagging.learners.expectation import DecodeSettings, ExpectationLearner
from otlab.tagging.learners.learnt_priors import PriorLearner
from otlab.tagging.learners.settings import LearntPriorSettings

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts, Weights

__all__ = ["EM", "EMSettings", "MapEM", "MapEMSettings"]


class EMSettings(DecodeSettings):
    """The settings of EM, which has no priors."""


class MapEMSettings(DecodeSettings, LearntPriorSettings):
    """The settings of MAP-EM."""


@dataclass(frozen=True, eq=False)
class EM(ExpectationLearner):
    """Maximum likelihood; the objective is the log likelihood in nats, which rises."""

    name: ClassVar[str] = "em"
    direction: ClassVar[int] = 1

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return relative frequencies."""
        return share_weights(counts, self.precision, threads=self.threads), 0.0

    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return the log likelihood, of the tempered parameters while annealing."""
        return log_probability


@dataclass(frozen=True, eq=False)
class MapEM(PriorLearner):
    """EM on counts + alpha - 1, clipped at 0.

    The objective is still the log likelihood; it may fall, for it is not what is climbed.
    """

    name: ClassVar[str] = "map-em"
    direction: ClassVar[int] = 0

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return relative frequencies of counts + alpha - 1."""
        return share_weights(
            counts, self.precision, prior=self.prior, allowed=self.allowed, threads=self.threads
        ), 0.0

    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return the log likelihood, of the tempered parameters while annealing."""
        return log_probability
