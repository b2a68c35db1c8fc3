"""Background work of several runs, as a :class:`~otlab.ui.task.Task` starts, watches and cancels it."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from otlab.inference import Tick
from otlab.inference.background import BackgroundWork
from otlab.ui.runner import Pace, Progress, Runner

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference.executors import Workers
    from otlab.ui.runner import Phase, Unit

__all__ = ["WorkRunner"]


class WorkRunner(Runner):
    """A runner whose work is done by the workers of a sweep, and shown as one run.

    Parameters
    ----------
    tasks, steps
        The number of tasks, and of the steps of each.
    work
        Called with the workers, and with a function to be called with the number of finished tasks and what
        is to be shown of them.
    unit
        What a step is called.
    """

    def __init__(
        self,
        tasks: int,
        steps: int,
        work: Callable[[Workers, Callable[[int, Any], None]], object],
        unit: Unit = "iteration",
    ) -> None:
        super().__init__([])
        self._steps, self._total, self._unit = steps, tasks * steps, unit
        self._do = work
        self._work: BackgroundWork[object] | None = None
        self._done, self._newest = 0, None
        self._reached = 0
        self._began = 0.0
        self._pace = Pace()

    def start(self, *, paused: bool = False) -> None:
        """Start the work."""
        self._began = time.perf_counter()
        self._work = BackgroundWork(lambda workers: self._do(workers, self._report), self.page_idle)
        self._work.start()

    def stop(self) -> None:
        """Stop the work; what is known stays."""
        super().stop()
        if self._work is not None:
            self._work.stop()

    @property
    def alive(self) -> bool:
        """Whether the work is in progress."""
        return self._work is not None and self._work.alive

    @property
    def phase(self) -> Phase:
        """The phase of the work."""
        if self.failures:
            return "failed"
        if self._work is None:
            return "idle"
        if self.alive:
            return "running" if self._reached else "preparing"
        return "stopped" if self._stopped else "done"

    def drain(self) -> dict[str, Tick[Any]]:
        """Return what is new since the last call, as a tick."""
        work = self._work
        if work is None:
            return {}
        if work.failure is not None:
            self.failures.setdefault("", work.failure)
        finished = self._done * self._steps
        reached = max(self._reached, finished + sum(min(run.sweep, self._steps) for run in work.runs))
        self._reached = min(reached, self._total)
        seconds = time.perf_counter() - self._began
        tick: Tick[Any] = Tick(self._reached, self._total, (self._newest,), seconds, finished == self._total)
        self._pace.mark(tick)
        return {} if self._newest is None else {"": tick}

    @property
    def progress(self) -> Progress:
        """The steps of all tasks that are done."""
        rate = self._pace.rate
        left = (self._total - self._reached) / rate if rate > 0 else math.nan
        return Progress(self._unit, self._reached, self._total, rate, left)

    def _report(self, done: int, shown: Any) -> None:
        """Store what is known; called on the thread of the work."""
        self._newest, self._done = shown, done
