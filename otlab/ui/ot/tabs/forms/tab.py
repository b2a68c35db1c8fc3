"""The Forms tab: columns that count themselves, a check of typed numbers, and generated candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ui.components.layout import across, down
from otlab.ui.hiding import NOTHING_REPEATED
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.forms.check import CheckCard
from otlab.ui.ot.tabs.forms.columns import ColumnsCard
from otlab.ui.ot.tabs.forms.features import FeaturesCard
from otlab.ui.ot.tabs.forms.gen import GenCard
from otlab.ui.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Set

__all__ = ["FormsTab"]


class FormsTab(Tab[OTState]):
    """The Forms tab."""

    title = "Forms"
    repeats = NOTHING_REPEATED
    depends = ("edits", "locks")
    answers = (("check", "Check"),)
    needs_run = False

    def build(self) -> Any:
        """Return the cards in their places."""
        self.columns = ColumnsCard(self.state)
        self.features = FeaturesCard(self.state)
        self.check = CheckCard(self.state, self._go_to)
        self.gen = GenCard(self.state, self.lab.toast)
        self.at_close(*(task.close for task in self.gen.tasks))
        return across(self.columns, self.gen, down(self.check, self.features))

    def redraw(self, changed: Set[str]) -> None:
        """Show the columns, the check and the inputs of the table as it is now."""
        locked = "data" in self.state.locks
        for card in (self.columns, self.features, self.check, self.gen):
            card.draw(locked=locked)

    def _go_to(self, row: int, k: int) -> None:
        """Open the grid at a cell."""
        self.state.pointed = (row, k)
        self.showing.go("Learn")
