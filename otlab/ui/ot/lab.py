"""The OT lab: a tableau, its learners, and their results while they run.

::

    lab = OTLab("ilokano")      # a notebook cell shows it; lab.page() is the page a server sends
    lab.tableau, lab.posterior  # ordinary Python objects
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from otlab.errors import condensed
from otlab.ot.io.read import read
from otlab.ot.tableau import Tableau
from otlab.ui.background import Background
from otlab.ui.documents.store import unused_name
from otlab.ui.fields import values_of
from otlab.ui.lab import Lab
from otlab.ui.ot.classwork import OTClasswork
from otlab.ui.ot.document import empty_tableau
from otlab.ui.ot.files import TableFile, read_file
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.compare import CompareTab
from otlab.ui.ot.tabs.data import DataTab
from otlab.ui.ot.tabs.forms.tab import FormsTab
from otlab.ui.ot.tabs.learn import LearnTab
from otlab.ui.ot.tabs.rank import RankTab
from otlab.ui.ot.tabs.speakers import SpeakersSwitch, SpeakersTab
from otlab.ui.ot.tabs.steps import StepsTab, StepSwitch
from otlab.ui.ot.tabs.typology import TypologyTab
from otlab.ui.ot.trust import USUAL_WEIGHT_SD, trust_report, usual_prior_sd
from otlab.ui.run_panel import RunPanel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otlab.inference import Posterior, Tick
    from otlab.ui.components.badge import TrustReport
    from otlab.ui.source import Source

__all__ = ["OTLab"]


class OTLab(Lab):
    """One reader's OT lab.

    Parameters
    ----------
    tableau
        A tableau, a file, or a shipped sample by name or a unique beginning of it.

    Raises
    ------
    InputError
        If the file has faults, or there is no such sample.
    """

    title, route = "OT", "ot_lab"
    state: OTState
    classwork = OTClasswork()
    tabs = (LearnTab, FormsTab, CompareTab, RankTab, TypologyTab, DataTab, SpeakersTab, StepsTab)
    actions = (SpeakersSwitch, StepSwitch)
    keys = (
        ("←  →  ↑  ↓", "Go to the next cell"),
        ("Enter", "Open a cell, or the menu of a constraint"),
        ("Esc", "Leave the cell unchanged"),
        ("Shift F10", "Menu of the row"),
        ("Ctrl V", "Paste cells or a whole table"),
    )

    def __init__(self, tableau: Tableau | str | Path = "ilokano") -> None:
        super().__init__(OTState(tableau if isinstance(tableau, Tableau) else read(tableau)))
        self._concluding = Background()
        self.runner: RunPanel = self.connect(
            RunPanel(
                self.state.rows(),
                self.settings,
                on_start=self._starting,
                on_ticks=self._ticked,
                on_end=self._ended,
                on_reset=self._forget,
                trust=self._trust,
                on_replay=self.state.replay,
            )
        )
        after_pages = 11  # the last results of a run that an edit stops are drawn beside the edited table
        self.state.param.watch(lambda _: self._document_changed(), "edits", precedence=after_pages)
        self.state.param.watch(lambda _: self.changed(), "comparison_changes")
        self.state.gen.param.watch(lambda *_: self.changed(), list(values_of(self.state.gen)))

    @property
    def tableau(self) -> Tableau:
        """The present tableau; setting it shows another one, which can be undone."""
        return self.state.tableau

    @tableau.setter
    def tableau(self, tableau: Tableau) -> None:
        self.open_own(tableau.name or "Your table", lambda: self.state.load(tableau), quietly=True)

    @property
    def posterior(self) -> Posterior | None:
        """The draws of the present or last run of Gibbs; None before the first."""
        return self.state.posterior

    def new(self) -> None:
        """Begin a new table, of two candidates and two constraints; Undo brings back the one before."""
        name = unused_name("New table", self.own_name)
        self.open_own(name, lambda: self.state.load(empty_tableau(name)), quietly=True)
        self.go("Learn")

    def read(self, source: Source, progress: Callable[[float], None]) -> TableFile | Callable[[], str]:
        """Return the table of a file, or a function that applies the file to the present table."""
        return read_file(self.state, source.content(), source.name, progress)

    def show_read(self, source: Source, result: TableFile | Callable[[], str]) -> None:
        """Show what was read; warnings are messages."""
        if not isinstance(result, TableFile):
            self.toast(result())
            return
        tableau, warnings = result.reading
        name = source.name or tableau.name
        self.open_own(name, lambda: result.open_in(self.state, source))
        readings = result.reading.readings
        if readings and readings[0].format != "table":
            self.toast(readings[0].sentence(tableau.name))
        for warning in condensed(warnings):
            self.warn(f"{warning.cell}: {warning.message}" if warning.cell else warning.message)

    def _starting(self) -> None:
        self._concluding.forget()
        self.state.running = False

    def _ticked(self, ticks: dict[str, Tick[Any]]) -> None:
        self.state.take(ticks)
        if self.runner.runner.phase == "paused":  # as opened again: all draws came in this tick
            self._concluding.do(self.state.to_conclude(), lambda _: self._settled())

    def _ended(self, _how: str) -> None:
        self._concluding.do(self.state.to_conclude(), lambda _: self._settled())

    def _settled(self) -> None:
        """Show the fit of the whole run, computed on another thread; not if it goes on meanwhile."""
        if self.runner.runner.phase != "running":
            self.state.settle()
            self.runner.reassess()

    def _trust(self) -> TrustReport | None:
        runner = self.runner.runner
        return trust_report(
            self.state,
            runner.jobs,
            not runner.alive and not self.state.running,
            self._run_with_normal_prior,
            self._run_with_weight_prior,
        )

    def _run_with_normal_prior(self) -> None:
        self.state.settings.param.update(prior="normal", prior_sd=usual_prior_sd(self.state.settings.noise))
        self.runner.run()

    def _run_with_weight_prior(self) -> None:
        self.state.settings.weight_sd = USUAL_WEIGHT_SD
        self.runner.run()

    def _forget(self) -> None:
        self._concluding.forget()
        self.state.clear()

    def _document_changed(self) -> None:
        if self.state.document.changed_since_run:
            self.runner.stop()
        if self.state.has_results:
            self.runner.reassess()
        self._follow_name()
        self.changed()

    def _follow_name(self) -> None:
        """Show the name of a pasted table in the chooser; that of the example after Undo."""
        name = self.tableau.name
        if self._opening or name in (self.example, PurePath(self.own_name).stem):
            return
        if name in self.examples():
            self.state.param.update(example=name, own_name="")
        else:
            self.state.param.update(example="", own_name=name)
