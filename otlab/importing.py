"""Import modules on several threads of a server, one after another.

Two threads that import a package and one of its modules at the same time can each wait for the lock
that the other has; Python then raises an error in one of them. A server imports its labs, and what
compiles their kernels, on threads of their own while pages are opened.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_alone"]

_lock = threading.RLock()


def import_alone(name: str) -> ModuleType:
    """Import a module while no other thread does so by this function; return the module."""
    with _lock:
        return import_module(name)
