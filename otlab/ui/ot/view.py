"""One showing of the OT lab: its tabs, and what stands to their right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.buttons import button, press, tabs, undo_buttons
from otlab.ui.layout import across, down
from otlab.ui.ot.compare import CompareView
from otlab.ui.ot.data_view import DataView
from otlab.ui.ot.learn import LearnView
from otlab.ui.ot.step_view import StepView

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState
    from otlab.viz.base.tokens import Tokens

__all__ = ["OTView"]

TABS = ["Learn", "Compare", "Data"]


class OTView:
    """Tabs over one state; a tab is built when it is first opened.

    Parameters
    ----------
    state
        What is shown.
    tokens
        Colours to begin with.
    say
        Told what was removed from the tableau.
    opened
        Called with a table loaded from a file, and the file's name.
    leave_out
        Sets the counts of what can never win to 0, and runs.
    travel
        Undo and redo.
    """

    def __init__(
        self,
        state: OTState,
        tokens: Tokens,
        say: Callable[[str], None],
        opened: Callable[[Tableau, str], None],
        leave_out: Callable[[], None],
        travel: tuple[Callable[[], None], Callable[[], None]],
    ) -> None:
        self._state = state
        self._tokens = tokens
        self._opened = opened
        self._stepping = False
        self.learn = LearnView(state, tokens, say, leave_out)
        self.compare: CompareView | None = None
        self.data: DataView | None = None
        self.steps: StepView | None = None
        self._bar = tabs(TABS, align="center")
        self._bar.param.watch(lambda event: self.open(TABS[event.new]), "active")
        self._undo, self._redo = undo_buttons(state.history, *travel)
        self._step = button("Step view", self._toggle_steps, icon="eye", align="center")
        self._place = down(self.learn.layout())
        self._layouts = {"Learn": self._place[0]}

    def layout(self) -> Any:
        """Return the whole content of the page."""
        actions = [
            self._undo,
            self._redo,
            self._step,
            button("Export", lambda: self.go("Data"), icon="download", align="center"),
        ]
        row = across(self._bar, pn.HSpacer(), *actions, gap=6, height=38, sizing_mode="stretch_width")
        layout = down(row, self._place, gap=8, styles={"padding": "8px 20px 14px"})
        layout._view = self  # a showing lives as long as its layout
        return layout

    def go(self, tab: str) -> None:
        """Switch to a tab as if it had been clicked."""
        self._bar.active = TABS.index(tab)

    def open(self, tab: str) -> None:
        """Show a tab, built now if it never was."""
        if tab not in self._layouts:
            self._layouts[tab] = self._build(tab)
        if self.steps is not None:
            self.steps.halt()
        self._stepping = False
        self._place[:] = [self._layouts[tab]]
        self._mark_steps()

    def _toggle_steps(self) -> None:
        """Go into the step view, or back to the tab it was entered from."""
        if self._stepping:
            self.open(TABS[self._bar.active])
            return
        if self.steps is None:
            self.steps = StepView(self._state)
        self._stepping = True
        self._place[:] = [self.steps.layout()]
        self._mark_steps()

    def _mark_steps(self) -> None:
        press(self._step, self._stepping)

    def _build(self, tab: str) -> Any:
        if tab == "Compare":
            self.compare = CompareView(self._state, self._tokens)
            return self.compare.layout()
        self.data = DataView(self._state, self._opened)
        return self.data.layout()

    def results_changed(self) -> None:
        """Draw what the learners have so far."""
        self.learn.results_changed()
        if self.compare is not None:
            self.compare.results_changed()

    def ended(self) -> None:
        """Say what a finished or failed run leaves to be said."""
        self.learn.ended()
        self.results_changed()

    def describe(self) -> None:
        """Refresh the sentences for those who do not see the pictures."""
        self.learn.describe()

    def document_changed(self) -> None:
        """Draw the tableau as it is now."""
        self.learn.document_changed()
        if self.data is not None:
            self.data.refresh()
        if self.steps is not None:
            self.steps.forget()

    def scale_changed(self) -> None:
        """Follow the noise, the bound and the seed of the settings."""
        self.learn.scale_changed()
        if self.steps is not None:
            self.steps.forget()

    def clear(self) -> None:
        """Forget the pictures of results."""
        self.learn.clear()
        if self.compare is not None:
            self.compare.clear()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self._tokens = tokens
        self.learn.recolor(tokens)
        if self.compare is not None:
            self.compare.recolor(tokens)
