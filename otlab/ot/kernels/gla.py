"""Kernel of the Gradual Learning Algorithm: one trial after another.

Rivals that can never win are left out, and so are constraints on which no two candidates of
an input differ: neither changes what is produced or learnt. A candidate is chosen as in a
tableau: of those that violate the highest-drawn constraint least, those that violate the next
one least, and so on until one is left. Where there are few rivals it is faster to compare two at
a time, the better one so far with the next; the outcome is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.ot.kernels.update_rules import SYMMETRIC_ALL, keep_order, update

FEW = 4  # rivals, which are compared two at a time


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
    best_start, best
        Rivals that violate each active constraint of an input least, in the order of ``active``.
    marks : int64 (rows, K)
        Violations of each row on all constraints.
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
    best_start: np.ndarray
    best: np.ndarray
    marks: np.ndarray


class Stage(NamedTuple):
    """One stage of a schedule.

    Attributes
    ----------
    plasticity, base : float64 (K,)
        Plasticity of each constraint at the first trial, with its own factor and without.
    noise : float64 (K,)
        Evaluation noise of each constraint.
    ratio
        By which the plasticity is multiplied after each trial.
    spread
        Standard deviation of an update's size, as a share of it.
    """

    plasticity: np.ndarray
    base: np.ndarray
    noise: np.ndarray
    ratio: float
    spread: float


class Record(NamedTuple):
    """Where values are recorded during trials.

    Attributes
    ----------
    rows : float64 (rows, K)
        Filled with the values after every `every` trials.
    every, due
        Trials between two rows, and before the first.
    """

    rows: np.ndarray
    every: int
    due: int


class Rule(NamedTuple):
    """What an error does.

    Attributes
    ----------
    number
        Index into :data:`~otlab.ot.kernels.update_rules.RULES`.
    higher, lower : int64 (pairs,)
        A priori rankings, kept after each error.
    gap
        How far apart those constraints stay.
    """

    number: int
    higher: np.ndarray
    lower: np.ndarray
    gap: float


@inlined
def better_of_each_pair(target, rivals, violation_start, violations, drawn, count):
    """Return the row that wins among `target` and `rivals` where their constraints are `drawn`.

    A rival has to be better than `target` on the highest of the `count` constraints on which they
    differ. Violations of row r begin at ``violation_start[r]``.
    """
    won, produced = violation_start[target], target
    for r in range(rivals.size):
        rival = violation_start[rivals[r]]
        if rival == won:
            continue
        decisive, difference = -np.inf, 0
        for a in range(count):
            d = violations[won + a] - violations[rival + a]
            if d != 0 and drawn[a] > decisive:
                decisive, difference = drawn[a], d
        if difference > 0:
            won, produced = rival, rivals[r]
    return produced


@inlined
def next_below(drawn, count, last):
    """Return the highest of the first `count` constraints that comes after `last`; all come after -1.

    Of equal ones the first is the higher.
    """
    found = -1
    for a in range(count):
        after = last < 0 or drawn[a] < drawn[last] or (drawn[a] == drawn[last] and a > last)
        if after and (found < 0 or drawn[a] > drawn[found]):
            found = a
    return found


@inlined
def constraint_by_constraint(best_start, best, violation_start, violations, drawn, count, left):
    """Return the row that wins an input, as :func:`better_of_each_pair` does.

    ``best[best_start[a] : best_start[a + 1]]`` are the rivals that violate constraint a least; `left` is
    scratch, as long as the most rivals of an input.
    """
    a = next_below(drawn, count, -1)
    n = best_start[a + 1] - best_start[a]
    left[:n] = best[best_start[a] : best_start[a + 1]]
    while n > 1:
        a = next_below(drawn, count, a)
        if a < 0:
            break
        fewest, kept = violations[violation_start[left[0]] + a], 0
        for c in range(n):
            marks = violations[violation_start[left[c]] + a]
            if marks < fewest:
                fewest, kept = marks, 0
            if marks == fewest:
                left[kept] = left[c]
                kept += 1
        n = kept
    return left[0]


@kernel
def correct(rng, data, rule, stage, values, drawn, size, target, produced):
    """Move the ranking values by any rule; return whether the two candidates differ at all."""
    own, theirs = data.marks[produced], data.marks[target]
    if (own == theirs).all():
        return False
    step = size
    if stage.spread > 0.0:
        step *= 1.0 + stage.spread * rng.standard_normal()
    points, x = values.copy(), data.input_of[target]
    first = data.active_start[x]
    for a in range(data.active_start[x + 1] - first):
        points[data.active[first + a]] = drawn[a]
    update(rng, rule.number, own, theirs, points, step * stage.plasticity, values)
    if rule.higher.size:
        keep_order(rule.higher, rule.lower, rule.gap, size * stage.base, values)
    return True


@kernel
def trials(rng, data, rule, stage, values, record, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor.

    `values` has one entry per constraint. `size` is the factor on the plasticity at the first of
    these trials. Each call is passed the factor that the previous call returned, so that rounding
    does not depend on how trials are divided among calls.
    """
    errors, drawn, row, due = 0, np.empty_like(values), 0, record.due
    plasticity, noise, ratio, spread = stage.plasticity, stage.noise, stage.ratio, stage.spread
    plain = rule.number == SYMMETRIC_ALL and rule.higher.size == 0
    entries, left = data.observed.size, np.empty(np.diff(data.rival_start).max(), np.int64)
    chance, alias, observed, input_of = data.chance, data.alias, data.observed, data.input_of
    rival_start, rivals, best_start, best = data.rival_start, data.rivals, data.best_start, data.best
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
        competing = rivals[rival_start[x] : rival_start[x + 1]]
        if competing.size <= FEW:
            produced = better_of_each_pair(target, competing, violation_start, violations, drawn, count)
        else:
            starts = best_start[first : first + count + 1]
            produced = constraint_by_constraint(starts, best, violation_start, violations, drawn, count, left)
        # 3. on an error, move the ranking values towards the observed candidate
        if produced == target:
            pass
        elif plain:
            won, heard = violation_start[produced], violation_start[target]
            wrong, step = False, size
            if spread > 0.0:
                step *= 1.0 + spread * rng.standard_normal()
            for a in range(count):
                d = violations[won + a] - violations[heard + a]
                if d != 0:
                    i, wrong = active[first + a], True
                    values[i] += step * plasticity[i] if d > 0 else -step * plasticity[i]
            errors += wrong
        else:
            errors += correct(rng, data, rule, stage, values, drawn, size, target, produced)
        size *= ratio
        # 4. record the values when that is due
        due -= 1
        if due == 0:
            record.rows[row] = values
            row, due = row + 1, record.every
    return errors, size
