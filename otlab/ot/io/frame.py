"""A tableau as a pandas frame, as text and as an HTML table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from otlab.errors import Fault, quoted
from otlab.ot.io.grid import Cell, Grid, announce, parse_grid
from otlab.ot.io.spreadsheet import cell_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from otlab.ot.tableau import Tableau

__all__ = ["as_html", "as_text", "frequency_text", "from_pandas", "to_pandas"]


def from_pandas(frame: pd.DataFrame, name: str) -> Tableau:
    """Read a frame's columns and rows as a grid."""
    columns = [str(column) for column in frame.columns]

    def fault(cell: Cell, what: str, cure: str) -> Fault:
        column = columns[cell.column - 1] if cell.column <= len(columns) else ""
        spot = f"row {cell.line}, column {quoted(column)}"
        return Fault(what, cure, file=name or "data frame", spot=spot)

    header = [Cell(column.strip(), 0, n) for n, column in enumerate(columns, 1)]
    body = [
        [Cell(_text(value), line, n) for n, value in enumerate(row, 1)]
        for line, row in enumerate(frame.itertuples(index=False, name=None), 1)
    ]
    rows = [row for row in body if any(cell.text for cell in row)]
    return announce(parse_grid(Grid(name, name, [header, *rows], (), fault)))


def _text(value: object) -> str:
    import pandas as pd

    return "" if value is pd.NA or value is pd.NaT else cell_text(value).strip()


def to_pandas(tableau: Tableau) -> pd.DataFrame:
    """Return one row a candidate, its input repeated."""
    import pandas as pd

    frame = pd.DataFrame(tableau.violations, columns=list(tableau.constraints))
    inputs = [tableau.inputs[k] for k in tableau.input_of_row]
    for column, values in (
        ("Frequency", tableau.frequencies),
        ("Output", tableau.candidates),
        ("Input", inputs),
    ):
        frame.insert(0, column, values, allow_duplicates=True)
    return frame


def frequency_text(frequency: float) -> str:
    """Return a frequency that reads back as the same number, a count without a point."""
    return str(int(frequency)) if frequency == int(frequency) else repr(float(frequency))


def _table(tableau: Tableau, k: int) -> list[list[str]]:
    """Return an input's header and rows; 0 violations are left empty."""
    head = [f"/{tableau.inputs[k]}/", "freq", *tableau.constraints]
    rows = [
        [
            tableau.candidates[row],
            frequency_text(tableau.frequencies[row]),
            *(str(n) if n else "" for n in tableau.violations[row].tolist()),
        ]
        for row in range(tableau.n_rows)[tableau.rows(k)]
    ]
    return [head, *rows]


def as_text(tableau: Tableau) -> str:
    """Return the tableau as aligned text, one block an input."""
    return "\n".join(_aligned(_table(tableau, k)) for k in range(len(tableau.inputs)))


def _aligned(table: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


def as_html(tableau: Tableau) -> str:
    """Return the tableau as a plain HTML table, one body an input."""
    return (
        "<table>" + "".join(_html_body(_table(tableau, k)) for k in range(len(tableau.inputs))) + "</table>"
    )


def _html_body(table: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<tbody>" + line(table[0], "th") + "".join(line(row, "td") for row in table[1:]) + "</tbody>"
