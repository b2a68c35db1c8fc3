"""The Table tab: Johnson's (2007) Table 1 on the reader's corpus, built run by run."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param
from panel.custom import JSComponent

from otlab.tagging.paper import TABLE_1
from otlab.ui.boxes import across, down
from otlab.ui.buttons import button
from otlab.ui.cards import Card, Html
from otlab.ui.components import esm
from otlab.ui.fields import Choice, Settings
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.table import table_csv, table_html, table_latex
from otlab.ui.theme import BASE

if TYPE_CHECKING:
    from otlab.ui.tagging.lab import TaggingLab
    from otlab.ui.tagging.table import Table
    from otlab.viz.tokens import Tokens

__all__ = ["TableTab"]

_TICK_MS = 400
_GROUPS = {
    "em vb": "EM and VB",
    "em": "EM only",
    "vb": "VB only",
    "gibbs": "Gibbs only",
    "all": "All twelve rows",
}


class TableTab:
    """One showing of the Table tab."""

    def __init__(self, lab: TaggingLab, tokens: Tokens) -> None:
        self._lab, self._table = lab, lab.state.table
        self._shown = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._status = Html("", PAGE_CSS, align="center", sizing_mode="stretch_width")
        self.choice = Settings([Choice("group", "Rows to run", "em vb", _GROUPS, wide=True)])
        self._timer: Any = None

    def layout(self) -> Any:
        """Return the card, with what runs above it."""
        start = button("Run these rows", self.start, primary=True, icon="run", align="end")
        stop = button("Stop", self.stop, icon="stop", align="end")
        choice = pn.Column(self.choice, width=260, margin=0)
        head = across(choice, start, stop, self._status, gap=10, height=58, sizing_mode="stretch_width")
        save = SaveTable(self._table, width=240)
        remark = "mean (sd) over runs; in grey the paper's mean on the Penn Treebank"
        return down(Card("Table 1", head, self._shown, remark=remark, action=save))

    def start(self) -> None:
        """Queue the rows chosen, with the settings of the run panel, all from the same starts."""
        group = self.choice["group"].split()
        rows = [e for e in TABLE_1 if self.choice["group"] == "all" or e.learner in group]
        self._table.ask(rows, self._lab.corpus, self._lab.state.settings.values)
        if self._timer is None:
            self._timer = pn.state.add_periodic_callback(self.tick, _TICK_MS)
        self.selected()

    def stop(self) -> None:
        """End the queue; finished rows stay."""
        self._table.stop()
        self.tick()

    def tick(self) -> None:
        """Take what is finished and start what waits."""
        if not self._table.advance() and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.selected()

    def results_changed(self) -> None:
        """Rows change when a run ends, not before."""

    def selected(self) -> None:
        """Draw the table."""
        self._shown.show(table_html(self._table))
        self._status.show(f'<span class="small" role="status">{self._table.now}</span>')

    def recolor(self, tokens: Tokens) -> None:
        """Nothing: everything here follows by its style sheet."""


class SaveTable(JSComponent):
    """Buttons that save the table as LaTeX and as CSV."""

    files = param.List(default=[["tex", "LaTeX"], ["csv", "CSV"]])

    _esm = esm("take_home")
    _stylesheets: ClassVar[list[str]] = [BASE, ".list { grid-auto-flow: column; }"]

    def __init__(self, table: Table, **params: Any) -> None:
        super().__init__(**{"margin": 0, "align": "center", **params})
        self._table = table

    def _handle_msg(self, message: dict[str, str]) -> None:
        text = table_latex(self._table) if message["key"] == "tex" else table_csv(self._table)
        data = base64.b64encode(text.encode()).decode()
        self._send_msg({"name": f"table1.{message['key']}", "kind": "text/plain", "data": data})
