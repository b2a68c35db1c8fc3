"""Read tagged text: a file or a text becomes a :class:`~otlab.tagging.corpus.Corpus`.

================  ========================================================================
``conllu``        ten tab-separated columns, a blank line after each sentence; ``.gz`` too
``cha``           a transcript of CHAT with its ``%mor`` lines: see :mod:`otlab.tagging.io.chat`
``conllu-plus``   the same with other columns, which its first line names
``columns``       a token a line in columns by tabs, blanks, commas or semicolons
``tsv``           a word, a tab, a tag on each line, a blank line after each sentence
``treetagger``    word, tag and lemma by tabs, lines of markup between
``slash``         ``The/DT dog/NN`` one sentence a line, cut at the *last* slash
``underscore``    ``The_DT dog_NN``
``trees``         trees in brackets, ``(S (NP (DT the)``: the Penn Treebank's ``.mrg``
``brown``         as ``slash``; lines begin with a tab
``wsj``           the Penn Treebank's ``.pos``: brackets round noun phrases, rules of ``=``
``raw``           words only: can be tagged, but not scored
================  ========================================================================

Without a format the text decides: see :mod:`otlab.tagging.io.detection`. All faults of a file
are reported together, each with its line. What is left out of a file is counted in the note of the corpus's
``reading``.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, get_args

from otlab.errors import Fault, InputError, counted, did_you_mean
from otlab.foreign_formats import named_lines, other_trees, timed_format
from otlab.reading import ReadAs
from otlab.tagging.corpus import Corpus
from otlab.tagging.io.chat import UNCERTAIN, no_pairs, unpaired_remark
from otlab.tagging.io.detection import named_reading, readings_of_lines, with_preview
from otlab.tagging.io.formats import FORMATS, Format, TagColumn
from otlab.tagging.io.numbering import AS_WRITTEN, Normalize
from otlab.tagging.io.readers import COLUMN_FORMATS, MARKS_NONE, line_reader
from otlab.tagging.io.reading import Reading
from otlab.tagging.io.tables import GUESS_LINES, MOST_TAGS, SHARE, Ends
from otlab.tagging.io.textfile import Block, blocks, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["FORMATS", "Format", "Opened", "TagColumn", "guess_format", "open_text", "parse", "read"]

_WINDOWS = "Not UTF-8, read as Windows-1252 (Latin-1): if its letters are wrong, save it as UTF-8."
_WITH_STOP = re.compile(r"\w[.?!…。]+[\"'”’»)\]]*$")
_MOST_GUESS_BLOCKS = 64  # of which few lines may be full


class Opened:
    """A text of which it is known how it is read, ready to be read once.

    Attributes
    ----------
    how
        As asked for, or as guessed.
    readings
        All ways to read it, the best guess first.
    remark
        What a reader should know of the guess: that a text most of whose tokens have a tag was
        taken for plain text. After it was read also that tags are missing. Empty if there is nothing to say.
    encoding_remark
        That the text is not UTF-8, after it was read; empty if it is.
    other_tags
        The column of CoNLL-U's tags to read instead, where the one that was read has none; else "".
    """

    def __init__(
        self, how: ReadAs, readings: tuple[ReadAs, ...], text: Iterator[Block], reading: Reading, remark: str
    ) -> None:
        self.how, self.readings, self.remark, self.other_tags = how, readings, remark, ""
        self.encoding_remark = ""
        self._blocks, self._reading = text, reading

    @property
    def format(self) -> str:
        """Name of the format."""
        return self.how.format

    def corpus(
        self,
        *,
        normalize: Normalize = AS_WRITTEN,
        sentences: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Corpus:
        """Return the corpus of the text; see :func:`read`. A text can be read once."""
        reading, read_lines = self._reading, line_reader(self.how)
        marks = self.how.options.get("ends") == "marks"
        cut = self._blocks if sentences is None or marks else _line_by_line(self._blocks)
        for block in cut:
            read_lines(reading, block.lines, block.first)
            if block.encoding != "utf-8":
                self.encoding_remark = _WINDOWS
            if progress:
                progress(block.share)
            if sentences is not None and not marks and reading.text.sentences >= sentences:
                break
        else:
            reading.unfinished()
        if marks and reading.text.tokens and not reading.faults:
            reading.text.end_at_marks((".",) if self.format == "wsj" else ())
        reading.text.end_sentence()
        reading.check()
        if self.format in MARKS_NONE:
            reading.text.no_tag = "_"
        if self.format == "cha" and not reading.text.tokens:
            raise InputError(no_pairs(reading.unpaired, reading.file))
        corpus = Corpus.of(reading.text, reading.file, normalize)
        if sentences is not None and corpus.sentences > sentences:
            corpus = corpus.first(sentences)
        return self._noted(corpus)

    def _noted(self, corpus: Corpus) -> Corpus:
        """Return the corpus with how it was read, and what was left out or has no tag."""
        notes = [self.how.note] if self.how.note else []
        left_out = self._reading.left_out
        if left_out:
            notes.append(f"left out: {', '.join(f'{n:,} {kind}' for kind, n in left_out.items())}")
        if self.format == "raw" and not self.remark and (word := _punctuated(corpus)):
            self.remark = f"Punctuation is part of the words beside it ({word}): write blanks between them."
            notes.append(self.remark.removesuffix("."))
        without = corpus.tokens - corpus.tagged
        if without and self._reading.text.tag_of:
            if corpus.tags is None:
                self.other_tags = self._other_tags()
                self.remark = f"No tags: {self._tag_column()} is _ throughout. The text is read without tags."
            else:
                have = "has" if without == 1 else "have"
                why = f"_ in {self._tag_column()}" if self.format in COLUMN_FORMATS else UNCERTAIN
                what = f"{without:,} of {counted(corpus.tokens, 'token')} {have} no tag ({why})"
                self.remark = f"{what}: they are left out of the scores."
            notes.append(self.remark.removesuffix("."))
        if self._reading.unpaired:
            unpaired = unpaired_remark(self._reading.unpaired)
            self.remark = " ".join(filter(None, (self.remark, unpaired)))
            notes.append(unpaired.removesuffix("."))
        if self.encoding_remark:
            notes.append("n" + self.encoding_remark.split(":")[0][1:])
        return replace(corpus, reading=replace(self.how, note="; ".join(notes)))

    def _tag_column(self) -> str:
        """Return what the column of the tags is called."""
        column = self.how.place("tag")
        return self.how.heads[column - 1] if column and self.how.heads else f"column {column}"

    def _other_tags(self) -> str:
        """Return the other column of CoNLL-U's tags, if the first lines have tags in it; else ""."""
        place = self.how.place("tag")
        for other in self.readings if self.format == "conllu" else ():
            column = other.place("tag")
            if other.format != "conllu" or column is None or column == place:
                continue
            if any(line[column - 1 : column] not in ((), ("_",)) for line in other.preview):
                return other.options["tag_column"]
        return ""


def _punctuated(corpus: Corpus) -> str:
    """Return the first last word of a sentence that has a full stop on it, if most have; else "".

    >>> _punctuated(Corpus.from_sentences([["It", "rains."], ["Look", "here!"], ["No", "."]]))
    'rains.'
    >>> _punctuated(Corpus.from_sentences([["It", "rains", "."]]))
    ''
    """
    last = [corpus.vocabulary[w] for w in corpus.words[corpus.offsets[1:] - 1]]
    marked = [word for word in last if _WITH_STOP.search(word)]
    return marked[0] if 2 * len(marked) > len(last) else ""


def columns_of(text: str) -> tuple[int, ...]:
    """Return the numbers of the columns of the word and its tag, written as ``1,2``.

    Raises
    ------
    InputError
        If it is written otherwise.

    Examples
    --------
    >>> columns_of("2,4"), columns_of("")
    ((2, 4), ())
    """
    try:
        return tuple(int(number) for number in text.split(",")) if text else ()
    except ValueError as error:
        raise InputError(Fault(f"--columns {text}", "write one or two numbers: 1,2")) from error


def read(
    path: str | Path,
    format: Format | ReadAs | None = None,
    *,
    columns: Sequence[int] = (),
    ends: Ends | None = None,
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
        Guessed from the name and the text if None; a name, or one of the readings of
        :func:`otlab.tagging.io.detection.readings`.
    columns
        Of the format ``columns``: the word's and the tag's, counted from 1; the word's alone if there are
        no tags. Guessed if not given.
    ends
        Where sentences end: at each end of a line (``lines``), at blank lines (``blank``), or also after full
        stops (``marks``). As the format has it if None; a text with one token on each line ends them at
        blank lines or, without any, after full stops.
    tag_column
        CoNLL-U's language-specific (``xpos``) or universal (``upos``) tags.
    normalize
        Changes to the words; none by default.
    sentences
        Read at most this many.
    progress
        Called during reading with the share read, 0 to 1; an exception it raises ends the reading.

    Returns
    -------
    Corpus
        Its ``reading`` says what the file was taken for. In formats of columns the tag ``_`` is none.

    Raises
    ------
    InputError
        With every fault of the file (the first thousand, and how many more), or if
        there is no such file.
    """
    with opened(path) as stream:
        name = Path(path).name
        text = open_text(stream, name, format, columns=columns, ends=ends, tag_column=tag_column)
        return text.corpus(normalize=normalize, sentences=sentences, progress=progress)


def parse(text: str, name: str = "", format: Format | ReadAs | None = None, **options: Any) -> Corpus:
    """Return the corpus a text holds; the options are those of :func:`read`."""
    stream = io.BytesIO(text.encode(errors="surrogatepass"))
    reading = {key: options.pop(key) for key in ("columns", "ends", "tag_column") if key in options}
    return open_text(stream, name, format, **reading).corpus(**options)


def open_text(
    stream: IO[bytes],
    name: str = "",
    format: Format | ReadAs | None = None,
    *,
    columns: Sequence[int] = (),
    ends: Ends | None = None,
    tag_column: TagColumn = "xpos",
) -> Opened:
    """Return a text with its format, which is guessed from the beginning if not given.

    Parameters
    ----------
    stream
        Seekable, plain or gzip.
    name
        The file's name, whose ending may decide its format.
    format, columns, ends, tag_column
        As in :func:`read`.

    Raises
    ------
    InputError
        If the file is empty or not text, or there is no such format, column or end.
    """
    if isinstance(format, str) and format not in FORMATS:
        raise InputError(Fault(f"there is no format {format!r}", did_you_mean(format, FORMATS)))
    if tag_column not in get_args(TagColumn):
        raise InputError(Fault(f"there is no tag column {tag_column!r}", "choose xpos or upos"))
    reading = Reading(name)
    rest = blocks(stream, name, reading.add)
    head: list[Block] = []
    full = 0
    for block in rest:
        head.append(block)
        full += _full_lines(block)
        if full >= GUESS_LINES or len(head) == _MOST_GUESS_BLOCKS:
            break
    lines = [line for block in head for line in block.lines]
    if format is None and not columns:
        _refuse_foreign(lines, name)
    guesses = readings_of_lines(lines, name, tag_column)
    remark = ""
    if isinstance(format, ReadAs):
        how = with_preview(format, lines)
    elif format is not None or columns or ends is not None:
        asked = format or ("columns" if columns else guesses[0].format)
        how = named_reading(asked, lines, tag_column=tag_column, columns=columns, ends=ends)
    else:
        remark = _plain_text_remark(lines) if guesses[0].format == "raw" else ""
        how = replace(guesses[0], note=remark) if remark else guesses[0]
    others = tuple(guess for guess in guesses if not guess.same_way(how))
    return Opened(how, (how, *others), chain(head, rest), reading, remark)


def guess_format(lines: Iterable[str], name: str = "") -> str:
    """Return the name of the format of a text, given as lines; see :mod:`otlab.tagging.io.detection`.

    >>> guess_format(["The/DT dog/NN barks/VBZ"])
    'slash'
    """
    return readings_of_lines(list(lines), name)[0].format


def _plain_text_remark(lines: list[str]) -> str:
    """Return a remark on a text that is read as plain text although most of its tokens have a tag."""
    full = ((line, number) for number, line in enumerate(lines, start=1) if line.strip())
    tokens = [(token, n) for line, n in islice(full, GUESS_LINES) for token in line.split()]
    place = f" of the first {GUESS_LINES:,} lines" if next(full, None) is not None else ""
    for separator in ("_", "/"):
        bare = [(token, number) for token, number in tokens if not _tagged(token, separator)]
        tags = {token.rpartition(separator)[2] for token, _ in tokens if _tagged(token, separator)}
        if 2 * len(bare) < len(tokens) and bare and len(tags) < MOST_TAGS:
            token, number = bare[0]
            share = f"{len(tokens) - len(bare):,} of {counted(len(tokens), 'token')}{place}"
            what = f"{share} have a tag after {separator!r}, but {token!r} in line {number} has none"
            return f"Read as plain text: {what}. Give every token a tag."
    return ""


def _tagged(token: str, separator: str) -> bool:
    word, _, tag = token.rpartition(separator)
    return bool(word and tag)


def _refuse_foreign(lines: Iterable[str], name: str) -> None:
    """Refuse a text whose lines are no sentences: XML, times, other trees, or names of utterances."""
    full = list(islice((line for line in lines if line.strip()), GUESS_LINES))
    if not full:
        return
    hint = "save its words and tags as text: a word, a tab and its tag on each line"
    bare = [line.strip() for line in full]
    elements = sum(line[0] == "<" and line[-1] == ">" for line in bare)
    what = ""
    if trees := other_trees(full):
        what = f"holds {trees}"
    elif elements >= (0.6 if bare[0].startswith("<?xml") else SHARE) * len(bare):
        what = "is XML"
    elif times := timed_format(full):
        what, hint = f"holds times ({times})", "save its words as text, a sentence on each line"
    elif named := named_lines(full):
        what = f"has the name of an utterance at the beginning of each line ({named}), as Kaldi's text"
        hint = "delete these names"
    if what:
        raise InputError(Fault(f"{what}, not plain text", hint, file=name))


def _full_lines(block: Block) -> int:
    return sum(not line.isspace() for line in block.lines if line)


def _line_by_line(source: Iterable[Block]) -> Iterator[Block]:
    """Cut blocks into single lines, so that reading can end at any line."""
    for block in source:
        for number, line in enumerate(block.lines, start=block.first):
            yield replace(block, lines=[line], first=number)
