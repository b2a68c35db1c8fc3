r"""Forward-backward and Viterbi algorithms for a loop of left-to-right units.

A path enters a unit in its first state, stays in each state or leaves it for the next one, and leaves
the last state for the first state of any unit, or ends the utterance::

          entry[m]        leave[0, m]        leave[1, m]        leave[2, m]
    loop ---------> (0, m) ---------> (1, m) ---------> (2, m) ---------> loop or end
                    stay[0, m]        stay[1, m]        stay[2, m]

The weight that leaves all units in a frame is summed, and `entry` distributes the sum over the units,
so time is linear in the number of units. States are numbered (s, m) with the unit m innermost, so that
the inner loops run over contiguous memory.

No logarithms are needed, because the weights of a frame are divided by that of its best Gaussian, and
alpha by its sum. Values below 1e-308, which underflow, change a posterior by less than 1e-50 if no sum is
below 1e-50 and no beta exceeds 1e250. Otherwise :func:`expected_counts` sets log Z of the
utterance to nan, and :func:`expected_counts_log` is used.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel

__all__ = [
    "Counts",
    "Frames",
    "Loop",
    "Scratch",
    "best_path",
    "expected_counts",
    "expected_counts_log",
    "unit_scores",
]

SMALLEST_SUM = 1e-50
LARGEST_BETA = 1e250


class Loop(NamedTuple):
    """Weights of the loop: entry (units,), stay and leave (states, units)."""

    entry: np.ndarray
    stay: np.ndarray
    leave: np.ndarray


class Counts(NamedTuple):
    """Expected uses of entry (units,) and stay (states, units), to which kernels add."""

    entry: np.ndarray
    stay: np.ndarray


class Frames(NamedTuple):
    """Posteriors of each frame: P(a unit starts), the most probable unit, and its probability."""

    start: np.ndarray
    unit: np.ndarray
    probability: np.ndarray


class Scratch(NamedTuple):
    """Working arrays for an utterance: weight, alpha (frames, states, units), highest, total (frames,)."""

    weight: np.ndarray
    alpha: np.ndarray
    highest: np.ndarray
    total: np.ndarray


@kernel
def expected_counts(scores, offsets, loop, scratch, counts, frames, log_z):
    """Add the expected counts of utterances to `counts`, given the scores of their frames.

    Parameters
    ----------
    scores : (frames, components, states, units)
        E ln(weight times density) of each Gaussian; replaced by its expected uses.
    offsets : (utterances + 1,)
        First frame of each utterance.
    loop, scratch, counts, frames
        See the named tuples.
    log_z : (utterances,)
        Log of the summed weight of all paths; nan for an utterance whose values exceed the range of
        float64. Nothing is counted for it, and its scores are no longer valid.
    """
    for u in range(log_z.size):
        a, b = offsets[u], offsets[u + 1]
        part = scores[a:b]
        emission_weights(part, scratch)
        log_z[u] = forward(b - a, loop, scratch)
        if not math.isnan(log_z[u]) and not backward(part, loop, scratch, counts, frames, a):
            log_z[u] = math.nan


@kernel
def emission_weights(scores, scratch):
    """Exponentiate the scores of each frame, divided by the largest, and sum the components of each state."""
    length, components, states, units = scores.shape
    for t in range(length):
        highest = -math.inf
        for c in range(components):
            for s in range(states):
                for m in range(units):
                    highest = max(highest, scores[t, c, s, m])
        scratch.highest[t] = highest
        scratch.weight[t] = 0.0
        for c in range(components):
            for s in range(states):
                for m in range(units):
                    e = math.exp(scores[t, c, s, m] - highest)
                    scores[t, c, s, m] = e
                    scratch.weight[t, s, m] += e


@kernel
def forward(length, loop, scratch):
    """Fill alpha, which sums to 1 in each frame; return ln Z, or nan if a sum is too small."""
    weight, alpha, highest, total = scratch
    states, units = loop.stay.shape
    log_z = 0.0
    out = 1.0
    for t in range(length):
        for s in range(states):
            for m in range(units):
                if s == 0:
                    arriving = out * loop.entry[m]
                elif t > 0:
                    arriving = alpha[t - 1, s - 1, m] * loop.leave[s - 1, m]
                else:
                    arriving = 0.0
                if t > 0:
                    arriving += alpha[t - 1, s, m] * loop.stay[s, m]
                alpha[t, s, m] = arriving * weight[t, s, m]
        total[t] = alpha[t].sum()
        if not total[t] > SMALLEST_SUM:
            return math.nan
        alpha[t] /= total[t]
        log_z += math.log(total[t]) + highest[t]
        out = 0.0
        for m in range(units):
            out += alpha[t, states - 1, m] * loop.leave[states - 1, m]
    if not out > SMALLEST_SUM:
        return math.nan
    total[length] = out
    return log_z + math.log(out)


@kernel
def step_back(t, beta, loop, scratch):
    """Replace beta of frame t by that of frame t - 1."""
    states, units = loop.stay.shape
    back = 0.0
    for m in range(units):
        back += loop.entry[m] * scratch.weight[t, 0, m] * beta[0, m]
    back /= scratch.total[t]
    for s in range(states):
        for m in range(units):
            arrived = scratch.weight[t, s, m] * beta[s, m] / scratch.total[t] * loop.stay[s, m]
            if s < states - 1:
                after = scratch.weight[t, s + 1, m] * beta[s + 1, m] / scratch.total[t]
                arrived += loop.leave[s, m] * after
            else:
                arrived += loop.leave[s, m] * back
            beta[s, m] = arrived


@kernel
def backward(scores, loop, scratch, counts, frames, first):
    """Do the backward pass, adding an utterance's expected counts; return False if a beta is too large."""
    weight, alpha, _, total = scratch
    length, components, states, units = scores.shape
    entered, stayed = np.zeros(units), np.zeros((states, units))
    beta = np.zeros((states, units))
    beta[states - 1] = loop.leave[states - 1] / total[length]
    for t in range(length - 1, -1, -1):
        # 1. arcs into frame t: starts of units, and stays
        out = 1.0
        if t > 0:
            out = 0.0
            for m in range(units):
                out += alpha[t - 1, states - 1, m] * loop.leave[states - 1, m]
            for s in range(states):
                for m in range(units):
                    arc = loop.stay[s, m] * weight[t, s, m] * beta[s, m] / total[t]
                    stayed[s, m] += alpha[t - 1, s, m] * arc
        start = 0.0
        for m in range(units):
            arc = out * loop.entry[m] * weight[t, 0, m] * beta[0, m] / total[t]
            entered[m] += arc
            start += arc
        frames.start[first + t] = start
        # 2. posteriors of the frame's states, units and Gaussians
        best, probability = 0, 0.0
        for m in range(units):
            p = 0.0
            for s in range(states):
                p += alpha[t, s, m] * beta[s, m]
            if p > probability:
                best, probability = m, p
        frames.unit[first + t] = best
        frames.probability[first + t] = probability
        for c in range(components):
            for s in range(states):
                for m in range(units):
                    if weight[t, s, m] > 0.0:
                        scores[t, c, s, m] *= alpha[t, s, m] * beta[s, m] / weight[t, s, m]
        # 3. beta of the previous frame
        if t > 0:
            step_back(t, beta, loop, scratch)
            if not beta.max() < LARGEST_BETA:
                return False
    counts.entry[:] += entered
    counts.stay[:] += stayed
    return True


@kernel
def log_add(x, y):
    """Return ln(exp x + exp y)."""
    high, low = max(x, y), min(x, y)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@kernel
def expected_counts_log(scores, loop, counts, frames, first):
    """Add the expected counts of one utterance, computed in logarithms; return ln Z.

    Ten times slower than :func:`expected_counts`. `first` is the utterance's first frame. ln Z is -inf if
    there is no path.
    """
    length, components, states, units = scores.shape
    entry, stay, leave = np.log(loop.entry), np.log(loop.stay), np.log(loop.leave)
    weight = np.full((length, states, units), -math.inf)
    unit_scores(scores, weight)
    alpha = np.full((length, states, units), -math.inf)
    out = np.full(length + 1, -math.inf)
    out[0] = 0.0
    for t in range(length):
        for s in range(states):
            for m in range(units):
                arriving = out[t] + entry[m] if s == 0 else -math.inf
                if t > 0:
                    arriving = log_add(arriving, alpha[t - 1, s, m] + stay[s, m])
                    if s > 0:
                        arriving = log_add(arriving, alpha[t - 1, s - 1, m] + leave[s - 1, m])
                alpha[t, s, m] = arriving + weight[t, s, m]
        for m in range(units):
            out[t + 1] = log_add(out[t + 1], alpha[t, states - 1, m] + leave[states - 1, m])
    log_z = out[length]
    if log_z == -math.inf:
        return log_z
    beta = np.full((states, units), -math.inf)
    beta[states - 1] = leave[states - 1]
    for t in range(length - 1, -1, -1):
        # 1. posteriors of the frame
        start, best, probability, back = 0.0, 0, 0.0, -math.inf
        for m in range(units):
            arc = entry[m] + weight[t, 0, m] + beta[0, m]
            back = log_add(back, arc)
            entered = math.exp(out[t] + arc - log_z)
            counts.entry[m] += entered
            start += entered
            p = 0.0
            for s in range(states):
                share = math.exp(alpha[t, s, m] + beta[s, m] - log_z)
                p += share
                for c in range(components):
                    scores[t, c, s, m] = share * math.exp(scores[t, c, s, m] - weight[t, s, m])
            if p > probability:
                best, probability = m, p
        frames.start[first + t] = start
        frames.unit[first + t] = best
        frames.probability[first + t] = probability
        # 2. beta of the previous frame
        if t > 0:
            for s in range(states):
                for m in range(units):
                    arc = stay[s, m] + weight[t, s, m] + beta[s, m]
                    counts.stay[s, m] += math.exp(alpha[t - 1, s, m] + arc - log_z)
                    onward = leave[s, m]
                    onward += back if s == states - 1 else weight[t, s + 1, m] + beta[s + 1, m]
                    beta[s, m] = log_add(arc, onward)  # beta[s + 1] is still that of frame t
    return log_z


@kernel
def unit_scores(scores, weight):
    """Fill `weight` (frames, states, units) with the logarithm of the sum over components."""
    length, components, states, units = scores.shape
    for t in range(length):
        for s in range(states):
            for m in range(units):
                highest = scores[t, 0, s, m]
                for c in range(1, components):
                    highest = max(highest, scores[t, c, s, m])
                total = 0.0
                for c in range(components):
                    total += math.exp(scores[t, c, s, m] - highest)
                weight[t, s, m] = highest + math.log(total)


@kernel
def best_path(weight, loop, entered, last_unit, path):
    """Fill `path` with the state s * units + m of each frame on the best path; return its score.

    Parameters
    ----------
    weight : (frames, states, units)
        Log weight of each state in each frame.
    loop
        Logarithms of entry, stay and leave.
    entered : bool (frames, states, units)
        Working space: whether the best path enters the state from the previous state or the loop.
    last_unit : int64 (frames,)
        Working space: the unit that the best path leaves after each frame.
    path : int64 (frames,)
        In the first frame of a unit, -1 - state.
    """
    length, states, units = weight.shape
    score = np.full((states, units), -math.inf)
    out = 0.0
    for t in range(length):
        for s in range(states - 1, -1, -1):  # in this order, score[s - 1] is still that of the previous frame
            for m in range(units):
                here = score[s, m] + loop.stay[s, m]
                onward = out + loop.entry[m] if s == 0 else score[s - 1, m] + loop.leave[s - 1, m]
                entered[t, s, m] = onward >= here
                score[s, m] = max(here, onward) + weight[t, s, m]
        last_unit[t] = 0
        out = -math.inf
        for m in range(units):
            end = score[states - 1, m] + loop.leave[states - 1, m]
            if end > out:
                out = end
                last_unit[t] = m
    s, m = states - 1, last_unit[length - 1]
    for t in range(length - 1, -1, -1):
        path[t] = s * units + m
        if entered[t, s, m]:
            if s == 0:
                path[t] = -1 - m
                if t > 0:
                    s, m = states - 1, last_unit[t - 1]
            else:
                s -= 1
    return out
