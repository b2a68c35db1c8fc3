"""The two cards about the data: the editable violations, and the tableau for one drawn order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ot.orders import order_probability
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.ot.tabs.grid import ViolationGrid
from otlab.ui.ot.tabs.leading import first_inputs
from otlab.viz.ot.tableau import TABLEAU_CSS, drawn_tableau_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.ot.state import OTState

__all__ = ["TableauCard", "ViolationsCard"]

_PASTE = '<div class="small num cut">Paste cells with <kbd>Ctrl V</kbd></div>'


class ViolationsCard(pn.viewable.Viewer):
    """The grid, and buttons that make it larger."""

    def __init__(self, state: OTState, say: Callable[[str], None], **layout: Any) -> None:
        super().__init__()
        self._document = state.document
        self.grid = ViolationGrid(state.document, say, _PASTE)
        after = [self.grid.after]  # where Tab leads from the last cell
        adders = [
            button(
                "Candidate",
                lambda: self.grid.add("candidate"),
                icon="plus",
                plain=True,
                css_classes=after,
            ),
            button("Constraint", lambda: self.grid.add("constraint"), icon="plus", plain=True),
            button("Input", lambda: self.grid.add("input"), icon="plus", plain=True),
        ]
        self._adders = adders
        self._size = button("Full screen", self.enlarge, icon="screen", plain=True)
        foot = pn.Row(*adders, self.grid.foot, sizing_mode="stretch_width", margin=(0, 0, 0, -8))
        self.card = Card("Violations", self.grid, foot, action=self._size, **layout)
        self.refresh()

    def enlarge(self) -> None:
        """Give the grid the whole window, or its card again."""
        large = self._size.label == "Full screen"
        self._size.label = "Back to the lab" if large else "Full screen"
        self.card.fill_window(large)

    def refresh(self) -> None:
        """Show the document as it is now."""
        self.grid.refresh()
        tableau = self._document.tableau
        for adder in self._adders:
            adder.disabled = self.grid.fixed
        self.card.remark = f"{_many(len(tableau.inputs), 'input')}, {_many(tableau.n_rows, 'candidate')}"

    def __panel__(self) -> Any:
        return self.card


class TableauCard(pn.viewable.Viewer):
    """Who wins under one order of the constraints, and how often that order is drawn."""

    def __init__(self, state: OTState, **layout: Any) -> None:
        super().__init__()
        self._state = state
        self._picture = Html("", TABLEAU_CSS, sizing_mode="stretch_both", styles={"min-height": "0"})
        again = button("Draw again", self.draw, icon="dice", plain=True)
        self.card = Card(
            "Tableau", self._picture, remark="for one draw of the ranking", action=again, **layout
        )
        self._order: tuple[int, ...] = ()
        self._only: int | None = None
        self.draw()

    def draw(self) -> None:
        """Draw another order from the ranking values looked at."""
        self._order = self._state.draw_order()
        self.show()

    def only(self, input: int | None) -> None:
        """Show one input alone, or all again."""
        self._only = input
        self.show()

    def show(self) -> None:
        """Show the tableau as it is now, under the order last drawn where it still fits."""
        state = self._state
        if self._only is not None and self._only >= len(state.tableau.inputs):
            self._only = None
        if len(self._order) != state.tableau.n_constraints:
            self._order = state.draw_order()
        p = order_probability(state.values, self._order, state.settings.noise)
        shown = first_inputs(state.tableau) if self._only is None else state.tableau
        self._picture.show(drawn_tableau_html(shown, self._order, p, self._only))

    def __panel__(self) -> Any:
        return self.card


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
