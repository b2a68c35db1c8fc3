"""Execute independent tasks on threads, processes or a cluster, through one interface.

::

    with threads(2) as workers:                        or processes(2), dask_workers("tcp://...")
        for task, future in workers.run(function, tasks, data):
            future.result()

Each task is one call of ``function(task, data, stopping)``. Its result must depend only on the task and
the data, so that all workers give the same results. Data are shared: threads see the same objects, a
process gets them once when it starts, and a cluster once per worker.

`stopping()` returns whether the user has asked to stop; a long function should call it now and then. A
cluster finishes the tasks that it has started.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
    from typing import TypeVar

    T = TypeVar("T")
    Stopping = Callable[[], bool]

__all__ = ["Workers", "dask_workers", "of_executor", "processes", "threads", "worker_threads"]

ATTEMPTS = 4
"""How often a task is submitted to a cluster that keeps losing it, with a worker or the shared data."""


@dataclass
class Workers:
    """Workers that execute tasks.

    Attributes
    ----------
    executor
        Any executor of :mod:`concurrent.futures`.
    count
        How many tasks it executes at the same time.
    stop
        Set when the user has asked to stop.
    """

    executor: Executor
    count: int
    stop: Any = field(default_factory=threading.Event)

    def run(
        self,
        function: Callable[[T, Any, Stopping], Any],
        tasks: Iterable[T],
        data: Mapping[Hashable, Any],
        data_of: Callable[[T], Hashable] = lambda task: None,
    ) -> Generator[tuple[T, Future[Any]]]:
        """Yield each task with its future, as they finish.

        After Ctrl-C, or when the iterator is closed, waiting tasks are cancelled and running ones asked
        to stop.

        Parameters
        ----------
        function
            Called with a task, its data and `stopping`. For processes and clusters it must be
            importable by name, and tasks and results must be picklable.
        tasks
            In the order in which they are started.
        data
            The data that tasks share, by key.
        data_of
            Returns the key of a task's data.
        """
        tasks = list(tasks)
        if not tasks:
            return
        self.share(data)
        waiting = {self.submit(function, task, data_of(task)): (task, 1) for task in tasks}
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    task, attempt = waiting.pop(future)
                    if attempt < ATTEMPTS and self.lost(future):
                        self.share(data)
                        waiting[self.submit(function, task, data_of(task))] = (task, attempt + 1)
                    else:
                        yield task, future
        finally:
            if waiting:
                self.stop.set()
                for future in waiting:
                    future.cancel()

    def threads_each(self, tasks: int) -> int:
        """Return how many threads each of some tasks should use.

        One if there are as many tasks as cores: further threads would only wait for a core.
        """
        return max(1, (os.cpu_count() or 1) // max(1, tasks))

    def share(self, data: Mapping[Hashable, Any]) -> None:
        """Send the workers the data that tasks share."""
        self._data = data

    def submit(self, function: Callable[[T, Any, Stopping], Any], task: T, key: Hashable) -> Future[Any]:
        """Submit one task."""
        return self.executor.submit(function, task, self._data[key], self.stop.is_set)

    def lost(self, future: Future[Any]) -> bool:
        """Return whether a task that ended without a result should be submitted again."""
        return False


class _RemoteWorkers(Workers):
    """Workers of any executor: the data are sent with each task."""

    def threads_each(self, tasks: int) -> int:
        """Return 1: a worker may be alone on its core."""
        return 1

    def submit(self, function: Callable[[T, Any, Stopping], Any], task: T, key: Hashable) -> Future[Any]:
        return self.executor.submit(_call_remotely, function, task, self._data[key])


class _ProcessWorkers(Workers):
    """Workers in processes, which get the data when they start."""

    def share(self, data: Mapping[Hashable, Any]) -> None:
        # Spawned processes, because a fork would copy locks that threads hold; the event is of the same kind.
        context = multiprocessing.get_context("spawn")
        self.stop = context.Event()
        self.executor = ProcessPoolExecutor(
            self.count, mp_context=context, initializer=_start_process, initargs=(dict(data), self.stop)
        )

    def submit(self, function: Callable[[T, Any, Stopping], Any], task: T, key: Hashable) -> Future[Any]:
        return self.executor.submit(_call_in_process, function, task, key)


class _DaskWorkers(_RemoteWorkers):
    """Workers of a Dask cluster; the data are scattered once, to each worker."""

    def __init__(self, client: Any) -> None:
        super().__init__(client.get_executor(pure=False), sum(client.nthreads().values()))
        self.client = client

    def share(self, data: Mapping[Hashable, Any]) -> None:
        scattered = self.client.scatter(list(data.values()), broadcast=True)
        self._data = dict(zip(data, scattered, strict=True))

    def submit(self, function: Callable[[T, Any, Stopping], Any], task: T, key: Hashable) -> Future[Any]:
        remote = self.client.submit(_call_remotely, function, task, self._data[key], pure=False)
        future: Future[Any] = Future()
        # With the executor that the client offers, a future whose data were lost would never end.
        remote.add_done_callback(lambda done: _copy_outcome(done, future))
        future.add_done_callback(lambda done: remote.cancel() if done.cancelled() else None)
        return future

    def lost(self, future: Future[Any]) -> bool:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        if self.stop.is_set() or future.cancelled():
            return False
        return isinstance(future.exception(), KilledWorker | FutureCancelledError | CancelledError)


def _copy_outcome(remote: Any, future: Future[Any]) -> None:
    """Give a future the result or the error of the cluster's future; called in a thread of the client."""
    try:
        value = remote.result()
    except BaseException as error:
        with suppress(InvalidStateError):
            future.set_exception(error)
    else:
        with suppress(InvalidStateError):
            future.set_result(value)


_shared: dict[Hashable, Any] = {}
_stop: Any = threading.Event()


def _start_process(data: dict[Hashable, Any], stop: Any) -> None:
    """Store data and event in a worker process, and make it ignore Ctrl-C, which its parent handles."""
    global _stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _shared.update(data)
    _stop = stop


def _call_in_process(function: Callable[[T, Any, Stopping], Any], task: T, key: Hashable) -> Any:
    return function(task, _shared[key], _stop.is_set)


def _call_remotely(function: Callable[[T, Any, Stopping], Any], task: T, data: Any) -> Any:
    return function(task, data, lambda: False)


def worker_threads(threads: int | None = None) -> int:
    """Return the number of threads asked for, or one per core if None."""
    if threads is not None and threads < 1:
        raise InputError(f"--threads {threads}: there must be at least 1")
    return threads or os.cpu_count() or 1


@contextmanager
def threads(count: int | None = None) -> Iterator[Workers]:
    """Return workers on threads of this process, one per core if `count` is None."""
    with ThreadPoolExecutor(worker_threads(count)) as pool:
        yield Workers(pool, worker_threads(count))


@contextmanager
def processes(count: int | None = None) -> Iterator[Workers]:
    """Return workers in processes of this machine, one per core if `count` is None."""
    with ThreadPoolExecutor(1) as unused:  # replaced when the data are known
        workers = _ProcessWorkers(unused, worker_threads(count))
        try:
            yield workers
        finally:
            workers.executor.shutdown(cancel_futures=True)


@contextmanager
def dask_workers(address: str) -> Iterator[Workers]:
    """Return the workers of a Dask cluster.

    Parameters
    ----------
    address
        Address of its scheduler (``tcp://node1:8786``), or path of a scheduler file.

    Raises
    ------
    InputError
        If Dask is not installed, no scheduler answers, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        hint = "install the extra: pip install 'otlab[cluster]'"
        raise InputError(Fault("a cluster needs dask.distributed, which is not installed", hint)) from None
    where = {"address": address} if "://" in address or ":" in address else {"scheduler_file": address}
    try:
        client = Client(**where, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        what = f"no scheduler answers at {address!r}: {error}"
        raise InputError(
            Fault(what, "start one with 'dask scheduler', and give the address it prints")
        ) from None
    try:
        if not client.nthreads():
            hint = f"start some: 'dask worker {address}'"
            raise InputError(Fault(f"the scheduler at {address} has no workers", hint))
        yield _DaskWorkers(client)
    finally:
        client.close()


@contextmanager
def of_executor(executor: Executor, count: int | None = None) -> Iterator[Workers]:
    """Return the workers of an executor of your own, which is not shut down.

    Parameters
    ----------
    executor
        Any executor of :mod:`concurrent.futures`, such as mpi4py's ``MPIPoolExecutor``. The data are sent
        with each task.
    count
        How many tasks it executes at the same time; one per core if None.
    """
    if isinstance(executor, ThreadPoolExecutor):
        yield Workers(executor, worker_threads(count))
    else:
        yield _RemoteWorkers(executor, worker_threads(count))
