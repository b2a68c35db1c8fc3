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
from otlab.tagging.kernels.gibbs import LANES, place, sweep
from otlab.tagging.learners.sampling import GibbsSampler, Sample

__all__ = ["CollapsedGibbs", "CollapsedSample"]

# Between two looks at the stop signal: some 20 ms.
_TOKENS = 300_000


@dataclass(kw_only=True)
class CollapsedSample(Sample):
    """A sample with its counts, laid out for the kernel; padded states have none.

    Attributes
    ----------
    rows, out_of, into
        Counts by word, by the state before and by the state after.
    occurrences, inverse, inverse_without
        By state; see :func:`otlab.tagging.kernels.gibbs.place`.
    seeds : ndarray of uint64, shape (2,)
        The kernel's random state.
    """

    rows: np.ndarray
    out_of: np.ndarray
    into: np.ndarray
    occurrences: np.ndarray
    inverse: np.ndarray
    inverse_without: np.ndarray
    seeds: np.ndarray


@dataclass(frozen=True, eq=False)
class CollapsedGibbs(GibbsSampler[CollapsedSample]):
    """The paper's GS: P(y_i | all other states, words), a token at a time."""

    name: ClassVar[str] = "gibbs"

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> CollapsedSample:
        """Count the labelling into padded tables."""
        corpus, states, dtype = self.corpus, self.states, float_type(self.precision)
        padded = -(-states // LANES) * LANES
        counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
        rows = np.zeros((corpus.types, padded), dtype)
        rows[:, :states] = counts.emissions
        if self.allowed is not None:
            rows[:, :states][~self.allowed] = -dtype(self.prior.emission)
        out_of, into = np.zeros((2, states + 1, padded), dtype)
        out_of[:, :states] = counts.transitions[:, :states]
        into[:, :states] = counts.transitions.T[:, :states]
        occurrences, inverse, inverse_without = (
            np.zeros(padded),
            np.zeros(padded, dtype),
            np.zeros(padded, dtype),
        )
        occurrences[:states] = counts.per_state
        seeds = rng.integers(1, 2**63, size=2, dtype=np.uint64)
        state = CollapsedSample(
            labels=labels, rows=rows, out_of=out_of, into=into, occurrences=occurrences, inverse=inverse,
            inverse_without=inverse_without, seeds=seeds,
        )  # fmt: skip
        mass, transition_mass, scale = self._masses
        for k in range(states):
            if mass[k] > 0:
                place(k, scale, mass, transition_mass, occurrences, inverse, inverse_without)
        return state

    @property
    def _masses(self) -> tuple[np.ndarray, float, float]:
        """Emission mass m alpha_x by state, K alpha_y, and a factor that brings weights near 1."""
        outcomes = np.full(self.states, self.corpus.types) if self.allowed is None else self.allowed.sum(0)
        share = self.corpus.tokens / self.states
        return outcomes * self.prior.emission, (self.states + 1) * self.prior.transition, share * share

    def sweep(self, rng: np.random.Generator, state: CollapsedSample, power: float) -> None:
        """Resample every token in the order of the text."""
        corpus, dtype = self.corpus, float_type(self.precision)
        padded = state.inverse.size
        priors = np.array([self.prior.emission, self.prior.transition], dtype)
        weights, sums = np.empty(padded + 1, dtype), np.empty(LANES, dtype)
        for low in range(0, corpus.tokens, _TOKENS):
            check_interrupt()
            high = min(low + _TOKENS, corpus.tokens)
            sweep(
                corpus.words, corpus.offsets, low, high, state.labels, state.rows, state.out_of, state.into,
                state.occurrences, state.inverse, state.inverse_without, priors, *self._masses,
                power, state.seeds, weights, sums,
            )  # fmt: skip

    def measured(self, state: CollapsedSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts kept, not recounted."""
        return state.rows, self._kept_transitions(state), state.occurrences[: self.states]

    def transitions(self, state: CollapsedSample) -> np.ndarray:
        """Return the sample's transitions, rows summing to 1."""
        kept = self._kept_transitions(state)
        return Counts(kept, state.rows[:, : self.states]).transition_shares

    def _kept_transitions(self, state: CollapsedSample) -> np.ndarray:
        transitions = np.zeros((self.states + 1, self.states + 1))
        transitions[:, :-1] = state.out_of[:, : self.states]
        transitions[:-1, -1] = state.into[-1, : self.states]
        return transitions
