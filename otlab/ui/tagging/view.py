"""One showing of the tagging lab: its tabs, and what stands to their right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.buttons import button, segmented, tabs, undo_buttons
from otlab.ui.layout import across, down
from otlab.ui.tagging.watch import WatchView

if TYPE_CHECKING:
    from otlab.ui.tagging.actions import LabActions
    from otlab.viz.base.tokens import Tokens

__all__ = ["TABS", "TaggingView"]

TABS = ["Watch", "States", "Table", "Sentences", "Priors", "Data"]


class TaggingView:
    """Tabs over one lab; a tab is built when it is first opened."""

    def __init__(self, lab: LabActions, tokens: Tokens) -> None:
        self._lab, self._state, self._tokens = lab, lab.state, tokens
        self.watch = WatchView(lab.state, tokens, lab.select, lab.name_state, lambda: self.go("States"))
        self._tabs: dict[str, Any] = {"Watch": self.watch}
        self._layouts = {"Watch": self.watch.layout()}
        self._open = "Watch"
        self._bar = tabs(TABS, align="center")
        self._bar.param.watch(lambda event: self.open(TABS[event.new]), "active")
        self._which = segmented("Estimator looked at", {"em": "EM"}, "em", align="center", visible=False)
        self._which.param.watch(lambda event: lab.look_at(event.new), "value")
        self._continue = button("Continue as VB", lab.continue_as_vb, icon="forward", align="center")
        self._undo, self._redo = undo_buttons(lab.state.history, lab.undo, lab.redo)
        self._pin = button("Keep this curve", lab.pin, icon="plus", align="center")
        self._place = down(self._layouts["Watch"])
        self.results_changed()

    def layout(self) -> Any:
        """Return the whole content of the page."""
        export = button("Export", lambda: self.go("Data"), icon="download", align="center")
        row = across(
            self._bar, pn.HSpacer(), self._undo, self._redo, self._which, self._pin, self._continue, export,
            gap=8, height=38, sizing_mode="stretch_width",
        )  # fmt: skip
        layout = down(row, self._place, gap=8, styles={"padding": "8px 20px 14px"})
        layout._view = self  # a showing lives as long as its layout
        return layout

    def go(self, tab: str) -> None:
        """Switch to a tab as if it had been clicked."""
        self._bar.active = TABS.index(tab)

    def open(self, tab: str) -> None:
        """Show a tab, built now if it never was."""
        if tab not in self._layouts:
            self._tabs[tab] = self._build(tab)
            self._layouts[tab] = self._tabs[tab].layout()
        self._open = tab
        self._place[:] = [self._layouts[tab]]
        self._refresh()

    def _build(self, tab: str) -> Any:
        from otlab.ui.tagging.data_tab import DataTab
        from otlab.ui.tagging.priors_tab import PriorsTab
        from otlab.ui.tagging.sentences_tab import SentencesTab
        from otlab.ui.tagging.states_tab import StatesTab
        from otlab.ui.tagging.table_tab import TableTab

        makers = {
            "States": StatesTab,
            "Table": TableTab,
            "Sentences": SentencesTab,
            "Priors": PriorsTab,
            "Data": DataTab,
        }
        return makers[tab](self._lab, self._tokens)

    def ticked(self) -> None:
        """Draw some of what the estimators have so far, on the tab that is open."""
        self._follow()
        tab = self._tabs[self._open]
        if isinstance(tab, WatchView):
            tab.ticked()
        else:
            tab.results_changed()

    def results_changed(self) -> None:
        """Draw what the estimators have so far, on the tab that is open."""
        self._follow()
        self._tabs[self._open].results_changed()

    def _follow(self) -> None:
        """Offer what can be looked at, kept and gone on from."""
        state = self._state
        options = [[name, result.label] for name, result in state.results.items()]
        if self._which.options != options:
            self._which.param.update(options=options, visible=len(options) > 1)
        result = state.result
        if result is not None:
            self._which.value = result.lane
        ready = result is not None and bool(result.views) and not self._lab.runner.runner.alive
        self._continue.disabled = not (ready and result is not None and result.lane != "vb")
        self._pin.disabled = result is None or not result.views

    def ended(self) -> None:
        """Draw the end of a run in full."""
        self.results_changed()
        self._refresh()

    def selected(self) -> None:
        """Show the selected state everywhere."""
        self._refresh()

    def recolor(self, tokens: Tokens) -> None:
        """Follow the page to light or dark."""
        self._tokens = tokens
        for tab in self._tabs.values():
            tab.recolor(tokens)

    def _refresh(self) -> None:
        self._tabs[self._open].selected()
