r"""Compute well-formed mass, prefix probabilities and surprisal.

The probability that a sentence begins with w1..wk is the mass of all derivations that are accepted by
the automaton w1..wk followed by any words. The chart of the sentence computes it if every spoken item
is also allowed at the empty span (k, k), which stands for any words after the k-th. For k = 0 this is the
well-formed mass W(theta), the probability that a Polish sequence drawn top-down has a derivation. The
surprisal of word k is ln P(w1..w(k-1)...) - ln P(w1..wk...), in nats. The first term begins with W,
so surprisals are those of the distribution over sentences (Hale 2001; not treated by Portelance et al.
2022).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError
from otlab.mg.parsing.forest import Slot

if TYPE_CHECKING:
    from otlab.mg.parsing.forest import Forest
    from otlab.mg.parsing.grammar import Grammar

__all__ = ["prefix_log_probabilities", "surprisals", "well_formed_mass"]

Words = tuple[str, ...]
Members = dict[Slot, list[int]]  # the lexical items that can fill each slot


def well_formed_mass(grammar: Grammar, theta: np.ndarray) -> float:
    """Return W, the total probability of all well-formed derivations.

    Parameters
    ----------
    grammar
        A compiled lexicon.
    theta : ndarray of shape (items,)
        Probabilities, which sum to at most 1 in each category.

    Examples
    --------
    >>> from otlab.mg import Grammar
    >>> from otlab.samples import load_sample
    >>> theory = load_sample("figure1_wh")
    >>> round(well_formed_mass(Grammar(theory), theory.prior_mean()), 3)
    0.5
    """
    return float(np.exp(prefix_log_probabilities(grammar, (), theta)[0]))


def prefix_log_probabilities(grammar: Grammar, words: Words, theta: np.ndarray) -> np.ndarray:
    """Return ln P(a sentence begins with the first k words), for k = 0 .. n.

    Raises
    ------
    InputError
        If a chart is too large.
    """
    members = [_members(grammar, words[:k]) for k in range(len(words) + 1)]
    forests, large = grammar.parse_slots([list(m) for m in members], range(len(words) + 1))
    if any(large):
        raise InputError("the prefix chart is too large; shorten the sentence")
    logs = [_log_mass(f, m, theta) for f, m in zip(forests, members, strict=True)]
    weighed: np.ndarray = np.array(logs) - np.log(len(grammar.lexicon.start))
    return weighed


def surprisals(grammar: Grammar, words: Words, theta: np.ndarray) -> np.ndarray:
    """Return the surprisal of each word and of the end in nats, float64 (words + 1,).

    `theta` has the probability of each lexical item, shape (items,). The sum is ln W - ln Z.
    It is infinite for the first word that no sentence can have at its position, and nan after it.

    Examples
    --------
    >>> from otlab.mg import Grammar
    >>> from otlab.samples import load_sample
    >>> theory = load_sample("attachment_wh")
    >>> surprisals(Grammar(theory), tuple("you see the park".split()), theory.prior_mean()).round(2)
    array([1.59, 0.  , 0.79, 0.69, 0.75])
    """
    prefixes = prefix_log_probabilities(grammar, words, theta)
    forest = grammar.forest(words)
    whole = -np.inf
    if forest.size:
        with np.errstate(divide="ignore"):
            whole = forest.log_z(np.log(theta[grammar.slot_items(words, forest)])) - np.log(
                len(grammar.lexicon.start)
            )
    with np.errstate(invalid="ignore"):
        steps = -np.diff([*prefixes, whole])
    positive: np.ndarray = np.maximum(steps, 0.0) + 0.0
    return positive


def _members(grammar: Grammar, words: Words) -> Members:
    """Return the items that can fill each slot of a prefix."""
    k = len(words)
    members: Members = defaultdict(list)
    for number, item in enumerate(grammar.lexicon.items):
        n = len(item.words)
        if not n:
            members[Slot(-1, 0, item.features)].append(number)
            continue
        members[Slot(k, 0, item.features)].append(number)
        for i in range(k):
            seen = min(n, k - i)
            # An item of several words may begin inside the prefix and end after it.
            if words[i : i + seen] == item.words[:seen]:
                members[Slot(i, seen, item.features)].append(number)
    return dict(members)


def _log_mass(forest: Forest, members: Members, theta: np.ndarray) -> float:
    weights = np.array([theta[members[slot]].sum() for slot in forest.slots])
    with np.errstate(divide="ignore"):
        return forest.log_z(np.log(weights))
