"""Kernel of error-driven learning from overt forms: one trial after another.

A trial hears an overt form, lets the present grammar evaluate its input, and chooses a parse of what was
heard to learn from (Jarosz 2013):

* RIP: the best parse under the same ranking values and noise (Tesar & Smolensky 2000; Boersma 2003)
* RRIP: the best parse under noise that is drawn anew
* EIP: a parse drawn from the grammar: noise is drawn until the winner sounds as what was heard

All rivals that can win compete; the winner is found constraint by constraint, the highest drawn first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.gla import correct, next_below

__all__ = ["EIP", "RIP", "RRIP", "Heard", "best_rows", "overt_trials"]

RIP, RRIP, EIP = range(3)


class Heard(NamedTuple):
    """Overt forms and their parses.

    Attributes
    ----------
    chance, alias, form
        Walker's alias table over the observed overt forms, and the number of each.
    of_row : int64 (rows,)
        Overt form of each row.
    start, parses
        Rows of each overt form that can win.
    """

    chance: np.ndarray
    alias: np.ndarray
    form: np.ndarray
    of_row: np.ndarray
    start: np.ndarray
    parses: np.ndarray


@kernel
def optimal(rows, violation_start, violations, drawn, count, left):
    """Return the row that wins among `rows` where their first `count` constraints are `drawn`."""
    n, a = rows.size, -1
    left[:n] = rows
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
def draw_points(rng, data, x, values, noise, drawn):
    """Draw the selection points of the active constraints of input `x`; return how many there are."""
    first = data.active_start[x]
    count = data.active_start[x + 1] - first
    for a in range(count):
        i = data.active[first + a]
        drawn[a] = values[i] + noise[i] * rng.standard_normal()
    return count


@kernel
def overt_trials(rng, data, heard, how, tries, rule, stage, values, record, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor on the plasticity.

    Parameters
    ----------
    how
        :data:`RIP`, :data:`RRIP` or :data:`EIP`.
    tries
        How often noise is drawn for a parse by EIP; without success nothing is learnt from that trial.
    others
        As in :func:`otlab.ot.kernels.gla.trials`.
    """
    errors, row, due = 0, 0, record.due
    drawn, again = np.empty_like(values), np.empty_like(values)
    left = np.empty(max(1, np.diff(data.rival_start).max()), np.int64)
    entries = heard.form.size
    for _ in range(n):
        # 1. hear an overt form, drawn by its frequency
        u = rng.random() * entries
        j = int(u)
        if u - j >= heard.chance[j]:
            j = heard.alias[j]
        form = heard.form[j]
        parses = heard.parses[heard.start[form] : heard.start[form + 1]]
        if parses.size:
            x = data.input_of[parses[0]]
            rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
            # 2. evaluate its input
            count = draw_points(rng, data, x, values, stage.noise, drawn)
            produced = optimal(rivals, data.violation_start, data.violations, drawn, count, left)
            wrong = heard.of_row[produced] != form
            target = produced
            # 3. choose a parse of what was heard
            if how == EIP:
                for _ in range(tries):
                    draw_points(rng, data, x, values, stage.noise, again)
                    parse = optimal(rivals, data.violation_start, data.violations, again, count, left)
                    if heard.of_row[parse] == form:
                        target = parse
                        break
            elif wrong:
                if how == RRIP:
                    draw_points(rng, data, x, values, stage.noise, again)
                    target = optimal(parses, data.violation_start, data.violations, again, count, left)
                else:
                    target = optimal(parses, data.violation_start, data.violations, drawn, count, left)
            # 4. learn from it
            if produced != target:
                errors += correct(rng, data, rule, stage, values, drawn, size, target, produced)
        size *= stage.ratio
        due -= 1
        if due == 0:
            record.rows[row] = values
            row, due = row + 1, record.every
    return errors, size


@kernel
def best_rows(data, values, out):
    """Write the winning row of each input at zero noise into `out`, int64 (inputs,)."""
    drawn = np.empty_like(values)
    left = np.empty(max(1, np.diff(data.rival_start).max()), np.int64)
    for x in range(out.size):
        first = data.active_start[x]
        count = data.active_start[x + 1] - first
        for a in range(count):
            drawn[a] = values[data.active[first + a]]
        rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]]
        out[x] = optimal(rivals, data.violation_start, data.violations, drawn, count, left)
