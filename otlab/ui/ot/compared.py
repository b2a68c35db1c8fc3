"""The part of the OT lab's state of the Compare tab: what was compared, and what was run."""

from __future__ import annotations

from typing import Any

import param

from otlab.ot.analysis.comparison import Comparison
from otlab.ot.analysis.leave_group_out import LevelsCompared
from otlab.ot.analysis.logit_uniformity import LogitUniformity
from otlab.ui.state import State

__all__ = ["Compared", "ComparedState"]

Compared = Comparison | LevelsCompared | LogitUniformity

_KINDS = {
    "token": ("the comparison of models", Comparison),
    "speaker": ("the comparison by speaker", LevelsCompared),
    "item": ("the comparison by item", LevelsCompared),
    "logits": ("the differences of logits", LogitUniformity),
}


class ComparedState(State):
    """A state with the last comparisons, which are saved with the document.

    Attributes
    ----------
    asked
        The settings with which each learner was last run, since the document was opened.
    compared : dict of str to Comparison, LevelsCompared or LogitUniformity
        By what each token is predicted from (``"token"``, ``"speaker"``, ``"item"``), and ``"logits"``. They
        stay after edits of the table; none before the first, and for another table.
    """

    tab_result_names = tuple(name for name, _ in _KINDS.values())

    comparison_changes: int = param.Integer(0, doc="Counts changes of the comparisons.")

    def __init__(self, settings: param.Parameterized) -> None:
        super().__init__(settings)
        self.compared: dict[str, Compared] = {}
        self.asked: dict[str, param.Parameterized] = {}

    def put_compared(self, kind: str, compared: Compared) -> None:
        """Show a comparison instead of the last one of its kind."""
        self.compared = {**self.compared, kind: compared}
        self.comparison_changes += 1

    def tab_results(self) -> Any:
        """Return the comparison of models, or a tuple of all kinds of comparisons if there are others."""
        several = {*self.compared} - {"token"}
        return tuple(map(self.compared.get, _KINDS)) if several else self.compared.get("token")

    def put_tab_results(self, results: Any) -> None:
        """Show them again; None for no comparison.

        Raises
        ------
        TypeError
            If they are no comparisons.
        """
        each = results if isinstance(results, tuple) else (results,)
        found: dict[str, Compared] = {}
        for (kind, (name, of)), one in zip(_KINDS.items(), each, strict=False):
            if isinstance(one, Compared) and isinstance(one, of):
                found[kind] = one
            elif one is not None:
                raise TypeError(f"a {type(one).__name__} is not {name}")
        self.compared = found
        self.comparison_changes += 1
