"""The sheets of an ``.xlsx`` file, each as the cells of a grid."""

from __future__ import annotations

import datetime
import io
import warnings
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

from otlab.errors import Fault, InputError, counted, quoted
from otlab.files import stripped
from otlab.ot.io.cells import Cell, Grid
from otlab.ot.io.merged import Merged, merged_numbers
from otlab.ot.io.unseen import Unseen, without_unseen

if TYPE_CHECKING:
    from collections.abc import Sequence

    _Rows = Sequence[tuple[Any, ...]]

_MOST_TIMES_PACKED = 100  # size of the members in all to that of the file; of real ones 2 to 20

MOST_CELLS = 500_000
"""Cells of the largest sheet that is read, empty ones between others included."""

__all__ = ["MOST_CELLS", "Sheet", "cell_text", "sheet_grids"]


class Sheet(NamedTuple):
    """A sheet: its name, its cells and comments, and which hidden ones were left out, in words."""

    title: str
    grid: Grid
    left_out: str


class _Content(NamedTuple):
    """The rows of a sheet, which of its rows and columns are hidden, and which cells are merged."""

    rows: _Rows
    unseen: Unseen
    merged: Sequence[Merged]


def sheet_grids(data: bytes, file: str, name: str) -> list[Sheet]:
    """Return the sheets of a spreadsheet, hidden ones last.

    Raises
    ------
    InputError
        If it is no readable spreadsheet.
    """
    values, formulas = _sheets(data, file, values=True), _sheets(data, file, values=False)
    several = len(values) > 1
    return [
        Sheet(title, *_grid(content, formulas[title].rows, file, name, title if several else ""))
        for title, content in values.items()
    ]


def _grid(content: _Content, formulas: _Rows, file: str, name: str, sheet: str) -> tuple[Grid, str]:
    """Return the cells of a sheet that are in sight, and what to say of the others."""
    from openpyxl.utils import get_column_letter

    def fault(cell: Cell, what: str, hint: str) -> Fault:
        spot = f"cell {get_column_letter(cell.column)}{cell.line}"
        spot += f" of sheet {quoted(sheet)}" if sheet else ""
        return Fault(what, hint, file=file, spot=spot)

    rows = _cells(content.rows)
    comments = [row[0] for row in _heading(rows)]
    body = [row for row in rows[len(comments) :] if any(cell.text for cell in row)]
    lost = [*_lost_values(content.rows, formulas), *merged_numbers(body, content.merged)]
    seen, unseen = without_unseen(body, content.unseen)
    grid = Grid(
        file,
        name,
        seen,
        [c._replace(text=c.text.lstrip("#").strip()) for c in comments],
        fault,
        [fault(cell, what, hint) for cell, what, hint in lost if not unseen.has(cell)],
    )
    return grid, unseen.in_words()


def _sheets(data: bytes, file: str, *, values: bool) -> dict[str, _Content]:
    """Return the content of each sheet by its name: the values, or the formulas they come from."""
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > _MOST_TIMES_PACKED * len(data):
            raise ValueError("a spreadsheet is packed less than this")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions that openpyxl leaves out
            book = openpyxl.load_workbook(io.BytesIO(data), data_only=values)
            for sheet in book.worksheets:
                _check_extent(sheet, file)
            sheets = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
            return {
                s.title: _Content(list(s.iter_rows(values_only=True)), _unseen(s), _merged(s)) for s in sheets
            }
    except InputError:
        raise
    except Exception as error:  # a damaged file makes openpyxl raise errors of many kinds
        what = "is cut off or no spreadsheet"
        raise InputError(
            Fault(what, "open it in a spreadsheet program and save it as .xlsx", file=file)
        ) from error


def _unseen(sheet: Any) -> Unseen:
    """Return the rows and columns of a sheet that are hidden, as by a filter."""
    rows = {n for n, row in sheet.row_dimensions.items() if row.hidden}
    hidden = (column for column in sheet.column_dimensions.values() if column.hidden)
    columns = {n for c in hidden for n in range(c.min or 1, min(c.max or 0, sheet.max_column) + 1)}
    return Unseen(frozenset(rows), frozenset(columns))


def _merged(sheet: Any) -> list[Merged]:
    """Return the merged cells of a sheet, from top to bottom."""
    ranges = sheet.merged_cells.ranges
    return sorted(Merged(r.min_row, r.min_col, r.coord) for r in ranges)


def _check_extent(sheet: Any, file: str) -> None:
    """Refuse a sheet with a cell far away from the others."""
    if sheet.max_row * sheet.max_column > MOST_CELLS:
        extent = f"{counted(sheet.max_row, 'row')} and {counted(sheet.max_column, 'column')}"
        what = f"sheet {quoted(sheet.title)} has {extent}"
        hint = f"delete rows and columns behind the table; at most {MOST_CELLS:,} cells are read"
        raise InputError(Fault(what, hint, file=file))


def _cells(rows: Sequence[Sequence[Any]]) -> list[list[Cell]]:
    return [
        [Cell(stripped(cell_text(value)), line, column) for column, value in enumerate(row, 1)]
        for line, row in enumerate(rows, 1)
    ]


def _heading(rows: Sequence[Sequence[Cell]]) -> list[Sequence[Cell]]:
    """Return the rows above the header: comments in the first cell, and empty ones."""
    heading = []
    for row in rows:
        comment = row[0].text.startswith("#") and not any(cell.text for cell in row[1:])
        if not comment and any(cell.text for cell in row):
            break
        heading.append(row)
    return heading


def _lost_values(
    values: Sequence[Sequence[Any]], formulas: Sequence[Sequence[Any]]
) -> list[tuple[Cell, str, str]]:
    """Return cells whose meaning is not in the file: uncomputed formulas, and text taken for dates."""
    lost = []
    for line, (row, sources) in enumerate(zip(values, formulas, strict=True), 1):
        for column, (value, source) in enumerate(zip(row, sources, strict=True), 1):
            cell = Cell("", line, column)
            if isinstance(value, datetime.date | datetime.time):
                lost.append((cell, f"{value} is a date", "format the cell as text and type it again"))
            elif value is None and source is not None:
                hint = "open the file in a spreadsheet program and save it"
                lost.append((cell, f"the formula {source} has no value", hint))
    return lost


def cell_text(value: object) -> str:
    """Return a cell's value as it would be typed: 2.0 as ``2``, nothing as an empty text."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
