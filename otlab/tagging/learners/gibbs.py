"""Collapsed Gibbs sampling of one token's state at a time (Johnson 2007, Figure 4, corrected).

The parameters are integrated out; see :mod:`otlab.tagging.kernels.gibbs` for the
conditional and how it differs from what is printed. The chain is sequential: several
cores serve several chains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.parameters import Counts, float_type
from otlab.tagging.kernels.gibbs import WIDTH, place_all, sweep
from otlab.tagging.kernels.layout import PaddedCounts, Priors
from otlab.tagging.learners.sampling import GibbsSampler, Sample

__all__ = ["CollapsedGibbs", "CollapsedSample"]

# Between two checks of the stop signal: some 20 ms.
_TOKENS = 300_000


@dataclass(kw_only=True)
class CollapsedSample(Sample):
    """A sample with its counts, laid out for the kernel; padded states have none.

    Attributes
    ----------
    counts
        Of the labels.
    seeds : ndarray of uint64, shape (2,)
        The kernel's random state.
    """

    counts: PaddedCounts
    seeds: np.ndarray


@dataclass(frozen=True, eq=False)
class CollapsedGibbs(GibbsSampler[CollapsedSample]):
    """The paper's GS: P(y_i | all other states, words), a token at a time."""

    name: ClassVar[str] = "gibbs"

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> CollapsedSample:
        """Count the labelling into padded tables."""
        corpus, states, dtype = self.corpus, self.states, float_type(self.precision)
        padded = -(-states // WIDTH) * WIDTH
        counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
        rows = np.zeros((corpus.types, padded), dtype)
        rows[:, :states] = counts.emissions
        if self.allowed is not None:
            rows[:, :states][~self.allowed] = -dtype(self.prior.emission)
        clamped = self.new_clamped()
        if clamped:
            rows = clamped.rows(rows, float(-dtype(self.prior.emission)))
        out_of, into = np.zeros((2, states + 1, padded), dtype)
        out_of[:, :states] = counts.transitions[:, :states]
        into[:, :states] = counts.transitions.T[:, :states]
        occurrences = np.zeros(padded)
        occurrences[:states] = counts.per_state
        inverse, inverse_without = np.zeros((2, padded), dtype)
        seeds = rng.integers(1, 2**63, size=2, dtype=np.uint64)
        tables = PaddedCounts(rows, out_of, into, occurrences, inverse, inverse_without)
        place_all(self.priors, tables)
        return CollapsedSample(labels=labels, counts=tables, seeds=seeds, clamped=clamped)

    @property
    def priors(self) -> Priors:
        """Priors as the kernel takes them; the scale keeps weights near 1."""
        outcomes = np.full(self.states, self.corpus.types) if self.allowed is None else self.allowed.sum(0)
        share = self.corpus.tokens / self.states
        return Priors(
            alpha=np.array([self.prior.emission, self.prior.transition], float_type(self.precision)),
            emission_mass=outcomes * self.prior.emission,
            transition_mass=(self.states + 1) * self.prior.transition,
            scale=share * share,
        )

    def prior_changed(self, state: CollapsedSample) -> None:
        """Update the reciprocals, and the entries of states that a word cannot have: minus the prior."""
        rows = state.counts.rows
        rows[rows < 0] = -float_type(self.precision)(self.prior.emission)
        place_all(self.priors, state.counts)

    def sweep(self, rng: np.random.Generator, state: CollapsedSample, power: float) -> None:
        """Resample every token in the order of the text."""
        corpus, dtype = self.text(state), float_type(self.precision)
        priors, padded = self.priors, state.counts.inverse.size
        weights, sums = np.empty(padded + 1, dtype), np.empty(WIDTH, dtype)
        for low in range(0, corpus.tokens, _TOKENS):
            check_interrupt()
            sweep(
                corpus.words, corpus.offsets, low, min(low + _TOKENS, corpus.tokens), state.labels,
                state.counts, priors, power, state.seeds, weights, sums,
            )  # fmt: skip

    def measured(self, state: CollapsedSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts kept, not recounted."""
        return state.counts.rows, self._kept_transitions(state), state.counts.occurrences[: self.states]

    def transitions(self, state: CollapsedSample) -> np.ndarray:
        """Return the sample's transitions, rows summing to 1."""
        kept = self._kept_transitions(state)
        return Counts(kept, state.counts.rows[:, : self.states]).transition_shares

    def _kept_transitions(self, state: CollapsedSample) -> np.ndarray:
        transitions = np.zeros((self.states + 1, self.states + 1))
        transitions[:, :-1] = state.counts.out_of[:, : self.states]
        transitions[:-1, -1] = state.counts.into[-1, : self.states]
        return transitions
