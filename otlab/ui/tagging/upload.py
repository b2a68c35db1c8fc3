"""Taking in a corpus file of any size: in pieces, then read on a thread; both can be cancelled."""

from __future__ import annotations

import base64
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param
from panel.custom import JSComponent

from otlab.errors import InputError, Interrupted
from otlab.tagging.formats import decode, parse
from otlab.ui.components import esm, styles

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging import Corpus

__all__ = ["Upload"]

_HERE = Path(__file__).parent
_POLL_MS = 200


class Upload(JSComponent):
    """A drop zone for a corpus.

    Parameters
    ----------
    done
        Called on the page's thread with the corpus.
    refused
        Called with the faults of a file and its name.
    options
        Returns the settings of the reader, see :func:`otlab.tagging.formats.parse`.
    """

    label = param.String("Drop a corpus here, or choose one")
    hint = param.String("CoNLL-U (also .gz), word/TAG, word_TAG, two columns, or plain text")
    state = param.Dict(default={})

    _esm = esm("upload", _HERE)
    _stylesheets: ClassVar[list[str]] = styles("upload", _HERE)

    def __init__(
        self,
        done: Callable[[Corpus], None],
        refused: Callable[[InputError, str], None],
        options: Callable[[], dict[str, Any]],
        **params: Any,
    ) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._done, self._refused, self._options = done, refused, options
        self._name, self._size, self._data = "", 0, bytearray()
        self._cancelled = threading.Event()
        self._reader: threading.Thread | None = None
        self._outcome: Corpus | InputError | None = None
        self._share = 0.0
        self._timer: Any = None

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
        self._cancelled.set()
        self._data = bytearray()
        self.state = {}

    def _begin(self, name: str, size: int) -> None:
        self.cancel()
        self._cancelled = threading.Event()
        self._name, self._size = name, size
        self.state = {"text": f"Receiving {name}", "share": 0.0}
        self._send_msg({"at": 0})

    def _take(self, at: int, piece: bytes) -> None:
        if self._cancelled.is_set() or at != len(self._data):
            return
        self._data += piece
        self.state = {"text": f"Receiving {self._name}", "share": len(self._data) / max(self._size, 1)}
        if len(self._data) < self._size:
            self._send_msg({"at": len(self._data)})
        else:
            self.read(self._name, bytes(self._data))

    def read(self, name: str, data: bytes) -> None:
        """Read a file's content on a thread and report it when it is done."""
        self._data, self._outcome, self._share = bytearray(), None, 0.0
        self._reader = threading.Thread(
            target=self._read, args=(name, data, self._options(), self._cancelled), daemon=True
        )
        self._reader.start()
        self._timer = pn.state.add_periodic_callback(lambda: self.poll(name), _POLL_MS)

    def _read(self, name: str, data: bytes, options: dict[str, Any], cancelled: threading.Event) -> None:
        def progress(share: float) -> None:
            self._share = share
            if cancelled.is_set():
                raise Interrupted("reading was cancelled")

        try:
            self._outcome = parse(decode(data, name), name, progress=progress, **options)
        except InputError as error:
            self._outcome = error
        except Interrupted:
            self._outcome = None

    def poll(self, name: str) -> None:
        """Show how far the reading is; hand the corpus over at its end."""
        if self._reader is not None and self._reader.is_alive():
            if not self._cancelled.is_set():
                self.state = {"text": f"Reading {name}", "share": self._share}
            return
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.state = {}
        outcome, self._outcome = self._outcome, None
        if self._cancelled.is_set() or outcome is None:
            return
        if isinstance(outcome, InputError):
            self._refused(outcome, name)
        else:
            self._done(outcome)
