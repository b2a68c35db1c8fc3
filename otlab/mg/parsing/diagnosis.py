"""Explain why a sentence has no derivation, the most informative reason first.

1. words that are not in the lexicon;
2. expressions that cover the whole sentence, and what they still lack;
3. the shortest move constraint, if the sentence has a derivation without it;
4. a phrase that moves and is not attracted, if the sentence is complete otherwise;
5. the largest complete constituents, and what the other items select.

After the reason, single lexical items are proposed that would give the sentence a derivation, each
tested by parsing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError, did_you_mean
from otlab.mg.derivation import derivations
from otlab.mg.features import Feature, category_of, format_features
from otlab.mg.kernels.chart import DONE, FULL, ITEMS, SPAN, TYPE, fill, new_chart
from otlab.mg.kernels.heads import APART, PARTS, fill_split
from otlab.mg.lexicon import SILENT
from otlab.mg.parsing.grammar import Signature
from otlab.mg.sentences import respell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otlab.mg.derivation import Chain, Derivation
    from otlab.mg.parsing.grammar import Grammar
    from otlab.mg.parsing.tables import Features

__all__ = ["Diagnosis", "Piece", "diagnose"]

Words = tuple[str, ...]
Span = tuple[int, int]

_CHART_ITEMS = 1 << 14
_CHART_PAIRS = 5_000_000
_MOST_HYPOTHESES = 400
_MOST_ENTRIES = 100_000  # entries of words in all hypotheses together
_SILENT_SPAN = (-1, -1)


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished constituent: the words from `begin` to `end`, and its category."""

    begin: int
    end: int
    category: str


@dataclass(frozen=True)
class Diagnosis:
    """The reason why there is no derivation.

    Attributes
    ----------
    reason
        ``"unknown"``, ``"complete except"``, ``"smc"`` or ``"pieces"``.
    lines
        Lines of the message. The first line summarises it.
    pieces
        Longest finished constituents that cover the sentence, from left to right.
    suggestions
        Lexical items, any one of which would be enough.
    respelled
        The sentence with other capitals or less punctuation, if the lexicon then has all its words.
    """

    reason: str
    lines: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()
    suggestions: tuple[str, ...] = ()
    respelled: Words | None = None

    def __str__(self) -> str:
        one = "One more item" if len(self.suggestions) == 1 else "One of these items"
        tries = f"{one} would make it grammatical: {'; '.join(self.suggestions)}" if self.suggestions else ""
        return "\n".join([*self.lines, *([tries] if tries else [])])


@dataclass(frozen=True, slots=True)
class _Found:
    """An expression of the chart."""

    number: int
    head: Features
    span: Span
    movers: tuple[tuple[Features, Span], ...]
    parts: tuple[Span, ...] = ()  # with head movement: specifiers, head, complements

    @property
    def covered(self) -> int:
        spans = (*(self.parts or (self.span,)), *(s for _, s in self.movers))
        return sum(end - begin for begin, end in spans)


def diagnose(grammar: Grammar, words: Words) -> Diagnosis:
    """Return the reason why a sentence has no derivation."""
    return _Diagnoser(grammar, words).diagnose()


class _Diagnoser:
    def __init__(self, grammar: Grammar, words: Words) -> None:
        self.grammar = grammar
        self.words = words
        self.convention = grammar.lexicon.convention

    def diagnose(self) -> Diagnosis:
        unknown = [w for w in dict.fromkeys(self.words) if w not in self.grammar.vocabulary]
        if unknown:
            lines = tuple(self._unknown(w) for w in unknown)
            respelled = respell(self.words, self.grammar.vocabulary)
            return Diagnosis("unknown", lines, (), self._suggestions(unknown), respelled)
        if not self.words:
            return Diagnosis("pieces", ("No sentence without a word can be made",), ())
        self.found = list(self._chart(self.grammar))
        pieces = self._pieces()
        whole = [f for f in self.found if f.covered == len(self.words)]
        if whole:
            return self._complete_except(self._lack(min(whole, key=self._distance)), pieces)
        clash = self._smc_clash()
        if clash:
            return Diagnosis("smc", (clash,), pieces)
        surplus = self._surplus_mover()
        if surplus:
            return self._complete_except(surplus, pieces)
        strip = "Largest complete constituents: " + " ".join(self._show(p) for p in pieces)
        waiting = tuple(dict.fromkeys(self._waiting()))
        return Diagnosis("pieces", (strip, *waiting), pieces, self._suggestions(self.words))

    def _complete_except(self, lack: str, pieces: tuple[Piece, ...]) -> Diagnosis:
        line = f"Everything fits except that {lack}"
        return Diagnosis("complete except", (line,), pieces, self._suggestions(self.words))

    def _unknown(self, word: str) -> str:
        known = sorted(self.grammar.vocabulary)
        lower = respell((word,), known)
        hint = f"did you mean {lower[0]}?" if lower else did_you_mean(word, known)
        return f"{word!r} is not in the lexicon; {hint.replace('choose from', 'known words:')}"

    def _smc_clash(self) -> str:
        """Return a message about two phrases that violate the constraint; empty if there are none."""
        grammar = self.grammar.unconstrained
        if grammar is None:
            return ""
        try:
            forest = grammar.forest(self.words)
        except InputError:
            return ""
        slots = grammar.slot_items(self.words, forest)
        lexicon = grammar.lexicon
        for _, sequence in forest.best(np.zeros(len(slots)), 1):
            items = [lexicon.items[slots[s]] for s in sequence]
            for found in derivations(items, lexicon.start, convention=self.convention, smc=False):
                if found.words == self.words:
                    return self._clash(found)
        return ""

    def _clash(self, derivation: Derivation) -> str:
        """Return a message about the first two movers of a derivation with the same licensee."""
        for node in derivation.root.walk():
            first: dict[str, Chain] = {}
            for mover in node.movers:
                name = mover.features[0].name
                other = first.setdefault(name, mover)
                if other is not mover:
                    both = sorted((" ".join(m.words) or SILENT for m in (other, mover)), key=self._order)
                    pair = " and ".join(f"'{words}'" for words in both)
                    return f"Shortest move constraint: {pair} would both be waiting to check -{name}"
        return ""

    def _order(self, phrase: str) -> int:
        first = phrase.split()[0]
        return self.words.index(first) if first in self.words else len(self.words)

    def _surplus_mover(self) -> str:
        """Return a message about a mover that nothing attracts in an otherwise complete sentence, if any."""
        if self.grammar.unconstrained is None:
            return ""
        starts = self.grammar.lexicon.start
        for found in self._chart(self.grammar.unconstrained):
            complete = len(found.head) == 1 and found.head[0].name in starts and len(found.movers) == 1
            if complete and found.covered == len(self.words):
                (mover, span) = found.movers[0]
                feature = mover[0].text(self.convention)
                return f"{self._text(span)} still has to check {feature}, and nothing is left to attract it"
        return ""

    def _chart(self, grammar: Grammar) -> Iterator[_Found]:
        """Yield all expressions of the chart, including those that are useless for sentences."""
        graph = grammar.graph
        tables = graph.tables
        axioms = grammar.axioms(grammar.signature(self.words))
        table = np.array(axioms, dtype=np.int32).reshape(-1, 3)
        items, status = 256, FULL
        while status == FULL and items <= _CHART_ITEMS:
            items *= 2
            wanted = np.ones_like(tables.useful)
            if graph.split is None:
                chart = new_chart(items, 4 * items, tables.most_movers)
                status = fill(tables, chart, wanted, graph.names, len(self.words), table, _CHART_PAIRS)
            else:
                chart = new_chart(items, 4 * items, tables.most_movers + PARTS)
                status = fill_split(tables, chart, graph.split, wanted, graph.names, table, _CHART_PAIRS)
        if status != DONE:
            return
        for i in range(int(chart.size[ITEMS])):
            number = int(chart.items[i, TYPE])
            head, movers = graph.types[number]
            spans = [(int(a), int(b)) for a, b in chart.items[i, SPAN:].reshape(-1, 2)]
            parts = () if graph.split is None else tuple(spans[-PARTS:])
            yield _Found(number, head, spans[0], tuple(zip(movers, spans[1:], strict=False)), parts)

    def _distance(self, found: _Found) -> tuple[int, int, int]:
        """Return a key that sorts expressions by how much they lack to be a sentence."""
        is_start = category_of(found.head) in self.grammar.lexicon.start
        rank = 0 if is_start and found.head[0].kind == "category" else (1 if is_start else 2)
        return rank, len(found.head) + len(found.movers), len(found.movers)

    def _lack(self, found: _Found) -> str:
        first = found.head[0]
        head = self._chain(found)
        if first.kind == "licensor":
            return self._lack_licensor(first, head, found)
        if first.adjoins:
            return f"{head} still has to adjoin to a phrase {first.name} to its {first.side} ({first})"
        if first.selects:
            return f"{head} still selects {first.name} to its {first.side} ({first.text(self.convention)})"
        start = " or ".join(self.grammar.lexicon.start)
        if len(found.head) > 1:
            rest = format_features(found.head[1:], self.convention)
            return f"{head} still has to check {rest}, and nothing above it attracts it"
        if found.movers:
            return "; ".join(self._stranded(m, s) for m, s in found.movers)
        return f"it is of category {first.name}, not {start}"

    def _stranded(self, mover: Features, span: Span) -> str:
        licensee = mover[0]
        waits = f"{self._text(span)} still has to check {licensee.text(self.convention)}"
        return f"{waits}, and there is no +{licensee.name} above it"

    def _lack_licensor(self, licensor: Feature, head: str, found: _Found) -> str:
        attracted = [s for m, s in found.movers if m[0].name == licensor.name]
        if not attracted:
            return f"{head} has {licensor.text(self.convention)}, but nothing in it carries -{licensor.name}"
        mover = self._text(attracted[0])
        mark = licensor.text(self.convention)
        return f"{mover} must move to the left edge of {head} ({mark}), but is pronounced elsewhere"

    def _pieces(self) -> tuple[Piece, ...]:
        """Return finished constituents from left to right, the longest one that begins at each position."""
        longest: dict[int, Piece] = {}
        for f in self.found:
            begin, end = f.span
            whole = f.head[0].kind == "category" and not f.movers and begin >= 0
            if whole and (begin not in longest or end > longest[begin].end):
                longest[begin] = Piece(begin, end, f.head[0].name)
        strip, position = [], 0
        while position < len(self.words):
            piece = longest.get(position, Piece(position, position + 1, ""))
            strip.append(piece)
            position = piece.end
        return tuple(strip)

    def _waiting(self) -> Iterator[str]:
        """Yield a message about each selector without a matching constituent beside it."""
        for f in self.found:
            first = f.head[0]
            if not first.selects or f.span == _SILENT_SPAN:
                continue
            right = first.side == "right"
            edge = f.span[1] if right else f.span[0]
            if first.moves_head and self._of_category[first.name]:
                continue  # the phrase need not touch, because its head leaves it
            if not self._is_there(first.name, edge, right):
                mark = first.text(self.convention)
                verb = "adjoins to" if first.adjoins else "selects"
                yield f"{self._chain(f)} {verb} {first.name} to its {first.side} ({mark}), and none is there"

    def _is_there(self, category: str, edge: int, right: bool) -> bool:
        """Return whether an expression of this category is adjacent to the edge, is silent, or moves."""
        return any(
            f.span == _SILENT_SPAN or len(f.head) > 1 or f.span[0 if right else 1] == edge
            for f in self._of_category[category]
        )

    @cached_property
    def _of_category(self) -> defaultdict[str, list[_Found]]:
        """Return the expressions with no selector left, by category."""
        by_name: defaultdict[str, list[_Found]] = defaultdict(list)
        for f in self.found:
            if f.head[0].kind == "category":
                by_name[f.head[0].name].append(f)
        return by_name

    def _suggestions(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return new items, any one of which would give the sentence a derivation, the shortest first."""
        spoken = {i.features for i in self.grammar.lexicon.items if not i.silent}
        frames = sorted(spoken, key=lambda f: (len(f), format_features(f)))
        tries = [(w, f) for f in frames for w in dict.fromkeys(words) if ((w,), f) not in self.grammar.number]
        plain = self.grammar.signature(self.words)
        # A chart grows with the number of entries of its words; if it is large, fewer hypotheses are tested.
        entries = sum(map(len, plain.entries)) + 1
        tries = tries[: min(_MOST_HYPOTHESES, _MOST_ENTRIES // entries)]
        forests, _ = self.grammar.parse_signatures([self._with(plain, w, f) for w, f in tries])
        enough = [pair for pair, forest in zip(tries, forests, strict=True) if forest.size]
        return tuple(f"{w} :: {format_features(f, self.convention)}" for w, f in enough[:3])

    def _with(self, plain: Signature, word: str, features: Features) -> Signature:
        """Return the sentence's signature with one more entry for the word."""
        entries = tuple(
            (*here, (1, features)) if w == word else here
            for w, here in zip(self.words, plain.entries, strict=True)
        )
        return Signature(entries, plain.silent, plain.start, plain.smc)

    def _show(self, piece: Piece) -> str:
        words = " ".join(self.words[piece.begin : piece.end])
        return f"[{piece.category} {words}]" if piece.category else words

    def _chain(self, found: _Found) -> str:
        """Return the words of an expression without its movers, with … where its head is elsewhere."""
        if found.span[0] != APART:
            return self._text(found.span)
        pieces = [" ".join(self.words[a:b]) for a, b in found.parts if a >= 0 and a < b]
        return f"'{' … '.join(pieces)}'"

    def _text(self, span: Span) -> str:
        return f"'{' '.join(self.words[span[0] : span[1]])}'" if span != _SILENT_SPAN else SILENT
