"""Work on the shards of a corpus: side by side, and stoppable.

BLAS is held to one thread meanwhile: its own threads would fight ours and change
the last bits of a product with their number.
"""

from __future__ import annotations

import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import scipy.linalg  # noqa: F401 - loads the BLAS that the kernels call, before it is looked for
from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["each", "one_blas_thread"]

T = TypeVar("T")
R = TypeVar("R")


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class _BlasLimit:
    """Counts who needs BLAS single-threaded; the last one to leave restores it."""

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


_limit = _BlasLimit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread in this process."""
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="shard")


def each(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return ``[work(item) for item in items]``, done by so many threads.

    The run's stop signal is seen in every thread.
    """
    if threads <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    futures = [_pool(threads).submit(contextvars.copy_context().run, work, item) for item in items]
    wait(futures)
    return [future.result() for future in futures]
