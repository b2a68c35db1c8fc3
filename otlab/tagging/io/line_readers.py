"""What each format's lines mean, and what is wrong with those that mean nothing.

A reader takes some lines and the number of the first; words, tags and ends of
sentences go into the :class:`Reading`, faults too. The usual line is dealt with in the
loop, any other by a function of its own: reading two million words takes some 2 s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from otlab.errors import Fault, InputError
from otlab.tagging.io.numbering import Numbering

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SEPARATORS", "Format", "Reading", "TagColumn", "line_reader"]

Format = Literal["conllu", "slash", "underscore", "tsv", "raw"]
TagColumn = Literal["xpos", "upos"]
SEPARATORS: dict[str, str] = {"underscore": "_", "slash": "/"}

_MOST_FAULTS = 1000
_TOKEN = re.compile(r"\S+")


@dataclass
class Reading:
    """What has been read so far, and what was wrong with it."""

    file: str
    text: Numbering = field(default_factory=Numbering)
    faults: list[Fault] = field(default_factory=list)
    further: int = 0

    def fault(self, line: int, column: int, what: str, hint: str) -> None:
        """Note what is wrong at a place."""
        self.add(Fault(what, hint, file=self.file, line=line, column=column))

    def add(self, fault: Fault) -> None:
        """Note a fault; of those beyond a thousand, only that there are more."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(fault)
        else:
            self.further += 1

    def check(self) -> None:
        """Raise everything that was wrong, in the order of the lines."""
        if not self.faults:
            return
        faults = sorted(self.faults, key=lambda fault: (fault.line or 0, fault.column or 0))
        if self.further:
            faults.append(Fault(f"{self.further:,} more faults", "correct these first", file=self.file))
        raise InputError(faults)


def line_reader(format: Format, tag_column: TagColumn) -> Callable[[Reading, list[str], int], None]:
    """Return what reads some lines, the first of which has the number given."""
    if format == "conllu":
        column = 4 if tag_column == "xpos" else 3
        return lambda into, lines, first: _conllu(into, lines, first, column)
    if format == "tsv":
        return _tsv
    if format == "raw":
        return _raw
    separator = SEPARATORS[format]
    return lambda into, lines, first: _separated(into, lines, first, separator)


def _conllu(into: Reading, lines: list[str], first: int, column: int) -> None:
    text = into.text
    words, tags, word_of, tag_of = text.words, text.tags, text.word_of.append, text.tag_of.append
    for number, line in enumerate(lines, start=first):
        if not line:
            text.end_sentence()
        elif line[0] != "#":
            parts = line.split("\t")
            if len(parts) == 10 and parts[0].isdigit() and parts[1] and parts[column]:
                word_of(words[parts[1]])
                tag_of(tags[parts[column]])
            else:
                _odd_conllu_line(into, number, parts, column)


def _odd_conllu_line(into: Reading, number: int, parts: list[str], column: int) -> None:
    """Report a line that is no word, unless it is a multiword token or an empty node."""
    identifier = parts[0]
    if parts == [identifier] and not identifier.strip():
        into.text.end_sentence()
    elif len(parts) != 10:
        into.fault(number, 1, f"{len(parts)} columns instead of 10", "separate the ten columns by tabs")
    elif not identifier.isdigit():
        if not re.fullmatch(r"\d+[-.]\d+", identifier):
            into.fault(number, 1, f"{identifier!r} is not a token's number", "number the tokens from 1")
    elif not parts[1]:
        into.fault(number, len(identifier) + 2, "the word is empty", "write the form in the second column")
    else:
        at = len("\t".join(parts[:column])) + 2
        into.fault(number, at, f"no tag in column {column + 1}", "write a tag, or _ where there is none")


def _tsv(into: Reading, lines: list[str], first: int) -> None:
    text = into.text
    words, tags, word_of, tag_of = text.words, text.tags, text.word_of.append, text.tag_of.append
    for number, line in enumerate(lines, start=first):
        word, _, tag = line.partition("\t")
        word, tag = word.strip(), tag.strip()
        if word and tag and "\t" not in tag:
            word_of(words[word])
            tag_of(tags[tag])
        elif not line.strip():
            text.end_sentence()
        else:
            _odd_tsv_line(into, number, line.split("\t"))


def _odd_tsv_line(into: Reading, number: int, parts: list[str]) -> None:
    hint = "write the word, a tab, its tag"
    if len(parts) < 2:
        into.fault(number, 1, f"{parts[0].strip()!r} has no tag", hint)
    elif len(parts) > 2:
        hint = "say that the format is conllu, if it is" if len(parts) == 10 else hint
        into.fault(number, 1, f"{len(parts)} columns instead of 2", hint)
    elif not parts[0].strip():
        into.fault(number, 1, "the word is empty", hint)
    else:
        into.fault(number, len(parts[0]) + 2, "the tag is empty", hint)


def _separated(into: Reading, lines: list[str], first: int, separator: str) -> None:
    text = into.text
    words, tags, word_of, tag_of = text.words, text.tags, text.word_of.append, text.tag_of.append
    for number, line in enumerate(lines, start=first):
        for place, token in enumerate(line.split()):
            word, _, tag = token.rpartition(separator)
            if word and tag:
                word_of(words[word])
                tag_of(tags[tag])
            else:
                column = next(islice(_TOKEN.finditer(line), place, None)).start() + 1
                into.fault(number, column, f"{token!r} has no tag", f"write word{separator}TAG")
        text.end_sentence()


def _raw(into: Reading, lines: list[str], first: int) -> None:
    text = into.text
    words, word_of = text.words, text.word_of.append
    for line in lines:
        for word in line.split():
            word_of(words[word])
        text.end_sentence()
