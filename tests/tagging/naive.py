"""Plain-Python twins: everything by enumeration or by the formula as it is written."""

from __future__ import annotations

import itertools
import math

import numpy as np


def paths(length, states):
    return itertools.product(range(states), repeat=length)


def path_weight(words, path, transitions, emissions):
    """Weight of one labelled sentence; the last row and column are the boundary's."""
    boundary = len(transitions) - 1
    total, before = 1.0, boundary
    for word, state in zip(words, path, strict=True):
        total *= transitions[before][state] * emissions[word][state]
        before = state
    return total * transitions[before][boundary]


def expected_counts(sentences, transitions, emissions):
    """Log probability, expected transitions and emissions, and marginals, over all paths."""
    transitions, emissions = np.asarray(transitions), np.asarray(emissions)
    states = emissions.shape[1]
    between, by_word = np.zeros_like(transitions), np.zeros_like(emissions)
    log_probability, marginals = 0.0, []
    for words in sentences:
        weights = {
            path: path_weight(words, path, transitions, emissions) for path in paths(len(words), states)
        }
        total = sum(weights.values())
        log_probability += math.log(total)
        marginal = np.zeros((len(words), states))
        for path, weight in weights.items():
            share = weight / total
            before = states
            for t, (word, state) in enumerate(zip(words, path, strict=True)):
                between[before, state] += share
                by_word[word, state] += share
                marginal[t, state] += share
                before = state
            between[before, states] += share
        marginals.append(marginal)
    return log_probability, between, by_word, marginals


def best_path(words, transitions, emissions):
    states = np.asarray(emissions).shape[1]
    return max(paths(len(words), states), key=lambda path: path_weight(words, path, transitions, emissions))


def count(sentences, labels, types, states, order=1):
    """Counts of a labelling: transitions (states + 1, in order + 1 axes) and emissions (types, states)."""
    between, by_word = np.zeros((states + 1,) * (order + 1)), np.zeros((types, states))
    for words, path in zip(sentences, labels, strict=True):
        before = (states,) * order
        for word, state in zip(words, path, strict=True):
            between[(*before, state)] += 1
            by_word[word, state] += 1
            before = (*before[1:], state)
        between[(*before, states)] += 1
    return between, by_word


def log_joint(sentences, labels, types, states, emission_prior, transition_prior, order=1):
    """The collapsed joint, as written in the specification of the model."""
    between, by_word = count(sentences, labels, types, states, order)
    outcomes = states + 1
    total = 0.0
    for k in range(states):
        total += math.lgamma(types * emission_prior) - math.lgamma(
            by_word[:, k].sum() + types * emission_prior
        )
        total += sum(math.lgamma(n + emission_prior) - math.lgamma(emission_prior) for n in by_word[:, k])
    for row in between.reshape(-1, outcomes):
        total += math.lgamma(outcomes * transition_prior) - math.lgamma(
            row.sum() + outcomes * transition_prior
        )
        total += sum(math.lgamma(n + transition_prior) - math.lgamma(transition_prior) for n in row)
    return total


def conditional_by_enumeration(sentences, labels, s, t, types, states, emission_prior, transition_prior):
    """P(state of token t of sentence s | all others), by ratios of the joint."""
    logs = []
    for k in range(states):
        changed = [list(path) for path in labels]
        changed[s][t] = k
        logs.append(log_joint(sentences, changed, types, states, emission_prior, transition_prior))
    weights = np.exp(np.array(logs) - max(logs))
    return weights / weights.sum()


def split(flat, offsets):
    return [list(part) for part in np.split(np.asarray(flat), np.asarray(offsets)[1:-1])]


def conditional(words, offsets, labels, i, types, states, emission_prior, transition_prior):
    """Weights of token i's states given all others, from counts without it."""
    sentences, paths = split(words, offsets), split(labels, offsets)
    between, by_word = count(sentences, paths, types, states)
    old, ends = labels[i], set(np.asarray(offsets).tolist())
    a = states if i in ends else labels[i - 1]
    b = states if i + 1 in ends else labels[i + 1]
    between[a, old] -= 1
    between[old, b] -= 1
    by_word[words[i], old] -= 1
    weights = []
    for k in range(states):
        n = by_word[:, k].sum()
        emission = (by_word[words[i], k] + emission_prior) / (n + types * emission_prior)
        onward = (between[k, b] + (a == k == b) + transition_prior) / (n + (states + 1) * transition_prior)
        weights.append(emission * (between[a, k] + transition_prior) * onward)
    return weights


def xorshift128plus(seeds):
    """The next of Vigna's (2017) stream, in [0, 1); `seeds` are two integers, changed in place."""
    x, y = seeds
    x ^= (x << 23) % 2**64
    seeds[:] = y, x ^ (x >> 17) ^ y ^ (y >> 26)
    return ((seeds[0] + seeds[1]) % 2**64 >> 11) / 2**53


def collapsed_sweep(words, offsets, labels, types, states, emission_prior, transition_prior, seeds, lanes=16):
    """Resample every token; a draw tries the old state, then states by lane (number modulo lanes)."""
    order = sorted(range(states), key=lambda k: (k % lanes, k))
    for i in range(len(labels)):
        weights = conditional(words, offsets, labels, i, types, states, emission_prior, transition_prior)
        u = xorshift128plus(seeds) * sum(weights)
        for k in [labels[i], *(k for k in order if k != labels[i])]:
            if u < weights[k]:
                labels[i] = k
                break
            u -= weights[k]
