"""Compute the parts of one step on several threads, in a fixed order and so that they can be stopped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from otlab.inference.executors import worker_threads
from otlab.inference.kernels.subnormals import keep_subnormals
from otlab.inference.run import check_interrupt, others_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["in_order", "thread_pool"]

T = TypeVar("T")


def in_order(tasks: Sequence[Callable[[], T]], threads: int | None = None) -> list[T]:
    """Compute tasks in parallel and return their results in order.

    Each task notices a stop through its copy of the context. On one thread, with a single task, and
    where other runs wait for the cores, all are computed on the calling thread. When a task fails, those
    not yet started are cancelled, and the others have ended before the exception is raised: none still
    writes into arrays that the next step uses again.

    Parameters
    ----------
    tasks
        Functions without arguments. They must not call this function themselves.
    threads
        One per core if None.

    Raises
    ------
    Interrupted
        If the run that the step belongs to was asked to stop.
    """
    threads = worker_threads(threads)
    if threads == 1 or len(tasks) <= 1 or others_wait():
        return [_unless_stopped(task) for task in tasks]
    futures = [thread_pool(threads).submit(copy_context().run, task) for task in tasks]
    try:
        results = []
        for future in futures:
            check_interrupt()
            results.append(future.result())
        return results
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


def _unless_stopped(task: Callable[[], T]) -> T:
    check_interrupt()
    return task()


def thread_pool(threads: int | None) -> ThreadPoolExecutor:
    """Return the pool that steps share: starting a thread takes as long as a task."""
    return _pool(worker_threads(threads))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # On some systems a thread begins in the mode of the one that started it, such as a tagger's.
    return ThreadPoolExecutor(threads, thread_name_prefix="otlab-step", initializer=keep_subnormals)
