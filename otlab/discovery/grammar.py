r"""Adaptor grammars: rules, and which nonterminals are adapted.

An adaptor grammar (Johnson, Griffiths & Goldwater 2007) is a context-free grammar in
which some nonterminals *adapt*: each keeps the subtrees it has built, and builds a
string again by looking it up. The stored subtrees of A are its *grammatons*; the weights
come from a Pitman-Yor process with concentration :math:`a` and discount :math:`b`,

.. math:: \nu_i \sim \mathrm{Beta}(1 - b, a + i b), \qquad \pi_i = \nu_i \prod_{j<i} (1 - \nu_j)

(Stengel-Eskin 2017, Algorithm 2; its appendix C prints :math:`a - ib`). py-cfg's letters
are the other way round: its ``-a`` is the discount and its ``-b`` the concentration.

``X+`` stands for one or more X: a nonterminal of its own with the two rules
``X+ -> X`` and ``X+ -> X X+``, whose weights are learnt as any others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

__all__ = ["CLASSES", "Adaptor", "Grammar", "Rule", "Terminal", "phone_classes"]

CLASSES = ("Phon", "Vowel", "Consonant")
"""Nonterminals that need no rules: they become the corpus's phones, vowels, consonants."""


@dataclass(frozen=True)
class Terminal:
    """A phone written out in a rule, as ``'a'``."""

    phone: str

    def __str__(self) -> str:
        return f"'{self.phone}'"


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    left, right
        Nonterminals by name; phones as :class:`Terminal`.
    prior
        Pseudo-count of the Dirichlet prior, > 0: the weight before the left side.
    line, column
        Its place in the text; 0 for the rules of ``X+`` and of classes.
    """

    left: str
    right: tuple[str | Terminal, ...]
    prior: float = 1.0
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.left} -> {' '.join(map(str, self.right))}"


@dataclass(frozen=True)
class Adaptor:
    r"""Hyperparameters of an adapted nonterminal.

    Attributes
    ----------
    truncation
        Most grammatons that VB keeps (T).
    concentration
        :math:`a > -b`.
    discount
        :math:`b \in [0, 1)`.
    """

    truncation: int
    concentration: float
    discount: float


@dataclass(frozen=True)
class Grammar:
    """A checked adaptor grammar; :func:`~otlab.discovery.grammar_file.parse_grammar` makes one.

    Attributes
    ----------
    name
        A preset's or a file's.
    start
        The left side of the first rule.
    rules
        In the order of the text, those of ``X+`` after them.
    adapted
        Adapted nonterminals, in the order of the text.
    """

    name: str
    start: str
    rules: tuple[Rule, ...]
    adapted: dict[str, Adaptor]

    def __hash__(self) -> int:
        return hash((self.start, self.rules, tuple(self.adapted)))

    @cached_property
    def by_left(self) -> dict[str, tuple[Rule, ...]]:
        """The rules of each left side."""
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.left, []).append(rule)
        return {left: tuple(rules) for left, rules in found.items()}

    @property
    def classes(self) -> tuple[str, ...]:
        """The phone classes used but not defined."""
        used = {s for rule in self.rules for s in rule.right if isinstance(s, str)}
        return tuple(c for c in CLASSES if c in used and c not in self.by_left)

    @cached_property
    def below(self) -> dict[str, frozenset[str]]:
        """The nonterminals that can occur below each one, at any depth."""
        children = {
            left: {s for rule in rules for s in rule.right if isinstance(s, str)}
            for left, rules in self.by_left.items()
        }
        return {left: frozenset(reachable(children, left)) for left in children}

    @property
    def word(self) -> str:
        """The nonterminal whose edges are word boundaries: ``Word``, else the first adapted one."""
        return "Word" if "Word" in self.by_left or not self.adapted else next(iter(self.adapted))

    @property
    def above_word(self) -> frozenset[str]:
        """Adapted nonterminals that contain words: their grammatons have boundaries inside."""
        return frozenset(a for a in self.adapted if self.word in self.below[a])

    def bottom_up(self) -> tuple[str, ...]:
        """Return the adapted nonterminals, each after those that can occur below it."""
        return tuple(sorted(self.adapted, key=lambda a: len(self.below[a] & set(self.adapted))))

    def with_classes(self, corpus: Corpus) -> Grammar:
        """Return the grammar with the phone classes it uses spelled out for a corpus."""
        members = phone_classes(corpus) if self.classes else {}
        spelled = (Rule(c, (Terminal(phone),)) for c in self.classes for phone in members[c])
        return Grammar(self.name, self.start, (*self.rules, *spelled), self.adapted)

    def __str__(self) -> str:
        lines = []
        for left, rules in self.by_left.items():
            if left.endswith("+"):
                continue
            if left in self.adapted:
                adaptor = self.adapted[left]
                lines.append(f"@{left} {adaptor.truncation} {adaptor.concentration:g} {adaptor.discount:g}")
            lines += [f"{rule.prior:g} {rule}" if rule.prior != 1 else str(rule) for rule in rules]
        return "\n".join(lines)


def reachable(children: dict[str, set[str]], start: str) -> set[str]:
    """Return the symbols that can be reached from `start` by one step or more."""
    seen: set[str] = set()
    todo = list(children.get(start, ()))
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += children.get(node, ())
    return seen


def phone_classes(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """Return the members of the phone classes.

    Vowels are those the corpus names in its header; where it does not, one of the two
    classes Sukhotin's algorithm (1962) finds: phones of different classes tend to
    alternate, so move to the second class, again and again, the phone with the most
    neighbours still in the first. Vowels are the class that clusters less.
    """
    vowels = set(corpus.vowels) or _sukhotin(corpus)
    return {
        "Phon": corpus.symbols,
        "Vowel": tuple(s for s in corpus.symbols if s in vowels),
        "Consonant": tuple(s for s in corpus.symbols if s not in vowels),
    }


def _sukhotin(corpus: Corpus) -> set[str]:
    beside = _neighbours(corpus)
    score = beside.sum(axis=1)
    moved = np.zeros(score.size, dtype=bool)
    while not moved[best := int(np.where(moved, -np.inf, score).argmax())] and score[best] > 0:
        moved[best] = True
        score -= 2 * beside[best]
    if beside[moved][:, moved].sum() > beside[~moved][:, ~moved].sum():
        moved = ~moved
    return {symbol for symbol, vowel in zip(corpus.symbols, moved, strict=True) if vowel}


def _neighbours(corpus: Corpus) -> np.ndarray:
    """Return how often each pair of different phones are neighbours, in either order."""
    inside = np.ones(corpus.phones.size, dtype=bool)
    inside[corpus.offsets[1:] - 1] = False
    where = np.flatnonzero(inside)
    beside = np.zeros((len(corpus.symbols), len(corpus.symbols)))
    np.add.at(beside, (corpus.phones[where], corpus.phones[where + 1]), 1.0)
    np.fill_diagonal(beside, 0.0)
    return beside + beside.T
