"""Kernel of error-driven learning of weights from overt forms: one trial after another.

As :mod:`otlab.ot.kernels.overt` has it, for grammars in which the candidate of least penalty wins. All rivals
compete, since one that is harmonically bounded may win with noise in its cells.
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel
from otlab.ot.kernels.harmony import draw_weights, move_weights, noisy_penalty
from otlab.ot.kernels.overt import EIP, RRIP

__all__ = ["overt_weight_trials"]

ANY = -1


@kernel
def draw_penalties(rng, data, x, kind, weights, noise, drawn, penalties):
    """Write the noisy penalty of each rival of input `x`."""
    draw_weights(rng, data, x, kind, weights, noise, drawn)
    first = data.rival_start[x]
    for r in range(first, data.rival_start[x + 1]):
        penalties[r - first] = noisy_penalty(rng, data, x, data.rivals[r], kind, noise, drawn)


@kernel
def least(data, x, of_row, form, penalties):
    """Return the row of least penalty among the parses of an overt form, or among all rivals."""
    best, lowest, first = -1, np.inf, data.rival_start[x]
    for r in range(first, data.rival_start[x + 1]):
        row = data.rivals[r]
        if (form == ANY or of_row[row] == form) and penalties[r - first] < lowest:
            best, lowest = row, penalties[r - first]
    return best


@kernel
def overt_weight_trials(rng, data, heard, how, tries, kind, pull, stage, weights, record, size, n):
    """Do `n` trials of one stage; return how many were errors, and the last factor on the plasticity.

    `how` and `tries` as for :func:`otlab.ot.kernels.overt.overt_trials`, the others as for
    :func:`otlab.ot.kernels.harmony.weight_trials`.
    """
    errors, row, due, entries = 0, 0, record.due, heard.form.size
    drawn = np.empty_like(weights)
    penalties = np.empty(max(1, np.diff(data.rival_start).max()))
    noise, of_row = stage.noise, heard.of_row
    for _ in range(n):
        # 1. hear an overt form, drawn by its frequency
        u = rng.random() * entries
        j = int(u)
        if u - j >= heard.chance[j]:
            j = heard.alias[j]
        form = heard.form[j]
        x = data.input_of[heard.parses[heard.start[form]]]
        # 2. evaluate its input
        draw_penalties(rng, data, x, kind, weights, noise, drawn, penalties)
        produced = least(data, x, of_row, ANY, penalties)
        target = produced
        # 3. choose a parse of what was heard
        if how == EIP:
            for _ in range(tries):
                draw_penalties(rng, data, x, kind, weights, noise, drawn, penalties)
                parse = least(data, x, of_row, ANY, penalties)
                if of_row[parse] == form:
                    target = parse
                    break
        elif of_row[produced] != form:
            if how == RRIP:
                draw_penalties(rng, data, x, kind, weights, noise, drawn, penalties)
            target = least(data, x, of_row, form, penalties)
        # 4. learn from it
        errors += move_weights(rng, data, x, pull, stage, weights, size, target, produced)
        size *= stage.ratio
        due -= 1
        if due == 0:
            record.rows[row] = weights
            row, due = row + 1, record.every
    return errors, size
