r"""Forward-backward algorithm for frames given a source string: edits and states of units in one lattice.

A path reads the source string x (`tops`) from left to right and emits a bottom string of units, each
of which covers frames as in the phone loop. Between two units it is at a junction (i, r): i source
units have been read, and r is the current run of insertions (> 0) or deletions (< 0)::

    (i, r) --delete--> (i + 1, r - 1)                         no frames, -most_deleted < r <= 0
    (i, r) --keep x_i, or substitute k--> unit k --> (i + 1, 0)
    (i, r) --insert k--> unit k --> (i, r + 1)                0 <= r < most_inserted

A unit covers at least S frames. Its state is (i, r, s, k): state s of unit k, with i and r those of
the junction after the unit. The end marker is read at (n, r) after the last frame.
`band` keeps i near the diagonal: states with :math:`|i - n t / T| > \text{band}` are left out of Z and of
all counts, and take no memory: the alpha of each frame begins at the first i of its band.

As in :mod:`~otlab.discovery.kernels.phone_loop`, frames are scaled, and alpha sums to 1 in each frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.inference.jit import kernel

__all__ = [
    "SpokenCounts",
    "SpokenLimits",
    "SpokenScratch",
    "band_width",
    "spoken_backward",
    "spoken_forward",
]


class SpokenLimits(NamedTuple):
    """Longest runs of insertions and deletions, and largest distance of i from the diagonal."""

    most_inserted: int
    most_deleted: int
    band: float


class SpokenScratch(NamedTuple):
    """Working arrays of one utterance.

    Attributes
    ----------
    junction : float64 ndarray of shape (frames + 1, n + 1, runs)
        Alpha of the junctions before each frame, including deletions, divided by the sums of earlier frames.
    alpha : float64 ndarray of shape (frames, width, most_inserted + 1, states, units)
        Alpha of the states of units, beginning at the first i of the frame's band; see :func:`band_width`.
    total : float64 ndarray of shape (frames,)
        The sum by which each frame was divided.
    """

    junction: np.ndarray
    alpha: np.ndarray
    total: np.ndarray


class SpokenCounts(NamedTuple):
    """Expected counts, to which kernels add.

    Attributes
    ----------
    operation, insertion, substitution : float64 ndarray
        Expected edits, as in a channel.
    stay : float64 ndarray of shape (states, units)
        Expected number of times that a path stays in each state.
    state : float64 ndarray of shape (frames, states, units)
        Output: posterior of each state in each frame.
    begins : float64 ndarray of shape (n + 1, frames)
        Output: posterior that the kept or substituted source unit i begins at frame t.
    """

    operation: np.ndarray
    insertion: np.ndarray
    substitution: np.ndarray
    stay: np.ndarray
    state: np.ndarray
    begins: np.ndarray


@kernel
def near(i, t, n, length, band):
    """Return whether i source units may be read before frame t."""
    return abs(i - n * t / length) <= band


def band_width(n, limits):
    """Return how many of the n + 1 values of i have memory in a frame."""
    return min(n + 1, int(2 * limits.band) + 2)


@kernel
def in_band(t, n, length, limits, width):
    """Return the first i that has memory in frame t, and the band of those near the diagonal: low, high."""
    first = min(max(0, math.ceil(n * (t + 0.5) / length - limits.band) - 1), n + 1 - width)
    low, high = first + width, first
    for i in range(first, first + width):
        if near(i, t + 0.5, n, length, limits.band):
            low, high = min(low, i), i + 1
    return first, low, high


@kernel
def entry_weight(i, target, k, tops, edits):
    """Return the weight of the edit that begins unit k before junction (i, target)."""
    if target > 0:
        return edits.operation[INSERT] * edits.insertion[k]
    x = tops[i - 1]
    if x == k:
        return edits.operation[NONE]
    return edits.operation[SUBSTITUTE] * edits.substitution[x, k]


@kernel
def arrivals(row, i, target, limits):
    """Return the sum of the junctions at which a unit before junction (i, target) can begin.

    `row` (n + 1, runs) holds the values of the junctions before a frame.
    """
    zero = limits.most_deleted
    if target > 0:
        return row[i, zero + target - 1]
    total = 0.0
    if i > 0:
        for r in range(row.shape[1]):
            total += row[i - 1, r]
    return total


@kernel
def delete_forward(row, edits, limits):
    """Add the alpha of deletions to the junctions before a frame."""
    for i in range(row.shape[0] - 1):
        for r in range(limits.most_deleted, 0, -1):
            row[i + 1, r - 1] += row[i, r] * edits.operation[DELETE]


@kernel
def spoken_forward(weight, tops, edits, loop, limits, scratch):
    """Fill alpha; return ln Z, -inf if there is no path.

    Parameters
    ----------
    weight : (frames, states, units)
        Weight of each frame in each state, divided by the frame's largest.
    tops : int (n,)
        Source units.
    edits, loop
        Weights of the channel's edits and of the units' loop, whose entry is not used.
    limits, scratch
        See the tuples.
    """
    junction, alpha, total = scratch
    length, states, units = weight.shape
    n = tops.size
    zero = limits.most_deleted
    junction[0, : n + 1] = 0.0
    junction[0, 0, zero] = 1.0
    log_z = 0.0
    width = alpha.shape[1]
    earlier, low_before, high_before = 0, 0, 0
    for t in range(length):
        delete_forward(junction[t, : n + 1], edits, limits)
        junction[t + 1, : n + 1] = 0.0
        first, low, high = in_band(t, n, length, limits, width)
        frame = 0.0
        for i in range(low, high):
            continues = low_before <= i < high_before
            for target in range(limits.most_inserted + 1):
                before = arrivals(junction[t], i, target, limits)
                for k in range(units):
                    for s in range(states):
                        a = 0.0
                        if continues:
                            a = alpha[t - 1, i - earlier, target, s, k] * loop.stay[s, k]
                            if s > 0:
                                a += alpha[t - 1, i - earlier, target, s - 1, k] * loop.leave[s - 1, k]
                        if s == 0 and before > 0.0:
                            a += before * entry_weight(i, target, k, tops, edits)
                        a *= weight[t, s, k]
                        alpha[t, i - first, target, s, k] = a
                        frame += a
        if not frame > 0.0:
            return -math.inf
        total[t] = frame
        log_z += math.log(frame)
        for i in range(low, high):
            for target in range(limits.most_inserted + 1):
                for k in range(units):
                    for s in range(states):
                        alpha[t, i - first, target, s, k] /= frame
                    ended = alpha[t, i - first, target, states - 1, k] * loop.leave[states - 1, k]
                    junction[t + 1, i, zero + target] += ended
        earlier, low_before, high_before = first, low, high
    delete_forward(junction[length, : n + 1], edits, limits)
    z = junction[length, n].sum() * edits.operation[NONE]
    return log_z + math.log(z) if z > 0.0 else -math.inf


@kernel
def delete_backward(row, alpha_row, edits, limits, counts):
    """Add the beta of deletions to the junctions before a frame, and count the deletions."""
    for i in range(row.shape[0] - 2, -1, -1):
        for r in range(1, limits.most_deleted + 1):
            arc = edits.operation[DELETE] * row[i + 1, r - 1]
            row[i, r] += arc
            counts.operation[DELETE] += alpha_row[i, r] * arc


@kernel
def spoken_backward(weight, tops, edits, loop, limits, scratch, counts):
    """Add the expected counts of an utterance, given its alpha; Z must not be 0."""
    junction, alpha, total = scratch
    length, states, units = weight.shape
    n = tops.size
    zero = limits.most_deleted
    runs = limits.most_inserted + 1
    ends = junction[length, n].sum() * edits.operation[NONE]
    junction_beta = np.zeros((n + 1, zero + runs))
    junction_beta[n] = edits.operation[NONE] / ends
    counts.operation[NONE] += 1.0
    delete_backward(junction_beta, junction[length], edits, limits, counts)
    beta = np.zeros((n + 1, runs, states, units))
    width = alpha.shape[1]
    for t in range(length - 1, -1, -1):
        before = np.zeros((n + 1, zero + runs))
        first, low, high = in_band(t, n, length, limits, width)
        beta[high : min(high + width, n + 1)] = 0.0  # beyond the band of this frame
        for i in range(low, high):
            for target in range(runs):
                arriving = arrivals(junction[t], i, target, limits)
                begun = 0.0
                for k in range(units):
                    # 1. beta of the states in frame t, which overwrites that of frame t + 1 state by state
                    for s in range(states):
                        b = 0.0
                        if t < length - 1:
                            arc = loop.stay[s, k] * weight[t + 1, s, k] * beta[i, target, s, k] / total[t + 1]
                            counts.stay[s, k] += alpha[t, i - first, target, s, k] * arc
                            b = arc
                            if s < states - 1:
                                onward = weight[t + 1, s + 1, k] * beta[i, target, s + 1, k] / total[t + 1]
                                b += loop.leave[s, k] * onward
                        if s == states - 1:
                            b += loop.leave[s, k] * junction_beta[i, zero + target]
                        beta[i, target, s, k] = b
                        counts.state[t, s, k] += alpha[t, i - first, target, s, k] * b
                    # 2. beginnings of units at frame t
                    if target > 0 or i > 0:
                        arc = entry_weight(i, target, k, tops, edits)
                        arc *= weight[t, 0, k] * beta[i, target, 0, k] / total[t]
                        begun += arc
                        count_entry(i, target, k, tops, arriving * arc, counts)
                if target > 0:
                    before[i, zero + target - 1] += begun
                elif i > 0:
                    before[i - 1] += begun
                    counts.begins[i - 1, t] = arriving * begun
        delete_backward(before, junction[t], edits, limits, counts)
        junction_beta = before


@kernel
def count_entry(i, target, k, tops, p, counts):
    """Add the edit that begins unit k, with posterior p."""
    if target > 0:
        counts.operation[INSERT] += p
        counts.insertion[k] += p
    elif tops[i - 1] == k:
        counts.operation[NONE] += p
    else:
        counts.operation[SUBSTITUTE] += p
        counts.substitution[tops[i - 1], k] += p
