"""Kernel of the Gradual Learning Algorithm: one trial after another.

Rivals that can never win are left out, and so are constraints on which no two
candidates of an input differ: neither changes what is produced or learnt. The winner is
found by a chain of duels; a duel is decided by the highest-drawn constraint on which
the two differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel


class Trials(NamedTuple):
    """Where the kernel finds observations, rivals and violations.

    Attributes
    ----------
    chance, alias
        Walker's table over the attested rows: with probability ``chance[j]`` entry j
        stands for row ``observed[j]``, else for that of ``alias[j]``.
    observed
        Row of each entry.
    input_of
        Input of each row.
    rival_start, rivals
        Rows of each input that can win.
    active_start, active
        Constraints that tell candidates of an input apart.
    mark_start, marks
        Violations of each row on its input's active constraints.
    """

    chance: np.ndarray
    alias: np.ndarray
    observed: np.ndarray
    input_of: np.ndarray
    rival_start: np.ndarray
    rivals: np.ndarray
    active_start: np.ndarray
    active: np.ndarray
    mark_start: np.ndarray
    marks: np.ndarray


@kernel
def trials(rng, data, values, plasticity, noise, ratio, spread, drawn, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor.

    `values`, `plasticity`, `noise` have one entry a constraint; `drawn` is scratch.
    `size` is the factor on the plasticity at the first of these trials; it is handed on
    from call to call, so that rounding does not depend on how trials are cut.
    """
    errors = 0
    entries = data.observed.size
    chance, alias, observed, input_of = data.chance, data.alias, data.observed, data.input_of
    rival_start, rivals = data.rival_start, data.rivals
    active_start, active = data.active_start, data.active
    mark_start, marks = data.mark_start, data.marks
    for _ in range(n):
        u = rng.random() * entries
        j = int(u)
        if u - j >= chance[j]:
            j = alias[j]
        heard = observed[j]
        x = input_of[heard]
        first = active_start[x]
        count = active_start[x + 1] - first
        for a in range(count):
            i = active[first + a]
            drawn[a] = values[i] + noise[i] * rng.standard_normal()
        won = mark_start[heard]
        for r in range(rival_start[x], rival_start[x + 1]):
            rival = mark_start[rivals[r]]
            if rival == won:
                continue
            decisive = -np.inf
            difference = 0
            for a in range(count):
                d = marks[won + a] - marks[rival + a]
                if d != 0 and drawn[a] > decisive:
                    decisive = drawn[a]
                    difference = d
            if difference > 0:
                won = rival
        wrong = False
        if won != mark_start[heard]:
            step = size
            if spread > 0.0:
                step *= 1.0 + spread * rng.standard_normal()
            for a in range(count):
                d = marks[won + a] - marks[mark_start[heard] + a]
                i = active[first + a]
                if d > 0:
                    values[i] += step * plasticity[i]
                    wrong = True
                elif d < 0:
                    values[i] -= step * plasticity[i]
                    wrong = True
        errors += wrong
        size *= ratio
    return errors, size
