"""What an editor does to a tableau: one small function an edit, each returning a new tableau.

They are methods of :class:`~otlab.ot.tableau.Tableau`. A constraint or an input is
meant by its name or its number, a candidate by its row. An edit that would break a
rule of the tableau (two candidates of one name, no constraint left) raises an
:class:`~otlab.errors.InputError` and changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError, did_you_mean
from otlab.ot.validation import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = [
    "add_candidate",
    "add_constraint",
    "add_input",
    "move_constraint",
    "remove_constraint",
    "remove_input",
    "remove_row",
    "rename_candidate",
    "rename_constraint",
    "rename_input",
    "with_cell",
    "with_frequency",
]


def with_cell(self: Tableau, row: int, constraint: int | str, n: int) -> Tableau:
    """Return the tableau with `n` violations of a constraint by the candidate of `row`."""
    violations = self.violations.astype(np.float64)
    violations[_place(row, self.n_rows), _find("constraint", constraint, self.constraints)] = n
    return replace(self, violations=whole(violations))


def with_frequency(self: Tableau, row: int, frequency: float) -> Tableau:
    """Return the tableau with another frequency of the candidate of `row`."""
    frequencies = self.frequencies.copy()
    frequencies[_place(row, self.n_rows)] = frequency
    return replace(self, frequencies=frequencies)


def add_constraint(self: Tableau, name: str, at: int | None = None) -> Tableau:
    """Return the tableau with a constraint nobody violates, before column `at` or last."""
    column = self.n_constraints if at is None else _place(at, self.n_constraints + 1)
    return replace(
        self,
        constraints=_with(self.constraints, column, name),
        full_names=_with(self.full_names, column, name),
        violations=np.insert(self.violations, column, 0, axis=1),
    )


def remove_constraint(self: Tableau, constraint: int | str) -> Tableau:
    """Return the tableau without a constraint."""
    column = _find("constraint", constraint, self.constraints)
    return _pick_constraints(self, [c for c in range(self.n_constraints) if c != column])


def move_constraint(self: Tableau, constraint: int | str, to: int) -> Tableau:
    """Return the tableau with a constraint's column moved to number `to`."""
    column = _find("constraint", constraint, self.constraints)
    order = [c for c in range(self.n_constraints) if c != column]
    order.insert(_place(to, self.n_constraints), column)
    return _pick_constraints(self, order)


def rename_constraint(self: Tableau, constraint: int | str, name: str) -> Tableau:
    """Return the tableau with a constraint renamed; a full name of its own stays."""
    column = _find("constraint", constraint, self.constraints)
    old = self.constraints[column]
    full = name if self.full_names[column] == old else self.full_names[column]
    return replace(
        self,
        constraints=_with(self.constraints, column, name, instead=1),
        full_names=_with(self.full_names, column, full, instead=1),
    )


def add_candidate(self: Tableau, input: int | str, name: str) -> Tableau:
    """Return the tableau with a candidate that violates nothing, last of its input."""
    k = _find("input", input, self.inputs)
    row = int(self.offsets[k + 1])
    offsets = np.concatenate([self.offsets[: k + 1], self.offsets[k + 1 :] + 1])
    return _insert_row(self, row, name, offsets, self.inputs)


def add_input(self: Tableau, name: str, candidate: str | None = None, at: int | None = None) -> Tableau:
    """Return the tableau with an input of one candidate, before input `at` or last.

    The candidate is the faithful one, called as the input, unless it is given.
    """
    k = len(self.inputs) if at is None else _place(at, len(self.inputs) + 1)
    row = int(self.offsets[k])
    offsets = np.concatenate([self.offsets[: k + 1], self.offsets[k:] + 1])
    return _insert_row(
        self, row, name if candidate is None else candidate, offsets, _with(self.inputs, k, name)
    )


def rename_candidate(self: Tableau, row: int, name: str) -> Tableau:
    """Return the tableau with the candidate of `row` renamed."""
    return replace(self, candidates=_with(self.candidates, _place(row, self.n_rows), name, instead=1))


def rename_input(self: Tableau, input: int | str, name: str) -> Tableau:
    """Return the tableau with an input renamed."""
    return replace(self, inputs=_with(self.inputs, _find("input", input, self.inputs), name, instead=1))


def remove_row(self: Tableau, row: int) -> Tableau:
    """Return the tableau without the candidate of `row`; an input's last one takes the input along."""
    row = _place(row, self.n_rows)
    return _keep_rows(self, [r for r in range(self.n_rows) if r != row])


def remove_input(self: Tableau, input: int | str) -> Tableau:
    """Return the tableau without an input and its candidates."""
    gone = self.rows(_find("input", input, self.inputs))
    return _keep_rows(self, [r for r in range(self.n_rows) if not gone.start <= r < gone.stop])


def _insert_row(
    self: Tableau, row: int, name: str, offsets: NDArray[np.int64], inputs: Sequence[str]
) -> Tableau:
    return replace(
        self,
        inputs=tuple(inputs),
        offsets=offsets,
        candidates=_with(self.candidates, row, name),
        violations=np.insert(self.violations, row, 0, axis=0),
        frequencies=np.insert(self.frequencies, row, 0.0),
    )


def _keep_rows(self: Tableau, rows: Sequence[int]) -> Tableau:
    sizes = np.bincount(self.input_of_row[rows], minlength=len(self.inputs))
    return replace(
        self,
        inputs=tuple(name for name, size in zip(self.inputs, sizes, strict=True) if size),
        offsets=np.concatenate([[0], np.cumsum(sizes[sizes > 0])]),
        candidates=tuple(self.candidates[r] for r in rows),
        violations=self.violations[rows],
        frequencies=self.frequencies[rows],
    )


def _pick_constraints(self: Tableau, columns: Sequence[int]) -> Tableau:
    return replace(
        self,
        constraints=tuple(self.constraints[c] for c in columns),
        full_names=tuple(self.full_names[c] for c in columns),
        violations=self.violations[:, columns],
    )


def _with(names: tuple[str, ...], at: int, name: str, instead: int = 0) -> tuple[str, ...]:
    """Return the names with one more before number `at`, in the place of `instead` of them."""
    return (*names[:at], name, *names[at + instead :])


def _find(kind: str, which: int | str, names: Sequence[str]) -> int:
    if isinstance(which, str):
        if which not in names:
            raise InputError(f"no {kind} is called {which!r}; {did_you_mean(which, names)}")
        return names.index(which)
    return _place(which, len(names), kind)


def _place(number: int, size: int, kind: str = "row or column") -> int:
    if not 0 <= number < size:
        raise InputError(f"there is no {kind} {number}; choose 0 to {size - 1}")
    return int(number)
