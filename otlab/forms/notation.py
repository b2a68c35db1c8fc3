"""Read written forms: segments and marks, each with its place in the text.

::

    (ˈta.ta)-ku        segments  t a t a k u
                       marks     ( ) foot    ˈ ˌ stress    . syllable edge    - + morpheme edge    # word edge

A segment is the longest beginning that the feature table has. Combining marks, ties, length and modifier
letters (Unicode Lm and Sk, except ˈ ˌ) belong to the letter before, at the beginning of a word to the next.
Segments may be written with blanks between (``m a m p a``, ``L1 H0``); any other blank is a word edge. The
ends of a form are word edges. A digit behind a segment is its index of correspondence (``p1 a2``).

A form is encoded as a string with one character per segment and mark, in which patterns are looked for by
regular expressions.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.forms.features import FeatureTable, hayes, normal, parse_values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["EDGE", "MARKS", "WORD", "Alphabet", "Encoded", "PairLinks", "segments"]

EDGE, WORD = "\uf800", "\uf801"
"""The codes of an end of the form and of a word edge within it."""

MARKS = {
    ".": "\uf802",
    "-": "\uf803",
    "+": "\uf804",
    "ˈ": "\uf805",
    "ˌ": "\uf806",
    "(": "\uf807",
    ")": "\uf808",
    "#": WORD,
}
"""The code of each mark."""

LONGEST = 20_000
"""Characters of the longest form that is read."""

_FIRST, _MOST = 0xE000, 6000
_SILENT = {"∅", "Ø", "ε"}
_Token = tuple[str, int, int, tuple[int, ...]]
_INDICES = re.compile(r"[0-9]{1,6}(?:,[0-9]{1,6})*$")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_STRESS = MARKS["ˈ"] + MARKS["ˌ"]
_EDGE_MARKS = _STRESS + MARKS["("] + MARKS[")"]

_DIACRITICS = {
    "ː": "+long",
    "\u0303": "+nasal",
    "ʰ": "+spread gl",
    "ʼ": "+constr gl",
    "ʷ": "+LABIAL,+round",
    "\u0325": "-voice",
    "\u030a": "-voice",
    "\u0329": "+syllabic",
    "\u032f": "-syllabic",
}
"""What a diacritic changes where the table has the letter without it only."""


class Encoded(NamedTuple):
    """A form as a string of codes, one per segment and mark.

    Attributes
    ----------
    text
        The form as written.
    codes
        :data:`EDGE`, the segments and marks, :data:`EDGE`.
    starts, ends
        The characters of the text that each code stands for; the same number twice for an edge that is
        implied.
    indices
        Indices of correspondence of each code, none for most; ``m1,2`` has two.
    """

    text: str
    codes: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    indices: tuple[tuple[int, ...], ...]


class PairLinks(NamedTuple):
    """The minimal alignments of one pair of forms.

    Attributes
    ----------
    links : int16 (links, 2)
        Position of the input's and of the candidate's segment; -1 for none.
    sizes
        Number of links of each alignment, which follow each other.
    by_index
        Whether indices decided.
    """

    links: NDArray[np.int16]
    sizes: tuple[int, ...]
    by_index: bool


@dataclass
class Alphabet:
    """The segments of some forms, each with its code; grows as forms are read, which are remembered.

    Parameters
    ----------
    table
        The feature table.
    unknown
        Segments that are not in the table.
    """

    table: FeatureTable = field(default_factory=hayes)
    segments: list[str] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    _codes: dict[str, str] = field(default_factory=dict)
    _values: list[NDArray[np.int8]] = field(default_factory=list)
    _forms: dict[str, Encoded] = field(default_factory=dict)
    costs: tuple[NDArray[np.int32], int] | None = None
    """What :func:`~otlab.forms.correspondence.pair_costs` returned when there were so many segments."""
    alignments: dict[tuple[str, str], PairLinks] = field(default_factory=dict)
    """Those of pairs of an input and a candidate, as written, that were aligned before."""

    def __post_init__(self) -> None:
        for segment, row in zip(self.table.segments, self.table.values, strict=True):
            self._add(segment, row)

    def _add(self, segment: str, values: NDArray[np.int8]) -> str:
        if len(self.segments) == _MOST:
            raise InputError(f"the forms have more than {_MOST} segments; are they forms?")
        self._codes[segment] = code = chr(_FIRST + len(self.segments))
        self.segments.append(segment)
        self._values.append(values)
        return code

    @property
    def values(self) -> NDArray[np.int8]:
        """Feature values of the segments, int8 (segments, features)."""
        return np.array(self._values, np.int8).reshape(len(self._values), len(self.table.features))

    def values_of(self, code: str) -> NDArray[np.int8]:
        """Return the feature values of a segment's code, int8 (features,)."""
        return self._values[ord(code) - _FIRST]

    def code(self, segment: str) -> str:
        """Return the code of a segment, which is added if it is new."""
        segment = normal(segment)
        known = self._codes.get(segment)
        if known is not None:
            return known
        values = self._derived(segment)
        if values is None:
            self.unknown.add(segment)
            values = np.zeros(len(self.table.features), np.int8)
        return self._add(segment, values)

    def _derived(self, segment: str) -> NDArray[np.int8] | None:
        """Return the values of a known segment with diacritics, or of a shorthand; None if it is neither."""
        if segment in self.table.shorthands:
            row = np.zeros(len(self.table.features), np.int8)
            changes = [self.table.shorthands[segment]]
        else:
            letters = unicodedata.normalize("NFD", segment)
            changes = [_DIACRITICS[mark] for mark in letters if mark in _DIACRITICS]
            rest = normal("".join(mark for mark in letters if mark not in _DIACRITICS))
            if not changes or rest not in self.table.index:
                return None
            row = self.table.values[self.table.index[rest]].copy()
        try:
            for feature, value in (pair for text in changes for pair in parse_values(text, self.table)):
                row[feature] = value
        except InputError:  # the table does not have the feature
            return None
        return row

    def encode(self, text: str) -> Encoded:
        """Return a form encoded; remembered, so that each form is read once."""
        known = self._forms.get(text)
        if known is None:
            known = self._forms[text] = self._encode(text)
        return known

    def _encode(self, text: str) -> Encoded:
        codes, starts, ends = [EDGE], [0], [0]
        indices: list[tuple[int, ...]] = [()]
        for token, start, end, index in _tokens(text, self.table):
            if token in MARKS:
                code = MARKS[token]
            elif token == " ":
                code = WORD
            else:
                code = self.code(token)
            codes.append(code)
            starts.append(start)
            ends.append(end)
            indices.append(index)
        codes.append(EDGE)
        starts.append(len(text))
        ends.append(len(text))
        indices.append(())
        return _with_implied_edges(Encoded(text, "".join(codes), tuple(starts), tuple(ends), tuple(indices)))

    def check(self, forms: Iterable[Encoded]) -> None:
        """Refuse segments of these forms that are not in the table.

        Raises
        ------
        InputError
            With each such segment and the first form it is in.
        """
        if not self.unknown:
            return
        unknown = {self._codes[segment]: segment for segment in self.unknown}
        found: dict[str, tuple[str, int]] = {}
        for form in forms:
            for code in set(form.codes) & unknown.keys():
                found.setdefault(unknown[code], (form.text, form.starts[form.codes.index(code)]))
        if found:
            raise InputError(
                Fault(
                    f"{quoted(segment)} is not in the feature table, {self.table.name or 'yours'}",
                    f"add it (like another segment, with some values changed), or correct {quoted(text)}",
                    spot=f"character {at + 1} of {quoted(text)}",
                    kind="segments are not in the feature table",
                )
                for segment, (text, at) in found.items()
            )


def segments(form: str, table: FeatureTable | None = None) -> tuple[str, ...]:
    """Return the segments of a form, without its marks.

    >>> segments("(ˈt͡sa.nː)aⁿda")
    ('t͡s', 'a', 'nː', 'aⁿ', 'd', 'a')
    >>> segments("m a m p a")
    ('m', 'a', 'm', 'p', 'a')
    """
    tokens = _tokens(form, table or hayes())
    return tuple(token for token, *_ in tokens if token not in MARKS and token != " ")


def _with_implied_edges(form: Encoded) -> Encoded:
    """Return a form with a syllable edge at each stress mark and foot edge between two segments.

    Such marks stand at syllable edges, where transcriptions leave the point out.
    """
    codes = form.codes
    if not any(code in _EDGE_MARKS for code in codes):
        return form
    parts: list[tuple[str, int, int, tuple[int, ...]]] = []
    dot, n = MARKS["."], 0
    rows = list(zip(codes, form.starts, form.ends, form.indices, strict=True))
    while n < len(rows):
        if not "\uf802" <= rows[n][0] <= "\uf808":
            parts.append(rows[n])
            n += 1
            continue
        run = n
        while n < len(rows) and "\uf802" <= rows[n][0] <= "\uf808":
            n += 1
        marks = rows[run:n]
        inside = run > 0 and n < len(rows) and not {rows[run - 1][0], rows[n][0]} & {EDGE, WORD}
        if inside and all(mark[0] != dot for mark in marks) and any(m[0] in _EDGE_MARKS for m in marks):
            closing = sum(mark[0] == MARKS[")"] for mark in marks)
            place = marks[closing][1] if closing < len(marks) else marks[-1][2]
            marks.insert(closing, (dot, place, place, ()))
        parts += marks
    new = zip(*parts, strict=True)
    joined, starts, ends, indices = (tuple(column) for column in new)
    return Encoded(form.text, "".join(joined), starts, ends, indices)


def _tokens(text: str, table: FeatureTable) -> Iterable[_Token]:
    """Yield the segments, marks and blanks of a form: text, first character, end, index."""
    if len(text) > LONGEST:
        what = f"a form of {len(text):,} characters, {quoted(text[:40])} and so on"
        raise InputError(Fault(what, f"write forms of at most {LONGEST:,}"))
    blocks = [(block, at) for block, at in _blocks(text) if block not in _SILENT]
    separated = len(blocks) > 1 and all(_is_one(block, table) for block, _ in blocks)
    for number, (block, at) in enumerate(blocks):
        if separated:
            token, index = _without_index(block, table)
            yield token, at, at + len(block), index
            continue
        if number:
            yield " ", at - 1, at, ()
        yield from _block_tokens(block, at, table)


def _blocks(text: str) -> Iterable[tuple[str, int]]:
    """Yield the parts of a text between blanks, with their places."""
    at = 0
    for block in text.split(" "):
        if block.strip():
            yield block, at
        at += len(block) + 1


def _is_one(block: str, table: FeatureTable) -> bool:
    """Return whether a block is one segment of the table, perhaps with an index, or a mark."""
    token, index = _without_index(block, table)
    if token in MARKS or normal(token) in table.index:
        return True
    return bool(index) and len(list(_clusters(token, 0))) == 1


def _without_index(block: str, table: FeatureTable) -> tuple[str, tuple[int, ...]]:
    """Return a segment and its indices."""
    plain = block.translate(_SUBSCRIPTS)
    found = _INDICES.search(plain)
    if found is None or not found.start() or normal(block) in table.index:
        return block, ()
    return plain[: found.start()], tuple(map(int, found.group().split(",")))


def _block_tokens(block: str, at: int, table: FeatureTable) -> Iterable[_Token]:
    """Yield the tokens of a text without blanks: the longest segments of the table, else one letter each."""
    clusters = list(_clusters(block, at))
    n = 0
    while n < len(clusters):
        token, start, end = clusters[n]
        if token in MARKS:
            yield token, start, end, ()
            n += 1
            continue
        size = 1
        for wider in range(min(table.longest, len(clusters) - n), 1, -1):
            if normal(block[start - at : clusters[n + wider - 1][2] - at]) in table.index:
                size = wider
                break
        end = clusters[n + size - 1][2]
        n += size
        digits = ""
        while n < len(clusters) and (digit := _digit(clusters[n][0], digits)):
            digits += digit
            n += 1
        index = tuple(int(part[:6]) for part in digits.split(",") if part)
        yield block[start - at : end - at], start, clusters[n - 1][2], index


def _digit(cluster: str, before: str) -> str:
    """Return a digit of an index, or the comma between two; empty if it is neither."""
    plain = cluster.translate(_SUBSCRIPTS)
    return plain if plain.isdecimal() or (plain == "," and before) else ""


def _clusters(block: str, at: int) -> Iterable[tuple[str, int, int]]:
    """Yield the letters of a text, each with the marks that belong to it: text, first character, end."""
    start, tied = 0, True  # before the first letter, modifiers belong to the next
    for n, mark in enumerate(block):
        belongs = mark not in "ˈˌ" and (tied or unicodedata.category(mark) in _JOINING)
        if n > start and (not belongs or block[start] in MARKS or mark in MARKS):
            yield block[start:n], at + start, at + n
            start = n
        tied = mark in "\u0361\u035c" or (start == n and _is_modifier(mark))
    yield block[start:], at + start, at + len(block)


_JOINING = {"Mn", "Me", "Mc", "Lm", "Sk"}


def _is_modifier(mark: str) -> bool:
    return mark not in MARKS and unicodedata.category(mark) in _JOINING
