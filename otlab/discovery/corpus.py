"""Utterances as unsegmented phones, with gold word edges where the text has them.

::

    yu want tu si          one utterance per line; a blank is a gold word edge
    lUkD*z6b7              no blanks: nothing is known about the words
    # vowels: a e i        known header lines, at the top of the file only

A phone is one character with the marks that belong to it, unless the header says
``# separator: .`` (``d.o.g b.a.r.k.s``); other formats are in :mod:`otlab.discovery.io.text`.
Gold edges are removed before learning and only ever used to score.
"""

from __future__ import annotations

import unicodedata
import warnings
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.io import chat
from otlab.discovery.io.marks import doubtful_marks, look_alikes
from otlab.discovery.io.phones import phones_of
from otlab.discovery.io.text import (
    PLAIN,
    TextFormat,
    bare_lines,
    choose,
    cut_line,
    header_of,
    lines_of,
    refuse_times,
)
from otlab.errors import DataWarning, Fault, InputError, counted
from otlab.files import decode_any, file_bytes
from otlab.samples import sample_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["LONGEST", "Corpus", "and_more", "read"]

LONGEST = 250
"""Phones in an utterance; the chart grows with the cube of it."""
PROGRESS_EVERY = 500  # lines

_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Corpus:
    r"""Utterances in one flat array of phones.

    Parameters
    ----------
    name
        The file's name, for messages.
    symbols
        The phones, in the order of their codes.
    phones : int32 ndarray of shape (phones,)
        Codes of all utterances, one after another.
    offsets : int64 ndarray of shape (utterances + 1,)
        Utterance ``u`` is ``phones[offsets[u]:offsets[u + 1]]``, never empty.
    gold : bool ndarray of shape (phones,) or None
        Whether a word ends after this phone; None if the text has no blanks.
    lines
        The line of the file of each utterance, counted from 1.
    title, source
        From the header.
    vowels
        The phones the header calls vowels; empty if it does not say.
    form
        The format in which the text was read.
    text
        The text as it was read; empty if there was none.

    Examples
    --------
    >>> corpus = Corpus.from_text("the dog\nthe cat")
    >>> corpus
    <Corpus text: 2 utterances, 12 phones, 8 symbols>
    >>> corpus.words(0, corpus.gold)
    ['the', 'dog']
    """

    name: str
    symbols: tuple[str, ...]
    phones: np.ndarray
    offsets: np.ndarray
    gold: np.ndarray | None
    lines: tuple[int, ...]
    title: str = ""
    source: str = ""
    vowels: tuple[str, ...] = ()
    form: TextFormat = field(default=PLAIN, compare=False)
    text: str = field(default="", compare=False)

    def __len__(self) -> int:
        """Return the number of utterances."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        utterances, symbols = counted(len(self), "utterance"), counted(len(self.symbols), "symbol")
        return f"<Corpus {self.name}: {utterances}, {counted(self.phones.size, 'phone')}, {symbols}>"

    @property
    def lengths(self) -> np.ndarray:
        """Phones in each utterance."""
        return np.diff(self.offsets)

    def utterance(self, u: int) -> tuple[str, ...]:
        """Return the phones of one utterance."""
        return tuple(self.symbols[p] for p in self.phones[self.offsets[u] : self.offsets[u + 1]])

    def words(self, u: int, ends: np.ndarray) -> list[str]:
        """Return one utterance cut after each phone where `ends` (over the whole corpus) is true."""
        first, last = self.offsets[u], self.offsets[u + 1]
        cuts = [first, *(np.flatnonzero(ends[first : last - 1]) + first + 1), last]
        return [self.spell(range(a, b)) for a, b in pairwise(cuts)]

    def spell(self, positions: Iterable[int]) -> str:
        """Return the phones at these positions of the flat array as one string."""
        return "".join(self.symbols[self.phones[p]] for p in positions)

    def select(self, keep: Sequence[int] | np.ndarray) -> Corpus:
        """Return the utterances of these numbers, in this order, with the same symbols."""
        spans = [np.arange(self.offsets[u], self.offsets[u + 1]) for u in keep]
        where = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
        return replace(
            self,
            phones=self.phones[where],
            offsets=np.concatenate([[0], np.cumsum([len(s) for s in spans])]).astype(np.int64),
            gold=None if self.gold is None else self.gold[where],
            lines=tuple(self.lines[u] for u in keep),
            text="",
        )

    @classmethod
    def from_text(
        cls,
        text: str,
        name: str = "text",
        separator: str = "",
        *,
        form: TextFormat | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Corpus:
        r"""Read utterances from a string.

        Parameters
        ----------
        text
            One utterance a line.
        name
            For messages.
        separator
            What separates the phones of a word; nothing by default. If it is a blank, words end at ``#`` or
            ``|``, where the text has any.
        form
            The format; if None, words are separated by blanks, and phones by `separator`.
        progress
            Called during reading with the share that has been read, 0 to 1.

        Raises
        ------
        InputError
            For control characters, or if there is no utterance at all.

        Examples
        --------
        >>> corpus = Corpus.from_text("Də dɔɡ\nDə kæt")
        >>> corpus
        <Corpus text: 2 utterances, 10 phones, 8 symbols>
        >>> corpus.words(0, corpus.gold)
        ['Də', 'dɔɡ']
        """
        header, body = header_of(lines := lines_of(text))
        separator = separator or header.get("separator", "")
        if form is None:
            blanks = separator and not separator.strip()
            form = choose(text, name, separator=separator) if blanks else replace(PLAIN, separator=separator)
        empty = [n for n, line in enumerate(lines, 1) if not line or line.isspace()]
        if form.name == "cha":
            empty.clear()
            body, missing = chat.utterances(lines, form.tier)
            _warn(name, missing, f"utterance without a {form.tier} line, left out")
        faults = [
            f
            for number, line in _watched(body, progress, 0.0)
            for f in _control_characters(name, number, line)
        ]
        if faults:
            raise InputError(faults)
        bare = bare_lines(body, form)
        parsed = [(n, cut_line(line, form)) for n, line in _watched(bare, progress, 0.5)]
        _warn(name, empty, "empty line, left out")
        _warn(name, [n for n, words in parsed if not words], "no phone in this line, left out")
        parsed = [(n, words) for n, words in parsed if words]
        _warn(
            name,
            [n for n, words in parsed if sum(map(len, words)) > LONGEST],
            f"over {LONGEST} phones, left out",
        )
        long = any(sum(map(len, words)) > LONGEST for _, words in parsed)
        parsed = [(n, words) for n, words in parsed if sum(map(len, words)) <= LONGEST]
        if not parsed:
            what = f"no line has {LONGEST} phones or fewer" if long else "no utterance in the text"
            raise InputError(Fault(what, "write one utterance a line", file=name))
        corpus = replace(cls._build(name, parsed, header), form=form, text=text)
        corpus.warn_of_marks()
        return corpus

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        name: str = "text",
        separator: str = "",
        *,
        form: TextFormat | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Corpus:
        """Read utterances from the bytes of a file; the parameters are those of :meth:`from_text`.

        If neither separator nor format is given, the format is recognised.
        """
        text = decode_any(data, name)
        refuse_times(text, name)
        return cls.from_text(
            text, name, form=form or choose(text, name, separator=separator), progress=progress
        )

    def warn_of_marks(self) -> None:
        """Warn of marks that are read as phones in a text of IPA or with full stops, and of look-alikes."""
        numbers = np.bincount(self.phones, minlength=len(self.symbols)).tolist()
        counts = dict(zip(self.symbols, numbers, strict=True))
        last = [self.symbols[p] for p in self.phones[self.offsets[1:] - 1]]
        if found := doubtful_marks(counts, last):
            hint = "delete them from the text, if they are none"
            fault = Fault(f"read as phones: {found}", hint, file=self.name)
            warnings.warn(str(fault), DataWarning, stacklevel=3)
        if alike := look_alikes(counts):
            fault = Fault(f"phones that look alike: {alike}", "write them in one way", file=self.name)
            warnings.warn(str(fault), DataWarning, stacklevel=3)

    @classmethod
    def _build(cls, name: str, parsed: list[tuple[int, list[list[str]]]], header: dict[str, str]) -> Corpus:
        flat = [phone for _, words in parsed for word in words for phone in word]
        ends = [k == len(word) - 1 for _, words in parsed for word in words for k in range(len(word))]
        symbols = tuple(sorted(set(flat)))
        code = {symbol: k for k, symbol in enumerate(symbols)}
        lengths = [sum(map(len, words)) for _, words in parsed]
        segmented = any(len(words) > 1 for _, words in parsed)
        return cls(
            name=name,
            symbols=symbols,
            phones=np.array([code[p] for p in flat], dtype=np.int32),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            gold=np.array(ends) if segmented else None,
            lines=tuple(number for number, _ in parsed),
            title=header.get("title", ""),
            source=header.get("source", ""),
            vowels=tuple(phones_of(header.get("vowels", ""), " ")),
        )


def _watched(
    body: list[tuple[int, str]], progress: Callable[[float], None] | None, start: float
) -> Iterator[tuple[int, str]]:
    """Yield numbered lines, and call `progress` from time to time in the half of the work from `start`."""
    for at, numbered in enumerate(body):
        if progress is not None and at % PROGRESS_EVERY == 0:
            progress(start + at / len(body) / 2)
        yield numbered


def read(path: Path | str, separator: str = "", *, form: TextFormat | None = None) -> Corpus:
    """Read a phonemic text: a file, or a shipped sample's name or a unique beginning of it.

    Parameters
    ----------
    path
        The file, or the sample's name.
    separator, form
        As of :meth:`Corpus.from_bytes`; if neither is given, the format is recognised.

    Raises
    ------
    InputError
        For a file that is missing, no text, with NUL bytes, or without any utterance.

    Warns
    -----
    DataWarning
        If it is not UTF-8 and is read as Windows-1252, and of lines that are left out.

    Examples
    --------
    >>> corpus = read("toy_phones")
    >>> corpus
    <Corpus toy_phones.txt: 400 utterances, 3,779 phones, 17 symbols>
    """
    found = Path(path) if Path(path).exists() else sample_path(str(path), "discovery")
    return Corpus.from_bytes(file_bytes(found), found.name, separator, form=form)


def _control_characters(name: str, number: int, line: str) -> Iterable[Fault]:
    if line.isprintable():
        return
    for column, character in enumerate(line, 1):
        if unicodedata.category(character) == "Cc" and character != "\t":
            what = f"control character U+{ord(character):04X}"
            yield Fault(what, "remove it", file=name, line=number, column=column)


def _warn(name: str, lines: list[int], what: str) -> None:
    """Warn once of all these lines."""
    if lines:
        message = Fault(what + and_more(lines), file=name, line=lines[0])
        warnings.warn(str(message), DataWarning, stacklevel=3)


def and_more(lines: Sequence[int]) -> str:
    """Return which lines there are besides the first, the first few by number.

    >>> and_more([2, 4, 7])
    ' (and 2 more: 4, 7)'
    """
    if len(lines) < 2:
        return ""
    named = ", ".join(map(str, lines[1:_SHOWN]))
    return f" (and {len(lines) - 1:,} more: {named}{', ...' if len(lines) > _SHOWN else ''})"
