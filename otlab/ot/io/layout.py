"""Recognise what the columns and rows of a table are, and put them into the order of all tables.

::

    Input,Output,Comment,Count,*Vcd,Ident     a table: one candidate a row
    weights,,,,1.2,3.4                        a row of weights, kept as values

    Input,Winner,Loser,*Vcd,Ident             a comparative tableau: one winner and loser a row
    bad,pat,bad,W,L

    Speaker,Item,Input,Output,Count,*Vcd      a row for each count of a speaker, or for each token

    UR,SR,p,HR,Iambic,Trochaic                hidden structure: a line for each input, overt form and parse

    /bad/   *Vcd  Ident                       a tableau as in a paper: the input in the first cell,
    ☞ pat         *                           the pointing hand at the winner, or *! at the losers
      bad   *!

:func:`arranged` returns the same cells, with their places in the file, as input, candidate, frequency and
constraints, which :mod:`otlab.ot.io.grid` parses. What is not used is named in a warning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.errors import Fault, quoted
from otlab.ot.io.cell_parsing import is_number, parse_decimal, parse_violations
from otlab.ot.io.cells import Arranged, Cell, Grid, picked, without_empty_end
from otlab.ot.io.comparative import comparative, is_comparative
from otlab.ot.io.heads import (
    COUNTS,
    FREQUENCY_HEADS,
    HEADS,
    HIDDEN,
    ITEMS,
    LABELS,
    LETTERS,
    MARKS,
    NO_MARKS,
    OVERT,
    PERCENTS,
    REMARKS,
    RESULTS,
    SHARES,
    SPEAKERS,
    TOTALS,
    VALUES,
    WINNERS,
    head_name,
)
from otlab.ot.io.levels import filled_down
from otlab.ot.io.paper import is_paper, paper, pointed_at, unmarked
from otlab.ot.io.second import first_table
from otlab.ot.io.sums import counts_below_their_sum, rows_of_sums
from otlab.ot.io.ucla import is_ucla, ucla
from otlab.ot.io.wide_marks import remarks_on_wide_marks
from otlab.reading import NOT_USED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = Sequence[Cell]

__all__ = ["FORMATS", "arranged", "could_be", "is_abbreviations"]

FORMATS = {
    "table": "a table of candidates",
    "pairs": "a comparative tableau, W and L",
    "paper": "tableaux as in a paper",
    "ucla": "words with violations, of UCLA's phonotactic learner",
}
"""Name of ``--format`` -> what people call it."""

_OT_HELP = "[end of tableaux]"
_TITLES = 10  # rows above a header, at most


def arranged(grid: Grid, format: str = "") -> Arranged:
    """Return the cells of a table in the usual order, and what its columns were taken for.

    Parameters
    ----------
    grid
        The cells as they are in the file.
    format
        One of :data:`FORMATS`; recognised if empty.
    """
    rows, tail = _above_tail(grid.rows)
    titles, rows = _below_titles(rows)
    kept = [row for row in titles[:1] if any(cell.text for cell in row[:3])]  # to the right are groups
    body = replace(grid, rows=rows, comments=[*grid.comments, *_title(kept, grid.comments)])
    remarks = [_as_remark(grid, _first(row), "above the header: kept as the title") for row in kept]
    remarks += [_as_remark(grid, _first(row), "above the header: left out") for row in titles[len(kept) :]]
    remarks += [_as_remark(grid, _first(row), "and what is below it were left out") for row in tail[:1]]
    what = (format if rows else "") or (could_be(rows) or ("table",))[0]
    if rows and what in ("table", "pairs"):
        first, faults = first_table(grid, rows)
        body = replace(body, rows=first, faults=[*grid.faults, *faults])
    found = _ARRANGE[what](body)
    return replace(found, remarks=(*remarks, *found.remarks), lines=rows)


def could_be(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the formats that a table may have, the likeliest first; none without rows."""
    if not rows:
        return ()
    found = {
        "ucla": is_ucla(rows),
        "pairs": is_comparative(rows),
        "paper": is_paper(rows),
        "table": True,
    }
    return tuple(format for format, here in found.items() if here)


def _as_remark(grid: Grid, cell: Cell, what: str, hint: str = "") -> Fault:
    return grid.fault(cell, f"{quoted(cell.text)} {what}", hint)


# ---- rows above the header and below the table


def _below_titles(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the rows with a single cell above the header, and the rows from the header on."""
    n = 0
    while n < min(len(rows), _TITLES) and len(without_empty_end(rows[n])) < 4 and _filled(rows[n]) == 1:
        n += 1
    if n < len(rows) - 1 and _is_of_groups(rows[n], rows[n + 1]):
        return rows[: n + 1], rows[n + 1 :]
    header = n < len(rows) - 1 and (_filled(rows[n]) > 2 or is_paper(rows[n:]))
    return (rows[:n], rows[n:]) if n and header and _filled(rows[n + 1]) > 1 else ((), rows)


def _is_of_groups(row: Row, header: Row) -> bool:
    """Return whether a row names groups of constraints, as Markedness and Faithfulness: not all have one."""
    above, below = ({n for n, cell in enumerate(each) if cell.text} for each in (row, header))
    named = [head_name(cell.text) for cell in header[:2]]
    heads = len(named) == 2 and all(name in names for name, names in zip(named, HEADS, strict=True))
    return heads and bool(above) and min(above) > 2 and above < {n for n in below if n > 2}


def _above_tail(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the rows of the tableaux, and those with what else files of OT-Help hold."""
    ends = (n for n, row in enumerate(rows) if row[0].text.lower() == _OT_HELP)
    n = next(ends, len(rows))
    return rows[:n], rows[n:]


def _filled(row: Row) -> int:
    return sum(bool(cell.text) for cell in row)


def _first(row: Row) -> Cell:
    return next(cell for cell in row if cell.text)


def _above_notes(rows: Sequence[Row], roles: Sequence[str]) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the rows of the table, and those below it with a single cell that is no part of a candidate."""
    names = [n for n, role in enumerate(roles) if role in ("input", NOT_USED)]
    n = len(rows)
    while n > 2 and _filled(rows[n - 1]) == 1 and any(cell.text for cell in picked(rows[n - 1], names)):
        n -= 1
    numbers = any(is_number(cell.text) for row in rows[1:n] for cell in row[2:] if cell.text)
    return (rows[:n], rows[n:]) if numbers else (rows, ())


def _perhaps_notes(rows: Sequence[Row], roles: Sequence[str]) -> Iterator[Row]:
    """Yield the last rows that have no number, if they stand apart, or all others have one and these words.

    Such is a remark with a comma in it, and one below the candidates.
    """
    if roles[:2] != ["input", "candidate"] or len(rows) < 3:
        return
    n = len(rows)
    while n > 2 and not _filled(rows[n - 1][2:]):
        n -= 1
    if all(_filled(row[2:]) for row in rows[1:n]) and any(
        " " in cell.text or cell.text.endswith(":") for row in rows[n:] for cell in row[:2]
    ):
        yield from rows[n:]
    elif len(rows[-1]) == 2 and rows[-1][0].text and rows[-1][0].line > rows[-2][0].line + 1:
        yield rows[-1]


def _title(titles: Sequence[Row], comments: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the first title as a comment, unless a comment gives another one."""
    named = any(cell.text.lower().startswith("title:") for cell in comments)
    for cell in (cell for row in titles[:1] for cell in row if cell.text and not named):
        yield cell._replace(text=f"title: {cell.text}")


# ---- tables of candidates


def _table(grid: Grid) -> Arranged:
    """Return a table of candidates: columns by their heads, and without a row of weights."""
    values, rows = _without_values(grid.rows)
    if not rows:
        return Arranged("table", grid, (), ())
    texts = [cell.text for cell in without_empty_end(rows[0])]
    named = all(texts[:2])
    again = [row for row in rows[1:] if named and [cell.text for cell in without_empty_end(row)] == texts]
    rows = [row for row in rows if row not in again] if again else rows
    heads = tuple(cell.text for cell in without_empty_end(rows[0]))
    roles = _roles(rows, _named(grid, rows[0]))
    rows, remarks = _counted(grid, rows, roles)
    remarks += [_as_remark(grid, _first(row), "is the header again: left out") for row in again]
    remarks += [
        _as_remark(grid, rows[0][n], "holds no violations: the column was left out")
        for n, role in enumerate(roles)
        if role == NOT_USED and rows[0][n].text
    ]
    remarks += remarks_on_wide_marks(grid, rows)
    rows, notes = _above_notes(rows, roles)
    remarks += [_as_remark(grid, _first(row), "below the table: left out") for row in notes]
    remarks += [
        _as_remark(grid, _first(row), f"is read as {name}", "delete its row if it is a remark")
        for row in _perhaps_notes(rows, roles)
        for name in ["an input" if row[0].text else "a candidate"]
    ]
    rows, lost = filled_down(replace(grid, rows=rows), roles)
    remarks += lost
    overt, said = _overt(rows, roles), _said(rows, roles)
    if {"input", "candidate"} <= {*roles} and "frequency" not in roles and not said:
        hint = "a column Frequency after the candidates has them, or a column Winner marks winners"
        remarks.append(grid.fault(rows[0][0], "there is no column of frequencies: all are 0", hint))
    order = [roles.index(role) if role in roles else -1 for role in ("input", "candidate", "frequency")]
    order += [n for n, role in enumerate(roles) if role == "constraint"]
    if order != list(range(len(order))) or len(order) < len(roles):
        rows = [[*picked(row, order), *row[len(roles) :]] for row in rows]
        if said and "frequency" not in roles:  # a row a token
            rows = [rows[0], *([*row[:2], row[2]._replace(text="1"), *row[3:]] for row in rows[1:])]
        values = None if values is None else picked(values, order)
    sums = rows_of_sums(rows)
    remarks += [_as_remark(grid, _first(row), "is a row of sums: left out") for row in sums]
    rows = [row for row in rows if row not in sums] if sums else rows
    rows, marked = _hands(rows)
    if marked:
        remarks.append(grid.fault(marked, "the pointing hand marks the winner: read as a count of 1", ""))
    return Arranged(
        "table",
        replace(grid, rows=rows),
        tuple(roles),
        heads,
        tuple(remarks),
        None if values is None else tuple(values[3 : len(order)]),
        overt=overt,
        said=said,
    )


def _counted(grid: Grid, rows: Sequence[Row], roles: Sequence[str]) -> tuple[Sequence[Row], list[Fault]]:
    """Return the rows with counts for the marks of winners, and what to say of the column of frequencies."""
    if "frequency" not in roles:
        return rows, []
    n = roles.index("frequency")
    first, head = rows[0], rows[0][n]
    renamed: Row = [*first[:n], head._replace(text="Frequency"), *first[n + 1 :]]
    if head_name(head.text) in WINNERS and _marks_winners(rows, n):
        what = "marks the winners: each is read as a count of 1"
        return [renamed, *(_marked(row, n) for row in rows[1:])], [_as_remark(grid, head, what)]
    if head_name(head.text) in WINNERS:  # with counts in it
        return [renamed, *rows[1:]], [_as_remark(grid, head, "is read as the frequency")]
    if head_name(head.text) in TOTALS:
        below = counts_below_their_sum(rows, 1 + max(map(roles.index, ("input", "candidate"))))
        names = "" if below is None else f", the sum of {', '.join(first[k].text for k in below[1])}"
        return [renamed, *rows[1:]], [_as_remark(grid, head, f"is read as the frequency{names}")]
    if n == 2 and head_name(head.text) in LETTERS and _could_be_violations(rows, n):
        hint = "put a column Frequency before it if it is a constraint"
        return rows, [_as_remark(grid, head, "is read as the frequency", hint)]
    bare = any(n < len(row) and row[n].text and "%" not in row[n].text for row in rows[1:])
    if head_name(head.text) in PERCENTS and bare and not _about_total(grid):
        hint = "give the true number of each input (--total; in the lab Sample size M)"
        return rows, [_as_remark(grid, head, "is read as counts, as of 100 observations an input", hint)]
    return rows, []


def _could_be_violations(rows: Sequence[Row], n: int) -> bool:
    """Return whether a column has nothing but a few violations in it, or none."""
    numbers = [parse_violations(row[n].text) for row in rows[1:] if n < len(row)]
    return all(number is not None and 0 <= number < 10 for number in numbers)


def _about_total(grid: Grid) -> bool:
    """Return whether a comment line says how many observations each input stands for."""
    return any(cell.text.lower().startswith("total:") for cell in grid.comments)


def _marked(row: Row, n: int) -> Row:
    if n >= len(row):
        return row
    return [*row[:n], row[n]._replace(text="" if row[n].text.lower() in NO_MARKS else "1"), *row[n + 1 :]]


def _counts_violations(rows: Sequence[Row], n: int) -> bool:
    """Return whether a column is surely one of a constraint: ``*Vcd``, or asterisks."""
    texts = [row[n].text for row in rows if n < len(row)]
    return n < len(rows[0]) and (texts[0].startswith("*") or any("*" in text for text in texts[1:]))


def _marks_winners(rows: Sequence[Row], n: int) -> bool:
    """Return whether a column has nothing but marks of winners in it, and some."""
    texts = {row[n].text.lower() for row in rows[1:] if n < len(row)}
    return bool(texts & MARKS) and texts <= MARKS | NO_MARKS


def _overt(rows: Sequence[Row], roles: Sequence[str]) -> dict[int, str]:
    """Return what is heard of the candidate of each line; empty without such a column."""
    if "overt" not in roles:
        return {}
    n = roles.index("overt")
    return {row[n].line: row[n].text for row in rows[1:] if len(row) > n}


def _said(rows: Sequence[Row], roles: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return speaker and item of each line; empty without such a column."""
    if not {"speaker", "item"} & {*roles}:
        return {}
    order = [roles.index(role) if role in roles else -1 for role in ("speaker", "item")]
    return {
        row[0].line: (speaker.text, item.text) for row in rows[1:] for speaker, item in [picked(row, order)]
    }


def _named(grid: Grid, header: Row) -> set[int]:
    """Return the columns that comment lines ``constraint: name = full name`` have."""
    lines = (cell.text.partition(":") for cell in grid.comments)
    said = [value.strip() for key, _, value in lines if key.strip().lower() == "constraint"]
    return {n for n, cell in enumerate(header) if any(line.startswith(f"{cell.text} = ") for line in said)}


def _roles(rows: Sequence[Row], constraints: set[int]) -> list[str]:
    """Return what each column of the header is; without the usual heads the first three by their place."""
    heads = [head_name(cell.text) for cell in without_empty_end(rows[0])]
    places = [next((n for n, head in enumerate(heads) if head in names), None) for names in HEADS]
    short = rows[1] if len(rows) > 1 and is_abbreviations(rows[1]) else ()
    rows = [rows[0], *rows[2:]] if short else rows
    if places in ([None, 0], [1, None]) and len(heads) > 1:  # one head tells what the other column is
        places = [1, 0]
    if None in places:
        named = constraints | {n for n, cell in enumerate(short) if cell.text}  # whatever its full name is
        roles = ["input", "candidate", "frequency"][: len(heads)]
        roles += ["constraint" if n in named else _column(heads[n], rows, n) for n in range(3, len(heads))]
        return roles
    roles = ["constraint" if n in constraints else _column(head, rows, n) for n, head in enumerate(heads)]
    roles[places[0] or 0], roles[places[1] or 0] = "input", "candidate"
    heard, hidden = (
        next((n for n, head in enumerate(heads) if head in names), None) for names in (OVERT, HIDDEN)
    )
    if hidden is not None and (heads[places[1] or 0] == "sr" or _has_words(rows, hidden)):
        heard, roles[hidden] = places[1], "candidate"
    if heard is not None:
        roles[heard] = "overt"
    levels = _levels(heads, rows, {*places})
    roles = [levels.get(n, role) for n, role in enumerate(roles)]
    count = next((n for n, head in enumerate(heads) if head in COUNTS), None)
    if count is None:
        shares = [n for n, head in enumerate(heads) if head in SHARES]
        third = next((n for n in range(len(heads)) if n not in {*places, *levels}), 2)
        if (
            third < len(heads)
            and not heads[third]
            and any(row[third].text for row in rows if third < len(row))
        ):
            shares = [third]
        count = next((n for n in shares if n == (third if levels else 2) or roles[n] == NOT_USED), None)
    free = [n for n in range(len(heads)) if n not in {*places, *levels}]
    winners = next((n for n in free if heads[n] in WINNERS and _marks_winners(rows, n)), None)
    if winners is not None:
        empty = count is None or not any(n < len(row) and row[n].text for n in [count] for row in rows[1:])
        roles[winners], count = NOT_USED, winners if empty else count
    below = None if count is not None else counts_below_their_sum(rows, 1 + max(n or 0 for n in places))
    if below is not None:
        count = below[0]
        for n in below[1]:
            roles[n] = NOT_USED
    if count is None and {*places} == {0, 1} and not levels and not _counts_violations(rows, 2):
        count = 2  # it must be the frequency, and is refused under another name
    if count is not None and count < len(roles):
        roles[count] = "frequency"
    for n in range(max(place or 0 for place in places)):  # constraints stand behind the candidates
        if heads[n] in LABELS or (roles[n] == "constraint" and n not in constraints):
            roles[n] = NOT_USED
    return roles


def is_abbreviations(row: Row) -> bool:
    """Return whether a row is a second header: it names no candidate.

    OTSoft decides by the numbers alone, and so takes a candidate with a misspelt number of
    violations for a header.
    """
    heads = zip(row[:3], (*HEADS, FREQUENCY_HEADS), strict=False)
    empty = all(not cell.text or head_name(cell.text) in column for cell, column in heads)
    return empty and any(cell.text for cell in row[3:])


def _levels(heads: Sequence[str], rows: Sequence[Row], taken: set[int | None]) -> dict[int, str]:
    """Return which columns are speakers and items; one of numbers under such a head may be a constraint.

    Numbers are names of items beside a column of speakers, or left of the candidates.
    """
    free = [n for n in range(len(heads)) if n not in taken]
    speaker = next((n for n in free if heads[n] in SPEAKERS), None)
    found = {} if speaker is None else {speaker: "speaker"}
    last = max(n or 0 for n in taken)
    for n in (n for n in free if heads[n] in ITEMS):
        texts = {row[n].text for row in rows[1:] if len(row) > n and row[n].text}
        if found or n < last or not all(parse_violations(text) is not None for text in texts):
            return {**found, n: "item"}
    return found


def _column(head: str, rows: Sequence[Row], n: int) -> str:
    """Return whether a column holds violations, by its head and by what is in it."""
    if head in WINNERS and _marks_winners(rows, n):
        return NOT_USED
    if not head and not any(len(row) > n and row[n].text for row in rows):
        return NOT_USED
    if head not in REMARKS:
        return "constraint"
    texts = [row[n].text for row in rows[1:] if len(row) > n]
    below = any((parse_violations(text) or 0) < 0 for text in texts)  # a harmony
    return NOT_USED if head in RESULTS or below or not _has_violations(rows, n) else "constraint"


def _has_words(rows: Sequence[Row], n: int) -> bool:
    """Return whether there is something in a column that is no number of violations."""
    return any(len(row) > n and parse_violations(row[n].text) is None for row in rows[1:])


def _has_violations(rows: Sequence[Row], n: int) -> bool:
    """Return whether there is something in a column, and nothing but numbers of violations."""
    texts = [row[n].text for row in rows[1:] if len(row) > n and row[n].text]
    return bool(texts) and all(parse_violations(text) is not None for text in texts)


def _without_values(rows: Sequence[Row]) -> tuple[Row | None, Sequence[Row]]:
    """Return the row of weights, at or just below the header or at the end, and the other rows."""
    for n, row in enumerate(rows[:3]):
        if _is_values(row):
            return row, [*rows[:n], *rows[n + 1 :]]
    if len(rows) > 3 and _is_values(rows[-1]) and any(cell.text for cell in rows[-1][:3]):
        return rows[-1], rows[:-1]
    return None, rows


def _is_values(row: Row) -> bool:
    labels = {cell.text.lower().rstrip(": ") for cell in row[:3] if cell.text}
    numbers = [cell.text for cell in row[3:] if cell.text and head_name(cell.text) not in REMARKS]
    if not numbers or not all(map(is_number, numbers)) or not labels <= VALUES:
        return False
    return bool(labels) or any((parse_decimal(text) or 0.0) % 1 for text in numbers)


def _hands(rows: Sequence[Row]) -> tuple[Sequence[Row], Cell | None]:
    """Return the rows with a count of 1 at each hand, and the first such cell, if there are no counts."""
    data = [row for row in rows[1:] if len(row) > 1]
    marked = next((row[1] for row in data if pointed_at(row[1].text)), None)
    if marked is None or any(len(row) > 2 and row[2].text for row in data):
        return rows, None
    return [rows[0], *(_pointed(row) for row in rows[1:])], marked


def _pointed(row: Row) -> Row:
    if len(row) < 2 or not pointed_at(row[1].text):
        return row
    count = (row[2] if len(row) > 2 else row[1])._replace(text="1")
    return [row[0], row[1]._replace(text=unmarked(row[1].text)), count, *row[3:]]


_ARRANGE = {"table": _table, "pairs": comparative, "paper": paper, "ucla": ucla}
