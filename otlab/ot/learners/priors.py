"""Normal priors and their files: name, mean and standard deviation of one constraint per line.

Tab-separated without a header, as OTSoft and maxent.ot have them, or CSV with one
(``Constraint,Mu,Sigma``). The third column is a standard deviation; files of the
MaxEnt Grammar Tool hold variances there and must be converted.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, did_you_mean
from otlab.files import file_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from otlab.ot.tableau import Tableau

__all__ = ["NormalPrior", "chosen_prior", "equal_prior", "read_prior"]

_SHAPE = "write a constraint's name, its mean and its sd"


@dataclass(frozen=True, eq=False)
class NormalPrior:
    """Independent normal priors of the ranking values or weights, N(mean, sd^2).

    Parameters
    ----------
    mean, sd : ndarray of shape (constraints,)
        In the unit of the ranking values.

    Raises
    ------
    InputError
        If a number is not finite or an sd is not above 0.
    """

    mean: np.ndarray
    sd: np.ndarray

    def __post_init__(self) -> None:
        mean, sd = np.broadcast_arrays(np.asarray(self.mean, float), np.asarray(self.sd, float))
        if not (np.isfinite(mean).all() and np.isfinite(sd).all() and (sd > 0).all()):
            raise InputError("a normal prior needs finite means and sds above 0; correct the prior")
        object.__setattr__(self, "mean", mean.copy())
        object.__setattr__(self, "sd", sd.copy())


def chosen_prior(tableau: Tableau, sd: float | None, path: str | Path | None) -> NormalPrior | None:
    """Return the prior of a file, or one with mean 0 and the same sd for all; None if neither is given.

    Raises
    ------
    InputError
        If both are given, or the file has faults.
    """
    if path is not None and sd is not None:
        raise InputError("--prior and --prior-sd say the same thing twice; give one of them")
    if path is not None:
        return read_prior(Path(path), tableau)
    return None if sd is None else equal_prior(tableau, sd)


def equal_prior(tableau: Tableau, sd: float) -> NormalPrior:
    """Return a normal prior with mean 0 and the same sd for every constraint."""
    return NormalPrior(np.zeros(tableau.n_constraints), np.full(tableau.n_constraints, sd))


def read_prior(path: Path, tableau: Tableau) -> NormalPrior:
    """Return the prior in a file that names each constraint of the tableau once, by either name.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    text = file_text(path)
    known = dict(zip(tableau.full_names, range(tableau.n_constraints), strict=True))
    known |= dict(zip(tableau.constraints, range(tableau.n_constraints), strict=True))
    numbers: dict[int, tuple[float, float]] = {}
    faults = [
        Fault(what, hint, path.name, line)
        for line, cells in _rows(text)
        if (fault := _read_line(cells, known, numbers)) is not None
        for what, hint in [fault]
    ]
    missing = [name for i, name in enumerate(tableau.constraints) if i not in numbers]
    if missing and not faults:
        faults.append(Fault(f"no prior for {', '.join(missing)}", "give every constraint one", path.name))
    if faults:
        raise InputError(faults)
    mean, sd = np.array([numbers[i] for i in range(tableau.n_constraints)]).T
    return NormalPrior(mean, sd)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and cells of each row that is neither header nor comment."""
    lines = text.splitlines()
    cells: Iterable[list[str]] = (
        (line.split("\t") for line in lines) if "\t" in text else csv.reader(lines, skipinitialspace=True)
    )
    for number, row in enumerate(_readable(cells), 1):
        stripped = [cell.strip() for cell in row]
        header = number == 1 and stripped[:1] == ["Constraint"]
        if any(stripped) and not header and not stripped[0].startswith("#"):
            yield number, stripped


def _readable(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield the rows; raise an InputError if they cannot be cut into cells."""
    try:
        yield from rows
    except csv.Error as error:
        raise InputError(Fault(f"this is no table: {error}", _SHAPE)) from None


def _read_line(
    cells: list[str], known: dict[str, int], numbers: dict[int, tuple[float, float]]
) -> tuple[str, str] | None:
    """Add the mean and sd of one line to `numbers`; return what is wrong with it, and what to do."""
    if len(cells) != 3:
        return f"{len(cells)} cells in place of 3", _SHAPE
    name, mean, sd = cells[0], _number(cells[1]), _number(cells[2])
    if name not in known:
        return f"no constraint is called {name!r}", did_you_mean(name, list(known))
    if known[name] in numbers:
        return f"the constraint {name!r} is given twice", "remove one line"
    if not (math.isfinite(mean) and math.isfinite(sd) and sd > 0):
        return f"{cells[1]!r}, {cells[2]!r} are no mean and sd", "write two numbers, the second above 0"
    numbers[known[name]] = (mean, sd)
    return None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
