"""Share one corpus object among all pages of a server that show the same corpus."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from otlab.inference.digest import digest

if TYPE_CHECKING:
    from collections.abc import MutableMapping

__all__ = ["shared"]

T = TypeVar("T")
_lock = threading.Lock()
_shown: MutableMapping[tuple[str, str], Any] = WeakValueDictionary()


def shared(corpus: T, name: str = "") -> T:
    """Return the equal corpus of the same name that a page already shows, else `corpus` itself.

    Parameters
    ----------
    corpus
        A frozen dataclass that :func:`otlab.inference.digest.digest` understands. Its arrays must not
        be changed.
    name
        What it is called, where its digest leaves that out.
    """
    key = digest(corpus), name
    with _lock:
        return _shown.setdefault(key, corpus)  # type: ignore[no-any-return]
