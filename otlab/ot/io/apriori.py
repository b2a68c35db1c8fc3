r"""A priori rankings of OTSoft: which constraints are ranked above which before anything is learnt.

The first row has an empty cell and the constraints; each further row begins with a constraint.
A cell that is neither empty nor 0 ranks the constraint of its row above that of its column::

            Onset   NoCoda   Max
    Onset                    x
    NoCoda
    Max

The fixed rankings of an OTGrammar of Praat are read as well.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import MOST_FAULTS, Fault, InputError, did_you_mean, quoted
from otlab.files import file_bytes
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.io.delimited import cut, decode
from otlab.ot.io.foreign import praat_class
from otlab.ot.io.praat import parse_praat

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["parse_apriori", "read_apriori", "write_apriori"]


def read_apriori(path: str | Path, tableau: Tableau) -> tuple[tuple[str, str], ...]:
    """Return the (higher, lower) pairs of constraints in a file, by the names in use.

    Parameters
    ----------
    path
        Text with tabs, commas or semicolons between the cells, or an OTGrammar of Praat.
    tableau
        Its constraints are named in the file, by either name; constraints left out are free.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    return parse_apriori(file_bytes(path), Path(path).name, tableau)


def parse_apriori(data: bytes, file: str, tableau: Tableau) -> tuple[tuple[str, str], ...]:
    """Return the (higher, lower) pairs in the content of a file, as :func:`read_apriori`."""
    known = dict(zip(tableau.full_names, tableau.constraints, strict=True))
    known |= {name: name for name in tableau.constraints}
    if praat_class(data) is not None:
        return _fixed_rankings(data, file, known)
    grid = cut(decode(data, file), file, file)
    faults = list(grid.faults)
    if not grid.rows:
        raise InputError(Fault("is empty", "write a row and a column for each constraint", file=file))
    (corner, *columns), *rows = grid.rows
    if corner.text:
        faults.append(grid.fault(corner, f"{quoted(corner.text)} in the first cell", "leave it empty"))
    for cell in (*columns, *(row[0] for row in rows)):
        if cell.text and cell.text not in known:
            hint = did_you_mean(cell.text, tableau.constraints)
            faults.append(grid.fault(cell, f"no constraint is called {quoted(cell.text)}", hint))
        if len(faults) > MOST_FAULTS:
            raise InputError(faults)
    lower = [known.get(cell.text, "") for cell in columns]
    pairs = []
    for label, *cells in rows:
        higher = known.get(label.text, "")
        if not label.text:
            faults.append(grid.fault(label, "a row without a constraint", "begin it with one"))
            continue
        for n, cell in enumerate(cells):
            if cell.text in ("", "0"):
                continue
            if n >= len(lower) or not lower[n]:
                faults.append(
                    grid.fault(cell, f"{quoted(cell.text)} has no constraint above it", "remove it")
                )
            elif lower[n] == higher:
                what = f"{quoted(higher)} is ranked above itself"
                faults.append(grid.fault(cell, what, "leave the cell empty"))
            else:
                pairs.append((higher, lower[n]))
    if faults:
        raise InputError(faults)
    return _without_circles(pairs, file, tableau)


def _without_circles(
    pairs: list[tuple[str, str]], file: str, tableau: Tableau
) -> tuple[tuple[str, str], ...]:
    """Return the distinct pairs; refuse rankings that go round in a circle, and name their file."""
    try:
        numbered_pairs(tableau, pairs)
    except InputError as error:
        raise InputError([replace(fault, file=fault.file or file) for fault in error.faults]) from None
    return tuple(dict.fromkeys(pairs))


def _fixed_rankings(data: bytes, file: str, known: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the fixed rankings of a grammar of Praat."""
    grammar, _ = parse_praat(data, file)
    if grammar is None:
        raise InputError(Fault("holds no OTGrammar, and so no rankings", "give the OTGrammar", file=file))
    unknown = {name for pair in grammar.apriori for name in pair} - known.keys()
    if unknown:
        raise InputError(
            Fault(f"no constraint is called {quoted(name)}", did_you_mean(name, list(known)), file=file)
            for name in sorted(unknown)
        )
    return tuple((known[a], known[b]) for a, b in grammar.apriori)


def chosen_apriori(
    given: str | Path | tuple[tuple[str, str], ...] | None, tableau: Tableau
) -> tuple[tuple[str, str], ...]:
    """Return the (higher, lower) pairs that a setting holds: a file, the pairs themselves, or nothing."""
    if given is None:
        return ()
    return given if isinstance(given, tuple) else read_apriori(given, tableau)


def write_apriori(pairs: tuple[tuple[str, str], ...], tableau: Tableau) -> str:
    """Return (higher, lower) pairs as the text of a file that :func:`read_apriori` reads.

    Examples
    --------
    >>> from otlab.ot import read
    >>> print(write_apriori((("A", "M"),), read("spanish")).splitlines()[1])
    A		x
    """
    names = tableau.constraints
    rows = [["", *names], *([a, *("x" if (a, b) in pairs else "" for b in names)] for a in names)]
    return "".join("\t".join(row) + "\n" for row in rows)
