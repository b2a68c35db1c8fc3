r"""Collapsed, sentence-blocked Gibbs sampling with Metropolis-Hastings.

A sentence is taken out of the counts; new states are proposed for all of it from the
HMM with the remaining counts' predictive probabilities (forward filtering, backward
sampling) and accepted with probability

.. math::
    \min\left(1, \frac{P(x, y' \mid \text{rest})\, q(y)}{P(x, y \mid \text{rest})\, q(y')}\right),

P being the collapsed joint, which counts the sentence's own repeats, and q the HMM's,
which does not (after Johnson, Griffiths & Goldwater 2007, for PCFGs).
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import categorical

__all__ = ["resample_sentences"]


@kernel
def _add(words, labels, begin, end, sign, counts):
    """Add or take away a sentence's counts."""
    emissions, transitions, per_state, leaving = counts
    boundary = per_state.size
    a = boundary
    for i in range(begin, end):
        k = labels[i - begin]
        emissions[words[i], k] += sign
        per_state[k] += sign
        transitions[a, k] += sign
        leaving[a] += sign
        a = k
    transitions[a, boundary] += sign
    leaving[a] += sign


@kernel
def _log_predictive(words, labels, begin, end, counts, priors, mass):
    """Return ln P(sentence, labels | counts), adding the sentence to the counts as it goes."""
    emissions, transitions, per_state, leaving = counts
    boundary = per_state.size
    outcomes_mass = (boundary + 1) * priors[1]
    total = 0.0
    a = boundary
    for i in range(begin, end):
        k = labels[i - begin]
        w = words[i]
        total += math.log((emissions[w, k] + priors[0]) / (per_state[k] + mass[k]))
        total += math.log((transitions[a, k] + priors[1]) / (leaving[a] + outcomes_mass))
        emissions[w, k] += 1.0
        per_state[k] += 1.0
        transitions[a, k] += 1.0
        leaving[a] += 1.0
        a = k
    total += math.log((transitions[a, boundary] + priors[1]) / (leaving[a] + outcomes_mass))
    transitions[a, boundary] += 1.0
    leaving[a] += 1.0
    return total


@kernel
def _log_proposal(words, labels, begin, end, theta, emissions, per_state, priors, mass):
    """Return ln of the unnormalised proposal probability of labels."""
    boundary = per_state.size
    total = 0.0
    a = boundary
    for i in range(begin, end):
        k = labels[i - begin]
        total += math.log(theta[a, k] * (emissions[words[i], k] + priors[0]) / (per_state[k] + mass[k]))
        a = k
    return total + math.log(theta[a, boundary])


@kernel
def _filter(words, begin, end, theta, emissions, per_state, priors, mass, usable, alpha):
    """Fill `alpha` with the filtered probabilities of each token's states, scaled to sum to 1."""
    states = per_state.size
    for t in range(end - begin):
        w = words[begin + t]
        for k in range(states):
            alpha[t, k] = theta[states, k] if t == 0 else 0.0
        if t > 0:
            for i in range(states):
                a = alpha[t - 1, i]
                for k in range(states):
                    alpha[t, k] += a * theta[i, k]
        total = 0.0
        for k in range(states):
            if usable[w, k]:
                alpha[t, k] *= (emissions[w, k] + priors[0]) / (per_state[k] + mass[k])
            else:
                alpha[t, k] = 0.0
            total += alpha[t, k]
        for k in range(states):
            alpha[t, k] /= total


@kernel
def resample_sentences(rng, words, offsets, low, high, counts, priors, mass, usable, power, labels):
    """Propose new states for sentences `low` ... `high`; return how many were accepted.

    Parameters
    ----------
    counts : BlockedCounts
        Of the present labels.
    priors, mass
        alpha_x and alpha_y, and m alpha_x by state.
    usable : ndarray of bool, shape (types, states)
        Which states a word may have.
    power
        1 / temperature: of the target, not of the proposal.
    """
    emissions, transitions, per_state, leaving = counts
    states = per_state.size
    longest = 0
    for s in range(low, high):
        longest = max(longest, offsets[s + 1] - offsets[s])
    alpha, weights = np.empty((longest, states)), np.empty(states)
    theta = np.empty((states + 1, states + 1))
    new, old = np.empty(longest, np.int64), np.empty(longest, np.int64)
    accepted = 0
    for s in range(low, high):
        begin, end = offsets[s], offsets[s + 1]
        length = end - begin
        if length == 0:
            continue
        # 1. take the sentence out of the counts
        for t in range(length):
            old[t] = labels[begin + t]
        _add(words, old, begin, end, -1.0, counts)
        # 2. propose from the HMM of the remaining counts: forward filtering, backward sampling
        for a in range(states + 1):
            f = 1.0 / (leaving[a] + (states + 1) * priors[1])
            for k in range(states + 1):
                theta[a, k] = (transitions[a, k] + priors[1]) * f
        _filter(words, begin, end, theta, emissions, per_state, priors, mass, usable, alpha)
        for t in range(length - 1, -1, -1):
            after = states if t == length - 1 else new[t + 1]
            for k in range(states):
                weights[k] = alpha[t, k] * theta[k, after]
            new[t] = categorical(rng, weights)
        # 3. accept by the ratio of targets, and of proposals; the new states are counted already
        balance = _log_proposal(words, old, begin, end, theta, emissions, per_state, priors, mass)
        balance -= _log_proposal(words, new, begin, end, theta, emissions, per_state, priors, mass)
        target = -_log_predictive(words, old, begin, end, counts, priors, mass)
        _add(words, old, begin, end, -1.0, counts)
        target += _log_predictive(words, new, begin, end, counts, priors, mass)
        if math.log(1.0 - rng.random()) < power * target + balance:
            accepted += 1
            for t in range(length):
                labels[begin + t] = new[t]
        else:
            _add(words, new, begin, end, -1.0, counts)
            _add(words, old, begin, end, 1.0, counts)
    return accepted
