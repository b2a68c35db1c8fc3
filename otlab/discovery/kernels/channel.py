r"""Forward-backward algorithm of the edit transducer (:mod:`otlab.discovery.channel.channel`).

In state (i, j, r), i phones of the source and j of the text have been read, and r is the length of the
current run of insertions (r > 0) or deletions (r < 0). With :math:`\alpha` and :math:`\beta` the weights
of the paths into and out of a state, the expected number of uses of an arc of weight :math:`w` from s
to s' is :math:`\alpha_s\, w\, \beta_{s'} / Z`.
"""

from __future__ import annotations

import math

import numpy as np

from otlab.inference.jit import kernel

NONE, SUBSTITUTE, INSERT, DELETE = 0, 1, 2, 3


@kernel
def forward(top, bottom, edits, limits, alpha):
    """Fill alpha[i, j, r + most_deleted] for two strings that end in an end marker (-1); return Z."""
    operation, insertion, substitution = edits.operation, edits.insertion, edits.substitution
    most_inserted, most_deleted = limits.most_inserted, limits.most_deleted
    n = top.size
    m = bottom.size
    alpha[: n + 1, : m + 1, :] = 0.0
    alpha[0, 0, most_deleted] = 1.0
    for i in range(n):
        for j in range(m):
            for r in range(-most_deleted, most_inserted + 1):
                a = alpha[i, j, r + most_deleted]
                if a == 0.0:
                    continue
                x = top[i]
                y = bottom[j]
                # the arcs out of (i, j, r): copy or substitute, insert, delete
                if x == y:
                    alpha[i + 1, j + 1, most_deleted] += a * operation[NONE]
                elif x >= 0 and y >= 0:
                    alpha[i + 1, j + 1, most_deleted] += a * operation[SUBSTITUTE] * substitution[x, y]
                if y >= 0 and 0 <= r < most_inserted:
                    alpha[i, j + 1, r + 1 + most_deleted] += a * operation[INSERT] * insertion[y]
                if x >= 0 and -most_deleted < r <= 0:
                    alpha[i + 1, j, r - 1 + most_deleted] += a * operation[DELETE]
    return alpha[n, m, most_deleted]


@kernel
def backward(top, bottom, edits, limits, alpha, beta, z, scale, counts):
    """Add the expected uses of all arcs, times `scale`, to `counts`."""
    operation, insertion, substitution = edits.operation, edits.insertion, edits.substitution
    operation_count, insertion_count = counts.operation, counts.insertion
    substitution_count = counts.substitution
    most_inserted, most_deleted = limits.most_inserted, limits.most_deleted
    n = top.size
    m = bottom.size
    beta[: n + 1, : m + 1, :] = 0.0
    beta[n, m, most_deleted] = scale / z  # then alpha * arc below is the expected use
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            x = top[i]
            y = bottom[j]
            for r in range(-most_deleted, most_inserted + 1):
                a = alpha[i, j, r + most_deleted]
                total = 0.0
                if x == y:
                    arc = operation[NONE] * beta[i + 1, j + 1, most_deleted]
                    operation_count[NONE] += a * arc
                    total += arc
                elif x >= 0 and y >= 0:
                    arc = operation[SUBSTITUTE] * substitution[x, y] * beta[i + 1, j + 1, most_deleted]
                    operation_count[SUBSTITUTE] += a * arc
                    substitution_count[x, y] += a * arc
                    total += arc
                if y >= 0 and 0 <= r < most_inserted:
                    arc = operation[INSERT] * insertion[y] * beta[i, j + 1, r + 1 + most_deleted]
                    operation_count[INSERT] += a * arc
                    insertion_count[y] += a * arc
                    total += arc
                if x >= 0 and -most_deleted < r <= 0:
                    arc = operation[DELETE] * beta[i + 1, j, r - 1 + most_deleted]
                    operation_count[DELETE] += a * arc
                    total += arc
                beta[i, j, r + most_deleted] = total


@kernel
def expected_edits(pairs, times, edits, limits, counts, log_z):
    """Add the expected edits of each pair, times `times`, to `counts`; write ln Z, -inf if unreachable."""
    top_rows, bottom_rows = pairs.top_rows, pairs.bottom_rows
    # 1. working arrays for the longest pair
    longest_top = 1
    longest_bottom = 1
    for p in range(times.size):
        longest_top = max(longest_top, top_rows[p + 1] - top_rows[p])
        longest_bottom = max(longest_bottom, bottom_rows[p + 1] - bottom_rows[p])
    states = limits.most_inserted + limits.most_deleted + 1
    alpha = np.zeros((longest_top + 1, longest_bottom + 1, states))
    beta = np.zeros((longest_top + 1, longest_bottom + 1, states))
    # 2. forward and backward pass of each pair
    for p in range(times.size):
        top = pairs.top[top_rows[p] : top_rows[p + 1]]
        bottom = pairs.bottom[bottom_rows[p] : bottom_rows[p + 1]]
        z = forward(top, bottom, edits, limits, alpha)
        if z > 0.0:
            log_z[p] = math.log(z)
            backward(top, bottom, edits, limits, alpha, beta, z, times[p], counts)
        else:
            log_z[p] = -np.inf
