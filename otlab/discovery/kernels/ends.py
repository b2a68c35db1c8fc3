"""Where words end in the sampler's trees; containers and cells as in ``_mcmc_kernels``."""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import kernel


@kernel
def word_ends(utterances, offset, offsets, arity, rule_left, word, adapted_word, above, length,
              first_cell, cell_value, cell_next, adaptor, string, ends):  # fmt: skip
    """Write where words end in the current trees.

    A word is a customer of restaurant `adapted_word`, or, where words are not adapted
    (-1), what a rule of symbol `word` covers. Tables of restaurants `above` are entered.
    """
    deepest = 4 * int(np.max(offsets[1:] - offsets[:-1])) + 64
    cells = np.zeros(deepest, dtype=np.int64)
    open_steps = np.zeros((deepest, 2), dtype=np.int64)
    for u in range(utterances.size):
        at = offsets[utterances[u]]
        ends[at : offsets[utterances[u] + 1]] = False
        cells[0] = first_cell[utterances[u]]
        size = 1
        opened = 0
        for _ in range(cell_value.size):
            cell = cells[size - 1]
            if cell < 0:
                size -= 1
                if size == 0:
                    break
                continue
            cells[size - 1] = cell_next[cell]
            value = cell_value[cell]
            children = arity[value] if value >= 0 else 0
            is_word = value >= 0 and value < rule_left.size and rule_left[value] == word and adapted_word < 0
            if value < 0:
                a = adaptor[-value - 1]
                if above[a]:
                    cells[size] = first_cell[offset - value - 1]
                    size += 1
                    continue
                at += length[string[-value - 1]]
                is_word = a == adapted_word
            elif children == 0:
                at += 1
            if children > 0:
                open_steps[opened, 0] = children
                open_steps[opened, 1] = is_word
                opened += 1
                continue
            if is_word:
                ends[at - 1] = True
            for _ in range(deepest):
                if opened == 0:
                    break
                open_steps[opened - 1, 0] -= 1
                if open_steps[opened - 1, 0] > 0:
                    break
                opened -= 1
                if open_steps[opened, 1]:
                    ends[at - 1] = True
