"""Reading tagged text: CoNLL-U, ``word/TAG``, ``word_TAG``, two columns, plain text.

==============  ========================================================================
``conllu``      ten tab-separated columns, a blank line after each sentence; ``.gz`` too
``slash``       ``The/DT dog/NN`` one sentence a line, cut at the *last* slash
``underscore``  ``The_DT dog_NN``
``tsv``         a word, a tab, a tag on each line, a blank line after each sentence
``raw``         words only: can be tagged, but not scored
==============  ========================================================================

Without a format the text decides: see :func:`guess_format`. All faults of a file
are reported together.
"""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from otlab.errors import Fault, InputError, did_you_mean
from otlab.tagging.corpus import Corpus, Normalize, build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Format", "guess_format", "parse", "read"]

Format = Literal["conllu", "slash", "underscore", "tsv", "raw"]
TagColumn = Literal["xpos", "upos"]

_SEPARATORS: dict[str, str] = {"underscore": "_", "slash": "/"}
_GUESS_LINES = 1000
_GUESS_SHARE = 0.95
_GUESS_TAGS = 300
_MOST_FAULTS = 50
_PROGRESS_LINES = 20_000


@dataclass
class _Reading:
    """What has been read so far, and what was wrong with it."""

    file: str
    words: list[str] = field(default_factory=list)
    tags: list[str | None] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    begun: int = 0

    def token(self, word: str, tag: str | None) -> None:
        self.words.append(word)
        self.tags.append(tag)

    def end_sentence(self) -> None:
        if len(self.words) > self.begun:
            self.lengths.append(len(self.words) - self.begun)
            self.begun = len(self.words)

    def fault(self, line: int, column: int, what: str, cure: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(what, cure, file=self.file, line=line, column=column))


def read(
    path: str | Path,
    format: Format | None = None,
    *,
    tag_column: TagColumn = "xpos",
    normalize: Normalize | None = None,
    sentences: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Corpus:
    """Read a corpus from a file, ``.gz`` or not.

    Parameters
    ----------
    path
        The file.
    format
        Guessed from the name and the text if None.
    tag_column
        CoNLL-U's language-specific (``xpos``) or universal (``upos``) tags.
    normalize
        Changes to the words; none if None.
    sentences
        Read only so many.
    progress
        Called now and then with the share read, 0 to 1; what it raises ends the reading.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    path = Path(path)
    text = decode(path.read_bytes(), path.name)
    return parse(
        text,
        path.name,
        format,
        tag_column=tag_column,
        normalize=normalize,
        sentences=sentences,
        progress=progress,
    )


def decode(data: bytes, name: str) -> str:
    """Return a file's text: unpacked if it is gzip, and UTF-8 throughout."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, ValueError) as error:
            raise InputError(
                Fault("the gzip file is cut off or damaged", "fetch it again", file=name)
            ) from error
    if not data.strip():
        raise InputError(Fault("the file is empty", "give at least one sentence", file=name))
    if b"\0" in data:
        raise InputError(
            Fault("the file holds NUL bytes: it is not text", "save it as UTF-8 text", file=name)
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        what = f"byte {data[error.start]:#04x} is not UTF-8"
        raise InputError(
            Fault(what, "save the file as UTF-8", file=name, line=line, column=column)
        ) from error


def parse(
    text: str,
    name: str = "",
    format: Format | None = None,
    *,
    tag_column: TagColumn = "xpos",
    normalize: Normalize | None = None,
    sentences: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Corpus:
    """Return the corpus a text holds; see :func:`read`."""
    format = format or guess_format(text, name)
    if format not in get_args(Format):
        raise InputError(Fault(f"there is no format {format!r}", did_you_mean(format, get_args(Format))))
    if tag_column not in get_args(TagColumn):
        raise InputError(Fault(f"there is no tag column {tag_column!r}", "choose xpos or upos"))
    reading = _Reading(name)
    line_reader = _line_reader(format, tag_column, reading)
    done = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        line_reader(number, line.rstrip("\r\n"))
        done += len(line)
        if progress and number % _PROGRESS_LINES == 0:
            progress(done / len(text))
        if sentences is not None and len(reading.lengths) >= sentences:
            break
    reading.end_sentence()
    if reading.faults:
        raise InputError(reading.faults)
    tags = None if format == "raw" else reading.tags
    return build(reading.words, tags, reading.lengths, name, normalize or Normalize())


def guess_format(text: str, name: str = "") -> Format:
    """Return the format of a text.

    ``.conllu`` by its ending; a tab in the first non-blank line is ``tsv``; else the
    separator that splits at least 95 % of the tokens of the first 1,000 lines and
    gives fewer than 300 tags; else ``raw``.

    >>> guess_format("The/DT dog/NN barks/VBZ")
    'slash'
    """
    if name.removesuffix(".gz").endswith(".conllu"):
        return "conllu"
    lines = [line for line in text.splitlines()[: _GUESS_LINES * 4] if line.strip()][:_GUESS_LINES]
    if lines and "\t" in lines[0]:
        return "tsv"
    tokens = [token for line in lines for token in line.split()]
    for format in ("underscore", "slash"):
        if tokens and _splits(tokens, _SEPARATORS[format]):
            return format
    return "raw"


def _splits(tokens: list[str], separator: str) -> bool:
    tags = [tag for word, _, tag in (token.rpartition(separator) for token in tokens) if word and tag]
    return len(tags) >= _GUESS_SHARE * len(tokens) and len(set(tags)) < _GUESS_TAGS


def _line_reader(format: Format, tag_column: TagColumn, into: _Reading) -> Callable[[int, str], None]:
    if format == "conllu":
        column = 4 if tag_column == "xpos" else 3
        return lambda number, line: _conllu_line(into, number, line, column)
    if format == "tsv":
        return lambda number, line: _tsv_line(into, number, line)
    if format == "raw":
        return lambda number, line: _whole_sentence(into, [(word, None) for word in line.split()])
    separator = _SEPARATORS[format]
    return lambda number, line: _separated_line(into, number, line, separator)


def _conllu_line(into: _Reading, number: int, line: str, column: int) -> None:
    if not line:
        into.end_sentence()
        return
    if line.startswith("#"):
        return
    parts = line.split("\t")
    if len(parts) != 10:
        into.fault(number, 1, f"{len(parts)} columns instead of 10", "separate the ten columns by tabs")
        return
    identifier, word, tag = parts[0], parts[1], parts[column]
    if not identifier.isdigit():
        if not identifier.replace("-", "").replace(".", "").isdigit():
            into.fault(number, 1, f"{identifier!r} is not a token's number", "number the tokens from 1")
        return
    if not word:
        into.fault(number, len(identifier) + 2, "the word is empty", "write the form in the second column")
    elif not tag:
        into.fault(number, 1, f"no tag in column {column + 1}", "write a tag, or _ where there is none")
    else:
        into.token(word, tag)


def _tsv_line(into: _Reading, number: int, line: str) -> None:
    if not line.strip():
        into.end_sentence()
        return
    parts = line.split("\t")
    if len(parts) < 2:
        into.fault(number, 1, f"{line.strip()!r} has no tag", "write the word, a tab, its tag")
    elif len(parts) > 2:
        into.fault(number, 1, f"{len(parts)} columns instead of 2", "write the word, a tab, its tag")
    elif not parts[0].strip() or not parts[1].strip():
        empty = "word" if not parts[0].strip() else "tag"
        into.fault(number, 1, f"the {empty} is empty", "write the word, a tab, its tag")
    else:
        into.token(parts[0].strip(), parts[1].strip())


def _separated_line(into: _Reading, number: int, line: str, separator: str) -> None:
    at = 0
    for token in line.split():
        at = line.index(token, at)
        word, _, tag = token.rpartition(separator)
        if word and tag:
            into.token(word, tag)
        else:
            into.fault(number, at + 1, f"{token!r} has no tag", f"write word{separator}TAG")
        at += len(token)
    into.end_sentence()


def _whole_sentence(into: _Reading, tokens: Iterable[tuple[str, str | None]]) -> None:
    for word, tag in tokens:
        into.token(word, tag)
    into.end_sentence()
