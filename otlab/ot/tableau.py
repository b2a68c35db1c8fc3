"""The tableau: inputs, their candidates, the violations and frequency of each candidate.

::

    /HRED-bwaja/     freq  *C-ONS  AL  I_BR
      bu.bwa.ja         1       1   0     1     one row per candidate; the rows of an
      bwaj.bwa.ja       1       2   0     0     input are consecutive: those of input k
      bub.wa.ja         1       0   1     0     are offsets[k]:offsets[k + 1]

:mod:`otlab.ot.io` reads and writes tableaux, :mod:`otlab.ot.conditions` derives what a
ranking must satisfy for a candidate to win, :mod:`otlab.ot.probability` how often it wins.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, counted, quoted
from otlab.ot.apportionment import apportioned, whole_frequencies
from otlab.ot.formatting import aligned_text, html_table, tableau_cells
from otlab.ot.groups import counted_frame
from otlab.ot.validation import (
    clean,
    index_within,
    inserted,
    name_faults,
    number_faults,
    offset_faults,
    position,
    read_only,
    rectangle,
    replaced,
    whole_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.formula_columns import Formulas
    from otlab.ot.groups import Groups

__all__ = ["SUM_OF_SPEAKERS", "Tableau"]

SUM_OF_SPEAKERS = "the count of a candidate is the sum over speakers and items"


@dataclass(frozen=True, eq=False, repr=False)
class Tableau:
    """Inputs with their candidates, violations and frequencies; immutable.

    Two tableaux are equal if all fields but `name` are equal. Each edit returns a new
    tableau; it takes a constraint or an input by name or number, a candidate by its row.

    Parameters
    ----------
    inputs
        Names, each different.
    candidates
        One per row; names differ within an input.
    offsets : int64 (n_inputs + 1,)
        Rows of input ``k`` are ``offsets[k]:offsets[k + 1]``; every input has one or more.
    constraints
        Names in use: abbreviations where there are any. Each different.
    violations : int64 (rows, K)
        Whole numbers; negative ones are legal, as in OTSoft.
    frequencies : float64 (rows,)
        Counts or relative frequencies, 0 or more.
    full_names
        Full names of the constraints; the names in use if empty.
    name, title, source, notes
        Where the tableau comes from.
    noise, bound, total
        :class:`~otlab.ot.settings.Settings` given in the file; None if it gives none.
    formulas
        What the columns count (:mod:`otlab.ot.formulas`); None if all numbers are typed. Edits of inputs and
        candidates count their cells anew.
    overt
        What is heard of each candidate, one per row; empty where that is the candidate itself. Candidates
        with the same overt form are its parses.
    groups
        Counts by speaker and item whose sums the frequencies are; None if the data do not say who said what.

    Raises
    ------
    InputError
        With everything that breaks the rules above. An edit raises it too, as for a name that is taken.
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
    formulas: Formulas | None = None
    overt: tuple[str, ...] = ()
    groups: Groups | None = None

    def __post_init__(self) -> None:
        normalised = {
            "inputs": tuple(map(clean, self.inputs)),
            "candidates": tuple(map(clean, self.candidates)),
            "constraints": tuple(map(clean, self.constraints)),
            "full_names": tuple(map(clean, self.full_names or self.constraints)),
            "notes": tuple(note for note in map(clean, self.notes) if note),
            "overt": tuple(map(clean, self.overt)) if any(self.overt) else (),
            "title": clean(self.title),
            "source": clean(self.source),
            "offsets": read_only(self.offsets, np.int64),
            "violations": read_only(whole_numbers(self.violations), np.int64),
            "frequencies": read_only(self.frequencies, np.float64),
        }
        for field, value in normalised.items():
            object.__setattr__(self, field, value)
        faults = list(self._shape_faults()) or list(self._content_faults())
        if faults:
            raise InputError(faults)

    def _shape_faults(self) -> Iterable[Fault]:
        """Yield which arrays do not fit together."""
        rows, k = self.n_rows, self.n_constraints
        if not k:
            yield Fault("there is no constraint", "add one")
        if not rows:
            yield Fault("there is no candidate", "add one")
        shapes = (self.violations.shape, self.frequencies.shape, len(self.full_names))
        if self.overt and len(self.overt) != rows:
            what = f"{counted(len(self.overt), 'overt form')} for {counted(rows, 'candidate')}"
            yield Fault(what, "give each one")
        if shapes != ((rows, k), (rows,), k) or (self.formulas and len(self.formulas.texts) != k):
            what = f"the violations are not {counted(rows, 'candidate')} by {counted(k, 'constraint')}"
            yield Fault(what, "give one number each")
        else:
            yield from offset_faults(self.offsets, len(self.inputs), rows)
            yield from () if self.groups is None else self.groups.faults(self.frequencies)

    def _content_faults(self) -> Iterable[Fault]:
        """Yield which names and numbers break the rules."""
        yield from name_faults("constraint", self.constraints)
        yield from name_faults("input", self.inputs)
        for k, name in enumerate(self.inputs):
            yield from name_faults(f"candidate of {quoted(name)}", self.candidates[self.rows(k)])
        yield from number_faults(self.candidates, self.frequencies, self.violations)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[str, str, float, Sequence[int]]],
        constraints: Sequence[str],
        **about: Any,
    ) -> Tableau:
        """Return the tableau of rows, one per candidate.

        Parameters
        ----------
        rows
            Input, candidate, frequency and violations. Rows of one input need not be consecutive.
        constraints
            Names, K of them.
        **about
            The remaining fields: ``full_names``, ``title``, ``noise`` and so on.

        Raises
        ------
        InputError
            As the class, and if a row has not one number per constraint.

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
        """Number of the input of each row, int64 (rows,)."""
        return np.repeat(np.arange(len(self.inputs)), np.diff(self.offsets))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Tableau):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)
            if f.name != "name"
        )

    def column_of(self, constraint: int | str) -> int:
        """Return the number of a constraint, given by name or number."""
        return position("constraint", constraint, self.constraints)

    @property
    def overt_forms(self) -> tuple[str, ...]:
        """What is heard of each candidate, one per row."""
        if not self.overt:
            return self.candidates
        return tuple(overt or name for overt, name in zip(self.overt, self.candidates, strict=True))

    def __hash__(self) -> int:
        return hash((self.inputs, self.candidates, self.constraints, self.violations.tobytes()))

    # ---- frequencies

    def counts(self, total: int | None = None) -> NDArray[np.int64]:
        """Return how often each candidate counts as observed.

        Frequencies that are not counts need a total: that many observations per input are
        apportioned by largest remainder. The width of every interval depends on it.

        Parameters
        ----------
        total
            Observations per input; the tableau's own total if None. If neither is given, the
            frequencies are the counts.

        Returns
        -------
        ndarray, int64 (rows,)
            0 throughout for an input without data.

        Raises
        ------
        InputError
            If there is no total and the frequencies are not whole numbers, or if the total is
            below 1.
        """
        total = self.total if total is None else total
        if total is None:
            return whole_frequencies(self.frequencies, self._place)
        return apportioned(self.frequencies, [self.rows(k) for k in range(len(self.inputs))], total)

    def _place(self, row: int) -> tuple[str, str, str]:
        """Return candidate, input and file of a row, for a message."""
        return self.candidates[row], self.inputs[self.input_of_row[row]], self.name

    def observed(self) -> NDArray[np.float64]:
        """Return each candidate's relative frequency within its input, float64 (rows,).

        NaN for the candidates of an input without data.
        """
        sums = np.add.reduceat(self.frequencies, self.offsets[:-1])
        per_row = np.repeat(np.where(sums > 0, sums, np.nan), np.diff(self.offsets))
        shares: NDArray[np.float64] = self.frequencies / per_row
        return shares

    # ---- edits of numbers

    def with_cell(self, row: int, constraint: int | str, n: int) -> Tableau:
        """Return the tableau with `n` violations of a constraint by the candidate of `row`."""
        violations, column = self.violations.astype(np.float64), self.column_of(constraint)
        violations[index_within(row, self.n_rows), column] = n
        formulas = self.formulas and self.formulas.with_typed(row, column)
        return replace(self, violations=whole_numbers(violations), formulas=formulas)

    def with_frequency(self, row: int, frequency: float) -> Tableau:
        """Return the tableau with another frequency of the candidate of `row`; it has no speakers."""
        if self.groups is not None:
            raise InputError(Fault(SUM_OF_SPEAKERS, "change it in the table of the speakers, and open that"))
        frequencies = self.frequencies.copy()
        frequencies[index_within(row, self.n_rows)] = frequency
        return replace(self, frequencies=frequencies)

    # ---- edits of constraints

    def add_constraint(self, name: str, at: int | None = None) -> Tableau:
        """Return the tableau with a constraint without violations, before column `at` or last."""
        column = self.n_constraints if at is None else index_within(at, self.n_constraints + 1)
        columns = [*range(column), -1, *range(column, self.n_constraints)]
        return replace(
            self,
            formulas=self.formulas and self.formulas.with_columns(columns),
            constraints=inserted(self.constraints, column, name),
            full_names=inserted(self.full_names, column, name),
            violations=np.insert(self.violations, column, 0, axis=1),
        )

    def remove_constraint(self, constraint: int | str) -> Tableau:
        """Return the tableau without a constraint."""
        column = self.column_of(constraint)
        return self._with_columns([c for c in range(self.n_constraints) if c != column])

    def move_constraint(self, constraint: int | str, to: int) -> Tableau:
        """Return the tableau with a constraint moved to column `to`."""
        column = position("constraint", constraint, self.constraints)
        order = [c for c in range(self.n_constraints) if c != column]
        order.insert(index_within(to, self.n_constraints), column)
        return self._with_columns(order)

    def rename_constraint(self, constraint: int | str, name: str) -> Tableau:
        """Return the tableau with a constraint renamed; a full name that differs is kept."""
        column = position("constraint", constraint, self.constraints)
        old = self.constraints[column]
        full = name if self.full_names[column] == old else self.full_names[column]
        return replace(
            self,
            constraints=replaced(self.constraints, column, name),
            full_names=replaced(self.full_names, column, full),
        )

    def _with_columns(self, columns: Sequence[int]) -> Tableau:
        """Return the tableau with these constraints, in this order."""
        return replace(
            self,
            constraints=tuple(self.constraints[c] for c in columns),
            full_names=tuple(self.full_names[c] for c in columns),
            violations=self.violations[:, columns],
            formulas=self.formulas and self.formulas.with_columns(columns),
        )

    # ---- edits of candidates and inputs

    def add_candidate(self, input: int | str, name: str) -> Tableau:
        """Return the tableau with a candidate without violations, last of its input."""
        k = position("input", input, self.inputs)
        offsets = np.concatenate([self.offsets[: k + 1], self.offsets[k + 1 :] + 1])
        return self._with_row(int(self.offsets[k + 1]), name, offsets, self.inputs)

    def add_input(self, name: str, candidate: str | None = None, at: int | None = None) -> Tableau:
        """Return the tableau with an input of one candidate, before input `at` or last.

        The candidate has the name of the input, the faithful one, unless another is given.
        """
        k = len(self.inputs) if at is None else index_within(at, len(self.inputs) + 1)
        offsets = np.concatenate([self.offsets[: k + 1], self.offsets[k:] + 1])
        candidate = name if candidate is None else candidate
        return self._with_row(int(self.offsets[k]), candidate, offsets, inserted(self.inputs, k, name))

    def rename_candidate(self, row: int, name: str) -> Tableau:
        """Return the tableau with the candidate of `row` renamed."""
        renamed = replace(self, candidates=replaced(self.candidates, index_within(row, self.n_rows), name))
        return renamed.recounted([row])

    def rename_input(self, input: int | str, name: str) -> Tableau:
        """Return the tableau with an input renamed."""
        k = position("input", input, self.inputs)
        rows = range(self.n_rows)[self.rows(k)]
        return replace(self, inputs=replaced(self.inputs, k, name)).recounted(rows)

    def remove_row(self, row: int) -> Tableau:
        """Return the tableau without the candidate of `row`, and without its input if it was the last."""
        row = index_within(row, self.n_rows)
        return self._with_rows([r for r in range(self.n_rows) if r != row])

    def remove_input(self, input: int | str) -> Tableau:
        """Return the tableau without an input and its candidates."""
        removed = self.rows(position("input", input, self.inputs))
        return self._with_rows([r for r in range(self.n_rows) if not removed.start <= r < removed.stop])

    def _with_row(self, row: int, name: str, offsets: NDArray[np.int64], inputs: tuple[str, ...]) -> Tableau:
        """Return the tableau with a candidate without violations inserted before `row`."""
        rows = [*range(row), -1, *range(row, self.n_rows)]
        added = replace(
            self,
            inputs=inputs,
            offsets=offsets,
            candidates=inserted(self.candidates, row, name),
            violations=np.insert(self.violations, row, 0, axis=0),
            frequencies=np.insert(self.frequencies, row, 0.0),
            overt=inserted(self.overt, row, "") if self.overt else (),
            formulas=self.formulas and self.formulas.with_rows(rows),
            groups=self.groups and self.groups.with_rows(rows),
        )
        return added.recounted([row])

    def recounted(self, rows: Sequence[int] | None = None) -> Tableau:
        """Return the tableau with the cells of its formulas counted anew, in these rows or in all.

        Typed cells keep their numbers, and so does every cell of a column that cannot be counted.
        """
        if self.formulas is None:
            return self
        chosen = range(self.n_rows) if rows is None else rows
        inputs = [self.inputs[k] for k in self.input_of_row[list(chosen)].tolist()]
        found = self.formulas.recount(inputs, [self.candidates[row] for row in chosen])
        violations = self.violations.copy()
        for column, counts in found.counts.items():
            violations[chosen, column] = counts.counts
        for row, column in self.formulas.typed:
            violations[row, column] = self.violations[row, column]
        return replace(self, violations=violations)

    def _with_rows(self, rows: Sequence[int]) -> Tableau:
        """Return the tableau with these candidates only, and the inputs that have any left."""
        sizes = np.bincount(self.input_of_row[rows], minlength=len(self.inputs))
        return replace(
            self,
            inputs=tuple(name for name, size in zip(self.inputs, sizes, strict=True) if size),
            offsets=np.concatenate([[0], np.cumsum(sizes[sizes > 0])]),
            candidates=tuple(self.candidates[r] for r in rows),
            violations=self.violations[rows],
            frequencies=self.frequencies[rows],
            overt=tuple(self.overt[r] for r in rows) if self.overt else (),
            formulas=self.formulas and self.formulas.with_rows(rows),
            groups=self.groups and self.groups.with_rows(rows),
        )

    # ---- analysis

    def rank(self, algorithm: str = "rcd", **options: Any) -> Any:
        """Return a ranking under which the winners win, as :func:`otlab.ot.rank`.

        >>> from otlab.ot import read
        >>> read("dutch_final_devoicing").rank().strata
        (('*VoicedCoda',), ('Ident-IO(voice)',), ('*VoicedObstruent',))
        """
        from otlab import ot

        return ot.rank(self, algorithm, **options)

    def typology(self, **options: Any) -> Any:
        """Return the languages that rankings make, as :func:`otlab.ot.typology`.

        >>> from otlab.ot import read
        >>> found = read("dutch_final_devoicing").typology()
        >>> [found.language(n)["bed"] for n in range(len(found))], found.counts.tolist()
        (['bed', 'bet', 'pet'], [2, 1, 3])
        """
        from otlab import ot

        return ot.typology(self, **options)

    def compare(self, *models: str, **options: Any) -> Any:
        """Return the comparison of models on these data, by default of all, as :func:`otlab.ot.compare`.

        >>> from otlab.ot import read
        >>> read("ilokano").compare("maxent").to_pandas()["log_likelihood"].round(1)
        model
        MaxEnt   -108.8
        Name: log_likelihood, dtype: float64
        """
        from otlab import ot

        return ot.compare(self, models, **options) if models else ot.compare(self, **options)

    # ---- as a frame, as text, as HTML

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame: Input, Output, Overt, Speaker and Item if any, Frequency, and each constraint."""
        names = {"Input": [self.inputs[k] for k in self.input_of_row], "Output": self.candidates}
        names |= {"Overt": self.overt} if self.overt else {}
        return counted_frame(names, self.constraints, self.violations, self.frequencies, self.groups)

    def _cells(self, k: int) -> list[list[str]]:
        rows = self.rows(k)
        columns = self.candidates[rows], self.frequencies[rows], self.violations[rows]
        return tableau_cells(self.inputs[k], self.constraints, *columns)

    def __repr__(self) -> str:
        return "\n".join(aligned_text(self._cells(k)) for k in range(len(self.inputs)))

    def _repr_html_(self) -> str:
        return html_table([self._cells(k) for k in range(len(self.inputs))])
