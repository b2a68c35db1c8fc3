"""The sampler's trees, stored as Chinese restaurants, and the counts of their parts.

Each adapted symbol is a restaurant. A *table* holds a string and the tree from which it was built; its
customers are the positions in trees at which it is used. A *container* owns one derivation: utterance u
is container u, and table k is container ``utterances + k``. A derivation is a linked list of cells in
preorder: a cell >= 0 is the number of a rule's weight, a cell < 0 is a customer of table -cell - 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otlab.discovery.kernels.skeletons import BUILT, LOOKED_UP, RULE
from otlab.inference.jit import borrowing, inlined, kernel


class Derivations(NamedTuple):
    """Derivations of all containers, as linked lists of cells.

    Attributes
    ----------
    tables : int
        Number of the container of table 0; the utterances' containers come before it.
    first : int32 ndarray of shape (containers,)
        First cell of each container; -1 if it has none.
    value, following : int32 ndarray of shape (cells,)
        Value of each cell, and the next cell of the same container; -1 at the end.
    """

    tables: int
    first: np.ndarray
    value: np.ndarray
    following: np.ndarray


class Tables(NamedTuple):
    """The tables of all restaurants, which are the parser's entries.

    Attributes
    ----------
    adaptor, string : int32 ndarray of shape (tables,)
        The restaurant and the string of each table; -1 for a table that is not in use.
    seated : int32 ndarray
        Number of customers.
    after : int32 ndarray
        Next table with the same string; -1 at the end.
    weight : float64 ndarray
        Number of customers less the discount.
    extra : int32 ndarray
        Working space of :func:`~otlab.discovery.kernels.mcmc.correction`; 0 between calls.
    """

    adaptor: np.ndarray
    string: np.ndarray
    seated: np.ndarray
    after: np.ndarray
    weight: np.ndarray
    extra: np.ndarray


class Restaurants(NamedTuple):
    """Totals and hyperparameters of each restaurant.

    Attributes
    ----------
    customers, tables : int64 ndarray of shape (adapted,)
        Number of customers and of tables.
    concentration, discount : float64 ndarray of shape (adapted,)
        a and b of the Pitman-Yor process.
    mass : float64 ndarray of shape (adapted, strings)
        Weight of looking up each string: the sum of its tables' weights.
    head : int32 ndarray of shape (adapted, strings)
        First table of each string; -1 if it has none.
    """

    customers: np.ndarray
    tables: np.ndarray
    concentration: np.ndarray
    discount: np.ndarray
    mass: np.ndarray
    head: np.ndarray


class Free(NamedTuple):
    """Cells and tables that are not in use.

    Attributes
    ----------
    cells, tables : int32 ndarray
        Stacks of their numbers.
    left : int64 ndarray of shape (2,)
        Numbers of free cells and free tables.
    """

    cells: np.ndarray
    tables: np.ndarray
    left: np.ndarray


class Seating(NamedTuple):
    """The state of a chain: all arrays that resampling changes.

    Attributes
    ----------
    derivations, tables, restaurants, free
        See these named tuples.
    rule_count : float64 ndarray of shape (rules + 2,)
        Uses of each rule in the trees of utterances and tables.
    """

    derivations: Derivations
    tables: Tables
    restaurants: Restaurants
    free: Free
    rule_count: np.ndarray


@inlined
def unseat(container, derivations, tables, restaurants, rule_count, stack):
    """Remove a container's derivation from all counts, and the derivations of tables that become empty."""
    cell_value, cell_next, first_cell = derivations.value, derivations.following, derivations.first
    adaptor, string, seated, weight = tables.adaptor, tables.string, tables.seated, tables.weight
    customers, open_tables, mass = restaurants.customers, restaurants.tables, restaurants.mass
    head, discount = restaurants.head, restaurants.discount
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
                weight[k] -= 1.0
                mass[a, string[k]] -= 1.0
                if seated[k] == 0:
                    open_tables[a] -= 1
                    unlink(k, a, string[k], head, tables.after)
                    # exactly 0 if the string has no other table
                    rest = mass[a, string[k]] + discount[a]
                    mass[a, string[k]] = rest if head[a, string[k]] >= 0 else 0.0
                    stack[size] = derivations.tables + k
                    size += 1
            cell = cell_next[cell]


@inlined
def reseat(container, derivations, tables, restaurants, rule_count, stack):
    """Add a container's derivation to all counts; the inverse of :func:`unseat`."""
    cell_value, cell_next, first_cell = derivations.value, derivations.following, derivations.first
    adaptor, string, seated, weight = tables.adaptor, tables.string, tables.seated, tables.weight
    customers, open_tables, mass = restaurants.customers, restaurants.tables, restaurants.mass
    head, discount = restaurants.head, restaurants.discount
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
                    open_tables[a] += 1
                    tables.after[k] = head[a, string[k]]
                    head[a, string[k]] = k
                    weight[k] = -discount[a]
                    mass[a, string[k]] -= discount[a]
                    stack[size] = derivations.tables + k
                    size += 1
                seated[k] += 1
                customers[a] += 1
                weight[k] += 1.0
                mass[a, string[k]] += 1.0
            cell = cell_next[cell]


@borrowing
def unlink(k, a, string, head, after):
    """Remove a table from the list of its string."""
    if head[a, string] == k:
        head[a, string] = after[k]
        return
    before = head[a, string]
    for _ in range(after.size):
        if after[before] == k:
            after[before] = after[k]
            return
        before = after[before]


@inlined
def spell_out(container, derivations, tables, stack, skeleton):
    """Write the skeleton of an unseated derivation; return its number of steps.

    ``skeleton.owner[t]`` is set to the (now empty) table of a BUILT step.
    """
    first_cell, cell_value, cell_next = derivations.first, derivations.value, derivations.following
    kinds, values, owner = skeleton.kinds, skeleton.values, skeleton.owner
    size = 1
    stack[0] = first_cell[container]
    t = 0
    for _ in range(kinds.size):
        if size == 0 or t == kinds.size:
            break
        cell = stack[size - 1]
        if cell < 0:
            size -= 1
            continue
        stack[size - 1] = cell_next[cell]
        value = cell_value[cell]
        if value >= 0:
            kinds[t] = RULE
            values[t] = value
        elif tables.seated[-value - 1] > 0:
            kinds[t] = LOOKED_UP
            values[t] = -value - 1
        else:
            k = -value - 1
            kinds[t] = BUILT
            values[t] = tables.adaptor[k]
            owner[t] = k
            stack[size] = first_cell[derivations.tables + k]
            size += 1
        t += 1
    return t


@borrowing
def release(container, size, skeleton, derivations, string, free):
    """Free the cells of an unseated derivation of `size` steps, and its empty tables."""
    release_cells(container, derivations, free)
    for t in range(size):
        table = skeleton.owner[t]
        if skeleton.kinds[t] == BUILT and string[table] >= 0:
            string[table] = -1
            release_cells(derivations.tables + table, derivations, free)
            free.tables[free.left[1]] = table
            free.left[1] += 1


@borrowing
def release_cells(container, derivations, free):
    """Free the cells of one container."""
    first_cell, cell_next = derivations.first, derivations.following
    cell = first_cell[container]
    for _ in range(cell_next.size):
        if cell < 0:
            break
        free.cells[free.left[0]] = cell
        free.left[0] += 1
        cell = cell_next[cell]
    first_cell[container] = -1


@borrowing
def store(container, size, skeleton, steps, text, at, derivations, tables, free, stack, made):
    """Write a skeleton into cells, with new tables for its BUILT steps; counts are not changed.

    ``stack`` holds open derivations, with three entries each: the container, its last cell, and the
    step at which it ends. ``made[t]`` is set to the table of a BUILT step.
    """
    first_cell, cell_value, cell_next = derivations.first, derivations.value, derivations.following
    kinds, values, closes, owner = skeleton
    lefts, rights = steps.lefts, steps.rights
    depth = 1
    stack[0] = container
    stack[1] = -1
    stack[2] = size
    t = 0
    for _ in range(2 * size + 2):
        top = 3 * (depth - 1)
        if t >= stack[top + 2]:
            depth -= 1
            if depth == 0:
                break
            continue
        # 1. the value of the cell: a rule, a customer of a known table, or the customer of a new table
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
                free.left[1] -= 1
                k = free.tables[free.left[1]]
                made[t] = k
                tables.adaptor[k] = values[t]
                tables.string[k] = text.ids[text.row[at + lefts[t]] + rights[t] - lefts[t] - 1]
                tables.seated[k] = 0
                first_cell[derivations.tables + k] = -1
            value = -k - 1
        # 2. append the cell to the derivation on top of the stack
        free.left[0] -= 1
        cell = free.cells[free.left[0]]
        cell_value[cell] = value
        cell_next[cell] = -1
        if stack[top + 1] < 0:
            first_cell[stack[top]] = cell
        else:
            cell_next[stack[top + 1]] = cell
        stack[top + 1] = cell
        # 3. the steps of a new table follow
        if kinds[t] == BUILT and not joins:
            stack[top + 3] = derivations.tables + k
            stack[top + 4] = -1
            stack[top + 5] = closes[t]
            depth += 1
        t = following


class WordSymbols(NamedTuple):
    """The symbols that are words or contain words.

    Attributes
    ----------
    word : int
        The symbol whose edges are word boundaries.
    restaurant : int
        Number of its restaurant; -1 if words are not adapted.
    above : bool ndarray of shape (adapted,)
        Whether the tables of each restaurant contain words.
    """

    word: int
    restaurant: int
    above: np.ndarray


@kernel
def word_ends(utterances, offsets, grammar, words, derivations, tables, length, ends):
    """Write whether a word ends after each phone in the current trees.

    A word is a customer of the word's restaurant or, if words are not adapted, the span of a rule of
    the word's symbol. The trees of tables that contain words are traversed.
    ``length[string]`` is the number of phones of a string.
    """
    first_cell, cell_value, cell_next = derivations.first, derivations.value, derivations.following
    arity, rule_left = grammar.arity, grammar.rule_left
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
            # 1. the phones that a cell covers, and whether it is a word
            value = cell_value[cell]
            children = arity[value] if value >= 0 else 0
            is_word = 0 <= value < rule_left.size and rule_left[value] == words.word and words.restaurant < 0
            if value < 0:
                table = -value - 1
                if words.above[tables.adaptor[table]]:
                    cells[size] = first_cell[derivations.tables + table]
                    size += 1
                    continue
                at += length[tables.string[table]]
                is_word = tables.adaptor[table] == words.restaurant
            elif children == 0:
                at += 1
            if children > 0:
                open_steps[opened, 0] = children
                open_steps[opened, 1] = is_word
                opened += 1
                continue
            # 2. the end of a word, and of the rules whose last child this was
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
