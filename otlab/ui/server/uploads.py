"""Files on their way from the home page to a lab.

The home page receives a file, a new page of the right lab fetches it once, by a key
nobody can guess. What is not fetched is forgotten when newer files come.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

__all__ = ["fetch", "keep"]

_MOST = 32
_lock = threading.Lock()
_files: OrderedDict[str, tuple[str, bytes]] = OrderedDict()


def keep(name: str, data: bytes) -> str:
    """Keep a file; return its key."""
    key = secrets.token_urlsafe(12)
    with _lock:
        _files[key] = (name, data)
        while len(_files) > _MOST:
            _files.popitem(last=False)
    return key


def fetch(key: str) -> tuple[str, bytes] | None:
    """Return name and content of a file, once; None if it is not there (any more)."""
    with _lock:
        return _files.pop(key, None)
