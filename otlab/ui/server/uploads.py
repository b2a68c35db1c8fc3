"""Pass files from the home page or the command line to a lab.

A new page of the lab fetches the file once, by a key that cannot be guessed. Files that are not fetched
are dropped when newer ones come.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from otlab.errors import Fault, InputError
from otlab.ui.documents.archive import ENDING, read_archive
from otlab.ui.server.file_detection import lab_of_file, refused
from otlab.ui.server.registry import labs

__all__ = ["address_of", "fetch", "keep"]

_MOST = 32
_HEAD = 8192  # bytes by which the lab of a file is detected
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


def address_of(name: str, data: bytes) -> str:
    """Keep a file for the lab that opens it; return path and query of that lab's page.

    Raises
    ------
    InputError
        If no lab opens it; the text of its first fault is a whole sentence.
    """
    if name.lower().endswith(ENDING):
        try:
            route = read_archive(data).summary.lab
        except InputError as error:
            raise InputError(Fault(f"{name} {error}. Nothing was loaded.")) from error
    else:
        route = lab_of_file(name, data[:_HEAD])
    if route not in {entry.route for entry in labs()}:
        raise InputError(Fault(refused(name, data[:_HEAD])))
    return f"{route}?file={keep(name, data)}"


def fetch(key: str) -> tuple[str, bytes] | None:
    """Return name and content of a file and drop it; None if it is not there any more."""
    with _lock:
        return _files.pop(key, None)
