"""The sign of violations: penalties written as negative numbers.

Papers on Harmonic Grammar and some spreadsheets write a violation as -1. A table whose numbers are all 0 or
below is read with the opposite sign, unless its sign is to be kept; one with both signs stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from otlab.errors import Fault

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["AS_WRITTEN", "is_negative", "penalties"]

AS_WRITTEN = "as written"
"""In a comment line ``# sign: as written``: negative numbers are rewards."""


def is_negative(tableau: Tableau) -> bool:
    """Return whether some numbers of violations are below 0 and none above."""
    return bool((tableau.violations <= 0).all() and (tableau.violations < 0).any())


def penalties(tableau: Tableau, keep_sign: bool = False) -> tuple[Tableau, Fault | None]:
    """Return the tableau with penalties as positive numbers, and a remark on negative ones.

    Parameters
    ----------
    tableau
        As written.
    keep_sign
        Whether it stays as it is.

    Examples
    --------
    >>> from otlab.ot import Tableau
    >>> rows = [("bad", "bad", 27, [-1, 0]), ("bad", "pat", 73, [0, -2])]
    >>> table = Tableau.from_rows(rows, ["*Vcd", "Ident"])
    >>> penalties(table)[0].violations.tolist()
    [[1, 0], [0, 2]]
    """
    if keep_sign:
        return tableau, None
    if is_negative(tableau):
        what = "all numbers of violations are 0 or below, so they were read as penalties: -1 is one violation"
        hint = "if they are rewards, keep their sign: --keep-sign, keep_sign=True, or Read as in the lab"
        return replace(tableau, violations=-tableau.violations), Fault(what, hint)
    below = tableau.violations < 0
    if below.any():
        row = int(below.any(axis=1).argmax())
        few = (
            "1 number of violations is" if below.sum() == 1 else f"{below.sum():,} numbers of violations are"
        )
        what = f"{few} below 0, others above: all stay as written"
        hint = f"look at {tableau.candidates[row]} of {tableau.inputs[int(tableau.input_of_row[row])]}"
        return tableau, Fault(what, hint)
    return tableau, None
