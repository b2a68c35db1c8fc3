"""Cells of text that is separated by commas, semicolons or tabs, with their lines and columns.

Encoding: UTF-8 with or without byte order mark, UTF-16 with one (a spreadsheet's
"Unicode text"), else Windows-1252. Lines end with LF, CRLF or CR. Lines that begin
with ``#`` above the header are comments; below it only if they cannot be a row. A first line ``sep=;``,
as Excel writes it, names what separates cells; a table of Markdown has bars around them.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, counted
from otlab.files import decode_any, stripped
from otlab.ot.io.cells import PROGRESS_EVERY, Cell, Grid
from otlab.ot.io.heads import HEADS, head_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.ot.io.cells import Progress

__all__ = ["cut", "decode", "delimiter_of"]

_TITLES = 10  # lines among which the header is
MOST_COLUMNS = 16_384
"""As in a spreadsheet."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_NAMED = re.compile(r"sep=([,;\t|])?\s*", re.IGNORECASE)
_BARRED = re.compile(r"\s*\|.*\|\s*")
_RULE = re.compile(r"[\s|:-]+")


def decode(data: bytes, file: str) -> str:
    """Return the text of a file.

    Raises
    ------
    InputError
        If it is empty, ends inside a character, or is no text.

    Warns
    -----
    DataWarning
        If it is read as Windows-1252.
    """
    text = _decode(data, file)
    if "\0" in text:
        before = _LINE_END.split(text[: text.index("\0")])
        what = "holds a NUL byte: it is no text, or it is damaged"
        hint = "save it as UTF-8 text or as .xlsx"
        raise InputError(Fault(what, hint, file=file, line=len(before), column=len(before[-1]) + 1))
    if not text.strip():
        raise InputError(Fault("is empty", "write a header and rows", file=file))
    return text


def _decode(data: bytes, file: str) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        if not wide:
            return decode_any(data, file)
        raise InputError(
            Fault("ends inside a character: it is cut off", "save it again", file=file)
        ) from None


def cut(text: str, file: str, name: str, progress: Progress | None = None) -> Grid:
    """Return the grid of a text: its cells and comments.

    Parameters
    ----------
    text
        With any line ends.
    file, name
        Names of the file, for faults, and of the tableau.
    progress
        Called during reading with the share of the text done, 0 to 1.
    """
    lines = _LINE_END.split(text)

    def fault(cell: Cell, what: str, hint: str) -> Fault:
        return Fault(what, hint, file=file, line=cell.line, column=cell.column)

    lines, delimiter = _without_frame(lines)
    wide = next((n for n, line in enumerate(lines, 1) if line.count(delimiter) >= MOST_COLUMNS), 0)
    if wide:
        what = f"{counted(lines[wide - 1].count(delimiter) + 1, 'cell')}; at most {MOST_COLUMNS:,} are read"
        raise InputError(Fault(what, "write a constraint a column", file, wide))
    if _by_blanks(_header(lines), delimiter):
        hint = "separate them by tabs, commas or semicolons, an empty cell too"
        raise InputError(Fault("the cells are separated by blanks", hint, file))
    scan = _Scan("\n".join(lines), delimiter)
    rows = [row for row in scan.rows(progress) if any(cell.text for cell in row)]
    hint = "close it, or double it to mean a quote"
    unclosed = [fault(cell, "the quote is not closed", hint) for cell in scan.unclosed]
    return Grid(file, name, rows, scan.comments, fault, unclosed, delimiter=delimiter)


def _without_frame(lines: list[str]) -> tuple[list[str], str]:
    """Return the lines of the table in their places, without what only frames it, and the delimiter."""
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    named = _NAMED.fullmatch(lines[first])
    if named:
        lines = [*lines[:first], "", *lines[first + 1 :]]
        return lines, named[1] or delimiter_of(_header(lines))
    header = _header(lines)
    if not _BARRED.fullmatch(header) or header.count("|") < 4:
        delimiter = delimiter_of(header)
        return ["" if delimiter == "|" and _RULE.fullmatch(n) else n for n in lines], delimiter
    return [_without_bars(line) if _BARRED.fullmatch(line) else line for line in lines], "|"


def _by_blanks(header: str, delimiter: str) -> bool:
    """Return whether a header has the usual heads, and nothing but blanks between them."""
    heads = [head_name(word) for word in header.split()]
    return delimiter not in header and len(heads) > 3 and heads[0] in HEADS[0] and heads[1] in HEADS[1]


def _without_bars(line: str) -> str:
    """Return a line of a Markdown table without the outer bars; empty if it only draws a rule."""
    if _RULE.fullmatch(line):
        return ""
    return re.sub(r"\\([*_])", r"\1", line.replace("|", " ", 1).rstrip()[:-1])


def _header(lines: list[str]) -> str:
    """Return the first line that is no comment; below titles without tabs the first one with two tabs."""
    first = list(islice((n for n in lines if n.strip() and not n.startswith("#")), _TITLES))
    tabbed = [line for line in first if line.count("\t") > 1]
    return tabbed[0] if 2 * len(tabbed) > len(first) else next(iter(first), "")


def delimiter_of(header: str) -> str:
    """Return what separates the cells of a header: a tab, or the more frequent of bar, semicolon and comma.

    As many commas as semicolons are decimal commas, as in ``Onset;0,5;1,0``.
    """
    if "\t" in header:
        return "\t"
    bare = re.sub(r'"[^"]*"', "", header)
    if bare.count("|") >= max(3, bare.count(","), bare.count(";")):
        return "|"
    return ";" if bare.count(";") >= max(bare.count(","), 1) else ","


class _Scan:
    """One pass over a text: rows of cells, comments, and cells whose quote is not closed."""

    def __init__(self, text: str, delimiter: str) -> None:
        self.text = text
        self.delimiter = delimiter
        self.comments: list[Cell] = []
        self.unclosed: list[Cell] = []
        self._line, self._start, self._in_table = 1, 0, False
        # In tab-delimited text a bare " is typed for stress, so there a quote counts only
        # if it ends at the end of its cell, and never contains a tab.
        inside, end = ('[^"\t]', r"(?=[\t\n]|$)") if delimiter == "\t" else ('[^"]', f"[^{delimiter}\n]*")
        self._quoted = re.compile(f'[ ]*"({inside}*(?:""{inside}*)*)"({end})')
        self._plain = re.compile(f"[^{delimiter}\n]*")

    def rows(self, progress: Progress | None = None) -> Iterator[list[Cell]]:
        """Yield each row that is neither a comment nor empty."""
        position = 0
        while position <= len(self.text):
            if progress is not None and not self._line % PROGRESS_EVERY:
                progress(position / len(self.text))
            self._start = position
            end = self.text.find("\n", position)
            raw = self.text[position : end if end >= 0 else len(self.text)]
            if self._is_comment(raw):
                self.comments.append(Cell(raw.lstrip("#").strip(), self._line, 1))
                position += len(raw)
            elif raw:
                row, position = self._row(position, raw)
                self._in_table = self._in_table or any(cell.text for cell in row)
                yield row
            self._line += 1
            position += 1

    def _is_comment(self, raw: str) -> bool:
        if not raw.startswith("#"):
            return False
        separators = raw.count(self.delimiter)
        return not self._in_table or not separators or (raw.startswith("# ") and separators < 3)

    def _row(self, position: int, raw: str) -> tuple[list[Cell], int]:
        if '"' not in raw:
            return self._plain_row(raw), position + len(raw)
        row = []
        while True:
            cell, position = self._cell(position)
            row.append(cell)
            if self.text[position : position + 1] != self.delimiter:
                return row, position
            position += 1

    def _plain_row(self, raw: str) -> list[Cell]:
        """Return the cells of a line without quotes: much faster, and most lines have none."""
        row, column = [], 1
        for text in raw.split(self.delimiter):
            row.append(Cell(stripped(text), self._line, column))
            column += len(text) + 1
        return row

    def _cell(self, position: int) -> tuple[Cell, int]:
        line, column = self._line, position - self._start + 1
        quoted = self._quoted.match(self.text, position)
        if quoted:
            inside = quoted.group(1)
            if "\n" in inside:
                self._line += inside.count("\n")
                self._start = position + quoted.group(0).rindex("\n") + 1
            text = inside.replace('""', '"') + quoted.group(2)
            return Cell(stripped(text), line, column), quoted.end()
        plain = self._plain.match(self.text, position)
        text = stripped(plain.group(0)) if plain else ""
        cell = Cell(text, line, column)
        if text.startswith('"') and self.delimiter != "\t":
            self.unclosed.append(cell)
        return cell, position + len(plain.group(0) if plain else "")
