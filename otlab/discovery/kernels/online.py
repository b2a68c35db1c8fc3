"""Sampled trees of a minibatch, for the online learner."""

from __future__ import annotations

import math

import numpy as np

from otlab.discovery.kernels.chart import BUILT, LOOKED_UP, RULE, draw, inside, total_weight
from otlab.inference.jit import kernel


@kernel
def sample_trees(
    rng, samples, tables, phones, items_at, items_n, root, bare, row, ids,
    weight, mass, scale, fresh, unit, head, after, entry_weight, word, entry_ends_row, entry_ends,
    rule_count, used, built, ends, log_z, room, steps_out, chart, base,
):  # fmt: skip
    """Draw `samples` trees of each item, keep what they count, and write those that build anew.

    ``steps_out`` gets, for each tree with a BUILT step, its steps as rows (kind, value,
    string or -1, first of a tree); returns rows written and items done (fewer when the rows run
    out). ``ends[at + k]`` becomes the share of trees in which a word ends after phone k.
    """
    work = np.zeros((room, 3), dtype=np.int64)
    kinds = np.zeros(room, dtype=np.int64)
    values = np.zeros(room, dtype=np.int64)
    symbols = np.zeros(room, dtype=np.int64)
    lefts = np.zeros(room, dtype=np.int64)
    rights = np.zeros(room, dtype=np.int64)
    written = 0
    for item in range(items_at.size):
        at = items_at[item]
        n = items_n[item]
        if written + samples * room > steps_out.shape[0]:
            return written, item
        inside(tables, phones, at, n, row, ids, weight, mass, scale, fresh, unit, chart, base)
        z = total_weight(tables, root, bare, n, chart, base)
        log_z[item] = math.log(z) - n * math.log(unit)
        ends[at : at + n] = 0.0
        for _ in range(samples):
            steps = draw(
                rng, tables, phones, at, n, root, bare, row, ids, weight, mass, scale, fresh, unit, chart,
                base, head, after, entry_weight, work, kinds, values, symbols, lefts, rights,
            )  # fmt: skip
            anew = False
            for t in range(steps):
                if kinds[t] == BUILT:
                    anew = True
                    built[values[t]] += 1.0
                elif kinds[t] == LOOKED_UP:
                    used[values[t]] += 1.0
                    first = entry_ends_row[values[t]]
                    if first >= 0:
                        for k in range(rights[t] - lefts[t]):
                            ends[at + lefts[t] + k] += entry_ends[first + k] / samples
                else:
                    rule_count[values[t]] += 1.0
                once = kinds[t] != RULE or tables.adaptor[word] < 0
                if symbols[t] == word and once:
                    ends[at + rights[t] - 1] += 1.0 / samples
            if anew or bare:
                for t in range(steps):
                    steps_out[written, 0] = kinds[t]
                    steps_out[written, 1] = values[t]
                    steps_out[written, 2] = (
                        ids[row[at + lefts[t]] + rights[t] - lefts[t] - 1] if kinds[t] == BUILT else -1
                    )
                    steps_out[written, 3] = t == 0
                    written += 1
    return written, items_at.size
