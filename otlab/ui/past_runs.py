"""Runs that are no longer shown, and that Undo or Redo may lead back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.inference.replay import TickHistory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from otlab.inference import Job, Run, Tick

__all__ = ["PastRuns", "RunKey"]

RunKey = tuple[str, str]
"""The row of a run, and its id."""
MOST = 24  # runs in memory
_ENDING = 5.0  # seconds within which the sweep in progress of a stopped run ends


class PastRuns:
    """Earlier runs of a page.

    Attributes
    ----------
    wanted : callable
        Returns the runs that are in sight, and those that Undo and Redo lead back to, the nearest first.
    """

    def __init__(self) -> None:
        self.wanted: Callable[[], Iterable[RunKey]] = tuple
        self._kept: dict[RunKey, tuple[Job, TickHistory]] = {}

    def keep(self, jobs: Mapping[RunKey, Job], histories: Mapping[str, TickHistory]) -> None:
        """Keep these jobs with the ticks of each row, and those kept before, if they are wanted."""
        self._kept |= {key: (job, histories.get(key[0], TickHistory())) for key, job in jobs.items()}
        wanted = [key for key in dict.fromkeys(self.wanted()) if key in self._kept]
        self._kept = {key: self._kept[key] for key in wanted[:MOST]}

    def find(self, key: RunKey) -> tuple[Run[Any, Any], Iterable[Tick[Any]]] | None:
        """Return a run as it was when it was shown last, and its kept ticks; None if it is not kept."""
        if key not in self._kept:
            return None
        job, history = self._kept[key]
        job.cancel()
        if not job.join(_ENDING) or not job.made or job.failure is not None:
            return None
        return job.run.record().run(), history
