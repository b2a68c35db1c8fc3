"""Compile a corpus and a grammar for parsing, with the weights that every parser uses.

The chart takes binary rules as arrays. A rule with more than two symbols on the right is divided by
additional symbols, each with a single rule of weight 1. Unary rules need no iteration, because symbols are
numbered so that the child of a unary rule comes before its parent: one pass in this order is enough.

Three properties of each symbol keep the chart small, and for the word grammar as fast as a segmentation
lattice: the fewest and most phones it can cover, whether it occurs only at the beginning of an
utterance, and whether it occurs only at the end (as ``Word+`` does with ``Utterance -> Word+``).
"""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.corpus import and_more
from otlab.discovery.grammar import Grammar, Rule, Terminal, reachable
from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels.layout import Items, Lattice, RuleTables, Text, Weights
from otlab.discovery.parsing.chunks import CHART, chunks
from otlab.discovery.parsing.spans import number_spans
from otlab.errors import DataWarning, Fault, InputError
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar

__all__ = [
    "ChartGrammar",
    "ChartStep",
    "Lattice",
    "Parser",
    "Weights",
    "compile_grammar",
    "rule_tables",
    "unary_order",
]

UNBOUNDED = np.int32(1_000_000)


@dataclass(frozen=True, eq=False)
class ChartGrammar:
    """A compiled grammar.

    Attributes
    ----------
    grammar
        The grammar, with phone classes replaced by their phones.
    symbols
        Names of the symbols, by number.
    adapted
        Names of the adapted symbols, bottom up.
    adapted_symbols : int32 ndarray of shape (adapted,)
        Numbers of the adapted symbols.
    start
        Number of the start symbol.
    prior : float64 ndarray of shape (rules,)
        Dirichlet pseudo-counts.
    tables : RuleTables
        The grammar for the kernels. Weight arrays have two more entries than there are rules, both
        1: for the symbols that divide rules, and for phones in longer rules.
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
        """Number of symbols on the right of the step of each weight: 0 for a phone, 1, or 2."""
        return self.tables.arity


@dataclass(frozen=True)
class ChartStep:
    """A binary, unary or lexical rule of the chart; `rule` is the number of its weight."""

    left: str
    right: tuple[str | Terminal, ...]
    rule: int


def compile_grammar(grammar: Grammar, phones: tuple[str, ...]) -> ChartGrammar:
    """Compile a grammar for an alphabet.

    Parameters
    ----------
    grammar
        Grammar with phone classes replaced by their phones (:meth:`Grammar.with_classes`).
    phones
        The corpus's symbols, in the order of their codes.
    """
    steps = list(_binary_steps(grammar.rules))
    names = unary_order(steps)
    number = {name: k for k, name in enumerate(names)}
    adapted = tuple(a for a in grammar.bottom_up() if a in number)
    return ChartGrammar(
        grammar=grammar,
        symbols=names,
        adapted=adapted,
        adapted_symbols=np.array([number[a] for a in adapted], dtype=np.int32),
        start=number[grammar.start],
        prior=np.array([rule.prior for rule in grammar.rules]),
        tables=rule_tables(grammar.rules, steps, number, adapted, phones),
    )


def _binary_steps(rules: tuple[Rule, ...]) -> Iterator[ChartStep]:
    binary, lexical = len(rules), len(rules) + 1
    written: set[str] = set()

    def symbol(item: str | Terminal) -> Iterator[ChartStep]:
        name = str(item)
        if isinstance(item, Terminal) and name not in written:
            written.add(name)
            yield ChartStep(name, (item,), lexical)

    for k, rule in enumerate(rules):
        if len(rule.right) == 1:
            yield ChartStep(rule.left, rule.right, k)
            continue
        for item in rule.right:
            yield from symbol(item)
        rest = [str(item) for item in rule.right]
        left, weight = rule.left, k
        while len(rest) > 2:
            cut = f"{left if '|' in left else f'{rule.left}|{k}'}|"
            yield ChartStep(left, (rest.pop(0), cut), weight)
            left, weight = cut, binary
        yield ChartStep(left, tuple(rest), weight)


def unary_order(steps: list[ChartStep]) -> tuple[str, ...]:
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


def rule_tables(
    rules: tuple[Rule, ...],
    steps: list[ChartStep],
    number: dict[str, int],
    adapted: tuple[str, ...],
    phones: tuple[str, ...],
) -> RuleTables:
    """Return the tables of a grammar's steps.

    Parameters
    ----------
    rules
        Rules with a weight of their own, for drawing trees; none if only weights and counts are needed.
    steps
        Steps of all symbols.
    number
        Number of each symbol, in unary order.
    adapted
        Names of the adapted symbols, in order of their numbers among the adapted symbols.
    phones
        The corpus's symbols, in the order of their codes.
    """
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
    """Return the number of symbols on the right of a rule's first step: 0 for a phone, 1, or 2."""
    if len(rule.right) == 1 and isinstance(rule.right[0], Terminal):
        return 0
    return min(2, len(rule.right))


def _by_left(steps: Iterable[tuple[int, ...]], symbols: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of each left side's rows, and the steps' columns in that order."""
    table = np.array(sorted(steps), dtype=np.int32).reshape(-1, width)
    rows = np.searchsorted(table[:, 0], np.arange(symbols + 1)).astype(np.int32)
    return rows, np.ascontiguousarray(table.T)


def _widths(steps: list[ChartStep], number: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
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


def _recursive(steps: list[ChartStep]) -> set[str]:
    children: dict[str, set[str]] = {}
    for step in steps:
        children.setdefault(step.left, set()).update(s for s in step.right if isinstance(s, str))
    return {name for name in children if name in reachable(children, name)}


def _only_at(steps: list[ChartStep], number: dict[str, int], end: int) -> np.ndarray:
    """Return which symbols occur only at one end of the utterance (0 first, -1 last)."""
    only = np.ones(len(number), dtype=bool)
    for _ in number:
        for step in steps:
            for k, symbol in enumerate(step.right):
                at_end = k == (0 if end == 0 else len(step.right) - 1)
                if isinstance(symbol, str) and not (at_end and only[number[step.left]]):
                    only[number[symbol]] = False
    return only


def lattice_of(chart: ChartGrammar) -> Lattice | None:
    """Return the rule numbers of a grammar that only cuts utterances into words; None if it does more."""
    grammar = chart.grammar
    word = grammar.word
    if chart.adapted != (word,):
        return None
    phones = str(grammar.by_left[word][0].right[0])
    phone = phones[:-1]
    wanted = (
        f"{grammar.start} -> {word}+",
        f"{word}+ -> {word}",
        f"{word}+ -> {word} {word}+",
        f"{word} -> {phones}",
        f"{phones} -> {phone}",
        f"{phones} -> {phone} {phones}",
    )
    rules = {str(rule): k for k, rule in enumerate(grammar.rules)}
    if phone not in chart.symbols or not all(rule in rules for rule in wanted):
        return None
    lexical = chart.tables.lexical[chart.symbols.index(phone)]
    if len(rules) != len(wanted) + np.count_nonzero(lexical >= 0):
        return None
    return Lattice(np.array([rules[rule] for rule in wanted]), lexical)


class Parser:
    """A corpus and a grammar prepared for parsing.

    Parameters
    ----------
    corpus
        The text to parse.
    grammar
        The grammar. Phone classes are replaced by the phones of the corpus.
    lattice
        Whether the segmentation lattice may replace the chart if the grammar allows it.

    Attributes
    ----------
    chart : ChartGrammar
        The compiled grammar.
    every_span, spans : Spans
        All strings, and those that appear at least twice.
    every_text, text : Text
        The corpus with `every_span` and with `spans`, for the kernels.
    items : int64 ndarray
        The utterances from which is learnt; the grammar can generate them.
    held_out : int64 ndarray
        Utterances that the grammar can generate and that are not learnt from; see :meth:`holding_out`.
    word : int
        Number of the symbol whose edges are word boundaries.
    above_word : int32 ndarray
        Numbers of the adapted symbols that contain words.
    warnings : list of Fault
        The warnings about utterances that are left out.

    Raises
    ------
    InputError
        If the grammar can generate no utterance at all.

    Warns
    -----
    DataWarning
        For utterances that the grammar cannot generate, which are left out.
    """

    def __init__(self, corpus: Corpus, grammar: Grammar, *, lattice: bool = True) -> None:
        self.corpus = corpus
        self.grammar = grammar.with_classes(corpus)
        self.chart = compile_grammar(self.grammar, corpus.symbols)
        self.every_span = number_spans(corpus)
        self.spans = self.every_span.repeated()
        self.lattice = lattice_of(self.chart) if lattice else None
        self.text, self.every_text = (
            Text(corpus.phones, spans.row, spans.ids) for spans in (self.spans, self.every_span)
        )
        symbols = self.chart.symbols
        self.word = symbols.index(self.grammar.word) if self.grammar.word in symbols else -1
        above = [symbols.index(a) for a in self.adapted if a in self.grammar.above_word]
        self.above_word = np.array(above, dtype=np.int32)
        self.warnings: list[Fault] = []
        self.items = np.flatnonzero(self._generable())
        self.held_out = self.items[:0]

    @property
    def adapted(self) -> tuple[str, ...]:
        """Names of the adapted symbols, bottom up."""
        return self.chart.adapted

    @property
    def longest(self) -> int:
        """Number of phones in the longest utterance."""
        return int(self.corpus.lengths.max())

    @property
    def required_lattice(self) -> Lattice:
        """The lattice, for learners that require one.

        Raises
        ------
        InputError
            If the grammar does more than cut utterances into words.
        """
        if self.lattice is None:
            what = f"the grammar {self.grammar.name} does more than cut utterances into words"
            raise InputError(Fault(what, "use the grammar word"))
        return self.lattice

    def holding_out(self, every: int) -> Parser:
        """Return a parser that holds the first and each `every`-th utterance after it out of learning."""
        held = np.arange(self.items.size) % every == 0
        parser = copy(self)
        parser.items, parser.held_out = self.items[~held], self.items[held]
        return parser

    def with_everything(self) -> Parser:
        """Return a parser that learns from the held-out utterances too."""
        parser = copy(self)
        parser.items, parser.held_out = np.union1d(self.items, self.held_out), self.items[:0]
        return parser

    def codes(self, string: int) -> np.ndarray:
        """Return the phone codes of a stored string."""
        first = self.spans.first[string]
        return self.corpus.phones[first : first + self.spans.length[string]]

    def spell(self, string: int) -> str:
        """Return the spelling of a stored string."""
        return "".join(self.corpus.symbols[code] for code in self.codes(string))

    def no_strings(self, rule: np.ndarray) -> Weights:
        """Return weights with these weights of rules and no stored strings."""
        adapted = len(self.adapted)
        mass = np.zeros((adapted, len(self.spans)))
        return Weights(np.append(rule, (1.0, 1.0)), mass, np.ones(adapted), np.ones(adapted))

    def _generable(self) -> np.ndarray:
        """Return which utterances the grammar can generate; warn about the others."""
        corpus, chart = self.corpus, self.chart
        known: np.ndarray = np.any(chart.tables.lexical >= 0, axis=0)[corpus.phones]
        spelled = np.array(
            [known[a:b].all() for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
        )
        fits = spelled & (corpus.lengths > 0) if self.lattice is not None else self._with_analysis()
        self._warn_of_unknown_phones(known)
        self._warn(
            np.flatnonzero(~fits & spelled), f"{self._grammar_name} cannot generate this utterance, left out"
        )
        if not fits.any():
            what = f"{self._grammar_name} generates no utterance of the text"
            raise InputError(Fault(what, "check its rules against the phones", file=corpus.name))
        return fits

    def _with_analysis(self) -> np.ndarray:
        """Return which utterances have an analysis by the chart."""
        return self._generated(self.corpus.offsets[:-1], self.corpus.lengths, self.chart.start)

    def can_be(self, symbol: int, strings: np.ndarray) -> np.ndarray:
        """Return which of some stored strings a symbol can generate.

        Parameters
        ----------
        symbol
            Its number.
        strings : int64 ndarray
            Numbers of strings.
        """
        if self.lattice is not None:  # any string of phones is a word
            return np.ones(strings.size, dtype=bool)
        lengths = self.spans.length[strings].astype(np.int64)
        return self._generated(self.spans.first[strings].astype(np.int64), lengths, symbol)

    def _generated(self, at: np.ndarray, lengths: np.ndarray, root: int) -> np.ndarray:
        """Return which stretches of the text a symbol can generate, with equal weights for all rules."""
        chart = self.chart
        weights = self.no_strings(np.full(chart.rules, 1.0 / max(1, chart.rules)))
        fits = np.zeros(lengths.size, dtype=bool)
        # With several rules per phone, the weights of long utterances underflow unless the factor is larger.
        for power in range(1, 5):
            remaining = np.flatnonzero(~fits)
            for chunk in chunks(lengths[remaining] ** 3, CHART):
                check_interrupt()
                block = remaining[chunk]
                generated = np.zeros(block.size, dtype=bool)
                items = Items(at[block], lengths[block], root, False)
                unit = float(chart.rules) ** power
                chart_kernels.can_generate(chart.tables, self.text, items, weights, unit, generated)
                fits[block] = generated
        return fits

    @property
    def _grammar_name(self) -> str:
        """The grammar in a message, with its name if it has one."""
        name = self.grammar.name
        return "the grammar" if name == "grammar" else f"the grammar {name}"

    def _warn_of_unknown_phones(self, known: np.ndarray) -> None:
        for phone in np.unique(self.corpus.phones[~known]):
            where = np.flatnonzero((self.corpus.phones == phone) & ~known)
            utterances = np.unique(np.searchsorted(self.corpus.offsets, where, side="right") - 1)
            symbol = self.corpus.symbols[phone]
            self._warn(utterances, f"{self._grammar_name} has no rule for {symbol!r}, utterance left out")

    def _warn(self, utterances: np.ndarray, what: str) -> None:
        if utterances.size:
            lines = [self.corpus.lines[u] for u in utterances]
            self.warnings.append(Fault(what + and_more(lines), file=self.corpus.name, line=lines[0]))
            warnings.warn(str(self.warnings[-1]), DataWarning, stacklevel=4)
