"""Count violations: the cells of a formula for many inputs and candidates at once.

All forms are looked through as one text, so that 5,000 candidates take milliseconds. A count that depends on
how input and candidate are aligned has several readings, and is marked: never a silent choice.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import regex

from otlab.errors import Fault, InputError
from otlab.forms.faithfulness import Links, link_places, violations_per_alignment
from otlab.forms.features import hayes
from otlab.forms.feet import count_feet
from otlab.forms.formula import Faith, Feet, Formula, Neighbours, Surface, Written, parse_formula
from otlab.forms.neighbours import neighbour_expression
from otlab.forms.notation import EDGE, Alphabet
from otlab.forms.search import SECONDS, search, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from otlab.forms.features import FeatureTable
    from otlab.forms.formula import Term
    from otlab.forms.notation import Encoded
    from otlab.forms.pattern import Pattern

__all__ = ["Counts", "Forms", "Place", "count"]

_BREAK = "\n"


class Counts(NamedTuple):
    """The cells of one formula.

    Attributes
    ----------
    counts : int64 (rows,)
        Violations; of several readings the smallest.
    readings
        Row -> the counts of its readings, for rows whose alignments give different ones.
    """

    counts: NDArray[np.int64]
    readings: dict[int, tuple[int, ...]]


class Place(NamedTuple):
    """A place that was counted: characters of the candidate, or of the input if nothing is left of it."""

    start: int
    end: int
    in_input: bool = False


@dataclass(frozen=True)
class _Text:
    """Forms joined to one text, each behind a line break, and where each begins."""

    text: str
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, forms: Sequence[str]) -> _Text:
        lengths = np.array([len(form) + 1 for form in forms], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])[:-1] if len(forms) else lengths
        return cls(_BREAK.join(forms), starts)

    def form_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the form that each place of the text is in."""
        found: NDArray[np.int64] = np.searchsorted(self.starts, places, side="right") - 1
        return found


@dataclass
class Forms:
    """Inputs and candidates, row by row, of which formulas are counted.

    Parameters
    ----------
    inputs, candidates
        As written, one per row.
    table
        The feature table, by default Hayes's.
    """

    inputs: Sequence[str]
    candidates: Sequence[str]
    table: FeatureTable = field(default_factory=hayes)

    def __post_init__(self) -> None:
        self.alphabet = _alphabet(self.table)
        self._sources = [*dict.fromkeys(self.inputs)]
        self._targets = [*dict.fromkeys(self.candidates)]
        source = {text: n for n, text in enumerate(self._sources)}
        target = {text: n for n, text in enumerate(self._targets)}
        self._source_of = np.array([source[text] for text in self.inputs], np.int64)
        self._target_of = np.array([target[text] for text in self.candidates], np.int64)
        self._tiers: dict[str | None, tuple[_Text, list[list[int]]]] = {}

    # ---- counts

    def count(self, formula: Formula | str) -> Counts:
        """Return the violations of each row.

        Raises
        ------
        InputError
            If the formula is wrong, needs features of a segment that is not in the table, needs feet that a
            candidate does not have, or takes longer than a second.
        """
        if isinstance(formula, str):
            formula = parse_formula(formula, self.table)
        self._check_segments(formula)
        total, readings = np.zeros(len(self.inputs), np.int64), dict[int, tuple[int, ...]]()
        for term in formula.terms:
            if isinstance(term, Faith):
                counts, several = self._faith(term)
                for row, options in several.items():
                    rest = readings.pop(row, (int(total[row]),))
                    readings[row] = tuple(sorted({a + b for a in rest for b in options}))
                for row in [row for row in readings if row not in several]:
                    readings[row] = tuple(n + int(counts[row]) for n in readings[row])
            else:
                counts = self._of_candidates(term)[self._target_of]
                readings = {row: tuple(n + int(counts[row]) for n in r) for row, r in readings.items()}
            total = total + counts
        return Counts(total, readings)

    def _check_segments(self, formula: Formula) -> None:
        """Read the forms, and refuse segments without values where the formula needs them."""
        sources, targets = self._encoded
        if formula.uses_features:
            self.alphabet.check([*targets, *sources] if formula.compares else targets)

    @cached_property
    def _encoded(self) -> tuple[list[Encoded], list[Encoded]]:
        """The different inputs and candidates."""
        encode = self.alphabet.encode
        return [encode(text) for text in self._sources], [encode(text) for text in self._targets]

    def _of_candidates(self, term: Term) -> NDArray[np.int64]:
        """Return the count of a term in each different candidate."""
        if isinstance(term, Feet):
            return self._feet(term.name)
        if isinstance(term, Written):
            return np.array([n for n, _ in self._written(term)], np.int64)
        if isinstance(term, Surface):
            text, _ = self._tier(term.pattern)
            places = [start for start, _ in search(term.pattern, self.alphabet, text.text)]
        else:
            assert isinstance(term, Neighbours)
            text, _ = self._tier(None)
            expression = neighbour_expression(term, self.alphabet)
            places = [m.start() for m in re.finditer(f"(?=({expression}))", text.text)]
        forms = text.form_of(np.array(places, np.int64))
        return np.bincount(forms, minlength=len(self._targets)).astype(np.int64)

    def _feet(self, name: str) -> NDArray[np.int64]:
        counts: list[int] = []
        faults: list[Fault] = []
        for form in self._targets:
            try:
                counts.append(count_feet(name, form))
            except InputError as error:
                faults += error.faults
        if faults:
            raise InputError(faults)
        return np.array(counts, np.int64)

    def _written(self, term: Written) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield number and places of the matches in each different candidate."""
        expression = regex.compile(term.expression)
        end = time.monotonic() + SECONDS
        for form in self._targets:
            try:
                found = expression.finditer(form, overlapped=True, timeout=max(end - time.monotonic(), 0.001))
                places = [match.span() for match in found]
            except TimeoutError:
                raise InputError(too_long(f"/{term.expression}/", form)) from None
            yield len(places), places

    def _tier(self, pattern: Pattern | None) -> tuple[_Text, list[list[int]]]:
        """Return the candidates, or what of them is on the tier of a pattern, as one text, and the places."""
        tier = pattern.on_tier(self.alphabet) if pattern else None
        if tier not in self._tiers:
            codes = [form.codes for form in self._encoded[1]]
            kept = None if tier is None else {EDGE, *tier}
            places = [[n for n, code in enumerate(one) if kept is None or code in kept] for one in codes]
            texts = ["".join(one[n] for n in at) for one, at in zip(codes, places, strict=True)]
            self._tiers[tier] = _Text.of(texts), places
        return self._tiers[tier]

    # ---- input and candidate compared

    @cached_property
    def _pairs(self) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
        """The different pairs of an input and a candidate, and the pair of each row."""
        numbers: dict[tuple[int, int], int] = {}
        rows = zip(self._source_of.tolist(), self._target_of.tolist(), strict=True)
        of_row = [numbers.setdefault(pair, len(numbers)) for pair in rows]
        return [*numbers], np.array(of_row, np.int64)

    def _faith(self, term: Faith) -> Counts:
        """Return the count of a term of correspondence in each row; several where alignments differ."""
        pairs, of_row = self._pairs
        if not pairs:
            return Counts(np.zeros(0, np.int64), {})
        pair = self.links.alignments.pair
        least, most = violations_per_alignment(term, self.links)
        first = np.searchsorted(pair, np.arange(len(pairs)))
        counts = np.minimum.reduceat(least, first)
        several: dict[int, set[int]] = {}
        for n in np.flatnonzero(np.maximum.reduceat(most, first) > counts).tolist():
            chosen = pair == n
            several[n] = {*least[chosen].tolist(), *most[chosen].tolist()}
        rows = {row: tuple(sorted(several[n])) for row, n in enumerate(of_row.tolist()) if n in several}
        return Counts(counts[of_row], rows)

    @cached_property
    def links(self) -> Links:
        """The links of the alignments, with the segments and places they are about."""
        sources, targets = self._encoded
        pairs = [(sources[s], targets[t]) for s, t in self._pairs[0]]
        return Links.of(pairs, self.alphabet)

    # ---- places

    def places(self, formula: Formula | str, row: int) -> list[Place]:
        """Return the places that are counted in the candidate of a row, in its first alignment."""
        if isinstance(formula, str):
            formula = parse_formula(formula, self.table)
        alone = Forms([self.inputs[row]], [self.candidates[row]], self.table)
        alone._check_segments(formula)
        return [place for term in formula.terms for place in alone._places(term)]

    def _places(self, term: Term) -> list[Place]:
        form = self.alphabet.encode(self._targets[0])
        if isinstance(term, Feet):
            return []
        if isinstance(term, Written):
            (_, found), *_ = self._written(term)
            return [Place(start, end) for start, end in found]
        if isinstance(term, Faith):
            return [Place(*place) for place in link_places(term, self.links)]
        if isinstance(term, Surface):
            text, ((*on_tier,),) = self._tier(term.pattern)
            spans = search(term.pattern, self.alphabet, text.text)
            return [Place(form.starts[on_tier[a]], form.ends[on_tier[max(b - 1, a)]]) for a, b in spans]
        expression = neighbour_expression(term, self.alphabet)
        found = [match.span(1) for match in re.finditer(f"(?=({expression}))", form.codes)]
        return [Place(form.starts[a], form.ends[b - 1]) for a, b in found]


@lru_cache(maxsize=4)
def _alphabet(table: FeatureTable) -> Alphabet:
    """Return the alphabet of a table, in which forms that were read before are known."""
    return Alphabet(table)


def count(formula: str, input: str, candidate: str, table: FeatureTable | None = None) -> int:
    """Return the violations of a formula by one candidate; of several readings the smallest.

    Raises
    ------
    InputError
        As :meth:`Forms.count`.

    Examples
    --------
    >>> count("*[+voice,-son]#", "bed", "bed"), count("Ident[voice]", "bed", "pet")
    (1, 2)
    >>> count("*V...V", "kitabu", "kitabu"), count("NoCoda", "tat", "tat.ta")
    (2, 1)
    """
    return int(Forms([input], [candidate], table or hayes()).count(formula).counts[0])
