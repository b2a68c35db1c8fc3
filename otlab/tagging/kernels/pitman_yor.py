r"""Pointwise collapsed Gibbs with Pitman-Yor emissions: each token has a state and a table there.

The words of state k are drawn by a Chinese restaurant with discount d and concentration
:math:`\theta_k = m_k \alpha_x`, whose tables have words drawn uniformly from the m_k words that the state may
have. With the token taken out of all counts, t tables and n tokens,

.. math::
    P(x \mid k) = \frac{n_{x,k} - d\,t_{x,k} + (\theta_k + d\,t_k)/m_k}{n_k + \theta_k},

times the transitions as in :mod:`otlab.tagging.kernels.gibbs`, is its state's conditional. Then it takes a
table with its word, in proportion to the others there less d, or a new one (the last summand).
"""

from __future__ import annotations

import numpy as np

from otlab.inference.jit import inlined, kernel
from otlab.inference.kernels.draws import categorical

__all__ = ["sweep_seats"]


@inlined
def _leave(w, k, table, counts, seats):
    """Take a token from its table; return whether the table is gone, to be used again."""
    words, tables, occurrences, opened, _ = counts
    sizes, first, after, before = seats
    words[w, k] -= 1
    occurrences[k] -= 1
    sizes[table] -= 1
    if sizes[table] > 0:
        return False
    tables[w, k] -= 1
    opened[k] -= 1
    if before[table] >= 0:
        after[before[table]] = after[table]
    else:
        first[w, k] = after[table]
    if after[table] >= 0:
        before[after[table]] = before[table]
    return True


@inlined
def _sit(rng, w, k, free, new, discount, counts, seats):
    """Seat a token at a table of its word; return the table, `free` if it is a new one, of weight `new`."""
    words, tables, occurrences, opened, _ = counts
    sizes, first, after, before = seats
    u = rng.random() * (words[w, k] - discount * tables[w, k] + new)
    table = first[w, k]
    while table >= 0:
        u -= sizes[table] - discount
        if u < 0.0:
            break
        table = after[table]
    if table < 0:
        table = free
        sizes[table] = 0
        after[table], before[table] = first[w, k], -1
        if first[w, k] >= 0:
            before[first[w, k]] = table
        first[w, k] = table
        tables[w, k] += 1
        opened[k] += 1
    words[w, k] += 1
    occurrences[k] += 1
    sizes[table] += 1
    return table


@kernel
def sweep_seats(rng, text, low, high, labels, places, counts, seats, unused, priors, weights):
    """Redraw state and table of tokens `low` ... `high`.

    Parameters
    ----------
    text : (words, offsets, fixed, usable)
        The corpus; which tokens keep their states; and which states a word may have, shape (types, states).
    labels, places
        State and table of each token.
    counts : (words, tables, occurrences, opened, transitions)
        Tokens and tables by word and state, then by state; and transitions.
    seats : (sizes, first, after, before)
        Tokens of each table; the first table of each word and state; the next and the one before, -1 if none.
    unused
        Tables without tokens, and how many of them there are, in the last place.
    priors : (alpha_y, discount, masses, outcomes, power)
        Masses theta_k and outcomes m_k by state; and 1 / temperature.
    weights : ndarray of shape (states,)
        Work space.
    """
    words, offsets, fixed, usable = text
    cells, tables, occurrences, opened, out_of = counts
    prior, discount, masses, outcomes, power = priors
    states = occurrences.size
    row_mass = (states + 1) * prior
    sentence = np.searchsorted(offsets, low, "right") - 1
    for i in range(low, high):
        while offsets[sentence + 1] <= i:
            sentence += 1
        w, old = words[i], labels[i]
        a = labels[i - 1] if i > offsets[sentence] else states
        b = labels[i + 1] if i + 1 < offsets[sentence + 1] else states
        # 1. take the token out
        if _leave(w, old, places[i], counts, seats):
            unused[unused[-1]] = places[i]
            unused[-1] += 1
        out_of[a, old] -= 1
        out_of[old, b] -= 1
        # 2. the conditional of each state
        k = old
        if not fixed[i]:
            for k in range(states):
                weights[k] = 0.0
                if usable[w, k]:
                    word = cells[w, k] - discount * tables[w, k]
                    word += (masses[k] + discount * opened[k]) / outcomes[k]
                    word /= occurrences[k] + masses[k]
                    after = (out_of[k, b] + (a == k and k == b) + prior) / (occurrences[k] + row_mass)
                    weights[k] = word * (out_of[a, k] + prior) * after
                    if power != 1.0:
                        weights[k] = weights[k] ** power
            k = categorical(rng, weights)
        # 3. a table there
        free = unused[unused[-1] - 1]
        new = (masses[k] + discount * opened[k]) / outcomes[k]
        places[i] = _sit(rng, w, k, free, new, discount, counts, seats)
        if places[i] == free:
            unused[-1] -= 1
        out_of[a, k] += 1
        out_of[k, b] += 1
        labels[i] = k
