"""A user's file: what has been uploaded or dropped on a page; without Panel."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import IO

__all__ = ["Source"]


class Source:
    """The user's file, kept on disk so that it need not be in memory and can be read again.

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

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self._path.stat().st_size

    def content(self) -> bytes:
        """Return all its bytes."""
        return self._path.read_bytes()
