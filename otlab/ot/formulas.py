"""Columns of a tableau that count themselves: which formula each has, and which of its cells were typed.

::

    Formulas("*[+voice,-son]#", "")      the first column is counted, the second one holds typed numbers
       |  tableau.recounted()
       v
    Tableau with the counts; a typed cell keeps its number, a column that cannot be counted all of them

:mod:`otlab.forms` defines the formulas and counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, quoted
from otlab.ot.formula_columns import Formulas, Recount, bare_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.forms.counting import Place
    from otlab.ot.tableau import Tableau

__all__ = [
    "counted_places",
    "known_as",
    "recount",
    "use_count",
    "use_counts",
    "with_feature_table",
    "with_formula",
]


def recount(tableau: Tableau, rows: Sequence[int] | None = None) -> Recount:
    """Return the counts of all columns with a formula.

    Parameters
    ----------
    tableau
        The tableau.
    rows
        The rows to count; all if None.
    """
    formulas = tableau.formulas
    if formulas is None:
        return Recount({}, {})
    chosen = range(tableau.n_rows) if rows is None else rows
    inputs = tableau.input_of_row
    return formulas.recount(
        [tableau.inputs[inputs[row]] for row in chosen], [tableau.candidates[row] for row in chosen]
    )


def with_formula(tableau: Tableau, constraint: int | str, text: str) -> Tableau:
    """Return the tableau in which a column is counted by a formula, or holds typed numbers if it is empty.

    Raises
    ------
    InputError
        If the formula is wrong, or cannot be counted in these forms; at its character if there is one.

    Examples
    --------
    >>> from otlab.ot import read
    >>> tableau = with_formula(read("dutch_final_devoicing"), "*VoicedCoda", "*[-son,+voice].")
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
    return changed.recounted()


def use_count(tableau: Tableau, row: int, constraint: int | str) -> Tableau:
    """Return the tableau in which a typed cell of a formula's column is counted again."""
    column = tableau.column_of(constraint)
    formulas = tableau.formulas
    if formulas is None or (row, column) not in formulas.typed:
        return tableau
    typed = formulas.typed - {(row, column)}
    return replace(tableau, formulas=replace(formulas, typed=typed)).recounted([row])


def use_counts(tableau: Tableau, constraint: int | str) -> Tableau:
    """Return the tableau in which every typed cell of a formula's column is counted again."""
    column = tableau.column_of(constraint)
    formulas = tableau.formulas
    if formulas is None or all(k != column for _, k in formulas.typed):
        return tableau
    typed = frozenset(cell for cell in formulas.typed if cell[1] != column)
    return replace(tableau, formulas=replace(formulas, typed=typed)).recounted()


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
    return replace(tableau, formulas=new).recounted()


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
