"""Return memory that closed pages have freed to the system.

The C library keeps what a thread frees for that thread's next request, in up to eight areas per core. The
runs of a class have some hundred threads, one after another: a server would hold twice what it uses, for
good. Fewer areas, and asking for the free parts when a page goes, give it back. Only glibc (Linux) can.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading

__all__ = ["limit_arenas", "release_free_memory"]

_M_ARENA_MAX = -8  # of mallopt
_AREAS = 2
_WAIT_SECONDS = 2.0  # pages of a class are closed together
_ordered = threading.Event()


def _glibc() -> ctypes.CDLL | None:
    """Return the C library, if it is one that can give memory back."""
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


def release_free_memory() -> None:
    """Schedule the return of free memory to the system."""
    if not _ordered.is_set() and _glibc() is not None:
        _ordered.set()
        timer = threading.Timer(_WAIT_SECONDS, _trim)
        timer.daemon = True
        timer.start()


def _trim() -> None:
    _ordered.clear()
    library = _glibc()
    if library is not None:
        gc.collect()  # a page and its models refer to each other: reference counting does not free them
        library.malloc_trim(0)
