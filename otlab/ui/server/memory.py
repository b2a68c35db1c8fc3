"""Give the memory of closed pages back to the operating system.

The C library keeps memory that a thread has freed for further requests, in up to eight arenas per core.
The runs of a class start some hundred threads, one after another, so that a server would keep twice the
memory that it uses. So the number of arenas is limited, and when a page is closed, the C library is asked
to return what is free. Only glibc (on Linux) can do this.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading

__all__ = ["limit_arenas", "release_free_memory"]

_M_ARENA_MAX = -8  # parameter of mallopt
_AREAS = 2
WAIT_SECONDS = 2.0  # the pages of a class are closed together, and one call serves all
_ordered = threading.Event()


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
    if not _ordered.is_set() and _glibc() is not None:
        _ordered.set()
        timer = threading.Timer(after, _trim)
        timer.daemon = True
        timer.start()


def _trim() -> None:
    _ordered.clear()
    library = _glibc()
    if library is not None:
        gc.collect()  # a page and its models refer to each other, so that only the collector frees them
        library.malloc_trim(0)
