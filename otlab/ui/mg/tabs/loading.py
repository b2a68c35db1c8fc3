"""Read a lexicon on a thread of its own, so that the page stays free and can say how far it is."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.files import decode
from otlab.mg.io.read import loads
from otlab.mg.parsing.grammar import Grammar

if TYPE_CHECKING:
    from otlab.mg.lexicon import Lexicon

__all__ = ["Loading"]


class Loading:
    """One file on its way in: read, checked, compiled.

    Parameters
    ----------
    name, data
        Of the file.
    start
        Start categories, for a file that names none.

    Attributes
    ----------
    lexicon, error
        The result: one of them, once it is done.
    line, lines
        How many lines have been read, and how many there are; 0 until known.
    """

    def __init__(self, name: str, data: bytes, start: str = "") -> None:
        self.name, self.data, self._start = name, data, start
        self.lexicon: Lexicon | None = None
        self.error: InputError | None = None
        self.line = self.lines = 0
        self._thread = threading.Thread(target=self._work, name=f"reading {name}", daemon=True)

    def start(self) -> Loading:
        """Begin."""
        self._thread.start()
        return self

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it came."""
        self._thread.join(seconds)
        return self.done

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        path = Path(self.name)
        try:
            text = decode(self.data, self.name)
            lexicon = loads(
                text,
                kind=path.suffix.lower(),
                name=path.stem,
                file=self.name,
                start=self._start,
                progress=self._progress,
            )
            # Compiled here, where nobody waits; the page finds it ready, or refused.
            Grammar(lexicon).check()
        except InputError as error:
            self.error = error
            return
        self.lexicon = lexicon

    def _progress(self, line: int, lines: int) -> None:
        self.line, self.lines = line, lines
