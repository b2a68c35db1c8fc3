"""Compute the E-step, the expected counts of a corpus, dense or sparse, on one or more threads.

Each of the corpus's fixed shards sums its own counts, and the sums are added in the order of the shards.
A sparse E-step considers only pairs of likely states of neighbouring tokens. It is used if their number
per token (:func:`~otlab.tagging.kernels.sparse.pair_work`) is below a share of all pairs
(:data:`WORTH_IT`) at which both methods take about the same time. This share depends on the precision,
because matrix products do.

EM drops only states of weight 0, such as those that a tag dictionary excludes, because a dropped count
would remain 0. In VB a count can rise again because of the prior, so it drops states below
``NEGLIGIBLE`` times a word's best, which changes the expected counts by less than 1e-6 per token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from otlab.errors import OtlabError
from otlab.inference.blas import one_blas_thread
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.batches import SHARDS, make_shards
from otlab.tagging.hmm.parameters import Counts, Precision, Weights, float_type
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.dense import backward, forward
from otlab.tagging.kernels.layout import Active, Backward, Batch, Forward, SparseSpace, Sums
from otlab.tagging.kernels.sparse import (
    AT_ONCE,
    active_states,
    count_active,
    flush,
    gather_active,
    pair_work,
    sparse_backward,
    sparse_forward,
)
from otlab.tagging.kernels.weights import gather_rows

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["Expectation", "Expected", "Impossible", "row_blocks"]

WORTH_IT = {"f32": 0.07, "f64": 0.10}
"""Share of all pairs of states, by :func:`pair_work`, below which the E-step is sparse (measured: 50 states,
UD English EWT)."""
NEGLIGIBLE = {"f32": 1e-8, "f64": 1e-13}

_Counted: TypeAlias = "tuple[Active, np.ndarray]"
"""The active states, and the counts of each shard, shape (shards, active states)."""


class Impossible(OtlabError):
    """A sentence has probability 0, or a probability that is too small for the precision."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts of an E-step.

    Attributes
    ----------
    log_probability
        Sum over sentences of the logarithm of their weight, in nats.
    counts
        Expected counts. The learner may reuse the arrays.
    labels : ndarray of int16, shape (tokens,)
        Most probable state of each token.
    sparse
        Whether the E-step was sparse.
    """

    log_probability: float
    counts: Counts
    labels: np.ndarray
    sparse: bool


def row_blocks(rows: int, blocks: int = SHARDS) -> list[tuple[int, int]]:
    """Divide rows into blocks, which do not depend on the number of threads."""
    edges = np.linspace(0, rows, blocks + 1).astype(int)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


class _Space(NamedTuple):
    """Sums and working arrays of one shard."""

    between: np.ndarray
    first: np.ndarray
    last: np.ndarray
    forward: Forward
    backward: Backward
    sparse: SparseSpace

    def clear(self) -> None:
        """Set the sums to 0."""
        for sums in (self.between, self.first, self.last, self.sparse.between, self.sparse.across):
            sums[:] = 0

    def sums(self, emissions: np.ndarray) -> Sums:
        """Return the sums, with these sums of emissions."""
        return Sums(emissions, self.between, self.first, self.last)


class Expectation:
    """Computes the expected counts of a corpus, for any weights.

    Parameters
    ----------
    corpus, states, precision
        The data, the number of states, and the precision of the sums.
    threads
        Number of threads. The results do not depend on it.
    sparse
        Whether the E-step is sparse; if None, it is if this takes less work.
    exact
        Whether a sparse E-step drops only states of weight 0.
    """

    def __init__(
        self,
        corpus: Corpus,
        states: int,
        precision: Precision = "f64",
        *,
        threads: int = 1,
        sparse: bool | None = None,
        exact: bool = False,
    ) -> None:
        self.corpus, self.states, self.precision, self.threads = corpus, states, precision, threads
        self._sparse = sparse
        self._dtype = float_type(precision)
        self._cut = np.finfo(self._dtype).tiny if exact else self._dtype(NEGLIGIBLE[precision])
        self._most_pairs = WORTH_IT[precision] * states**2 * corpus.tokens
        self._shards = make_shards(corpus)
        self._tables = np.zeros((len(self._shards), corpus.types, states), self._dtype)
        self._spaces = [self._space(shard) for shard in self._shards]
        self._ones = np.ones(states, self._dtype)
        self._blocks = row_blocks(corpus.types)
        self._word_counts = corpus.word_counts.astype(np.float64)

    def _space(self, shard: list[Batch]) -> _Space:
        s, padded = self.states, self.states + AT_ONCE
        tokens = max((b.tokens for b in shard), default=0)
        sentences = max((b.sentences for b in shard), default=0)

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros(shape, self._dtype)

        beta = zeros(sentences, s)
        return _Space(
            np.zeros((s, s)),
            np.zeros(s),
            np.zeros(s),
            Forward(zeros(tokens + AT_ONCE - 1, s), zeros(tokens), zeros(tokens)),
            Backward(zeros(tokens, s), beta, beta.view(f"i{beta.itemsize}")),
            SparseSpace(
                zeros(2, padded),
                zeros(s * s),
                zeros(s * s),
                np.zeros(padded, np.uint64),
                np.zeros(padded, np.uint64),
            ),
        )

    def __call__(self, weights: Weights) -> Expected:
        """Return the expected counts under these weights.

        Raises
        ------
        Impossible
            If a sentence's probability is 0 or underflows.
        Interrupted
            If the run was stopped.
        """
        labels = np.zeros(self.corpus.tokens, np.int16)
        active = self._active(weights)
        numbers = range(len(self._shards))
        with one_blas_thread(), no_subnormals():
            results = each(lambda n: self._shard(n, weights, labels, active), numbers, self.threads)
            scale = float(self._word_counts @ weights.log_scale)
        if sum(failed for _, failed in results):
            self._tables[:] = 0
            raise Impossible(f"a sentence has probability 0 in {self.precision}")
        log_probability = sum(log for log, _ in results) + scale
        return Expected(log_probability, self._gather(weights, active), labels, active is not None)

    def _active(self, weights: Weights) -> _Counted | None:
        """Return the lists of active states if the sparse E-step takes less work."""
        if self._sparse is False:
            return None
        types = weights.emission.shape[0]
        sizes, cut = np.empty(types, np.int32), self._cut
        each(lambda block: count_active(weights.emission, cut, *block, sizes), self._blocks, self.threads)
        if not self._sparse and self._pairs(sizes) >= self._most_pairs:
            return None
        begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        chosen, values = np.empty(begins[-1], np.int16), np.empty(begins[-1], self._dtype)
        each(
            lambda block: active_states(weights.emission, cut, *block, begins, chosen, values),
            self._blocks,
            self.threads,
        )
        counts = np.zeros((len(self._shards), begins[-1]), self._dtype)
        return Active(begins, chosen, values, weights.arrays.transition.ravel()), counts

    def _pairs(self, sizes: np.ndarray) -> float:
        def pairs(shard: list[Batch]) -> float:
            return float(sum(pair_work(b.words, b.starts, sizes, self.states) for b in shard))

        return sum(each(pairs, self._shards, self.threads))

    def _shard(
        self,
        number: int,
        weights: Weights,
        labels: np.ndarray,
        active: _Counted | None,
    ) -> tuple[float, int]:
        self._spaces[number].clear()
        total, failures = 0.0, 0
        for batch in self._shards[number]:
            check_interrupt()
            if active is None:
                log, failed = self._dense(batch, number, weights, labels)
            else:
                log, failed = self._sparse_shard(batch, number, weights, labels, active)
            total += log
            failures += failed
        return total, failures

    def _dense(self, batch: Batch, number: int, weights: Weights, labels: np.ndarray) -> tuple[float, int]:
        space = self._spaces[number]
        log, failed = forward(batch, weights.arrays, space.forward, self._ones)
        if not failed:
            sums = space.sums(self._tables[number])
            backward(batch, weights.arrays, space.forward, space.backward, sums, labels)
        return log, failed

    def _sparse_shard(
        self,
        batch: Batch,
        number: int,
        weights: Weights,
        labels: np.ndarray,
        active: _Counted,
    ) -> tuple[float, int]:
        space, (lists, counts) = self._spaces[number], active
        passed = space.forward._replace(alpha=space.forward.alpha.ravel())
        sums = space.sums(counts[number])
        log, failed, filled = sparse_forward(batch, weights.arrays, lists, passed, space.sparse.rows)
        if not failed:
            sparse_backward(batch, weights.arrays, lists, passed, filled, space.sparse, sums, labels)
        return log, failed

    def _gather(self, weights: Weights, active: _Counted | None) -> Counts:
        s = self.states
        emissions = np.empty((self.corpus.types, s), self._dtype)
        if active is None:
            each(lambda block: gather_rows(self._tables, *block, emissions), self._blocks, self.threads)
        else:
            lists, tables = active
            each(
                lambda block: gather_active(tables, lists.begins, lists.chosen, *block, emissions),
                self._blocks,
                self.threads,
            )
            for space in self._spaces:
                flush(space.sparse.between, space.sparse.across, space.between)
        transitions = np.zeros((s + 1, s + 1))
        for space in self._spaces:
            transitions[:s, :s] += space.between
            transitions[s, :s] += space.first
            transitions[:s, s] += space.last
        transitions[:s, :s] *= weights.arrays.transition
        return Counts(transitions, emissions)
