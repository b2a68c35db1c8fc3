"""Let groups of jobs take turns on the cores of a machine.

A group is, for example, the learners of one page. As many groups run at once as there are cores. If
there are more groups, they take turns: each runs for a time slice, and then the next turn goes to a group
that has not run yet, or else to the one that has run least. In a turn one job of the group runs, so that it
has progress to show at the end; the next turn of the group goes to its next job. All groups have a turn
within about a second, so that a long run does not keep a short one waiting. On a busy machine this takes
longer, since every turn has at least one tick. A paused group takes no turn. A turn ends between two ticks,
so the numbers do not depend on it.
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

ROUND_SECONDS = 0.2
"""Time within which all groups should have a turn.

With 30 running pages on two cores a page of any lab moved 1.1 to 1.5 times per second; with 0.5, and turns
of at least 0.03 s, 0.4 to 0.7 times. Much of a turn is spent waiting for the interpreter: a round takes
about four times as long.
"""
LEAST_CHARGED = 0.2
"""The least number of seconds that is charged for a turn when groups are compared by how long they have run.

So only groups with ticks longer than this have fewer turns than others; ticks of .03 and .06 s are treated
alike.
"""
SHORTEST_TURN, LONGEST_TURN = 0.012, 0.25  # seconds; a tick takes 0.06, but at most as long as a turn


class TurnTaker(Protocol):
    """A job that takes turns.

    Attributes
    ----------
    group
        What the jobs of one group have in common; they share its turns.
    has_turn
        Whether it runs now; set by :class:`Turns`.
    """

    group: Hashable
    has_turn: bool

    def admit(self) -> None:
        """Begin a turn; called on any thread."""


@dataclass
class _Turn:
    """The current turn of a group: its running jobs, when it began, and whether it should end."""

    jobs: set[TurnTaker]
    since: float
    over: bool = False


class Turns:
    """Gives turns to groups of jobs: a limited number runs at once, each for a time slice.

    The next turn goes to a group that has had none, or else to the one that has run least.

    Parameters
    ----------
    places
        The number of groups that run at once.
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

        Other running jobs of its group are queued when their current ticks end; then the next group runs.
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
        """Return the share of the time in which each job of a group runs, from 0 to 1."""
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
