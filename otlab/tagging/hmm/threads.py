"""Process the shards of a corpus on several threads that can be stopped."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from otlab.inference.kernels.subnormals import no_subnormals, without_subnormals
from otlab.inference.run import others_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["each"]

T = TypeVar("T")
R = TypeVar("R")


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="shard")


def each(work: Callable[[T], R], items: Sequence[T], threads: int) -> list[R]:
    """Return ``[work(item) for item in items]``, computed on `threads` threads.

    The run's stop signal is seen in every thread, and every thread computes without
    subnormal numbers.
    """
    if threads <= 1 or len(items) <= 1 or others_wait():
        with no_subnormals():
            return [work(item) for item in items]
    futures = [
        _pool(threads).submit(contextvars.copy_context().run, without_subnormals, work, item)
        for item in items
    ]
    wait(futures)
    return [future.result() for future in futures]
