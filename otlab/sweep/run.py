"""Run a plan on threads, processes or a cluster; the numbers are the same on all of them.

::

    plan = read_plan("taggers.toml")
    with threads() as workers:
        found = run_plan(plan, workers, store=Store(Path("taggers.runs")))
    found.to_frame()

A run's numbers depend only on its :class:`~otlab.sweep.spec.RunSpec`, which has its seed and settings,
and not on where it runs or what runs at the same time. A finished run is written to the store at once; a
run that is in the store is not done again.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError, Interrupted
from otlab.files import json_values
from otlab.inference.background import BackgroundWork
from otlab.sweep.results import FailedRun, ResultSet
from otlab.sweep.store import FinishedRun
from otlab.sweep.systems import SYSTEMS

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Container, Generator
    from concurrent.futures import Future

    from otlab.inference.executors import Workers
    from otlab.sweep.plan import Plan
    from otlab.sweep.spec import RunSpec
    from otlab.sweep.store import MemoryStore, Store

__all__ = ["BackgroundSweep", "run_one", "run_plan"]


def run_one(
    spec: RunSpec, data: Any, stopping: Callable[[], bool] = lambda: False, *, threads: int = 1
) -> FinishedRun:
    """Do one run and return its result.

    Parameters
    ----------
    spec, data
        The run, and its data as the system's ``read`` returns them.
    stopping
        Called between ticks; the run ends when it returns true.
    threads
        Worker threads of the run; its numbers do not depend on them.

    Raises
    ------
    InputError
        If the data cannot be learnt from with these settings.
    Interrupted
        If the user stopped it.
    """
    system = SYSTEMS[spec.system]
    begin = time.perf_counter()
    try:
        fitted = system.fit(
            data, spec.learner, spec.values, seed=spec.seed, threads=threads, watch=lambda _: stopping()
        )
    except KeyboardInterrupt:  # stopped before the first step of a text
        raise Interrupted("the run was stopped") from None
    if fitted.stopped:
        raise Interrupted("the run was stopped")
    scores = {name: json_values(value) for name, value in system.scores(fitted).items()}
    return FinishedRun(spec, scores, json_values(fitted.to_dict()), round(time.perf_counter() - begin, 4))


def run_plan(
    plan: Plan,
    workers: Workers,
    store: Store | MemoryStore | None = None,
    watch: Callable[[int, int], object] | None = None,
) -> ResultSet:
    """Do the runs of a plan that are not in the store, and return all results.

    Parameters
    ----------
    plan
        The runs and their data.
    workers
        Where they are executed; see :mod:`otlab.inference.executors`.
    store
        Where finished runs are kept and looked up; if None, every run is done and none is kept.
    watch
        Called with the number of finished runs and the number of all runs. The sweep stops if it returns
        true, or at Ctrl-C; the finished runs are then returned.

    Returns
    -------
    ResultSet
        The finished runs, in the order of the plan.
    """
    finished = {spec.hash: run for spec in plan.runs if store and (run := store.get(spec)) is not None}
    skipped = tuple(finished)
    failed: dict[str, FailedRun] = {}
    try:
        with closing(_run_rest(plan, workers, finished)) as runs:
            asked = bool(watch and watch(len(finished), len(plan.runs)))
            for spec, future in () if asked else runs:
                _record(spec, future, finished, failed)
                if store is not None and spec.hash in finished:
                    store.put(finished[spec.hash])
                if watch and watch(len(finished) + len(failed), len(plan.runs)):
                    break
    except KeyboardInterrupt:
        if watch is None:
            raise
    ordered = tuple(finished[spec.hash] for spec in plan.runs if spec.hash in finished)
    faults = tuple(failed[spec.hash] for spec in plan.runs if spec.hash in failed)
    stopped = len(ordered) + len(faults) < len(plan.runs)
    return ResultSet(ordered, faults, skipped, plan.seed, stopped)


def _run_rest(
    plan: Plan, workers: Workers, finished: Container[str]
) -> Generator[tuple[RunSpec, Future[FinishedRun]]]:
    """Do the runs that are not finished; yield each with its future as it ends."""
    wanted = [spec for spec in plan.runs if spec.hash not in finished]
    keys = {plan.data_of(spec) for spec in wanted}
    data = {key: value for key, value in plan.data.items() if key in keys}
    inside = workers.threads_each(len(wanted))
    with closing(workers.run(partial(run_one, threads=inside), wanted, data, plan.data_of)) as runs:
        yield from runs


def _record(
    spec: RunSpec, future: Future[FinishedRun], finished: dict[str, FinishedRun], failed: dict[str, FailedRun]
) -> None:
    """Add a run to the finished or to the failed ones; an error in one run does not end the others."""
    try:
        finished[spec.hash] = future.result()
    except InputError as error:
        failed[spec.hash] = FailedRun(spec, "; ".join(map(str, error.faults)))
    except (Interrupted, CancelledError):
        failed[spec.hash] = FailedRun(spec, "its worker stopped")
    except Exception as error:
        failed[spec.hash] = FailedRun(spec, f"{type(error).__name__}: {error}")


class BackgroundSweep(BackgroundWork[ResultSet]):
    """A sweep that a page runs in the background; finished runs stay in the store if it is stopped.

    Parameters
    ----------
    plan
        The runs and their data.
    store
        Where each run is kept as soon as it has finished, and looked up before it is done.
    page_idle
        The event of the page that shows the sweep.

    Attributes
    ----------
    value : ResultSet or None
        All results, with the runs that failed; None until the end.
    """

    def __init__(
        self, plan: Plan, store: Store | MemoryStore, page_idle: threading.Event | None = None
    ) -> None:
        super().__init__(lambda workers: run_plan(plan, workers, store), page_idle)
        self.plan, self.store = plan, store
