"""Stored subtrees of the online learner: (symbol, string, tree), each with its expected uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.trees import BUILT, RULE

if TYPE_CHECKING:
    from otlab.discovery.parsing.parser import Parser

__all__ = ["Grammatons"]


@dataclass
class Grammatons:
    """The lexicon of an online run.

    Attributes
    ----------
    adaptor, string : list of int
        Adapted symbol and string of each grammaton.
    tree : list of tuple of int
        In preorder: a rule's weight number, or -e - 1 for grammaton e, which is older.
    ends : list of tuple of int
        After how many phones a word ends inside; for symbols above the word only.
    parts : list of int
        How often other grammatons' trees contain each one.
    uses : float64 ndarray
        Expected uses in the utterances.
    rule_count : float64 ndarray of shape (rules + 2,)
        Rules in the grammatons' own trees, each tree once.
    number : dict
        From (adaptor, string, tree) to the grammaton.
    """

    rule_count: np.ndarray
    adaptor: list[int] = field(default_factory=list)
    string: list[int] = field(default_factory=list)
    tree: list[tuple[int, ...]] = field(default_factory=list)
    ends: list[tuple[int, ...]] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    uses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    number: dict[tuple[int, int, tuple[int, ...]], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tree)

    def store(self, parser: Parser, adaptor: int, string: int, tree: tuple[int, ...]) -> int:
        """Return the number of a grammaton, a new one if it was not stored."""
        key = (adaptor, string, tree)
        found = self.number.get(key)
        if found is not None:
            return found
        self.number[key] = len(self)
        self.adaptor.append(adaptor)
        self.string.append(string)
        self.tree.append(tree)
        self.parts.append(0)
        self.ends.append(
            self._word_ends(parser, tree) if parser.adapted[adaptor] in parser.grammar.above_word else ()
        )
        for value in tree:
            if value < 0:
                self.parts[-value - 1] += 1
            else:
                self.rule_count[value] += 1.0
        return self.number[key]

    def collect(self, parser: Parser, rows: np.ndarray) -> np.ndarray:
        """Store the subtrees that sampled trees built from rules.

        Parameters
        ----------
        parser
            Corpus and grammar.
        rows : int64 ndarray of shape (steps, 4)
            As :func:`~otlab.discovery.kernels.trees.sample_trees` writes them.

        Returns
        -------
        int64 ndarray
            The grammaton of each BUILT step that can be stored, in no order.
        """
        arity = parser.chart.arity.tolist()
        steps = rows.tolist()
        built: list[int] = []

        def fold(t: int, out: list[int]) -> int:
            kind, value, string, _ = steps[t]
            if kind == RULE:
                out.append(value)
                t += 1
                for _ in range(arity[value]):
                    t = fold(t, out)
                return t
            if kind == BUILT:
                tree: list[int] = []
                t = fold(t + 1, tree)
                if string >= 0:
                    built.append(self.store(parser, value, string, tuple(tree)))
                    out.append(-built[-1] - 1)
                return t
            out.append(-value - 1)
            return t + 1

        t = 0
        while t < len(steps):
            t = fold(t, [])
        return np.array(built, dtype=np.int64)

    def kept(self, parser: Parser, wanted: np.ndarray) -> Grammatons:
        """Return the grammatons of these numbers and all their parts."""
        keep = np.zeros(len(self), dtype=bool)
        keep[wanted] = True
        for e in range(len(self) - 1, -1, -1):
            if keep[e]:
                keep[[-v - 1 for v in self.tree[e] if v < 0]] = True
        place = np.cumsum(keep) - 1
        fewer = Grammatons(np.zeros_like(self.rule_count), uses=self.uses[keep])
        for e in np.flatnonzero(keep).tolist():
            tree = tuple(int(-place[-v - 1] - 1) if v < 0 else v for v in self.tree[e])
            fewer.store(parser, self.adaptor[e], self.string[e], tree)
        return fewer

    def _word_ends(self, parser: Parser, tree: tuple[int, ...]) -> tuple[int, ...]:
        """Return the numbers of phones after which words end in a tree."""
        arity, left, length = parser.chart.arity, parser.chart.rule_left, parser.spans.length
        adapted_word = parser.grammar.word in parser.adapted
        ends: set[int] = set()

        def walk(t: int, at: int) -> tuple[int, int]:
            value = tree[t]
            if value < 0:
                e = -value - 1
                ends.update(at + k for k in self.ends[e])
                at += int(length[self.string[e]])
                if parser.adapted[self.adaptor[e]] == parser.grammar.word:
                    ends.add(at)
                return t + 1, at
            is_word = not adapted_word and value < left.size and left[value] == parser.word
            t += 1
            at += int(arity[value] == 0)
            for _ in range(arity[value]):
                t, at = walk(t, at)
            if is_word:
                ends.add(at)
            return t, at

        walk(0, 0)
        return tuple(sorted(ends))
