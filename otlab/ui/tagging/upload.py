"""Taking in a corpus file of any size: in pieces, then read on a thread; both can be cancelled.

The pieces go to a temporary file and are read from there: neither the page nor the
server ever holds the whole text.
"""

from __future__ import annotations

import base64
import os
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.errors import InputError, Interrupted
from otlab.tagging.io.read import open_text
from otlab.ui.components import esm, styles
from otlab.ui.timers import Repeating
from otlab.viz.base.numbers import duration_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging import Corpus

__all__ = ["FORMAT_NAMES", "Reader", "Source", "Upload"]

_HERE = Path(__file__).parent
_POLL_MS = 150
_LEFT_AFTER = 0.6  # seconds before a guess at the time left is worth anything


FORMAT_NAMES = {
    "conllu": "CoNLL-U",
    "slash": "word/TAG",
    "underscore": "word_TAG",
    "tsv": "two columns",
    "raw": "plain text",
}


class Source:
    """A file that was opened, kept on disk so that it can be read again in another way.

    Parameters
    ----------
    name
        What messages call it.
    data
        Its bytes, or none yet: write them with :meth:`add`.
    """

    def __init__(self, name: str, data: bytes = b"") -> None:
        self.name = name
        handle, path = tempfile.mkstemp(prefix="otlab-")
        os.close(handle)
        self._path = Path(path)
        weakref.finalize(self, self._path.unlink, missing_ok=True)
        self.add(data)

    def add(self, piece: bytes) -> None:
        """Append bytes."""
        with self._path.open("ab") as file:
            file.write(piece)

    def open(self) -> IO[bytes]:
        """Return the file, opened for reading."""
        return self._path.open("rb")


class Reader:
    """Reads one text on a thread of its own.

    Parameters
    ----------
    stream, name
        The text, closed afterwards, and what messages call it.
    options
        See :meth:`otlab.tagging.io.read.Opened.corpus`.

    Attributes
    ----------
    share
        How much has been read, 0 to 1.
    outcome
        The corpus, or what went wrong; None before the end and after a cancel.
    form
        The format it was read as; empty before it is known.
    """

    def __init__(self, stream: IO[bytes], name: str, options: dict[str, Any]) -> None:
        self.share = 0.0
        self.outcome: Corpus | Exception | None = None
        self.form = ""
        self._stream, self._name, self._options = stream, name, options
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Ask it to stop; within a few milliseconds it does."""
        self._cancelled.set()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def _read(self) -> None:
        try:
            with self._stream:
                text = open_text(self._stream, self._name)
                self.form = text.format
                self.outcome = text.corpus(progress=self._progress, **self._options)
        except Interrupted:
            self.outcome = None
        except Exception as error:
            self.outcome = error

    def _progress(self, share: float) -> None:
        self.share = share
        if self._cancelled.is_set():
            raise Interrupted("reading was cancelled")


class Upload(JSComponent):
    """A drop zone for a corpus.

    Parameters
    ----------
    done
        Called on the page's thread with the corpus, the file, and the format it was read as.
    refused
        Called with the faults of a file and its name.
    options
        Returns the settings of the reader, see :class:`Reader`.
    """

    label = param.String("Drop a corpus here, or choose one")
    hint = param.String("CoNLL-U (also .gz), word/TAG, word_TAG, two columns, or plain text")
    state = param.Dict(default={}, doc="What goes on: text, share, left; empty if nothing does.")

    _esm = esm("upload", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("upload", _HERE)

    def __init__(
        self,
        done: Callable[[Corpus, Source, str], None],
        refused: Callable[[InputError, str], None],
        options: Callable[[], dict[str, Any]],
        **params: Any,
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._done, self._refused, self._options = done, refused, options
        self._name, self._size, self._received = "", 0, 0
        self._file: Source | None = None
        self._source: Source | None = None  # what is being read
        self._reader: Reader | None = None
        self._begun = 0.0
        self._polls = Repeating(self.poll, _POLL_MS)

    def _handle_msg(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "begin":
            self._begin(message["name"], message["size"])
        elif kind == "piece":
            self._take(message["at"], base64.b64decode(message["data"]))
        else:
            self.cancel()

    def cancel(self) -> None:
        """Forget the file, wherever it is."""
        self._file = self._source = None
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None
        self._polls.stop()
        self.state = {}

    def _begin(self, name: str, size: int) -> None:
        self.cancel()
        self._name, self._size, self._received = name, size, 0
        self._file = Source(name)
        self._begun = time.monotonic()
        self._say("Receiving", 0.0)
        self._ask()

    def _take(self, at: int, piece: bytes) -> None:
        if self._file is None or at != self._received:
            return
        self._file.add(piece)
        self._received += len(piece)
        self._say("Receiving", self._received / max(self._size, 1))
        self._ask()

    def _ask(self) -> None:
        """Ask for the next piece, or read the file if it is complete."""
        if self._received < self._size:
            self._send_msg({"at": self._received})
        elif self._file is not None:
            file, self._file = self._file, None
            self.read(file)

    def read(self, source: Source) -> None:
        """Read a file on a thread and report it when it is done."""
        self.cancel()
        self._name, self._begun, self._source = source.name, time.monotonic(), source
        self._reader = Reader(source.open(), source.name, self._options())
        self._say("Reading", 0.0)
        self._polls.start()

    def poll(self) -> None:
        """Show how far the reading is; hand the corpus over at its end."""
        reader = self._reader
        if reader is None:
            return
        if reader.alive:
            self._say("Reading", reader.share)
            return
        outcome, source = reader.outcome, self._source
        self.cancel()
        if isinstance(outcome, InputError):
            self._refused(outcome, self._name)
        elif isinstance(outcome, Exception):
            raise outcome
        elif outcome is not None and source is not None:
            self._done(outcome, source, reader.form)

    def wait(self) -> None:
        """Wait for the end of the reading and hand the corpus over. For scripts and tests."""
        if self._reader is not None:
            self._reader.join()
            self.poll()

    def _say(self, doing: str, share: float) -> None:
        spent = time.monotonic() - self._begun
        known = share > 0 and spent > _LEFT_AFTER
        left = f"{duration_text(spent * (1 - share) / share)} left" if known else ""
        self.state = {"text": f"{doing} {self._name}", "share": share, "left": left}
