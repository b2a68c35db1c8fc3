"""Recognise a text with a token a line in columns: what separates them, and which are the word and its tag.

Columns are told apart by tabs, by blanks, or in tables of spreadsheets by commas or semicolons. A first line
that names one column as the word and another as its tag (``word,POS``) is no token.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Literal

from otlab.reading import NOT_USED, ReadAs
from otlab.tagging.io.readers import DOCSTART, MARKUP, row_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["END_NOTES", "MOST_TAGS", "ROLES", "Ends", "Head", "asked_columns", "columns", "treetagger", "tsv"]

Ends = Literal["lines", "blank", "marks"]
END_NOTES = {"lines": "", "blank": "", "marks": "sentences end after full stops"}
ROLES = ("word", "tag")
GUESS_LINES = 1000
MOST_TAGS = 300
OFFERED = 0.5  # of the tokens or lines from which on another reading is offered
MOST_OF_FEW = 100  # different cells of a column of tags that are written with small letters
SHARE = 0.95  # of the tokens that must have a tag, and of the lines that must have as many columns

_MOST_COLUMNS = 20
_TAGLIKE = re.compile(r"[A-Z$#][^a-z\s]*|[BIOES]-\S+|\W+")
_CHUNK = re.compile(r"[BIOES]-\S+|O")  # of named entities and chunks
_ABOUT_DOCUMENTS = (DOCSTART, "#begin document", "#end document")
_WORD_NAMES = ("word", "form", "token", "words", "tokens", "wordform")
_TAG_NAMES = {
    "xpos": ("xpos", "xpostag", "pos", "postag", "upos", "upostag", "tag", "tags"),
    "upos": ("upos", "upostag", "pos", "postag", "xpos", "xpostag", "tag", "tags"),
}

Scored = tuple[float, ReadAs]


class Head:
    """The first lines of a text: those that are not blank, and what they have in common."""

    def __init__(self, lines: Sequence[str], tag_column: str = "xpos") -> None:
        self.lines, self.tag_column = lines, tag_column
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

    @property
    def rows(self) -> list[str]:
        """The lines that are rows of a table if the text is one."""
        return [line for line in self.full if not line.startswith(_ABOUT_DOCUMENTS)]

    def number(self, line: str) -> int:
        """Return the number of the first such line of the text, counted from 1."""
        return self.lines.index(line) + 1


def columns(head: Head, name: str = "") -> list[Scored]:
    """Return the readings as columns: by tabs, by blanks, or by commas or semicolons."""
    lines = head.rows
    plain = [line for line in lines if not MARKUP.fullmatch(line)]
    found = _by_tabs(head, plain, markup=len(plain) < len(lines))
    if not found:
        found = [scored for by in ("commas", "semicolons") for scored in _by_marks(head, lines, by, name)]
    rows = [row_cells(line, "blanks") for line in lines]
    width, count = _commonest(map(len, rows))
    if not found and 1 < width <= _MOST_COLUMNS and count == len(rows) > 1:
        reading = columns_of(rows, "blanks", head)
        found.append((3.0 if _sure(reading, rows) else 0.9, reading))
    return found


def _by_tabs(head: Head, plain: Sequence[str], markup: bool) -> list[Scored]:
    rows = [row_cells(line, "tabs") for line in plain]
    width, count = _commonest(map(len, rows))
    found: list[Scored] = []
    tabs_first = bool(plain) and "\t" in plain[0].strip()
    if width > 1 and (count >= SHARE * len(rows) or tabs_first):
        kept = [row for row in rows if len(row) == width]
        reading = columns_of(kept, "tabs", head, "blank" if markup else None)
        score = 3.0 if count >= OFFERED * len(rows) else 1.1
        docstart = any(line.startswith(DOCSTART) for line in head.full)
        if reading.heads:
            return [(score, reading)]
        if width == 2 and not (markup or docstart):
            found.append((score, tsv(head)))
        if width == 3 and (markup or not head.inner_blanks):
            found.append((score + 0.1, treetagger(head.ends)))
        if width != 2 or docstart:
            found.append((score, reading))
    elif tabs_first:
        found.append((3.0, tsv(head)))
    return found


def _by_marks(head: Head, lines: Sequence[str], by: str, name: str) -> list[Scored]:
    """Return the reading as a spreadsheet's table, if it says what its columns are or is called so."""
    rows = [row_cells(line, by) for line in lines]
    width, count = _commonest(map(len, rows))
    if not 1 < width <= _MOST_COLUMNS or count < SHARE * len(rows):
        return []
    kept = [row for row in rows if len(row) == width]
    reading = columns_of(kept, by, head)
    called = name.lower().removesuffix(".gz").endswith(".csv")
    return [(4.5, reading)] if reading.heads or (called and _sure(reading, kept)) else []


def tsv(head: Head) -> ReadAs:
    """Return the reading as a word, a tab, and its tag."""
    return ReadAs("tsv", "two columns", ROLES, {"ends": head.ends}, note=END_NOTES[head.ends])


def treetagger(ends: Ends) -> ReadAs:
    """Return the reading as TreeTagger's output: word, tag, lemma."""
    note = "sentences end at <s> and </s>, blank lines and full stops" if ends == "marks" else ""
    options = {"ends": ends, "by": "tabs"}
    return ReadAs("treetagger", "TreeTagger", (*ROLES, NOT_USED), options, note=note, roles=ROLES)


def columns_of(rows: Sequence[Sequence[str]], by: str, head: Head, ends: Ends | None = None) -> ReadAs:
    """Return the reading as columns of which one seems to be the word and another its tag."""
    ends = ends or head.ends
    options = {"by": by, "ends": ends}
    named = _named_columns(rows[0], head.tag_column) if len(rows) > 1 else None
    word, tag = named or _guess_columns(rows)
    heads: tuple[str, ...] = ()
    if named is not None:
        first = next(line for line in head.full if row_cells(line, by) == list(rows[0]))
        heads, options["header"] = tuple(cell.strip() for cell in rows[0]), str(head.number(first))
    roles = tuple("word" if i == word else "tag" if i == tag else NOT_USED for i in range(len(rows[0])))
    note = END_NOTES[ends]
    return ReadAs("columns", f"columns by {by}", roles, options, note=note, heads=heads, roles=ROLES)


def asked_columns(head: Head) -> ReadAs:
    """Return the reading as columns: by tabs, commas or semicolons if most lines have one, else by blanks."""
    lines = head.rows
    marks = {"tabs": "\t", "commas": ",", "semicolons": ";"}
    often = (by for by, mark in marks.items() if _in_most(lines, mark))
    by = next((by for by in often if by == "tabs" or not _in_most(lines, " ")), "blanks")
    rows = [row_cells(line, by) for line in lines] or [[""]]
    width, _ = _commonest(map(len, rows))
    return columns_of([row for row in rows if len(row) == width], by, head)


def _in_most(lines: Sequence[str], mark: str) -> bool:
    return 2 * sum(mark in line.strip() for line in lines) >= len(lines)


def _named_columns(cells: Sequence[str], tag_column: str) -> tuple[int, int] | None:
    """Return the columns (from 0) of the word and the tag, if a row names both."""
    names = [cell.strip().lower().replace("_", "") for cell in cells]
    word = next((names.index(name) for name in _WORD_NAMES if name in names), None)
    tag = next((names.index(name) for name in _TAG_NAMES[tag_column] if name in names), None)
    return None if word is None or tag is None else (word, tag)


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
    tags.sort(key=lambda i: _chunks(columns[i]))
    if tags and _chunks(columns[tags[0]]):  # small letters, beside a column of names or chunks
        most = min(MOST_OF_FEW, len(set(columns[word])) // 2)
        tags[:0] = [i for i in rest if i not in tags and len(set(columns[i])) <= most]
    fewest = min(rest, key=lambda i: len(set(columns[i])), default=None)
    return word, tags[0] if tags else fewest


def _named(column: Sequence[str]) -> bool:
    """Return whether a column says where names or chunks begin."""
    return _chunks(column) and any(cell.startswith("B-") for cell in column)


def _chunks(column: Sequence[str]) -> bool:
    return all(_CHUNK.fullmatch(cell) for cell in column)


def _numbers(column: Sequence[str]) -> bool:
    return sum(bool(re.fullmatch(r"[\d.-]+", cell)) for cell in column) >= SHARE * len(column)


def _taglike(column: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether cells look like tags: capitals or marks, no more types than there are words."""
    pairs = [(cell, word) for cell, word in zip(column, words, strict=True) if cell != "_"]
    cells = [cell for cell, word in pairs if any(map(str.isalnum, word))] or [cell for cell, _ in pairs]
    like = sum(bool(_TAGLIKE.fullmatch(cell)) for cell in cells)
    return bool(cells) and like >= 0.9 * len(cells) and len(set(cells)) <= min(len(set(words)), MOST_TAGS)


def _sure(reading: ReadAs, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether one of the columns is one of tags, so that the text is no plain one."""
    tag = reading.place("tag")
    if reading.heads or tag is None:
        return bool(reading.heads)
    words, tags = [row[(reading.place("word") or 1) - 1] for row in rows], [row[tag - 1] for row in rows]
    if sum(map(len, words)) < 1.5 * len(words) or max(map(len, tags)) < 2:
        return False  # phones, some of them capitals
    if (_taglike(tags, words) and not _taglike(words, tags)) or any(map(_named, zip(*rows, strict=True))):
        return True
    kinds = set(tags)
    return len(rows) >= 30 and 3 * len(kinds) <= len(set(words)) and len(kinds) < MOST_OF_FEW


def _commonest(numbers: Iterable[int]) -> tuple[int, int]:
    """Return the number that occurs most often, and how often."""
    return next(iter(Counter(numbers).most_common(1)), (0, 0))
