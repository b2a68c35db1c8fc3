"""Evaluation by stored sets of candidates: which are left after the first constraints of a ranking.

Many rankings leave the same candidates, so that the sets are few; evaluating an input is a walk from one to
the next instead of a comparison of candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from otlab.inference.jit import kernel

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Evaluation", "winner_of"]


class Evaluation(NamedTuple):
    """How rankings evaluate the inputs: states are the sets of candidates left by the constraints so far.

    Attributes
    ----------
    after : int32 (states, K)
        The state after a constraint; -1 if it is not stored.
    first : int64 (states,)
        The first candidate that is left.
    single : bool (states,)
        Whether it is the only one.
    root : int64 (inputs,)
        The state of each input before all constraints.
    """

    after: np.ndarray
    first: np.ndarray
    single: np.ndarray
    root: np.ndarray


@kernel
def evaluated(data, x, order, left):
    """Return the row that wins input `x` under a ranking, of all its rivals."""
    first = data.rival_start[x]
    n = data.rival_start[x + 1] - first
    for c in range(n):
        left[c] = data.rivals[first + c]
    for t in range(order.size):
        if n == 1:
            break
        fewest, kept = data.marks[left[0], order[t]], 0
        for c in range(n):
            marks = data.marks[left[c], order[t]]
            if marks < fewest:
                fewest, kept = marks, 0
            if marks == fewest:
                left[kept] = left[c]
                kept += 1
        n = kept
    return left[0]


@kernel
def winner_of(data, states, x, order, left):
    """Return the row that wins input `x` under a ranking, by the states as far as they are stored."""
    state = states.root[x]
    for t in range(order.size):
        if states.single[state]:
            break
        state = states.after[state, order[t]]
        if state < 0:
            return evaluated(data, x, order, left)
    return states.first[state]
