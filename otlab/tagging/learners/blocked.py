"""Collapsed Gibbs sampling of whole sentences, by Metropolis-Hastings.

See :mod:`otlab.tagging.kernels.blocked`. The slowest sweep of the four samplers and
the one that moves most: a sentence's states change together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.kernels.blocked import resample_sentences
from otlab.tagging.kernels.layout import BlockedCounts
from otlab.tagging.learners.sampling import GibbsSampler, Sample

__all__ = ["CollapsedBlockedGibbs", "CollapsedBlockedSample"]

_SENTENCES = 200


@dataclass(kw_only=True)
class CollapsedBlockedSample(Sample):
    """A sample with its counts.

    Attributes
    ----------
    counts
        Of the labels.
    accepted, proposed
        Sentences so far.
    """

    counts: BlockedCounts
    accepted: int = 0
    proposed: int = 0


@dataclass(frozen=True, eq=False)
class CollapsedBlockedGibbs(GibbsSampler[CollapsedBlockedSample]):
    """P(sentence's states | all other sentences' states, words), by proposal and acceptance."""

    name: ClassVar[str] = "gibbs-collapsed-blocked"

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> CollapsedBlockedSample:
        """Count the labelling."""
        corpus = self.corpus
        counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, self.states)
        clamped = self.new_clamped()
        rows = clamped.rows(counts.emissions, 0.0) if clamped else counts.emissions
        tables = BlockedCounts(rows, counts.transitions, counts.per_state, counts.transitions.sum(1))
        return CollapsedBlockedSample(labels=labels, counts=tables, clamped=clamped)

    def sweep(self, rng: np.random.Generator, state: CollapsedBlockedSample, power: float) -> None:
        """Propose new states for every sentence in the order of the text."""
        clamped, prior = self.clamp(state), self.prior
        corpus = clamped.corpus if clamped else self.corpus
        usable = np.ones((self.corpus.types, self.states), bool) if self.allowed is None else self.allowed
        # The mass of a state that no word may have is never used: 1 keeps it finite.
        mass = np.maximum(usable.sum(0), 1) * prior.emission
        if clamped:
            usable = clamped.rows(usable, 0.0)
        priors = np.array([prior.emission, prior.transition])
        for low in range(0, corpus.sentences, _SENTENCES):
            check_interrupt()
            high = min(low + _SENTENCES, corpus.sentences)
            state.accepted += resample_sentences(
                rng, corpus.words, corpus.offsets, low, high, state.counts, priors, mass, usable, power,
                state.labels,
            )  # fmt: skip
        state.proposed += corpus.sentences

    def measured(self, state: CollapsedBlockedSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts kept, not recounted."""
        kept = state.counts.emissions[: self.corpus.types]
        return kept, state.counts.transitions, state.counts.per_state
