r"""Recognise files that hold no tableau but are often opened, and say what to do instead.

>>> print(refusal(b'"ooTextFile"\n"Sound 2"\n', "a.Sound"))
a.Sound: is a Praat Sound file, not a tableau; load a table as CSV, OTSoft text, .xlsx or OTGrammar
>>> praat_class(b'"ooTextFile"\n"OTGrammar 2"\n')
'OTGrammar'
"""

from __future__ import annotations

import codecs
import re

from otlab.errors import Fault
from otlab.files import file_kind
from otlab.ot.io.cell_parsing import is_number
from otlab.ot.io.delimited import delimiter_of

__all__ = ["constraint_file", "not_a_tableau", "praat_class", "refusal"]

_READ = ("a spreadsheet", "a ZIP archive")  # a spreadsheet, too, as far as its beginning tells
_BINARY_PRAAT = "a binary file of Praat"  # of which more is said
_PRAAT = re.compile(r'^\s*(File type\s*=\s*)?"(ooTextFile|praat)', re.IGNORECASE)
_PRAAT_CLASS = re.compile(r'"(OTGrammar|PairDistribution|[A-Z]\w+)[ \d]*"|^(PairDistribution)$', re.MULTILINE)
_HEADLESS = re.compile(
    r'\s*((Object class\s*=\s*)?"(OTGrammar|PairDistribution)[ \d]*"'
    r"|(decisionStrategy\s*=\s*)?<\w+>|pairs: size\s*=)"
)
_HEAD = 65_536  # bytes that are examined


def refusal(data: bytes, file: str) -> Fault | None:
    """Return a fault that names the kind of file and what to do with it; None if it may be a tableau.

    Parameters
    ----------
    data
        The content, or its beginning.
    file
        The name.
    """
    kind = file_kind(data)
    if kind and kind not in (*_READ, _BINARY_PRAAT):
        return Fault(f"is {kind}, not a tableau", _OTHERWISE.get(kind, _SAVE), file=file)
    praat = praat_class(data)
    if praat is not None:
        return _praat(praat, file)
    if _HEADLESS.match(_head(data)):
        what = "is a file of Praat without its first lines"
        hint = (
            'begin it with File type = "ooTextFile" and Object class = "OTGrammar 2" (or "PairDistribution")'
        )
        return Fault(what, hint, file=file)
    kind = constraint_file(data)
    if kind == "apriori":
        return Fault(
            "holds a priori rankings of constraints, and no tableau",
            "load the tableaux; then drop this file onto the Data tab, or give it to 'otlab rank --apriori'",
            file=file,
        )
    if kind == "bias":
        return Fault(
            "holds a mean and a standard deviation for each constraint (a MaxEnt bias file), and no tableau",
            "load the tableaux; then drop this file onto the Data tab, or give it to 'otlab learn --prior'",
            file=file,
        )
    return None


def constraint_file(data: bytes) -> str:
    """Return what a file says of single constraints: ``"apriori"`` rankings, or a ``"bias"``; else ""."""
    lines = [line.rstrip("\r") for line in _head(data).split("\n") if _is_row(line)]
    delimiter = delimiter_of(lines[0]) if lines else ","
    rows = [line.split(delimiter) for line in lines]
    if _is_rankings(rows):
        return "apriori"
    return "bias" if _is_prior(rows) else ""


_OTHERWISE = {
    "a compressed file": "unpack it first",
    "a document of a lab": "open it by otlab.open_document, or in its lab",
    "a document of the old .xls or .doc kind": "save a spreadsheet as .xlsx",
}
_SAVE = "load a table as CSV, OTSoft text, .xlsx or OTGrammar"
_BINARY = b"ooBinaryFile"


def not_a_tableau(what: str, file: str) -> Fault:
    """Return the fault of a file that is something else."""
    return Fault(f"{what}, not a tableau", _SAVE, file=file)


def praat_class(data: bytes) -> str | None:
    """Return the class of object in a file of Praat, None for any other file.

    ``"binary"`` for a binary file, ``""`` if a text does not tell.
    """
    if data.startswith(_BINARY):
        return "binary"
    text = _head(data)
    if not _PRAAT.match(text):
        return None
    match = _PRAAT_CLASS.search(text, _end_of_first_string(text))
    return (match[1] or match[2]) if match else ""


def _head(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data[:_HEAD].decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _end_of_first_string(text: str) -> int:
    first = text.index('"')
    return text.find('"', first + 1) + 1


def _praat(kind: str, file: str) -> Fault | None:
    """Return a fault for a file of Praat; None if it may hold tableaux."""
    if kind == "binary":
        hint = "save it in Praat with 'Save as text file...'"
        return Fault("is a binary file of Praat", hint, file=file)
    if kind in ("OTGrammar", "Collection"):
        return None
    if kind == "PairDistribution":
        what = "holds pairs and their weights (a Praat PairDistribution), and no violations"
        hint = "open its OTGrammar first, then drop this file onto the Data tab; a script reads both"
        return Fault(what, f"{hint} if they have one name", file=file)
    return not_a_tableau(f"is a Praat {kind or 'text'} file", file)


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _is_rankings(rows: list[list[str]]) -> bool:
    """Return whether these are a priori rankings of OTSoft: the columns and the rows have the same names."""
    if len(rows) < 2 or rows[0][0].strip():
        return False
    names = [cell.strip() for cell in rows[0][1:]]
    while names and not names[-1]:
        names.pop()
    labels = [row[0].strip() for row in rows[1:]]
    return len(names) > 1 and all(names) and set(labels) <= set(names)


def _is_prior(rows: list[list[str]]) -> bool:
    """Return whether this is a file of priors: each row but the header is a name and two numbers."""
    cells = [[cell.strip() for cell in row] for row in rows]
    body = cells[1:] if cells and not is_number(cells[0][-1]) else cells
    return (
        bool(body)
        and all(len(row) == 3 for row in cells)
        and all(row[0] and not is_number(row[0]) and is_number(row[1]) and is_number(row[2]) for row in body)
    )
