"""What the columns of a tableau count, and the feature table, tiers and shorthands they count by.

:mod:`otlab.forms` defines the formulas and counts; :mod:`otlab.ot.formulas` counts the cells of a tableau.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import InputError
from otlab.ot.formatting import unbracketed, unslashed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.errors import Fault
    from otlab.forms.counting import Counts
    from otlab.forms.features import FeatureTable
    from otlab.forms.formula import Formula
    from otlab.forms.pattern import Class

__all__ = ["Formulas", "Recount", "bare_form", "feature_table"]


@dataclass(frozen=True)
class Formulas:
    """What the columns of a tableau count; immutable.

    Attributes
    ----------
    texts
        The formula of each constraint; empty for typed numbers.
    typed
        (row, column) of the cells of a formula's column that were typed.
    features, tiers
        A feature table and tiers of one's own, as text; empty for Hayes's table and no named tiers.
    known_as
        What the numbers of each column are checked against, where they are typed; empty where nothing was
        chosen. May be shorter than the columns.
    shorthands
        (letter, values) of capital letters that stand for a class of one's own.
    """

    texts: tuple[str, ...]
    typed: frozenset[tuple[int, int]] = frozenset()
    features: str = ""
    tiers: str = ""
    known_as: tuple[str, ...] = ()
    shorthands: tuple[tuple[str, str], ...] = ()

    @property
    def table(self) -> FeatureTable:
        """The feature table."""
        return feature_table(self.features, self.shorthands)

    @property
    def named_tiers(self) -> Mapping[str, Class]:
        """The tiers, by name."""
        return _tiers(self.tiers, self.features, self.shorthands)

    def known(self, column: int) -> str:
        """Return what a column is counted by, or else known as; empty if neither was chosen."""
        chosen = self.known_as[column] if column < len(self.known_as) else ""
        return self.texts[column] or chosen

    def with_known(self, column: int, text: str) -> Formulas:
        """Return the formulas with what a column's typed numbers are checked against."""
        known = [*self.known_as, *[""] * (len(self.texts) - len(self.known_as))]
        known[column] = text
        return replace(self, known_as=tuple(known) if any(known) else ())

    def parsed(self, column: int) -> Formula:
        """Return the formula of a column.

        Raises
        ------
        InputError
            If it is wrong.
        """
        from otlab.forms import parse_formula

        formula: Formula = parse_formula(self.texts[column], self.table, self.named_tiers)
        return formula

    def with_typed(self, row: int, column: int) -> Formulas:
        """Return the formulas with a cell that was typed; the same where the column has no formula."""
        return replace(self, typed=self.typed | {(row, column)}) if self.texts[column] else self

    def with_columns(self, columns: Sequence[int]) -> Formulas:
        """Return the formulas of these columns, in this order; -1 stands for a new one."""
        texts = tuple(self.texts[k] if k >= 0 else "" for k in columns)
        known = tuple(self.known_as[k] if 0 <= k < len(self.known_as) else "" for k in columns)
        place = {k: n for n, k in enumerate(columns)}
        typed = frozenset((row, place[k]) for row, k in self.typed if k in place)
        return replace(self, texts=texts, typed=typed, known_as=known if any(known) else ())

    def with_rows(self, rows: Sequence[int]) -> Formulas:
        """Return the formulas of a tableau with these rows, in this order; -1 stands for a new one."""
        place = {row: n for n, row in enumerate(rows)}
        return replace(self, typed=frozenset((place[row], k) for row, k in self.typed if row in place))

    def recount(self, inputs: Sequence[str], candidates: Sequence[str]) -> Recount:
        """Return the counts of all columns with a formula, for pairs of input and candidate."""
        from otlab.forms import Forms

        found = Recount({}, {})
        if not any(self.texts):
            return found
        forms = Forms([*map(bare_form, inputs)], [*map(bare_form, candidates)], self.table)
        for column, text in enumerate(self.texts):
            if not text:
                continue
            try:
                found.counts[column] = forms.count(self.parsed(column))
            except InputError as error:
                found.faults[column] = error.faults
        return found


@lru_cache(maxsize=8)
def feature_table(text: str, shorthands: tuple[tuple[str, str], ...] = ()) -> FeatureTable:
    """Return the feature table in a text, Hayes's for an empty one, with shorthands of one's own."""
    from otlab.forms import hayes, read_features

    table: FeatureTable = read_features(text) if text else hayes()
    for letter, values in shorthands:
        table = table.with_shorthand(letter, values)
    return table


@lru_cache(maxsize=8)
def _tiers(text: str, features: str, shorthands: tuple[tuple[str, str], ...]) -> Mapping[str, Class]:
    from otlab.forms import read_tiers

    tiers: Mapping[str, Class] = read_tiers(text, feature_table(features, shorthands)) if text else {}
    return tiers


class Recount(NamedTuple):
    """What counting the columns of a tableau gave.

    Attributes
    ----------
    counts
        Column -> its counts.
    faults
        Column -> why it could not be counted.
    """

    counts: dict[int, Counts]
    faults: dict[int, tuple[Fault, ...]]


def bare_form(form: str) -> str:
    """Return a form without the slashes or brackets that some tables put around it.

    >>> bare_form("/bed/"), bare_form("[bet]")
    ('bed', 'bet')
    """
    return unbracketed(unslashed(form)).strip()
