"""Save the documents of all pages on one thread, each a moment after its last edit.

What is asked for again before it was done is done once, with the newest. What fails, on a full disk for
example, is tried again until it succeeds. No page waits for it, and one that closes meanwhile loses nothing.
"""

from __future__ import annotations

import atexit
import logging
import sqlite3
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Writer", "writer"]

_log = logging.getLogger(__name__)
DELAY_SECONDS = 0.4
"""How long an edit waits for others to be saved with it; continuous typing is saved as often."""
AGAIN_SECONDS, MOST_SECONDS = 5.0, 300.0
"""How long work that failed waits until it is tried again: twice as long each time, up to the second."""


@dataclass
class _Order:
    due: float
    work: Callable[[], None]
    failures: int = 0


class Writer:
    """Run scheduled work for documents, one at a time, on another thread."""

    def __init__(self) -> None:
        self._orders: dict[str, _Order] = {}
        self._changed = threading.Condition()
        self._working = threading.RLock()
        self._thread: threading.Thread | None = None

    def put(self, document: str, work: Callable[[], None], seconds: float = DELAY_SECONDS) -> None:
        """Schedule `work` for a document within some seconds, in place of work that still waits."""
        with self._changed:
            before = self._orders.get(document)
            due = time.monotonic() + seconds
            self._orders[document] = _Order(due if before is None else min(due, before.due), work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="documents", daemon=True)
                self._thread.start()
            self._changed.notify()

    def flush(self, document: str | None = None) -> None:
        """Do the queued work for a document, or for all documents, now and on this thread."""
        with self._working:
            for name in list(self._orders) if document is None else [document]:
                self._do(name)

    def forget(self, document: str) -> None:
        """Cancel the waiting work for a document."""
        with self._changed:
            self._orders.pop(document, None)

    def _do(self, document: str) -> None:
        with self._changed:
            order = self._orders.pop(document, None)
        if order is None:
            return
        try:
            order.work()
        except sqlite3.ProgrammingError:
            _log.info("a document was left unsaved: its store is closed", exc_info=True)
        except Exception:  # the next document must be saved all the same
            _log.exception("a document could not be saved")
            wait = min(AGAIN_SECONDS * 2**order.failures, MOST_SECONDS)
            with self._changed:
                again = _Order(time.monotonic() + wait, order.work, order.failures + 1)
                self._orders.setdefault(document, again)  # unless newer work waits
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                document = self._next()
                if document is None:
                    continue
            with self._working:
                self._do(document)

    def _next(self) -> str | None:
        """Return the document that is due; without one, wait and return None."""
        if not self._orders:
            self._changed.wait()
            return None
        document, order = min(self._orders.items(), key=lambda item: item[1].due)
        left = order.due - time.monotonic()
        if left > 0:
            self._changed.wait(left)
            return None
        return document


writer = Writer()
"""The one of this process."""
atexit.register(writer.flush)
