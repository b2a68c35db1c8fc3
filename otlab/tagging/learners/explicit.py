"""Explicit Gibbs samplers: parameters are drawn, then states, pointwise or by sentence.

On large corpora they settle faster than the collapsed sampler (Gao & Johnson 2008),
and use every core: given the parameters, sentences are independent. Each of the fixed
shards has its own stream of random numbers, so the samples do not depend on threads.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from otlab.inference.blas import one_blas_thread
from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.batches import SHARDS, make_shards
from otlab.tagging.hmm.estep import row_blocks
from otlab.tagging.hmm.parameters import Weights, float_type
from otlab.tagging.hmm.threads import each
from otlab.tagging.kernels.dense import forward
from otlab.tagging.kernels.explicit import draw_log_gammas, resample_pointwise, sample_backwards
from otlab.tagging.kernels.layout import Batch, Forward
from otlab.tagging.learners.sampling import GibbsSampler, Sample

__all__ = ["BlockedGibbs", "ExplicitGibbs", "ExplicitSample", "draw_emissions", "draw_weights"]

_SENTENCES = 1000


@dataclass(kw_only=True)
class ExplicitSample(Sample):
    """A sample, one generator a shard, and the layout of the corpus if it is needed."""

    streams: list[np.random.Generator]
    shards: list[list[Batch]] | None = None


@dataclass(frozen=True, eq=False)
class _Explicit(GibbsSampler[ExplicitSample]):
    """A sampler that draws the parameters; subclasses draw the states."""

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> ExplicitSample:
        """Return a state with these labels and a generator for each shard."""
        return ExplicitSample(labels=labels, streams=rng.spawn(SHARDS))

    def sweep(self, rng: np.random.Generator, state: ExplicitSample, power: float) -> None:
        """Draw the parameters, then every label."""
        check_interrupt()
        weights, clamped = draw_weights(self, rng, state), self.clamp(state)
        self.relabel(state, clamped.expand(weights) if clamped else weights, power)

    @abstractmethod
    def relabel(self, state: ExplicitSample, weights: Weights, power: float) -> None:
        """Draw the labels given the parameters."""


def draw_weights(
    learner: GibbsSampler[ExplicitSample], rng: np.random.Generator, state: ExplicitSample
) -> Weights:
    """Draw theta and phi from Dirichlet(counts + prior)."""
    counts = learner.counts(state)
    emission, scale = draw_emissions(learner, state, counts.emissions)
    row_gammas = np.empty(counts.transitions.shape)
    nothing, prior = np.ones((1, 1), bool), learner.prior.transition
    draw_log_gammas(rng, counts.transitions, prior, nothing, False, 0, len(row_gammas), row_gammas)
    theta = np.exp(row_gammas - row_gammas.max(1, keepdims=True))
    theta /= theta.sum(1, keepdims=True)
    # No path may underflow: every sentence needs a state with positive probability.
    lifted = np.maximum(theta, np.finfo(emission.dtype).tiny * 1e8)
    return Weights(lifted, emission, scale)


def draw_emissions(
    learner: GibbsSampler[Any], state: ExplicitSample, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Draw phi from Dirichlet(counts + prior); return it by word, and the log of each word's divisor."""
    prior, allowed = learner.prior.emission, learner.allowed
    gammas = np.empty(counts.shape)
    mask = np.ones((1, 1), bool) if allowed is None else allowed
    blocks = list(zip(state.streams, row_blocks(len(gammas)), strict=True))

    def block(item: tuple[np.random.Generator, tuple[int, int]]) -> None:
        stream, (low, high) = item
        draw_log_gammas(stream, counts, prior, mask, allowed is not None, low, high, gammas)

    each(block, blocks, learner.threads)
    return _scaled(gammas, learner)


def _scaled(gammas: np.ndarray, learner: GibbsSampler[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Normalise log gammas over words and scale each word's row by its largest."""
    dtype = float_type(learner.precision)
    top = gammas.max(0)
    top[~np.isfinite(top)] = 0
    gammas -= top + np.log(np.exp(gammas - top).sum(0) + (top == 0) * np.finfo(float).tiny)
    scale = gammas.max(1)
    gammas -= scale[:, None]
    emission = np.exp(np.maximum(gammas, -745.0, out=gammas), out=gammas).astype(dtype)
    if learner.allowed is not None:
        emission[~learner.allowed] = 0
    return emission, scale


@dataclass(frozen=True, eq=False)
class ExplicitGibbs(_Explicit):
    """Parameters, then one token's state at a time."""

    name: ClassVar[str] = "gibbs-explicit"

    def relabel(self, state: ExplicitSample, weights: Weights, power: float) -> None:
        """Redraw each token given its neighbours."""
        text = self.text(state)
        parts = list(zip(state.streams, row_blocks(text.sentences), strict=True))

        def part(item: tuple[np.random.Generator, tuple[int, int]]) -> None:
            stream, (first, last) = item
            for low in range(first, last, _SENTENCES):
                check_interrupt()
                resample_pointwise(
                    stream, text.words, text.offsets, low, min(low + _SENTENCES, last),
                    weights.arrays, power, state.labels,
                )  # fmt: skip

        each(part, parts, self.threads)


@dataclass(frozen=True, eq=False)
class BlockedGibbs(_Explicit):
    """Parameters, then whole sentences: forward filtering, backward sampling."""

    name: ClassVar[str] = "gibbs-blocked"

    def relabel(self, state: ExplicitSample, weights: Weights, power: float) -> None:
        """Redraw each sentence as a whole; annealed weights are those to the power 1 / T."""
        state.shards = state.shards or make_shards(self.text(state))
        tempered = weights.tempered(1 / power, normalize=False)
        with one_blas_thread():
            each(
                lambda item: self._shard(*item, state.labels, tempered),
                list(zip(state.streams, state.shards, strict=True)),
                self.threads,
            )

    def _shard(
        self, stream: np.random.Generator, shard: list[Batch], labels: np.ndarray, weights: Weights
    ) -> None:
        dtype = weights.emission.dtype
        tokens = max((batch.tokens for batch in shard), default=0)
        ones = np.ones(self.states, dtype)
        passed = Forward(
            np.empty((tokens, self.states), dtype), np.empty(tokens, dtype), np.empty(tokens, dtype)
        )
        for batch in shard:
            check_interrupt()
            forward(batch, weights.arrays, passed, ones)
            sample_backwards(stream, batch, weights.arrays, passed.alpha, labels)
