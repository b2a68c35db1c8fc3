"""A corpus and a grammar made ready for parsing, and the weights every parser uses."""

from __future__ import annotations

import warnings
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.corpus import and_more
from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels.layout import Items, Lattice, Text, Weights
from otlab.discovery.parsing.chart import ChartGrammar, compile_grammar
from otlab.discovery.parsing.chunks import CHART, chunks
from otlab.discovery.parsing.spans import number_spans
from otlab.errors import DataWarning, Fault, InputError
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar

__all__ = ["Lattice", "Parser", "Weights"]


def lattice_of(chart: ChartGrammar) -> Lattice | None:
    """Return the rule numbers of a grammar that only cuts words, or None if it does more."""
    grammar = chart.grammar
    word = grammar.word
    if chart.adapted != (word,):
        return None
    several = str(grammar.by_left[word][0].right[0])
    phone = several[:-1]
    wanted = (
        f"{grammar.start} -> {word}+",
        f"{word}+ -> {word}",
        f"{word}+ -> {word} {word}+",
        f"{word} -> {several}",
        f"{several} -> {phone}",
        f"{several} -> {phone} {several}",
    )
    rules = {str(rule): k for k, rule in enumerate(grammar.rules)}
    if phone not in chart.symbols or not all(rule in rules for rule in wanted):
        return None
    lexical = chart.tables.lexical[chart.symbols.index(phone)]
    if len(rules) != len(wanted) + np.count_nonzero(lexical >= 0):
        return None
    return Lattice(np.array([rules[rule] for rule in wanted]), lexical)


class Parser:
    """A corpus and a grammar made ready for parsing.

    Parameters
    ----------
    corpus
        What is parsed.
    grammar
        With phone classes; they are spelled out for the corpus.
    lattice
        Whether the segmentation lattice may replace the chart where the grammar
        allows.

    Attributes
    ----------
    chart : ChartGrammar
        The compiled grammar.
    every_span, spans : Spans
        All strings, and those that appear twice or more.
    every_text, text : Text
        The corpus with the one and the other, for the kernels.
    items : int64 ndarray
        The utterances that are learnt from: those the grammar can generate.
    held_out : int64 ndarray
        Utterances the grammar can generate that are not learnt from; see :meth:`holding_out`.
    word : int
        Number of the symbol whose edges are word boundaries.
    above_word : int32 ndarray
        Numbers of the adapted symbols that contain words.
    warnings : list of Fault
        Utterances that are left out, as the warnings say.

    Raises
    ------
    InputError
        If the grammar can generate no utterance at all.

    Warns
    -----
    DataWarning
        Naming the utterances the grammar cannot generate; they are left out.
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
        """Phones in the longest utterance."""
        return int(self.corpus.lengths.max())

    @property
    def required_lattice(self) -> Lattice:
        """The lattice, for learners that work on nothing else.

        Raises
        ------
        InputError
            If the grammar does more than cut utterances into words.
        """
        if self.lattice is None:
            what = f"the grammar {self.grammar.name} does more than cut utterances into words"
            raise InputError(Fault(what, "with the channel, use the grammar word"))
        return self.lattice

    def holding_out(self, every: int) -> Parser:
        """Return the same parser with each `every`-th utterance, the first included, held out of learning."""
        held = np.arange(self.items.size) % every == 0
        fewer = copy(self)
        fewer.items, fewer.held_out = self.items[~held], self.items[held]
        return fewer

    def with_everything(self) -> Parser:
        """Return the same parser with held-out utterances among its items."""
        whole = copy(self)
        whole.items, whole.held_out = np.union1d(self.items, self.held_out), self.items[:0]
        return whole

    def codes(self, string: int) -> np.ndarray:
        """Return the phone codes of a stored string."""
        first = self.spans.first[string]
        return self.corpus.phones[first : first + self.spans.length[string]]

    def spell(self, string: int) -> str:
        """Return what a stored string spells."""
        return "".join(self.corpus.symbols[code] for code in self.codes(string))

    def no_strings(self, rule: np.ndarray) -> Weights:
        """Return weights with these rules and nothing stored."""
        adapted = len(self.adapted)
        mass = np.zeros((adapted, len(self.spans)))
        return Weights(np.append(rule, (1.0, 1.0)), mass, np.ones(adapted), np.ones(adapted))

    def _generable(self) -> np.ndarray:
        """Return which utterances the grammar can generate; warn of the others."""
        corpus, chart = self.corpus, self.chart
        known: np.ndarray = np.any(chart.tables.lexical >= 0, axis=0)[corpus.phones]
        weights = self.no_strings(np.full(chart.rules, 1.0 / max(1, chart.rules)))
        fits = np.zeros(len(corpus), dtype=bool)
        for some in chunks(corpus.lengths**3, CHART):
            check_interrupt()
            items = Items(corpus.offsets[some], corpus.lengths[some], chart.start, False)
            chart_kernels.can_generate(
                chart.tables, self.text, items, weights, float(chart.rules), fits[some]
            )
        self._name_unknown(known)
        spelled = np.array(
            [known[a:b].all() for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
        )
        self._name(
            np.flatnonzero(~fits & spelled), f"{self.grammar.name} cannot generate this utterance, left out"
        )
        if not fits.any():
            what = f"the grammar {self.grammar.name} generates no utterance of the text"
            raise InputError(Fault(what, "check its rules against the phones", file=corpus.name))
        return fits

    def _name_unknown(self, known: np.ndarray) -> None:
        for phone in np.unique(self.corpus.phones[~known]):
            where = np.flatnonzero((self.corpus.phones == phone) & ~known)
            utterances = np.unique(np.searchsorted(self.corpus.offsets, where, side="right") - 1)
            symbol = self.corpus.symbols[phone]
            self._name(
                utterances, f"the grammar {self.grammar.name} has no rule for {symbol!r}, utterance left out"
            )

    def _name(self, utterances: np.ndarray, what: str) -> None:
        if utterances.size:
            lines = [self.corpus.lines[u] for u in utterances]
            self.warnings.append(Fault(what + and_more(lines), file=self.corpus.name, line=lines[0]))
            warnings.warn(str(self.warnings[-1]), DataWarning, stacklevel=4)
