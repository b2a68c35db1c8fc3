"""The Speakers tab: how much speakers and items differ, each of them, and what is predicted of new ones."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

import panel_material_ui as pmui

from otlab.ot.mixed_fitted import MixedFit
from otlab.ui.components.buttons import segmented
from otlab.ui.components.cards import SCROLLING, Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty, no_result_yet
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.switches import TabSwitch
from otlab.ui.tab import Tab
from otlab.viz.ot.speakers import (
    SPEAKERS_CSS,
    group_values,
    levels_of,
    new_html,
    panels_svg,
    spreads_html,
)

if TYPE_CHECKING:
    from collections.abc import Set

__all__ = ["SpeakersSwitch", "SpeakersTab"]

_LEVELS = {"speaker": "Speakers", "item": "Items"}
_WHAT = {"values": "Values", "rates": "Rates"}
_REMARKS = {
    "values": "the value in an average item or speaker, with 95 % interval; dashed: all",
    "rates": "per cent; hollow: of the tokens, filled: estimate; dashed: a new speaker and item",
}
_NAME = "Name"
_EVERY = 5.0  # seconds
_LEARNER = "MaxEnt by speaker"
_LEARNS = "It learns what they share, and how much they differ."
_NOBODY = "No speakers and no items"
_HOW = "A table with a column Speaker, Item, or both has them; see the page on file formats."


class SpeakersTab(Tab[OTState]):
    """The Speakers tab."""

    title = "Speakers"
    listed = False
    repeats: ClassVar = {
        "_spreads_card": ("Learn: Posterior", "Learn: Ranking values"),
        "_new_card": ("Learn: Predictions",),
        "_groups_card": ("Learn: Posterior", "Learn: Ranking values", "Learn: Predictions"),
    }
    depends = ("progress", "settled", "edits")

    def build(self) -> Any:
        """Return the cards in their places."""
        self._fit: MixedFit | None = None
        self._next = 0.0
        self._spreads = Html("", SPEAKERS_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._new = Html("", SPEAKERS_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._groups = Html("", SPEAKERS_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self.level = segmented("Level", _LEVELS, "speaker")
        self.what = segmented("What is shown", _WHAT, "values")
        self.order = pmui.Select(label="Order by", options=[_NAME], size="small", width=170, margin=0)
        self.find = pmui.TextInput(label="Find", size="small", width=130, margin=0)
        for widget in (self.level, self.what, self.order):
            widget.param.watch(lambda _: self._show_groups(), "value")
        self.find.param.watch(lambda _: self._show_groups(), "value_input")
        controls = across(self.level, self.what, self.order, self.find, gap=8, height=44)
        self._spreads_card = Card("How much they differ", self._spreads, remark="median and 95 % interval")
        self._new_card = Card("New speakers and items", self._new, remark="per cent, mean and 95 % interval")
        self._groups_card = Card("Each of them", controls, self._groups)
        self._cards = across(
            down(self._spreads_card, self._new_card),
            down(self._groups_card, styles={"flex": "1.3 1 0"}),
        )
        self._place = down()
        return self._place

    def redraw(self, changed: Set[str]) -> None:
        """Show the latest fit with speakers or items; during a run, every few seconds."""
        if changed == {"progress"} and time.monotonic() < self._next:
            return
        fits = self.state.further_fits.values()
        found = next((fit for fit in fits if isinstance(fit, MixedFit) and levels_of(fit)), None)
        if found is None:
            self._fit = None
            named = self.state.shown_tableau.groups is not None
            state = no_result_yet("them", _LEARNS, learner=_LEARNER) if named else empty(_NOBODY, _HOW)
            self._place[:] = [state]
            return
        if found is not self._fit:
            self._fit = found
            self._spreads.show(spreads_html(found))
            self._new.show(new_html(found))
            self._show_groups()
        if self._cards not in list(self._place):
            self._place[:] = [self._cards]
        self._next = time.monotonic() + _EVERY

    def _show_groups(self) -> None:
        fit = self._fit
        if fit is None:
            return
        levels, rates = levels_of(fit), self.what.value == "rates"
        level = self.level.value if self.level.value in levels else next(iter(levels))
        panels = group_values(fit, level, rates)
        names = [_NAME, *panels.titles]
        if self.order.options != names:
            self.order.param.update(options=names, value=names[1])  # calls this method again
            return
        by = names.index(self.order.value) - 1
        self._groups.show(panels_svg(panels, rates=rates, by=by, find=self.find.value_input))
        self._groups_card.remark = _REMARKS[self.what.value]


class SpeakersSwitch(TabSwitch):
    """The button that opens the Speakers tab; there only if the data name speakers or items."""

    tab = SpeakersTab.title
    label = "Speakers"
    depends = ("edits",)

    def draw(self) -> None:
        """Show the button if there is something to see."""
        self._button.visible = self.state.tableau.groups is not None
