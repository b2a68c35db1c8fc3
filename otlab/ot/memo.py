"""Cache of values computed from a tableau, kept as long as the tableau."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.tableau import Tableau

__all__ = ["PerTableau"]

T = TypeVar("T")
WAIT_SECONDS = 0.05


class PerTableau(Generic[T]):
    """Cache of a function of tableaux.

    The thread that asks first makes the value. A run that is being made on another thread waits
    for it, and can be stopped.

    Parameters
    ----------
    make
        The function. Arguments besides the tableau count at the first call only.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._values: WeakKeyDictionary[Tableau, T] = WeakKeyDictionary()
        self._making: WeakKeyDictionary[Tableau, threading.Lock] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def known(self, tableau: Tableau) -> T | None:
        """Return the value if it has been computed, without waiting."""
        return self._values.get(tableau)

    def __call__(self, tableau: Tableau, *arguments: Any) -> T:
        """Return the value for a tableau."""
        value = self._values.get(tableau)
        if value is not None:
            return value
        with self._lock:
            making = self._making.setdefault(tableau, threading.Lock())
        while not making.acquire(timeout=WAIT_SECONDS):
            check_interrupt()
        try:
            value = self._values.get(tableau)
            if value is None:
                value = self._values[tableau] = self._make(tableau, *arguments)
            return value
        finally:
            making.release()
