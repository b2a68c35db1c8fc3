"""Turns of groups of jobs on the cores of a machine.

As many groups of jobs (the learners of one page) run at once as there are cores. If
there are more, they take turns: each group runs for a time slice, then one that has not
run yet, or else the one that has run least; the jobs of a group run one after another then, a
job in each turn, so that each turn has something to show. All come around within about a second, so that
a long run does not keep a short one waiting; on a machine that is busy with other things it
takes longer, but every turn has at least one tick. A paused group takes no turn. The numbers
do not depend on it: a turn ends between two ticks.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from otlab.inference.run import TICK_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["TurnTaker", "Turns"]

ROUND_SECONDS = 0.5
"""Time in which all groups have had a turn, as far as ticks permit."""
LEAST_CHARGED = 0.2
"""Seconds that a turn counts for at least when the group that has run least is looked for.

So groups with ticks of .06 s have as many turns as those with turns of .03 s, and only those with
ticks that are longer than this have fewer.
"""
SHORTEST_TURN, LONGEST_TURN = 0.03, 0.25  # seconds; a tick takes 0.06, or a turn if that is shorter


class TurnTaker(Protocol):
    """A job that takes turns.

    Attributes
    ----------
    group
        The jobs of one group share its turns.
    has_turn
        Whether it runs now; set by :class:`Turns`.
    """

    group: Hashable
    has_turn: bool

    def admit(self) -> None:
        """Begin a turn; called on any thread."""


@dataclass
class _Turn:
    """The present turn of a group: its running jobs, when it began, and whether it should end."""

    jobs: set[TurnTaker]
    since: float
    over: bool = False


class Turns:
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
        self._queue: deque[TurnTaker] = deque()
        self._used: dict[Hashable, float] = {}  # seconds run by each group that runs or waits
        self._new: set[Hashable] = set()  # those of them that have not had a turn
        self._lock = threading.Lock()

    def enter(self, job: TurnTaker) -> None:
        """Queue a job, unless it is running or queued already."""
        with self._lock:
            if job not in self._queue and not job.has_turn:
                if job.group not in self._used:
                    self._used[job.group] = min(self._used.values(), default=0.0)
                    self._new.add(job.group)
                self._queue.append(job)
            self._admit()

    def leave(self, job: TurnTaker) -> None:
        """Remove a job from the running ones or from the queue."""
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            self._end_turn(job)
            if job.group not in self._running and all(other.group != job.group for other in self._queue):
                self._used.pop(job.group, None)
                self._new.discard(job.group)
            self._admit()

    def make_way(self, job: TurnTaker) -> bool:
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
                turn.over |= self._used[job.group] + max(LEAST_CHARGED, lasted) >= least
            if not turn.over:
                return False
            self._end_turn(job)
            self._queue.append(job)
            self._admit()
            return True

    def ahead_of(self, job: TurnTaker) -> int:
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

    def _end_turn(self, job: TurnTaker) -> None:
        job.has_turn = False
        turn = self._running.get(job.group)
        if turn is not None:
            turn.jobs.discard(job)
            if not turn.jobs:
                self._used[job.group] += max(LEAST_CHARGED, self._clock() - turn.since)
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
                job.admit()
