"""Parse a grid of cells to a tableau: the layout that all table formats share.

::

                          Onset   NoCoda      full names (cells 1-3 are ignored)
                          Ons     NoC         abbreviations: a row with cells 1-3 empty
    /VC/   .VC.    10     1       1           input, candidate, frequency, violations
           .CVC.          *                   an empty input continues the one above

Rules (OTSoft 2.7 and maxent.ot, more liberal where nothing is lost): an empty number is 0;
:mod:`otlab.ot.io.cell_parsing` defines what a cell means; short rows are padded; the blocks of
an input that has several are merged, with a warning; the frequencies of a candidate given
twice with the same violations are added. All faults are reported at once.
"""

from __future__ import annotations

import unicodedata
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from otlab.errors import MOST_FAULTS, DataWarning, Fault, InputError, condensed, counted, quoted
from otlab.files import INVISIBLE
from otlab.ot.groups import Groups
from otlab.ot.io.cell_parsing import (
    comma_use,
    frequency_hint,
    is_number,
    is_unclear,
    parse_decimal,
    parse_frequency,
    parse_violations,
    percents,
    thousands,
    violation_hint,
)
from otlab.ot.io.cells import PROGRESS_EVERY, Cell, Reading, without_empty_end
from otlab.ot.io.form_lines import about_lines, with_counts_of_parses, with_written_formulas
from otlab.ot.io.heads import FREQUENCY_HEADS, HEADS, head_name
from otlab.ot.io.layout import arranged, is_abbreviations
from otlab.ot.io.read_as import readings_of
from otlab.ot.io.sign import is_negative, penalties
from otlab.ot.tableau import Tableau
from otlab.ot.validation import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.ot.io.cells import Arranged, Grid, Progress

__all__ = ["announce", "looks_like_a_tableau", "parse_grid"]

USUAL_HEADS = ("Input", "Output", "Frequency")
DAYS = range(40_000, 60_000)  # of spreadsheets: from 2009 to 2064
FEWEST_ROWS, NEARLY_ALL = 5, 0.9  # rows, and share of bad rows, from which a grid is no tableau


@dataclass
class _Row:
    """One candidate, as read."""

    cell: Cell
    frequency: float
    violations: list[int]
    overt: str = ""


@dataclass
class _Parse:
    """State of the parser of a grid.

    `comma` is whether its frequencies have decimal commas; `counts` has input, candidate, frequency, and
    speaker and item of each row, if the grid says them; `alike` has the faults of each kind, `spellings` how
    a name was first typed, by its block and its composed form.
    """

    grid: Grid
    comma: bool = False
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    blocks: dict[str, dict[str, _Row]] = field(default_factory=dict)
    overt: Mapping[int, str] = field(default_factory=dict)
    said: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    counts: list[tuple[str, str, float, tuple[str, str]]] = field(default_factory=list)
    alike: dict[str, list[Fault]] = field(default_factory=dict)
    spellings: dict[tuple[str, str], str] = field(default_factory=dict)

    def refuse(self, cell: Cell, what: str, hint: str, kind: str = "") -> None:
        self.faults.append(self._fault(cell, what, hint, kind))

    def warn(self, cell: Cell, what: str, hint: str = "", kind: str = "") -> None:
        self.warnings.append(self._fault(cell, what, hint, kind))

    def spelled(self, cell: Cell, block: str) -> str:
        """Return the name in a cell, as the same letters and marks were first typed in its block.

        ã is one character or two, and some characters are not seen; a name could be two inputs or candidates.
        """
        name = clean(cell.text)
        if name.isascii():
            return name
        seen = unicodedata.normalize("NFC", name.translate(INVISIBLE))
        first = seen if seen.isascii() else self.spellings.setdefault((block, seen), name)
        if first != name:
            what = f"{quoted(name)} is typed with other characters than above, which look the same"
            kind = "names are typed with other characters than above, which look the same"
            self.warn(cell, what, "read as the same name", kind)
        return first

    def _fault(self, cell: Cell, what: str, hint: str, kind: str) -> Fault:
        """Return a fault; of a kind that has a thousand, the last again, for only their number is told."""
        alike = self.alike.setdefault(kind, [])
        if not kind or len(alike) < MOST_FAULTS:
            made = self.grid.fault(cell, what, hint)
            place = "" if made.spot else self._place(cell)
            alike.append(Fault(what, hint, made.file, made.line, made.column, made.spot, kind, place))
        return alike[-1]

    def _place(self, cell: Cell) -> str:
        """Return the row and the head of the column of a cell: ``row 3, Freq``."""
        row = self._rows.get(cell.line, ())
        n: int | None = cell.column - 1
        if not 0 <= cell.column - 1 < len(row) or row[cell.column - 1].column != cell.column:
            n = next((n for n, other in enumerate(row) if other.column == cell.column), None)
        head = "" if n is None or n >= len(self.grid.rows[0]) else self.grid.rows[0][n].text
        usual = USUAL_HEADS[n] if n is not None and n < len(USUAL_HEADS) else ""
        return ", ".join(filter(None, (f"row {cell.line}", head or usual)))

    @cached_property
    def levels(self) -> set[str]:
        """Which of "speaker" and "item" any row names."""
        return {
            word
            for said in self.said.values()
            for word, name in zip(("speaker", "item"), said, strict=True)
            if name
        }

    @cached_property
    def _rows(self) -> dict[int, Sequence[Cell]]:
        return {row[0].line: row for row in reversed(self.grid.rows) if row}


def parse_grid(
    grid: Grid, progress: Progress | None = None, *, format: str = "", keep_sign: bool = False
) -> Reading:
    """Return the tableau in a grid, and how it was read.

    Parameters
    ----------
    grid
        The cells of the file.
    progress
        Called now and then with the share done.
    format
        What the table is (:data:`otlab.ot.io.layout.FORMATS`); recognised if empty.
    keep_sign
        Whether violations that are all 0 or below stay as they are written.

    Raises
    ------
    InputError
        With every fault, in the order of the file.
    """
    found = arranged(grid, format)
    grid = found.grid
    parse = _Parse(
        grid, faults=list(grid.faults), warnings=list(found.remarks), overt=found.overt, said=found.said
    )
    about = about_lines(grid.comments, parse)
    if not grid.rows:
        raise InputError(
            [*parse.faults, Fault("holds no tableau", "write a header and rows", file=grid.file)]
        )
    full_names, names, data = _header(parse)
    _check_commas(parse, data, len(names))
    _check_width(parse, data, len(names))
    _body(parse, data, len(names), progress)
    _check_it_is_a_tableau(parse, data, len(names))
    if not parse.blocks and not parse.faults:
        parse.refuse(grid.rows[-1][0], "the header is followed by no candidates", "add a row for each")
    if parse.faults:
        raise InputError(sorted(parse.faults, key=lambda fault: (fault.line or 0, fault.column or 0)))
    _warn_of_identical_candidates(parse)
    rows = [
        (name, candidate, row.frequency, row.violations)
        for name, block in parse.blocks.items()
        for candidate, row in block.items()
    ]
    full = _full_names(names, about.pop("constraint"), full_names)
    keep, written = about.pop("sign") or keep_sign, about.pop("formulas")
    overt = tuple(row.overt for block in parse.blocks.values() for row in block.values())
    tableau = Tableau.from_rows(rows, names, name=grid.name, full_names=full, overt=overt, **about)
    negative = is_negative(tableau)
    tableau, remark = penalties(tableau, keep)
    tableau = with_written_formulas(tableau, written, parse)
    tableau = _with_groups(tableau, parse) if parse.said else with_counts_of_parses(tableau)
    values = _values(parse, found, names)
    warnings = (*parse.warnings, *([replace(remark, file=grid.file)] if remark else []))
    return Reading(tableau, warnings, values, readings_of(found, negative, keep))


def _with_groups(tableau: Tableau, parse: _Parse) -> Tableau:
    """Return the tableau with the counts of speakers and items."""
    inputs = [tableau.inputs[k] for k in tableau.input_of_row]
    row_of = {pair: row for row, pair in enumerate(zip(inputs, tableau.candidates, strict=True))}
    said = [count for count in parse.counts if any(count[3])]
    groups = Groups.of(
        [speaker for *_, (speaker, _) in said],
        [item for *_, (_, item) in said],
        [row_of[name, candidate] for name, candidate, *_ in said],
        [frequency for _, _, frequency, _ in said],
    )
    return replace(tableau, groups=groups)


def _values(parse: _Parse, found: Arranged, names: Sequence[str]) -> Mapping[str, float]:
    """Return the row of weights by constraint, with a remark; empty if it lacks one or there is none."""
    if not found.values:
        return {}
    numbers = [parse_decimal(cell.text.replace(",", ".")) for cell in found.values[: len(names)]]
    missing = [name for name, number in zip(names, numbers, strict=False) if number is None]
    missing += names[len(numbers) :]
    if missing:
        parse.warn(found.values[0], f"the row of weights was left out: it has none for {', '.join(missing)}")
        return {}
    parse.warn(found.values[0], "a row of weights: kept as values for predictions, not as a candidate")
    return {name: number for name, number in zip(names, numbers, strict=False) if number is not None}


def looks_like_a_tableau(grid: Grid) -> bool:
    """Return whether the first row names constraints and half of the others could be candidates'."""
    if len(grid.rows) < 2:
        return False
    rows = arranged(grid).grid.rows
    names, rows = without_empty_end(rows[0][3:]), rows[1:]
    return bool(names) and 2 * sum(_could_be_a_candidate(cells, len(names)) for cells in rows) >= len(rows)


def announce(reading: Reading) -> Tableau:
    """Issue the warnings and return the tableau."""
    for warning in condensed(reading.warnings):
        warnings.warn(DataWarning(str(warning)), stacklevel=3)
    return reading.tableau


# ---- names


def _full_names(names: Sequence[str], comments: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """Return the full names: from lines ``# constraint: A = ALIGN(TE,Word,R)``, else the header."""
    full = dict(zip(names, header, strict=True))
    for line in comments:
        name = max((name for name in names if line.startswith(f"{name} = ")), key=len, default=None)
        if name is not None:
            full[name] = line[len(name) + 3 :]
    return tuple(full.values())


def _header(parse: _Parse) -> tuple[list[str], list[str], Sequence[Sequence[Cell]]]:
    """Return full names, names in use, and the rows below the header."""
    first, *rest = parse.grid.rows
    cells = without_empty_end(first[3:])
    full = [clean(cell.text) for cell in cells]
    _check_columns(parse, first, cells)
    for number, cell in enumerate(cells, 1):
        if not cell.text:
            parse.refuse(cell, f"constraint {number} has no name", "name it, or remove the empty column")
    names, used = list(full), cells
    if rest and is_abbreviations(rest[0]):
        short = rest.pop(0)[3:]
        _warn_of_extra_cells(parse, short[len(full) :])
        used = [s if s.text else c for s, c in zip(short, cells, strict=False)] + list(cells[len(short) :])
        names = [clean(cell.text) for cell in used]
    _check_repeats(parse, names, used)
    return full, names, rest


def _check_columns(parse: _Parse, first: Sequence[Cell], names: Sequence[Cell]) -> None:
    heads = [head_name(cell.text) for cell in first[:3]]
    hint = "begin with a row 'Input, Output, Frequency' and then the names of the constraints"
    known = [head in column for head, column in zip(heads, HEADS, strict=False)]
    if known[:2] == [True, True] and heads[2:] and heads[2] not in FREQUENCY_HEADS:
        parse.refuse(first[2], f"the third column is {quoted(first[2].text)}, not the frequency", hint)
    elif not names:
        parse.refuse(first[0], "the first row names no constraint", hint)
    elif all(heads[:2]) and not any(known) and all(parse_violations(cell.text) is not None for cell in names):
        parse.refuse(first[0], "the first row holds numbers, not names of constraints", hint)


def _check_repeats(parse: _Parse, names: Sequence[str], cells: Sequence[Cell]) -> None:
    seen: set[str] = set()
    for name, cell in zip(names, cells, strict=True):
        if name in seen:
            parse.refuse(cell, f"there are two constraints {quoted(name)}", "rename or remove one")
        if len(parse.faults) > MOST_FAULTS:
            return
        if name:
            seen.add(name)


# ---- body


def _check_commas(parse: _Parse, rows: Sequence[Sequence[Cell]], n_constraints: int) -> None:
    """Find out whether frequencies have decimal commas; refuse them in one sentence if that is unclear."""
    cells = [row[2] for row in rows if len(row) > 2]
    parse.comma, doubt = comma_use([cell.text for cell in cells])
    doubt = doubt or percents([cell.text for cell in cells])
    if doubt is not None:
        number, what, hint = doubt
        parse.refuse(cells[number], what, hint)
    pointed = thousands([cell.text for cell in cells]) if parse.grid.delimiter in (";", "\t") else None
    if pointed is not None and doubt is None:
        parse.warn(cells[pointed[0]], *pointed[1:])
    if parse.grid.delimiter != ",":
        return
    cut_apart = [row for row in rows if _is_cut_apart(row, n_constraints)]
    if 2 * len(cut_apart) >= max(len(rows), 1):
        cell, rest = cut_apart[0][2:4]
        written = f"{cell.text},{rest.text}"
        what = f"{_share(len(cut_apart), len(rows))} one number too many"
        hint = (
            f"if {written} is one number, write {written.replace(',', '.')} "
            "or separate the cells by semicolons or tabs"
        )
        parse.refuse(cell, what, hint)


def _check_width(parse: _Parse, rows: Sequence[Sequence[Cell]], n_constraints: int) -> None:
    """Refuse a header that is shorter than most rows: the violations of a constraint have no name."""
    beyond = [row[3 + n_constraints] for row in rows if len(row) > 3 + n_constraints]
    unnamed = [cell for cell in beyond if cell.text and parse_violations(cell.text) is not None]
    if n_constraints and not parse.faults and 2 * len(unnamed) > len(rows):
        what = f"{_share(len(unnamed), len(rows))} a number beyond the last name of the header"
        parse.refuse(unnamed[0], what, "name its constraint, or delete the column")


def _share(n: int, of: int) -> str:
    """Return how many of the rows have something: ``1 of 1 row has``, ``2 of 3 rows have``."""
    return f"{n:,} of {counted(of, 'row')} {'has' if n == 1 else 'have'}"


def _is_cut_apart(row: Sequence[Cell], n_constraints: int) -> bool:
    """Return whether a decimal comma may have cut a row's frequency into two cells."""
    numbers = [cell.text for cell in without_empty_end(row)[2:]]
    return len(numbers) == n_constraints + 2 and all(text.isdigit() for text in numbers[:2])


def _body(
    parse: _Parse, rows: Sequence[Sequence[Cell]], n_constraints: int, progress: Progress | None
) -> None:
    """Read the candidates of all rows, block by block."""
    current = ""
    for number, cells in enumerate(rows):
        if progress is not None and not number % PROGRESS_EVERY:
            progress(number / len(rows))
        name = parse.spelled(cells[0], "")
        candidate = cells[1] if len(cells) > 1 else Cell("", *cells[0][1:])
        row = _Row(
            candidate,
            _read_frequency(parse, cells[2:3]),
            _read_violations(parse, cells, n_constraints),
            clean(parse.overt.get(cells[0].line, "")),
        )
        if not name and not current:
            parse.refuse(cells[0], "the first candidate has no input", "write the input in the first column")
            continue
        if not candidate.text:
            parse.refuse(
                candidate,
                "the row has no candidate in column 2",
                "write it there, as ∅ if it is silent",
                "rows have no candidate in column 2",
            )
            current = name or current
            continue
        called = parse.spelled(candidate, name or current)
        if parse.said:
            _read_speaker(parse, cells[0], (name or current, called, row.frequency))
        elif name and name != current and name in parse.blocks:
            parse.warn(
                cells[0],
                f"the input {quoted(name)} occurs in two places; its candidates were merged",
                kind="inputs occur in two places; their candidates were merged",
            )
        current = name or current
        _add(parse, parse.blocks.setdefault(current, {}), called, row)


def _read_speaker(parse: _Parse, place: Cell, count: tuple[str, str, float]) -> None:
    """Keep the count of a row with its speaker and item; tokens of nobody are a fault."""
    said = parse.said[place.line]
    names = [clean(name) for name in said]
    missing = [word for word, name in zip(("speaker", "item"), names, strict=True) if not name]
    there = [word for n, word in enumerate(("speaker", "item")) if word in parse.levels]
    lacking = [word for word in missing if word in there]
    if lacking and count[2] > 0:
        what = f"the row has a count and no {' and no '.join(lacking)}"
        kind = "rows have a count and no speaker or item"
        parse.refuse(place, what, "name who said it and in which word, or leave the count empty", kind)
    parse.counts.append((*count, (names[0], names[1])))


def _check_it_is_a_tableau(parse: _Parse, rows: Sequence[Sequence[Cell]], n_constraints: int) -> None:
    """Refuse the whole grid, in one sentence, if nearly no row could be a candidate's."""
    enough = FEWEST_ROWS if n_constraints else 1
    if len(rows) < enough or len(parse.faults) < NEARLY_ALL * len(rows):
        return
    bad = [cells for cells in rows if not _could_be_a_candidate(cells, n_constraints)]
    if len(bad) < NEARLY_ALL * len(rows):
        return
    what = f"this is not a tableau: {_share(len(bad), len(rows))} no candidate, or words for numbers"
    hint = "each row holds an input, a candidate, a frequency and one number per constraint"
    raise InputError(replace(parse.grid.fault(bad[0][0], what, hint), column=None))


def _could_be_a_candidate(cells: Sequence[Cell], n_constraints: int) -> bool:
    numbers = [cell.text for cell in cells[3 : 3 + n_constraints]]
    frequency = cells[2].text if len(cells) > 2 else ""
    return (
        len(cells) > 1
        and bool(cells[1].text)
        and (is_number(frequency) or parse_frequency(frequency) is not None)
        and all(is_number(text) or parse_violations(text) is not None for text in numbers)
    )


def _add(parse: _Parse, block: dict[str, _Row], name: str, row: _Row) -> None:
    """Add a candidate to its block, or its frequency if the block has it already."""
    before = block.setdefault(name, row)
    if before is row:
        return
    if before.violations == row.violations:
        before.frequency += row.frequency
    else:
        what = (
            f"the candidate {quoted(name)} has other violations than in {parse.grid.unit} {before.cell.line}"
        )
        kind = "candidates come twice, with other violations"
        parse.refuse(row.cell, what, "correct them, or rename one of the two", kind)


def _read_frequency(parse: _Parse, cells: Sequence[Cell]) -> float:
    text = cells[0].text if cells else ""
    number = parse_frequency(text, comma=parse.comma)
    if number is None and not is_unclear(text):  # which was said of the whole file
        what = f"{quoted(text)} is not a frequency"
        parse.refuse(cells[0], what, frequency_hint(text), "cells are not frequencies")
    return number or 0.0


def _read_violations(parse: _Parse, cells: Sequence[Cell], n: int) -> list[int]:
    _warn_of_extra_cells(parse, cells[3 + n :])
    numbers = [parse_violations(cell.text) for cell in cells[3 : 3 + n]]
    for cell, number in zip(cells[3:], numbers, strict=False):
        if number is None:
            what = f"violations are whole numbers, found {quoted(cell.text)}"
            kind = "cells are not whole numbers"
            parse.refuse(cell, what, violation_hint(cell.text), kind)
        elif number in DAYS:
            what = f"{cell.text} violations: a date that became a number is one like this"
            parse.warn(
                cell, what, "write how many there are", "cells have as many violations as dates have days"
            )
    return [number or 0 for number in numbers] + [0] * (n - len(numbers))


# ---- warnings


def _warn_of_extra_cells(parse: _Parse, cells: Sequence[Cell]) -> None:
    for cell in cells:
        if cell.text:
            parse.warn(
                cell,
                f"the row is longer than the header: {quoted(cell.text)} was left out",
                "name its constraint",
                "rows are longer than the header; what is beyond it was left out",
            )
            return


def _warn_of_identical_candidates(parse: _Parse) -> None:
    for name, block in parse.blocks.items():
        same: dict[tuple[int, ...], list[_Row]] = {}
        for row in block.values():
            same.setdefault(tuple(row.violations), []).append(row)
        for first, *others in same.values():
            for other in others:
                pair = f"{quoted(other.cell.text)} and {quoted(first.cell.text)} of {quoted(name)}"
                parse.warn(
                    other.cell,
                    f"{pair} have identical violation profiles; they split their probability",
                    kind="candidates have the violation profile of another of their input",
                )
