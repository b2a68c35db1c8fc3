"""Spell-out: a table that says how sequences of words are pronounced together, ``see -s -> sees``.

Applied to the words of a derivation it replaces, from left to right, the longest sequence that a line names
(maximal munch). Inverted, it gives every sequence of words that is spelled out as a sentence; a sentence is
in the language if one of them is, and its derivations are those of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import Fault, InputError, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

__all__ = ["Arc", "SpellOut", "lattice"]

Words = tuple[str, ...]
State = tuple[int, Words]  # words pronounced, and words that wait for the next

MOST_INVERSIONS = 10_000


class Arc(NamedTuple):
    """A lexical item between two states of a lattice, numbered from 0."""

    begin: int
    end: int
    item: int


@dataclass(frozen=True)
class SpellOut:
    """How sequences of words are pronounced.

    Attributes
    ----------
    table
        What is pronounced for each sequence of words.

    Examples
    --------
    >>> english = SpellOut({("see", "-s"): ("sees",)})
    >>> english.apply(("mary", "see", "-s", "bill"))
    ('mary', 'sees', 'bill')
    >>> english.invert(("mary", "sees", "bill"), {"mary", "see", "-s", "bill"})
    [('mary', 'see', '-s', 'bill')]
    """

    table: Mapping[Words, Words] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.table)

    def __str__(self) -> str:
        """Return the table as :func:`~otlab.mg.io.spell_out.read_spell_out` reads it."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the table."""
        return tuple(f"{' '.join(a)} -> {' '.join(b)}" for a, b in self.table.items())

    @property
    def words(self) -> frozenset[str]:
        """The words that are pronounced for some sequence."""
        return frozenset(word for spelled in self.table.values() for word in spelled)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.table), default=0)

    @cached_property
    def begun(self) -> dict[Words, list[Words]]:
        """What is pronounced for the longer sequences of the table that each sequence begins."""
        found: dict[Words, list[Words]] = {}
        for source, spelled in self.table.items():
            for n in range(1, len(source)):
                found.setdefault(source[:n], []).append(spelled)
        return found

    def parts(self, words: Words) -> Iterator[tuple[Words, Words]]:
        """Yield from left to right the words that are pronounced together, and what is pronounced."""
        at = 0
        while at < len(words):
            sizes = range(min(self._longest, len(words) - at), 0, -1)
            size = next((n for n in sizes if words[at : at + n] in self.table), 1)
            part = words[at : at + size]
            yield part, self.table.get(part, part)
            at += size

    def apply(self, words: Words) -> Words:
        """Return the words as they are pronounced."""
        return tuple(word for _, spelled in self.parts(words) for word in spelled)

    def spell_values(self, words: Words, values: Sequence[int]) -> list[int]:
        """Return for each word pronounced the largest value of the words that it is pronounced for.

        >>> SpellOut({("see", "-s"): ("sees",)}).spell_values(("mary", "see", "-s"), [1, 5, 3])
        [1, 5]
        """
        found, at = [], 0
        for part, spelled in self.parts(words):
            found += [max(values[at : at + len(part)])] * len(spelled)
            at += len(part)
        return found

    def invert(self, words: Words, vocabulary: Collection[str]) -> list[Words]:
        """Return every sequence of words that is pronounced so.

        Parameters
        ----------
        words
            The sentence as it is pronounced.
        vocabulary
            The words that a sequence may have.

        Raises
        ------
        InputError
            If there are more than 10,000.
        """
        sources = [(a, b) for a, b in self.table.items() if all(word in vocabulary for word in a)]
        # Sequences pronounced as the words from each position, the last position first.
        rest: list[list[Words]] = [[()]]
        for at in reversed(range(len(words))):
            here = [(words[at], *tail) for tail in rest[0] if words[at] in vocabulary]
            for source, spelled in sources:
                if words[at : at + len(spelled)] == spelled:
                    here += [source + tail for tail in rest[len(spelled) - 1]]
            rest.insert(0, list(dict.fromkeys(here)))
            if len(rest[0]) > MOST_INVERSIONS:
                sentence = quoted(" ".join(words))
                what = f"{sentence} can be spelled out from more than {MOST_INVERSIONS:,} sequences"
                raise InputError(Fault(what, "use fewer lines that spell out alike, or a shorter sentence"))
        return [found for found in rest[0] if self.apply(found) == words]


def lattice(
    spell_out: SpellOut, items: Iterable[Words], words: Words, *, prefix: bool = False
) -> tuple[list[Arc], list[int]]:
    """Return the sequences of items that are pronounced so, as arcs between states.

    Each sequence is one path from state 0 to the last state. Its arcs lead to states of greater numbers, but
    for those at the last state but one of a prefix, where all words have been pronounced and any may follow.

    Parameters
    ----------
    spell_out
        How words are pronounced.
    items
        The words of each lexical item; silent ones have no arc.
    words
        What is pronounced; one word at least.
    prefix
        Whether it is the beginning of what is pronounced.

    Returns
    -------
    list of Arc
        Sorted.
    list of int
        How many words have been pronounced at each state; the last state is the end.

    Examples
    --------
    >>> english = SpellOut({("see", "-s"): ("sees",)})
    >>> lattice(english, [("mary",), ("see",), ("-s",)], ("mary", "sees"))
    ([Arc(begin=0, end=1, item=0), Arc(begin=1, end=2, item=1), Arc(begin=2, end=3, item=2)], [0, 1, 1, 2])
    """
    walk = _Walk(spell_out, words, prefix)
    spoken = [(n, item) for n, item in enumerate(items) if item]
    useful = walk.useful_words()
    # Other words are pronounced as none of these; they may follow once all have been pronounced.
    nearby = [(n, item) for n, item in spoken if item[0] in useful]
    if not prefix:
        spoken = nearby
    found: list[tuple[State, State | None, int]] = []
    pending: list[State] = [(0, ())]
    seen = set(pending)
    while pending:
        state = pending.pop()
        waits = bool(state[1]) or state[0] == len(words)
        for number, item in spoken if waits else nearby:
            after = walk.after(state, item)
            if after is None:
                continue
            found.append((state, after, number))
            if walk.complete(after):
                found.append((state, None, number))
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return _numbered(found, len(words))


class _Walk:
    """How items lead from state to state while a sentence, or a beginning of one, is pronounced."""

    def __init__(self, spell_out: SpellOut, words: Words, prefix: bool) -> None:
        self._spell_out, self._words, self._prefix = spell_out, words, prefix
        self.relevant = {*words, *(word for source in spell_out.table for word in source)}
        self._known: dict[tuple[State, str], State | None] = {}

    def useful_words(self) -> set[str]:
        """Return the words that may be pronounced as some of the sentence's, alone or with others."""
        heard = range(len(self._words))
        table = self._spell_out.table.items()
        sources = (a for a, spelled in table if any(self._fits(spelled, at) for at in heard))
        return {*self._words, *(word for source in sources for word in source)}

    def _fits(self, spelled: Words, at: int) -> bool:
        """Return whether this is what is pronounced at a place."""
        there = self._words[at : at + len(spelled)]
        return there == (spelled[: len(there)] if self._prefix else spelled)

    def after(self, state: State, item: Words) -> State | None:
        """Return the state after the words of an item; None if they are not pronounced there."""
        found: State | None = state
        for word in item:
            if found is None:
                return None
            key = (found, word if word in self.relevant else "")
            if key not in self._known:
                self._known[key] = self._settled(found[0], (*found[1], key[1]), end=False)
            found = self._known[key]
        return found

    def complete(self, state: State) -> bool:
        """Return whether the sequence may end here."""
        ended = self._settled(*state, end=True)
        return ended is not None and ended[0] == len(self._words)

    def _settled(self, done: int, waiting: Words, *, end: bool) -> State | None:
        """Pronounce what need not wait for the next word."""
        while waiting and (end or waiting not in self._spell_out.begun):
            if self._prefix and done == len(self._words):
                return done, ()
            part, spelled = next(self._spell_out.parts(waiting))
            if not self._fits(spelled, done):
                return None
            done, waiting = min(done + len(spelled), len(self._words)), waiting[len(part) :]
        if self._prefix and done == len(self._words):
            return done, ()
        return (done, waiting) if not waiting or self._hopeful(done, waiting) else None

    def _hopeful(self, done: int, waiting: Words) -> bool:
        """Return whether what waits can be pronounced here, alone or with words that follow."""
        alone = next(self._spell_out.parts(waiting))[1]
        return any(self._fits(spelled, done) for spelled in (alone, *self._spell_out.begun[waiting]))


def _numbered(found: list[tuple[State, State | None, int]], length: int) -> tuple[list[Arc], list[int]]:
    """Return the arcs from which the end is reached, and the words before each state; None is the end."""
    sources: dict[State | None, set[State]] = {}
    for begin, end, _ in found:
        sources.setdefault(end, set()).add(begin)
    good: set[State | None] = {None}
    pending: list[State | None] = [None]
    while pending:
        for state in sources.get(pending.pop(), set()) - good:
            good.add(state)
            pending.append(state)
    # More has been pronounced in later states, or more words wait.
    states = sorted((s for s in good if s is not None), key=lambda s: (s[0], len(s[1]), s[1]))
    number: dict[State | None, int] = {state: n for n, state in enumerate(states)}
    before = [done for done, _ in states] or [0]
    number[None] = len(before)
    arcs = sorted(Arc(number[a], number[b], n) for a, b, n in found if a in good and b in good)
    return arcs, [*before, length]
