"""Kernel of the Gradual Learning Algorithm: one trial after another.

Rivals that can never win are left out, and so are constraints on which no two candidates of
an input differ: neither changes what is produced or learnt. Candidates are compared in
pairs, the winner so far with the next rival: the one with fewer violations of the
highest-drawn constraint on which the two differ wins.
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
        Walker's alias table over the attested rows: entry j means row ``observed[j]`` with
        probability ``chance[j]``, else the row of entry ``alias[j]``.
    observed
        Row of each entry.
    input_of
        Input of each row.
    rival_start, rivals
        Rows of each input that can win.
    active_start, active
        Constraints on which candidates of an input differ.
    violation_start, violations
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
    violation_start: np.ndarray
    violations: np.ndarray


@kernel
def trials(rng, data, values, plasticity, noise, ratio, spread, drawn, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor.

    `values`, `plasticity`, `noise` have one entry per constraint; `drawn` is scratch.
    `size` is the factor on the plasticity at the first of these trials. Each call takes it from
    the last one, so that rounding does not depend on how trials are divided among calls.
    """
    errors = 0
    entries = data.observed.size
    chance, alias, observed, input_of = data.chance, data.alias, data.observed, data.input_of
    rival_start, rivals = data.rival_start, data.rivals
    active_start, active = data.active_start, data.active
    violation_start, violations = data.violation_start, data.violations
    for _ in range(n):
        # 1. observe a candidate, drawn by its frequency
        u = rng.random() * entries
        j = int(u)
        if u - j >= chance[j]:
            j = alias[j]
        target = observed[j]
        x = input_of[target]
        # 2. evaluate its input: ranking values plus noise, then the winner
        first = active_start[x]
        count = active_start[x + 1] - first
        for a in range(count):
            i = active[first + a]
            drawn[a] = values[i] + noise[i] * rng.standard_normal()
        won = violation_start[target]
        for r in range(rival_start[x], rival_start[x + 1]):
            rival = violation_start[rivals[r]]
            if rival == won:
                continue
            decisive = -np.inf
            difference = 0
            for a in range(count):
                d = violations[won + a] - violations[rival + a]
                if d != 0 and drawn[a] > decisive:
                    decisive = drawn[a]
                    difference = d
            if difference > 0:
                won = rival
        # 3. on an error, move the ranking values towards the observed candidate
        wrong = False
        if won != violation_start[target]:
            step = size
            if spread > 0.0:
                step *= 1.0 + spread * rng.standard_normal()
            for a in range(count):
                d = violations[won + a] - violations[violation_start[target] + a]
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
