"""Recognise how a tagged text is written: its format, its columns, and where its sentences end.

:func:`readings` returns the best guess and the other possible ones, each with the first lines as they would
be read. In this order:

- the headers of CHAT, whose ``%mor`` lines have the tags;
- an ending ``.conllu`` or ``.conllup``, the line ``# global.columns``, or ten columns by tabs under a number;
- words with a tag after ``/`` or ``_``: at least 95 % of the tokens of the first 1,000 lines, and fewer than
  300 tags. With brackets or rules of ``=`` it is the Penn Treebank's, with lines that begin with a tab the
  Brown corpus's. If each line has one token, sentences end at blank lines or after full stops;
- trees in brackets, as of the Penn Treebank's ``.mrg`` files;
- columns by tabs; by commas or semicolons in a ``.csv`` or under names of columns; by blanks where all
  lines have equally many and one column looks like tags: see :mod:`otlab.tagging.io.tables`;
- else plain text.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, get_args

from otlab.chat import MAIN, is_chat
from otlab.errors import Fault, InputError
from otlab.reading import NOT_USED, PREVIEW_LINES, ReadAs
from otlab.tagging.io.chat import MOR
from otlab.tagging.io.formats import TagColumn
from otlab.tagging.io.readers import DOCSTART, LEAF, MARKUP, RULE, SPEAKER, line_reader, row_cells
from otlab.tagging.io.reading import Reading
from otlab.tagging.io.tables import (
    END_NOTES,
    GUESS_LINES,
    MOST_TAGS,
    OFFERED,
    ROLES,
    SHARE,
    Ends,
    Head,
    Scored,
    asked_columns,
    columns,
    treetagger,
    tsv,
)
from otlab.tagging.io.textfile import blocks, damaged_gzip

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["named_reading", "readings", "readings_of_lines"]

_HEADS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_LABELS = {
    "slash": "word/TAG",
    "underscore": "word_TAG",
    "brown": "Brown corpus",
    "wsj": "Penn Treebank .pos",
    "trees": "bracketed trees",
}
_GLOBAL = re.compile(r"#\s*global\.columns\s*=\s*(.+)")
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
    head = Head(lines, tag_column)
    found = [
        *_transcript(lines, file_name),
        *_conllu(head, file_name, tag_column),
        *_separated(head, file_name),
        *_trees(head),
        *columns(head, file_name),
        *_raw(head),
    ]
    order = sorted(found, key=lambda scored: -scored[0])
    return tuple(with_preview(reading, lines) for _, reading in order)


def _transcript(lines: Sequence[str], name: str) -> list[Scored]:
    """Return a transcript of CHAT with the tags of its %mor lines, if there are any, and without tags."""
    named = name.lower().removesuffix(".gz").endswith(".cha")
    tagged = named or any(line.startswith(f"{MOR}:") for line in lines)
    if not is_chat("\n".join(lines[:5])) and not (tagged and any(line[:1] == MAIN for line in lines)):
        return []
    return [(6.0 - n, reading) for n, reading in enumerate(transcripts(lines))]


def transcripts(lines: Sequence[str]) -> list[ReadAs]:
    """Return the ways to read a transcript, whose first lines are given."""
    plain = ReadAs("cha", "CHAT transcript, words without tags", options={"tier": MAIN})
    if not any(line.startswith(f"{MOR}:") for line in lines):
        return [plain]
    return [ReadAs("cha", "CHAT transcript, tags of %mor", options={"tier": MOR}), plain]


def _conllu(head: Head, name: str, tag_column: TagColumn) -> list[Scored]:
    """Return CoNLL-U with either column of tags, or CoNLL-U Plus."""
    bare = name.removesuffix(".gz").lower()
    named = _GLOBAL.match(head.full[0]) if head.full else None
    heads = tuple(named[1].split()) if named is not None else _HEADS
    if heads != _HEADS or bare.endswith(".conllup"):
        return [(5.0, conllu_plus(heads, tag_column))]
    rows = [line.split("\t") for line in head.full if not line.startswith("#")]
    fits = bool(rows) and all(len(row) == 10 for row in rows[:1]) and rows[0][0].split("-")[0].isdigit()
    if not fits and named is None and not bare.endswith(".conllu"):
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
    return ReadAs("conllu-plus", "CoNLL-U Plus", roles, heads=heads, roles=ROLES)


def _separated(head: Head, name: str) -> list[Scored]:
    """Return the readings with a tag behind each word, where enough tokens have one."""
    ruled = any(RULE.fullmatch(line) for line in head.full)
    bracketed = any(re.match(r"\s*\[\s.*\s\]", line) for line in head.full)
    rows = [line.split() for line in head.full if not MARKUP.fullmatch(line)]
    tokens = [token for row in rows for token in row[bool(SPEAKER.fullmatch(row[0])) :]]
    if ruled or bracketed or name.lower().endswith(".pos"):
        tokens = [token for token in tokens if token not in ("[", "]") and not RULE.fullmatch(token)]
    found = []
    for format, separator in (("underscore", "_"), ("slash", "/")):
        tags = [tag for word, _, tag in (token.rpartition(separator) for token in tokens) if word and tag]
        share = len(tags) / len(tokens) if tokens else 0.0
        if share < OFFERED or len(set(tags)) >= MOST_TAGS:
            continue
        score = 4.0 if share >= SHARE else 0.5 * share  # behind plain text
        if format == "slash" and (ruled or bracketed):
            found.append((score + 0.2, wsj(head.lines)))
        elif format == "slash" and any(line.startswith("\t") for line in head.full):
            found.append((score + 0.2, ReadAs("brown", _LABELS["brown"])))
        score -= 0.1 * (format == "slash")
        if head.one_each:
            found.append((score + 0.1, one_each(format, head.ends)))
        found.append((score, ReadAs(format, _LABELS[format])))
    return found


def _trees(head: Head) -> list[Scored]:
    """Return the reading as bracketed trees, if the text begins with one and nearly all is in brackets."""
    lines = [line for line in head.full if line[0] != "#"]  # Floresta's .ptb has a line before each tree
    whole = [token for line in lines for token in line.split()]
    tokens = [token for token in whole if token[0] == "(" or token[-1] == ")"]
    if not tokens or whole[0][0] != "(" or len(tokens) < SHARE * len(whole):
        return []
    leaves = sum(len(LEAF.findall(line)) for line in lines)
    return [(4.3, ReadAs("trees", _LABELS["trees"]))] if 6 * leaves >= len(tokens) else []


def wsj(lines: Iterable[str]) -> ReadAs:
    """Return the reading as the Penn Treebank's tagged files.

    In the Treebank's own files single blank lines are also within sentences, which end at rules, at two blank
    lines, and after full stops. Without rules and two blank lines they end at blank lines, if there are about
    as many as full stops.
    """
    stops = groups = 0
    begun = paragraphs = False
    for before, line in pairwise(["/", *lines]):
        if not line.strip() or RULE.fullmatch(line):
            paragraphs = paragraphs or bool(line.strip()) or not before.strip()
            groups += begun
            begun = False
        else:
            stops += sum(token.endswith("/.") for token in line.split())
            begun = True
    ends = "blank" if groups + begun >= 0.8 * stops and not paragraphs else "marks"
    return ReadAs("wsj", _LABELS["wsj"], options={"ends": ends}, note=END_NOTES[ends])


def one_each(format: str, ends: Ends) -> ReadAs:
    """Return the reading of a text with a token a line."""
    label = f"{_LABELS.get(format, 'plain text')}, one a line"
    return ReadAs(format, label, options={"ends": ends}, note=END_NOTES[ends])


def _raw(head: Head) -> list[Scored]:
    plain = (1.0, ReadAs("raw", "plain text"))
    return [(1.2, one_each("raw", head.ends)), plain] if head.one_each else [plain]


def with_preview(reading: ReadAs, lines: Sequence[str]) -> ReadAs:
    """Return the reading with the first lines as it would read them."""
    if reading.columns:
        by, header = reading.options.get("by", "tabs"), reading.options.get("header")
        rows = (line for number, line in enumerate(lines, start=1) if str(number) != header)
        shown = (line for line in rows if line.strip() and line[0] != "#" and not line.startswith(DOCSTART))
        cells = [tuple(row_cells(line, by)) for line in islice(shown, PREVIEW_LINES)]
        return replace(reading, preview=tuple(cells))
    into = Reading("")
    line_reader(reading)(into, list(islice(lines, 200)), 1)
    if len(lines) <= 200:
        into.unfinished()
    text = into.text
    if reading.options.get("ends") == "marks" and text.tokens:
        text.end_at_marks((".",) if reading.format == "wsj" else ())
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
    head = Head(lines, tag_column)
    if format == "conllu":
        reading = conllu(tag_column)
    elif format == "conllu-plus":
        named = _GLOBAL.match(head.full[0]) if head.full else None
        reading = conllu_plus(tuple(named[1].split()) if named else _HEADS, tag_column)
    elif format == "tsv":
        reading = tsv(head)
    elif format == "treetagger":
        reading = treetagger("marks")
    elif format == "wsj":
        reading = wsj(lines)
    elif format == "cha":
        reading = transcripts(lines)[0]
    elif format == "columns":
        reading = asked_columns(head)
    elif format != "raw" and head.one_each:
        reading = one_each(format, head.ends)
    else:
        reading = ReadAs(format, _LABELS.get(format, "plain text"))
    if columns:
        reading = with_columns(reading, columns)
    if ends is not None:
        reading = with_ends(reading, ends)
    return with_preview(reading, lines)


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
    named = dict(zip(columns, ROLES, strict=False))
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
    if ends not in allowed or reading.format in ("conllu", "conllu-plus", "cha"):
        raise InputError(f"sentences of the format {reading.format} cannot end at {ends}")
    options = {key: value for key, value in reading.options.items() if key != "ends"}
    if ends != "lines":
        options["ends"] = ends
    return replace(reading, options=options, note=END_NOTES[ends])
