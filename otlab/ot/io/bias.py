r"""Bias files: the mean and standard deviation of a normal prior for each constraint.

One constraint a line, its name, mean and sd: with tabs and without a header for OTSoft, as CSV with
the header ``Constraint,Mu,Sigma`` for maxent.ot. Both are read, with any header that has no number. The
MaxEnt Grammar Tool has *variances* in the third column: ``variances=True``.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import MOST_FAULTS, InputError, counted, did_you_mean, quoted
from otlab.files import file_bytes
from otlab.ot.formatting import frequency_text
from otlab.ot.io.cell_parsing import is_number, parse_decimal
from otlab.ot.io.delimited import cut, decode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.ot.io.cells import Cell
    from otlab.ot.tableau import Tableau

__all__ = ["parse_bias", "read_bias", "write_bias"]

_SHAPE = "write a constraint's name, its mean and its sd"


def read_bias(
    path: str | Path, tableau: Tableau | None = None, *, variances: bool = False
) -> dict[str, tuple[float, float]]:
    """Return the mean and standard deviation of each constraint in a file, in the order of the file.

    Parameters
    ----------
    path
        Text with tabs, commas or semicolons between the cells; lines that begin with ``#`` are comments.
    tableau
        Its constraints may be named by either name; returned are the names in use. Without one, the
        names are returned as they are.
    variances
        Whether the third column holds variances.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    return parse_bias(file_bytes(path), Path(path).name, tableau, variances=variances)


def parse_bias(
    data: bytes, file: str, tableau: Tableau | None = None, *, variances: bool = False
) -> dict[str, tuple[float, float]]:
    """Return the means and standard deviations in the content of a file, as :func:`read_bias`."""
    grid = cut(decode(data, file), file, file)
    rows = [row for row in grid.rows if not row[0].text.startswith("#")]
    if rows and len(rows[0]) == 3 and not any(is_number(cell.text) for cell in rows[0][1:]):
        rows = rows[1:]
    known = None if tableau is None else _names_in_use(tableau)
    faults = list(grid.faults)
    bias: dict[str, tuple[float, float]] = {}
    for row in rows:
        fault = _read_row(row, known, bias)
        if fault is not None:
            faults.append(grid.fault(*fault))
        if len(faults) > MOST_FAULTS:
            break
    if faults:
        raise InputError(faults)
    return {name: (mean, math.sqrt(sd) if variances else sd) for name, (mean, sd) in bias.items()}


def _names_in_use(tableau: Tableau) -> dict[str, str]:
    """Return the name in use of each constraint, by either name."""
    known = dict(zip(tableau.full_names, tableau.constraints, strict=True))
    return known | {name: name for name in tableau.constraints}


def _read_row(
    row: Sequence[Cell], known: dict[str, str] | None, bias: dict[str, tuple[float, float]]
) -> tuple[Cell, str, str] | None:
    """Add the mean and sd of one row to `bias`; return what is wrong with it, where, and what to do."""
    if len(row) != 3:
        return row[0], f"{counted(len(row), 'cell')} in place of 3", _SHAPE
    mean, sd = parse_decimal(row[1].text), parse_decimal(row[2].text)
    name = row[0].text if known is None else known.get(row[0].text, "")
    if not name:
        what = f"no constraint is called {quoted(row[0].text)}" if row[0].text else "no constraint is named"
        return row[0], what, did_you_mean(row[0].text, list(known or {}))
    if name in bias:
        return row[0], f"the constraint {quoted(row[0].text)} is given twice", "remove one line"
    if mean is None or not math.isfinite(mean):
        return row[1], f"{quoted(row[1].text)} is no mean", "write a number"
    if sd is None or not 0 < sd < math.inf:
        return row[2], f"{quoted(row[2].text)} is no sd", "write a number above 0"
    bias[name] = (mean, sd)
    return None


def write_bias(bias: Mapping[str, tuple[float, float]], layout: str = "otsoft") -> str:
    """Return means and standard deviations as the text of a file that :func:`read_bias` reads.

    Parameters
    ----------
    bias
        Mean and sd of each constraint.
    layout
        ``"otsoft"`` (tabs, no header) or ``"maxent.ot"`` (CSV).

    Examples
    --------
    >>> print(write_bias({"*Coda": (0.0, 1.0), "Max": (-2.0, 1.0)}))
    *Coda	0	1
    Max	-2	1
    """
    rows = [[name, frequency_text(mean), frequency_text(sd)] for name, (mean, sd) in bias.items()]
    if layout == "otsoft":
        return "".join("\t".join(row) + "\n" for row in rows)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerows([["Constraint", "Mu", "Sigma"], *rows])
    return out.getvalue()
