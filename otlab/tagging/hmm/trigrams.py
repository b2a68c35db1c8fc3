r"""The trigram hidden Markov model: each state depends on the two before it.

Before a sentence stand two boundaries, after it one: a sentence :math:`y_1 \ldots y_L` is ⋄ ⋄ y_1 ... y_L ⋄,
and :math:`P = \prod_t P(y_t \mid y_{t-2}, y_{t-1})`. Transitions have shape (s + 1, s + 1, s + 1): the state
before last, the last, the next. With :math:`T_j` the transitions from pairs (i, j), the forward-backward
algorithm is, for each present state j,

.. math::
    \alpha_t(k, j) = (\alpha_{t-1}(j, \cdot) \, T_j)_k \, B_{x_t}(k) / z_{t-1}, \quad
    W_t(k, j) = B_{x_t}(k) \beta_t(k, j) / z_{t-1}, \quad
    \beta_{t-1}(j, \cdot) = T_j W_t(\cdot, j);

expected trigrams are :math:`T_j \circ \sum_t \alpha_{t-1}(j, \cdot)^\top W_t(\cdot, j)`: three products of
:math:`s^3` multiplications for each token, where a model of pairs of states as states would need :math:`s^4`.
The products are of arrays whose last axis is the sentences of a batch; no array is transposed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError
from otlab.inference.blas import one_blas_thread
from otlab.inference.kernels.subnormals import no_subnormals
from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.batches import make_shards
from otlab.tagging.hmm.estep import Expected, Impossible
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.trigrams import gather_marginals, log_sum, weigh

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.parameters import Weights
    from otlab.tagging.kernels.layout import Batch

__all__ = [
    "TrigramExpectation",
    "check_trigram_states",
    "count_trigrams",
    "pair_posteriors",
    "spread_pairs",
]

_MOST = 200  # states

_BYTES = 24e6  # of the forward weights of a batch
_TOKENS = (256, 4000)
_SMALLEST = 1e-300


def check_trigram_states(states: int) -> None:
    """Raise InputError if a trigram model has too many states."""
    if states > _MOST:
        what = f"--states {states}: a trigram model has its third power of transitions"
        raise InputError(Fault(what, f"use {_MOST} or fewer, or a learner without trigrams"))


def count_trigrams(labels: np.ndarray, offsets: np.ndarray, states: int) -> np.ndarray:
    """Return the counts of three states in a row of a labelled corpus, shape (states + 1,) * 3."""
    padded = np.full(labels.size + 2 * offsets.size, states, dtype=np.int64)
    padded[np.arange(labels.size) + 2 * np.repeat(np.arange(1, offsets.size), np.diff(offsets))] = labels
    size = states + 1
    before, present, after = padded[:-2], padded[1:-1], padded[2:]
    # Two boundaries stand between sentences; a trigram that ends with the second belongs to none.
    inside = (present < states) | (after < states)
    codes = ((before * size + present) * size + after)[inside]
    return np.bincount(codes, minlength=size**3).reshape(size, size, size).astype(np.float64)


def spread_pairs(counts: Counts) -> Counts:
    """Return counts of trigrams whose last state does not depend on the first, from counts of pairs."""
    pairs, shares = counts.transitions, counts.transition_shares
    trigrams = pairs[:, :, None] * shares[None]
    trigrams[:, -1] = 0.0
    trigrams[-1, -1] = pairs[-1]
    return Counts(trigrams, counts.emissions)


class _Parts(NamedTuple):
    """Transitions in the order of the products: the present state first.

    Attributes
    ----------
    first : ndarray of shape (states,)
        Of the first state.
    second, inner : ndarray of shape (states, 1, states), (states, states, states)
        By present state, state before (the boundary alone in `second`), and next state.
    ends : two ndarrays of shape (states, 1), (states, states)
        To the boundary, by present state and state before, after one token and after more.
    """

    first: np.ndarray
    second: np.ndarray
    inner: np.ndarray
    ends: tuple[np.ndarray, np.ndarray]

    @staticmethod
    def of(theta: np.ndarray) -> _Parts:
        by_present = np.ascontiguousarray(theta.transpose(1, 0, 2))
        inner, boundary = by_present[:-1, :-1], by_present[:-1, -1:]
        return _Parts(
            theta[-1, -1, :-1].copy(),
            boundary[:, :, :-1].copy(),
            inner[:, :, :-1].copy(),
            (boundary[:, :, -1].copy(), inner[:, :, -1].copy()),
        )

    def after(self, t: int) -> np.ndarray:
        """Return the transitions from the token at time t."""
        return self.second if t == 0 else self.inner


class _Space:
    """Sums and working arrays of one shard."""

    def __init__(self, shard: list[Batch], types: int, states: int) -> None:
        tokens = max((b.tokens for b in shard), default=0)
        sentences = max((b.sentences for b in shard), default=0)
        self.alpha = np.zeros(tokens * states * states)
        self.beta = np.zeros((2, states * states * sentences))
        self.emission = np.zeros(states * sentences)
        self.marginals = np.zeros(states * sentences)
        self.emissions = np.zeros((types, states))
        self.first = np.zeros(states)
        self.second = np.zeros((states, 1, states))
        self.inner = np.zeros((states, states, states))
        self.ends = np.zeros((states, 1)), np.zeros((states, states))

    def clear(self) -> None:
        """Set the sums to 0."""
        for sums in (self.emissions, self.first, self.second, self.inner, *self.ends):
            sums[:] = 0


def _product(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
    """Write the product of each pair of matrices; if they are outer products, without BLAS."""
    if left.shape[-1] == 1:
        np.multiply(left, right, out=out)
    else:
        np.matmul(left, right, out=out)


class TrigramExpectation:
    """Computes the expected counts of a corpus under trigram weights, in double precision.

    Parameters
    ----------
    corpus, states
        The data, and the number of states.
    threads
        Number of threads. The results do not depend on it.
    """

    def __init__(self, corpus: Corpus, states: int, *, threads: int = 1) -> None:
        self.corpus, self.states, self.threads = corpus, states, threads
        tokens = int(np.clip(_BYTES / (8 * states**2), *_TOKENS))
        self._shards = make_shards(corpus, tokens)
        self._spaces = [_Space(shard, corpus.types, states) for shard in self._shards]

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
        parts = _Parts.of(weights.transitions)
        emission = weights.emission.astype(np.float64)
        with one_blas_thread(), no_subnormals():
            results = each(
                lambda n: self._shard(n, parts, emission, labels), range(len(self._shards)), self.threads
            )
        if sum(failed for _, failed in results):
            raise Impossible("a sentence has probability 0 in f64")
        scale = float(self.corpus.word_counts.astype(np.float64) @ weights.log_scale)
        return Expected(sum(log for log, _ in results) + scale, self._gather(parts, weights), labels, False)

    def _shard(
        self, number: int, parts: _Parts, emission: np.ndarray, labels: np.ndarray
    ) -> tuple[float, int]:
        space = self._spaces[number]
        space.clear()
        total, failures = 0.0, 0
        for batch in self._shards[number]:
            check_interrupt()
            log, failed, passed = self._forward(batch, parts, emission, space)
            if not failed:
                self._backward(batch, parts, emission, space, passed, labels)
            total += log
            failures += failed
        return total, failures

    def _alpha(self, batch: Batch, t: int, space: _Space) -> np.ndarray:
        """Return the forward weights of the tokens at time t: state, state before, sentence."""
        low, high = int(batch.starts[t]), int(batch.starts[t + 1])
        before, pairs = (1 if t == 0 else self.states), self.states**2
        size = (high - low) * self.states * before
        return space.alpha[low * pairs : low * pairs + size].reshape(self.states, before, high - low)

    def _emission(self, batch: Batch, t: int, emission: np.ndarray, space: _Space) -> np.ndarray:
        words = batch.words[batch.starts[t] : batch.starts[t + 1]]
        rows = space.emission[: words.size * self.states].reshape(self.states, words.size)
        rows[:] = emission[words].T
        return rows

    def _forward(
        self, batch: Batch, parts: _Parts, emission: np.ndarray, space: _Space
    ) -> tuple[float, int, tuple[np.ndarray, np.ndarray]]:
        """Fill the forward weights; return the log probability, failures, 1 / z and 1 / the ends."""
        starts = batch.starts
        lengths = starts.size - 1
        inverse, ends = np.ones(batch.tokens), np.ones(batch.tokens)
        total, failures = 0.0, 0
        for t in range(lengths):
            here, width = starts[t], starts[t + 1] - starts[t]
            now = self._alpha(batch, t, space)
            factors = np.ones(width)
            if t == 0:
                now[:, 0] = parts.first[:, None]
            else:
                before = self._alpha(batch, t - 1, space)[:, :, :width]
                _product(parts.after(t - 1).transpose(0, 2, 1), before, now.transpose(1, 0, 2))
                factors = inverse[starts[t - 1] : starts[t - 1] + width]
            sums = inverse[here : here + width]
            weigh(now, self._emission(batch, t, emission, space), factors, sums)
            log_z, failed = log_sum(sums, _SMALLEST)
            ended = starts[t + 2] - starts[t + 1] if t + 1 < lengths else 0
            to_boundary = np.einsum("kjn,kj->n", now[:, :, ended:], parts.ends[min(t, 1)])
            # Forward weights keep their sum, so the end's share is that of the rest.
            log_end, lost = log_sum(to_boundary, _SMALLEST)
            log_z += log_end - float(np.log(sums[ended:]).sum())
            ends[here + ended : here + width] = 1 / to_boundary
            sums[:] = 1 / sums
            total += log_z
            failures += failed + lost
        return total, failures, (inverse, ends)

    def _backward(
        self,
        batch: Batch,
        parts: _Parts,
        emission: np.ndarray,
        space: _Space,
        passed: tuple[np.ndarray, np.ndarray],
        labels: np.ndarray,
    ) -> None:
        """Add up the expected counts, from the last tokens to the first."""
        starts, (inverse, ends) = batch.starts, passed
        later = np.empty(0)
        for t in range(starts.size - 2, -1, -1):
            here, width = int(starts[t]), int(starts[t + 1] - starts[t])
            following = int(starts[t + 2] - starts[t + 1]) if t + 2 < starts.size else 0
            alpha = self._alpha(batch, t, space)
            beta = space.beta[t % 2][: alpha.size].reshape(alpha.shape)
            if following:
                theta, sums = parts.after(t), (space.second if t == 0 else space.inner)
                np.matmul(theta, later.transpose(1, 0, 2), out=beta[:, :, :following])
                sums += np.matmul(alpha[:, :, :following], later.transpose(1, 2, 0))
            final = ends[here + following : here + width]
            beta[:, :, following:] = parts.ends[min(t, 1)][:, :, None] * final
            space.ends[min(t, 1)][:] += (alpha[:, :, following:] * beta[:, :, following:]).sum(2)
            factors = inverse[starts[t - 1] : starts[t - 1] + width] if t else np.ones(width)
            marginals = space.marginals[: self.states * width].reshape(self.states, width)
            gather_marginals(
                alpha, beta, self._emission(batch, t, emission, space), factors,
                batch.words[here : here + width], batch.order[here : here + width],
                space.emissions, labels, marginals,
            )  # fmt: skip
            later = beta
            if t == 0:
                space.first += marginals.sum(1)

    def _gather(self, parts: _Parts, weights: Weights) -> Counts:
        s = self.states
        by_present = np.zeros((s + 1, s + 1, s + 1))
        emissions = np.zeros((self.corpus.types, s))
        for space in self._spaces:
            by_present[:s, :s, :s] += space.inner
            by_present[:s, s:, :s] += space.second
            by_present[:s, s:, s] += space.ends[0]
            by_present[:s, :s, s] += space.ends[1]
            by_present[s, s, :s] += space.first
            emissions += space.emissions
        by_present[:s, :s, :s] *= parts.inner
        by_present[:s, s:, :s] *= parts.second
        transitions = np.ascontiguousarray(by_present.transpose(1, 0, 2))
        return Counts(transitions, emissions.astype(weights.emission.dtype))


def pair_posteriors(words: np.ndarray, weights: Weights) -> np.ndarray:
    """Return P(state of each token given its sentence), shape (tokens, states), of one sentence."""
    s, theta = weights.states, weights.transitions
    emission = weights.emission[words].astype(np.float64)
    alpha, beta = np.zeros((2, len(words), s + 1, s))
    row = np.zeros((s + 1, s))
    row[s] = theta[s, s, :s] * emission[0]
    for t in range(len(words)):
        if t:
            row = np.zeros((s + 1, s))
            row[:s] = np.einsum("ij,ijk->jk", alpha[t - 1], theta[:, :s, :s]) * emission[t]
        alpha[t] = row / row.sum()
    column = theta[:, :s, s]
    for t in range(len(words) - 1, -1, -1):
        beta[t] = column / column.max()
        column = np.einsum("ijk,jk->ij", theta[:, :s, :s], emission[t] * beta[t][:s])
    joint = (alpha * beta).sum(1)
    shares: np.ndarray = joint / joint.sum(1, keepdims=True)
    return shares
