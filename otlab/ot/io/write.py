"""Write a tableau: CSV with comment lines, CSV for maxent.ot, OTSoft's text, spreadsheet.

What is written reads back equal, OTSoft's text and maxent.ot's CSV without title, notes and
settings, for which they have no place.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.ot.formatting import frequency_text
from otlab.ot.given import check_tableau
from otlab.ot.groups import counted_lines
from otlab.ot.io.form_lines import form_lines
from otlab.ot.io.heads import RESULTS, head_name
from otlab.ot.io.sign import AS_WRITTEN, is_negative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.ot.tableau import Tableau

__all__ = ["to_csv", "to_maxent_ot", "to_otsoft", "to_xlsx"]


def to_csv(tableau: Tableau, path: str | Path | None = None) -> str:
    """Return the tableau as CSV, and write it to `path` if one is given.

    The table has the columns of maxent.ot; comment lines above it hold title, settings, notes
    and full names.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(to_csv(read("lin2005_table1")).splitlines()[-1])
    x,y2,23,1,1,0
    """
    about = "".join(f"# {key}: {value}\n" for key, value in _about(tableau))
    return _written(about + _table(tableau, all_columns=True), path)


def to_maxent_ot(tableau: Tableau, path: str | Path | None = None) -> str:
    """Return the tableau as CSV for maxent.ot, without comment lines, which R would take for rows.

    It is also written to `path` if one is given.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(to_maxent_ot(read("lin2005_table1")))
    Input,Output,Frequency,C1,C2,C3
    x,y1,77,0,0,1
    x,y2,23,1,1,0
    """
    return _written(_table(tableau), path)


def _table(tableau: Tableau, *, all_columns: bool = False) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(_rows(tableau, all_columns=all_columns))
    return out.getvalue()


def _rows(tableau: Tableau, *, all_columns: bool) -> Iterator[list[str]]:
    """Yield the header and a row for each candidate, or for each count of a speaker or item."""
    further = _further_columns(tableau) if all_columns else []
    whole = tableau if all_columns else replace(tableau, groups=None)
    yield ["Input", "Output", *further, "Frequency", *tableau.constraints]
    of_row, violations = tableau.input_of_row, [list(map(str, row)) for row in tableau.violations.tolist()]
    for line in counted_lines(whole.frequencies, whole.groups):
        row = line.row
        cells = {"Overt": tableau.overt[row : row + 1], "Speaker": (line.speaker,), "Item": (line.item,)}
        yield [
            tableau.inputs[of_row[row]],
            tableau.candidates[row],
            *(text for column in further for text in cells[column]),
            frequency_text(line.tokens),
            *violations[row],
        ]


def _further_columns(tableau: Tableau) -> list[str]:
    """Return the heads of columns beside input, candidate and frequency: overt forms, speakers, items."""
    groups = tableau.groups
    there = {
        "Overt": bool(tableau.overt),
        "Speaker": groups is not None and bool(groups.speakers),
        "Item": groups is not None and bool(groups.items),
    }
    return [head for head, here in there.items() if here]


def _about(tableau: Tableau) -> Iterator[tuple[str, object]]:
    check_tableau(tableau)
    for key in ("title", "total", "noise", "bound", "source"):
        value = getattr(tableau, key)
        if value not in (None, ""):
            yield key, frequency_text(value) if isinstance(value, float) else value
    if is_negative(tableau):  # else it would be read as penalties
        yield "sign", AS_WRITTEN
    yield from (("note", note) for note in tableau.notes)
    for name, full in zip(tableau.constraints, tableau.full_names, strict=True):
        if name != full or head_name(name) in RESULTS:  # else it would be left out
            yield "constraint", f"{name} = {full}"
    yield from form_lines(tableau)


def _grid(tableau: Tableau) -> Iterator[list[str]]:
    """Yield OTSoft's rows: full names, abbreviations, then the input on the first row of its block."""
    yield ["", "", "", *tableau.full_names]
    yield ["", "", "", *tableau.constraints]
    firsts = set(tableau.offsets.tolist())
    for row, k in enumerate(tableau.input_of_row):
        name = tableau.inputs[k] if row in firsts else ""
        frequency = frequency_text(tableau.frequencies[row]) if tableau.frequencies[row] else ""
        yield [
            name,
            tableau.candidates[row],
            frequency,
            *(str(n) if n else "" for n in tableau.violations[row]),
        ]


def to_otsoft(tableau: Tableau, path: str | Path | None = None) -> str:
    r"""Return the tableau as OTSoft's tab-delimited text, and write it to `path` if one is given.

    0 violations are empty cells.

    Examples
    --------
    >>> from otlab.ot import read
    >>> to_otsoft(read("lin2005_table1")).splitlines()[2]
    'x\ty1\t77\t\t\t1'
    """
    return _written("".join("\t".join(map(_quoted, row)) + "\n" for row in _grid(tableau)), path)


def _written(text: str, path: str | Path | None) -> str:
    """Return the text, and write it as UTF-8 if there is a path."""
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell


def to_xlsx(tableau: Tableau, path: str | Path) -> None:
    """Write the tableau as a spreadsheet, names as text and numbers as numbers.

    In OTSoft's layout, which has no place for overt forms, speakers and items: with them, in that of a table.
    """
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.worksheets[0]
    comments = [[f"# {key}: {value}"] for key, value in _about(tableau)]
    further = _further_columns(tableau)
    heads, names = (1, 2 + len(further)) if further else (2, 2)
    rows = _rows(tableau, all_columns=True) if further else _grid(tableau)
    for line, row in enumerate([*comments, *rows], 1):
        in_body = line > len(comments) + heads
        for column, text in enumerate(row, 1):
            if text:
                cell = sheet.cell(line, column, text)
                # Set explicitly: a name may begin with =, and a number keeps all its digits.
                cell.data_type = "n" if in_body and column > names else "s"
    book.save(path)
