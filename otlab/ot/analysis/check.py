"""Check a table: cells whose typed numbers disagree with what a formula counts.

A column is counted by the formula that it is *known as*: the one given, else the one the tableau has, else
its name if that is a formula or well known (:func:`otlab.forms.recognised`). Columns without a formula are
listed and left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError, quoted
from otlab.forms import Forms, parse_formula, recognised
from otlab.ot.formula_columns import bare_form, feature_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.forms.counting import Counts, Place
    from otlab.forms.features import FeatureTable
    from otlab.forms.formula import Formula
    from otlab.forms.pattern import Class
    from otlab.ot.tableau import Tableau

__all__ = ["Check", "CheckedColumn", "Disagreement", "check", "formula_of_name"]


@dataclass(frozen=True)
class CheckedColumn:
    """A column and what counted it.

    Attributes
    ----------
    constraint
        Its name.
    formula
        The formula; empty if it was not counted.
    why
        Why it was not counted; empty if it was.
    """

    constraint: str
    formula: str
    why: str = ""


@dataclass(frozen=True)
class Disagreement:
    """A cell whose number is not the count.

    Attributes
    ----------
    row, column
        The cell, from 0.
    input, candidate, constraint
        Its names.
    typed, counted
        Both numbers; of several readings the smallest.
    places
        The characters that were counted.
    readings
        The counts of all readings, if the alignment of input and candidate is not unique.
    """

    row: int
    column: int
    input: str
    candidate: str
    constraint: str
    typed: int
    counted: int
    places: tuple[Place, ...] = ()
    readings: tuple[int, ...] = ()


@dataclass(frozen=True)
class Check:
    """What was checked, and the cells that disagree.

    Attributes
    ----------
    columns
        All columns.
    cells
        Those that disagree, row by row.
    checked
        Number of cells that were counted.
    """

    columns: tuple[CheckedColumn, ...]
    cells: tuple[Disagreement, ...]
    checked: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as ``otlab check --json`` prints them."""
        return {
            "columns": [
                {"constraint": one.constraint, "formula": one.formula or None, "why": one.why}
                for one in self.columns
            ],
            "cells": [
                {
                    "input": cell.input,
                    "candidate": cell.candidate,
                    "constraint": cell.constraint,
                    "typed": cell.typed,
                    "counted": cell.counted,
                    "places": [[place.start, place.end] for place in cell.places if not place.in_input],
                    "places_in_input": [[place.start, place.end] for place in cell.places if place.in_input],
                    "readings": list(cell.readings),
                }
                for cell in self.cells
            ],
            "checked": self.checked,
        }


def check(
    tableau: Tableau,
    known_as: Mapping[str, str] | None = None,
    *,
    features: FeatureTable | None = None,
    tiers: Mapping[str, Class] | None = None,
) -> Check:
    """Return the cells whose numbers disagree with what a formula counts in them.

    Parameters
    ----------
    tableau
        Any tableau.
    known_as
        Constraint -> its formula; empty to leave the column out.
    features
        The feature table; by default the tableau's, else Hayes's.
    tiers
        Named tiers.

    Raises
    ------
    InputError
        If a formula that was given is wrong or cannot be counted, or names no constraint.

    Examples
    --------
    >>> from otlab.ot import read
    >>> tableau = read("dutch_final_devoicing").with_cell(1, "*VoicedObstruent", 2)
    >>> [(cell.candidate, cell.typed, cell.counted) for cell in check(tableau).cells]
    [('bet', 2, 1)]
    """
    given = dict(known_as or {})
    faults = [
        Fault(f"no constraint is called {quoted(name)}", "write a name of the table")
        for name in given
        if name not in tableau.constraints
    ]
    if faults:
        raise InputError(faults)
    own = tableau.formulas
    table = features or (own.table if own else feature_table(""))
    named = tiers if tiers is not None else (own.named_tiers if own else {})
    inputs = [bare_form(tableau.inputs[k]) for k in tableau.input_of_row]
    forms = Forms(inputs, [*map(bare_form, tableau.candidates)], table)
    columns, cells = [], []
    for column, name in enumerate(tableau.constraints):
        text = given.get(name, own.known(column) if own else "")
        wanted = name in given and bool(text)
        if not text and name not in given:
            text = _formula_of_column(tableau, column, table, named)
        if not text:
            why = "left out" if name in given else "no formula, and no well-known name"
            columns.append(CheckedColumn(name, "", why))
            continue
        try:
            formula = parse_formula(text, table, named)
            counts = forms.count(formula)
        except InputError as error:
            if wanted:
                raise
            columns.append(CheckedColumn(name, "", error.faults[0].what))
            continue
        columns.append(CheckedColumn(name, text))
        cells += _disagreeing(tableau, column, formula, counts, forms)
    counted = sum(bool(one.formula) for one in columns)
    return Check(
        tuple(columns), tuple(sorted(cells, key=lambda c: (c.row, c.column))), counted * tableau.n_rows
    )


def _formula_of_column(tableau: Tableau, column: int, table: FeatureTable, tiers: Mapping[str, Class]) -> str:
    """Return the formula that a column's names stand for; empty if neither is known."""
    for name in (tableau.constraints[column], tableau.full_names[column]):
        found = formula_of_name(name, table, tiers)
        if found:
            return found
    return ""


def formula_of_name(name: str, table: FeatureTable, tiers: Mapping[str, Class] | None = None) -> str:
    """Return the formula that a constraint's name is or stands for; empty if there is none.

    >>> from otlab.forms import hayes
    >>> [formula_of_name(name, hayes()) for name in ("*[+voice]#", "Ident-IO(voice)", "*GESTURE", "AL")]
    ['*[+voice]#', 'Ident[voice]', '', '']
    """
    text = recognised(name) or (name if name[:1] in "*/" and _looks_like_a_formula(name, table) else "")
    if not text:
        return ""
    try:
        parse_formula(text, table, tiers)
    except InputError:
        return ""
    return text


def _looks_like_a_formula(name: str, table: FeatureTable) -> bool:
    """Return whether a name that begins with an asterisk or slash is a sequence, and not a word.

    It has a class or a regular expression, or only letters that are segments or stand for classes.
    """
    if name.startswith("/") or "[+" in name or "[-" in name or "[^" in name:
        return True
    letters = re.sub(r"[^\w]|\d", "", name)
    return bool(letters) and all(one in table.shorthands or one in table.index for one in letters)


def _disagreeing(
    tableau: Tableau, column: int, formula: Formula, counts: Counts, forms: Forms
) -> list[Disagreement]:
    found = []
    typed = tableau.violations[:, column]
    for row in (typed != counts.counts).nonzero()[0].tolist():
        readings = counts.readings.get(row, ())
        if int(typed[row]) in readings:
            continue
        found.append(
            Disagreement(
                row,
                column,
                tableau.inputs[tableau.input_of_row[row]],
                tableau.candidates[row],
                tableau.constraints[column],
                int(typed[row]),
                int(counts.counts[row]),
                tuple(forms.places(formula, row)),
                readings,
            )
        )
    return found
