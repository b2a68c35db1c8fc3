"""Read a tableau from a file, a sample's name, standard input, pasted text, or a frame.

The content decides the format: a zip archive is a spreadsheet, a text that says so is Praat's
(:mod:`otlab.ot.io.praat`), anything else is text whose first row shows its delimiter. OTSoft's
tab-delimited files, maxent.ot's CSV, a frame and what a spreadsheet puts on the clipboard are
all one grid (:mod:`otlab.ot.io.grid`).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, collected_warnings, quoted
from otlab.files import collector_paused, file_bytes, stripped
from otlab.foreign_formats import foreign_format
from otlab.ot.io.accents import with_accents
from otlab.ot.io.cell_parsing import parse_violations
from otlab.ot.io.cells import Cell, Grid, Reading
from otlab.ot.io.delimited import cut, decode
from otlab.ot.io.foreign import not_a_tableau, praat_class, refusal
from otlab.ot.io.grid import announce, looks_like_a_tableau, parse_grid
from otlab.ot.io.layout import could_be
from otlab.ot.io.paper import pointed_at
from otlab.ot.io.praat import parse_praat, read_praat
from otlab.ot.io.praat_tableau import praat_reading
from otlab.ot.io.spreadsheet import cell_text, sheet_grids

if TYPE_CHECKING:
    import pandas as pd

    from otlab.ot.io.cells import Progress
    from otlab.ot.tableau import Tableau

__all__ = [
    "from_pandas",
    "is_whole_table",
    "read",
    "read_bytes",
    "read_pasted",
    "read_text",
    "read_with_warnings",
]

_ZIP = b"PK\x03\x04"


def read(source: str | Path, *, accents: bool = False, format: str = "", keep_sign: bool = False) -> Tableau:
    r"""Return the tableau in a file, a sample or standard input.

    Parameters
    ----------
    source
        A path; ``-`` for standard input; a shipped sample's name or a unique beginning
        of one. A file of that name has precedence over a sample. The frequencies of an
        OTGrammar of Praat are those of the PairDistribution of the same name beside it.
    accents
        Whether ``\a'`` in names of inputs and candidates is read as á
        (:mod:`otlab.ot.io.accents`); by default it is a name like any other.
    format
        What the table is: ``"table"``, ``"pairs"`` of a winner and a loser (W, L), or ``"paper"``, tableaux
        as in a paper; recognised if empty.
    keep_sign
        Whether violations that are all 0 or below stay negative; by default -1 is read as one violation.

    Raises
    ------
    InputError
        With every fault of the file.

    Warns
    -----
    DataWarning
        For what is legal but probably not meant.

    Examples
    --------
    >>> read("ilokano")
    /HRED-bwaja/  freq  *C-ONS  AL  I_BR
    bu.bwa.ja        1       1         1
    bwaj.bwa.ja      1       2
    bub.wa.ja        1           1
    """
    tableau = announce(read_with_warnings(source, format=format, keep_sign=keep_sign))
    return with_accents(tableau) if accents else tableau


def read_text(text: str, name: str = "pasted text", *, format: str = "", keep_sign: bool = False) -> Tableau:
    r"""Return the tableau in a text, for instance one copied from a spreadsheet.

    Parameters
    ----------
    text
        CSV, or OTSoft's text with tabs.
    name
        What messages call it.
    format, keep_sign
        As in :func:`read`.

    Raises
    ------
    InputError
        With every fault of the text.

    Examples
    --------
    >>> read_text("Input\tOutput\tFrequency\t*Coda\tMax\n" "tat\ttat\t8\t*\n" "\tta\t2\t\t*")
    /tat/  freq  *Coda  Max
    tat       8      1
    ta        2           1
    """
    return announce(read_pasted(text, name, format=format, keep_sign=keep_sign))


@collector_paused()
def read_pasted(text: str, name: str, *, format: str = "", keep_sign: bool = False) -> Reading:
    """Return the tableau in a text and its warnings, without issuing them; as :func:`read_text`."""
    grid = _without_places(cut(text, name, name))
    return parse_grid(grid, format=format, keep_sign=keep_sign)


def is_whole_table(text: str) -> bool:
    r"""Return whether a text is a tableau of a paper, pairs, or a table without tabs, not a block of cells.

    >>> is_whole_table("/bad/\tIdent\n☞ pat\t*\n"), is_whole_table("/bad/\tpat\n/tad/\ttat\n")
    (True, False)
    """
    try:
        grid = cut(text, "", "")
    except InputError:  # too wide
        return False
    if grid.delimiter != "\t":
        return looks_like_a_tableau(grid)
    marks = (cell.text for row in grid.rows[1:] for cell in row)
    marked = any(pointed_at(text) or ("*" in text and parse_violations(text)) for text in marks)
    found = could_be(grid.rows)
    return "pairs" in found or (marked and "paper" in found)


def _without_places(grid: Grid) -> Grid:
    """Return the grid of a pasted text: its faults name row and column, not line and character."""

    def fault(cell: Cell, what: str, hint: str) -> Fault:
        return Fault(what, hint, grid.file)

    faults = [replace(each, line=None, column=None, cell=f"row {each.line}") for each in grid.faults]
    return replace(grid, fault=fault, faults=faults)


def from_pandas(frame: pd.DataFrame, name: str = "", *, format: str = "", keep_sign: bool = False) -> Tableau:
    """Return the tableau of a frame with columns Input, Output, Frequency, then one per constraint.

    The rules are those of files (:mod:`otlab.ot.io.grid`): an empty input continues the one
    above, an empty number is 0. :meth:`Tableau.to_pandas <otlab.ot.tableau.Tableau.to_pandas>`
    is the way back. `format` and `keep_sign` are as in :func:`read`.

    Raises
    ------
    InputError
        With every fault of the frame.

    Warns
    -----
    DataWarning
        For what is legal but probably not meant.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("tat", "tat", 8, 1, 0), ("tat", "ta", 2, 0, 1)]
    >>> from_pandas(pd.DataFrame(rows, columns=["input", "candidate", "frequency", "*Coda", "Max"]))
    /tat/  freq  *Coda  Max
    tat       8      1
    ta        2           1
    """
    columns = [str(column) for column in frame.columns]

    def fault(cell: Cell, what: str, hint: str) -> Fault:
        column = columns[cell.column - 1] if cell.column <= len(columns) else ""
        spot = f"row {cell.line}, column {quoted(column)}"
        return Fault(what, hint, file=name or "data frame", spot=spot)

    header = [Cell(stripped(column), 0, n) for n, column in enumerate(columns, 1)]
    body = [
        [Cell(_frame_text(value), line, n) for n, value in enumerate(row, 1)]
        for line, row in enumerate(frame.itertuples(index=False, name=None), 1)
    ]
    rows = [row for row in body if any(cell.text for cell in row)]
    grid = Grid(name, name, [header, *rows], (), fault)
    return announce(parse_grid(grid, format=format, keep_sign=keep_sign))


def _frame_text(value: object) -> str:
    import pandas as pd

    return "" if value is pd.NA or value is pd.NaT else stripped(cell_text(value))


def read_with_warnings(source: str | Path, *, format: str = "", keep_sign: bool = False) -> Reading:
    """Return a tableau and its warnings, without issuing them; as :func:`read`."""
    if str(source) == "-":
        data = sys.stdin.buffer.read()
        return read_bytes(data, "standard input", format=format, keep_sign=keep_sign)
    path = _locate(source)
    data, pairs = file_bytes(path), path.with_suffix(".PairDistribution")
    if praat_class(data) == "OTGrammar" and pairs.exists():
        return _read_praat(data, path.name, pairs=pairs)
    return read_bytes(data, path.name, format=format, keep_sign=keep_sign)


def format_name(source: str | Path) -> str:
    """Return what a tableau is in: ``"csv"``, ``"otsoft"`` (with tabs), ``"xlsx"`` or ``"praat"``.

    Standard input is not inspected, and counts as ``"csv"``.
    """
    if str(source) == "-":
        return "csv"
    path = _locate(source)
    data = file_bytes(path)
    if praat_class(data) is not None:
        return "praat"
    if data.startswith(_ZIP):
        return "xlsx"
    with collected_warnings():  # for who reads the file
        text = decode(data, path.name)
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return "otsoft" if "\t" in next(lines, "") else "csv"


def _locate(source: str | Path) -> Path:
    from otlab.samples import sample_path

    path = Path(source)
    looks_like_path = path.suffix or len(path.parts) > 1
    if path.exists() or isinstance(source, Path) or looks_like_path:
        return path
    return sample_path(str(source), "ot")


@collector_paused()
def read_bytes(
    data: bytes,
    file: str,
    progress: Progress | None = None,
    *,
    format: str = "",
    keep_sign: bool = False,
) -> Reading:
    """Return the tableau in the content of a file, and its warnings; as :func:`read_with_warnings`.

    Parameters
    ----------
    data
        The content.
    file
        Its name, for faults; without its extension the name of the tableau.
    progress
        Called during reading with the share done, 0 to 1. An exception it raises ends the reading.
    format, keep_sign
        As in :func:`read`.
    """
    refused = refusal(data, file)
    if refused is not None:
        raise InputError(refused)
    with collected_warnings() as notes:
        reading = _read_content(data, file, progress, format, keep_sign)
    return replace(reading, warnings=(*map(Fault, notes), *reading.warnings))


def _read_content(data: bytes, file: str, progress: Progress | None, format: str, keep_sign: bool) -> Reading:
    name = Path(file).stem
    if praat_class(data) is not None:
        return _read_praat(data, file, progress)
    if data.startswith(_ZIP):
        return _read_spreadsheet(data, file, name, progress, format, keep_sign)
    text = decode(data, file)
    grid = cut(text, file, name, _part(progress, 0.0))
    try:
        return parse_grid(grid, _part(progress, 0.5), format=format, keep_sign=keep_sign)
    except InputError:
        if foreign := foreign_format(text):
            raise InputError(not_a_tableau(foreign, file)) from None
        raise


def _part(progress: Progress | None, start: float) -> Progress | None:
    """Return the progress function of the half of the work that begins at `start`."""
    return None if progress is None else lambda share: progress(start + share / 2)


def _read_praat(
    data: bytes, file: str, progress: Progress | None = None, pairs: Path | None = None
) -> Reading:
    """Return the tableau of a grammar of Praat, with the frequencies of a file of pairs."""
    grammar, distribution = parse_praat(data, file, _part(progress, 0.0))
    if grammar is None:
        hint = "save an OTGrammar, alone or with its PairDistribution"
        raise InputError(Fault("is a Praat collection without an OTGrammar", hint, file=file))
    if distribution is None and pairs is not None:
        distribution = read_praat(pairs).pairs
    reading = praat_reading(grammar, distribution, file, _part(progress, 0.5))
    fixed = ", ".join(f"{a} >> {b}" for a, b in grammar.apriori)
    if not fixed:
        return reading
    hint = "give the file to 'otlab rank --apriori' too; in the lab they are set as a priori rankings"
    fault = Fault(f"fixed rankings are no part of a tableau: {fixed}", hint, file=file)
    return replace(reading, warnings=(fault, *reading.warnings))


def _read_spreadsheet(
    data: bytes, file: str, name: str, progress: Progress | None, format: str, keep_sign: bool
) -> Reading:
    """Return the first sheet that looks like a tableau, with a warning if another one may be meant."""
    sheets = sheet_grids(data, file, name)
    if not sheets:
        raise InputError(Fault("has no sheet", "save it again as .xlsx", file=file))
    found = [sheet for sheet in sheets if looks_like_a_tableau(sheet.grid)] or sheets[:1]
    title, grid, left_out = found[0]
    reading = parse_grid(grid, _part(progress, 0.5), format=format, keep_sign=keep_sign)
    said = []
    if found[0] is not sheets[0]:
        first = quoted(sheets[0].title)
        said.append(Fault(f"the first sheet, {first}, holds no tableau; {quoted(title)} was read", file=file))
    if len(found) > 1:
        others = ", ".join(quoted(other.title) for other in found[1:])
        what = f"more than one sheet holds a tableau: {quoted(title)} was read, not {others}"
        said.append(Fault(what, file=file))
    if left_out:
        said.append(Fault(left_out, "show them in the spreadsheet to have them read", file=file))
    return replace(reading, warnings=(*said, *reading.warnings))
