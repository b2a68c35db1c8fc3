"""A place to drop a file, and one to paste a text.

A file arrives in chunks and is read on another thread, with progress and Cancel.
"""

from __future__ import annotations

import base64
import threading
import time
from typing import TYPE_CHECKING, Any

import param

from otlab.errors import Fault, InputError, Interrupted
from otlab.ui.components.component import Component, MessageComponent
from otlab.ui.source import Source
from otlab.ui.timers import Repeating, drawing
from otlab.viz.base.numbers import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FileZone", "PasteBox", "Reading"]

MOST_BYTES = 10_000_000
AT_ONCE_SECONDS = 0.2  # a file read within this shows no bar
_LOOK_MS = 120
_LEFT_AFTER = 0.6  # seconds before the time left is estimated


class Reading:
    """One file that is read on its own thread.

    Parameters
    ----------
    source
        The file.
    read
        Given the file and ``progress``, returns what the file holds.

    Attributes
    ----------
    share
        How much has been read, 0 to 1.
    result, error
        What the file holds, or what went wrong; neither before the end and after a cancel.
    """

    def __init__(self, source: Source, read: Callable[[Source, Callable[[float], None]], Any]) -> None:
        self.source, self.share = source, 0.0
        self.result: Any = None
        self.error: Exception | None = None
        self.cancelled = threading.Event()
        self._read = read
        self._thread = threading.Thread(target=self._work, name=f"reading {source.name}", daemon=True)
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether the file was read in time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self.result = self._read(self.source, self._progress)
        except Interrupted:
            return
        except Exception as error:
            self.error = error

    def _progress(self, share: float) -> None:
        self.share = share
        if self.cancelled.is_set():
            raise Interrupted("reading was cancelled")


class FileZone(Component):
    """Drop zone that takes one file at a time, reads it, and shows the progress.

    Parameters
    ----------
    read
        Given the file and ``progress``, returns what it holds; called on another thread. It calls
        ``progress`` with the share that has been read, which ends it after a Cancel.
    show
        Called on the page's thread with the file and what `read` returned.
    refuse
        Called with what is wrong with a file, and the file.
    large
        What to do with a file of more than `most` bytes, which is not read.
    begun
        Called when reading takes longer than a moment, so that messages about another file can go.
    """

    label = param.String("Drop a file here, or choose one")
    hint = param.String()
    accept = param.String(doc="File endings offered by the file chooser.")
    recording = param.Boolean(doc="Whether sound can also be recorded, with the microphone.")
    most = param.Integer(MOST_BYTES, doc="Bytes of the largest file; 0 for files of any size.")
    state = param.Dict(default={}, doc="What goes on: text, share, left; empty if nothing does.")

    script = "file_zone"
    parts = ("recorder",)

    def __init__(
        self,
        read: Callable[[Source, Callable[[float], None]], Any],
        show: Callable[[Source, Any], None],
        refuse: Callable[[InputError, Source], None],
        *,
        large: str = "",
        begun: Callable[[], None] = lambda: None,
        **params: Any,
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_begun = begun
        self._read, self._show, self._refuse, self._large = read, show, refuse, large
        self._coming: Source | None = None
        self._size = self._received = 0
        self._begun = 0.0
        self.reading: Reading | None = None
        self._looks = Repeating(self.look, _LOOK_MS)

    def choose(self) -> None:
        """Open the browser's file chooser."""
        self._send_msg({"kind": "choose"})

    def take(self, name: str, data: bytes) -> None:
        """Read a file or text given as bytes, such as a pasted one."""
        self.open(Source(name, data))

    def open(self, source: Source) -> None:
        """Read a file on a thread; show what it holds, at once if that takes a moment only."""
        self.cancel()
        self._begun = time.monotonic()
        self.reading = Reading(source, self._read)
        if self.reading.wait(AT_ONCE_SECONDS):
            self.look()
        else:
            self._on_begun()
            self._show_progress("Reading", source.name, 0.0)
            self._looks.start()

    def cancel(self) -> None:
        """Cancel receiving or reading; the data that were open stay."""
        if self.reading is not None:
            self.reading.cancelled.set()
        self._coming = self.reading = None
        self._looks.stop()
        self.state = {}

    def look(self) -> None:
        """Show the progress of reading, and at its end the result."""
        reading = self.reading
        if reading is None:
            return
        if not reading.wait(0):
            self._show_progress("Reading", reading.source.name, reading.share)
            return
        self.cancel()
        with drawing():
            if isinstance(reading.error, InputError):
                self._refuse(reading.error, reading.source)
            elif reading.error is not None:
                raise reading.error
            else:
                self._show(reading.source, reading.result)

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait for the end of the reading and show it; return whether it came. For scripts and tests."""
        ended = self.reading is None or self.reading.wait(seconds)
        self.look()
        return ended

    def _handle_msg(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "begin":
            self._begin(message["name"], message["size"])
        elif kind == "piece":
            self._take_piece(message["at"], base64.b64decode(message["data"]))
        else:
            self.cancel()

    def _begin(self, name: str, size: int) -> None:
        self.cancel()
        coming, self._size, self._received = Source(name), size, 0
        self._begun = time.monotonic()
        if 0 < self.most < size:
            fault = Fault(f"is larger than {self.most / 1e6:g} MB", self._large)
            self._refuse(InputError(fault), coming)
            return
        self._coming = coming
        self._ask(coming)

    def _take_piece(self, at: int, piece: bytes) -> None:
        if self._coming is not None and at == self._received:
            self._coming.add(piece)
            self._received += len(piece)
            self._ask(self._coming)

    def _ask(self, coming: Source) -> None:
        """Ask for the next piece, or read the file if it is complete."""
        if self._received < self._size:
            if self._received:
                self._show_progress("Receiving", coming.name, self._received / self._size)
            self._send_msg({"kind": "piece", "at": self._received})
        else:
            self.open(coming)

    def _show_progress(self, doing: str, name: str, share: float) -> None:
        spent = time.monotonic() - self._begun
        known = share > 0 and spent > _LEFT_AFTER
        left = f"{duration_text(spent * (1 - share) / share)} left" if known else ""
        self.state = {"text": f"{doing} {name}", "share": share, "left": left}


class PasteBox(MessageComponent):
    """A text area with a button that submits its text."""

    example = param.String(doc="An example, shown while the text is empty.")
    label = param.String("Load this text", doc="Text of the button.")
    rows = param.Integer(4, doc="Lines in sight; the user can make it higher.")

    script = "paste_box"
