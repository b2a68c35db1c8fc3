"""Named tuples of arrays that the kernels take: text, grammar, weights, charts, counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = [
    "LARGEST",
    "SMALLEST",
    "Arcs",
    "Boundaries",
    "Chart",
    "Counts",
    "EditArrays",
    "Entries",
    "Item",
    "Items",
    "Lattice",
    "Limits",
    "PairArrays",
    "RuleTables",
    "Steps",
    "Text",
    "Trie",
    "Weights",
    "new_arcs",
]

SMALLEST, LARGEST = 1e-250, 1e250
"""Sums over the analyses of an utterance outside these are computed again with another scale."""


class Text(NamedTuple):
    """A corpus, and what each span of it spells (see :mod:`~otlab.discovery.parsing.spans`).

    Attributes
    ----------
    phones : int32 ndarray of shape (phones,)
        Codes of all utterances, one after another.
    row : int64 ndarray of shape (phones,)
        The string of the span of length l that begins at position p is ``ids[row[p] + l - 1]``.
    ids : int32 ndarray
        String numbers; -1 for strings that cannot be stored.
    """

    phones: np.ndarray
    row: np.ndarray
    ids: np.ndarray


class Items(NamedTuple):
    """Items to parse: utterances, or the strings of grammatons.

    Attributes
    ----------
    at, n : int64 ndarray of shape (items,)
        First position of each item in the text, and its phones.
    root : int
        Symbol at the root of every analysis.
    bare : bool
        Whether the root is built by its rules alone and never looked up: true of the
        string of a grammaton.
    """

    at: np.ndarray
    n: np.ndarray
    root: int
    bare: bool


class Item(NamedTuple):
    """One of the :class:`Items`."""

    at: int
    n: int
    root: int
    bare: bool


class RuleTables(NamedTuple):
    """A grammar of binary, unary and lexical rules.

    Attributes
    ----------
    binary_rows, left, right, binary_rule
        Rules ``A -> B C`` of symbol ``s`` are ``binary_rows[s]:binary_rows[s + 1]``:
        B, C and the number of the rule's weight.
    unary_rows, child, unary_rule
        The same for ``A -> B``.
    lexical : int32 ndarray of shape (symbols, phones)
        Rule ``A -> 'p'``, or -1.
    fewest, most : int32 ndarray of shape (symbols,)
        Phones a symbol can cover.
    first_only, last_only : bool ndarray of shape (symbols,)
        Whether a symbol only ever begins an utterance, and whether it only ever ends one.
    adaptor : int32 ndarray of shape (symbols,)
        Number among the adapted symbols, or -1.
    arity : int32 ndarray of shape (rules + 2,)
        Symbols on the right of each weight's rule: 0 for a phone, 1, or 2.
    rule_left : int32 ndarray of shape (rules,)
        Left side of each rule with a weight of its own.
    """

    binary_rows: np.ndarray
    left: np.ndarray
    right: np.ndarray
    binary_rule: np.ndarray
    unary_rows: np.ndarray
    child: np.ndarray
    unary_rule: np.ndarray
    lexical: np.ndarray
    fewest: np.ndarray
    most: np.ndarray
    first_only: np.ndarray
    last_only: np.ndarray
    adaptor: np.ndarray
    arity: np.ndarray
    rule_left: np.ndarray


class Weights(NamedTuple):
    """Weights of a PCFG with one more rule for each grammaton.

    Attributes
    ----------
    rule : float64 ndarray of shape (rules + 2,)
        The last two are 1: see :class:`~otlab.discovery.parsing.parser.ChartGrammar`.
    mass : float64 ndarray of shape (adapted, strings)
        Weight of looking a string up, all its grammatons together.
    scale, fresh : float64 ndarray of shape (adapted,)
        Factor of `mass`, and of building from rules.
    """

    rule: np.ndarray
    mass: np.ndarray
    scale: np.ndarray
    fresh: np.ndarray


class Chart(NamedTuple):
    """Weights of the spans of one item, by their width and first phone.

    Attributes
    ----------
    inside : float64 ndarray of shape (symbols, n + 1, n + 5)
        Inside weight of a symbol.
    base : float64 ndarray of shape (adapted, n + 1, n + 1)
        The part of an adapted symbol's weight that its rules build.
    outside : float64 ndarray of shape (symbols, n + 1, n + 1)
        Outside weight, divided by Z; of shape (symbols, 0, 0) where only `inside` is needed.
    word : float64 ndarray of shape (n + 1, n + 1)
        Posterior that a word covers phones i..j - 1, with no looked-up symbol above it.
    sums : float64 ndarray of shape (n + 5,)
        Work space of `inside`.
    """

    inside: np.ndarray
    base: np.ndarray
    outside: np.ndarray
    word: np.ndarray
    sums: np.ndarray


class Counts(NamedTuple):
    """Expected or sampled uses, to which kernels add.

    Attributes
    ----------
    rule : float64 ndarray of shape (rules + 2,)
        Of each rule.
    used : float64 ndarray of shape (adapted, strings), or (entries,) of sampled trees
        Of each string, or stored subtree, by looking it up.
    built : float64 ndarray of shape (adapted, strings + 1), or (adapted,) of sampled trees
        Of each string by building it from rules; the last column takes strings without a number,
        or, if it is the only column, all strings.
    """

    rule: np.ndarray
    used: np.ndarray
    built: np.ndarray


class Boundaries(NamedTuple):
    """Posterior of word ends, with those inside stored strings.

    Attributes
    ----------
    word : int
        The symbol whose edges are word boundaries.
    ends : float64 ndarray
        Out: posterior that a word ends after a phone.
    to : int64 ndarray of shape (items,)
        Place in `ends` of each item's first phone.
    looked_up : int32 ndarray
        Adapted symbols that contain words.
    rows : int64 ndarray of shape (adapted, strings), or (entries,)
        Where the boundaries inside a stored string, or subtree, begin in `inner`; -1 if
        none are known.
    inner : float64 ndarray
        Posterior that a word ends after a phone of a stored string.
    """

    word: int
    ends: np.ndarray
    to: np.ndarray
    looked_up: np.ndarray
    rows: np.ndarray
    inner: np.ndarray


class Entries(NamedTuple):
    """Stored subtrees of each string, as linked lists.

    Attributes
    ----------
    head : int ndarray of shape (adapted, strings)
        First entry of a string; -1 if it has none.
    after : int ndarray of shape (entries,)
        Next entry of the same string; -1 at the end.
    weight : float64 ndarray of shape (entries,)
        An entry is drawn in proportion to it.
    """

    head: np.ndarray
    after: np.ndarray
    weight: np.ndarray


class Steps(NamedTuple):
    """A tree as a list of steps in preorder; see :func:`~otlab.discovery.kernels.chart.draw`.

    Attributes
    ----------
    kinds, values : int64 ndarray
        RULE and the number of the rule's weight; LOOKED_UP and the entry; BUILT and the
        number of the adapted symbol, whose own steps follow.
    symbols, lefts, rights : int64 ndarray
        The symbol of a step, which covers phones ``lefts[t]..rights[t] - 1`` of the item.
    """

    kinds: np.ndarray
    values: np.ndarray
    symbols: np.ndarray
    lefts: np.ndarray
    rights: np.ndarray


class Lattice(NamedTuple):
    """Rule numbers of a grammar that only cuts utterances into words of phones.

    Attributes
    ----------
    rules : int64 ndarray of shape (6,)
        ``S -> A+``, ``A+ -> A``, ``A+ -> A A+``, ``A -> X+``, ``X+ -> X``, ``X+ -> X X+``.
    phone : int32 ndarray of shape (phones,)
        Rule ``X -> 'p'``, or -1.
    """

    rules: np.ndarray
    phone: np.ndarray


class Limits(NamedTuple):
    """Limits of a channel.

    Attributes
    ----------
    most_edits
        In one word; words given in pairs may have any number.
    most_inserted, most_deleted
        Longest runs of insertions, and of deletions.
    """

    most_edits: int = 2
    most_inserted: int = 2
    most_deleted: int = 2


class EditArrays(NamedTuple):
    """Weights, or expected counts, of a channel's edits.

    Attributes
    ----------
    operation : float64 ndarray of shape (4,)
        No edit, substitution, insertion, deletion.
    insertion : float64 ndarray of shape (phones,)
        By inserted phone.
    substitution : float64 ndarray of shape (phones, phones)
        Row: source phone, column: the phone it became.
    """

    operation: np.ndarray
    insertion: np.ndarray
    substitution: np.ndarray


class Trie(NamedTuple):
    """Words by their phones.

    Attributes
    ----------
    follow : int32 ndarray of shape (nodes, phones)
        The child of a node; -1 if there is none. Node 0 is the root.
    first_child, sibling : int32 ndarray of shape (nodes,)
        The children as a list; -1 at its end.
    symbol : int32 ndarray of shape (nodes,)
        The phone that leads to a node.
    word : int32 ndarray of shape (nodes,)
        The word that ends at a node; -1 if none does.
    """

    follow: np.ndarray
    first_child: np.ndarray
    sibling: np.ndarray
    symbol: np.ndarray
    word: np.ndarray


class Arcs(NamedTuple):
    """Ways in which words can have come out as pieces of one utterance.

    Attributes
    ----------
    rows : int64 ndarray of shape (arcs, 5 + 4 * most_edits)
        Word, first phone i, end j, phones kept, the run at the end (> 0 of insertions, < 0 of
        deletions), then kind, source phone, new phone and place of each edit: the phone of the
        text before which it was made.
    weights : float64 ndarray of shape (arcs,)
        Weight of the word with these edits.
    """

    rows: np.ndarray
    weights: np.ndarray


def new_arcs(most: int, limits: Limits) -> Arcs:
    """Return room for so many arcs with as many edits as the limits allow."""
    return Arcs(np.zeros((most, 5 + 4 * limits.most_edits), dtype=np.int64), np.zeros(most))


class PairArrays(NamedTuple):
    """Pairs of strings, each closed by an end marker -1.

    Attributes
    ----------
    top, bottom : int32 ndarray
        Codes of the source strings, and of what came out.
    top_rows, bottom_rows : int64 ndarray of shape (pairs + 1,)
        Where each string begins.
    """

    top: np.ndarray
    top_rows: np.ndarray
    bottom: np.ndarray
    bottom_rows: np.ndarray
