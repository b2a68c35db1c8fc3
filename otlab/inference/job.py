"""A run on its own thread: start, pause, step, resume, stop, and its error if it failed.

::

    waiting --> running <--> paused --> stopped
       |           |                      ^
       |           +--> done | failed     |
       +----------------------------------+

The job keeps its newest tick; a page asks for it by :meth:`Job.latest`, in a periodic callback. The job's
thread never touches objects of a page.

Groups of jobs take turns on the cores: see :mod:`otlab.inference.turns`. A paused job takes no turn.
:class:`TurnExecutor` executes any calls as jobs, such as the runs of a sweep.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from otlab.errors import Interrupted
from otlab.inference.pages import idle_page
from otlab.inference.run import Preparation, Run
from otlab.inference.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from otlab.inference.learner import Tick
    from otlab.inference.replay import TickHistory

__all__ = ["TURNS", "Job", "State", "TurnExecutor"]

State = Literal["waiting", "running", "paused", "done", "stopped", "failed"]


BEHIND_PAGES = 3
"""How much is added to the nice value of a run's thread: pages are drawn before runs go on.

With 3, the thread that draws pages has a whole core when it needs one beside two runs on two cores. A higher
value is worse while other programs use the computer: a run that holds the interpreter then waits long for a
core, and the page waits for the run. With 10, clicks took twice as long as with 0, and runs were a hundred
times slower.
"""


def _let_pages_go_first() -> None:
    """Lower the priority of this thread and of those that it starts; only Linux can do so for a thread."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        mine, first = (os.getpriority(os.PRIO_PROCESS, each) for each in (thread, os.getpid()))
        os.setpriority(os.PRIO_PROCESS, thread, min(19, max(mine, first + BEHIND_PAGES)))


PICTURES = 40
"""A run of a moment has at least so many ticks, if it has so many sweeps and is to be replayed."""

TURNS = Turns(max(1, os.cpu_count() or 1))
"""The turns of all jobs of this process, on all its cores."""


class Job:
    """One run, driven on a thread.

    Parameters
    ----------
    work
        A run; or a :class:`~otlab.inference.run.Preparation`, which makes the run on the job's thread, or
        does other work there, whose result is then :attr:`value`. Nothing else may use the run before the
        job has ended.
    paused
        Whether the job starts paused; :meth:`step` and :meth:`resume` then move it.
    group
        Jobs with the same group, such as the learners of a page, share its turns; they run at the same
        time if no other group waits.
    after_tick
        Called on the thread as ``after_tick(run, ended)`` when the run has been made, and after each tick;
        `ended` says whether the job ends there.
    on_end
        Called on the thread with the job when it has ended: done, stopped or failed.
    history
        Some of the ticks are kept there, for a replay of the run.
    """

    def __init__(
        self,
        work: Run[Any, Any] | Preparation[Any],
        *,
        paused: bool = False,
        group: Hashable = None,
        after_tick: Callable[[Run[Any, Any], bool], None] | None = None,
        on_end: Callable[[Job], None] | None = None,
        history: TickHistory | None = None,
    ) -> None:
        self._work_to_do = work
        self.group: Hashable = self if group is None else group
        self.failure: BaseException | None = None
        self._state: State = "waiting"
        self._mail: Tick[Any] | None = None
        self._last: Tick[Any] | None = None
        self.value: Any = None
        self._after_tick, self._on_end, self._history = after_tick, on_end, history
        self._steps = 0
        self._paused = paused
        self._cancelled = False
        self.has_turn = False
        self._ticked = False  # in this turn
        self._wake = threading.Condition()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)

    def start(self) -> Job:
        """Queue the job; it runs when its turn comes."""
        if not self._paused:
            TURNS.enter(self)
        self._thread.start()
        return self

    @classmethod
    def restored(cls, run: Run[Any, Any], **given: Any) -> Job:
        """Return the job of a run that was saved; it is done if the run has ended, else paused."""
        job = cls(run, paused=True, **given)
        if run.started or run.finished:
            job._post(run.tick())
        if run.finished:
            job._state = "done"
            job._ended.set()
            return job
        job._state = "paused"
        return job.start()

    @property
    def run(self) -> Run[Any, Any]:
        """The run.

        Raises
        ------
        RuntimeError
            If the run is not :attr:`made` yet.
        """
        if isinstance(self._work_to_do, Preparation):
            raise RuntimeError("the run is not made yet")
        return self._work_to_do

    @property
    def made(self) -> bool:
        """Whether the run has been made: its thread makes it in its first turn."""
        return not isinstance(self._work_to_do, Preparation)

    @property
    def preparation(self) -> tuple[str, int, int] | None:
        """Progress of making the run: "input", 1200 of 28603; None if unknown or made."""
        return self._work_to_do.done if isinstance(self._work_to_do, Preparation) else None

    @property
    def state(self) -> State:
        """The state of the job."""
        return self._state

    @property
    def alive(self) -> bool:
        """Whether the job may still produce ticks."""
        return self._state in ("waiting", "running", "paused")

    @property
    def jobs_ahead(self) -> int:
        """How many waiting groups of jobs will run before this one."""
        return TURNS.ahead_of(self)

    @property
    def share(self) -> float:
        """The share of the time in which this job runs, from 0 to 1; other jobs have the rest."""
        return TURNS.share(self.group)

    def latest(self) -> Tick[Any] | None:
        """Return the newest tick and empty the mailbox; None if there is no new one."""
        mail, self._mail = self._mail, None
        return mail

    @property
    def last(self) -> Tick[Any] | None:
        """The newest tick, whether taken or not."""
        return self._last

    def pause(self) -> None:
        """Pause when the current tick ends."""
        with self._wake:
            self._paused = True
            self._wake.notify_all()

    def resume(self) -> None:
        """Continue."""
        with self._wake:
            self._paused = False
            self._wake.notify_all()

    def step(self, n: int = 1) -> None:
        """Do `n` further sweeps while paused."""
        with self._wake:
            self._steps += n
            self._wake.notify_all()

    def cancel(self) -> None:
        """Stop when the current tick ends, or at the next check within a long sweep."""
        with self._wake:
            self._cancelled = True
            self._work_to_do.interrupt()
            self._wake.notify_all()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until the job has ended, at most `timeout` seconds; return whether it has."""
        return self._ended.wait(timeout)

    def _work(self) -> None:
        _let_pages_go_first()
        try:
            self._loop()
        except Interrupted:
            self._state = "stopped"
        except BaseException as failure:  # kept for the page to show
            self.failure = failure
            self._state = "failed"
        finally:
            TURNS.leave(self)
            try:
                if self._on_end is not None:
                    self._on_end(self)
            finally:
                self._ended.set()

    def _loop(self) -> None:
        while True:
            steps = self._next_order()
            if self._cancelled:
                if self.made:
                    self._notify(ended=True)
                self._state = "stopped"
                return
            self._make()
            if not self.made:  # the preparation did other work than to make a run
                self._state = "done"
                return
            self.run.others_wait, self.run.tick_seconds = TURNS.crowded(), TURNS.tick_seconds()
            if self._history is not None:
                self.run.least_ticks = PICTURES
            self._post(self.run.advance(steps) if steps else next(self.run))
            self._notify(ended=self.run.finished)
            if self.run.finished:
                self._state = "done"
                return

    def _notify(self, *, ended: bool) -> None:
        if self._after_tick is not None:
            self._after_tick(self.run, ended)

    def _make(self) -> None:
        """Make the run, unless it has been made."""
        if isinstance(self._work_to_do, Preparation):
            made = self._work_to_do.finish()
            if not isinstance(made, Run):
                self.value = made
                return
            with self._wake:
                self._work_to_do = made
            if self._cancelled:
                made.interrupt()
            self._notify(ended=False)  # its first step may take long

    def between_ticks(self, run: Run[Any, Any]) -> None:
        """Wait for the next turn; called on the thread, before each step of a run inside other work."""
        self._next_order()
        self._ticked = True
        run.others_wait, run.tick_seconds = TURNS.crowded(), TURNS.tick_seconds()

    def _next_order(self) -> int:
        """Wait while paused and until the next turn; return how many sweeps to do, 0 for a whole tick."""
        while not self._cancelled:
            if self._paused:
                steps, self._steps = self._steps, 0
                if steps:
                    return steps
                TURNS.leave(self)
                self._state = "paused"
                self._wait(lambda: bool(self._cancelled or self._steps or not self._paused))
            elif self.has_turn and not (self._ticked and TURNS.make_way(self)):
                self._state = "running"
                self._steps = 0
                return 0
            else:
                if self._state != "running":  # a job between two turns is still shown as running
                    self._state = "waiting"
                TURNS.enter(self)
                self._wait(lambda: self._cancelled or self._paused or self.has_turn)
        return 0

    def _wait(self, until: Callable[[], bool]) -> None:
        with self._wake:
            self._wake.wait_for(until)

    def admit(self) -> None:
        """Begin a turn."""
        with self._wake:
            self.has_turn = True
            self._ticked = False
            self._wake.notify_all()

    def _post(self, tick: Tick[Any]) -> None:
        if self._history is not None and not self._cancelled:  # else it is not shown any more
            self._history.add(tick)
        self._last = self._mail = tick
        self._ticked = True


class TurnExecutor(Executor):
    """Executes calls as jobs, which take turns, let pages go first, and can be paused and stopped.

    A run inside such a call, as in :func:`~otlab.inference.fit.fit`, waits for its turns between two ticks;
    its numbers do not depend on that.

    Parameters
    ----------
    count
        How many calls are executed at the same time; one per core if None.
    page_idle
        The event of the page that the calls belong to; see :func:`~otlab.inference.pages.page_first`.

    Examples
    --------
    >>> with TurnExecutor() as executor:
    ...     list(executor.map(abs, [-1, 2]))
    [1, 2]
    """

    def __init__(self, count: int | None = None, page_idle: threading.Event | None = None) -> None:
        self.count = count or os.cpu_count() or 1
        self.page_idle = idle_page() if page_idle is None else page_idle
        self._lock = threading.RLock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._futures: dict[Job, Future[Any]] = {}
        self._runs: dict[Job, Run[Any, Any]] = {}
        self._paused = self._closed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call and return its future.

        Raises
        ------
        RuntimeError
            After :meth:`shutdown` or :meth:`stop`.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor has been shut down")
            self._waiting.append((future, partial(fn, *args, **kwargs)))
            self._start_more()
        return future

    @property
    def runs(self) -> list[Run[Any, Any]]:
        """The runs in progress, in the order in which they began."""
        with self._lock:
            return list(self._runs.values())

    def pause(self) -> None:
        """Pause each run when its current tick ends."""
        with self._lock:
            self._paused = True
            for job in self._futures:
                job.pause()

    def resume(self) -> None:
        """Continue."""
        with self._lock:
            self._paused = False
            for job in self._futures:
                job.resume()

    def stop(self) -> None:
        """Cancel waiting calls, and stop the others within a tick; their futures raise Interrupted."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for job in self._futures:
                job.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls; cancel those that wait, if asked, and wait until the others have ended."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                for future, _ in self._waiting:
                    future.cancel()
                self._start_more()
        while wait and (running := self._jobs()):
            running[0].join()

    def _jobs(self) -> list[Job]:
        with self._lock:
            return list(self._futures)

    def _start_more(self) -> None:
        """Start waiting calls, at most `count` at a time; drop those that were cancelled."""
        while self._waiting and (len(self._futures) < self.count or self._waiting[0][0].cancelled()):
            future, call = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                work = Preparation(call, self.page_idle)
                job = Job(work, paused=self._paused, group=self, on_end=self._end)
                work.before_step = partial(self._between_ticks, job)
                self._futures[job] = future
                job.start()

    def _between_ticks(self, job: Job, run: Run[Any, Any]) -> None:
        with self._lock:
            self._runs[job] = run
        job.between_ticks(run)

    def _end(self, job: Job) -> None:
        """Give the result of a job to its future, and start a waiting call."""
        with self._lock:
            future = self._futures.pop(job)
            self._runs.pop(job, None)
            self._start_more()
        if job.state == "done":
            future.set_result(job.value)
        else:
            future.set_exception(job.failure or Interrupted("the run was stopped"))
