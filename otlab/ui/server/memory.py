"""Give the memory of closed pages back to the operating system, and keep garbage collection short.

The C library keeps memory that a thread has freed for further requests, in up to eight arenas per core.
The runs of a class start some hundred threads, one after another, so that a server would keep twice the
memory that it uses. So the number of arenas is limited, and when a page is closed, the C library is asked
to return what is free. Only glibc (on Linux) can do this.

The modules that a server has imported are exempt from garbage collection, which saves a third of a second
each time.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from typing import Any

import panel as pn

__all__ = ["OpenPages", "limit_arenas", "open_pages", "release_free_memory", "return_free_memory"]

_M_ARENA_MAX = -8  # parameter of mallopt
_AREAS = 2
WAIT_SECONDS = 2.0  # the pages of a class are closed together, and one call serves all
_scheduled = threading.Event()  # set from a request to the return of memory that it asks for


def _glibc() -> ctypes.CDLL | None:
    """Return the C library if it can return memory, else None."""
    if sys.platform != "linux":
        return None
    try:
        library = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def limit_arenas() -> None:
    """Limit threads to two malloc arenas; call it before any are started."""
    library = _glibc()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, _AREAS)


def release_free_memory(after: float = WAIT_SECONDS) -> None:
    """Schedule a return of free memory to the operating system, once for calls in quick succession.

    Parameters
    ----------
    after
        Seconds until then.
    """
    if not _scheduled.is_set() and _glibc() is not None:
        _scheduled.set()
        timer = threading.Timer(after, return_free_memory)
        timer.daemon = True
        timer.start()


def return_free_memory() -> None:
    """Collect garbage, and return free memory to the operating system."""
    _scheduled.clear()
    library = _glibc()
    if library is not None:
        gc.collect()  # a page and its models refer to each other, so that only the collector frees them
        library.malloc_trim(0)


class OpenPages:
    """The pages of a server that are open, and what is done when one of them is closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._documents: weakref.WeakSet[Any] = weakref.WeakSet()
        self._imported = False  # whether all modules are imported
        self._frozen = self._frozen_without_pages = False

    def add(self) -> None:
        """Record that the page of the current callback is open, until it is closed."""
        document = pn.state.curdoc
        if document is not None and document.session_context is not None:
            self._documents.add(document)
            pn.state.on_session_destroyed(lambda _context: self._closed(document))

    def imports_done(self) -> None:
        """Record that everything is imported, and exempt it from garbage collection."""
        self._imported = True
        self._freeze()

    def _closed(self, document: Any) -> None:
        self._documents.discard(document)
        self._freeze()
        release_free_memory()

    def _freeze(self) -> None:
        """Exempt the objects there are from garbage collection, and once more when no page is open.

        Pages that were open the first time would otherwise never be freed.
        """
        with self._lock:
            again = not self._documents and not self._frozen_without_pages
            if not self._imported or (self._frozen and not again):
                return
            self._frozen, self._frozen_without_pages = True, not self._documents
            gc.unfreeze()
            gc.collect()
            gc.freeze()


open_pages = OpenPages()
"""Those of this process."""
