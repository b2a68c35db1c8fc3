r"""Cells of the grid: the texts that they show, and new tableaux from what is typed or pasted into them.

Cells are parsed by :mod:`otlab.ot.io.cell_parsing`, in the grid as in files. What cannot be parsed gives a
sentence that says so.

>>> split_block("*\t**\n0\t∗∗∗\n")
[['*', '**'], ['0', '∗∗∗']]
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from otlab.errors import InputError
from otlab.ot.io.cell_parsing import (
    comma_use,
    frequency_hint,
    parse_frequency,
    parse_violations,
    violation_hint,
)
from otlab.ot.tableau import SUM_OF_SPEAKERS, Tableau
from otlab.viz.ot.leading import first_rows

__all__ = [
    "cell_text",
    "column_texts",
    "fields",
    "first_field",
    "frequencies",
    "holds_a_table",
    "pasted",
    "sentence",
    "show_number",
    "split_block",
    "surplus",
    "typed",
    "unused_name",
    "widened",
]

FIXED_FIELDS = ("input", "candidate", "count")


def fields(tableau: Tableau) -> tuple[str, ...]:
    """Return the names of the grid's columns: ``input candidate count c_0 c_1 ...``."""
    return (*FIXED_FIELDS, *(f"c_{k}" for k in range(tableau.n_constraints)))


def frequencies(tableau: Tableau) -> np.ndarray:
    """Return the count column, float64 (rows,).

    Counts at the tableau's sample size; relative frequencies where it has none.
    """
    try:
        return np.asarray(tableau.counts(), dtype=float)
    except InputError:
        return tableau.frequencies


def cell_text(tableau: Tableau, row: int, field: str) -> str:
    """Return the text of a cell."""
    if field == "candidate":
        return tableau.candidates[row]
    if field == "count":
        return show_number(frequencies(tableau)[row])
    if field == "input":
        k = int(tableau.input_of_row[row])
        return tableau.inputs[k] if row == tableau.offsets[k] else ""
    return str(tableau.violations[row, _column(field)])


def column_texts(tableau: Tableau, field: str, rows: int) -> list[str]:
    """Return the texts of the first `rows` cells of a column, as :func:`cell_text` for each."""
    if field == "candidate":
        return list(tableau.candidates[:rows])
    if field == "count":
        return [show_number(number) for number in frequencies(tableau)[:rows]]
    if field == "input":
        texts = [""] * tableau.n_rows
        for k, first in enumerate(tableau.offsets[:-1].tolist()):
            texts[first] = tableau.inputs[k]
        return texts[:rows]
    return [str(n) for n in tableau.violations[:rows, _column(field)].tolist()]


def typed(tableau: Tableau, row: int, field: str, text: str) -> tuple[Tableau, str]:
    """Return the tableau with the typed cell and "", or the old tableau and the reason."""
    if field == "count":
        return _count_typed(tableau, row, text)
    if field in FIXED_FIELDS:
        return _name_typed(tableau, row, field, text.strip())
    k = _column(field)
    count = parse_violations(text)
    if count is None:
        kept = tableau.violations[row, k]
        return tableau, _refused(text, "a whole number", violation_hint(text), str(kept))
    if count == tableau.violations[row, k]:  # a counted cell stays counted
        return tableau, ""
    return tableau.with_cell(row, k, count), ""


def pasted(tableau: Tableau, row: int, field: str, text: str) -> tuple[Tableau, list[str]]:
    """Return the tableau with a block pasted at `row` and `field`, and every fault of the block.

    Rows below the last become candidates of the last input, or of a new one if they name it. A block
    that covers the whole table takes its place, with inputs of its own.
    """
    block = split_block(text)
    across = fields(tableau)[fields(tableau).index(field) :]
    wider = surplus(tableau, field, text)
    if wider > 0:
        columns = "1 column" if wider == 1 else f"{wider} columns"
        return tableau, [f"The block is {columns} wider than the table."]
    counts = [cell for line in block for name, cell in zip(across, line, strict=False) if name == "count"]
    commas = comma_use(counts)
    if commas.doubt is not None:
        _, what, hint = commas.doubt
        return tableau, [f"{what}: {hint}."]
    changed, faults = tableau, []
    names_inputs = across[0] == "input"
    if names_inputs and row == 0 and len(block) >= tableau.n_rows and min(map(len, block)) >= len(across):
        changed = first_rows(tableau, 1)
    for down, line in enumerate(block):
        changed = _lengthened(changed, row + down + 1, line[0].strip() if names_inputs else "")
        for name, cell in zip(across, line, strict=False):
            text = cell.replace(",", ".") if commas.decimal and name == "count" else cell
            changed, reason = typed(changed, row + down, name, text)
            if reason:
                faults.append(f"Row {row + down + 1}, {_title(tableau, name)}: {reason}")
    return changed, faults


def surplus(tableau: Tableau, field: str, text: str) -> int:
    """Return by how many columns a block pasted at `field` is wider than the table."""
    names = fields(tableau)
    start = names.index(field or first_field(text))
    return max(0, max(map(len, split_block(text))) - (len(names) - start))


def widened(tableau: Tableau, field: str, text: str) -> Tableau:
    """Return the tableau with as many new constraints as a block pasted at `field` needs."""
    for _ in range(surplus(tableau, field, text)):
        tableau = tableau.add_constraint(unused_name("Constraint", tableau.constraints))
    return tableau


def first_field(text: str) -> str:
    r"""Return the first column of a block pasted without a cell: ``c_0`` if it begins with a number.

    >>> first_field("*\t**"), first_field("pa\tpa\t3")
    ('c_0', 'input')
    """
    cells = split_block(text)[0]
    return "c_0" if all(parse_violations(cell) is not None for cell in cells) else "input"


def unused_name(stem: str, taken: tuple[str, ...]) -> str:
    """Return the stem with the first unused number, counting from that of the next item.

    >>> unused_name("candidate", ("pa", "candidate 3"))
    'candidate 4'
    """
    n = len(taken) + 1
    while f"{stem} {n}" in taken:
        n += 1
    return f"{stem} {n}"


def sentence(fault: InputError) -> str:
    """Return an error as a sentence."""
    text = str(fault)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def split_block(text: str) -> list[list[str]]:
    """Return the cells of a block copied from a spreadsheet, row by row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return [line.split("\t") for line in lines]


def holds_a_table(block: list[list[str]]) -> bool:
    """Return whether a block has headers: names in place of the constraints' counts.

    >>> holds_a_table([["", "", "", "Onset"], ["pa", "pa", "3", "*"]])
    True
    """
    names = [cell.strip() for cell in block[0][len(FIXED_FIELDS) :]]
    while names and not names[-1]:
        names.pop()
    return len(block) > 1 and bool(names) and all(map(_is_name, names))


def show_number(number: float) -> str:
    """Return a number as a cell shows it: whole ones without a point.

    >>> show_number(33.0), show_number(0.25)
    ('33', '0.25')
    """
    return str(int(number)) if number == int(number) else f"{number:.6g}"


def _column(field: str) -> int:
    return int(field.removeprefix("c_"))


def _title(tableau: Tableau, field: str) -> str:
    return field if field in FIXED_FIELDS else tableau.constraints[_column(field)]


def _lengthened(tableau: Tableau, rows: int, input: str) -> Tableau:
    """Return the tableau with candidates added up to a number of rows; of `input` if that is a new name."""
    while tableau.n_rows < rows:
        if input and input not in tableau.inputs:
            tableau = tableau.add_input(input)
        else:
            name = unused_name("candidate", tableau.candidates)
            tableau = tableau.add_candidate(len(tableau.inputs) - 1, name)
    return tableau


def _count_typed(tableau: Tableau, row: int, text: str) -> tuple[Tableau, str]:
    shown = frequencies(tableau)
    number = parse_frequency(text)
    if number is None:
        return tableau, _refused(text, "a frequency", frequency_hint(text), show_number(shown[row]))
    if number == shown[row]:
        return tableau, ""
    if tableau.groups is not None:
        told = f"{SUM_OF_SPEAKERS[0].upper()}{SUM_OF_SPEAKERS[1:]}"
        return tableau, f"{told}: change it under Speakers and items."
    return replace(tableau, frequencies=shown, total=None).with_frequency(row, number), ""


def _refused(text: str, kind: str, hint: str, kept: str) -> str:
    return f"{text} is not {kind}: {hint}. {kept} was kept."


def _name_typed(tableau: Tableau, row: int, field: str, name: str) -> tuple[Tableau, str]:
    k = int(tableau.input_of_row[row])
    if field == "input" and row != tableau.offsets[k]:
        same = name in ("", tableau.inputs[k])
        return tableau, "" if same else "An input is named on its first row; to add one, press + Input."
    if not name:
        return tableau, f"Every {field} needs a name. The old one was kept."
    try:
        renamed = (
            tableau.rename_candidate(row, name) if field == "candidate" else tableau.rename_input(k, name)
        )
    except InputError as fault:
        return tableau, sentence(fault)
    return renamed, ""


def _is_name(text: str) -> bool:
    return re.search(r"[^\W\d_]", text) is not None
