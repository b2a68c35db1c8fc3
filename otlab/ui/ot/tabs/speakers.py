"""The Speakers tab: how much speakers and items differ, each of them, and what is predicted of new ones."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

import panel_material_ui as pmui

from otlab.html import element
from otlab.ot.learners import LEARNERS
from otlab.ot.mixed_fitted import MixedFit
from otlab.ui.background import Background
from otlab.ui.components.buttons import segmented
from otlab.ui.components.cards import SCROLLING, Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty, no_result_yet
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.downloads import download
from otlab.ui.ot.tabs.learn import STALE
from otlab.ui.ot.tabs.switches import TabSwitch
from otlab.ui.tab import Tab
from otlab.viz.ot.speakers import (
    SPEAKERS_CSS,
    group_values,
    levels_of,
    new_html,
    panels_html,
    spreads_html,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.viz.ot.speakers import Panels

__all__ = ["SpeakersSwitch", "SpeakersTab"]

_LEVELS = {"speaker": "Speakers", "item": "Items"}
_WHAT = {"values": "Values", "effects": "Effects", "rates": "Rates"}
_MARKS = {
    "values": "dot and line: mean and 95 % interval",
    "effects": "how far from all: mean and 95 % interval",
    "rates": "per cent; ring: of the tokens, dot: estimate",
}
_NAME = "Order of the data"
_EVERY = 5.0  # seconds
_LEARNER = "MaxEnt by speaker"
_LEARNS = "It learns what they share, and how much they differ."
_NOBODY = "No speakers and no items"
_HOW = "A table with a column Speaker, Item, or both has them; see the page on file formats."
_ALIKE = "One grammar was learnt for all"
_CHOOSE = (
    "Choose who differs under Levels in the run panel, and press Run. A level with one name is left out."
)
_BREAKING = (
    ":host { flex-wrap: wrap !important; height: auto !important; row-gap: 6px; flex: none !important; }"
)


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
        self._fits: dict[str, MixedFit] = {}
        self._panels: Panels | None = None
        self._next = 0.0
        self._work = Background()
        fill: dict[str, Any] = {"sizing_mode": "stretch_both", "styles": SCROLLING}
        self._spreads, self._new, self._groups = (Html("", SPEAKERS_CSS, **fill) for _ in range(3))
        self._build_controls()
        self._spreads_card = Card("How much they differ", self._spreads, remark="median and 95 % interval")
        self._new_card = Card("New speakers and items", self._new, remark="per cent, mean and 95 % interval")
        self._marks = Html("", align="end", margin=(0, 0, 8, 0))
        look = across(self.level, self.what, gap=8, sizing_mode="fixed", align="center")
        parts = (self.learner, self.order, self.find, self._marks)
        controls = across(*parts, gap=8, sizing_mode="stretch_width", stylesheets=[_BREAKING])
        self._groups_card = Card(
            "Each of them",
            controls,
            self._groups,
            action=look,
            files=[("speakers", "Save CSV")],
            make=lambda key: download(self.state, key),
            state=self.state,
        )
        self._cards = across(
            down(self._spreads_card, self._new_card),
            down(self._groups_card, styles={"flex": "1.3 1 0"}),
        )
        self._place = down(cards=True)
        return self._place

    def _build_controls(self) -> None:
        small: dict[str, Any] = {"size": "small", "margin": (6, 0, 0, 0), "height": 40}
        self.level = segmented("Level", _LEVELS, "speaker")
        self.what = segmented("What is shown", _WHAT, "values")
        self.learner = pmui.Select(label="Learner", options=[], width=160, **small)
        self.order = pmui.Select(label="Order by", options=[_NAME], width=160, **small)
        self.find = pmui.TextInput(label="Find", width=130, **small)
        for widget, show in (
            (self.learner, self._show_fit),
            (self.level, self._look),
            (self.what, self._look),
            (self.order, self._show_groups),
        ):
            widget.param.watch(self._when_changed(show), "value")
        self.find.param.watch(self._when_changed(self._show_groups), "value_input")

    @staticmethod
    def _when_changed(show: Callable[[], None]) -> Callable[[Any], None]:
        return lambda _: show()

    def redraw(self, changed: Set[str]) -> None:
        """Show the latest fits with speakers or items; during a run, every few seconds."""
        if changed == {"progress"} and time.monotonic() < self._next:
            return
        mixed = {
            LEARNERS[name].label: fit
            for name, fit in self.state.further_fits.items()
            if isinstance(fit, MixedFit)
        }
        self._fits = {label: fit for label, fit in mixed.items() if levels_of(fit)}
        if self._fits:
            self._show_fit()
        else:
            self._fit = None
            self._work.forget()
            self._place[:] = [self._nothing(bool(mixed))]
        self._next = time.monotonic() + _EVERY

    def _nothing(self, ran: bool) -> Any:
        """Return why there is nothing to see."""
        if self.state.shown_tableau.groups is None:
            return empty(_NOBODY, _HOW)
        return empty(_ALIKE, _CHOOSE) if ran else no_result_yet("them", _LEARNS, learner=_LEARNER)

    def _show_fit(self) -> None:
        """Show what the chosen learner found, which is computed beside the page."""
        labels = list(self._fits)
        if self.learner.options != labels or self.learner.value not in labels:
            chosen = self.learner.value if self.learner.value in labels else labels[0]
            self.learner.param.update(options=labels, value=chosen, visible=len(labels) > 1)
        stale = STALE if self.state.document.changed_since_run else ""
        for card in (self._spreads_card, self._new_card, self._groups_card):
            card.stale = stale
        fit = self._fits[self.learner.value]
        if fit is self._fit:
            return
        self._fit = fit
        self.level.visible = len(levels_of(fit)) > 1
        self._look()

    def _look(self) -> None:
        """Compute the pictures of the fit at the level chosen, and show them."""
        fit, what = self._fit, self.what.value
        if fit is None:
            return
        levels = levels_of(fit)
        level = next((one for one in levels if one == self.level.value), next(iter(levels)))

        def show(found: tuple[str, str, Panels]) -> None:
            spreads, new, self._panels = found
            self._spreads.show(spreads)
            self._new.show(new)
            names = [_NAME, *self._panels.titles]
            if self.order.options != names:
                self.order.param.update(options=names, value=names[1])
            self._marks.show(element("span", _MARKS[what], class_="small"))
            self._show_groups()
            if self._cards not in list(self._place):
                self._place[:] = [self._cards]

        self._work.do(lambda: (spreads_html(fit), new_html(fit), group_values(fit, level, what)), show)

    def _show_groups(self) -> None:
        """Show the groups in their order."""
        if self._panels is None:
            return
        names = [_NAME, *self._panels.titles]
        by = names.index(self.order.value) - 1 if self.order.value in names else -1
        self._groups.show(panels_html(self._panels, by=by, find=self.find.value_input))


class SpeakersSwitch(TabSwitch):
    """The button that opens the Speakers tab; there only if the data name speakers or items."""

    tab = SpeakersTab.title
    label = "Speakers"
    depends = ("edits", "settled")

    def draw(self) -> None:
        """Show the button if there is something to see, or to leave."""
        named = (self.state.tableau.groups, self.state.shown_tableau.groups)
        self._button.visible = self._open or any(groups is not None for groups in named)

    def tab_opened(self, tab: Tab[Any]) -> None:
        """Show whether the tab is open."""
        super().tab_opened(tab)
        self.draw()
