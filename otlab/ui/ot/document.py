"""The open tableau and its edits.

A document holds one :class:`~otlab.ot.Tableau` at a time. Tableaux are immutable, so Undo is a stack of
them. Typed text is parsed here; text that makes no sense is refused with the reason, and the tableau
stays as it was. Panel is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, condensed, counted, sentence_case
from otlab.ot.analysis.check import formula_of_name
from otlab.ot.conditions import impossible_rows
from otlab.ot.formula_columns import Formulas
from otlab.ot.formulas import known_as, use_count, use_counts, with_feature_table, with_formula
from otlab.ot.groups import CountedLine
from otlab.ot.io.accents import with_accents
from otlab.ot.io.cell_parsing import frequency_hint, parse_frequency
from otlab.ot.io.read import is_whole_table, read_pasted
from otlab.ot.tableau import Tableau
from otlab.ui.history import History
from otlab.ui.ot import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.ot.analysis.check import Disagreement

__all__ = [
    "TABLE_PASTED",
    "Answer",
    "Document",
    "empty_tableau",
    "refuse_impossible",
    "with_inputs_in_order",
    "with_rows_in_order",
]

MOST_OBSERVATIONS = 9_999_999
DEPTH = 500
"""Largest number of edits that can be undone."""
TABLE_PASTED = "Table replaced by the one pasted"


@dataclass(frozen=True)
class Answer:
    """Outcome of an edit.

    Attributes
    ----------
    text
        Content of the cell after the edit, as shown.
    reason
        Why the edit was refused; empty if it was made.
    """

    text: str
    reason: str = ""


def empty_tableau(name: str = "") -> Tableau:
    """Return a new tableau of this name: one input, two candidates, two constraints."""
    return Tableau.from_rows(
        [("input", "candidate 1", 1, (0, 1)), ("input", "candidate 2", 0, (1, 0))],
        constraints=("A", "B"),
        name=name,
    )


class Document:
    """A tableau being edited.

    Parameters
    ----------
    tableau
        Where to start.

    Attributes
    ----------
    tableau : Tableau
        As it is now.
    ran : Tableau or None
        The tableau of the last run; see :attr:`changed_since_run`.
    remarks
        What was left out or understood in a particular way in the table pasted last.
    history : History
        Its edits.
    """

    def __init__(self, tableau: Tableau) -> None:
        self.tableau = tableau
        self.ran: Tableau | None = None
        self.remarks: tuple[str, ...] = ()
        self.history = History(lambda: self.tableau, self.show, DEPTH)
        self._watchers: list[Callable[[], None]] = []

    def watch(self, callback: Callable[[], None]) -> None:
        """Register a callback for changes of the tableau."""
        self._watchers.append(callback)

    @property
    def changed_since_run(self) -> bool:
        """Whether the tableau was edited since the last run."""
        return self.ran is not None and self.ran != self.tableau

    def put(self, tableau: Tableau, what: str) -> None:
        """Replace the tableau by another one, in one edit."""
        if tableau == self.tableau:
            return
        self.history.record(what)
        self.show(tableau)

    def _try(self, edit: Callable[[], Tableau], what: str) -> str:
        try:
            self.put(edit(), what)
        except InputError as fault:
            return cells.sentence(fault)
        return ""

    def show(self, tableau: Tableau) -> None:
        """Replace the tableau; this is not recorded as an edit."""
        self.tableau = tableau
        for callback in self._watchers:
            callback()

    # -- cells ------------------------------------------------------------------

    def text(self, row: int, field: str) -> str:
        """Return the text of a cell."""
        return cells.cell_text(self.tableau, row, field)

    def type(self, row: int, field: str, text: str) -> Answer:
        """Set a cell from typed text, or return why it is refused."""
        changed, reason = cells.typed(self.tableau, row, field, text)
        if not reason:
            self.put(changed, "Cell changed")
        return Answer(self.text(row, field), reason)

    def type_tokens(self, line: CountedLine, field: str, text: str) -> str:
        """Set the ``speaker``, ``item`` or ``count`` of a line of tokens; return why it is refused, or ""."""
        name = text.strip()
        if field != "count":
            new = line._replace(speaker=name) if field == "speaker" else line._replace(item=name)
            return self._take_tokens(line, new, "Tokens changed")
        return self._counted(line, line, text, "Tokens changed")

    def add_tokens(self, speaker: str, item: str, row: int, text: str) -> str:
        """Add tokens of the candidate of `row`; return why they are refused, or ""."""
        return self._counted(None, CountedLine(row, speaker.strip(), item.strip(), 0.0), text, "Tokens added")

    def _counted(self, old: CountedLine | None, line: CountedLine, text: str, what: str) -> str:
        number = parse_frequency(text)
        if number is None:
            return f"{text} is not a count: {frequency_hint(text)}. Nothing was changed."
        return self._take_tokens(old, line._replace(tokens=number), what)

    def _take_tokens(self, old: CountedLine | None, new: CountedLine, what: str) -> str:
        tableau, groups = self.tableau, self.tableau.groups
        if groups is None or old == new:
            return ""

        def changed() -> Tableau:
            counts = groups.with_line(old, new)
            return replace(tableau, frequencies=counts.sums(tableau.n_rows), groups=counts, total=None)

        return self._try(changed, what)

    def too_wide(self, field: str, text: str) -> int:
        """Return the number of constraints that a pasted block needs in addition; 0 for a table."""
        return 0 if cells.holds_a_table(cells.split_block(text)) else cells.surplus(self.tableau, field, text)

    def paste(self, row: int, field: str, text: str, *, widen: bool = False) -> str:
        """Paste a block from a spreadsheet, its first cell at `row` and `field`.

        Rows below the last become candidates of the last input; with `widen`, columns
        beyond the last become constraints. A block with headers is a whole table and replaces this one.
        Without a `field` the block goes to the top left: to the first constraint if it begins with a
        number, else to the first input.

        Returns
        -------
        str
            Everything wrong with the block, one fault a line; then nothing was taken.
        """
        if cells.holds_a_table(cells.split_block(text)) or is_whole_table(text):
            return self._paste_table(text)
        field = field or cells.first_field(text)
        wide = cells.widened(self.tableau, field, text) if widen else self.tableau
        changed, faults = cells.pasted(wide, row, field, text)
        if not faults:
            self.put(changed, "Cells pasted")
        return "\n".join(faults)

    def _paste_table(self, text: str) -> str:
        """Replace the tableau by a pasted one; return everything wrong with it, one fault a line."""
        try:
            reading = read_pasted(text, "")
        except InputError as error:
            faults = condensed(error.faults)
            return "\n".join(f"{sentence_case(str(fault))}." for fault in faults)
        self.remarks = tuple(f"{sentence_case(str(warning))}." for warning in condensed(reading.warnings))
        self.put(replace(reading.tableau, name="pasted table"), TABLE_PASTED)
        return ""

    # -- columns that count themselves ------------------------------------------

    @property
    def formulas(self) -> Formulas:
        """The formulas of the tableau; without any, an empty one for each constraint."""
        return self.tableau.formulas or Formulas(("",) * self.tableau.n_constraints)

    def suggested(self, k: int) -> str:
        """Return the formula of the name of constraint `k`; empty if it is not known."""
        own = self.formulas
        return formula_of_name(self.tableau.constraints[k], own.table, own.named_tiers)

    def _attempt(self, edit: Callable[[], Tableau], what: str) -> tuple[Fault, ...]:
        try:
            self.put(edit(), what)
        except InputError as error:
            return error.faults
        return ()

    def count_column(self, k: int, formula: str) -> tuple[Fault, ...]:
        """Count constraint `k` by a formula; return why it cannot be: then its numbers stay."""
        name = self.tableau.constraints[k]
        return self._attempt(lambda: with_formula(self.tableau, k, formula), f"{name} counted")

    def type_column(self, k: int) -> None:
        """Keep the numbers of constraint `k` as typed ones, which can be checked against its formula."""
        typed = with_formula(self.tableau, k, "")
        self.put(known_as(typed, k, self.formulas.texts[k]), f"{self.tableau.constraints[k]} typed")

    def know_column(self, k: int, formula: str) -> tuple[Fault, ...]:
        """Set what the typed numbers of constraint `k` are checked against; return what is wrong with it."""
        name = self.tableau.constraints[k]
        return self._attempt(lambda: known_as(self.tableau, k, formula), f"{name} known as {formula}")

    def use_count(self, row: int, k: int) -> None:
        """Count a typed cell of a formula's column again."""
        self.put(use_count(self.tableau, row, k), "Cell counted again")

    def use_counts(self, k: int) -> None:
        """Count every typed cell of a formula's column again."""
        self.put(use_counts(self.tableau, k), f"{self.tableau.constraints[k]} counted again")

    def pick(self, row: int, k: int, reading: int) -> None:
        """Take one of the readings of a cell: it is kept as a typed number."""
        self.put(self.tableau.with_cell(row, k, reading), f"Reading {reading} chosen")

    def take_counts(self, disagreeing: Sequence[Disagreement]) -> None:
        """Replace typed numbers by the counts that they disagree with, in one edit."""
        tableau = self.tableau
        for cell in disagreeing:
            if self.formulas.texts[cell.column]:
                tableau = use_count(tableau, cell.row, cell.column)
            else:
                tableau = tableau.with_cell(cell.row, cell.column, cell.counted)
        self.put(tableau, "Count used" if len(disagreeing) == 1 else f"{len(disagreeing)} counts used")

    def use_features(
        self,
        features: str,
        what: str,
        tiers: str | None = None,
        shorthands: tuple[tuple[str, str], ...] | None = None,
    ) -> tuple[Fault, ...]:
        """Count by another feature table, tiers or shorthands; return what is wrong with them."""
        return self._attempt(lambda: with_feature_table(self.tableau, features, tiers, shorthands), what)

    # -- rows and columns -----------------------------------------------------

    def add_constraint(self) -> str:
        """Append a constraint without violations; return its name."""
        name = cells.unused_name("Constraint", self.tableau.constraints)
        self.put(self.tableau.add_constraint(name), f"Constraint {name} added")
        return name

    def rename_constraint(self, k: int, name: str) -> str:
        """Rename constraint `k`; return why it is refused, or ""."""
        old = self.tableau.constraints[k]
        if name.strip() in self.tableau.constraints and name.strip() != old:
            return (
                f"There is already a constraint {name.strip()}: give this one another name. {old} was kept."
            )
        if not name.strip():
            return f"Every constraint needs a name. {old} was kept."
        return self._try(lambda: self.tableau.rename_constraint(k, name), f"Constraint {old} renamed")

    def move_constraint(self, k: int, by: int) -> int:
        """Move constraint `k` to the right by `by` places (left if negative); return its new number."""
        name = self.tableau.constraints[k]
        to = min(max(k + by, 0), self.tableau.n_constraints - 1)
        self.put(self.tableau.move_constraint(k, to), f"Constraint {name} moved")
        return to

    def remove_constraint(self, k: int) -> str:
        """Remove constraint `k`; return why it is refused, or ""."""
        if self.tableau.n_constraints == 1:
            return "This is the only constraint. Add another before you remove it."
        name = self.tableau.constraints[k]
        return self._try(lambda: self.tableau.remove_constraint(k), f"Constraint {name} removed")

    def add_candidate(self, row: int | None = None) -> int:
        """Append a candidate to the input of `row`, or to the last input; return its row."""
        tableau = self.tableau
        k = len(tableau.inputs) - 1 if row is None else int(tableau.input_of_row[row])
        mine = tableau.candidates[tableau.rows(k)]
        name = cells.unused_name("candidate", mine)
        self.put(tableau.add_candidate(k, name), f"{name} added".capitalize())
        return int(tableau.offsets[k + 1])

    def remove_candidate(self, row: int) -> str:
        """Remove a candidate, and its input with the last one; return why it is refused, or ""."""
        if self.tableau.n_rows == 1:
            return "This is the only candidate. Add another before you remove it."
        name = self.tableau.candidates[row]
        return self._try(lambda: self.tableau.remove_row(row), f"Candidate {name} removed")

    def move_candidate(self, row: int, by: int) -> int:
        """Move a candidate down within its input by `by` places (up if negative); return its row."""
        tableau = self.tableau
        rows = tableau.rows(int(tableau.input_of_row[row]))
        to: int = min(max(row + by, rows.start), rows.stop - 1)
        order = list(range(tableau.n_rows))
        order.insert(to, order.pop(row))
        self.put(with_rows_in_order(tableau, order), f"Candidate {tableau.candidates[row]} moved")
        return to

    def add_input(self) -> int:
        """Append an input with one candidate; return its row."""
        name = cells.unused_name("input", self.tableau.inputs)
        self.put(self.tableau.add_input(name), f"{name} added".capitalize())
        return self.tableau.n_rows - 1

    def remove_input(self, row: int) -> str:
        """Remove the input of `row` with all its candidates; return why it is refused, or ""."""
        k = int(self.tableau.input_of_row[row])
        name = self.tableau.inputs[k]
        return self._try(lambda: self.tableau.remove_input(k), f"Input {name} removed")

    def move_input(self, row: int, by: int) -> int:
        """Move the input of `row` down by `by` places (up if negative); return its first row."""
        tableau = self.tableau
        k = int(tableau.input_of_row[row])
        inputs = list(range(len(tableau.inputs)))
        to = min(max(k + by, 0), len(inputs) - 1)
        inputs.insert(to, inputs.pop(k))
        self.put(with_inputs_in_order(tableau, inputs), f"Input {tableau.inputs[k]} moved")
        return int(self.tableau.offsets[to])

    def set_sample_size(self, total: int | None) -> str:
        """Set the total of each input to `total` observations; return why it is refused, or "".

        None means that the frequencies are counts.
        """
        if total is not None and not 1 <= total <= MOST_OBSERVATIONS:
            return f"The sample size is a whole number from 1 to {MOST_OBSERVATIONS:,}."
        self.put(replace(self.tableau, total=total), f"Sample size {total:,}" if total else "As counted")
        return ""

    def leave_out(self, rows: Sequence[int]) -> None:
        """Set the counts of these candidates to 0, in one edit: they were never observed."""
        tableau = self.tableau
        for row in rows:
            tableau, _ = cells.typed(tableau, row, "count", "0")
        self.put(tableau, "Count set to 0" if len(rows) == 1 else f"{len(rows)} counts set to 0")

    def resolve_accents(self) -> str:
        r"""Read ``\a'`` in names as á; return why it is refused, or ""."""
        return self._try(lambda: with_accents(self.tableau), "Accents read")


def with_rows_in_order(tableau: Tableau, order: list[int]) -> Tableau:
    """Return the tableau with its rows in another order, each within its input."""
    return replace(tableau, **_rows(tableau, order))


def with_inputs_in_order(tableau: Tableau, inputs: list[int]) -> Tableau:
    """Return the tableau with its inputs in another order."""
    sizes = np.diff(tableau.offsets)[inputs]
    order = [row for k in inputs for row in range(tableau.offsets[k], tableau.offsets[k + 1])]
    return replace(
        tableau,
        inputs=tuple(tableau.inputs[k] for k in inputs),
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        **_rows(tableau, order),
    )


def _rows(tableau: Tableau, order: list[int]) -> dict[str, Any]:
    """Return the fields of the rows in another order."""
    return {
        "candidates": tuple(tableau.candidates[row] for row in order),
        "violations": tableau.violations[order],
        "frequencies": tableau.frequencies[order],
        "overt": tuple(tableau.overt[row] for row in order) if tableau.overt else (),
        "formulas": tableau.formulas and tableau.formulas.with_rows(order),
        "groups": tableau.groups and tableau.groups.with_rows(order),
    }


def refuse_impossible(tableau: Tableau) -> None:
    """Raise an error for data that no ranking fits.

    Raises
    ------
    InputError
        If an observed candidate can never win.
    """
    n = len(impossible_rows(tableau))
    if n:
        what = f"{counted(n, 'observed candidate')} can never win"
        hint = (
            "Set the counts to 0 or correct the violations;"
            " the GLA and MaxEnt can learn from them as they are"
        )
        raise InputError(Fault(what, hint), heading="No ranking can fit these data")
