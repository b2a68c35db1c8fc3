"""The most probable state sequence of each sentence (Viterbi 1967), in logarithms."""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel

__all__ = ["viterbi_sentences"]


@kernel
def viterbi_sentences(words, offsets, low, high, initial, transition, final, emission, labels):
    """Label sentences `low` ... `high`; all weights are logarithms, ties go to the lowest state."""
    states = initial.size
    longest = 0
    for s in range(low, high):
        longest = max(longest, offsets[s + 1] - offsets[s])
    origin = np.empty((longest, states), np.int16)
    now, before = np.empty(states), np.empty(states)
    for s in range(low, high):
        begin, length = offsets[s], offsets[s + 1] - offsets[s]
        if length == 0:
            continue
        # 1. v_1(k) = ln P(k | boundary) + ln P(x_1 | k)
        for k in range(states):
            now[k] = initial[k] + emission[words[begin], k]
        # 2. v_t(k) = max_i v_{t-1}(i) + ln P(k | i) + ln P(x_t | k), and the best i
        for t in range(1, length):
            now, before = before, now
            now[:] = -np.inf
            origin[t] = 0
            for i in range(states):
                b = before[i]
                for k in range(states):
                    value = b + transition[i, k]
                    better = value > now[k]
                    now[k] = value if better else now[k]
                    origin[t, k] = i if better else origin[t, k]
            for k in range(states):
                now[k] += emission[words[begin + t], k]
        # 3. the best last state, and from it back
        best = 0
        for k in range(1, states):
            if now[k] + final[k] > now[best] + final[best]:
                best = k
        for t in range(length - 1, -1, -1):
            labels[begin + t] = best
            if t > 0:
                best = origin[t, best]
