"""Supervised tagging: counts of known tags, smoothed by the priors.

The probabilities are the means of the Dirichlet posteriors given the counts of tokens whose tags are
known; transitions are counted where both tags are known. Nothing is learnt from other tokens, which the
tagger labels and is scored on. A word without a known tag has the pseudo-count of its row only. Merialdo
(1994) compares this with EM on text without tags.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import param

from otlab.errors import Fault, InputError
from otlab.tagging.hmm.known import KnownTags, known_counts
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.learners.expectation import DecodeSettings, ExpectationLearner, FitState
from otlab.tagging.learners.settings import PriorSettings
from otlab.tagging.view import Trace

if TYPE_CHECKING:
    from otlab.tagging.hmm.parameters import Counts

__all__ = ["Supervised", "SupervisedSettings"]

_KNOWN = "90%"
_MOST = KnownTags(_KNOWN)


class SupervisedSettings(DecodeSettings, PriorSettings):
    """The settings of supervised counts."""

    known_tags = param.String(_KNOWN, doc=PriorSettings.param.known_tags.doc)


@dataclass(frozen=True, eq=False)
class Supervised(ExpectationLearner):
    """Smoothed relative frequencies of known tags; the objective is ln P(words, known tags) in nats.

    States that no tag stands for have probability 0.
    """

    name: ClassVar[str] = "supervised"
    direction: ClassVar[int] = 0

    known: KnownTags = _MOST
    prior: Prior = field(default_factory=Prior)

    def check_known(self) -> None:
        """Raise InputError if no tag is known, or as for the other learners."""
        super().check_known()
        if self.known_states() is None:
            hint = "write --known-tags all, a number of sentences, or a share such as 90%"
            raise InputError(Fault("no tag is known to count", hint, file=self.corpus.name))

    def init(self, rng: np.random.Generator) -> FitState:
        """Return the tagger, which is all there is to learn."""
        known = self.known_states()
        assert known is not None  # checked when the learner was made
        return self.expect(known_counts(self.corpus, known, self.states), Trace(), "", self.space(None))

    def step(self, rng: np.random.Generator, state: FitState, n: int) -> FitState:
        """Return the same tagger."""
        return state

    def finished(self, state: FitState) -> bool:
        """Return True: the counts are complete from the start."""
        return True

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return the means of Dirichlet(counts + prior) over the tags, the words and the boundary."""
        tags = len(self.corpus.tagset)
        transitions = counts.transitions + self.prior.transition
        emissions = counts.emissions + self.prior.emission
        transitions[:, tags:-1] = 0.0
        emissions[:, tags:] = 0.0
        if self.allowed is not None:
            emissions[~self.allowed] = 0.0
        totals = np.maximum(emissions.sum(0), np.finfo(float).tiny)
        theta = transitions / transitions.sum(1, keepdims=True)
        return Weights.of_probabilities(theta, emissions / totals, self.precision), 0.0

    def objective(self, log_probability: float, penalty: float, temperature: float) -> float:
        """Return ln P(words, known tags)."""
        return log_probability
