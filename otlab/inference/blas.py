"""Limit BLAS to one thread during a computation.

The threads of otlab work in parallel on chains and shards. BLAS would start threads of its own, whose
number changes the last bits of a product. After each product they also spin for about a tenth of a second,
which on two cores halves the speed of the threads of otlab.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["one_blas_thread"]


@cache
def _blas() -> ThreadpoolController:
    # Load the BLAS that the kernels call, because the controller finds only libraries that are loaded.
    import_module("scipy.linalg")
    return ThreadpoolController()


class _Limit:
    """Limits BLAS while it has callers; the last one to leave restores the number of threads."""

    def __init__(self) -> None:
        self._users = 0
        self._lock = threading.Lock()

    def enter(self) -> None:
        with self._lock:
            if not self._users:
                self._limiter = _blas().limit(limits=1, user_api="blas")
                self._limiter.__enter__()
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._limiter.__exit__(None, None, None)


_limit = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread in this process; may be nested, and used by many threads."""
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()
