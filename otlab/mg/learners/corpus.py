"""A parsed corpus: the forest of each sentence, its lexical items, and how often it occurs.

Sentences of one signature (:mod:`otlab.mg.parsing.grammar`) share a forest; equal sentences are counted.
Sentences without a derivation are listed, and left out of all sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import InputError, counted
from otlab.mg.kernels.forest import Nodes
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.sentences import respell, sentence_text, split_sentence, unknown_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.mg.lexicon import Lexicon
    from otlab.mg.parsing.forest import Forest

__all__ = ["Packed", "ParsedCorpus", "parse_corpus"]

Words = tuple[str, ...]


class Packed(NamedTuple):
    """A parsed corpus as the kernels read it; S sentences with a derivation, each once.

    Attributes
    ----------
    nodes : Nodes
        All forests, one after the other.
    node_ptr : ndarray of shape (forests + 1,)
    forest : ndarray of shape (S,)
        The forest of each sentence.
    slot_ptr : ndarray of shape (S + 1,)
    slot_item : ndarray
        The lexical item in each slot of each sentence.
    weight : ndarray of shape (S,)
        How often the sentence occurs.
    category : ndarray of shape (items,)
        The category of each lexical item.
    widest : int
        The largest number of slots.
    single : ndarray of shape (forests,)
        1 if the forest holds one derivation: its counts are the same whatever theta.
    uses : ndarray
        For each slot of each sentence, how often that one derivation uses it.
    log_starts : float
        ln of the number of start categories, one of which is chosen at random.
    """

    nodes: Nodes
    node_ptr: np.ndarray
    forest: np.ndarray
    slot_ptr: np.ndarray
    slot_item: np.ndarray
    weight: np.ndarray
    category: np.ndarray
    widest: int
    single: np.ndarray
    uses: np.ndarray
    log_starts: float


@dataclass(frozen=True, repr=False)
class ParsedCorpus:
    """Sentences with their derivations.

    Attributes
    ----------
    grammar
        The grammar they were parsed with.
    sentences
        Those with a derivation, each once, in the order of their first occurrence.
    unparsed
        The others.
    counts
        How often each sentence occurs, unparsed ones included.
    derivations
        How many derivations each of `sentences` has.
    packed : Packed
    """

    grammar: Grammar
    sentences: tuple[Words, ...]
    unparsed: tuple[Words, ...]
    counts: dict[Words, int]
    derivations: tuple[float, ...]
    packed: Packed

    def __repr__(self) -> str:
        return f"<ParsedCorpus: {counted(self.size, 'sentence')} parsed, {len(self.unparsed):,} not>"

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """For each of `unparsed` which of its words are not known; empty if all are.

        Where other capitals or less punctuation make them known, how the sentence is written then.
        """
        return tuple(map(self._unknown, self.unparsed))

    def _unknown(self, words: Words) -> str:
        known = respell(words, self.grammar.vocabulary)
        unknown = unknown_words(words, self.grammar.vocabulary)
        return f"{unknown}; write: {sentence_text(known)}" if unknown and known else unknown

    @property
    def size(self) -> int:
        """Sentences with a derivation, repetitions counted."""
        return int(self.packed.weight.sum())

    @property
    def words(self) -> int:
        """Words of those sentences, repetitions counted."""
        return sum(len(s) * self.counts[s] for s in self.sentences)


def parse_corpus(
    lexicon: Lexicon | Grammar, sentences: Iterable[Sequence[str]] | Mapping[Words, int]
) -> ParsedCorpus:
    r"""Parse a corpus; repetitions become multiplicities.

    A sentence is a sequence of words, or a string of words separated by blanks. A mapping says how often
    each occurs.

    Raises
    ------
    InputError
        If there is no sentence, or the chart of one is too large.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> lexicon = loads("@start v\nMary :: d\nsleeps :: d= v")
    >>> parse_corpus(lexicon, ["Mary sleeps", "Mary sleeps", "sleeps Mary"])
    <ParsedCorpus: 2 sentences parsed, 1 not>
    """
    grammar = Grammar.of(lexicon)
    vocabulary = grammar.vocabulary
    counts: Counter[Words] = Counter()
    times = sentences if isinstance(sentences, Mapping) else Counter(map(_hashable, sentences))
    for sentence, count in times.items():
        if count > 0:
            counts[split_sentence(sentence, vocabulary) if isinstance(sentence, str) else sentence] += count
    if not counts:
        raise InputError("the corpus is empty; give at least one sentence")
    different = list(counts)
    forests = grammar.forests(different)
    good = [(s, f) for s, f in zip(different, forests, strict=True) if f.size]
    return ParsedCorpus(
        grammar,
        tuple(s for s, _ in good),
        tuple(s for s, f in zip(different, forests, strict=True) if not f.size),
        dict(counts),
        tuple(f.derivations for _, f in good),
        _pack(grammar, good, counts),
    )


def _hashable(sentence: Sequence[str]) -> str | Words:
    return sentence if isinstance(sentence, str) else tuple(sentence)


def _pack(grammar: Grammar, good: list[tuple[Words, Forest]], counts: Counter[Words]) -> Packed:
    """Return the parsed sentences as arrays: all different forests, one after another."""
    number: dict[int, int] = {}
    different: list[Forest] = []
    for _, forest in good:
        if id(forest) not in number:
            number[id(forest)] = len(different)
            different.append(forest)
    slots = [grammar.slot_items(words, forest) for words, forest in good]
    uses = [f.uses for f in different]
    return Packed(
        _concatenate([f.nodes for f in different]),
        _pointers([f.size for f in different]),
        np.array([number[id(f)] for _, f in good], dtype=np.int64),
        _pointers([len(s) for s in slots]),
        np.concatenate(slots) if slots else np.zeros(0, np.int32),
        np.array([counts[words] for words, _ in good], dtype=float),
        grammar.lexicon.category_index,
        max((len(s) for s in slots), default=0),
        np.array([f.derivations == 1 for f in different], dtype=np.int8),
        np.concatenate([np.zeros(0), *(uses[number[id(f)]] for _, f in good)]),
        float(np.log(len(grammar.lexicon.start))),
    )


def _pointers(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _concatenate(parts: list[Nodes]) -> Nodes:
    empty = np.zeros(0, np.int32)
    shifts = _pointers([len(p.first) for p in parts])
    ptr = [p.edge_ptr[1:] + shift for p, shift in zip(parts, shifts[:-1], strict=True)]

    def joined(name: str) -> np.ndarray:
        return np.concatenate([empty, *(getattr(p, name) for p in parts)])

    fields = ("loop", "closes", "first", "second", "slot")
    return Nodes(np.concatenate([[0], *ptr]).astype(np.int32), *(joined(name) for name in fields))
