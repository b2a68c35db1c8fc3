"""Background task of one tab: start button, progress, time left, Cancel.

The run panel runs the learners of the lab; a tab that learns something else on the side,
from a pool or for a comparison, has one of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.errors import InputError
from otlab.ui.components.component import MessageComponent
from otlab.ui.run_messages import fault_words, progress_words
from otlab.ui.runner import LearnerRow, Runner
from otlab.ui.session_watchdog import SessionWatchdog
from otlab.ui.timers import Repeating, drawing, page_idle

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference import Tick

__all__ = ["Task"]


class TaskBar(MessageComponent):
    """The start button, progress bar and text of a task in the browser."""

    label = param.String(doc="Text of the button.")
    primary = param.Boolean(True, doc="Whether the button is filled: one of several tasks of a card.")
    brief = param.Boolean(False, doc="Whether the progress goes when all is done.")
    state = param.Dict(default={}, doc="What is shown: running, progress, fault.")

    script = "task"


class Task(pn.viewable.Viewer):
    """Runs that are started, watched and cancelled together.

    Parameters
    ----------
    label
        What the button says.
    rows
        Returns the runs to start, or a runner that starts them; may raise
        :class:`~otlab.errors.InputError` to refuse.
    on_ticks
        Called with the newest tick of each row that has a new one.
    on_end
        Called once when all have ended: done, cancelled or failed.
    of
        Returns the object that stands for the runs whose results are shown. Once it returns another one,
        because they were deleted, the runs of the task are stopped, and their ticks left out.
    layout
        Parameters of the bar, such as `primary` and `brief`, and its margins.
    """

    def __init__(
        self,
        label: str,
        rows: Callable[[], list[LearnerRow] | Runner],
        on_ticks: Callable[[dict[str, Tick[Any]]], None],
        on_end: Callable[[], None],
        of: Callable[[], object] = lambda: None,
        **layout: Any,
    ) -> None:
        super().__init__()
        self._rows, self._on_ticks, self._on_end = rows, on_ticks, on_end
        self.runner = Runner([])
        self._ended = True
        self._watchdog = SessionWatchdog()
        self._ticks = Repeating(self.tick)
        self.bar = TaskBar(
            self._answer, label=label, **{"sizing_mode": "stretch_width", "margin": 0, **layout}
        )
        self._of, self._started = of, of()
        self._show()

    def start(self) -> None:
        """Start new runs."""
        self.runner.clear()
        self.runner, self._ended = Runner([]), False
        try:
            rows = self._rows()
            self.runner = rows if isinstance(rows, Runner) else Runner(rows)
            self.runner.page_idle = page_idle()
            self.runner.start()
        except InputError as error:
            self.runner.fail(error)
        self._started = self._of()
        self._watchdog.enter()
        if self.runner.alive:
            self._ticks.start()
        self.tick()

    def cancel(self) -> None:
        """Stop the task; its results stay."""
        self.runner.stop()
        self.tick()

    def close(self) -> None:
        """Stop the task without calling back; called when the page is closed."""
        self.runner.stop()
        self._ticks.stop()

    def tick(self) -> None:
        """Show the ticks since the last call."""
        if self._watchdog.gone():
            self.close()
            return
        wanted = self._of() is self._started
        if not wanted:
            self.runner.stop()
        alive = self.runner.alive  # before draining: a tick posted later is taken next time
        ticks = self.runner.drain() if wanted else {}
        with drawing():
            if ticks:
                self.runner.guard(self._on_ticks, ticks)
            if not alive and not self._ended:
                self._ended = True
                self._ticks.stop()
                self._on_end()
            self._show()

    def _answer(self, message: str) -> None:
        if message == "alive":
            self._watchdog.heard()
        elif message == "cancel":
            self.cancel()
        else:
            self.start()

    def _show(self) -> None:
        runner = self.runner
        progress = progress_words(
            runner.phase,
            runner.progress,
            runner.ahead,
            by_hand=False,
            preparation=runner.preparation,
            failures=runner.failures.values(),
        )
        state = {
            "running": runner.alive,
            "quiet": runner.phase == "idle" or (self.bar.brief and runner.phase == "done"),
            "progress": progress,
            "fault": fault_words(runner),
        }
        if state != self.bar.state:
            self.bar.state = state

    def __panel__(self) -> Any:
        return self.bar
