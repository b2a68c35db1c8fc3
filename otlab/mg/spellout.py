"""Spell-out: a table that says how sequences of words are pronounced together, ``see -s -> sees``.

Applied to the words of a derivation it replaces, from left to right, the longest sequence that a line names
(maximal munch). Inverted, it gives every sequence of words that is spelled out as a sentence; a sentence is
in the language if one of them is, and its derivations are those of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, quoted
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import Parse, parse
from otlab.mg.sentences import composed, split_sentence

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from otlab.mg.lexicon import Lexicon

__all__ = ["SpellOut", "parse_spelled", "read_spell_out"]

Words = tuple[str, ...]

MOST_INVERSIONS = 10_000
_ARROWS = ("->", "→")
_FORM = "write words -> words, as in: see -s -> sees"


@dataclass(frozen=True)
class SpellOut:
    """How sequences of words are pronounced.

    Attributes
    ----------
    table
        What is pronounced for each sequence of words.

    Examples
    --------
    >>> english = read_spell_out("see -s -> sees")
    >>> english.apply(("mary", "see", "-s", "bill"))
    ('mary', 'sees', 'bill')
    >>> english.invert(("mary", "sees", "bill"), {"mary", "see", "-s", "bill"})
    [('mary', 'see', '-s', 'bill')]
    """

    table: Mapping[Words, Words] = field(default_factory=dict)

    def apply(self, words: Words) -> Words:
        """Return the words as they are pronounced."""
        longest = max(map(len, self.table), default=0)
        made: list[str] = []
        at = 0
        while at < len(words):
            sizes = range(min(longest, len(words) - at), 0, -1)
            size = next((n for n in sizes if words[at : at + n] in self.table), 0)
            made += self.table[words[at : at + size]] if size else words[at : at + 1]
            at += max(size, 1)
        return tuple(made)

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


def read_spell_out(text: str, file: str = "") -> SpellOut:
    r"""Return the spell-out that a table describes.

    Parameters
    ----------
    text
        A line ``words -> words`` for each sequence of words; ``→`` is read too. Lines that begin with
        ``#`` are comments.
    file
        What faults call it.

    Raises
    ------
    InputError
        With a fault for each line that is not understood, or that repeats another's left side.

    Examples
    --------
    >>> read_spell_out("# verbs\ngo -ed -> went\ndo -s → does\n").table[("go", "-ed")]
    ('went',)
    """
    table: dict[Words, Words] = {}
    first: dict[Words, int] = {}
    faults: list[Fault] = []
    for number, line in enumerate(composed(text).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        arrow = next((mark for mark in _ARROWS if f" {mark} " in f" {line} "), "")
        before, _, after = f" {line} ".partition(f" {arrow} ")
        source, spelled = tuple(before.split()), tuple(after.split())
        if not (arrow and source and spelled):
            faults.append(Fault(f"{quoted(line.strip())} is no line of spell-out", _FORM, file, number, 1))
        elif source in first:
            what = f"{quoted(' '.join(source))} is spelled out in line {first[source]} already"
            faults.append(Fault(what, "keep one of the two lines", file, number, 1))
        else:
            table[source], first[source] = spelled, number
    if faults:
        raise InputError(faults)
    if not table:
        raise InputError(Fault("there is no line of spell-out", _FORM, file))
    return SpellOut(table)


def parse_spelled(lexicon: Lexicon | Grammar, sentence: str | Words, spell_out: SpellOut) -> list[Parse]:
    r"""Parse a sentence as it is pronounced.

    Parameters
    ----------
    lexicon
        A lexicon, or a compiled one.
    sentence
        Words, as a tuple or separated by blanks.
    spell_out
        How words are pronounced.

    Returns
    -------
    list of Parse
        Of each sequence of words that is pronounced so and has a derivation: the sentence has all their
        derivations. If none has, the parse of the first, or of the sentence itself, which says why.

    Raises
    ------
    InputError
        If a chart is too large, or there are too many sequences.

    Examples
    --------
    >>> from otlab.mg.io.read import loads
    >>> lexicon = loads("@start v\nmary :: d\nsleep :: V\n-s :: =V d= v\n")
    >>> found = parse_spelled(lexicon, "mary sleeps", read_spell_out("-s sleep -> sleeps"))
    >>> [(p.words, p.derivations) for p in found]
    [(('mary', '-s', 'sleep'), 1)]
    """
    grammar = lexicon if isinstance(lexicon, Grammar) else Grammar(lexicon)
    if isinstance(sentence, str):
        spelled = {word for words in spell_out.table.values() for word in words}
        sentence = split_sentence(sentence, grammar.vocabulary | spelled)
    parses = [parse(grammar, words) for words in spell_out.invert(sentence, grammar.vocabulary)]
    return [p for p in parses if p.derivations] or parses[:1] or [parse(grammar, sentence)]
