"""What is observed of a tableau: its candidates, or its overt forms where their parses are not known.

The likelihood is that of outcomes. Candidates with the same violations count as one, as no grammar tells
them apart; the probability of an overt form is the sum of those of its parses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.ot.conditions import identical_rows
from otlab.ot.overt import heard_tableau, overt_forms_of, parses_unknown
from otlab.ot.probability_plan import plan_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["Outcomes"]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of a tableau, and probabilities of candidates as theirs.

    Attributes
    ----------
    source
        The tableau.
    """

    source: Tableau

    @cached_property
    def heard(self) -> bool:
        """Whether the outcomes are overt forms."""
        return bool(parses_unknown(self.source))

    @cached_property
    def tableau(self) -> Tableau:
        """The tableau with a row for each outcome."""
        return heard_tableau(self.source) if self.heard else self.source

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Observations of each outcome."""
        counts = self.source.counts()
        return overt_forms_of(self.source).sums(counts).astype(np.int64) if self.heard else counts

    def probability(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each outcome from those of the candidates, which are the last axis."""
        return overt_forms_of(self.source).sums(rows) if self.heard else np.asarray(rows, float)

    def likelihoods(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what counts of each outcome's probability: that of its class of identical candidates."""
        if self.heard:
            return probability
        shared = np.array(probability, float)
        for k in range(len(self.source.inputs)):
            for same in identical_rows(self.source, k):
                if len(same) > 1:
                    shared[..., list(same)] = shared[..., list(same)].mean(axis=-1, keepdims=True)
        summed: NDArray[np.float64] = shared / plan_of(self.source).share
        return summed

    def log_likelihood(self, probability: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
        """Return the log likelihood of counts of outcomes, in nats."""
        attested = counts > 0
        kept = self.likelihoods(probability)[attested]
        with np.errstate(divide="ignore"):
            return float(counts[attested] @ np.log(np.minimum(kept, 1.0)))
