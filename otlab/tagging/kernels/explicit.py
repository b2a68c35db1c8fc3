r"""Gibbs sampling with the parameters drawn too (Gao & Johnson 2008).

Each sweep draws :math:`\theta, \phi` from their Dirichlet posteriors given the counts,
then the states given those: token by token,
:math:`P(y_i = k) \propto \theta_{k|a} \phi_{x|k} \theta_{b|k}`, or sentence by sentence,
backwards from the forward probabilities,
:math:`P(y_t = i \mid y_{t+1} = j) \propto \alpha_t(i) \theta_{j|i}`.
Sentences are independent then, so shards run side by side.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import categorical, log_gamma_variate

__all__ = ["draw_log_gammas", "resample_pointwise", "sample_backwards"]


@kernel
def draw_log_gammas(rng, emissions, prior, allowed, masked, low, high, out):
    """Draw logarithms of Gamma(count + prior) variates for words `low` ... `high`; -inf where barred."""
    for w in range(low, high):
        for k in range(emissions.shape[1]):
            if masked and not allowed[w, k]:
                out[w, k] = -np.inf
            else:
                out[w, k] = log_gamma_variate(rng, emissions[w, k] + prior)


@kernel
def resample_pointwise(rng, words, offsets, low, high, weights, power, labels):
    """Redraw each token of sentences `low` ... `high` given its neighbours and the weights."""
    initial, final, transition, transposed, emission = weights
    states = initial.size
    chances = np.empty(states, emission.dtype)
    for sentence in range(low, high):
        begin, end = offsets[sentence], offsets[sentence + 1]
        for i in range(begin, end):
            before = initial if i == begin else transition[labels[i - 1]]
            after = final if i + 1 == end else transposed[labels[i + 1]]
            own = emission[words[i]]
            # P(y_i = k | neighbours), up to a factor
            for k in range(states):
                chances[k] = before[k] * own[k] * after[k]
            if power != 1.0:
                for k in range(states):
                    chances[k] = chances[k] ** power
            labels[i] = categorical(rng, chances)


@kernel
def sample_backwards(rng, batch, weights, alpha, labels):
    """Draw the states of a batch's sentences from their last token back, after ``forward``."""
    order, starts, transposed, final = batch.order, batch.starts, weights.transposed, weights.final
    states = final.size
    chances = np.empty(states, alpha.dtype)
    lengths = starts.size - 1
    for t in range(lengths - 1, -1, -1):
        unfinished = starts[t + 2] - starts[t + 1] if t + 1 < lengths else 0
        for i in range(starts[t + 1] - starts[t]):
            here = starts[t] + i
            after = transposed[labels[order[starts[t + 1] + i]]] if i < unfinished else final
            # P(y_t = k | y_{t+1}, x_1 ... x_t), up to a factor
            for k in range(states):
                chances[k] = alpha[here, k] * after[k]
            labels[order[here]] = categorical(rng, chances)
