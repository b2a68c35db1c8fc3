"""Strata of constraints, each constraint dragged from one to another or moved by the arrow keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.ui.components import esm, styles
from otlab.viz.base.names import name_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["StrataEditor"]


class StrataEditor(JSComponent):
    """Rows of constraints, the highest stratum at the top.

    Parameters
    ----------
    on_move
        Called with the constraint's number, the stratum it goes to, and whether it gets one of its own
        before that stratum.
    """

    names = param.List(default=[], doc="what stands on the line and below it, of each constraint")
    strata = param.List(default=[], doc="numbers of the constraints of each stratum")

    _esm = esm("strata")
    _stylesheets: ClassVar[list[str]] = styles("strata")

    def __init__(self, on_move: Callable[[int, int, bool], None], **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_move = on_move

    def show(self, names: Sequence[str], strata: Sequence[Sequence[int]]) -> None:
        """Show these strata."""
        parts = [list(name_parts(name)) for name in names]
        self.param.update(names=parts, strata=[list(stratum) for stratum in strata])

    def _handle_msg(self, message: dict[str, Any]) -> None:
        known = 0 <= message["constraint"] < len(self.names)
        if known and 0 <= message["to"] <= len(self.strata):
            self._on_move(int(message["constraint"]), int(message["to"]), bool(message["between"]))
