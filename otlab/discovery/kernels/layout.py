"""Named tuples of arrays that kernels take: text, grammar, weights, charts, counts."""

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
"""The sum over the analyses of an utterance is computed again with another scale if it is outside these."""


class Text(NamedTuple):
    """A corpus, and the string of each span (see :mod:`~otlab.discovery.parsing.spans`).

    Attributes
    ----------
    phones : int32 ndarray of shape (phones,)
        Codes of the phones of all utterances, one after another.
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
        First position in the text, and number of phones, of each item.
    root : int
        Symbol at the root of every analysis.
    bare : bool
        Whether the root is built from its rules and not looked up, as for the string of a grammaton.
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
        Fewest and most phones that a symbol can cover.
    first_only, last_only : bool ndarray of shape (symbols,)
        Whether a symbol occurs only at the beginning of an utterance, and only at the end.
    adaptor : int32 ndarray of shape (symbols,)
        Number among the adapted symbols, or -1.
    arity : int32 ndarray of shape (rules + 2,)
        Number of symbols on the right of each weight's rule: 0 for a phone, 1, or 2.
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
    """Weights of a PCFG that has an additional rule for each grammaton.

    Attributes
    ----------
    rule : float64 ndarray of shape (rules + 2,)
        Weight of each rule. The last two are 1; see :class:`~otlab.discovery.parsing.parser.ChartGrammar`.
    mass : float64 ndarray of shape (adapted, strings)
        Weight of looking up each string, summed over its grammatons.
    scale, fresh : float64 ndarray of shape (adapted,)
        Factors of `mass`, and of the weight of building from rules.
    """

    rule: np.ndarray
    mass: np.ndarray
    scale: np.ndarray
    fresh: np.ndarray


class Chart(NamedTuple):
    """Weights of the spans of one item, by width and first phone.

    Attributes
    ----------
    inside : float64 ndarray of shape (symbols, n + 1, n + 5)
        Inside weight of each symbol.
    base : float64 ndarray of shape (adapted, n + 1, n + 1)
        The part of an adapted symbol's weight that is built from its rules.
    outside : float64 ndarray of shape (symbols, n + 1, n + 1)
        Outside weight, divided by Z; of shape (symbols, 0, 0) if only `inside` is needed.
    word : float64 ndarray of shape (n + 1, n + 1)
        Posterior that a word covers phones i..j - 1 and no symbol above it is looked up.
    sums : float64 ndarray of shape (n + 5,)
        Working space of `inside`.
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
        Uses of each rule.
    used : float64 ndarray of shape (adapted, strings), or (entries,) for sampled trees
        Number of times that each string, or stored subtree, is looked up.
    built : float64 ndarray of shape (adapted, strings + 1), or (adapted,) for sampled trees
        Number of times that each string is built from rules. The last column is for strings without a
        number or, if it is the only column, for all strings.
    """

    rule: np.ndarray
    used: np.ndarray
    built: np.ndarray


class Boundaries(NamedTuple):
    """Posteriors of word ends, also inside stored strings.

    Attributes
    ----------
    word : int
        The symbol whose edges are word boundaries.
    ends : float64 ndarray
        Output: posterior that a word ends after each phone.
    to : int64 ndarray of shape (items,)
        Index in `ends` of each item's first phone.
    looked_up : int32 ndarray
        Numbers of the adapted symbols that contain words.
    rows : int64 ndarray of shape (adapted, strings), or (entries,)
        Index in `inner` of the first phone of each stored string, or subtree; -1 if its word ends
        are not known.
    inner : float64 ndarray
        Posterior that a word ends after each phone of the stored strings.
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
        First entry of each string; -1 if it has none.
    after : int ndarray of shape (entries,)
        Next entry of the same string; -1 at the end.
    weight : float64 ndarray of shape (entries,)
        Weight with which an entry is drawn.
    """

    head: np.ndarray
    after: np.ndarray
    weight: np.ndarray


class Steps(NamedTuple):
    """A tree as a list of steps in preorder; see :func:`~otlab.discovery.kernels.trees.draw`.

    Attributes
    ----------
    kinds, values : int64 ndarray
        Kind and value of each step: RULE and the number of the rule's weight; LOOKED_UP and the entry;
        BUILT and the number of the adapted symbol, whose own steps follow.
    symbols, lefts, rights : int64 ndarray
        The symbol of each step, which covers phones ``lefts[t]..rights[t] - 1`` of the item.
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
        Largest number of edits in one word; pairs of strings may have any number.
    most_inserted, most_deleted
        Longest runs of insertions, and of deletions.
    at_once
        Edits of a stored word that are tried before any phone of its output was read; one more for each
        two phones.
    """

    most_edits: int = 2
    most_inserted: int = 2
    most_deleted: int = 2
    at_once: int = 2


class EditArrays(NamedTuple):
    """Weights, or expected counts, of a channel's edits.

    Attributes
    ----------
    operation : float64 ndarray of shape (4,)
        For no edit, substitution, insertion and deletion.
    insertion : float64 ndarray of shape (phones,)
        For each inserted phone.
    substitution : float64 ndarray of shape (phones, phones)
        Rows are source phones, columns output phones.
    """

    operation: np.ndarray
    insertion: np.ndarray
    substitution: np.ndarray


class Trie(NamedTuple):
    """A lexicon as a tree of phones.

    Attributes
    ----------
    follow : int32 ndarray of shape (nodes, phones)
        Child of each node by phone; -1 if there is none. Node 0 is the root.
    first_child, sibling : int32 ndarray of shape (nodes,)
        The children of each node as a linked list; -1 at its end.
    symbol : int32 ndarray of shape (nodes,)
        The phone that leads to each node.
    word : int32 ndarray of shape (nodes,)
        The word that ends at each node; -1 if there is none.
    """

    follow: np.ndarray
    first_child: np.ndarray
    sibling: np.ndarray
    symbol: np.ndarray
    word: np.ndarray


class Arcs(NamedTuple):
    """Edited words of which parts of one utterance can be the output.

    Attributes
    ----------
    rows : int64 ndarray of shape (arcs, 5 + 4 * most_edits)
        Word, first phone i, end j, number of unedited phones, run at the end (> 0 for insertions, < 0
        for deletions), then kind, source phone, output phone and position of each edit. The position is
        that of the phone of the text before which the edit was made.
    weights : float64 ndarray of shape (arcs,)
        Weight of the word with these edits.
    """

    rows: np.ndarray
    weights: np.ndarray


def new_arcs(most: int, limits: Limits) -> Arcs:
    """Return working arrays for `most` arcs with as many edits as the limits allow."""
    return Arcs(np.zeros((most, 5 + 4 * limits.most_edits), dtype=np.int64), np.zeros(most))


class PairArrays(NamedTuple):
    """Pairs of strings, each closed by an end marker -1.

    Attributes
    ----------
    top, bottom : int32 ndarray
        Codes of the source strings and of the channel's output.
    top_rows, bottom_rows : int64 ndarray of shape (pairs + 1,)
        Beginning of each string.
    """

    top: np.ndarray
    top_rows: np.ndarray
    bottom: np.ndarray
    bottom_rows: np.ndarray
