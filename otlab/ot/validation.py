"""Checks of the parts of a tableau: shape, places, names (a line each, no blanks around them) and numbers."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, counted, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MAX_FREQUENCY",
    "MAX_VIOLATIONS",
    "clean",
    "index_within",
    "inserted",
    "name_faults",
    "number_faults",
    "offset_faults",
    "position",
    "read_only",
    "rectangle",
    "repeated",
    "replaced",
    "whole_numbers",
]

# Also characters that no UTF-8 or XML file can hold.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")


def clean(name: str) -> str:
    r"""Return a name on one line: line ends and tabs become blanks, surrounding blanks are removed.

    >>> clean(" P ARSE\n(rtr) ")
    'P ARSE (rtr)'
    """
    name = str(name)
    return (name if name.isprintable() else _CONTROL.sub(" ", name)).strip()


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, in order."""
    names = list(names)
    return [name for name, n in Counter(names).items() if n > 1] if len({*names}) < len(names) else []


MAX_VIOLATIONS = 2**31 - 1
MAX_FREQUENCY = 1e15


def read_only(values: ArrayLike, dtype: type) -> NDArray[Any]:
    """Return a read-only copy of an array."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def rectangle(rows: Sequence[Sequence[int]], width: int) -> NDArray[Any]:
    """Return rows of violations as a matrix.

    Raises
    ------
    InputError
        If a row has not `width` numbers.
    """
    for row in rows:
        if len(row) != width:
            given = counted(len(row), "number")
            raise InputError(f"a candidate has {given} of violations; give {width}, one per constraint")
    return np.array(rows).reshape(len(rows), width)


def whole_numbers(violations: ArrayLike) -> NDArray[Any]:
    """Return violations as an array that converts to integers without loss.

    Raises
    ------
    InputError
        If one of them is not a whole number.
    """
    numbers = np.asarray(violations)
    if numbers.dtype.kind not in "iub":
        numbers = numbers.astype(np.float64)
        broken = numbers[numbers != np.rint(numbers)]
        if broken.size:
            raise InputError(f"{broken.flat[0]:g} is not a whole number; give whole numbers of violations")
        numbers = np.clip(numbers, -MAX_VIOLATIONS - 1, MAX_VIOLATIONS + 1)
    return numbers


def offset_faults(offsets: NDArray[np.int64], n_inputs: int, n_rows: int) -> Iterable[Fault]:
    """Yield faults of the offsets that divide the rows among the inputs."""
    if offsets.tolist()[:1] != [0] or offsets[-1] != n_rows or (np.diff(offsets) < 1).any():
        yield Fault(
            "the offsets do not divide the rows into one block per input",
            "start at 0, rise, end at the number of rows",
        )
    elif len(offsets) != n_inputs + 1:
        yield Fault(
            f"there are {counted(len(offsets), 'offset')} for {counted(n_inputs, 'input')}",
            "give one more than there are inputs",
        )


def name_faults(kind: str, names: Sequence[str]) -> Iterable[Fault]:
    """Yield faults of names that are empty or repeated; `kind` says what they name."""
    if "" in names:
        yield Fault(f"a {kind} has no name", "give it one")
    for name in repeated(names):
        yield Fault(f"the {kind} {quoted(name)} appears twice", "rename or remove one")


def number_faults(
    candidates: tuple[str, ...], frequencies: NDArray[np.float64], violations: NDArray[np.int64]
) -> Iterable[Fault]:
    """Yield which candidates have a frequency or violations out of range."""
    for row in np.flatnonzero(~((frequencies >= 0) & (frequencies <= MAX_FREQUENCY))).tolist():
        yield Fault(f"{frequencies[row]:g} is no frequency of {quoted(candidates[row])}", "write 0 or more")
    for row in np.flatnonzero((np.abs(violations) > MAX_VIOLATIONS).any(axis=1)).tolist():
        yield Fault(f"{quoted(candidates[row])} has too many violations", f"stay within {MAX_VIOLATIONS}")


def position(kind: str, which: int | str, names: Sequence[str]) -> int:
    """Return the number of a constraint or an input given by name or number."""
    if isinstance(which, str):
        if which not in names:
            raise InputError(f"no {kind} is called {which!r}; {did_you_mean(which, names)}")
        return names.index(which)
    return index_within(which, len(names), kind)


def index_within(number: int, size: int, kind: str = "row or column") -> int:
    """Return a number from 0 to `size` - 1; refuse any other."""
    if not 0 <= number < size:
        raise InputError(f"there is no {kind} {number}; choose 0 to {size - 1}")
    return int(number)


def inserted(names: tuple[str, ...], at: int, name: str) -> tuple[str, ...]:
    """Return the names with another one before number `at`."""
    return (*names[:at], name, *names[at:])


def replaced(names: tuple[str, ...], at: int, name: str) -> tuple[str, ...]:
    """Return the names with another one as number `at`."""
    return (*names[:at], name, *names[at + 1 :])
