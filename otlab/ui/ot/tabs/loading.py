"""Read a table on a thread of its own, so that the page stays free; it can be cancelled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from otlab.errors import InputError, Interrupted
from otlab.ot.io.read import read_bytes

if TYPE_CHECKING:
    from otlab.ot.io.grid import Reading

__all__ = ["Loading"]


class Loading:
    """One file being read.

    Parameters
    ----------
    name, data
        Of the file.

    Attributes
    ----------
    share
        How much has been read, 0 to 1.
    reading, error
        The result, one of them, once it is done; neither after a cancel.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.share = 0.0
        self.reading: Reading | None = None
        self.error: InputError | None = None
        self._data = data
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"reading {name}", daemon=True)

    def start(self) -> Loading:
        """Begin."""
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Ask it to stop; it does within some thousand rows."""
        self._cancelled.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it came."""
        self._thread.join(seconds)
        return self.done

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self.reading = read_bytes(self._data, self.name, self._progress)
        except InputError as error:
            self.error = error
        except Interrupted:
            return

    def _progress(self, share: float) -> None:
        self.share = share
        if self._cancelled.is_set():
            raise Interrupted("reading was cancelled")
