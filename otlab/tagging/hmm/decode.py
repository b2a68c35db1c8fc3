"""Label a corpus with a model's states.

Maximum-marginal decoding labels each token with its most probable state, which the E-step computes too
(according to Johnson 2007, section 3, it is the better tagger). Viterbi decoding labels each sentence with
its most probable sequence of states. Both choose the lowest state on a tie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.inference.run import check_interrupt
from otlab.tagging.hmm.estep import Expectation, Expected
from otlab.tagging.hmm.threads import each
from otlab.tagging.hmm.trigrams import TrigramExpectation, pair_posteriors
from otlab.tagging.kernels.dense import viterbi_sentences
from otlab.tagging.kernels.trigrams import viterbi_trigrams

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.parameters import Precision, Weights

__all__ = ["expected_under", "marginal", "posteriors", "viterbi"]

_SENTENCES = 500


def expected_under(corpus: Corpus, weights: Weights, threads: int = 1) -> Expected:
    """Return the expected counts of a corpus under weights of either order.

    Raises
    ------
    Impossible
        If a sentence's probability is 0 or underflows.
    """
    if weights.order == 2:
        return TrigramExpectation(corpus, weights.states, threads=threads)(weights)
    precision: Precision = "f32" if weights.emission.dtype == np.float32 else "f64"
    return Expectation(corpus, weights.states, precision, threads=threads, sparse=False)(weights)


def marginal(corpus: Corpus, weights: Weights, threads: int = 1) -> np.ndarray:
    """Return the most probable state of each token, int16."""
    return expected_under(corpus, weights, threads).labels


def viterbi(corpus: Corpus, weights: Weights, threads: int = 1) -> np.ndarray:
    """Return the most probable sequence of states of each sentence, int16."""
    with np.errstate(divide="ignore"):
        transitions, emission = np.log(weights.transitions), np.log(weights.emission.astype(np.float64))
    labels = np.zeros(corpus.tokens, np.int16)
    initial, inner, final = (
        transitions[-1, :-1].copy(),
        transitions[:-1, :-1].copy(),
        transitions[:-1, -1].copy(),
    )

    def part(low: int) -> None:
        check_interrupt()
        high = min(low + _SENTENCES, corpus.sentences)
        if weights.order == 2:
            viterbi_trigrams(corpus.words, corpus.offsets, low, high, transitions, emission, labels)
            return
        viterbi_sentences(corpus.words, corpus.offsets, low, high, initial, inner, final, emission, labels)

    each(part, range(0, corpus.sentences, _SENTENCES), threads)
    return labels


def posteriors(words: np.ndarray, weights: Weights) -> np.ndarray:
    """Return P(state of each token given its sentence), shape (tokens, states).

    It is for one sentence; for a corpus, use :class:`~otlab.tagging.hmm.estep.Expectation`.
    """
    if weights.order == 2:
        return pair_posteriors(words, weights)
    emission = weights.emission[words].astype(np.float64)
    theta = weights.transitions
    alpha, beta = np.empty_like(emission), np.empty_like(emission)
    row = theta[-1, :-1] * emission[0]
    for t in range(len(words)):
        row = row if t == 0 else (alpha[t - 1] @ theta[:-1, :-1]) * emission[t]
        alpha[t] = row / row.sum()
    column = theta[:-1, -1]
    for t in range(len(words) - 1, -1, -1):
        beta[t] = column / column.max()
        column = theta[:-1, :-1] @ (emission[t] * beta[t])
    joint = alpha * beta
    shares: np.ndarray = joint / joint.sum(1, keepdims=True)
    return shares
