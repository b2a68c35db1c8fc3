"""Resampling the trees of an adaptor grammar one utterance at a time.

Every adapted symbol is a restaurant. A *table* holds a string and the tree it was built
with; its customers are the places where it was looked up. A *container* is what owns a
derivation: utterance u is container u, table k is container ``utterances + k``. A
derivation is a linked list of cells in preorder: a cell >= 0 is a rule's weight number,
a cell < 0 is customer of table -cell - 1.

A *skeleton* is a tree spelled out relative to everybody else's tables: RULE, LOOKED_UP
(a table somebody else sits at) or BUILT (a tree that, without this container, is not
stored). A tree is proposed as a skeleton from the chart with everybody else's counts
frozen; equal BUILT parts of one skeleton may then share a table (with probability 1/2).
The proposal ignores that counts change within the container, so it is corrected by
Metropolis-Hastings (Johnson, Griffiths & Goldwater 2007, section 3): :func:`correction`
is target over proposal.
"""

from __future__ import annotations

import numpy as np

from otlab.discovery.kernels.chart import BUILT, LOOKED_UP, RULE, draw, inside
from otlab.discovery.kernels.lattice import draw_segmentation, phone_weights
from otlab.inference.jit import kernel


@kernel
def unseat(container, offset, first_cell, cell_value, cell_next, adaptor, string, seated, head, after,
           entry_weight, mass, customers, tables, rule_count, discount, stack):  # fmt: skip
    """Take a container's derivation out of all counts; emptied tables leave, and theirs with them."""
    size = 1
    stack[0] = container
    for _ in range(cell_value.size):
        if size == 0:
            break
        size -= 1
        cell = first_cell[stack[size]]
        for _ in range(cell_value.size):
            if cell < 0:
                break
            value = cell_value[cell]
            if value >= 0:
                rule_count[value] -= 1.0
            else:
                k = -value - 1
                a = adaptor[k]
                seated[k] -= 1
                customers[a] -= 1
                entry_weight[k] -= 1.0
                mass[a, string[k]] -= 1.0
                if seated[k] == 0:
                    tables[a] -= 1
                    mass[a, string[k]] = _emptied(k, a, string[k], head, after, mass, discount)
                    stack[size] = offset + k
                    size += 1
            cell = cell_next[cell]


@kernel
def reseat(container, offset, first_cell, cell_value, cell_next, adaptor, string, seated, head, after,
           entry_weight, mass, customers, tables, rule_count, discount, stack):  # fmt: skip
    """Put a container's derivation back into all counts: the opposite of :func:`unseat`."""
    size = 1
    stack[0] = container
    for _ in range(cell_value.size):
        if size == 0:
            break
        size -= 1
        cell = first_cell[stack[size]]
        for _ in range(cell_value.size):
            if cell < 0:
                break
            value = cell_value[cell]
            if value >= 0:
                rule_count[value] += 1.0
            else:
                k = -value - 1
                a = adaptor[k]
                if seated[k] == 0:
                    tables[a] += 1
                    after[k] = head[a, string[k]]
                    head[a, string[k]] = k
                    entry_weight[k] = -discount[a]
                    mass[a, string[k]] -= discount[a]
                    stack[size] = offset + k
                    size += 1
                seated[k] += 1
                customers[a] += 1
                entry_weight[k] += 1.0
                mass[a, string[k]] += 1.0
            cell = cell_next[cell]


@kernel
def _emptied(k, a, string, head, after, mass, discount):
    """Take an empty table out of its string's list; return the weight left there, exactly 0 if none is."""
    _unlink(k, a, string, head, after)
    return mass[a, string] + discount[a] if head[a, string] >= 0 else 0.0


@kernel
def _unlink(k, a, string, head, after):
    """Take a table out of its string's list."""
    if head[a, string] == k:
        head[a, string] = after[k]
        return
    before = head[a, string]
    for _ in range(after.size):
        if after[before] == k:
            after[before] = after[k]
            return
        before = after[before]


@kernel
def spell_out(
    container, offset, first_cell, cell_value, cell_next, adaptor, seated, stack, kinds, values, owner
):
    """Write the skeleton of an unseated derivation; returns its number of steps.

    ``owner[t]`` is the (emptied) table of a BUILT step.
    """
    size = 1
    stack[0] = first_cell[container]
    steps = 0
    for _ in range(kinds.size):
        if size == 0 or steps == kinds.size:
            break
        cell = stack[size - 1]
        if cell < 0:
            size -= 1
            continue
        stack[size - 1] = cell_next[cell]
        value = cell_value[cell]
        if value >= 0:
            kinds[steps] = RULE
            values[steps] = value
        elif seated[-value - 1] > 0:
            kinds[steps] = LOOKED_UP
            values[steps] = -value - 1
        else:
            k = -value - 1
            kinds[steps] = BUILT
            values[steps] = adaptor[k]
            owner[steps] = k
            stack[size] = first_cell[offset + k]
            size += 1
        steps += 1
    return steps


@kernel
def subtree_ends(steps, kinds, values, arity, closes):
    """Write where each step's subtree ends."""
    for t in range(steps - 1, -1, -1):
        children = 1 if kinds[t] == BUILT else (arity[values[t]] if kinds[t] == RULE else 0)
        close = t + 1
        for _ in range(children):
            close = closes[close]
        closes[t] = close


@kernel
def _match(t, made, known, nth, kinds, values, closes):
    """Return how many of the steps ``made[:known]`` stand for the tree of step t, and the nth of them."""
    found = 0
    chosen = -1
    for m in range(known):
        e = made[m]
        same = closes[t] - t == closes[e] - e
        for k in range(closes[t] - t):
            if not same:
                break
            same = kinds[t + k] == kinds[e + k] and values[t + k] == values[e + k]
        if same:
            if found == nth:
                chosen = e
            found += 1
    return found, chosen


@kernel
def share(rng, steps, kinds, values, closes, owner, made):
    """Decide which BUILT steps of a proposal share a table: those with the same ``owner[t]``."""
    known = 0
    t = 0
    for _ in range(steps):
        if t >= steps:
            break
        following = t + 1
        if kinds[t] == BUILT:
            owner[t] = t
            found, _ = _match(t, made, known, -1, kinds, values, closes)
            if found > 0 and rng.random() < 0.5:
                _, chosen = _match(t, made, known, int(rng.random() * found), kinds, values, closes)
                owner[t] = owner[chosen]
                following = closes[t]
            else:
                made[known] = t
                known += 1
        t = following


@kernel
def correction(steps, kinds, values, closes, owner, weight, adaptor, seated, customers, tables,
               concentration, discount, made, seats, extra, more_customers, more_tables):  # fmt: skip
    """Return target over proposal of a skeleton, both relative to everybody else's counts.

    The target seats the customers one after another; the proposal had the counts
    frozen, and rule weights cancel but for trees that share a table.
    """
    ratio = 1.0
    known = 0
    more_customers[:] = 0
    more_tables[:] = 0
    t = 0
    for _ in range(steps):
        if t >= steps:
            break
        following = t + 1
        if kinds[t] == LOOKED_UP:
            k = values[t]
            a = adaptor[k]
            here = customers[a] + concentration[a]
            ratio *= (seated[k] + extra[k] - discount[a]) / (seated[k] - discount[a])
            ratio *= here / (here + more_customers[a])
            extra[k] += 1
            more_customers[a] += 1
        elif kinds[t] == BUILT:
            a = values[t]
            here = customers[a] + concentration[a]
            frozen = concentration[a] + discount[a] * tables[a]
            ratio *= here / (here + more_customers[a])
            more_customers[a] += 1
            found, _ = _match(t, made, known, -1, kinds, values, closes)
            joined = -1
            for m in range(known):
                if owner[made[m]] == owner[t]:
                    joined = m
            if joined < 0:
                ratio *= (frozen + discount[a] * more_tables[a]) / frozen * (2.0 if found > 0 else 1.0)
                more_tables[a] += 1
                made[known] = t
                seats[known] = 1
                known += 1
            else:
                ratio *= (seats[joined] - discount[a]) / frozen * 2.0 * found
                seats[joined] += 1
                for e in range(t + 1, closes[t]):
                    ratio /= _frozen(
                        kinds[e],
                        values[e],
                        weight,
                        adaptor,
                        seated,
                        customers,
                        tables,
                        concentration,
                        discount,
                    )
                following = closes[t]
        t = following
    for t in range(steps):
        if kinds[t] == LOOKED_UP:
            extra[values[t]] = 0
    return ratio


@kernel
def _frozen(kind, value, weight, adaptor, seated, customers, tables, concentration, discount):
    """Return the proposal's weight of one step."""
    if kind == RULE:
        return weight[value]
    if kind == LOOKED_UP:
        a = adaptor[value]
        return (seated[value] - discount[a]) / (customers[a] + concentration[a])
    return (concentration[value] + discount[value] * tables[value]) / (
        customers[value] + concentration[value]
    )


@kernel
def release(
    container, offset, steps, kinds, owner, first_cell, cell_next, string, free_cells, free_tables, free
):
    """Give back the cells of an unseated derivation and its emptied tables."""
    _release_cells(container, first_cell, cell_next, free_cells, free)
    for t in range(steps):
        if kinds[t] == BUILT and string[owner[t]] >= 0:
            string[owner[t]] = -1
            _release_cells(offset + owner[t], first_cell, cell_next, free_cells, free)
            free_tables[free[1]] = owner[t]
            free[1] += 1


@kernel
def _release_cells(container, first_cell, cell_next, free_cells, free):
    cell = first_cell[container]
    for _ in range(cell_next.size):
        if cell < 0:
            break
        free_cells[free[0]] = cell
        free[0] += 1
        cell = cell_next[cell]
    first_cell[container] = -1


@kernel
def store(
    container, offset, at, steps, kinds, values, lefts, rights, closes, owner, row, ids, first_cell,
    cell_value, cell_next, adaptor, string, seated, free_cells, free_tables, free, stack, made,
):  # fmt: skip
    """Write a skeleton into cells, with new tables for what it builds; nothing is counted yet."""
    size = 1
    stack[0] = container
    stack[1] = -1
    stack[2] = steps
    t = 0
    for _ in range(2 * steps + 2):
        top = 3 * (size - 1)
        if t >= stack[top + 2]:
            size -= 1
            if size == 0:
                break
            continue
        value = values[t]
        following = t + 1
        joins = False
        if kinds[t] == LOOKED_UP:
            value = -value - 1
        elif kinds[t] == BUILT:
            joins = owner[t] != t
            if joins:
                k = made[owner[t]]
                following = closes[t]
            else:
                free[1] -= 1
                k = free_tables[free[1]]
                made[t] = k
                adaptor[k] = values[t]
                string[k] = ids[row[at + lefts[t]] + rights[t] - lefts[t] - 1]
                seated[k] = 0
                first_cell[offset + k] = -1
            value = -k - 1
        free[0] -= 1
        cell = free_cells[free[0]]
        cell_value[cell] = value
        cell_next[cell] = -1
        if stack[top + 1] < 0:
            first_cell[stack[top]] = cell
        else:
            cell_next[stack[top + 1]] = cell
        stack[top + 1] = cell
        if kinds[t] == BUILT and not joins:
            stack[top + 3] = offset + k
            stack[top + 4] = -1
            stack[top + 5] = closes[t]
            size += 1
        t = following


@kernel
def resample(
    rng, containers, ats, ns, root, bare, always, offset, tables_, arity, phones, row, ids, repeated,
    lattice_rules, phone_rule, weight, mass, concentration, discount, unit, longest, first_cell,
    cell_value, cell_next, adaptor, string, seated, head, after, entry_weight, customers, tables,
    rule_count, free_cells, free_tables, free, extra,
):  # fmt: skip
    """Resample the derivations of some containers; return how many were done and how many moved.

    `ids` numbers all strings, `repeated` those that can be stored elsewhere too (-1 for
    others: nobody else can have a table of them). With `lattice_rules` (not empty) the
    proposal comes from the segmentation lattice, else from the chart.

    Stops early when cells or tables run short: the caller makes room and goes on. With
    `always` the proposal is taken without a test (the first pass, from nothing).
    """
    symbols = tables_.fewest.size
    room = 2 * longest * (2 * symbols + 1) + 16
    lattice = lattice_rules.size > 0
    rules = weight[lattice_rules]
    phone_weight = phone_weights(phone_rule, weight)
    looked_up = np.zeros((longest + 1, longest + 1))
    built = np.zeros((longest + 1, longest + 1))
    alpha = np.zeros(longest + 1)
    chart = np.zeros((longest + 1, longest + 1, symbols))
    base = np.zeros((longest + 1, longest + 1, discount.size))
    work = np.zeros((room, 3), dtype=np.int64)
    stack = np.zeros(3 * room + 6, dtype=np.int64)
    old = np.zeros((5, room), dtype=np.int64)
    new = np.zeros((7, room), dtype=np.int64)
    made = np.zeros(room, dtype=np.int64)
    seats = np.zeros(room, dtype=np.int64)
    scale = np.zeros(discount.size)
    fresh = np.zeros(discount.size)
    more_customers = np.zeros(discount.size)
    more_tables = np.zeros(discount.size)
    moved = 0
    for c in range(containers.size):
        if free[0] < 2 * room or free[1] < room:
            return c, moved
        container = containers[c]
        at = ats[c]
        n = ns[c]
        steps = 0
        if not always:
            unseat(container, offset, first_cell, cell_value, cell_next, adaptor, string, seated, head, after,
                   entry_weight, mass, customers, tables, rule_count, discount, stack)  # fmt: skip
            steps = spell_out(
                container,
                offset,
                first_cell,
                cell_value,
                cell_next,
                adaptor,
                seated,
                stack,
                old[0],
                old[1],
                old[4],
            )
            subtree_ends(steps, old[0], old[1], arity, old[3])
        for a in range(discount.size):
            here = customers[a] + concentration[a]
            scale[a] = 1.0 / here
            fresh[a] = (concentration[a] + discount[a] * tables[a]) / here
        if lattice:
            proposed = draw_segmentation(
                rng, phones, at, n, row, repeated, phone_rule, phone_weight, rules, lattice_rules, mass[0],
                scale[0], fresh[0], unit, looked_up, built, alpha, made, head[0], after, entry_weight,
                new[0], new[1], new[5], new[2],
            )  # fmt: skip
        else:
            inside(tables_, phones, at, n, row, repeated, weight, mass, scale, fresh, unit, chart, base)
            proposed = draw(
                rng, tables_, phones, at, n, root, bare, row, repeated, weight, mass, scale, fresh, unit,
                chart, base, head, after, entry_weight, work, new[0], new[1], new[6], new[5], new[2],
            )  # fmt: skip
        subtree_ends(proposed, new[0], new[1], arity, new[3])
        share(rng, proposed, new[0], new[1], new[3], new[4], made)
        accept = always
        if not always:
            before = correction(
                steps, old[0], old[1], old[3], old[4], weight, adaptor, seated, customers, tables,
                concentration, discount, made, seats, extra, more_customers, more_tables,
            )  # fmt: skip
            after_ = correction(
                proposed, new[0], new[1], new[3], new[4], weight, adaptor, seated, customers, tables,
                concentration, discount, made, seats, extra, more_customers, more_tables,
            )  # fmt: skip
            accept = rng.random() * before < after_
        if accept:
            moved += 1
            release(
                container,
                offset,
                steps,
                old[0],
                old[4],
                first_cell,
                cell_next,
                string,
                free_cells,
                free_tables,
                free,
            )
            store(
                container, offset, at, proposed, new[0], new[1], new[5], new[2], new[3], new[4], row, ids,
                first_cell, cell_value, cell_next, adaptor, string, seated, free_cells, free_tables, free,
                stack, made,
            )  # fmt: skip
        reseat(container, offset, first_cell, cell_value, cell_next, adaptor, string, seated, head, after,
               entry_weight, mass, customers, tables, rule_count, discount, stack)  # fmt: skip
    return containers.size, moved
