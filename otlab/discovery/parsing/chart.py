"""Compile a grammar for the chart: binary rules in arrays, the child of a unary rule first.

Rules with more than two symbols on the right are cut in two by symbols of their own
whose single rule has weight 1. Unary rules need no iteration: symbols are numbered so
that the child of a unary rule comes before its parent, and one pass from low to high
closes them.

Three facts about each symbol make the chart small, and with the word grammar as cheap
as a segmentation lattice: the fewest and most phones it can cover, whether it only ever
begins an utterance, and whether it only ever ends one (``Word+`` does, under
``Utterance -> Word+``; ``Phon`` covers one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.grammar import Grammar, Rule, Terminal, reachable
from otlab.discovery.kernels.layout import RuleTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["ChartGrammar", "compile_grammar"]

UNBOUNDED = np.int32(1_000_000)


@dataclass(frozen=True, eq=False)
class ChartGrammar:
    """A compiled grammar.

    Attributes
    ----------
    grammar
        With its phone classes spelled out.
    symbols
        Names by number.
    adapted
        Names of the adapted symbols by their number among them, bottom up.
    adapted_symbols : int32 ndarray of shape (adapted,)
        Their symbol numbers.
    start
        Number of the start symbol.
    prior : float64 ndarray of shape (rules,)
        Dirichlet pseudo-counts.
    tables : RuleTables
        For the kernels. Their weight arrays have two entries more than there are rules, both
        1: for rules cut in two, and for phones written in longer rules.
    """

    grammar: Grammar
    symbols: tuple[str, ...]
    adapted: tuple[str, ...]
    adapted_symbols: np.ndarray
    start: int
    prior: np.ndarray
    tables: RuleTables

    @property
    def rules(self) -> int:
        """Number of rules with a weight of their own."""
        return self.prior.size

    @property
    def rule_left(self) -> np.ndarray:
        """Number of the left side of each rule."""
        return self.tables.rule_left

    @property
    def arity(self) -> np.ndarray:
        """How many symbols follow each weight's step: 0 for a phone, 1, or 2."""
        return self.tables.arity


@dataclass(frozen=True)
class _Step:
    """One binary, unary or lexical step; `rule` is the number of its weight."""

    left: str
    right: tuple[str | Terminal, ...]
    rule: int


def compile_grammar(grammar: Grammar, phones: tuple[str, ...]) -> ChartGrammar:
    """Compile a grammar for an alphabet.

    Parameters
    ----------
    grammar
        With its phone classes spelled out (:meth:`Grammar.with_classes`).
    phones
        The corpus's symbols, in the order of their codes.
    """
    steps = list(_binary_steps(grammar.rules))
    names = _in_unary_order(steps)
    number = {name: k for k, name in enumerate(names)}
    adapted = tuple(a for a in grammar.bottom_up() if a in number)
    return ChartGrammar(
        grammar=grammar,
        symbols=names,
        adapted=adapted,
        adapted_symbols=np.array([number[a] for a in adapted], dtype=np.int32),
        start=number[grammar.start],
        prior=np.array([rule.prior for rule in grammar.rules]),
        tables=_tables(grammar.rules, steps, number, adapted, phones),
    )


def _binary_steps(rules: tuple[Rule, ...]) -> Iterator[_Step]:
    binary, lexical = len(rules), len(rules) + 1
    written: set[str] = set()

    def symbol(item: str | Terminal) -> Iterator[_Step]:
        name = str(item)
        if isinstance(item, Terminal) and name not in written:
            written.add(name)
            yield _Step(name, (item,), lexical)

    for k, rule in enumerate(rules):
        if len(rule.right) == 1:
            yield _Step(rule.left, rule.right, k)
            continue
        for item in rule.right:
            yield from symbol(item)
        rest = [str(item) for item in rule.right]
        left, weight = rule.left, k
        while len(rest) > 2:
            cut = f"{left if '|' in left else f'{rule.left}|{k}'}|"
            yield _Step(left, (rest.pop(0), cut), weight)
            left, weight = cut, binary
        yield _Step(left, tuple(rest), weight)


def _in_unary_order(steps: list[_Step]) -> tuple[str, ...]:
    """Return all symbols, the child of every unary step before its parent."""
    children: dict[str, list[str]] = {step.left: [] for step in steps}
    for step in steps:
        if len(step.right) == 1 and isinstance(step.right[0], str):
            children[step.left].append(step.right[0])
    order: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in order:
            for child in children[name]:
                visit(child)
            order[name] = None

    for name in children:
        visit(name)
    return tuple(order)


def _tables(
    rules: tuple[Rule, ...],
    steps: list[_Step],
    number: dict[str, int],
    adapted: tuple[str, ...],
    phones: tuple[str, ...],
) -> RuleTables:
    binary = [
        (number[s.left], number[str(s.right[0])], number[str(s.right[1])], s.rule)
        for s in steps
        if len(s.right) == 2
    ]
    unary = [
        (number[s.left], number[s.right[0]], s.rule)
        for s in steps
        if len(s.right) == 1 and isinstance(s.right[0], str)
    ]
    code = {phone: k for k, phone in enumerate(phones)}
    lexical = np.full((len(number), len(phones)), -1, dtype=np.int32)
    for step in steps:
        if isinstance(step.right[0], Terminal) and len(step.right) == 1 and step.right[0].phone in code:
            lexical[number[step.left], code[step.right[0].phone]] = step.rule
    fewest, most = _widths(steps, number)
    binary_rows, binary_columns = _by_left(binary, len(number), 4)
    unary_rows, unary_columns = _by_left(unary, len(number), 3)
    adaptor = np.full(len(number), -1, dtype=np.int32)
    adaptor[[number[a] for a in adapted]] = np.arange(len(adapted))
    return RuleTables(
        binary_rows=binary_rows,
        left=binary_columns[1],
        right=binary_columns[2],
        binary_rule=binary_columns[3],
        unary_rows=unary_rows,
        child=unary_columns[1],
        unary_rule=unary_columns[2],
        lexical=lexical,
        fewest=fewest,
        most=most,
        first_only=_only_at(steps, number, 0),
        last_only=_only_at(steps, number, -1),
        adaptor=adaptor,
        arity=np.array([*map(_arity, rules), 2, 0], dtype=np.int32),
        rule_left=np.array([number[rule.left] for rule in rules], dtype=np.int32),
    )


def _arity(rule: Rule) -> int:
    """Return how many symbols follow the first step of a rule: 0 for a phone, 1, or 2."""
    if len(rule.right) == 1 and isinstance(rule.right[0], Terminal):
        return 0
    return min(2, len(rule.right))


def _by_left(steps: Iterable[tuple[int, ...]], symbols: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row limits by left side, and the steps' columns in that order."""
    table = np.array(sorted(steps), dtype=np.int32).reshape(-1, width)
    rows = np.searchsorted(table[:, 0], np.arange(symbols + 1)).astype(np.int32)
    return rows, np.ascontiguousarray(table.T)


def _widths(steps: list[_Step], number: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the fewest and the most phones each symbol covers, by fixed point."""
    fewest = np.full(len(number), UNBOUNDED, dtype=np.int64)
    most = np.zeros(len(number), dtype=np.int64)
    most[[number[name] for name in _recursive(steps)]] = UNBOUNDED
    for _ in number:
        for step in steps:
            covered = [
                (1, 1) if isinstance(s, Terminal) else (fewest[number[s]], most[number[s]])
                for s in step.right
            ]
            low, high = (min(sum(widths), UNBOUNDED) for widths in zip(*covered, strict=True))
            left = number[step.left]
            fewest[left], most[left] = min(fewest[left], low), max(most[left], high)
    return fewest.astype(np.int32), most.astype(np.int32)


def _recursive(steps: list[_Step]) -> set[str]:
    children: dict[str, set[str]] = {}
    for step in steps:
        children.setdefault(step.left, set()).update(s for s in step.right if isinstance(s, str))
    return {name for name in children if name in reachable(children, name)}


def _only_at(steps: list[_Step], number: dict[str, int], end: int) -> np.ndarray:
    """Return which symbols occur only at one end of the utterance (0 first, -1 last)."""
    only = np.ones(len(number), dtype=bool)
    for _ in number:
        for step in steps:
            for k, symbol in enumerate(step.right):
                at_end = k == (0 if end == 0 else len(step.right) - 1)
                if isinstance(symbol, str) and not (at_end and only[number[step.left]]):
                    only[number[symbol]] = False
    return only
