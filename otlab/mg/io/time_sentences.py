"""The sentences of timed words: those of each reader put together, word by word.

A *reading* is what one subject read of one sentence. Readings of the same label that have the same words at
the same places are one sentence, whose times are averaged; others are kept apart.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["ReadSentence", "Reading", "sentences_of"]

_ENDS = ".?!…。？！؟।"
_QUOTES = "\"'”’»)]"
_ABBREVIATIONS = {"mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "vs.", "etc.", "e.g.", "i.e.", "no.", "jr."}
_MOST_NAMED = 5


class ReadSentence(NamedTuple):
    """A sentence that was read: its label, words, and the time of each word in ms, nan if it is missing."""

    label: str
    words: tuple[str, ...]
    times: tuple[float, ...]


class Reading(NamedTuple):
    """A word that somebody read, with what a table says of it.

    Attributes
    ----------
    label, text, condition
        Cells that name its sentence, the text of that, and the condition; empty without such columns.
    place
        Of the word; None if no column says.
    word, subject, ms
        The word, the cells that name who read it, and the time, nan if it is missing.
    block
        Number of blank lines before it.
    """

    label: list[str]
    text: list[str]
    condition: list[str]
    place: int | None
    word: str
    subject: list[str]
    ms: float
    block: int


@dataclass
class _Sentence:
    """Words and times by place."""

    numbered: bool
    words: dict[int, str] = field(default_factory=dict)
    times: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def fits(self, reading: Sequence[Reading]) -> bool:
        """Return whether a reading has no other word at any place, and the same number if none is given."""
        if not self.numbered and len(reading) != len(self.words):
            return False
        return all(self.words.get(at, r.word) == r.word for at, r in _placed(reading))

    def add(self, reading: Sequence[Reading]) -> None:
        for at, r in _placed(reading):
            self.words[at] = r.word
            if not math.isnan(r.ms):
                self.times[at].append(r.ms)

    def whole(self, label: str, places: Sequence[int]) -> ReadSentence:
        """Return the mean times of the words at some places."""
        means = (math.fsum(t) / len(t) if (t := self.times.get(at)) else math.nan for at in places)
        return ReadSentence(label, tuple(self.words[at] for at in places), tuple(means))


def _placed(reading: Sequence[Reading]) -> Iterator[tuple[int, Reading]]:
    return ((n if r.place is None else r.place, r) for n, r in enumerate(reading, 1))


def sentences_of(rows: Sequence[Reading], *, with_sentence: bool) -> tuple[list[ReadSentence], list[str]]:
    """Return sentences with mean times, in the order of the table, and remarks.

    Parameters
    ----------
    rows
        All words that were read.
    with_sentence
        Whether a column tells sentences apart; if not, they end at full stops and blank lines.
    """
    merged: dict[tuple[str, ...], list[_Sentence]] = {}
    for key, reading in _split(rows, with_sentence):
        variants = merged.setdefault(key, [])
        fitting = next((v for v in variants if v.fits(reading)), None)
        if fitting is None:
            fitting = _Sentence(reading[0].place is not None)
            variants.append(fitting)
        fitting.add(reading)
    first = rows[0] if rows else None
    spare = [len(next(iter(merged))) - 1] if first and first.condition else []
    labels = _labels(list(merged), [*spare, *([0] if first and first.text and first.label else [])])
    found: list[ReadSentence] = []
    apart: list[str] = []
    gaps: list[str] = []
    for key, variants in merged.items():
        for n, sentence in enumerate(variants, 1):
            label = labels[key] if n == 1 else f"{labels[key]} ({n})"
            places = sorted(sentence.words)
            parts = [places] if with_sentence else _cut(places, sentence.words)
            found += (
                sentence.whole(_numbered(label, k, len(parts)), part) for k, part in enumerate(parts, 1)
            )
            if places[-1] - places[0] >= len(places):
                gaps.append(label)
        if len(variants) > 1:
            apart.append(labels[key])
    return _distinct(found), _notes(rows, found, apart, gaps)


def _distinct(found: Sequence[ReadSentence]) -> list[ReadSentence]:
    """Return the sentences with a number after a label that another one has."""
    taken: set[str] = set()
    times: Counter[str] = Counter()
    kept = []
    for sentence in found:
        label = sentence.label
        while label in taken:
            times[sentence.label] += 1
            label = f"{sentence.label} ({times[sentence.label] + 1})"
        taken.add(label)
        kept.append(sentence._replace(label=label))
    return kept


def _split(rows: Sequence[Reading], with_sentence: bool) -> Iterator[tuple[tuple[str, ...], list[Reading]]]:
    """Return the readings with the key of their sentence."""
    by: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Reading]] = {}
    known_subjects = any(r.subject for r in rows[:1])
    placed = any(r.place is not None for r in rows[:1])
    run = 0
    last: Reading | None = None
    for r in rows:
        key = (*r.text, *r.label, *r.condition) if with_sentence else (*r.text, *r.condition)
        if not with_sentence and not r.text:
            run += last is not None and r.block != last.block
            key = (str(run + 1), *key)
        if not known_subjects and not placed and last is not None and _named(r) != _named(last):
            run += with_sentence  # lines of one sentence follow one another
        part = (*r.subject, *([str(run)] if not known_subjects and not placed else []))
        by.setdefault((key, part), []).append(r)
        last = r
    for (key, _), reading in by.items():
        if not placed:
            yield key, reading
            continue
        piece: list[Reading] = []
        for r in reading:
            if piece and (r.place or 0) <= (piece[-1].place or 0):
                yield key, piece
                piece = []
            piece.append(r)
        yield key, piece


def _named(r: Reading) -> tuple[str, ...]:
    return (*r.text, *r.label, *r.condition)


def _labels(keys: Sequence[tuple[str, ...]], spare: Iterable[int]) -> dict[tuple[str, ...], str]:
    """Return short labels: a spare part of a key that does not tell sentences apart is left out."""
    kept = list(range(len(keys[0]) if keys else 0))
    for n in spare:
        fewer = [k for k in kept if k != n]
        if fewer and len({tuple(key[k] for k in fewer) for key in keys}) == len(keys):
            kept = fewer
    return {key: ":".join(key[k] for k in kept) for key in keys}


def _numbered(label: str, number: int, of: int) -> str:
    return label if of == 1 else f"{label}:{number}" if label else str(number)


def _cut(places: Sequence[int], words: dict[int, str]) -> list[list[int]]:
    """Return the places of each sentence: one ends at a final mark."""
    parts: list[list[int]] = [[]]
    for at in places:
        bare = words[at].rstrip(_QUOTES)
        if not bare.strip(_QUOTES + _ENDS) and len(parts) > 1 and not parts[-1]:
            parts[-2].append(at)  # a mark that is a word of its own
            continue
        parts[-1].append(at)
        if bare[-1:] in tuple(_ENDS) and bare.lower() not in _ABBREVIATIONS:
            parts.append([])
    return [part for part in parts if part]


def _notes(
    rows: Sequence[Reading], found: Sequence[ReadSentence], apart: list[str], gaps: list[str]
) -> list[str]:
    notes = []
    subjects = len({tuple(r.subject) for r in rows})
    words = sum(len(s.words) for s in found)
    if subjects > 1:
        notes.append(f"the times of {subjects:,} subjects are averaged for each of {counted(words, 'word')}")
    elif len(rows) > words:
        of = counted(words, "word")
        notes.append(f"words that were read more than once have the mean of their times: {of}")
    if apart:
        notes.append(
            f"labels that stand for sentences of different words, which are kept apart: {_list(apart)}"
        )
    if gaps:
        notes.append(f"sentences in which places of words are left out: {_list(gaps)}")
    return notes


def _list(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"
