"""Import modules when they are needed: the public names of packages, and modules on several threads.

Two threads that import a package and one of its modules at the same time can each wait for the lock
that the other has; Python then raises an error in one of them. A server imports its labs, and what
compiles their kernels, on threads of their own while pages are opened.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

__all__ = ["import_alone", "lazy_names"]

_lock = threading.RLock()


def import_alone(name: str) -> ModuleType:
    """Import a module while no other thread does so by this function; return the module."""
    with _lock:
        return import_module(name)


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose public names are imported on first use.

    So the package can be imported without its kernels, which would load Numba.

    Parameters
    ----------
    package
        The package: its ``__name__``.
    modules
        Public name -> the module in the package that defines it.

    Examples
    --------
    >>> get, names = lazy_names("otlab", {"Fault": "errors"})
    >>> get("Fault").__name__, names()
    ('Fault', ['Fault'])
    """

    def get(name: str) -> Any:
        if name in modules:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted(modules)
