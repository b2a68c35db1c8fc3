"""The tableau: inputs, their candidates, what each violates, how often it is said.

::

    /HRED-bwaja/     freq  *C-ONS  AL  I_BR
      bu.bwa.ja         1       1   0     1     one row a candidate, the inputs' rows
      bwaj.bwa.ja       1       2   0     0     one after another; offsets[k]:offsets[k+1]
      bub.wa.ja         1       0   1     0     are the rows of input k

Readers are in :mod:`otlab.ot.io.read`, what a ranking must satisfy for a candidate to
win in :mod:`otlab.ot.conditions`, how often it wins in :mod:`otlab.ot.probability`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.ot import counting, edits
from otlab.ot.names import clean
from otlab.ot.validation import broken_rules, frozen, rectangle, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from otlab.ot.probability import Prediction
    from otlab.ot.probability_plan import Plan

__all__ = ["Tableau"]


@dataclass(frozen=True, eq=False, repr=False)
class Tableau:
    """What candidates violate and how often they are observed; never changes.

    Two tableaux are equal when all is equal but `name`.

    Parameters
    ----------
    inputs
        Each once.
    candidates
        One a row; each once within its input.
    offsets : int64 (n_inputs + 1,)
        Rows of input ``k`` are ``offsets[k]:offsets[k + 1]``; every input has one.
    constraints
        The names in use: abbreviations where there are any. Each once.
    violations : int64 (rows, K)
        Whole numbers; negative ones are legal, as in OTSoft.
    frequencies : float64 (rows,)
        Counts or relative frequencies, at least 0.
    full_names
        Of the constraints; the names in use where empty.
    name, title, source, notes
        Where it comes from.
    noise, bound, total
        What the file says about :class:`~otlab.ot.settings.Settings`; None where it
        says nothing.

    Raises
    ------
    InputError
        Naming everything that breaks the rules above.
    """

    inputs: tuple[str, ...]
    candidates: tuple[str, ...]
    offsets: NDArray[np.int64]
    constraints: tuple[str, ...]
    violations: NDArray[np.int64]
    frequencies: NDArray[np.float64]
    full_names: tuple[str, ...] = ()
    name: str = ""
    title: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    noise: float | None = None
    bound: float | None = None
    total: int | None = None

    def __post_init__(self) -> None:
        settled = {
            "inputs": tuple(map(clean, self.inputs)),
            "candidates": tuple(map(clean, self.candidates)),
            "constraints": tuple(map(clean, self.constraints)),
            "full_names": tuple(map(clean, self.full_names or self.constraints)),
            "notes": tuple(note for note in map(clean, self.notes) if note),
            "title": clean(self.title),
            "source": clean(self.source),
            "offsets": frozen(self.offsets, np.int64),
            "violations": frozen(whole(self.violations), np.int64),
            "frequencies": frozen(self.frequencies, np.float64),
        }
        for field, value in settled.items():
            object.__setattr__(self, field, value)
        faults = list(broken_rules(self))
        if faults:
            raise InputError(faults)

    # ---- shape

    @property
    def n_rows(self) -> int:
        """Number of candidates, over all inputs."""
        return len(self.candidates)

    @property
    def n_constraints(self) -> int:
        """Number of constraints, K."""
        return len(self.constraints)

    def rows(self, k: int) -> slice:
        """Return the rows of input `k`."""
        return slice(int(self.offsets[k]), int(self.offsets[k + 1]))

    @property
    def input_of_row(self) -> NDArray[np.int64]:
        """The input's number for each row, int64 (rows,)."""
        return np.repeat(np.arange(len(self.inputs)), np.diff(self.offsets))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tableau):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)
            if f.name != "name"
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.candidates, self.constraints, self.violations.tobytes()))

    # ---- frequencies

    counts = counting.counts
    observed = counting.observed

    # ---- edits: each returns a new tableau

    with_cell = edits.with_cell
    with_frequency = edits.with_frequency
    add_constraint = edits.add_constraint
    remove_constraint = edits.remove_constraint
    rename_constraint = edits.rename_constraint
    move_constraint = edits.move_constraint
    add_candidate = edits.add_candidate
    rename_candidate = edits.rename_candidate
    remove_row = edits.remove_row
    add_input = edits.add_input
    rename_input = edits.rename_input
    remove_input = edits.remove_input

    # ---- prediction

    @cached_property
    def plan(self) -> Plan:
        """What has to be integrated to predict from this tableau; worked out once."""
        from otlab.ot.probability_plan import compile_plan

        return compile_plan(self)

    def probabilities(
        self, ranking_values: ArrayLike, noise: float | None = None, *, seed: int | None = None
    ) -> Prediction:
        """Return how often each candidate wins under these ranking values.

        See :func:`otlab.ot.probability.predict`.
        """
        from otlab.ot.probability import predict

        return predict(self, ranking_values, noise, seed=seed)

    # ---- from and to other forms

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, str, float, Sequence[int]]],
        constraints: Sequence[str],
        **about: Any,
    ) -> Tableau:
        """Build a tableau from (input, candidate, frequency, violations) rows.

        Rows of one input need not stand together. `about` holds the remaining fields:
        ``full_names``, ``title``, ``noise`` and so on.

        Raises
        ------
        InputError
            As the class, and if a row has not one number a constraint.

        Examples
        --------
        >>> Tableau.from_rows([("x", "y1", 77, [0, 0, 1]), ("x", "y2", 23, [1, 1, 0])], ["C1", "C2", "C3"])
        /x/  freq  C1  C2  C3
        y1     77           1
        y2     23   1   1
        """
        blocks: dict[str, list[tuple[str, float, Sequence[int]]]] = {}
        for name, candidate, frequency, violations in rows:
            blocks.setdefault(clean(name), []).append((candidate, frequency, violations))
        flat = [row for block in blocks.values() for row in block]
        return cls(
            inputs=tuple(blocks),
            candidates=tuple(candidate for candidate, _, _ in flat),
            offsets=np.cumsum([0, *map(len, blocks.values())]),
            constraints=tuple(constraints),
            violations=rectangle([row[2] for row in flat], len(constraints)),
            frequencies=np.array([frequency for _, frequency, _ in flat], dtype=np.float64),
            **about,
        )

    @classmethod
    def from_pandas(cls, frame: pd.DataFrame, name: str = "") -> Tableau:
        """Build a tableau from a frame with columns Input, Output, Frequency, then constraints.

        The rules are those of the files (:mod:`otlab.ot.io.grid`): an empty input continues
        the one above, an empty number is 0.

        Raises
        ------
        InputError
            With every fault of the frame.

        Warns
        -----
        DataWarning
            For what is legal but probably not meant.
        """
        from otlab.ot.io.frame import from_pandas

        return from_pandas(frame, name)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row a candidate: Input, Output, Frequency, then a column a constraint."""
        from otlab.ot.io.frame import to_pandas

        return to_pandas(self)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the tableau as CSV, and write it to `path` if there is one."""
        from otlab.ot.io.write import csv_text, write_text

        return write_text(csv_text(self), path)

    def to_otsoft(self, path: str | Path | None = None) -> str:
        """Return the tableau as OTSoft's tab-delimited text, and write it to `path` if there is one."""
        from otlab.ot.io.write import otsoft_text, write_text

        return write_text(otsoft_text(self), path)

    def to_xlsx(self, path: str | Path) -> None:
        """Write OTSoft's grid on the first sheet of a spreadsheet."""
        from otlab.ot.io.write import write_xlsx

        write_xlsx(self, path)

    def __repr__(self) -> str:
        from otlab.ot.io.frame import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from otlab.ot.io.frame import as_html

        return as_html(self)
