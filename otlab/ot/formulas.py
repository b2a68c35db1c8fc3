"""Columns of a tableau that count themselves: which formula each has, and which of its cells were typed.

::

    Formulas("*[+voice,-son]#", "")      the first column is counted, the second one holds typed numbers
       |  recounted(tableau)
       v
    Tableau with the counts; a typed cell keeps its number, a column that cannot be counted all of them

:mod:`otlab.forms` defines the formulas and counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.ot.formatting import unbracketed, unslashed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.forms.counting import Counts, Place
    from otlab.forms.features import FeatureTable
    from otlab.forms.formula import Formula
    from otlab.forms.pattern import Class
    from otlab.ot.tableau import Tableau

__all__ = [
    "Formulas",
    "Recount",
    "bare_form",
    "counted_places",
    "known_as",
    "recount",
    "recounted",
    "use_count",
    "use_counts",
    "with_feature_table",
    "with_formula",
]


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


def recount(tableau: Tableau, rows: Sequence[int] | None = None) -> Recount:
    """Return the counts of all columns with a formula.

    Parameters
    ----------
    tableau
        The tableau.
    rows
        The rows to count; all if None.
    """
    from otlab.forms import Forms

    found = Recount({}, {})
    formulas = tableau.formulas
    if formulas is None or not any(formulas.texts):
        return found
    chosen = range(tableau.n_rows) if rows is None else rows
    inputs = tableau.input_of_row
    forms = Forms(
        [bare_form(tableau.inputs[inputs[row]]) for row in chosen],
        [bare_form(tableau.candidates[row]) for row in chosen],
        formulas.table,
    )
    for column, text in enumerate(formulas.texts):
        if not text:
            continue
        try:
            found.counts[column] = forms.count(formulas.parsed(column))
        except InputError as error:
            found.faults[column] = error.faults
    return found


def recounted(tableau: Tableau, rows: Sequence[int] | None = None) -> Tableau:
    """Return the tableau with the cells of its formulas counted anew.

    Typed cells keep their numbers, and so does every cell of a column that cannot be counted.
    """
    formulas = tableau.formulas
    found = recount(tableau, rows)
    if formulas is None or not found.counts:
        return tableau
    violations = tableau.violations.copy()
    chosen = np.arange(tableau.n_rows) if rows is None else np.asarray(rows, np.int64)
    for column, counts in found.counts.items():
        violations[chosen, column] = counts.counts
    for row, column in formulas.typed:
        violations[row, column] = tableau.violations[row, column]
    return replace(tableau, violations=violations)


def with_formula(tableau: Tableau, constraint: int | str, text: str) -> Tableau:
    """Return the tableau in which a column is counted by a formula, or holds typed numbers if it is empty.

    Raises
    ------
    InputError
        If the formula is wrong, or cannot be counted in these forms; at its character if there is one.

    Examples
    --------
    >>> from otlab.ot import read
    >>> tableau = read("dutch_final_devoicing").with_formula("*VoicedCoda", "*[-son,+voice].")
    >>> tableau.rename_candidate(1, "bedbed").violations[1].tolist()
    [1, 1, 1]
    """
    column = tableau.column_of(constraint)
    formulas = tableau.formulas or Formulas(("",) * tableau.n_constraints)
    texts = (*formulas.texts[:column], text.strip(), *formulas.texts[column + 1 :])
    typed = frozenset(cell for cell in formulas.typed if cell[1] != column)
    changed = replace(tableau, formulas=replace(formulas, texts=texts, typed=typed))
    if text.strip():
        found = recount(changed)
        if column in found.faults:
            raise InputError(found.faults[column])
    return recounted(changed)


def use_count(tableau: Tableau, row: int, constraint: int | str) -> Tableau:
    """Return the tableau in which a typed cell of a formula's column is counted again."""
    column = tableau.column_of(constraint)
    formulas = tableau.formulas
    if formulas is None or (row, column) not in formulas.typed:
        return tableau
    typed = formulas.typed - {(row, column)}
    return recounted(replace(tableau, formulas=replace(formulas, typed=typed)), [row])


def use_counts(tableau: Tableau, constraint: int | str) -> Tableau:
    """Return the tableau in which every typed cell of a formula's column is counted again."""
    column = tableau.column_of(constraint)
    formulas = tableau.formulas
    if formulas is None or all(k != column for _, k in formulas.typed):
        return tableau
    typed = frozenset(cell for cell in formulas.typed if cell[1] != column)
    return recounted(replace(tableau, formulas=replace(formulas, typed=typed)))


def known_as(tableau: Tableau, constraint: int | str, text: str) -> Tableau:
    """Return the tableau in which the typed numbers of a column are checked against a formula.

    Raises
    ------
    InputError
        If the formula is wrong; at its character.
    """
    from otlab.forms import parse_formula

    column, written = tableau.column_of(constraint), text.strip()
    formulas = tableau.formulas or Formulas(("",) * tableau.n_constraints)
    if written:
        parse_formula(written, formulas.table, formulas.named_tiers)
    return replace(tableau, formulas=formulas.with_known(column, written))


def with_feature_table(
    tableau: Tableau,
    features: str,
    tiers: str | None = None,
    shorthands: tuple[tuple[str, str], ...] | None = None,
) -> Tableau:
    """Return the tableau whose formulas count by another feature table, given as text; Hayes's if empty.

    Tiers and shorthands stay where none are given.

    Raises
    ------
    InputError
        With the faults of the table, and of formulas that need features which it does not have.
    """
    formulas = tableau.formulas or Formulas(("",) * tableau.n_constraints)
    new = replace(
        formulas,
        features=features,
        tiers=formulas.tiers if tiers is None else tiers,
        shorthands=formulas.shorthands if shorthands is None else shorthands,
    )
    _ = new.table, new.named_tiers
    faults = []
    for column, text in enumerate(new.texts):
        try:
            if text:
                new.parsed(column)
        except InputError as error:
            name = quoted(tableau.constraints[column])
            faults += [Fault(fault.what, fault.hint, spot=f"formula of {name}") for fault in error.faults]
    if faults:
        raise InputError(faults)
    return recounted(replace(tableau, formulas=new))


def counted_places(tableau: Tableau, row: int, constraint: int | str) -> list[Place]:
    """Return the characters that a formula counts in a cell: of the candidate, or of the input.

    They are places in the names as written, slashes and brackets around them included.

    Raises
    ------
    InputError
        If the column has no formula or cannot be counted.
    """
    from otlab.forms import Forms

    column = tableau.column_of(constraint)
    formulas = tableau.formulas
    if formulas is None or not formulas.texts[column]:
        raise InputError(f"{quoted(tableau.constraints[column])} has no formula; its numbers are typed")
    source, target = tableau.inputs[tableau.input_of_row[row]], tableau.candidates[row]
    forms = Forms([bare_form(source)], [bare_form(target)], formulas.table)
    found: list[Place] = []
    for place in forms.places(formulas.parsed(column), 0):
        whole = source if place.in_input else target
        shift = whole.index(bare_form(whole))
        found.append(place._replace(start=place.start + shift, end=place.end + shift))
    return found
