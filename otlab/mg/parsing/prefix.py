r"""Compute well-formed mass, prefix probabilities and surprisal.

The probability that a sentence begins with w1..wk is the mass of all derivations that are accepted by
the automaton w1..wk followed by any words. The chart of the sentence computes it if every spoken item
is also allowed at the empty span (k, k), which stands for any words after the k-th. For k = 0 this is the
well-formed mass W(theta), the probability that a Polish sequence drawn top-down has a derivation. The
surprisal of word k is ln P(w1..w(k-1)...) - ln P(w1..wk...), in nats. The first term begins with W,
so surprisals are those of the distribution over sentences (Hale 2001; not treated by Portelance et al.
2022).

With a table of spell-out the words are those pronounced, and the automaton is its lattice
(:func:`otlab.mg.spellout.lattice`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError
from otlab.mg.parsing.forest import Slot
from otlab.mg.spellout import lattice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.parsing.forest import Forest
    from otlab.mg.parsing.grammar import Grammar

__all__ = [
    "Prefix",
    "parse_prefixes",
    "prefix_log_probabilities",
    "surprisal_steps",
    "surprisals",
    "well_formed_mass",
]

Words = tuple[str, ...]
Members = dict[Slot, list[int]]  # the lexical items that can fill each slot
_BOUNDED = 1e7  # expected uses; beyond, rounding does not tell them from infinitely many


@dataclass(frozen=True)
class Prefix:
    """All derivations of sentences that begin with some words.

    Attributes
    ----------
    forest
        The derivations, packed: an item after the words, whichever it is, fills one slot.
    members
        The lexical items that can fill each slot.
    before
        How many of the words stand before each position of the slots.
    """

    forest: Forest
    members: Members
    before: Sequence[int]

    def log_mass(self, theta: np.ndarray) -> float:
        """Return ln of the summed probability of the derivations; ``-inf`` if there are none."""
        return self.forest.log_z(self._log_weights(theta))

    def entropy(self, theta: np.ndarray) -> float:
        """Return the entropy of the derivations given the words, in nats; nan if there are none.

        It is infinite where the expected number of items of a derivation is.

        It is ln Z minus the expected log probability of a derivation, which is the sum over slots of the
        expected uses times the mean log probability of the slot's items (Hale 2006; Yun et al. 2015).
        """
        weights = self._log_weights(theta)
        total = self.forest.log_z(weights)
        if not np.isfinite(total):
            return np.nan
        counts = self.forest.expected_counts(weights)
        if counts.max(initial=0.0) > _BOUNDED:
            return np.inf
        used = np.flatnonzero(counts > 0)
        single = theta[self._first]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = single * np.log(single) / single
        for s in set(self._several) & set(used.tolist()):
            means[s] = _mean_log(theta[self.members[self.forest.slots[s]]])
        return max(0.0, total - float(counts[used] @ means[used])) if used.size else 0.0

    @cached_property
    def _first(self) -> np.ndarray:
        """The first of the items that can fill each slot."""
        return np.array([self.members[slot][0] for slot in self.forest.slots], dtype=np.intp)

    @cached_property
    def _several(self) -> list[int]:
        """The slots that several items can fill."""
        return [s for s, slot in enumerate(self.forest.slots) if len(self.members[slot]) > 1]

    def uses(self, theta: np.ndarray) -> dict[tuple[int, int], float]:
        """Return how often each item is expected at each position, by number of words before it and item.

        Silent items stand at -1, those after the words at the number of words. An item that no derivation
        has there is left out.
        """
        found: dict[tuple[int, int], float] = defaultdict(float)
        counts = self.forest.expected_counts(self._log_weights(theta))
        for number in np.flatnonzero(counts > 0):
            slot = self.forest.slots[number]
            at = self.before[slot.position] if slot.position >= 0 else -1
            members = self.members[slot]
            shares = theta[members] / theta[members].sum()
            for item, share in zip(members, shares, strict=True):
                if share > 0:
                    found[at, item] += float(counts[number] * share)
        return dict(found)

    def _log_weights(self, theta: np.ndarray) -> np.ndarray:
        weights = theta[self._first]
        for s in self._several:
            weights[s] = theta[self.members[self.forest.slots[s]]].sum()
        with np.errstate(divide="ignore"):
            logs: np.ndarray = np.log(weights)
        return logs


def _mean_log(theta: np.ndarray) -> float:
    """Return the mean of ln theta, each item weighted by its theta."""
    some = theta[theta > 0]
    return float(some @ np.log(some) / some.sum())


def parse_prefixes(grammar: Grammar, words: Words) -> list[Prefix]:
    """Return the derivations of the sentences that begin with the first k words, for k = 0 .. n.

    Raises
    ------
    InputError
        If a chart is too large.
    """
    both = [_members(grammar, words[:k]) for k in range(len(words) + 1)]
    forests, large = grammar.parse_slots([list(m) for m, _ in both], [len(b) - 1 for _, b in both])
    if any(large):
        raise InputError("the prefix chart is too large; shorten the sentence")
    return [Prefix(forest, *each) for forest, each in zip(forests, both, strict=True)]


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
    logs = [prefix.log_mass(theta) for prefix in parse_prefixes(grammar, words)]
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
    return surprisal_steps(prefixes, whole)


def surprisal_steps(prefixes: np.ndarray, whole: float) -> np.ndarray:
    """Return the surprisal of each word and of the end in nats.

    Parameters
    ----------
    prefixes : ndarray of shape (words + 1,)
        ln P(a sentence begins with the first k words).
    whole
        ln P(the sentence).
    """
    with np.errstate(invalid="ignore"):
        steps = -np.diff([*prefixes, whole])
    positive: np.ndarray = np.maximum(steps, 0.0) + 0.0
    return positive


def _members(grammar: Grammar, words: Words) -> tuple[Members, Sequence[int]]:
    """Return the items that can fill each slot of a prefix, and the words before each position."""
    k = len(words)
    items = grammar.lexicon.items
    members: Members = defaultdict(list)
    if grammar.lexicon.spell_out and words:
        arcs, before = lattice(grammar.lexicon.spell_out, (i.words for i in items), words, prefix=True)
        for begin, end, number in arcs:
            members[Slot(begin, end - begin, items[number].features)].append(number)
        for number, item in enumerate(items):
            if item.silent:
                members[Slot(-1, 0, item.features)].append(number)
        return dict(members), before
    for number, item in enumerate(items):
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
    return dict(members), range(k + 1)
