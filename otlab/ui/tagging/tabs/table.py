"""The Table tab: Johnson's (2007) Table 1 on the reader's corpus, built run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn

from otlab.errors import InputError, counted
from otlab.html import element
from otlab.tagging.experiments.table1 import TABLE_1
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import SCROLLING, Card, Html
from otlab.ui.components.downloads import IN_A_ROW, Downloads
from otlab.ui.components.layout import across, down
from otlab.ui.fields import values_of
from otlab.ui.settings_form import SettingsForm
from otlab.ui.sweep.download import sweep_button
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.results import runs_html
from otlab.ui.tagging.settings import GRID, TableChoice, TableGrid
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.table import grid_rows, table_sweep
from otlab.ui.tagging.table_texts import table_csv, table_html, table_latex
from otlab.ui.timers import Repeating, page_idle

if TYPE_CHECKING:
    from otlab.tagging.experiments.table1 import Estimator
    from otlab.ui.sweep.planned import PlannedSweep

__all__ = ["TableTab"]

_TICK_MS = 400
_MOST_ROWS = 100


class TableTab(Tab[TaggingState]):
    """The Table tab."""

    title = "Table"
    repeats: ClassVar = {"": ("Watch: Scores",)}
    depends = ("settled", "table_changes")
    at_opening = ("progress",)

    def build(self) -> Any:
        """Return the builder above the table, the runs below it."""
        self._shown = Html("", PAGE_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._runs = Html("", PAGE_CSS, sizing_mode="stretch_both", styles=SCROLLING)
        self._status = Html("", PAGE_CSS, sizing_mode="stretch_width", align="end")
        self.choice, self.grid = TableChoice(), TableGrid()
        self._grid_place = pn.Column(
            SettingsForm(self.grid), margin=0, sizing_mode="stretch_width", visible=False
        )
        self.choice.param.watch(
            lambda event: self._grid_place.param.update(visible=event.new == GRID), "group"
        )
        self._ticks = Repeating(self.tick, _TICK_MS)
        start = button("Run these rows", self.start, primary=True, icon="run")
        self._stop = button("Stop", self.stop, icon="stop", disabled=True)
        explanation = Html(_EXPLANATION, PAGE_CSS, sizing_mode="stretch_width")
        buttons = across(start, self._stop, gap=8, height=38, width=250, sizing_mode="fixed", align="end")
        chosen = pn.Column(SettingsForm(self.choice), width=230, margin=0)
        row = across(chosen, buttons, self._status, gap=16, sizing_mode="stretch_width", height=56)
        sweep = sweep_button(self.state, self._sweep, self.lab.warn)
        builder = Card(
            "Rows to run", row, self._grid_place, explanation, action=sweep, sizing_mode="stretch_width"
        )
        save = Downloads(
            self._file, [["tex", "LaTeX"], ["csv", "CSV"]], state=self.state, width=210, align="center",
            sizing_mode="fixed", stylesheets=[IN_A_ROW],
        )  # fmt: skip
        remark = "mean (sd) over runs; bold: best of your rows; grey: Johnson (2007) on the Penn Treebank"
        table = Card("Table 1", self._shown, remark=remark, action=save, styles={"flex": "2 1 0"})
        runs = Card(
            "Runs", self._runs, remark="a run's seed repeats it alone, here and in otlab tag", height=210
        )
        return down(builder, table, runs)

    def rows(self) -> list[Estimator]:
        """Return the rows chosen: some of the paper's, or a grid."""
        group, grid = self.choice.group, self.grid
        if group == GRID:
            return grid_rows(grid.learners.split(), grid.states, grid.emission, grid.transition)
        return [e for e in TABLE_1 if group == "all" or e.learner in group.split()]

    def start(self) -> None:
        """Run the rows chosen, with the settings of the run panel, all from the same starts."""
        rows = self.rows()
        if len(rows) > _MOST_ROWS:
            self.lab.warn(f"These are {counted(len(rows), 'row')}; ask for at most {_MOST_ROWS}")
            return
        self.state.table.page_idle = page_idle()
        try:
            self.state.table.ask(rows, self.state.corpus, values_of(self.state.settings))
        except InputError as error:
            self.lab.warn(error.faults[0].message)
            return
        self._ticks.start()
        self.draw()

    def stop(self) -> None:
        """Stop; finished runs stay, and are not run again."""
        self.state.table.stop()
        self.tick()

    def tick(self) -> None:
        """Store finished runs and begin with the next rows."""
        table = self.state.table
        before = table.runs
        if not table.advance():
            self._ticks.stop()
        if table.runs != before:
            self.state.table_changes += 1  # which draws the table, and saves it
        else:
            self.draw()

    def draw(self) -> None:
        """Draw the table."""
        self._shown.show(table_html(self.state.table))
        self._runs.show(runs_html(r for r in self.state.results.values() if r.views) or _NO_RUNS)
        now = self.state.table.now
        self._status.show(element("p", now, class_="small", role="status", style="padding: 8px 0"))
        self._stop.disabled = not self.state.table.running

    def _sweep(self) -> PlannedSweep:
        """Return the rows chosen as a sweep, to be run here or on a cluster."""
        state = self.state
        file = state.file_name("corpus", "txt" if state.corpus.tags is None else "tsv")
        return table_sweep(self.rows(), state.corpus, file, values_of(state.settings))

    def _file(self, key: str) -> tuple[str, bytes]:
        text = table_latex(self.state.table) if key == "tex" else table_csv(self.state.table)
        return self.state.file_name("table 1", key), text.encode()


_EXPLANATION = (
    '<p class="small">Iterations, runs, seed and start are those at the left, the same for every row; runs '
    "of the other tabs are added. VI = H(T|Y) + H(Y|T), in bits: what the states leave unknown of the tags "
    "(T|Y), and the tags of the states (Y|T); low is good.</p>"
)
_NO_RUNS = '<p class="small">Press Run at the left: each of its runs is listed here.</p>'
