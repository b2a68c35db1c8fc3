"""Skeletons: the sampler's trees, relative to the tables of all other containers.

The steps of a skeleton are RULE, LOOKED_UP (a table at which another container has customers) or BUILT (a
tree that is not stored without this container). Equal BUILT parts of one skeleton may share a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.discovery.kernels.trees import BUILT, LOOKED_UP, RULE
from otlab.inference.jit import borrowing, inlined, kernel

__all__ = ["BUILT", "LOOKED_UP", "RULE", "Skeleton", "match", "new_skeleton", "share", "subtree_ends"]


class Skeleton(NamedTuple):
    """One tree, in preorder.

    Attributes
    ----------
    kinds, values : int64 ndarray
        As in :class:`~otlab.discovery.kernels.layout.Steps`.
    closes : int64 ndarray
        The first step after the subtree of each step.
    owner : int64 ndarray
        For a BUILT step of a derivation, its table; for one of a proposal, the first of the steps that
        share a table.
    """

    kinds: np.ndarray
    values: np.ndarray
    closes: np.ndarray
    owner: np.ndarray


@kernel
def new_skeleton(steps):
    """Return a skeleton that shares the memory of drawn steps."""
    size = steps.kinds.size
    return Skeleton(steps.kinds, steps.values, np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))


@inlined
def subtree_ends(size, skeleton, arity):
    """Fill `closes`, the end of each step's subtree."""
    kinds, values, closes = skeleton.kinds, skeleton.values, skeleton.closes
    for t in range(size - 1, -1, -1):
        children = 1 if kinds[t] == BUILT else (arity[values[t]] if kinds[t] == RULE else 0)
        close = t + 1
        for _ in range(children):
            close = closes[close]
        closes[t] = close


@borrowing
def match(t, made, known, nth, kinds, values, closes):
    """Return how many of the steps ``made[:known]`` have the same tree as step t, and the nth of these."""
    equal = 0
    chosen = -1
    for m in range(known):
        e = made[m]
        same = closes[t] - t == closes[e] - e
        for k in range(closes[t] - t):
            if not same:
                break
            same = kinds[t + k] == kinds[e + k] and values[t + k] == values[e + k]
        if same:
            if equal == nth:
                chosen = e
            equal += 1
    return equal, chosen


@inlined
def share(rng, size, skeleton, made):
    """Draw which BUILT steps of a proposal share a table; these get the same ``owner[t]``."""
    kinds, values, closes, owner = skeleton
    known = 0
    t = 0
    for _ in range(size):
        if t >= size:
            break
        following = t + 1
        if kinds[t] == BUILT:
            owner[t] = t
            # with probability 1/2, share the table of an equal earlier tree, drawn uniformly
            equal, _ = match(t, made, known, -1, kinds, values, closes)
            if equal > 0 and rng.random() < 0.5:
                _, chosen = match(t, made, known, int(rng.random() * equal), kinds, values, closes)
                owner[t] = owner[chosen]
                following = closes[t]
            else:
                made[known] = t
                known += 1
        t = following
