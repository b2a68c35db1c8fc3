"""Starting points of taggers, which are the same for EM, VB and Gibbs.

A start returns pseudo-counts (for EM and VB, whose first M-step converts them to weights) or labels (for
Gibbs, drawn word by word from the same random rows). With the same seed all learners start from the
same rows. Johnson (2007) jitters both theta and phi.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from otlab.errors import InputError, did_you_mean
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.kernels.labels import draw_labels

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = [
    "STARTS",
    "Continued",
    "DirichletRows",
    "Jitter",
    "RandomLabels",
    "Start",
    "draw_states",
    "named_start",
]

STARTS = ("dirichlet", "jitter", "random")


class Start(Protocol):
    """Returns the first counts or labels of a run."""

    def counts(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> Counts:
        """Return pseudo-counts whose total is that of the corpus."""

    def labels(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> np.ndarray:
        """Return a state for each token, int16."""


def _spread(corpus: Corpus, theta: np.ndarray, phi: np.ndarray, allowed: np.ndarray | None) -> Counts:
    """Convert rows to counts, with equal shares of the tokens for all states; `phi` is changed."""
    states = phi.shape[0]
    theta = theta.copy()
    theta[-1, -1] = 0
    theta /= theta.sum(1, keepdims=True)
    if allowed is not None:
        phi *= allowed.T
    totals = phi.sum(1, keepdims=True)
    share = corpus.tokens / states
    phi *= np.divide(share, totals, out=np.zeros_like(totals), where=totals > 0)
    rows = np.full((states + 1, 1), share)
    rows[-1] = corpus.sentences
    return Counts(theta * rows, np.ascontiguousarray(phi.T))


def draw_states(rng: np.random.Generator, corpus: Corpus, counts: Counts) -> np.ndarray:
    """Draw the state of each token in proportion to the counts of its word."""
    labels = np.empty(corpus.tokens, np.int16)
    draw_labels(rng, corpus.words, counts.emissions.astype(np.float64).cumsum(axis=1), labels)
    return labels


class _Rows(ABC):
    """A start from random rows, with labels drawn from the counts."""

    @abstractmethod
    def rows(self, rng: np.random.Generator, outcomes: int, size: int) -> np.ndarray:
        """Return `size` random distributions over `outcomes`."""

    def counts(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> Counts:
        """Return pseudo-counts whose total is that of the corpus."""
        theta, phi = self.rows(rng, states + 1, states + 1), self.rows(rng, corpus.types, states)
        return _spread(corpus, theta, phi, allowed)

    def labels(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> np.ndarray:
        """Return a state for each token, int16."""
        return draw_states(rng, corpus, self.counts(rng, corpus, states, allowed))


@dataclass(frozen=True)
class Jitter(_Rows):
    """Uniform rows with each entry times 1 + amount U, with U uniform on [0, 1).

    With 10 %, the first ten or so iterations change little, and optima are worse than from Dirichlet rows.
    """

    amount: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.amount < np.inf:
            raise InputError(f"--jitter {self.amount:g}: write a number above 0, such as 0.1")

    def rows(self, rng: np.random.Generator, outcomes: int, size: int) -> np.ndarray:
        """Return random distributions."""
        rows: np.ndarray = rng.random((size, outcomes))
        rows *= self.amount
        rows += 1
        rows /= rows.sum(1, keepdims=True)
        return rows


@dataclass(frozen=True)
class DirichletRows(_Rows):
    """Rows drawn from a symmetric Dirichlet, uniform over distributions by default."""

    concentration: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.concentration < np.inf:
            raise InputError(
                f"a Dirichlet start of concentration {self.concentration:g}: write a number above 0"
            )

    def rows(self, rng: np.random.Generator, outcomes: int, size: int) -> np.ndarray:
        """Return random distributions."""
        rows: np.ndarray = rng.standard_gamma(self.concentration, (size, outcomes))
        rows += np.finfo(float).tiny
        rows /= rows.sum(1, keepdims=True)
        return rows


@dataclass(frozen=True)
class RandomLabels:
    """A random state for each token, the usual start of a Gibbs sampler."""

    def labels(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> np.ndarray:
        """Return a state for each token, int16."""
        cells = np.ones((corpus.types, states)) if allowed is None else allowed.astype(float)
        return draw_states(rng, corpus, Counts(np.empty((0, 0)), cells))

    def counts(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> Counts:
        """Return pseudo-counts whose total is that of the corpus."""
        labels = self.labels(rng, corpus, states, allowed)
        return Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)


@dataclass(frozen=True, eq=False)
class Continued:
    """A start from another learner's labels: hard counts for EM and VB, a sample for Gibbs.

    Attributes
    ----------
    given : ndarray of int16, shape (tokens,)
        The ``labels`` of a view of the same corpus.
    """

    given: np.ndarray

    def labels(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> np.ndarray:
        """Return the given labels.

        Raises
        ------
        InputError
            If they are from another corpus or use more states.
        """
        if self.given.size != corpus.tokens or self.given.max() >= states:
            raise InputError("the labels to go on from belong to another corpus or to more states")
        return self.given.astype(np.int16)

    def counts(
        self, rng: np.random.Generator, corpus: Corpus, states: int, allowed: np.ndarray | None
    ) -> Counts:
        """Return the counts of the labels, plus a small number so that none is 0."""
        labels = self.labels(rng, corpus, states, allowed)
        hard = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
        soft = hard.emissions + 0.01 * corpus.word_counts[:, None] / states
        soft = soft if allowed is None else soft * allowed
        transitions = hard.transitions + 0.01
        transitions[-1, -1] = 0
        return Counts(transitions, soft)


def named_start(name: str, jitter: float = 0.1) -> Start:
    """Return the start with this name: dirichlet, jitter or random.

    >>> named_start("jitter", 0.2)
    Jitter(amount=0.2)
    """
    if name == "dirichlet":
        return DirichletRows()
    if name == "jitter":
        return Jitter(jitter)
    if name == "random":
        return RandomLabels()
    raise InputError(f"there is no start {name!r}; {did_you_mean(name, STARTS)}")
