"""Compile a lexicon for parsing, and parse sentences into forests.

Sentences whose words have the same feature sequences (the same *signature*) share a forest; the items
that fill its slots depend on the sentence. Forests are cached by signature, so after an edit only
sentences with a new signature are parsed again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, check_data
from otlab.inference.run import check_interrupt
from otlab.mg.kernels.chart import TOO_LARGE, WILD
from otlab.mg.kernels.forest import Nodes, parse_all
from otlab.mg.kernels.heads import parse_split
from otlab.mg.lexicon import Lexicon
from otlab.mg.parsing.forest import Forest, Slot
from otlab.mg.parsing.tables import TooManyRules, TypeGraph, compile_types
from otlab.mg.spellout import SpellOut, lattice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from otlab.mg.parsing.tables import Features

__all__ = ["Cache", "Grammar", "Signature"]

Words = tuple[str, ...]
Entry = tuple[int, "Features"]  # number of words, features
Spoken = tuple[Words, "Features"]
Axiom = tuple[int, int, int]  # type, begin, end
Cache = dict["Signature", Forest]

MOST_ITEMS = 1 << 18
MOST_EDGES = 1 << 20
MOST_PAIRS = 5_000_000
MOST_PAIRS_TOGETHER = 20_000_000
_PARSED_AT_ONCE = 8  # signatures between two checks for a stop


class Signature(NamedTuple):
    """The properties of a sentence and a grammar that determine the forest.

    Attributes
    ----------
    entries
        The lexical entries that begin at each position, or state of the lattice of spell-out.
    silent
        Features of the silent items.
    start, smc
        Start categories, and whether the shortest move constraint holds.
    """

    entries: tuple[tuple[Entry, ...], ...]
    silent: tuple[Features, ...]
    start: tuple[str, ...]
    smc: bool

    def slots(self) -> list[Slot]:
        """Return the slots of the forest, in their fixed order."""
        spoken = [Slot(i, n, f) for i, here in enumerate(self.entries) for n, f in here]
        return spoken + [Slot(-1, 0, f) for f in self.silent]


class Grammar:
    """A compiled lexicon.

    Parameters
    ----------
    lexicon
        The lexicon.
    smc
        Whether the shortest move constraint holds; False is for explanations of ungrammatical sentences.
    cache
        Forests of earlier versions of the lexicon, to which new ones are added.

    Raises
    ------
    InputError
        If the lexicon needs too many rules.
    """

    def __init__(self, lexicon: Lexicon, *, smc: bool = True, cache: Cache | None = None) -> None:
        self.lexicon = lexicon
        self.smc = smc
        self.cache: Cache = {} if cache is None else cache
        self.number = {(i.words, i.features): n for n, i in enumerate(lexicon.items)}
        self._silent = tuple(sorted({i.features for i in lexicon.items if i.silent}, key=str))
        self._lattices: dict[Words, tuple[Signature, tuple[int, ...], tuple[int, ...]]] = {}

    @classmethod
    def of(cls, lexicon: Lexicon | Grammar) -> Grammar:
        """Return a lexicon compiled, or a grammar as it is."""
        if isinstance(lexicon, Grammar):
            return lexicon
        check_data("a grammar", lexicon, Lexicon, "make one with otlab.mg.read or otlab.mg.loads")
        return cls(lexicon)

    def digest_parts(self) -> tuple[object, ...]:
        """Return the parts of the grammar that its digest covers."""
        return self.lexicon, self.smc

    def __repr__(self) -> str:
        return f"<Grammar {self.lexicon!r}{'' if self.smc else ', without the SMC'}>"

    def check(self) -> None:
        """Compile now; raise :class:`~otlab.errors.InputError` if the lexicon needs too many rules."""
        _ = self.graph

    @cached_property
    def graph(self) -> TypeGraph:
        """The string-free item graph."""
        try:
            return compile_types(self.lexicon.sequences, self.lexicon.start, smc=self.smc)
        except TooManyRules as error:
            end = error.checking
            items = [i for i in self.lexicon.items if i.features[-len(end) :] == end]
            raise TooManyRules(end, error.number, error.waiting, items) from None

    @cached_property
    def _spoken(self) -> dict[str, list[Spoken]]:
        """Words and features of the items, by first word."""
        spoken: dict[str, list[Spoken]] = defaultdict(list)
        for i in self.lexicon.items:
            if i.words:
                spoken[i.words[0]].append((i.words, i.features))
        return dict(spoken)

    @cached_property
    def _beginning(self) -> dict[str, tuple[tuple[Entry, ...], list[Spoken]]]:
        """What begins with a word, alone and with more words; of a large lexicon few are ever asked for."""
        return {}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of all items, and what they are spelled out as."""
        return frozenset(w for i in self.lexicon.items for w in i.words) | self.lexicon.spell_out.words

    @cached_property
    def unspelled(self) -> Grammar:
        """The grammar without its table of spell-out."""
        spelled = bool(self.lexicon.spell_out)
        return Grammar(replace(self.lexicon, spell_out=SpellOut()), smc=self.smc) if spelled else self

    @cached_property
    def unconstrained(self) -> Grammar | None:
        """The grammar without the shortest move constraint; None if it has none or is too large."""
        if not self.smc:
            return None
        grammar = Grammar(self.lexicon, smc=False)
        try:
            grammar.check()
        except InputError:
            return None
        return grammar

    def signature(self, words: Words) -> Signature:
        """Return the signature of a sentence."""
        if self.lexicon.spell_out and words:
            return self._spelled(words)[0]
        entries = tuple(self._here(words, i) for i in range(len(words)))
        return Signature(entries, self._silent, self.lexicon.start, self.smc)

    def _spelled(self, words: Words) -> tuple[Signature, tuple[int, ...], tuple[int, ...]]:
        """Return the signature of what is pronounced so, its slots' items, and words before each state."""
        if words not in self._lattices:
            items = self.lexicon.items
            arcs, before = lattice(self.lexicon.spell_out, (i.words for i in items), words)
            entries: list[list[Entry]] = [[] for _ in before[1:]]
            arcs.sort(key=lambda a: (a.begin, a.end, str(items[a.item].features), a.item))
            for arc in arcs:
                entries[arc.begin].append((arc.end - arc.begin, items[arc.item].features))
            signature = Signature(tuple(map(tuple, entries)), self._silent, self.lexicon.start, self.smc)
            self._lattices[words] = signature, tuple(arc.item for arc in arcs), tuple(before)
        return self._lattices[words]

    def _here(self, words: Words, position: int) -> tuple[Entry, ...]:
        """Return the entries that begin at a position."""
        word = words[position]
        if word not in self._spoken:
            return ()
        if word not in self._beginning:
            self._beginning[word] = _parted(self._spoken[word])
        alone, longer = self._beginning[word]
        if not longer:
            return alone
        return alone + _entries(e for e in longer if words[position : position + len(e[0])] == e[0])

    def forest(self, words: Words) -> Forest:
        """Return the packed forest of one sentence."""
        return self.forests([words])[0]

    def forests(self, sentences: Sequence[Words]) -> list[Forest]:
        """Return the packed forest of each sentence, parsing only new signatures.

        Raises
        ------
        InputError
            If the chart of a sentence is too large. The message names the first few such sentences.
        """
        signatures = [self.signature(words) for words in sentences]
        missing = list(dict.fromkeys(s for s in signatures if s not in self.cache))
        large: set[Signature] = set()
        for begin in range(0, len(missing), _PARSED_AT_ONCE):
            check_interrupt()
            part = missing[begin : begin + _PARSED_AT_ONCE]
            made, status = self.parse_signatures(part)
            large.update(s for s, bad in zip(part, status, strict=True) if bad)
            self.cache.update(zip(part, made, strict=True))
            if large:
                break
        if large:
            for signature in large:
                del self.cache[signature]
            named = dict.fromkeys(w for w, s in zip(sentences, signatures, strict=True) if s in large)
            raise InputError([_too_large(" ".join(words)) for words in named])
        return [self.cache[s] for s in signatures]

    def parse_signatures(self, signatures: Sequence[Signature]) -> tuple[list[Forest], list[bool]]:
        """Parse without the cache; return the forests, and whether each chart was too large."""
        axioms = [self.axioms(s) for s in signatures]
        lengths = [len(s.entries) for s in signatures]
        return self._parse(axioms, lengths, [s.slots for s in signatures], MOST_PAIRS)

    def parse_slots(
        self, slots: Sequence[list[Slot]], lengths: Sequence[int]
    ) -> tuple[list[Forest], list[bool]]:
        """Parse sentences that are given as slots; a slot of length 0 with a position is a loop there.

        All sentences together may use as many pairs of items as a few ordinary sentences.
        """
        lexical = self._lexical
        axioms = [
            [
                (lexical[f], begin, begin + length) if begin >= 0 else (lexical[f], WILD, WILD)
                for begin, length, f in each
            ]
            for each in slots
        ]
        most_pairs = min(MOST_PAIRS, MOST_PAIRS_TOGETHER // len(slots))
        return self._parse(axioms, lengths, [partial(tuple, each) for each in slots], most_pairs)

    def _parse(
        self,
        axioms: Sequence[list[Axiom]],
        lengths: Sequence[int],
        names: Sequence[Callable[[], Sequence[Slot]]],
        most_pairs: int,
    ) -> tuple[list[Forest], list[bool]]:
        graph = self.graph
        if graph.split is not None:
            return self._parse_split(graph.split, axioms, lengths, names, most_pairs)
        nodes, node_ptr, ways, status = parse_all(
            graph.tables,
            graph.tables.useful,
            graph.names,
            graph.goals,
            np.fromiter(lengths, np.int64),
            np.fromiter(accumulate(map(len, axioms), initial=0), np.int64),
            np.fromiter(chain.from_iterable(axioms), (np.int32, 3)),
            MOST_ITEMS,
            MOST_EDGES,
            most_pairs,
        )
        cuts = pairwise(node_ptr.tolist())
        parts = zip(cuts, ways.tolist(), names, strict=True)
        forests = [Forest(_cut(nodes, a, b), n, name) for (a, b), n, name in parts]
        return forests, [s == TOO_LARGE for s in status.tolist()]

    def _parse_split(
        self,
        split: np.ndarray,
        axioms: Sequence[list[Axiom]],
        lengths: Sequence[int],
        names: Sequence[Callable[[], Sequence[Slot]]],
        most_pairs: int,
    ) -> tuple[list[Forest], list[bool]]:
        """Parse with a lexicon that has head movement; the chart keeps heads apart."""
        graph = self.graph
        forests, large = [], []
        for mine, n, name in zip(axioms, lengths, names, strict=True):
            nodes, count, ways, status = parse_split(
                graph.tables,
                split,
                graph.tables.useful,
                graph.names,
                graph.goals,
                n,
                np.array(mine, dtype=np.int32).reshape(-1, 3),
                MOST_ITEMS,
                MOST_EDGES,
                most_pairs,
            )
            forests.append(Forest(_cut(nodes, 0, int(count)), float(ways), name))
            large.append(status == TOO_LARGE)
        return forests, large

    def axioms(self, signature: Signature) -> list[Axiom]:
        """Return type, begin and end of each slot of a signature, in the order of its slots."""
        lexical = self._lexical
        spoken = [(lexical[f], i, i + n) for i, here in enumerate(signature.entries) for n, f in here]
        return spoken + [(lexical[f], WILD, WILD) for f in signature.silent]

    @cached_property
    def _lexical(self) -> dict[Features, int]:
        return {features: self.graph.lexical(features) for features in self.lexicon.sequences}

    def words_before(self, words: Words) -> tuple[int, ...]:
        """Return how many words of a sentence stand before each position of its slots."""
        spelled = bool(self.lexicon.spell_out and words)
        return self._spelled(words)[2] if spelled else tuple(range(len(words) + 1))

    def slot_items(self, words: Words, forest: Forest) -> np.ndarray:
        """Return the number of the lexical item that fills each slot of the sentence's forest."""
        number = self.number
        if self.lexicon.spell_out and words:
            silent = (number[(), features] for features in self._silent)
            return np.array([*self._spelled(words)[1], *silent], dtype=np.int32)
        return np.array(
            [
                number[words[s.position : s.position + s.length] if s.length else (), s.features]
                for s in forest.slots
            ],
            dtype=np.int32,
        )


def _parted(spoken: list[Spoken]) -> tuple[tuple[Entry, ...], list[Spoken]]:
    """Return the entries that are one word alone, and those with more words."""
    return _entries(e for e in spoken if len(e[0]) == 1), [e for e in spoken if len(e[0]) > 1]


def _entries(items: Iterable[tuple[Words, Features]]) -> tuple[Entry, ...]:
    """Return lengths and features in sorted order, whatever the order of the lexicon."""
    return tuple(sorted(((len(words), features) for words, features in items), key=str))


def _cut(nodes: Nodes, begin: int, end: int) -> Nodes:
    """Return a copy of one of several forests; its node numbers already begin at 0."""
    first, last = int(nodes.edge_ptr[begin]), int(nodes.edge_ptr[end])
    edges = slice(first, last)
    return Nodes(
        nodes.edge_ptr[begin : end + 1] - first,
        nodes.loop[begin:end].copy(),
        nodes.closes[begin:end].copy(),
        nodes.first[edges].copy(),
        nodes.second[edges].copy(),
        nodes.slot[edges].copy(),
    )


def _too_large(sentence: str) -> Fault:
    shown = sentence if len(sentence) <= 60 else f"{sentence[:57]}..."
    return Fault(f"the chart of {shown!r} is too large", "shorten it, or use fewer licensees or silent items")
