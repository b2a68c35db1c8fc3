"""Tasks of a page in the background, such as the runs of a sweep: in turns with all other jobs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from otlab.inference.executors import Workers
from otlab.inference.job import TurnExecutor

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.inference.run import Run

__all__ = ["BackgroundWork"]

T = TypeVar("T")


class BackgroundWork(Generic[T]):
    """Work on several tasks, which the workers of a server do in turns with its other jobs.

    Parameters
    ----------
    work
        Called on a thread of its own with the workers; it gives them the tasks.
    page_idle
        The event of the page that shows the work; see :func:`~otlab.inference.pages.page_first`.

    Attributes
    ----------
    value
        What `work` returned; None before the end, and if it was stopped before it returned.
    failure : BaseException or None
        The error that ended the work, if one did.
    """

    def __init__(self, work: Callable[[Workers], T], page_idle: threading.Event | None = None) -> None:
        self.value: T | None = None
        self.failure: BaseException | None = None
        self._work = work
        self._executor = TurnExecutor(page_idle=page_idle)
        self._stopped = False
        self._thread = threading.Thread(target=self._do, name="background work", daemon=True)

    def start(self) -> None:
        """Start the tasks."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether tasks are still to be done."""
        return self._thread.is_alive() and not self._stopped

    @property
    def runs(self) -> list[Run[Any, Any]]:
        """The runs in progress."""
        return self._executor.runs

    def pause(self) -> None:
        """Pause each run when its current tick ends."""
        self._executor.pause()

    def resume(self) -> None:
        """Continue the paused runs."""
        self._executor.resume()

    def stop(self) -> None:
        """Stop within a tick."""
        self._stopped = True
        self._executor.stop()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all tasks have ended, at most `timeout` seconds; return whether they have."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _do(self) -> None:
        try:
            self.value = self._work(Workers(self._executor, self._executor.count))
        except BaseException as failure:  # kept for the page to show
            if not self._stopped:  # after a stop tasks are interrupted, cancelled or refused
                self.failure = failure
        finally:
            self._executor.stop()
