"""EM under the entropic prior (Brand 1999), which prefers few words per state and few transitions.

It has no number to set: the prior of each row is the exponential of minus its entropy, and the M-step
(:mod:`otlab.tagging.hmm.entropic`) is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from otlab.tagging.hmm.entropic import entropic_rows, negative_entropy
from otlab.tagging.hmm.mstep import LEAST_SHARE
from otlab.tagging.hmm.parameters import Weights, float_type
from otlab.tagging.learners.em import EM

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts

__all__ = ["EntropicEM"]


@dataclass(frozen=True, eq=False)
class EntropicEM(EM):
    """Maximum a posteriori; the objective is the log likelihood less the rows' entropies, in nats."""

    name: ClassVar[str] = "entropic"

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return the rows that maximise the counts' likelihood times the prior, and the log prior."""
        theta = entropic_rows(counts.transitions)
        phi = entropic_rows(counts.emissions.T)
        log_prior = negative_entropy(theta) + negative_entropy(phi)
        theta[theta.sum(1) == 0] = 1 / len(theta)
        theta = np.maximum(theta, LEAST_SHARE)
        theta[-1, -1] = 0.0
        scaled = Weights.of_probabilities(theta, phi.T)
        emission = np.maximum(scaled.emission, LEAST_SHARE)
        if self.allowed is not None:
            emission[~self.allowed] = 0.0
        return Weights(theta, emission.astype(float_type(self.precision)), scaled.log_scale), log_prior

    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return the log posterior up to a constant; none is defined while the temperature is above 1."""
        return log_probability + penalty if temperature == 1 else np.nan
