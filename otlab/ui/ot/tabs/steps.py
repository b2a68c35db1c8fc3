"""The step view as a tab that a button opens and closes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ui.components.buttons import button, press
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.step_view import StepView
from otlab.ui.tab import Part, Tab

if TYPE_CHECKING:
    from collections.abc import Set

__all__ = ["StepSwitch", "StepsTab"]


class StepsTab(Tab[OTState]):
    """The sampler one draw at a time, the GLA trial by trial."""

    title = "Step view"
    listed = False
    depends = ("edits", "scale")

    def build(self) -> Any:
        """Return the cards in their places."""
        self.steps = StepView(self.state)
        return self.steps.layout()

    def redraw(self, changed: Set[str]) -> None:
        """Start over: the tableau or a setting is another."""
        self.steps.forget()

    def leave(self) -> None:
        """Stop playing."""
        self.steps.halt()


class StepSwitch(Part[OTState]):
    """The button that goes into the step view, or back to the tab it was entered from."""

    def build(self) -> Any:
        """Return the button."""
        self._stepping = False
        self._button = button("Step view", self._toggle, icon="eye", align="center")
        return self._button

    def tab_opened(self, tab: Tab[Any]) -> None:
        """Show whether the step view is open."""
        self._stepping = isinstance(tab, StepsTab)
        press(self._button, self._stepping)

    def _toggle(self) -> None:
        self.showing.go("" if self._stepping else StepsTab.title)
