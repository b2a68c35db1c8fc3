r"""Trigram taggers: EM, VB and collapsed Gibbs for states that depend on the two before them.

They are the learners of the bitag model with transitions of three axes (:mod:`otlab.tagging.hmm.trigrams`).
EM and VB start from the counts of pairs that the bitag learners start from, so that the two begin alike; sums
are in double precision. The Gibbs sampler draws a token's state from

.. math::
    P(y_i = k \mid \cdot) \propto \frac{n_{x,k} + \alpha_x}{n_k + m \alpha_x}
    \prod_{(h,i,j)} \frac{c_{hij} + \alpha_y}{c_{hi} + K \alpha_y},

the product over the two or three trigrams that the token is in, each counted beside those before it
(:mod:`otlab.tagging.kernels.trigrams`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.hmm.trigrams import check_trigram_states, count_trigrams
from otlab.tagging.kernels.trigrams import sweep_trigrams
from otlab.tagging.learners.em import EM
from otlab.tagging.learners.sampling import GibbsSampler, Sample
from otlab.tagging.learners.vb import VB

__all__ = ["TrigramEM", "TrigramGibbs", "TrigramSample", "TrigramVB"]

_SENTENCES = 2000  # between two checks of the stop signal


@dataclass(frozen=True, eq=False)
class TrigramEM(EM):
    """Maximum likelihood of a trigram model."""

    name: ClassVar[str] = "em-trigram"
    order: ClassVar[int] = 2


@dataclass(frozen=True, eq=False)
class TrigramVB(VB):
    """Variational Bayes of a trigram model."""

    name: ClassVar[str] = "vb-trigram"
    order: ClassVar[int] = 2


@dataclass(kw_only=True)
class TrigramSample(Sample):
    """A sample with its counts, laid out for the kernel.

    Attributes
    ----------
    emissions : ndarray of shape (types, states)
        Counts of words and states, further words of known states included.
    occurrences : ndarray of shape (states,)
        Tokens of each state.
    trigrams : ndarray of shape (3, states + 1, states + 1, states + 1)
        Counts of three states in a row, in three orders of the axes.
    pairs : ndarray of shape (2, states + 1, states + 1)
        Counts of their first two, in both orders.
    """

    emissions: np.ndarray
    occurrences: np.ndarray
    trigrams: np.ndarray
    pairs: np.ndarray


@dataclass(frozen=True, eq=False)
class TrigramGibbs(GibbsSampler[TrigramSample]):
    """Collapsed Gibbs sampling of a trigram model, a token at a time."""

    name: ClassVar[str] = "gibbs-trigram"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_trigram_states(self.states)

    @property
    def _outcomes(self) -> np.ndarray:
        return np.full(self.states, self.corpus.types) if self.allowed is None else self.allowed.sum(0)

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> TrigramSample:
        """Count the labelling into the tables of the kernel."""
        corpus, states = self.corpus, self.states
        counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
        rows, barred = counts.emissions.copy(), -self.prior.emission
        if self.allowed is not None:
            rows[~self.allowed] = barred
        clamped = self.new_clamped()
        if clamped:
            rows = clamped.rows(rows, barred)
        after = count_trigrams(labels, corpus.offsets, states)
        followed = after.sum(2)
        return TrigramSample(
            labels=labels,
            emissions=rows,
            occurrences=counts.per_state,
            trigrams=np.array([after, after.transpose(0, 2, 1), after.transpose(1, 2, 0)]),
            pairs=np.array([followed, followed.T]),
            clamped=clamped,
        )

    def prior_changed(self, state: TrigramSample) -> None:
        """Update the entries of states that a word cannot have."""
        state.emissions[state.emissions < 0] = -self.prior.emission

    def sweep(self, rng: np.random.Generator, state: TrigramSample, power: float) -> None:
        """Resample every token in the order of the text."""
        text, outcomes = self.text(state), self._outcomes
        mass = np.where(outcomes > 0, outcomes * self.prior.emission, 1.0)
        rows, counts = (state.emissions, state.occurrences), (state.trigrams, state.pairs)
        priors, weights = (self.prior.emission, mass, self.prior.transition), np.empty(self.states)
        for low in range(0, text.sentences, _SENTENCES):
            check_interrupt()
            high = min(low + _SENTENCES, text.sentences)
            sweep_trigrams(
                rng, text.words, text.offsets, low, high, state.labels, rows, counts, priors, power, weights
            )

    def counts(self, state: TrigramSample) -> Counts:
        """Return the counts of the sample."""
        pairs = super().counts(state)
        return Counts(state.trigrams[0].copy(), pairs.emissions)

    def measured(self, state: TrigramSample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts kept, not recounted."""
        return state.emissions[: self.corpus.types], state.trigrams[0], state.occurrences
