"""Buttons beside the tabs that open a tab which the bar does not list, or return to the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from otlab.ui.components.buttons import button, press
from otlab.ui.ot.state import OTState
from otlab.ui.tab import Part

if TYPE_CHECKING:
    from otlab.ui.tab import Tab

__all__ = ["TabSwitch"]


class TabSwitch(Part[OTState]):
    """The button of a tab.

    Attributes
    ----------
    tab, label
        The tab's title, and what the button says.
    """

    tab: ClassVar[str]
    label: ClassVar[str]

    def build(self) -> Any:
        """Return the button."""
        self._open = False
        self._button = button(self.label, self._toggle, icon="eye", align="center")
        return self._button

    def tab_opened(self, tab: Tab[Any]) -> None:
        """Show whether the tab is open."""
        self._open = tab.title == self.tab
        press(self._button, self._open)

    def _toggle(self) -> None:
        self.showing.go("" if self._open else self.tab)
