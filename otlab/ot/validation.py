"""What every tableau keeps to, and what is wrong with one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.ot.names import repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from otlab.ot.tableau import Tableau

__all__ = ["MAX_FREQUENCY", "MAX_VIOLATIONS", "broken_rules", "frozen", "rectangle", "whole"]

MAX_VIOLATIONS = 2**31 - 1
MAX_FREQUENCY = 1e15


def frozen(values: ArrayLike, dtype: type) -> NDArray[Any]:
    """Return a copy that cannot be written."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def rectangle(rows: Sequence[Sequence[int]], width: int) -> NDArray[Any]:
    """Return rows of equal length as a matrix."""
    for row in rows:
        if len(row) != width:
            raise InputError(
                f"a candidate has {len(row)} numbers of violations; give {width}, one a constraint"
            )
    return np.array(rows).reshape(len(rows), width)


def whole(violations: ArrayLike) -> NDArray[Any]:
    """Refuse numbers that an array of integers would cut off."""
    numbers = np.asarray(violations)
    if numbers.dtype.kind not in "iub":
        numbers = numbers.astype(np.float64)
        broken = numbers[numbers != np.rint(numbers)]
        if broken.size:
            raise InputError(f"{broken.flat[0]:g} is not a whole number; give whole numbers of violations")
        numbers = np.clip(numbers, -MAX_VIOLATIONS - 1, MAX_VIOLATIONS + 1)
    return numbers


def broken_rules(tableau: Tableau) -> Iterable[Fault]:
    """Yield what breaks the rules of the class docstring."""
    rows, k = tableau.n_rows, tableau.n_constraints
    shape = (rows, k)
    if not k:
        yield Fault("there is no constraint", "add one")
    if not rows:
        yield Fault("there is no candidate", "add one")
    if (
        tableau.violations.shape != shape
        or tableau.frequencies.shape != (rows,)
        or len(tableau.full_names) != k
    ):
        yield Fault(f"the violations are not {rows} candidates by {k} constraints", "give one number each")
        return
    if (
        tableau.offsets.tolist()[:1] != [0]
        or tableau.offsets[-1] != rows
        or (np.diff(tableau.offsets) < 1).any()
    ):
        yield Fault(
            "the offsets do not cut the rows into one block an input", "start at 0, rise, end at the rows"
        )
        return
    if len(tableau.offsets) != len(tableau.inputs) + 1:
        yield Fault("there is not one offset an input and one more", "give len(inputs) + 1 of them")
        return
    yield from _bad_names(tableau)
    yield from _bad_numbers(tableau)


def _bad_names(tableau: Tableau) -> Iterable[Fault]:
    kinds = [("constraint", tableau.constraints), ("input", tableau.inputs)]
    kinds += [
        (f"candidate of {quoted(name)}", tableau.candidates[tableau.rows(k)])
        for k, name in enumerate(tableau.inputs)
    ]
    for kind, names in kinds:
        if "" in names:
            yield Fault(f"a {kind} has no name", "give it one")
        for name in repeated(names):
            yield Fault(f"the {kind} {quoted(name)} appears twice", "rename or remove one")


def _bad_numbers(tableau: Tableau) -> Iterable[Fault]:
    frequencies = tableau.frequencies
    for row in np.flatnonzero(~((frequencies >= 0) & (frequencies <= MAX_FREQUENCY))):
        yield Fault(
            f"{frequencies[row]:g} is no frequency of {quoted(tableau.candidates[row])}", "write 0 or more"
        )
    for row in np.flatnonzero((np.abs(tableau.violations) > MAX_VIOLATIONS).any(axis=1)):
        yield Fault(
            f"{quoted(tableau.candidates[row])} has too many violations", f"stay within {MAX_VIOLATIONS}"
        )
