"""The part of the OT lab's state of the Compare tab: the comparison of models, and what was run."""

from __future__ import annotations

from typing import Any

import param

from otlab.ot.analysis.comparison import Comparison
from otlab.ui.state import State

__all__ = ["ComparedState"]


class ComparedState(State):
    """A state with the last comparison of models, which is saved with the document.

    Attributes
    ----------
    asked
        The settings with which each learner was last run, since the document was opened.
    comparison : Comparison or None
        It stays after edits of the table; None before the first, and for another table.
    """

    tab_result_names = ("the comparison of models",)

    comparison_changes: int = param.Integer(0, doc="Counts changes of the comparison of models.")

    def __init__(self, settings: param.Parameterized) -> None:
        super().__init__(settings)
        self.comparison: Comparison | None = None
        self.asked: dict[str, param.Parameterized] = {}

    def put_comparison(self, comparison: Comparison | None) -> None:
        """Show a comparison of models instead of the last one; None for no comparison."""
        self.comparison = comparison
        self.comparison_changes += 1

    def tab_results(self) -> Comparison | None:
        """Return the comparison of models."""
        return self.comparison

    def put_tab_results(self, results: Any) -> None:
        """Show it again.

        Raises
        ------
        TypeError
            If it is no comparison.
        """
        if not isinstance(results, Comparison | None):
            raise TypeError(f"a {type(results).__name__} is no comparison of models")
        self.put_comparison(results)
