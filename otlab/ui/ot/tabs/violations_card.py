"""The card of the Learn tab in which a tableau is edited: by candidate, or by speaker and item."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import counted
from otlab.ot.indistinct import alike_groups
from otlab.ui.components.buttons import button, segmented
from otlab.ui.components.cards import Card, CardView
from otlab.ui.components.layout import down
from otlab.ui.ot.tabs.grid import ViolationGrid
from otlab.ui.ot.tabs.token_table import TokenTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

__all__ = ["ViolationsCard"]

_PASTE = '<div class="small num cut">Paste cells with <kbd>Ctrl V</kbd></div>'
_LARGER, _SMALLER = "Full screen", "Back to the lab"
_VIEWS = {"candidates": "Candidates", "tokens": "Speakers and items"}


class ViolationsCard(CardView):
    """The grid, and buttons that make it larger."""

    def __init__(self, state: OTState, say: Callable[[str], None], **layout: Any) -> None:
        super().__init__()
        self._state, self._document = state, state.document
        self.grid = ViolationGrid(state.document, say, _PASTE)
        adders = [self._adder("Candidate", self.grid.after), self._adder("Constraint"), self._adder("Input")]
        self._adders = adders
        self._size = button(_LARGER, self.enlarge, icon="screen", plain=True)
        foot = pn.Row(*adders, self.grid.foot, sizing_mode="stretch_width", margin=(0, 0, 0, -8))
        self._grid = down(self.grid, foot, gap=6)
        self._place = down(self._grid, gap=0)
        self.view = segmented("Rows of the grid", _VIEWS, visible=False)
        self.view.param.watch(lambda _: self._turn(), "value")
        action = pn.Row(self.view, self._size, margin=0)
        self.card = Card("Violations", self._place, action=action, **layout)
        self.refresh()

    @cached_property
    def tokens(self) -> TokenTable:
        """The counts by speaker and item; made when they are first looked at."""
        return TokenTable(self._document)

    def _turn(self) -> None:
        """Show the candidates, or the counts by speaker and item, which fill the window."""
        by_token = self.view.value == "tokens"
        if by_token:
            self._show_tokens()
        self._place[:] = [self.tokens if by_token else self._grid]
        self._fill_window(by_token)

    def _show_tokens(self) -> None:
        self.tokens.locked = self.grid.locked
        self.tokens.refresh()

    def _adder(self, what: str, *classes: str) -> Any:
        def add() -> None:
            self.grid.add(what.lower())

        return button(what, add, icon="plus", plain=True, css_classes=[self.grid.adds, *classes])

    def enlarge(self) -> None:
        """Let the grid fill the window, or return it to its card."""
        large = self._size.label == _LARGER
        if not large and self.view.value == "tokens":
            self.view.value = "candidates"  # which returns it: a card has no room for the other columns
        else:
            self._fill_window(large)

    def _fill_window(self, on: bool) -> None:
        self._size.label = _SMALLER if on else _LARGER
        self.card.fill_window(on)

    def refresh(self) -> None:
        """Show the document as it is now."""
        self.grid.locked = "data" in self._state.locks
        self.grid.refresh()
        tableau = self._document.tableau
        self.view.visible = tableau.groups is not None
        if tableau.groups is None:
            self.view.value = "candidates"
        elif self.view.value == "tokens":
            self._show_tokens()
        for adder in self._adders:
            adder.param.update(disabled=self.grid.fixed, visible=not self.grid.large)
        size = f"{counted(len(tableau.inputs), 'input')}, {counted(tableau.n_rows, 'candidate')}"
        self.card.remark = "; ".join([size, *_alike(tableau)])


def _alike(tableau: Tableau) -> list[str]:
    """Return which constraints cannot be told apart, for the first group; there may be more."""
    groups = alike_groups(tableau)
    if not groups:
        return []
    names = " and ".join(tableau.constraints[c] for c in groups[0][0])
    more = f", and {len(groups) - 1} more" if len(groups) > 1 else ""
    return [f"{names} cannot be told apart{more}"]
