"""Pass files from the home page or the command line to a lab.

A new page of the lab fetches the file once, by a key that cannot be guessed. Files that are not fetched
are dropped when newer ones come. A lesson stays, for all pages that are opened at its address.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from otlab.errors import Fault, InputError
from otlab.files import decode
from otlab.ui.documents.archive import ENDING, read_archive
from otlab.ui.lessons.lesson import Lesson, is_lesson, read_lesson
from otlab.ui.server.file_detection import lab_of_file, refused, taken_for
from otlab.ui.server.registry import labs

__all__ = ["address_of", "fetch", "keep", "lesson", "opening"]

_MOST = 32
_HEAD = 8192  # bytes by which the lab of a file is detected
_lock = threading.Lock()
_files: OrderedDict[str, tuple[str, bytes]] = OrderedDict()


def keep(name: str, data: bytes) -> str:
    """Keep a file; return its key."""
    key = secrets.token_urlsafe(16)
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
    elif is_lesson(name, data):
        return _address_of_lesson(name, data)
    else:
        route = lab_of_file(name, data[:_HEAD])
    if route not in {entry.route for entry in labs()}:
        raise InputError(Fault(refused(name, data[:_HEAD])))
    return f"{route}?file={keep(name, data)}"


def opening(name: str, data: bytes, address: str) -> str:
    """Return, in one sentence, what a file is taken for and where it opens, given its :func:`address_of`."""
    route = address.partition("?")[0]
    title = next(entry.title for entry in labs() if entry.route == route)
    if name.lower().endswith(ENDING):
        what = "a saved document"
    elif is_lesson(name, data):
        what = "a lesson"
    else:
        what = taken_for(name, data[:_HEAD], route)
    return f"{name} is taken for {what}. It opens in the {title} lab."


def _address_of_lesson(name: str, data: bytes) -> str:
    """Keep a lesson; return path and query of the first of its pages."""
    try:
        route = read_lesson(decode(data, name), name).lab
    except InputError as error:
        raise InputError(Fault(f"{error}. Nothing was loaded.")) from error
    if route not in {entry.route for entry in labs()}:
        raise InputError(Fault(f"{name} is a lesson of {route}, which is not open here. Nothing was loaded."))
    return f"{route}?lesson={keep(name, data)}"


def lesson(key: str) -> Lesson | None:
    """Return a lesson, which stays; None if it is not there any more."""
    with _lock:
        if key not in _files:
            return None
        _files.move_to_end(key)
        name, data = _files[key]
    return read_lesson(decode(data, name), name.rpartition(".")[0])


def fetch(key: str) -> tuple[str, bytes] | None:
    """Return name and content of a file and drop it; None if it is not there any more."""
    with _lock:
        return _files.pop(key, None)
