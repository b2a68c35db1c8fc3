"""Why a sentence has no derivation, the most telling reason first.

1. words the lexicon does not have;
2. expressions that cover the whole sentence, and what they still lack;
3. merges and moves that the shortest move constraint forbade;
4. else the longest finished constituents, and what items were waiting for.

After the reason, single lexical items that would mend the sentence are proposed:
hypotheses, each tried by parsing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import did_you_mean
from otlab.mg._chart_kernels import DONE, FULL, ITEMS, SPAN, TYPE, fill, new_chart
from otlab.mg.features import Feature, category_of, format_features
from otlab.mg.grammar import Signature
from otlab.mg.lexicon import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otlab.mg.grammar import Grammar
    from otlab.mg.tables import Features

__all__ = ["Diagnosis", "Piece", "diagnose"]

Words = tuple[str, ...]
Span = tuple[int, int]

_CHART_ITEMS = 1 << 14
_CHART_PAIRS = 5_000_000
_MOST_PAIRS_LOOKED_AT = 200_000
_MOST_HYPOTHESES = 400
_SILENT_SPAN = (-1, -1)


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished constituent: the words from `begin` to `end`, and its category."""

    begin: int
    end: int
    category: str


@dataclass(frozen=True)
class Diagnosis:
    """Why there is no derivation.

    Attributes
    ----------
    reason
        ``"unknown"``, ``"complete except"``, ``"smc"`` or ``"pieces"``.
    lines
        The message; the first line says it all.
    pieces
        A strip of longest finished constituents, left to right.
    suggestions
        Lexical items, one of which would be enough.
    """

    reason: str
    lines: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()
    suggestions: tuple[str, ...] = ()

    def __str__(self) -> str:
        tries = f"enough would be: {', or '.join(self.suggestions)}" if self.suggestions else ""
        return "\n".join([*self.lines, *([tries] if tries else [])])


@dataclass(frozen=True, slots=True)
class _Found:
    """An expression of the chart."""

    number: int
    head: Features
    span: Span
    movers: tuple[tuple[Features, Span], ...]

    @property
    def covered(self) -> int:
        spans = (self.span, *(s for _, s in self.movers))
        return sum(end - begin for begin, end in spans)


def diagnose(grammar: Grammar, words: Words) -> Diagnosis:
    """Return why a sentence without derivation has none."""
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
            return Diagnosis("unknown", lines, suggestions=self._suggestions(unknown))
        self.found = list(self._chart())
        pieces = self._pieces()
        whole = [f for f in self.found if f.covered == len(self.words)]
        if whole:
            lines = ("complete except: " + self._lack(min(whole, key=self._distance)),)
            return Diagnosis("complete except", lines, pieces, self._suggestions(self.words))
        blocked = tuple(dict.fromkeys(self._blocked()))
        if blocked:
            return Diagnosis("smc", blocked, pieces)
        strip = "longest finished pieces: " + " ".join(self._show(p) for p in pieces)
        waiting = tuple(dict.fromkeys(self._waiting()))
        return Diagnosis("pieces", (strip, *waiting), pieces, self._suggestions(self.words))

    def _unknown(self, word: str) -> str:
        return f"{word!r} is not in the lexicon; {did_you_mean(word, sorted(self.grammar.vocabulary))}"

    def _chart(self) -> Iterator[_Found]:
        """Yield every expression, also those no sentence could use."""
        graph = self.grammar.graph
        tables = graph.tables
        axioms = self.grammar.axioms(self.grammar.signature(self.words))
        table = np.array(axioms, dtype=np.int32).reshape(-1, 3)
        items, status = 256, FULL
        while status == FULL and items <= _CHART_ITEMS:
            items *= 2
            chart = new_chart(items, 4 * items, tables.most_movers)
            wanted = np.ones_like(tables.useful)
            status = fill(tables, chart, wanted, graph.names, len(self.words), table, _CHART_PAIRS)
        if status != DONE:
            return
        for i in range(int(chart.size[ITEMS])):
            number = int(chart.items[i, TYPE])
            head, movers = graph.types[number]
            spans = [(int(a), int(b)) for a, b in chart.items[i, SPAN:].reshape(-1, 2)]
            yield _Found(number, head, spans[0], tuple(zip(movers, spans[1:], strict=False)))

    def _distance(self, found: _Found) -> tuple[int, int, int]:
        """How far an expression is from a sentence: stranded movers of a start category are nearest."""
        is_start = category_of(found.head) in self.grammar.lexicon.start
        rank = 0 if is_start and found.head[0].kind == "category" else (1 if is_start else 2)
        return rank, len(found.head) + len(found.movers), len(found.movers)

    def _lack(self, found: _Found) -> str:
        first = found.head[0]
        head = self._text(found.span)
        if first.kind == "licensor":
            return self._lack_licensor(first, head, found)
        if first.selects:
            side = "right" if first.kind == "right" else "left"
            return f"{head} still needs {first.name} to its {side} ({first.text(self.convention)})"
        start = " or ".join(self.grammar.lexicon.start)
        if len(found.head) > 1:
            rest = format_features(found.head[1:], self.convention)
            return f"{head} still carries {rest}; nothing above it attracts it"
        if found.movers:
            return "; ".join(self._stranded(m, s) for m, s in found.movers)
        return f"it is of category {first.name}, not {start}"

    def _stranded(self, mover: Features, span: Span) -> str:
        licensee = mover[0]
        carries = f"{self._text(span)} still carries {licensee.text(self.convention)}"
        return f"{carries}; there is no +{licensee.name} above it"

    def _lack_licensor(self, licensor: Feature, head: str, found: _Found) -> str:
        attracted = [s for m, s in found.movers if m[0].name == licensor.name]
        if not attracted:
            return f"{head} has {licensor.text(self.convention)}, but nothing in it carries -{licensor.name}"
        mover = self._text(attracted[0])
        mark = licensor.text(self.convention)
        return f"{mover} must move to the left edge of {head} ({mark}); it stands elsewhere"

    def _blocked(self) -> Iterator[str]:
        """Yield the merges and moves that the shortest move constraint forbade here."""
        blocked = self.grammar.graph.blocked
        present = {f.number for f in self.found}
        pairs = [(a, b) for a, b in blocked if a in present and (b < 0 or b in present)]
        by_type: dict[int, list[_Found]] = {}
        for f in self.found:
            by_type.setdefault(f.number, []).append(f)
        looked = 0
        for a, b in pairs:
            for selecting in by_type[a]:
                for selected in by_type[b] if b >= 0 else [None]:
                    looked += 1
                    if looked > _MOST_PAIRS_LOOKED_AT:
                        return
                    if selected is None or _disjoint(selecting, selected):
                        yield self._clash(selecting, selected)

    def _clash(self, selecting: _Found, selected: _Found | None) -> str:
        """Say which two movers would carry the same licensee."""
        movers = list(selecting.movers)
        if selected is not None:
            movers += selected.movers
            movers += [(selected.head[1:], selected.span)] if len(selected.head) > 1 else []
        else:
            licensor = selecting.head[0]
            movers = [(m[1:] if m[0].name == licensor.name else m, s) for m, s in movers]
        names = [m[0].name for m, _ in movers if m]
        twice = next(n for n in names if names.count(n) > 1)
        both = sorted(s for m, s in movers if m and m[0].name == twice)
        first, second = (self._text(s) for s in both[:2])
        return f"shortest move constraint: {first} and {second} would both wait with -{twice}"

    def _pieces(self) -> tuple[Piece, ...]:
        """Return a strip of finished constituents: from the left, the longest that begins there."""
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
        """Yield what the words of the strip still wait for."""
        for f in self.found:
            first = f.head[0]
            if not first.selects or f.span == _SILENT_SPAN:
                continue
            right = first.kind == "right"
            side, word = ("right", f.span[1]) if right else ("left", f.span[0] + 1)
            if not self._is_there(first.name, f.span[1] if right else f.span[0], right):
                where = f"to the {side} of word {word}"
                yield f"{self._text(f.span)} needs {first.text(self.convention)} {where}"

    def _is_there(self, category: str, edge: int, right: bool) -> bool:
        """Whether something of this category touches the edge, is silent, or moves."""
        candidates = (f for f in self.found if f.head[0].kind == "category" and f.head[0].name == category)
        return any(
            f.span == _SILENT_SPAN or len(f.head) > 1 or f.span[0 if right else 1] == edge for f in candidates
        )

    def _suggestions(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return single new items that would give the sentence a derivation, the shortest first."""
        spoken = {i.features for i in self.grammar.lexicon.items if not i.silent}
        frames = sorted(spoken, key=lambda f: (len(f), format_features(f)))
        tries = [(w, f) for f in frames for w in dict.fromkeys(words) if ((w,), f) not in self.grammar.number]
        tries = tries[:_MOST_HYPOTHESES]
        forests, _ = self.grammar.parse_signatures([self._with(w, f) for w, f in tries])
        enough = [pair for pair, forest in zip(tries, forests, strict=True) if forest.size]
        return tuple(f"{w} :: {format_features(f, self.convention)}" for w, f in enough[:3])

    def _with(self, word: str, features: Features) -> Signature:
        """Return the sentence's signature as if the word had one entry more."""
        plain = self.grammar.signature(self.words)
        entries = tuple(
            (*here, (1, features)) if w == word else here
            for w, here in zip(self.words, plain.entries, strict=True)
        )
        return Signature(entries, plain.silent, plain.start, plain.smc)

    def _show(self, piece: Piece) -> str:
        words = " ".join(self.words[piece.begin : piece.end])
        return f"[{piece.category} {words}]" if piece.category else words

    def _text(self, span: Span) -> str:
        return f"'{' '.join(self.words[span[0] : span[1]])}'" if span != _SILENT_SPAN else SILENT


def _disjoint(one: _Found, other: _Found) -> bool:
    spans = ((one.span, *(s for _, s in one.movers)), (other.span, *(s for _, s in other.movers)))
    return all(max(a[0], b[0]) >= min(a[1], b[1]) for a in spans[0] for b in spans[1])
