"""The card with what is set for single constraints: priors, initial values, plasticities, rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.ui.components import stylesheet
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.ot.constraint_settings import ABOVE, COLUMNS, faithfulness_low, forget, frame, typed
from otlab.viz.base.html import element

if TYPE_CHECKING:
    from otlab.ui.ot.state import OTState

__all__ = ["ConstraintCard"]

_HELP = (
    "An empty cell is as for all constraints. Always above: names of constraints, with commas; "
    "every ranking, and the GLA, keeps to it."
)
_EVEN = ".tabulator .tabulator-tableholder .tabulator-table .tabulator-row.tabulator-row-even"
_CELLS = f"""
.tabulator .tabulator-header .tabulator-col .tabulator-col-content {{ padding: 4px 4px 4px 8px; }}
.tabulator .tabulator-header .tabulator-col .tabulator-col-title {{
  padding: 0; font: 500 11px/1.3 var(--ot-ui); white-space: normal; }}
{_EVEN} {{ background: var(--ot-surface); }}
.tabulator-row .tabulator-cell {{ border-right: 1px solid var(--ot-line); cursor: text; }}
"""
_NOTHING_TO_SET = "No constraint, or every one, has the name of a faithfulness constraint."


class ConstraintCard(pn.viewable.Viewer):
    """A table with a row per constraint, whose cells are typed into."""

    def __init__(self, state: OTState) -> None:
        super().__init__()
        self._state = state
        table = frame(state.settings, state.tableau)
        tips = {column.title: column.tip for column in COLUMNS.values()}
        self.table = pn.widgets.Tabulator(
            table,
            theme="simple",
            layout="fit_columns",
            show_index=False,
            sortable=False,
            selectable=False,
            margin=0,
            row_height=30,
            editors={title: None if title == "Constraint" else {"type": "input"} for title in table.columns},
            header_tooltips={**tips, ABOVE: "constraints that it is always ranked above"},
            css_classes=["ot-languages"],
            stylesheets=[stylesheet("languages"), _CELLS],
            widths={"Constraint": 104, ABOVE: 112},
            sizing_mode="stretch_both",
        )
        self.table.on_edit(self._edited)
        self._said = Html("", sizing_mode="stretch_width")
        low = button("Faithfulness low", self._faithfulness_low, plain=True)
        clear = button("Clear", self._clear, plain=True)
        buttons = across(low, clear, sizing_mode="fixed", gap=4)
        self._card = Card(
            "Constraint by constraint", down(self.table, self._said, gap=6), action=buttons, remark="optional"
        )
        self._say("")

    def show(self) -> None:
        """Show what is set now."""
        table = frame(self._state.settings, self._state.tableau)
        if not table.equals(self.table.value):
            self.table.value = table

    def _edited(self, event: Any) -> None:
        state = self._state
        reason = typed(state.settings, state.tableau, event.row, event.column, str(event.value or ""))
        self._say(reason)
        if reason:
            self.table.value = frame(state.settings, state.tableau)

    def _faithfulness_low(self) -> None:
        settings = self._state.settings
        done = faithfulness_low(settings, self._state.tableau, 2 * settings.noise)
        self._say("" if done else _NOTHING_TO_SET)
        self.show()

    def _clear(self) -> None:
        forget(self._state.settings)
        self._say("")
        self.show()

    def _say(self, reason: str) -> None:
        self._said.show(element("p", reason or _HELP, class_="ot-bad" if reason else "small"))

    def __panel__(self) -> Any:
        return self._card
