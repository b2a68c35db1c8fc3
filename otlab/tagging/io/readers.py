"""Readers of the lines of tagged text, one for each format.

A reader takes some lines and the number of the first, and puts words, tags, ends of sentences, faults, and
what it leaves out into the :class:`~otlab.tagging.io.reading.Reading`. For speed the usual line is read in
the loop, any other by a function of its own: two million words take some 2 s.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, counted
from otlab.tagging.io.chat import MOR, Transcript
from otlab.tagging.io.reading import Reading

if TYPE_CHECKING:
    from otlab.reading import ReadAs

__all__ = [
    "COLUMN_FORMATS",
    "DOCSTART",
    "LEAF",
    "MARKS_NONE",
    "MARKUP",
    "RULE",
    "SEPARATORS",
    "SPEAKER",
    "line_reader",
    "row_cells",
]

SEPARATORS: dict[str, str] = {"underscore": "_", "slash": "/", "brown": "/", "wsj": "/"}
COLUMN_FORMATS = ("conllu", "conllu-plus", "columns", "treetagger", "tsv")
"""Formats with a token a line."""

MARKS_NONE = (*COLUMN_FORMATS, "cha")
"""Formats in which a tag ``_`` says that there is none."""

DOCSTART = "-DOCSTART-"
RULE = re.compile(r"\s*={3,}\s*")
MARKUP = re.compile(r"\s*<[/?!]?[A-Za-z-][^<>\t]*>\s*")  # a line of SGML, as TreeTagger passes it on
_SENTENCE = re.compile(r"\s*</?s\b[^<>]*>\s*")
_BRACKET = re.compile(r"(?<!\S)[\[\]](?!\S)")
_FIXED = "\u00a0\u202f\u2007"  # blanks at which no line is broken, as in numbers: they are inside a word
_TOKEN = re.compile(rf"[\S{_FIXED}]+")
_HAS_FIXED = re.compile(f"[{_FIXED}]")
SPEAKER = re.compile(r"\w+\.\d+:")  # of a turn, at the beginning of its line: NLTK's Switchboard
LEAF = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)")
_NODE = re.compile(rf"{LEAF.pattern}|[()]")
_NOTHING = "-NONE-"  # the tag of traces and other empty elements
_MARKS = {"commas": ",", "semicolons": ";"}


LineReader = Callable[[Reading, list[str], int], None]


def line_reader(how: ReadAs) -> LineReader:
    """Return a function that reads lines, given the number of the first."""
    read = _reader_of(how)
    return _without_line(int(how.options["header"]), read) if "header" in how.options else read


def _without_line(header: int, read: LineReader) -> LineReader:
    """Return a reader that passes over the line with the names of the columns."""

    def read_rest(into: Reading, lines: list[str], first: int) -> None:
        at = header - first
        read(into, [*lines[:at], "", *lines[at + 1 :]] if 0 <= at < len(lines) else lines, first)

    return read_rest


def row_cells(line: str, by: str) -> list[str]:
    """Return the cells of a row, by "tabs" or "blanks", or by "commas" or "semicolons" as of spreadsheets.

    >>> row_cells('",",PUNCT', "commas")
    [',', 'PUNCT']
    """
    if by in _MARKS:
        try:
            return next(csv.reader([line], delimiter=_MARKS[by]), [])
        except csv.Error:  # no row of a table is that long
            return [line]
    return words_of(line) if by == "blanks" else line.rstrip("\n").split("\t")


def words_of(line: str) -> list[str]:
    r"""Return what stands between blanks; a blank that does not break is part of its word.

    >>> words_of("1\u00a0000/NUM euros/NOM")
    ['1\xa0000/NUM', 'euros/NOM']
    """
    return _TOKEN.findall(line) if _HAS_FIXED.search(line) else line.split()


def _reader_of(how: ReadAs) -> LineReader:
    if how.format == "raw":
        each = how.options.get("ends") is not None
        return lambda into, lines, first: _raw(into, lines, each)
    if how.format == "wsj":
        least = 2 if how.options.get("ends") == "marks" else 1
        return lambda into, lines, first: _wsj(into, lines, first, least)
    if how.format == "trees":
        return _trees
    if how.format == "cha":
        return Transcript(tagged=how.options.get("tier") == MOR)
    if how.format in SEPARATORS:
        separator, each = SEPARATORS[how.format], how.options.get("ends") is not None
        return lambda into, lines, first: _separated(into, lines, first, separator, each)
    word, tag = how.place("word"), how.place("tag")
    if word is None:
        raise InputError(Fault("no column is the word", "say which one it is"))
    if how.format == "conllu" and tag is not None:
        return lambda into, lines, first: _conllu(into, lines, first, tag - 1)
    if how.format == "tsv":
        return _tsv
    by = how.options.get("by", "tabs")
    table = Table(word - 1, None if tag is None else tag - 1, len(how.columns), by)
    if how.format == "conllu-plus":
        numbered = how.heads[:1] == ("ID",)
        return lambda into, lines, first: _conllu_plus(into, lines, first, table, numbered)
    if how.format == "treetagger":
        return lambda into, lines, first: _treetagger(into, lines, first, table)
    return lambda into, lines, first: _columns(into, lines, first, table)


@dataclass(frozen=True)
class Table:
    """Which columns are the word and the tag (from 0), how many there are, and what separates them."""

    word: int
    tag: int | None
    width: int
    by: str

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        return row_cells(line, self.by)

    def take(self, into: Reading, number: int, line: str) -> None:
        """Add the token of a line, or its fault."""
        cells = self.cells(line)
        if not any(map(str.strip, cells)):  # a blank row of a spreadsheet
            into.text.end_sentence()
            return
        if len(cells) != self.width:
            wanted = counted(self.width, "column")
            what = f"{counted(len(cells), 'column')} instead of {self.width}"
            into.fault(number, 1, what, f"separate {wanted} by {self.by}, or leave the line blank")
            return
        word = cells[self.word].strip()
        tag = None if self.tag is None else cells[self.tag].strip()
        if word and tag != "":
            into.text.word_of.append(into.text.words[word])
            if tag is not None:
                into.text.tag_of.append(into.text.tags[tag])
        elif not word:
            into.fault(
                number, 1, f"no word in column {self.word + 1}", "write the word, or say which column has it"
            )
        else:
            into.fault(
                number, 1, f"no tag in column {(self.tag or 0) + 1}", "write a tag, or _ where there is none"
            )


def _columns(into: Reading, lines: list[str], first: int, table: Table) -> None:
    for number, line in enumerate(lines, start=first):
        if not line or line.isspace():
            into.text.end_sentence()
        elif line.startswith(DOCSTART):
            into.text.end_sentence()
            into.left_out[f"{DOCSTART} lines"] += 1
        elif line.startswith(("#begin document", "#end document")):
            into.text.end_sentence()
            into.left_out["#begin and #end lines"] += 1
        else:
            table.take(into, number, line)


def _treetagger(into: Reading, lines: list[str], first: int, table: Table) -> None:
    for number, line in enumerate(lines, start=first):
        if not line or line.isspace():
            into.text.end_sentence()
        elif MARKUP.fullmatch(line):
            into.left_out["lines of markup"] += 1
            if _SENTENCE.fullmatch(line):
                into.text.end_sentence()
        else:
            table.take(into, number, line)


def _conllu_plus(into: Reading, lines: list[str], first: int, table: Table, numbered: bool) -> None:
    for number, line in enumerate(lines, start=first):
        if not line or line.isspace():
            into.text.end_sentence()
        elif line[0] == "#":
            continue
        elif numbered and re.match(r"\d+[-.]\d+\t", line):
            into.left_out[_kind_of_node(line)] += 1
        else:
            table.take(into, number, line)


def _kind_of_node(identifier: str) -> str:
    return "ranges of multiword tokens" if re.match(r"\d+-", identifier) else "empty nodes"


def _conllu(into: Reading, lines: list[str], first: int, column: int) -> None:
    text = into.text
    words, tags, word_of, tag_of = text.words, text.tags, text.word_of.append, text.tag_of.append
    for number, line in enumerate(lines, start=first):
        if not line:
            text.end_sentence()
        elif line[0] != "#":
            parts = line.split("\t")
            if len(parts) == 10 and parts[0].isdigit() and parts[1] and parts[column]:
                if parts[0] == "1":  # also where no blank line is before it
                    text.end_sentence()
                word_of(words[parts[1]])
                tag_of(tags[parts[column]])
            else:
                _odd_conllu_line(into, number, parts, column)


def _odd_conllu_line(into: Reading, number: int, parts: list[str], column: int) -> None:
    """Report a line that is not a word, unless it is a multiword token or an empty node."""
    identifier = parts[0]
    if not any(map(str.strip, parts)):
        into.text.end_sentence()
    elif len(parts) != 10:
        into.fault(
            number, 1, f"{counted(len(parts), 'column')} instead of 10", "separate the ten columns by tabs"
        )
    elif not identifier.isdigit():
        if re.fullmatch(r"\d+[-.]\d+", identifier):
            into.left_out[_kind_of_node(identifier)] += 1
        else:
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
        hint = f"say that the format is {'conllu' if len(parts) == 10 else 'columns'}, if it is"
        into.fault(number, 1, f"{counted(len(parts), 'column')} instead of 2", hint)
    elif not parts[0].strip():
        into.fault(number, 1, "the word is empty", hint)
    else:
        into.fault(number, len(parts[0]) + 2, "the tag is empty", hint)


def _separated(into: Reading, lines: list[str], first: int, separator: str, each: bool) -> None:
    """Read lines of tokens with tags; a line is a sentence or, with `each`, a part of one."""
    text = into.text
    words, tags, word_of, tag_of = text.words, text.tags, text.word_of.append, text.tag_of.append
    for number, line in enumerate(lines, start=first):
        if line.startswith("<") and MARKUP.fullmatch(line):
            into.left_out["lines of markup"] += 1
            continue
        if not line.isascii() and _HAS_FIXED.search(line):
            line = _with_blanks(line, separator)
        tokens = words_of(line)
        labelled = bool(tokens) and SPEAKER.fullmatch(tokens[0]) is not None
        if labelled:
            into.left_out["labels of speakers"] += 1
        for place, token in enumerate(tokens[labelled:], start=labelled):
            word, _, tag = token.rpartition(separator)
            if word and tag:
                word_of(words[word])
                tag_of(tags[tag])
            else:
                column = next(islice(_TOKEN.finditer(line), place, None)).start() + 1
                into.fault(number, column, f"{token!r} has no tag", f"write word{separator}TAG")
        if not each or not tokens:
            text.end_sentence()


def _with_blanks(line: str, separator: str) -> str:
    r"""Return a line with blanks in place of those that do not break, where each part has a tag.

    >>> _with_blanks("the/DT\u00a0dog/NN 1\u00a0000/NUM", "/") == "the/DT dog/NN 1\u00a0000/NUM"
    True
    """

    def cut(token: re.Match[str]) -> str:
        parts = [part.rpartition(separator) for part in token[0].split()]
        return _HAS_FIXED.sub(" ", token[0]) if all(word and tag for word, _, tag in parts) else token[0]

    return _TOKEN.sub(cut, line)


def _wsj(into: Reading, lines: list[str], first: int, least: int) -> None:
    """Read the Penn Treebank's tagged text: noun phrases in brackets, rules of = between paragraphs.

    Sentences end at rules, and where `least` lines or more are blank.
    """
    for number, line in enumerate(lines, start=first):
        rule = RULE.fullmatch(line)
        into.blank = into.blank + 1 if not line or line.isspace() else 0
        if rule or into.blank >= least:
            into.text.end_sentence()
        if rule or into.blank:
            continue
        if line.startswith("*x*"):  # a line about the file
            into.left_out["lines that begin with *x*"] += 1
            continue
        bare, brackets = _BRACKET.subn(" ", line)
        if brackets:
            into.left_out["brackets"] += brackets
        _separated(into, [bare], number, "/", True)


def _trees(into: Reading, lines: list[str], first: int) -> None:
    """Read bracketed trees: the leaves are words under their tags, and a tree is a sentence."""
    text = into.text
    into.unfinished = lambda: _check_closed(into)
    for number, line in enumerate(lines, start=first):
        if line.startswith("#") and not into.depth:
            into.left_out["lines that begin with #"] += 1
            continue
        for node in _NODE.finditer(line):
            tag, word = node.groups()
            if tag == _NOTHING:
                into.left_out["empty elements"] += 1
            elif tag is not None:
                text.word_of.append(text.words[word])
                text.tag_of.append(text.tags[tag])
            elif node[0] == "(":
                into.begun = into.begun if into.depth else (number, node.start() + 1)
                into.depth += 1
            elif into.depth:
                into.depth -= 1
            else:
                into.fault(number, node.start() + 1, "this bracket closes no tree", "delete it")
            if not into.depth:
                text.end_sentence()


def _check_closed(into: Reading) -> None:
    """Record a fault if the last tree is not closed, or one before it, which the others are then inside."""
    if into.depth:
        what = f"this tree is not closed: {counted(into.depth, 'bracket')} too few from here to the end"
        into.fault(*into.begun, what, "close it; a tree is a sentence")


def _raw(into: Reading, lines: list[str], each: bool) -> None:
    """Read lines of words; a line is a sentence or, with `each`, a part of one."""
    text = into.text
    words, word_of = text.words, text.word_of.append
    for line in lines:
        tokens = line.split()
        for word in tokens:
            word_of(words[word])
        if not each or not tokens:
            text.end_sentence()
