"""Comment lines of files: settings, and what they say of forms, with counts of overt forms.

::

    # formula: *VcdCoda = *[-son,+voice].         the column is counted
    # typed: *VcdCoda = 3, 7                      but its cells in these rows were typed; rows from 1
    # features: ;voice;long                       the feature table of one's own, line by line
    # tiers: Vowel +syllabic
    # shorthand: C = -syllabic,+consonantal
    # known as: *VcdCoda = *[-son,+voice].       typed numbers, to be checked against the formula
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from otlab.errors import quoted
from otlab.ot.formula_columns import Formulas
from otlab.ot.formulas import recount
from otlab.ot.io.cell_parsing import parse_decimal
from otlab.ot.io.sign import AS_WRITTEN
from otlab.ot.validation import MAX_FREQUENCY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.ot.io.cells import Cell
    from otlab.ot.tableau import Tableau

__all__ = ["about_lines", "form_lines", "with_counts_of_parses", "with_written_formulas"]

_WRITTEN = ("formula", "typed", "features", "tiers", "shorthand", "known as")


class _Faults(Protocol):
    def refuse(self, cell: Cell, what: str, hint: str) -> None: ...

    def warn(self, cell: Cell, what: str, hint: str = "") -> None: ...


def about_lines(comments: Sequence[Cell], parse: _Faults) -> dict[str, Any]:
    """Return the fields given by comment lines; a line without a known key is a note."""
    about: dict[str, Any] = {"notes": [], "constraint": [], "sign": False, "formulas": []}
    for cell in comments:
        key, colon, value = (part.strip() for part in cell.text.partition(":"))
        key = key.lower()
        if key in ("noise", "bound", "total"):
            about[key] = _setting(parse, cell, key, value)
        elif key in ("title", "source"):
            about[key] = value
        elif key == "sign" and value == AS_WRITTEN:
            about[key] = True
        elif key == "constraint":
            about["constraint"].append(value)
        elif key in _WRITTEN:
            about["formulas"].append((key, value, cell))
        elif cell.text:
            about["notes"].append(value if key == "note" and colon else cell.text)
    return about


def _setting(parse: _Faults, cell: Cell, key: str, value: str) -> float | int | None:
    number = parse_decimal(value) or 0.0
    if not 0 < number < MAX_FREQUENCY or (key == "total" and number != int(number)):
        kind = "a whole number above 0" if key == "total" else "a number above 0"
        parse.refuse(
            cell, f"the {key} {quoted(value)} is not {kind}", f"write '# {key}: 1' or leave the line out"
        )
        return None
    return int(number) if key == "total" else number


def form_lines(tableau: Tableau) -> Iterator[tuple[str, str]]:
    """Yield key and value of the comment lines that say what the columns of a tableau count."""
    formulas = tableau.formulas
    if formulas is None:
        return
    yield from (("features", line.replace("\t", ";")) for line in formulas.features.splitlines())
    yield from (("tiers", line) for line in formulas.tiers.splitlines())
    yield from (("shorthand", f"{letter} = {values}") for letter, values in formulas.shorthands)
    for column, (name, text) in enumerate(zip(tableau.constraints, formulas.texts, strict=True)):
        if text:
            yield "formula", f"{name} = {text}"
        elif formulas.known(column):
            yield "known as", f"{name} = {formulas.known(column)}"
        rows = sorted(row + 1 for row, k in formulas.typed if k == column)
        if rows:
            yield "typed", f"{name} = {', '.join(map(str, rows))}"


def with_written_formulas(
    tableau: Tableau, lines: Sequence[tuple[str, str, Cell]], parse: _Faults
) -> Tableau:
    """Return the tableau with the formulas of a file's comment lines, counted.

    Raises
    ------
    InputError
        If the feature table or the tiers are wrong.
    """
    if not lines:
        return tableau
    texts = {key: [value for one, value, _ in lines if one == key] for key in _WRITTEN}
    features = "".join(line.replace(";", "\t") + "\n" for line in texts["features"])
    pairs = (line.partition("=") for line in texts["shorthand"])
    formulas = Formulas(
        ("",) * tableau.n_constraints,
        features=features,
        tiers="".join(f"{line}\n" for line in texts["tiers"]),
        shorthands=tuple((letter.strip(), values.strip()) for letter, _, values in pairs),
    )
    _ = formulas.table, formulas.named_tiers
    columns, typed, known = list(formulas.texts), set(), list(formulas.texts)
    for key, value, cell in lines:
        if key not in ("formula", "typed", "known as"):
            continue
        column = _column(tableau, value)
        if column is None:
            parse.warn(cell, f"the {key} {quoted(value)} names no constraint", "it was left out")
            continue
        rest = value[len(tableau.constraints[column]) :].partition("=")[2].strip()
        if key == "formula":
            columns[column] = rest
        elif key == "known as":
            known[column] = rest
        else:
            rows = [int(row) - 1 for row in rest.replace(",", " ").split() if row.isdecimal()]
            typed |= {(row, column) for row in rows if 0 <= row < tableau.n_rows}
    formulas = replace(
        formulas,
        texts=tuple(columns),
        typed=frozenset(typed),
        known_as=tuple(known) if any(known) else (),
    )
    found = replace(tableau, formulas=formulas)
    places = {_column(tableau, value): cell for key, value, cell in lines if key == "formula"}
    for column, faults in recount(found).faults.items():
        for fault in faults:
            parse.warn(
                places[column],
                f"the formula of {quoted(tableau.constraints[column])}: {fault.what}",
                f"{fault.hint}; its numbers stay as they are in the file",
            )
    return found.recounted()


def _column(tableau: Tableau, value: str) -> int | None:
    """Return the constraint that a line ``NAME = ...`` is about."""
    names = [name for name in tableau.constraints if value.startswith(f"{name} =")]
    return tableau.constraints.index(max(names, key=len)) if names else None


def with_counts_of_parses(tableau: Tableau) -> Tableau:
    """Return the tableau in which the count of an overt form stands at its first parse.

    Files that give each parse of an overt form the count of the overt form would otherwise count it once
    for each parse.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    if not tableau.overt:
        return tableau
    for row, (k, overt) in enumerate(zip(tableau.input_of_row, tableau.overt_forms, strict=True)):
        groups.setdefault((int(k), overt), []).append(row)
    several = [rows for rows in groups.values() if len(rows) > 1 and tableau.frequencies[rows].any()]
    if not several or any(len({*tableau.frequencies[rows]}) > 1 for rows in several):
        return tableau
    frequencies = np.array(tableau.frequencies)
    for rows in several:
        frequencies[rows[1:]] = 0
    return replace(tableau, frequencies=frequencies)
