"""Read tagged text: CoNLL-U, ``word/TAG``, ``word_TAG``, two columns, plain text.

==============  ========================================================================
``conllu``      ten tab-separated columns, a blank line after each sentence; ``.gz`` too
``slash``       ``The/DT dog/NN`` one sentence a line, cut at the *last* slash
``underscore``  ``The_DT dog_NN``
``tsv``         a word, a tab, a tag on each line, a blank line after each sentence
``raw``         words only: can be tagged, but not scored
==============  ========================================================================

Without a format the text decides: see :func:`guess_format`. All faults of a file
are reported together, each with its line.

Each format has a reader, which takes some lines and the number of the first, and puts words, tags, ends
of sentences and faults into the :class:`Reading`. For speed the usual line is read in the loop, any other
by a function of its own: two million words take some 2 s.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, get_args

from otlab.errors import Fault, InputError, did_you_mean
from otlab.tagging.corpus import Corpus
from otlab.tagging.io.numbering import AS_WRITTEN, Normalize, Numbering
from otlab.tagging.io.textfile import Block, blocks, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "FORMATS",
    "SEPARATORS",
    "Format",
    "Opened",
    "Reading",
    "TagColumn",
    "guess_format",
    "line_reader",
    "open_text",
    "parse",
    "read",
]

Format = Literal["conllu", "slash", "underscore", "tsv", "raw"]
TagColumn = Literal["xpos", "upos"]
SEPARATORS: dict[str, str] = {"underscore": "_", "slash": "/"}

_MOST_FAULTS = 1000
_TOKEN = re.compile(r"\S+")


@dataclass
class Reading:
    """Text read so far, with its faults."""

    file: str
    text: Numbering = field(default_factory=Numbering)
    faults: list[Fault] = field(default_factory=list)
    further: int = 0

    def fault(self, line: int, column: int, what: str, hint: str) -> None:
        """Record a fault at a place."""
        self.add(Fault(what, hint, file=self.file, line=line, column=column))

    def add(self, fault: Fault) -> None:
        """Record a fault; beyond a thousand they are only counted."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(fault)
        else:
            self.further += 1

    def check(self) -> None:
        """Raise all faults, in the order of the lines."""
        if not self.faults:
            return
        faults = sorted(self.faults, key=lambda fault: (fault.line or 0, fault.column or 0))
        if self.further:
            faults.append(Fault(f"{self.further:,} more faults", "correct these first", file=self.file))
        raise InputError(faults)


def line_reader(format: Format, tag_column: TagColumn) -> Callable[[Reading, list[str], int], None]:
    """Return a function that reads lines, given the number of the first."""
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
    """Report a line that is not a word, unless it is a multiword token or an empty node."""
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


FORMATS: tuple[Format, ...] = get_args(Format)
_GUESS_LINES = 1000
_GUESS_SHARE = 0.95
_GUESS_TAGS = 300


@dataclass(frozen=True)
class Opened:
    """A text whose format is known, ready to be read.

    Attributes
    ----------
    format
        As asked for, or as guessed.
    remark
        What a reader should know of the guess: that a text most of whose tokens have a tag was
        taken for plain text. Empty if there is nothing to say.
    """

    format: Format
    _blocks: Iterator[Block]
    _reading: Reading
    remark: str = ""

    def corpus(
        self,
        *,
        tag_column: TagColumn = "xpos",
        normalize: Normalize = AS_WRITTEN,
        sentences: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Corpus:
        """Return the corpus of the text; see :func:`read`. A text can be read once."""
        if tag_column not in get_args(TagColumn):
            raise InputError(Fault(f"there is no tag column {tag_column!r}", "choose xpos or upos"))
        reading, read_lines = self._reading, line_reader(self.format, tag_column)
        cut = self._blocks if sentences is None else _line_by_line(self._blocks)
        for block in cut:
            read_lines(reading, block.lines, block.first)
            if progress:
                progress(block.share)
            if sentences is not None and reading.text.sentences >= sentences:
                break
        reading.text.end_sentence()
        reading.check()
        return Corpus.of(reading.text, reading.file, normalize)


def read(
    path: str | Path,
    format: Format | None = None,
    *,
    tag_column: TagColumn = "xpos",
    normalize: Normalize = AS_WRITTEN,
    sentences: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Corpus:
    """Read a corpus from a file, ``.gz`` or not.

    Parameters
    ----------
    path
        The file. Two million words take some 3 s and 100 MB.
    format
        Guessed from the name and the text if None.
    tag_column
        CoNLL-U's language-specific (``xpos``) or universal (``upos``) tags.
    normalize
        Changes to the words; none by default.
    sentences
        Read at most this many.
    progress
        Called during reading with the share read, 0 to 1; an exception it raises ends the reading.

    Raises
    ------
    InputError
        With every fault of the file (the first thousand, and how many more), or if
        there is no such file.
    """
    with opened(path) as stream:
        return open_text(stream, Path(path).name, format).corpus(
            tag_column=tag_column, normalize=normalize, sentences=sentences, progress=progress
        )


def parse(
    text: str,
    name: str = "",
    format: Format | None = None,
    *,
    tag_column: TagColumn = "xpos",
    normalize: Normalize = AS_WRITTEN,
    sentences: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Corpus:
    """Return the corpus a text holds; see :func:`read`."""
    stream = io.BytesIO(text.encode(errors="surrogatepass"))
    return open_text(stream, name, format).corpus(
        tag_column=tag_column, normalize=normalize, sentences=sentences, progress=progress
    )


def open_text(stream: IO[bytes], name: str = "", format: Format | None = None) -> Opened:
    """Return a text with its format, which is guessed from the beginning if not given.

    Parameters
    ----------
    stream
        Seekable, plain or gzip.
    name
        The file's name: an ending ``.conllu`` or ``.conllu.gz`` decides its format.
    format
        Guessed if None.

    Raises
    ------
    InputError
        If the file is empty or not text, or there is no such format.
    """
    if format is not None and format not in FORMATS:
        raise InputError(Fault(f"there is no format {format!r}", did_you_mean(format, FORMATS)))
    reading = Reading(name)
    rest = blocks(stream, name, reading.add)
    head: list[Block] = []
    while format is None and sum(map(_full_lines, head)) < _GUESS_LINES:
        block = next(rest, None)
        if block is None:
            break
        head.append(block)
    lines = [line for block in head for line in block.lines]
    chosen = format or guess_format(lines, name)
    remark = _plain_text_remark(lines) if format is None and chosen == "raw" else ""
    return Opened(chosen, chain(head, rest), reading, remark)


def guess_format(lines: Iterable[str], name: str = "") -> Format:
    """Return the format of a text, given as lines.

    ``.conllu`` by its ending; a tab in the first non-blank line is ``tsv``; else the
    separator that splits at least 95 % of the tokens of the first 1,000 lines and
    gives fewer than 300 tags; else ``raw``.

    >>> guess_format(["The/DT dog/NN barks/VBZ"])
    'slash'
    """
    if name.removesuffix(".gz").endswith(".conllu"):
        return "conllu"
    full = list(islice((line for line in lines if line.strip()), _GUESS_LINES))
    if full and "\t" in full[0]:
        return "tsv"
    tokens = [token for line in full for token in line.split()]
    for format in ("underscore", "slash"):
        if tokens and _splits(tokens, SEPARATORS[format]):
            return format
    return "raw"


def _plain_text_remark(lines: list[str]) -> str:
    """Return a remark on a text that is read as plain text although most of its tokens have a tag."""
    tokens = [(token, number) for number, line in enumerate(lines, start=1) for token in line.split()]
    for format in ("underscore", "slash"):
        separator = SEPARATORS[format]
        bare = [(token, number) for token, number in tokens if not _tagged(token, separator)]
        tags = {token.rpartition(separator)[2] for token, _ in tokens}
        if 2 * len(bare) < len(tokens) and bare and len(tags) < _GUESS_TAGS:
            token, number = bare[0]
            return (
                f"Read as plain text: {len(tokens) - len(bare):,} of {len(tokens):,} tokens have a tag after "
                f"{separator!r}, but {token!r} in line {number} has none. Give every token a tag."
            )
    return ""


def _tagged(token: str, separator: str) -> bool:
    word, _, tag = token.rpartition(separator)
    return bool(word and tag)


def _full_lines(block: Block) -> int:
    return sum(not line.isspace() for line in block.lines if line)


def _splits(tokens: list[str], separator: str) -> bool:
    tags = [tag for word, _, tag in (token.rpartition(separator) for token in tokens) if word and tag]
    return len(tags) >= _GUESS_SHARE * len(tokens) and len(set(tags)) < _GUESS_TAGS


def _line_by_line(source: Iterable[Block]) -> Iterator[Block]:
    """Cut blocks into single lines, so that reading can end at any line."""
    for block in source:
        for number, line in enumerate(block.lines, start=block.first):
            yield Block([line], number, block.share)
