"""EM for a hidden Markov tagger in JAX: the strong peer of the tagging benchmarks.

Written as one would for an accelerator: sentences sorted by length in padded batches of 256, the
forward and backward recursions as ``lax.scan`` over time, everything compiled, float32. Same
model, same start and same likelihoods as :class:`otlab.tagging.EM`.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from otlab.tagging import Corpus
    from otlab.tagging.hmm.parameters import Weights

# One core, as ours; read when JAX is first imported.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

BATCH = 256
PAD = 4
"""Lengths are padded to multiples of this: each length of a batch is compiled once."""


class JaxEM:
    """EM, one iteration a call.

    Parameters
    ----------
    corpus
        What is learnt from.
    weights
        Where it starts.

    Attributes
    ----------
    log_likelihoods
        Of the weights before each iteration.
    """

    def __init__(self, corpus: Corpus, weights: Weights) -> None:
        import jax.numpy as jnp

        self.types = corpus.types
        self.transitions = jnp.asarray(weights.transitions, jnp.float32)
        self.emissions = jnp.asarray(weights.emissions, jnp.float32)
        self.batches = [(jnp.asarray(words), jnp.asarray(lengths)) for words, lengths in padded(corpus)]
        self.expect, self.maximize = compiled()
        self.log_likelihoods: list[float] = []

    def __call__(self) -> None:
        import jax.numpy as jnp

        sums = jnp.zeros_like(self.transitions), jnp.zeros_like(self.emissions)
        log_likelihood = 0.0
        found = []
        for words, lengths in self.batches:
            *sums, log = self.expect(self.transitions, self.emissions, words, lengths, *sums)
            found.append(log)
        log_likelihood = float(np.sum(np.array(found, np.float64)))
        self.transitions, self.emissions = self.maximize(*sums)
        self.emissions.block_until_ready()
        self.log_likelihoods.append(log_likelihood)


def padded(corpus: Corpus) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return batches of words (sentences, longest) and lengths, sentences by length."""
    order = np.argsort(corpus.lengths, kind="stable")
    batches = []
    for at in range(0, order.size, BATCH):
        chosen = order[at : at + BATCH]
        lengths = corpus.lengths[chosen].astype(np.int32)
        words = np.zeros((chosen.size, -(-int(lengths.max()) // PAD) * PAD), np.int32)
        for row, sentence in enumerate(chosen):
            begin = corpus.offsets[sentence]
            words[row, : lengths[row]] = corpus.words[begin : begin + lengths[row]]
        batches.append((words, lengths))
    return batches


@cache
def compiled() -> tuple[Any, Any]:
    """Return the E-step of a batch, which adds to the sums given, and the M-step.

    Both are compiled once for all instances: a run after the first does not wait for it.
    """
    import jax
    import jax.numpy as jnp

    def expect(theta: Any, phi: Any, words: Any, lengths: Any, between: Any, counts: Any) -> Any:
        inner, initial, final = theta[:-1, :-1], theta[-1, :-1], theta[:-1, -1]
        emitted = phi[words.T]  # time, sentence, state
        times = jnp.arange(words.shape[1])

        def forward(alpha: Any, at: Any) -> Any:
            emission, t = at
            raw = jnp.where(t == 0, initial, alpha @ inner) * emission
            z = raw.sum(1)
            going = t < lengths
            alpha = jnp.where(going[:, None], raw / jnp.where(going, z, 1)[:, None], alpha)
            return alpha, (alpha, jnp.where(going, z, 1))

        last, (alphas, zs) = jax.lax.scan(forward, jnp.zeros_like(emitted[0]), (emitted, times))
        ends = last @ final
        log = jnp.log(zs).sum() + jnp.log(ends).sum()
        at_end = final[None] / ends[:, None]

        def backward(carried: Any, at: Any) -> Any:
            later, pairs = carried  # later: emission * beta / z of the next token
            alpha, emission, z, t = at
            ended = (t == lengths - 1)[:, None]
            inside = (t < lengths - 1)[:, None]
            later = jnp.where(inside, later, 0)
            beta = jnp.where(ended, at_end, later @ inner.T)
            pairs = pairs + alpha.T @ later
            gamma = jnp.where(ended | inside, alpha * beta, 0)
            return (emission * beta / z[:, None], pairs), gamma

        start = jnp.zeros_like(emitted[0]), jnp.zeros_like(inner)
        (_, pairs), gammas = jax.lax.scan(backward, start, (alphas, emitted, zs, times), reverse=True)
        counts = counts.at[words.T].add(gammas)
        between = between.at[:-1, :-1].add(pairs * inner)
        between = between.at[-1, :-1].add(gammas[0].sum(0))
        between = between.at[:-1, -1].add((last * at_end).sum(0))
        return between, counts, log

    def maximize(between: Any, counts: Any) -> Any:
        return between / between.sum(1, keepdims=True), counts / counts.sum(0, keepdims=True)

    return jax.jit(expect, donate_argnums=(4, 5)), jax.jit(maximize)
