"""Find constraints by name: their numbers, pairs of them, and which are faithfulness constraints."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ot.conditions import ERC, consistent, minimal_conflict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.ot.tableau import Tableau

__all__ = ["constraint_number", "faithfulness", "numbered_pairs", "parse_names", "parse_values"]

_FAITHFUL = (
    "max",
    "dep",
    "id",
    "faith",
    "parse",
    "fill",
    "uniform",
    "linear",
    "integrity",
    "contig",
    "anchor",
)


def faithfulness(names: Sequence[str]) -> np.ndarray:
    """Return which constraints look like faithfulness constraints, by how their names begin.

    >>> faithfulness(["*VoicedCoda", "Ident-IO(voice)", "MAX-OO(V)", "Onset"]).tolist()
    [False, True, True, False]
    """
    return np.array([name.lower().startswith(_FAITHFUL) for name in names], bool)


def numbered_pairs(
    tableau: Tableau, apriori: Iterable[tuple[int | str, int | str]]
) -> tuple[tuple[int, int], ...]:
    """Return a priori rankings by the constraints' numbers; refuse cyclic ones."""
    pairs = tuple((constraint_number(tableau, a), constraint_number(tableau, b)) for a, b in apriori)
    ercs = [ERC(frozenset({a}), frozenset({b})) for a, b in pairs]
    if not consistent(ercs):
        cycle = minimal_conflict(ercs)
        names = [
            (tableau.constraints[min(erc.winners)], tableau.constraints[min(erc.losers)]) for erc in cycle
        ]
        listed = ", ".join(f"{higher} >> {lower}" for higher, lower in names)
        raise InputError(Fault(f"the rankings given beforehand go round in a circle: {listed}", "remove one"))
    return pairs


def constraint_number(tableau: Tableau, which: int | str) -> int:
    """Return the number of a constraint given by number, by abbreviation or by full name."""
    if isinstance(which, int):
        if not 0 <= which < tableau.n_constraints:
            raise InputError(f"there is no constraint {which}; choose 0 to {tableau.n_constraints - 1}")
        return which
    for names in (tableau.constraints, tableau.full_names):
        if which in names:
            return names.index(which)
    raise InputError(f"no constraint is called {which!r}; {did_you_mean(which, tableau.constraints)}")


def parse_names(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the constraints in ``NAME, NAME``, each once; names may contain commas.

    Raises
    ------
    InputError
        Naming the first that is unknown.

    Examples
    --------
    >>> parse_names("*REPLACE(n,m), *GESTURE", ("*GESTURE", "*REPLACE(n,m)"))
    ('*REPLACE(n,m)', '*GESTURE')
    """
    found, rest = [], text.strip()
    while rest:
        known = [name for name in names if rest == name or rest.startswith(f"{name},")]
        if not known:
            word = rest.partition(",")[0].strip()
            raise InputError(Fault(f"no constraint is called {word}", did_you_mean(word, names)))
        name = max(known, key=len)
        found.append(name)
        rest = rest[len(name) + 1 :].strip()
    return tuple(dict.fromkeys(found))


def parse_values(
    text: str, names: tuple[str, ...], option: str, *, complete: bool = True
) -> dict[str, float]:
    """Return the values in ``NAME=X,NAME=X``; names may contain commas and equals signs.

    Parameters
    ----------
    text, names
        The list, and the constraints it may name.
    option
        Where it was given, for messages.
    complete
        Whether every constraint must be named.

    Returns
    -------
    dict
        A value for each constraint named, in the order of `names`.

    Raises
    ------
    InputError
        Naming everything that is unknown, missing, given twice or no number.

    Examples
    --------
    >>> parse_values("*REPLACE(n,m)=1, *GESTURE=-2.5", ("*GESTURE", "*REPLACE(n,m)"), "--values")
    {'*GESTURE': -2.5, '*REPLACE(n,m)': 1.0}
    """
    values: dict[str, float] = {}
    faults: list[Fault] = []
    rest = text.strip().strip(",")
    while rest:
        name, number, rest = _next(rest, names)
        if name not in names:
            faults.append(Fault(f"no constraint is called {name!r}", did_you_mean(name, names)))
        elif name in values:
            faults.append(Fault(f"the constraint {name!r} is given twice", "give it one value"))
        else:
            values[name] = _finite(name, number, faults)
    missing = [name for name in names if name not in values]
    if missing and complete:
        faults.append(Fault(f"no value for {', '.join(missing)}", "give every constraint one, as NAME=X"))
    if faults:
        raise InputError([replace(fault, file=option) for fault in faults])
    return {name: values[name] for name in names if name in values}


def _next(text: str, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the name and number of the first NAME=X, and the rest of the text.

    The name ends where a known name does, else at the last equals sign before the next comma.
    """
    known = [name for name in names if text.startswith(f"{name}=")]
    if known:
        name = max(known, key=len)
        number, _, rest = text[len(name) + 1 :].partition(",")
    else:
        first, _, rest = text.partition(",")
        name, _, number = first.rpartition("=") if "=" in first else (first, "", "")
    return name.strip(), number.strip(), rest.strip()


def _finite(name: str, text: str, faults: list[Fault]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        faults.append(Fault(f"the value {text!r} of {name!r} is no number", "write one such as 1.5"))
    return value
