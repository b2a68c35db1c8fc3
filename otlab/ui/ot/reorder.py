"""Rows and inputs of a tableau in another order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["with_inputs_in_order", "with_rows_in_order"]


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
    """Return what belongs to the rows, in another order."""
    return {
        "candidates": tuple(tableau.candidates[row] for row in order),
        "violations": tableau.violations[order],
        "frequencies": tableau.frequencies[order],
    }
