r"""Compose a grammar with the channel into one weighted grammar of the channel's output.

Each word passes through the channel separately, with its own end marker, and so does a stored string of
a nonterminal above the word. Rules above words do not change. Inside a word built from rules, a
nonterminal X becomes :math:`X_{de}`, where d is the run of deletions just before its first output phone and
e the run after its last one. With :math:`\varepsilon_X(l)` the weight of an X of l phones that are all
deleted, a rule :math:`X \to Y Z` of weight g becomes

.. math::
    X_{de} &\to Y_{dm}\, Z_{me} && g \\
    X_{de} &\to Y_{dm} && g\, \varepsilon_Z(e - m), \quad m < e \\
    X_{de} &\to Z_{me} && g\, \varepsilon_Y(m - d), \quad d < m

and a phone, with at most L_I insertions before it if d = 0, becomes

.. math::
    X_{d0} \to (\text{ins})^k\, y: \quad (\tilde o_\text{ins} \tilde I)^k
        [\theta_y \tilde o_\text{none} + \textstyle\sum_x \theta_x\, \tilde o_\text{sub}\, \tilde\zeta[x, y]],
    \qquad \varepsilon_X(1) = \tilde o_\text{del} \textstyle\sum_x \theta_x .

A word ends after at most L_I insertions (none after a deletion) with the end marker. This is the
intersection of a grammar with an automaton (Bar-Hillel, Perles & Shamir 1961), here the channel with its
runs as states, and the chart parser can use it like any grammar. The weight of a composed rule is a
product of weights of rules, deleted symbols and edits, to which its expected count is distributed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.channel.channel import Edits
from otlab.discovery.channel.word_ends import end_counts, end_weight
from otlab.discovery.grammar import Terminal
from otlab.discovery.kernels.channel import DELETE, INSERT, NONE, SUBSTITUTE
from otlab.discovery.parsing.parser import ChartStep, rule_tables, unary_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.discovery.kernels.layout import EditArrays, Limits, RuleTables, Weights
    from otlab.discovery.parsing.parser import Parser

__all__ = ["Composed", "Deleted", "Stored"]


class Stored(NamedTuple):
    """An adapted symbol of the composed grammar.

    Attributes
    ----------
    adapted : int
        Its number among the adapted symbols of the grammar.
    before, after : int
        Runs of deletions before and after it; 0 if it is closed.
    closed : bool
        Whether it passes through the channel separately, with an end marker.
    """

    adapted: int
    before: int
    after: int
    closed: bool


@dataclass(frozen=True, eq=False)
class Deleted:
    """Weights of symbols all of whose phones are deleted.

    Attributes
    ----------
    weight : float64 ndarray of shape (symbols, most_deleted + 1)
        Weight of each symbol, by its number of phones.
    base : float64 ndarray of shape (symbols, most_deleted + 1)
        The part of the weight that is built from rules.
    stored : float64 ndarray of shape (adapted,)
        Weight of looking up a string of one phone that is deleted.
    """

    weight: np.ndarray
    base: np.ndarray
    stored: np.ndarray


class _Rules(NamedTuple):
    """The composed rules. The weight of each is the product of two basic weights, given by their indices."""

    first: list[int]
    second: list[int]


@dataclass(frozen=True, eq=False)
class Composed:
    """The grammar of a parser composed with the channel.

    Parameters
    ----------
    parser
        Parser with the corpus and the grammar.
    limits
        Limits of the channel's runs.

    Attributes
    ----------
    tables : RuleTables
        The composed grammar, for the chart's kernels.
    start, word : int
        Numbers of the start symbol and of the word.
    above_word : int32 ndarray
        Numbers of the adapted symbols that contain words.
    stored : tuple of Stored
        The adapted symbols of the composed grammar.
    """

    parser: Parser
    limits: Limits
    tables: RuleTables = field(init=False)
    start: int = field(init=False)
    word: int = field(init=False)
    above_word: np.ndarray = field(init=False)
    stored: tuple[Stored, ...] = field(init=False)
    _rules: _Rules = field(init=False)

    def __post_init__(self) -> None:
        builder = _Builder(self.parser, self.limits)
        steps = list(builder.steps())
        names = unary_order(steps)
        number = {name: k for k, name in enumerate(names)}
        adapted = tuple(name for name in names if name in builder.stored)
        chart = self.parser.chart
        above = [number[name] for name in adapted if name in self.parser.grammar.above_word]
        values = {
            "tables": rule_tables((), steps, number, adapted, self.parser.corpus.symbols),
            "start": number[chart.symbols[chart.start]],
            "word": number[chart.symbols[self.parser.word]],
            "above_word": np.array(above, dtype=np.int32),
            "stored": tuple(builder.stored[name] for name in adapted),
            "_rules": builder.rules,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def deleted(self, weights: Weights, edits: EditArrays) -> Deleted:
        """Return the weights of symbols that are deleted entirely."""
        tables, most_deleted = self.parser.chart.tables, self.limits.most_deleted
        delete = edits.operation[DELETE]
        shape = (tables.fewest.size, most_deleted + 1)
        weight, base = np.zeros(shape), np.zeros(shape)
        single = self.parser.spans.length == 1
        delete_stored = delete if self.limits.most_edits and most_deleted else 0.0
        stored = delete_stored * weights.mass[:, single].sum(axis=1)
        for length in range(1, most_deleted + 1):
            for s in range(shape[0]):
                if length == 1:
                    base[s, 1] = delete * _theta(tables, weights, s).sum()
                for left, right, w in _parts(tables, weights.rule, s):
                    base[s, length] += w * _split(weight, left, right, length).sum()
                weight[s, length] = base[s, length]
                a = tables.adaptor[s]
                if a >= 0:
                    weight[s, length] *= weights.fresh[a]
                    weight[s, length] += stored[a] if length == 1 else 0.0
        return Deleted(weight, base, stored)

    def rule_weights(self, weights: Weights, edits: EditArrays, deleted: Deleted) -> np.ndarray:
        """Return the weights of the composed rules."""
        basic = self._basic(weights, edits, deleted)
        out: np.ndarray = basic[self._rules.first] * basic[self._rules.second]
        return out

    def _basic(self, weights: Weights, edits: EditArrays, deleted: Deleted) -> np.ndarray:
        """Return the basic weights: rules, deleted symbols, output phones, insertions, end marker, and 1."""
        tables = self.parser.chart.tables
        outputs = [_output_weights(_theta(tables, weights, s), edits) for s in range(tables.fewest.size)]
        inserted = edits.operation[INSERT] * edits.insertion
        ends = [end_weight(edits), 1.0]
        return np.concatenate([weights.rule, deleted.weight.ravel(), np.ravel(outputs), inserted, ends])

    def distribute(
        self, counts: np.ndarray, weights: Weights, edits: EditArrays, deleted: Deleted
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, Edits]:
        """Distribute the expected counts of the composed rules over the grammar's rules and the edits.

        Returns
        -------
        rule : float64 ndarray of shape (rules + 2,)
            Expected uses of the grammar's rules.
        used : float64 ndarray of shape (adapted, strings)
            Expected uses of stored strings that were deleted.
        new : float64 ndarray of shape (adapted,)
            Expected uses of adapted symbols that were built from rules and deleted.
        edits : Edits
            Expected edits.
        """
        tables, size = self.parser.chart.tables, edits.insertion.size
        symbols = tables.fewest.size
        basic = np.zeros(self._basic(weights, edits, deleted).size)
        np.add.at(basic, self._rules.first, counts)
        np.add.at(basic, self._rules.second, counts)
        cuts = np.cumsum([weights.rule.size, deleted.weight.size, symbols * size, size])
        rule, deleted_uses, output_uses, inserted, ends = np.split(basic, cuts)
        out = Edits(np.zeros(4), inserted.copy(), np.zeros((size, size)))
        out.operation[:] = end_counts(float(ends[0]), edits)
        out.operation[INSERT] = inserted.sum()
        by_length = deleted_uses.reshape(deleted.weight.shape)
        used, new = self._distribute_deleted(by_length, rule, weights, edits, deleted, out)
        for s, uses in enumerate(output_uses.reshape(symbols, size)):
            if uses.any():
                _distribute_outputs(uses, tables.lexical[s], _theta(tables, weights, s), edits, rule, out)
        return rule, used, new, out

    def _distribute_deleted(
        self,
        symbol_uses: np.ndarray,
        rule: np.ndarray,
        weights: Weights,
        edits: EditArrays,
        deleted: Deleted,
        out: Edits,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distribute the uses of deleted symbols, starting with more phones and higher symbols."""
        tables = self.parser.chart.tables
        used, new = np.zeros_like(weights.mass), np.zeros(weights.fresh.size)
        single = self.parser.spans.length == 1
        for length in range(symbol_uses.shape[1] - 1, 0, -1):
            for s in range(symbol_uses.shape[0] - 1, -1, -1):
                uses, a = symbol_uses[s, length], tables.adaptor[s]
                if uses == 0.0:
                    continue
                if a >= 0:
                    looked_up = uses * deleted.stored[a] / deleted.weight[s, length] if length == 1 else 0.0
                    if looked_up:
                        mass = weights.mass[a, single]
                        used[a, single] += looked_up * mass / mass.sum()
                        out.operation[DELETE] += looked_up
                    uses -= looked_up
                    new[a] += uses
                if deleted.base[s, length] == 0.0:
                    continue
                share = uses / deleted.base[s, length]
                theta = _theta(tables, weights, s)
                if length == 1 and theta.any():
                    phones = share * edits.operation[DELETE] * theta
                    known = tables.lexical[s] >= 0
                    np.add.at(rule, tables.lexical[s, known], phones[known])
                    out.operation[DELETE] += phones.sum()
                for (left, right, w), r in zip(
                    _parts(tables, weights.rule, s), _part_rules(tables, s), strict=True
                ):
                    terms = share * w * _split(deleted.weight, left, right, length)
                    rule[r] += terms.sum()
                    if right < 0:
                        symbol_uses[left, length] += terms[0]
                        continue
                    for k, term in enumerate(terms, 1):
                        symbol_uses[left, k] += term
                        symbol_uses[right, length - k] += term
        return used, new


def _theta(tables: RuleTables, weights: Weights, s: int) -> np.ndarray:
    """Return the weight with which a symbol rewrites as each phone; 0 if it has no such rule."""
    lexical = tables.lexical[s]
    return np.where(lexical >= 0, weights.rule[lexical], 0.0)


def _output_weights(theta: np.ndarray, edits: EditArrays) -> np.ndarray:
    """Return the weight of each output phone, unchanged or substituted, given those of the source phones."""
    out: np.ndarray = edits.operation[NONE] * theta + edits.operation[SUBSTITUTE] * (
        theta @ edits.substitution
    )
    return out


def _distribute_outputs(
    uses: np.ndarray, lexical: np.ndarray, theta: np.ndarray, edits: EditArrays, rule: np.ndarray, out: Edits
) -> None:
    """Distribute the uses of output phones over substitutions and unchanged phones."""
    total = _output_weights(theta, edits)
    share = np.divide(uses, total, out=np.zeros_like(uses), where=total > 0.0)
    kept = share * edits.operation[NONE] * theta
    replaced = edits.operation[SUBSTITUTE] * theta[:, None] * edits.substitution * share
    known = lexical >= 0
    np.add.at(rule, lexical[known], (kept + replaced.sum(axis=1))[known])
    out.operation[NONE] += kept.sum()
    out.operation[SUBSTITUTE] += replaced.sum()
    out.substitution[:] += replaced


def _parts(tables: RuleTables, rule: np.ndarray, s: int) -> Iterator[tuple[int, int, float]]:
    """Yield the right side of each rule of a symbol (-1: no second symbol) and the rule's weight."""
    for k in range(tables.unary_rows[s], tables.unary_rows[s + 1]):
        yield tables.child[k], -1, rule[tables.unary_rule[k]]
    for k in range(tables.binary_rows[s], tables.binary_rows[s + 1]):
        yield tables.left[k], tables.right[k], rule[tables.binary_rule[k]]


def _part_rules(tables: RuleTables, s: int) -> list[int]:
    """Return the rule numbers in the order of :func:`_parts`."""
    unary = tables.unary_rule[tables.unary_rows[s] : tables.unary_rows[s + 1]]
    binary = tables.binary_rule[tables.binary_rows[s] : tables.binary_rows[s + 1]]
    return [*unary.tolist(), *binary.tolist()]


def _split(weight: np.ndarray, left: int, right: int, length: int) -> np.ndarray:
    """Return a rule's weights with `length` deleted phones, by the number of the left symbol's phones."""
    if right < 0:
        single: np.ndarray = weight[left, length : length + 1]
        return single
    both: np.ndarray = weight[left, 1:length] * weight[right, length - 1 : 0 : -1]
    return both


class _Builder:
    """Builds the composed rules top down, without those that can never be used."""

    def __init__(self, parser: Parser, limits: Limits) -> None:
        self.parser, self.limits = parser, limits
        self.tables, self.names = parser.chart.tables, parser.chart.symbols
        self.runs = limits.most_deleted + 1
        self.stored: dict[str, Stored] = {}
        self.rules = _Rules([], [])
        size, symbols = len(parser.corpus.symbols), len(self.names)
        self.first_deleted = self.tables.arity.size
        self.first_output = self.first_deleted + symbols * self.runs
        self.first_inserted = self.first_output + symbols * size
        self.marker = self.first_inserted + size
        self.one = self.marker + 1
        self._with_outputs: set[str] = set()
        self.nullable = self._nullable()
        self.possible = self._possible()

    def _nullable(self) -> np.ndarray:
        """Return whether each symbol can be deleted entirely, by its number of phones."""
        out = np.zeros((len(self.names), self.runs), dtype=bool)
        for length in range(1, self.runs):
            for s in range(len(self.names)):
                out[s, length] = length == 1 and bool((self.tables.lexical[s] >= 0).any())
                for left, right, _ in self._parts(s):
                    out[s, length] |= bool(_split(out, left, right, length).any())
        return out

    def _parts(self, s: int) -> Iterator[tuple[int, int, float]]:
        return _parts(self.tables, np.ones(self.tables.arity.size), s)

    def _possible(self) -> np.ndarray:
        """Return between which runs each symbol can have at least one output phone, by fixed point."""
        out = np.zeros((len(self.names), self.runs, self.runs), dtype=bool)
        while True:
            before = out.copy()
            for s in range(len(self.names)):
                if (self.tables.lexical[s] >= 0).any():
                    out[s, :, 0] = True
                for left, right, _ in self._parts(s):
                    if right < 0:
                        out[s] |= out[left]
                        continue
                    for d in range(self.runs):
                        for e in range(self.runs):
                            out[s, d, e] |= any(True for _ in self._joined(out, left, right, d, e))
            if (out == before).all():
                return out

    def _joined(
        self, possible: np.ndarray, left: int, right: int, d: int, e: int
    ) -> Iterator[tuple[tuple[tuple[int, int, int], ...], tuple[int, int] | None]]:
        """Yield how two symbols can fill runs d to e: symbols with output, and the deleted one or None."""
        for m in range(self.runs):
            if possible[left, d, m] and possible[right, m, e]:
                yield ((left, d, m), (right, m, e)), None
            if m < e and possible[left, d, m] and self.nullable[right, e - m]:
                yield ((left, d, m),), (right, e - m)
            if d < m and possible[right, m, e] and self.nullable[left, m - d]:
                yield ((right, m, e),), (left, m - d)

    def _rule(self, first: int, second: int | None = None) -> int:
        """Return the number of a new rule, a product of basic weights."""
        self.rules.first.append(first)
        self.rules.second.append(self.one if second is None else second)
        return len(self.rules.first) - 1

    def steps(self) -> Iterator[ChartStep]:
        """Yield all steps."""
        yield from self._outside_words()
        if self.limits.most_inserted:
            yield from self._insertions()
        todo, seen = [(self.parser.word, 0, e) for e in range(self.runs)], set[tuple[int, int, int]]()
        todo = [item for item in todo if self.possible[item]]
        yield from self._word_ends(todo)
        while todo:
            item = todo.pop()
            if item in seen:
                continue
            seen.add(item)
            for step, below in self._inside(item):
                todo += below
                yield step

    def _name(self, item: tuple[int, int, int]) -> str:
        s, d, e = item
        return f"{self.names[s]}/{d}/{e}"

    def _outside_words(self) -> Iterator[ChartStep]:
        """Yield the steps above words, which do not change."""
        todo, seen = [self.parser.chart.start], set[int]()
        while todo:
            s = todo.pop()
            if s in seen:
                continue
            seen.add(s)
            name = self.names[s]
            if self.tables.adaptor[s] >= 0:
                self.stored[name] = Stored(int(self.tables.adaptor[s]), 0, 0, True)
            if s == self.parser.word:
                continue
            for r in np.unique(self.tables.lexical[s][self.tables.lexical[s] >= 0]):
                for phone in np.flatnonzero(self.tables.lexical[s] == r):
                    yield ChartStep(name, (self._phone(int(phone)),), self._rule(int(r)))
            for (left, right, _), r in zip(self._parts(s), _part_rules(self.tables, s), strict=True):
                below = [left] if right < 0 else [left, right]
                todo += below
                yield ChartStep(name, tuple(self.names[b] for b in below), self._rule(r))

    def _phone(self, code: int) -> Terminal:
        return Terminal(self.parser.corpus.symbols[code])

    def _insertions(self) -> Iterator[ChartStep]:
        """Yield the steps that insert 1, 2, ... phones."""
        for y in range(len(self.parser.corpus.symbols)):
            yield ChartStep("+1", (self._phone(y),), self._rule(self.first_inserted + y))
        for k in range(2, self.limits.most_inserted + 1):
            yield ChartStep(f"+{k}", ("+1", f"+{k - 1}"), self._rule(self.one))

    def _word_ends(self, bodies: list[tuple[int, int, int]]) -> Iterator[ChartStep]:
        """Yield the steps of a word built from rules: its phones, insertions and the end marker."""
        word = self.names[self.parser.word]
        for body in bodies:
            yield ChartStep(word, (self._name(body),), self._rule(self.marker))
        for k in range(1, self.limits.most_inserted + 1):
            if bodies and bodies[0][2] == 0:
                yield ChartStep(word, (self._name(bodies[0]), f"+{k}"), self._rule(self.marker))

    def _inside(
        self, item: tuple[int, int, int]
    ) -> Iterator[tuple[ChartStep, tuple[tuple[int, int, int], ...]]]:
        """Yield the steps of a symbol inside a word, each with the symbols on its right side."""
        s, d, e = item
        name = self._name(item)
        if self.tables.adaptor[s] >= 0 and s != self.parser.word:
            self.stored[name] = Stored(int(self.tables.adaptor[s]), d, e, False)
        if e == 0 and (self.tables.lexical[s] >= 0).any():
            yield from ((step, ()) for step in self._phones(s, d))
        for (left, right, _), r in zip(self._parts(s), _part_rules(self.tables, s), strict=True):
            if right < 0:
                if self.possible[left, d, e]:
                    below: tuple[tuple[int, int, int], ...] = ((left, d, e),)
                    yield ChartStep(name, (self._name(below[0]),), self._rule(r)), below
                continue
            for below, removed in self._joined(self.possible, left, right, d, e):
                basic = None if removed is None else self.first_deleted + removed[0] * self.runs + removed[1]
                yield ChartStep(name, tuple(map(self._name, below)), self._rule(r, basic)), below

    def _phones(self, s: int, d: int) -> Iterator[ChartStep]:
        """Yield the steps of a symbol that rewrites as phones, kept or substituted, after insertions."""
        name, output = f"{self.names[s]}/{d}/0", f"{self.names[s]}/output"
        if output not in self._with_outputs:
            self._with_outputs.add(output)
            size = len(self.parser.corpus.symbols)
            for y in range(size):
                yield ChartStep(output, (self._phone(y),), self._rule(self.first_output + s * size + y))
        yield ChartStep(name, (output,), self._rule(self.one))
        for k in range(1, self.limits.most_inserted + 1 if d == 0 else 1):
            yield ChartStep(name, (f"+{k}", output), self._rule(self.one))
