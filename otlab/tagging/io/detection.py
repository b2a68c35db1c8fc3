"""Recognise how a tagged text is written: its format, its columns, and where its sentences end.

:func:`readings` returns the best guess and the other possible ones, each with the first lines as they would
be read. In this order:

- an ending ``.conllu`` or ``.conllup``, the line ``# global.columns``, or ten columns by tabs under a number;
- words with a tag after ``/`` or ``_``: at least 95 % of the tokens of the first 1,000 lines, and fewer than
  300 tags. With brackets or rules of ``=`` it is the Penn Treebank's, with lines that begin with a tab the
  Brown corpus's. If each line has one token, sentences end at blank lines or after full stops;
- columns by tabs, or by blanks where all lines have equally many and one column looks like tags;
- else plain text.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Literal, get_args

from otlab.errors import Fault, InputError
from otlab.reading import NOT_USED, PREVIEW_LINES, ReadAs
from otlab.tagging.io.readers import DOCSTART, MARKUP, RULE, Reading, line_reader
from otlab.tagging.io.textfile import blocks, damaged_gzip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "FORMATS",
    "GUESS_LINES",
    "Ends",
    "Format",
    "TagColumn",
    "named_reading",
    "readings",
    "readings_of_lines",
]

Format = Literal[
    "conllu", "slash", "underscore", "tsv", "raw", "columns", "wsj", "brown", "treetagger", "conllu-plus"
]
TagColumn = Literal["xpos", "upos"]
Ends = Literal["lines", "blank", "marks"]
FORMATS: tuple[Format, ...] = get_args(Format)
GUESS_LINES = 1000

_HEADS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_ROLES = ("word", "tag")
_LABELS = {
    "slash": "word/TAG",
    "underscore": "word_TAG",
    "brown": "Brown corpus",
    "wsj": "Penn Treebank .pos",
}
_GLOBAL = re.compile(r"#\s*global\.columns\s*=\s*(.+)")
_SHARE = 0.95  # of the tokens that must have a tag, and of the lines that must have as many columns
_OFFERED = 0.5  # of the tokens or lines from which on another reading is offered
MOST_TAGS = 300
_MOST_COLUMNS = 20
_TAGLIKE = re.compile(r"[A-Z$#][^a-z\s]*|[BIOES]-\S+|\W+")
_CHUNK = re.compile(r"[BIOES]-\S+|O")  # of named entities and chunks
_ENDINGS = (".conllu", ".conllup", ".pos")


def readings(data: bytes, file_name: str = "", tag_column: TagColumn = "xpos") -> tuple[ReadAs, ...]:
    r"""Return the ways to read a file, the best guess first.

    Parameters
    ----------
    data
        The file or its beginning, plain or gzip.
    file_name
        Its ending may tell the format.
    tag_column
        Which of CoNLL-U's two columns of tags is meant.

    Examples
    --------
    >>> [reading.label for reading in readings(b"Confidence NN B-NP\nin IN B-PP\n\nHe PRP O\n")]
    ['columns by blanks', 'plain text']
    """
    if data.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = _whole(file.read1(1 << 18))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError(damaged_gzip(file_name)) from None
    lines: list[str] = []
    for block in blocks(io.BytesIO(data), file_name, lambda _fault: None):
        lines += block.lines
        if len(lines) > 2 * GUESS_LINES:
            break
    return readings_of_lines(lines, file_name, tag_column)


def _whole(data: bytes) -> bytes:
    """Return the whole lines of the beginning of a file."""
    return data[: data.rfind(b"\n") + 1] or data


def readings_of_lines(
    lines: Sequence[str], file_name: str = "", tag_column: TagColumn = "xpos"
) -> tuple[ReadAs, ...]:
    """Return the ways to read a text whose first lines are given; see :func:`readings`."""
    head = _Head(lines)
    found = [
        *_conllu(head, file_name, tag_column),
        *_separated(head, file_name),
        *_columns(head),
        *_raw(head),
    ]
    order = sorted(found, key=lambda scored: -scored[0])
    return tuple(with_preview(reading, lines) for _, reading in order)


class _Head:
    """The first lines of a text: those that are not blank, and what they have in common."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.full = list(islice((line for line in lines if line.strip()), GUESS_LINES))
        self.tokens = [token for line in self.full for token in line.split()]
        first = next((i for i, line in enumerate(lines) if line.strip()), 0)
        last = next((len(lines) - i for i, line in enumerate(reversed(lines)) if line.strip()), 0)
        self.inner_blanks = any(not line.strip() for line in lines[first:last])
        self.one_each = len(self.full) > 1 and all(len(line.split()) == 1 for line in self.full)

    @property
    def ends(self) -> Ends:
        """Where sentences end if a line is a token."""
        return "blank" if self.inner_blanks else "marks"


_Scored = tuple[float, ReadAs]


def _conllu(head: _Head, name: str, tag_column: TagColumn) -> list[_Scored]:
    """Return CoNLL-U with either column of tags, or CoNLL-U Plus."""
    bare = name.removesuffix(".gz").lower()
    named = _GLOBAL.match(head.full[0]) if head.full else None
    if named is not None or bare.endswith(".conllup"):
        heads = tuple(named[1].split()) if named is not None else _HEADS
        return [(5.0, conllu_plus(heads, tag_column))]
    rows = [line.split("\t") for line in head.full if not line.startswith("#")]
    fits = bool(rows) and all(len(row) == 10 for row in rows[:1]) and rows[0][0].split("-")[0].isdigit()
    if not fits and not bare.endswith(".conllu"):
        return []
    return [(5.0 - (column != tag_column), conllu(column)) for column in get_args(TagColumn)]


def conllu(tag_column: TagColumn) -> ReadAs:
    """Return the reading as CoNLL-U."""
    tag = 4 if tag_column == "xpos" else 3
    columns = tuple("word" if i == 1 else "tag" if i == tag else NOT_USED for i in range(10))
    label = "CoNLL-U" if tag_column == "xpos" else "CoNLL-U, UPOS tags"
    return ReadAs("conllu", label, columns, {"tag_column": tag_column}, heads=_HEADS)


def conllu_plus(heads: tuple[str, ...], tag_column: TagColumn) -> ReadAs:
    """Return the reading as CoNLL-U Plus, whose first line names its columns.

    Raises
    ------
    InputError
        If none of them is FORM.
    """
    if "FORM" not in heads:
        what = f"# global.columns names {' '.join(heads)}, and none is FORM"
        raise InputError(Fault(what, "name the column of the words FORM", line=1))
    tags = [tag for tag in (tag_column.upper(), "XPOS", "UPOS") if tag in heads]
    roles = tuple("word" if h == "FORM" else "tag" if [h] == tags[:1] else NOT_USED for h in heads)
    return ReadAs("conllu-plus", "CoNLL-U Plus", roles, heads=heads, roles=_ROLES)


def _separated(head: _Head, name: str) -> list[_Scored]:
    """Return the readings with a tag behind each word, where enough tokens have one."""
    ruled = any(RULE.fullmatch(line) for line in head.full)
    bracketed = any(re.match(r"\s*\[\s.*\s\]", line) for line in head.full)
    tokens = head.tokens
    if ruled or bracketed or name.lower().endswith(".pos"):
        tokens = [token for token in tokens if token not in ("[", "]") and not RULE.fullmatch(token)]
    found = []
    for format, separator in (("underscore", "_"), ("slash", "/")):
        tags = [tag for word, _, tag in (token.rpartition(separator) for token in tokens) if word and tag]
        share = len(tags) / len(tokens) if tokens else 0.0
        if share < _OFFERED or len(set(tags)) >= MOST_TAGS:
            continue
        score = 4.0 if share >= _SHARE else 0.5 * share  # behind plain text
        if format == "slash" and (ruled or bracketed):
            found.append((score + 0.2, wsj(head.lines)))
        elif format == "slash" and any(line.startswith("\t") for line in head.full):
            found.append((score + 0.2, ReadAs("brown", _LABELS["brown"])))
        score -= 0.1 * (format == "slash")
        if head.one_each:
            found.append((score + 0.1, one_each(format, head.ends)))
        found.append((score, ReadAs(format, _LABELS[format])))
    return found


def wsj(lines: Iterable[str]) -> ReadAs:
    """Return the reading as the Penn Treebank's tagged files.

    Their sentences end at blank lines and rules, if there are about as many as full stops; else after
    full stops, too.
    """
    stops = groups = 0
    begun = False
    for line in lines:
        if not line.strip() or RULE.fullmatch(line):
            groups += begun
            begun = False
        else:
            stops += sum(token.endswith("/.") for token in line.split())
            begun = True
    ends = "blank" if groups + begun >= 0.8 * stops else "marks"
    return ReadAs("wsj", _LABELS["wsj"], options={"ends": ends}, note=_END_NOTES[ends])


_END_NOTES = {"lines": "", "blank": "", "marks": "sentences end after full stops"}


def one_each(format: str, ends: Ends) -> ReadAs:
    """Return the reading of a text with a token a line."""
    label = f"{_LABELS.get(format, 'plain text')}, one a line"
    return ReadAs(format, label, options={"ends": ends}, note=_END_NOTES[ends])


def _raw(head: _Head) -> list[_Scored]:
    plain = (1.0, ReadAs("raw", "plain text"))
    return [(1.2, one_each("raw", head.ends)), plain] if head.one_each else [plain]


def _columns(head: _Head) -> list[_Scored]:
    """Return the readings as columns, by tabs or by blanks."""
    lines = [
        line for line in head.full if not line.startswith((DOCSTART, "#begin document", "#end document"))
    ]
    plain = [line for line in lines if not MARKUP.fullmatch(line)]
    rows = [line.split("\t") for line in plain]
    width, count = _commonest(map(len, rows))
    found: list[_Scored] = []
    tabs_first = bool(plain) and "\t" in plain[0].strip()
    if width > 1 and (count >= _SHARE * len(rows) or tabs_first):
        kept = [row for row in rows if len(row) == width]
        markup = len(plain) < len(lines)
        score = 3.0 if count >= _OFFERED * len(rows) else 1.1
        docstart = any(line.startswith(DOCSTART) for line in head.full)
        if width == 2 and not (markup or docstart):
            found.append((score, ReadAs("tsv", "two columns", _ROLES)))
        if width == 3 and (markup or not head.inner_blanks):
            found.append((score + 0.1, treetagger(head.ends)))
        if width != 2 or docstart:
            found.append((score, columns_of(kept, "tabs", "blank" if markup else head.ends)))
    elif tabs_first:
        found.append((3.0, ReadAs("tsv", "two columns", _ROLES)))
    rows = [line.split() for line in lines]
    width, count = _commonest(map(len, rows))
    if not found and 1 < width <= _MOST_COLUMNS and count == len(rows) > 1:
        reading = columns_of(rows, "blanks", head.ends)
        tag = reading.place("tag")
        sure = tag is not None and _looks_tagged(rows, (reading.place("word") or 1) - 1, tag - 1)
        found.append((3.0 if sure else 0.9, reading))
    return found


def treetagger(ends: Ends) -> ReadAs:
    """Return the reading as TreeTagger's output: word, tag, lemma."""
    note = "sentences end at <s> and </s>, blank lines and full stops" if ends == "marks" else ""
    options = {"ends": ends, "by": "tabs"}
    return ReadAs("treetagger", "TreeTagger", (*_ROLES, NOT_USED), options, note=note, roles=_ROLES)


def columns_of(rows: Sequence[Sequence[str]], by: str, ends: Ends) -> ReadAs:
    """Return the reading as columns of which one seems to be the word and another its tag."""
    word, tag = _guess_columns(rows)
    roles = tuple("word" if i == word else "tag" if i == tag else NOT_USED for i in range(len(rows[0])))
    return ReadAs(
        "columns", f"columns by {by}", roles, {"by": by, "ends": ends}, note=_END_NOTES[ends], roles=_ROLES
    )


def _guess_columns(rows: Sequence[Sequence[str]]) -> tuple[int, int | None]:
    """Return the columns (from 0) that seem to be the word and its tag."""
    columns = list(zip(*rows, strict=True))
    names = [i for i, column in enumerate(columns) if not _numbers(column) and len(set(column)) > 1] or [0]
    word = names[0]
    rest = [i for i in range(len(columns)) if i in names and i != word] or [
        i for i in range(len(columns)) if i != word
    ]
    tags = [i for i in rest if _taglike(columns[i], columns[word])]
    if not tags and len(columns) == 2 and _taglike(columns[word], columns[rest[0]]):
        return rest[0], word  # the tag stands before its word
    tags.sort(key=lambda i: all(_CHUNK.fullmatch(cell) for cell in columns[i]))
    fewest = min(rest, key=lambda i: len(set(columns[i])), default=None)
    return word, tags[0] if tags else fewest


def _numbers(column: Sequence[str]) -> bool:
    return sum(bool(re.fullmatch(r"[\d.-]+", cell)) for cell in column) >= _SHARE * len(column)


def _taglike(column: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether cells look like tags: capitals or marks, no more types than there are words."""
    pairs = [(cell, word) for cell, word in zip(column, words, strict=True) if cell != "_"]
    cells = [cell for cell, word in pairs if any(map(str.isalnum, word))] or [cell for cell, _ in pairs]
    like = sum(bool(_TAGLIKE.fullmatch(cell)) for cell in cells)
    return bool(cells) and like >= 0.9 * len(cells) and len(set(cells)) <= min(len(set(words)), MOST_TAGS)


def _looks_tagged(rows: Sequence[Sequence[str]], word: int, tag: int) -> bool:
    """Return whether a column of a text by blanks is one of tags, so that the text is no plain one."""
    words, tags = [row[word] for row in rows], [row[tag] for row in rows]
    if sum(map(len, words)) < 1.5 * len(words) or max(map(len, tags)) < 2:
        return False  # phones, some of them capitals
    if _taglike(tags, words) and not _taglike(words, tags):
        return True
    kinds = set(tags)
    return len(rows) >= 30 and 3 * len(kinds) <= len(set(words)) and len(kinds) < 100


def _commonest(numbers: Iterable[int]) -> tuple[int, int]:
    """Return the number that occurs most often, and how often."""
    return next(iter(Counter(numbers).most_common(1)), (0, 0))


def with_preview(reading: ReadAs, lines: Sequence[str]) -> ReadAs:
    """Return the reading with the first lines as it would read them."""
    if reading.columns:
        by = None if reading.options.get("by") == "blanks" else "\t"
        shown = [line for line in lines if line.strip() and line[0] != "#" and not line.startswith(DOCSTART)]
        cells = [tuple(line.split(by)) for line in shown[:PREVIEW_LINES]]
        return replace(reading, preview=tuple(cells))
    into = Reading("")
    line_reader(reading)(into, list(islice(lines, 200)), 1)
    text = into.text
    if reading.options.get("ends") == "marks" and text.tokens:
        text.end_at_marks()
    text.end_sentence()
    words, tags, ends = list(text.words), list(text.tags), text.offsets()
    paired = len(text.tag_of) == len(text.word_of)
    names = (
        [f"{words[w]} · {tags[t]}" for w, t in zip(text.word_of, text.tag_of, strict=True)]
        if paired
        else [words[w] for w in text.word_of]
    )
    sentences = [tuple(names[a:b][:_PREVIEW_WORDS]) for a, b in pairwise(ends)]
    return replace(reading, preview=tuple(sentences[:PREVIEW_LINES]))


_PREVIEW_WORDS = 10


def named_reading(
    format: str,
    lines: Sequence[str],
    *,
    tag_column: TagColumn = "xpos",
    columns: Sequence[int] = (),
    ends: Ends | None = None,
) -> ReadAs:
    """Return the reading of a format that was asked for, with what it does not say guessed from the lines.

    Parameters
    ----------
    format, lines
        The format, and the first lines of the file.
    tag_column
        Which tags of CoNLL-U.
    columns
        The columns of the word and the tag, counted from 1; of the word alone for a text without tags.
    ends
        Where sentences end, if it is not as the format has it.
    """
    head = _Head(lines)
    if format == "conllu":
        reading = conllu(tag_column)
    elif format == "conllu-plus":
        named = _GLOBAL.match(head.full[0]) if head.full else None
        reading = conllu_plus(tuple(named[1].split()) if named else _HEADS, tag_column)
    elif format == "tsv":
        reading = ReadAs("tsv", "two columns", _ROLES)
    elif format == "treetagger":
        reading = treetagger("marks")
    elif format == "wsj":
        reading = wsj(lines)
    elif format == "columns":
        reading = _asked_columns(head)
    elif format != "raw" and head.one_each:
        reading = one_each(format, head.ends)
    else:
        reading = ReadAs(format, _LABELS.get(format, "plain text"))
    if columns:
        reading = with_columns(reading, columns)
    if ends is not None:
        reading = with_ends(reading, ends)
    return with_preview(reading, lines)


def _asked_columns(head: _Head) -> ReadAs:
    """Return the reading as columns: by tabs if most lines have one, else by blanks."""
    lines = [
        line for line in head.full if not line.startswith((DOCSTART, "#begin document", "#end document"))
    ]
    by = "tabs" if 2 * sum("\t" in line.strip() for line in lines) >= len(lines) else "blanks"
    rows = [line.split("\t" if by == "tabs" else None) for line in lines] or [[""]]
    width, _ = _commonest(map(len, rows))
    return columns_of([row for row in rows if len(row) == width], by, head.ends)


def with_columns(reading: ReadAs, columns: Sequence[int]) -> ReadAs:
    """Return the reading with these columns, from 1, as the word and the tag.

    Raises
    ------
    InputError
        If the format has no such columns.
    """
    if not reading.roles:
        raise InputError(f"--columns does nothing with the format {reading.format}; use --format columns")
    width = len(reading.columns)
    if len(columns) > 2 or len(set(columns)) < len(columns) or not all(0 < n <= width for n in columns):
        given = ",".join(map(str, columns))
        raise InputError(f"--columns {given}: give the word's and the tag's column, each from 1 to {width}")
    named = dict(zip(columns, _ROLES, strict=False))
    return replace(reading, columns=tuple(named.get(n, NOT_USED) for n in range(1, width + 1)))


def with_ends(reading: ReadAs, ends: Ends) -> ReadAs:
    """Return the reading with another place where sentences end.

    Raises
    ------
    InputError
        If there is no such place, or the format fixes it.
    """
    places = get_args(Ends)
    allowed = places if reading.format in ("slash", "underscore", "brown", "raw") else places[1:]
    if ends not in allowed or reading.format in ("conllu", "conllu-plus", "tsv"):
        raise InputError(f"sentences of the format {reading.format} cannot end at {ends}")
    options = {key: value for key, value in reading.options.items() if key != "ends"}
    if ends != "lines":
        options["ends"] = ends
    return replace(reading, options=options, note=_END_NOTES[ends])
