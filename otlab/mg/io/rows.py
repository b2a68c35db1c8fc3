"""Check typed rows one by one and make lexical items of them; collect the lexicon of a file.

A file and the lab's grid both arrive here: text in three cells. A row that means
nothing gives a :class:`Remark` and no item; the other rows are used.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from otlab.errors import Fault
from otlab.mg.features import Convention, FeatureFault, parse_features
from otlab.mg.lexicon import SILENT, LexicalItem
from otlab.mg.remarks import Remark
from otlab.mg.sentences import composed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.mg.features import Convention
    from otlab.mg.lexicon import ExpectedSentence

__all__ = ["Draft", "Row", "categories", "check_alpha", "check_row", "check_rows"]

_DECIMAL_COMMA = re.compile(r"\d*,\d+")
_SILENT_WORDS = ("", SILENT, "_", "\N{GREEK LUNATE EPSILON SYMBOL}", "ɛ", "[]")


@dataclass(frozen=True, slots=True)
class Row:
    """The text of one lexical entry.

    Attributes
    ----------
    phon, features, alpha
        The three cells.
    line
        Line of the file, or number of the grid's row, from 1.
    column, alpha_column
        Where the features and the pseudo-count begin.
    """

    phon: str
    features: str
    alpha: str = ""
    line: int | None = None
    column: int = 1
    alpha_column: int = 1


def check_row(row: Row, convention: Convention) -> LexicalItem | Remark:
    """Return the row's item, or its fault."""
    try:
        features = parse_features(composed(row.features), convention)
    except FeatureFault as fault:
        written = f"{row.phon.strip() or SILENT} :: {row.features.strip()}"
        return Remark(fault.code, fault.what, fault.hint, row.line, row.column + fault.offset, written)
    alpha = check_alpha(row.alpha) if row.alpha.strip() else None
    if isinstance(alpha, str):
        hint = "write a number above 0, such as 0.5"
        return Remark("E105", alpha, hint, row.line, row.alpha_column, row.phon)
    unreadable = _unreadable(row.phon)
    if unreadable:
        hint = "a lexicon file would not read it as a word; use another sign"
        return Remark("E107", unreadable, hint, row.line, 1, row.phon.strip())
    columns = tuple(row.column + offset for offset in _offsets(row.features))
    words = () if row.phon.strip() in _SILENT_WORDS else tuple(composed(row.phon).split())
    return LexicalItem(words, features, alpha, row.line, columns)


@lru_cache(maxsize=4096)
def _offsets(features: str) -> tuple[int, ...]:
    """Return where each feature begins."""
    return tuple(m.start() for m in re.finditer(r"\S+", features))


def _unreadable(phon: str) -> str:
    """Return why a ``.mg`` file would not read a word back; empty if it would."""
    if "#" in phon and any(word.startswith("#") for word in phon.split()):
        return "a word begins with '#'"
    for mark in ("%", "//"):
        if phon.strip().startswith(mark) and phon.strip() != mark:
            return f"an item begins with {mark!r}"
    if phon.strip().startswith("@"):
        return "an item begins with '@'"
    return "there is '::' in a word" if "::" in phon or "\N{PROPORTION}" in phon else ""


def categories(text: str) -> tuple[str, ...]:
    """Return the start categories of a text, each once: blanks, commas or semicolons between them.

    >>> categories("c, t c")
    ('c', 't')
    """
    return tuple(dict.fromkeys(filter(None, re.split(r"[\s,;]+", text))))


def check_alpha(text: str) -> float | str:
    """Return a pseudo-count, with a decimal point or comma, or its fault."""
    try:
        alpha = float(text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text.strip()) else text)
    except ValueError:
        return f"{text.strip()!r} is not a number"
    return alpha if 0 < alpha < math.inf else f"a pseudo-count cannot be {text.strip()}"


def check_rows(rows: Iterable[Row], convention: Convention) -> tuple[list[LexicalItem], list[Remark]]:
    """Return the items of the good rows, each once, and a remark on every other row."""
    items: list[LexicalItem] = []
    remarks: list[Remark] = []
    seen: dict[tuple[object, object], LexicalItem] = {}
    for row in rows:
        checked = check_row(row, convention)
        if isinstance(checked, Remark):
            remarks.append(checked)
            continue
        first = seen.setdefault((checked.words, checked.features), checked)
        if first is checked:
            items.append(checked)
        else:
            remarks.append(_duplicate(checked, first, convention))
    return items, remarks


def _duplicate(again: LexicalItem, first: LexicalItem, convention: Convention) -> Remark:
    what = f"{again.text(convention)!r} is the same as on line {first.line}"
    return Remark("E201", what, "it counts only once; remove one", again.line, 1, again.text(convention))


@dataclass
class Draft:
    """A lexicon while it is being read.

    Attributes
    ----------
    file, kind
        The file's name, for messages, and its ending.
    rows, start, convention, sentences, alpha, category_alpha
        As gathered so far.
    header
        Values of the leading comment lines ``# title:``, ``# source:`` and ``# what:``.
    faults
        What was wrong with lines that are not entries.
    remarks
        What was left out of the file.
    spell_out
        Its lines of spell-out, numbered.
    """

    file: str
    kind: str = ".mg"
    rows: list[Row] = field(default_factory=list)
    start: tuple[str, ...] = ()
    convention: Convention = "seed"
    convention_given: bool = False
    sentences: list[ExpectedSentence] = field(default_factory=list)
    alpha: float = 1.0
    category_alpha: dict[str, float] = field(default_factory=dict)
    header: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    spell_out: list[tuple[int, str]] = field(default_factory=list)

    def fault(self, what: str, hint: str, line: int, column: int, kind: str = "") -> None:
        """Record a fault of a line; `kind` is what many of them are called."""
        self.faults.append(Fault(what, hint, self.file, line, column, kind=kind))
