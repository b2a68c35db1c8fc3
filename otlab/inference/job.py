"""A run on its own thread: start, pause, step, resume, stop, and its error if it failed.

::

    waiting --> running <--> paused --> stopped
       |           |                      ^
       |           +--> done | failed     |
       +----------------------------------+

The newest tick waits in a one-slot mailbox; a page polls :meth:`Job.latest` from its
one periodic callback. The worker never touches objects of a page.

As many groups of jobs (the learners of one page) run at once as there are cores. If
there are more, they take turns: each group runs for a time slice, then one that has not
run yet, or else the one that has run least; the jobs of a group run one after another then, a
job in each turn, so that each turn has something to show. All come around within about a second, so that
a long run does not keep a short one waiting; on a machine that is busy with other things it
takes longer, but every turn has at least one tick. A paused group takes no turn. The numbers
do not depend on it: a turn ends between two ticks.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from otlab.errors import Interrupted
from otlab.inference.run import TICK_SECONDS, Preparation

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from otlab.inference.learner import Tick
    from otlab.inference.run import Run

__all__ = ["Job", "State"]

State = Literal["waiting", "running", "paused", "done", "stopped", "failed"]


ROUND_SECONDS = 0.75
"""Time in which all groups have had a turn, as far as ticks permit."""
SHORTEST_TURN, LONGEST_TURN = 0.03, 0.25  # seconds; a tick takes 0.06, or a turn if that is shorter


BEHIND_PAGES = 3
"""How much nicer a run is than the thread that draws pages.

Two runs and that thread on two cores: at 3 it has a whole core when it needs one. Runs hold the interpreter
now and then. The nicer they are, the longer they wait for a core while other programs use the computer, and
the page waits with them: at 10 clicks took twice as long as at 0, and runs came to a hundredth.
"""


def _let_pages_go_first() -> None:
    """Give this thread, and those that it starts, a lower priority; only Linux does that for a thread."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        now = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(19, now + BEHIND_PAGES))


@dataclass
class _Turn:
    """The present turn of a group: its running jobs, when it began, and whether it should end."""

    jobs: set[Job]
    since: float
    over: bool = False


class _Turns:
    """Turns of groups of jobs: a bounded number of groups runs at once, each for a time slice.

    The next turn goes to a group that has had none, then to the one that has run least since it came.

    Parameters
    ----------
    places
        How many groups run at once.
    clock
        Returns the time in seconds.
    """

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._places = places
        self._clock = clock
        self._running: dict[Hashable, _Turn] = {}
        self._queue: deque[Job] = deque()
        self._used: dict[Hashable, float] = {}  # seconds run by each group that runs or waits
        self._new: set[Hashable] = set()  # those of them that have not had a turn
        self._lock = threading.Lock()

    def enter(self, job: Job) -> None:
        """Queue a job, unless it is running or queued already."""
        with self._lock:
            if job not in self._queue and not job._has_turn:
                if job.group not in self._used:
                    self._used[job.group] = min(self._used.values(), default=0.0)
                    self._new.add(job.group)
                self._queue.append(job)
            self._admit()

    def leave(self, job: Job) -> None:
        """Remove a job from the running ones or from the queue."""
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            self._end_turn(job)
            if job.group not in self._running and all(other.group != job.group for other in self._queue):
                self._used.pop(job.group, None)
                self._new.discard(job.group)
            self._admit()

    def make_way(self, job: Job) -> bool:
        """Queue a job again if its time slice is over; return whether it was queued.

        If other jobs of its group run, they follow after their tick in progress; then the next group runs.
        """
        with self._lock:
            turn = self._running.get(job.group)
            waiting = self._waiting()
            if turn is None or not waiting:
                return False
            lasted = self._clock() - turn.since
            if waiting & self._new:
                turn.over |= lasted >= SHORTEST_TURN
            elif lasted >= self._slice(len(waiting)):
                least = min(self._used[group] for group in waiting)
                turn.over |= self._used[job.group] + lasted > least
            if not turn.over:
                return False
            self._end_turn(job)
            self._queue.append(job)
            self._admit()
            return True

    def ahead_of(self, job: Job) -> int:
        """Return how many groups wait before this job's."""
        with self._lock:
            if job not in self._queue:
                return 0
            before = {other.group for other in list(self._queue)[: self._queue.index(job)]}
            return len(before - {job.group})

    def crowded(self) -> bool:
        """Return whether groups wait for their turns."""
        with self._lock:
            return bool(self._waiting())

    def tick_seconds(self) -> float:
        """Return how long a tick may take: less than usual where many wait for their turns."""
        with self._lock:
            return min(TICK_SECONDS, self._slice(len(self._waiting())))

    def share(self, group: Hashable) -> float:
        """Return the part of the time that each job of a group runs, from 0 to 1."""
        with self._lock:
            waiting = self._waiting()
            if not waiting:
                return 1.0
            jobs = sum(job.group == group for job in self._queue)
            if group in self._running:
                jobs += len(self._running[group].jobs)
            return min(1.0, self._places / (len(self._running) + len(waiting))) / max(1, jobs)

    def _waiting(self) -> set[Hashable]:
        return {job.group for job in self._queue} - self._running.keys()

    def _slice(self, waiting: int) -> float:
        seconds = ROUND_SECONDS * self._places / max(1, len(self._running) + waiting)
        return min(max(seconds, SHORTEST_TURN), LONGEST_TURN)

    def _end_turn(self, job: Job) -> None:
        job._has_turn = False
        turn = self._running.get(job.group)
        if turn is not None:
            turn.jobs.discard(job)
            if not turn.jobs:
                self._used[job.group] += self._clock() - turn.since
                del self._running[job.group]

    def _admit(self) -> None:
        while len(self._running) < self._places and self._waiting():
            waiting = [job.group for job in self._queue if job.group not in self._running]
            group = min(waiting, key=lambda group: (group not in self._new, self._used[group]))
            self._new.discard(group)
            self._running[group] = _Turn(set(), self._clock())
        one_by_one = bool(self._waiting())
        for job in list(self._queue):
            turn = self._running.get(job.group)
            if turn is not None and not turn.over and not (turn.jobs and one_by_one):
                self._queue.remove(job)
                turn.jobs.add(job)
                job._admit()


_turns = _Turns(max(1, os.cpu_count() or 1))


class Job:
    """One run, driven on a thread.

    Parameters
    ----------
    work
        A run, or one that the thread makes first. While the job lives, nothing else may use it.
    paused
        Start paused: :meth:`step` and :meth:`resume` move it.
    group
        Jobs of one group, the learners of a page, share its turns; they run together where no other waits.
    after_tick
        Called on the thread with the run once it is made and between two ticks, and whether the job ends
        there.
    """

    def __init__(
        self,
        work: Run[Any, Any] | Preparation[Any],
        *,
        paused: bool = False,
        group: Hashable = None,
        after_tick: Callable[[Run[Any, Any], bool], None] | None = None,
    ) -> None:
        self._work_to_do = work
        self.group: Hashable = self if group is None else group
        self.failure: BaseException | None = None
        self._state: State = "waiting"
        self._mail: Tick[Any] | None = None
        self._last: Tick[Any] | None = None
        self._after_tick = after_tick
        self._steps = 0
        self._paused = paused
        self._cancelled = False
        self._has_turn = False
        self._ticked = False  # in this turn
        self._wake = threading.Condition()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)

    def start(self) -> Job:
        """Queue the job; it runs when its turn comes."""
        if not self._paused:
            _turns.enter(self)
        self._thread.start()
        return self

    @classmethod
    def taken_up(cls, run: Run[Any, Any], **given: Any) -> Job:
        """Return the job of a run that was saved: done if the run has ended, else paused."""
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
            If it is not :attr:`made` yet.
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
        return _turns.ahead_of(self)

    @property
    def share(self) -> float:
        """The part of the time that this job runs, from 0 to 1; the others of the server have the rest."""
        return _turns.share(self.group)

    def latest(self) -> Tick[Any] | None:
        """Return the newest tick and empty the mailbox; None if there is no new one."""
        mail, self._mail = self._mail, None
        return mail

    @property
    def last(self) -> Tick[Any] | None:
        """The newest tick, whether taken or not."""
        return self._last

    def pause(self) -> None:
        """Hold after the tick in progress."""
        with self._wake:
            self._paused = True
            self._wake.notify_all()

    def resume(self) -> None:
        """Go on."""
        with self._wake:
            self._paused = False
            self._wake.notify_all()

    def step(self, n: int = 1) -> None:
        """Do `n` sweeps more while paused."""
        with self._wake:
            self._steps += n
            self._wake.notify_all()

    def cancel(self) -> None:
        """Stop: within a tick, or at the next check of a long sweep."""
        with self._wake:
            self._cancelled = True
            self._work_to_do.interrupt()
            self._wake.notify_all()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; return whether it came."""
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
            _turns.leave(self)
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
            self.run.others_wait, self.run.tick_seconds = _turns.crowded(), _turns.tick_seconds()
            self._post(self.run.advance(steps) if steps else next(self.run))
            self._notify(ended=self.run.finished)
            if self.run.finished:
                self._state = "done"
                return

    def _notify(self, *, ended: bool) -> None:
        if self._after_tick is not None:
            self._after_tick(self.run, ended)

    def _make(self) -> None:
        """Make the run, unless it is made."""
        if isinstance(self._work_to_do, Preparation):
            made = self._work_to_do.finish()
            with self._wake:
                self._work_to_do = made
            if self._cancelled:
                made.interrupt()
            self._notify(ended=False)  # its first step may take long

    def _next_order(self) -> int:
        """Wait while paused, and for our turn; return sweeps asked for by hand, 0 for a whole tick."""
        while not self._cancelled:
            if self._paused:
                steps, self._steps = self._steps, 0
                if steps:
                    return steps
                _turns.leave(self)
                self._state = "paused"
                self._wait(lambda: bool(self._cancelled or self._steps or not self._paused))
            elif self._has_turn and not (self._ticked and _turns.make_way(self)):
                self._state = "running"
                self._steps = 0
                return 0
            else:
                if self._state != "running":  # between two turns it still counts as running
                    self._state = "waiting"
                _turns.enter(self)
                self._wait(lambda: self._cancelled or self._paused or self._has_turn)
        return 0

    def _wait(self, until: Callable[[], bool]) -> None:
        with self._wake:
            self._wake.wait_for(until)

    def _admit(self) -> None:
        with self._wake:
            self._has_turn = True
            self._ticked = False
            self._wake.notify_all()

    def _post(self, tick: Tick[Any]) -> None:
        self._last = self._mail = tick
        self._ticked = True
