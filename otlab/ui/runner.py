"""Start, pause, step and stop the learners of a page together.

Without Panel. :class:`Runner` owns one :class:`~otlab.inference.job.Job` per row and returns, as plain
values, what the run panel shows::

    idle --> waiting --> preparing --> running <--> paused
                                          |           |
                                 done | stopped | failed     (run starts afresh)

The chains of a row are one run that is drawn while it goes on, not the runs of a sweep, of which nothing is
seen before each has ended. Three EM chains of 40 iterations (30 states, EWT sample, two cores) took 3.7 s
either way: as a job they gave 39 pictures, as a sweep three, the first one after 2.3 s. Stepping, replay and
continuing a saved run need the job too. The same runs are available as a sweep, for another computer or a
cluster: :mod:`otlab.ui.sweep.download`.
"""

from __future__ import annotations

import math
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from otlab.errors import InputError
from otlab.inference import Job, Preparation
from otlab.inference.pages import idle_page
from otlab.inference.replay import TickHistories, TickHistory
from otlab.ui.pace import Pace
from otlab.ui.past_runs import PastRuns

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from otlab.inference import Run, Tick
    from otlab.ui.documents.runs import Runs
    from otlab.ui.past_runs import RunKey
    from otlab.viz.base.tokens import Hue

__all__ = ["LearnerRow", "Pace", "Phase", "Progress", "Runner", "Unit"]

Unit = Literal["sweep", "trial", "iteration", "update", "sentence", "input"]
Phase = Literal["idle", "waiting", "preparing", "running", "paused", "done", "stopped", "failed"]


def _ignore(_: object) -> None:
    """Do nothing; the default of a row that does not need its run."""


@dataclass(frozen=True)
class LearnerRow:
    """One learner of a lab: the texts of its row and the function that makes its run.

    Data and settings are read on the page's thread; slow work is done on the thread of the run.

    Attributes
    ----------
    name, label
        Key and label: ``"gibbs"``, ``"Gibbs"``.
    hue
        Its colour in every plot.
    plan
        Reads the present data and settings, and returns the function that makes a run of them.
        It is called when Run is pressed, that function on the thread of the run. Both may raise
        :class:`~otlab.errors.InputError`.
    begun
        Called on the page's thread with the run that was made, before its first tick.
    detail
        Grey words after the name: "4 chains".
    state_text
        What the row says of a tick: "Sweep 3,180", "28 of 40 done". Default: how far it is.
    unit
        What one step is called.
    enabled
        Whether it is ticked to begin with.
    endless
        Whether it has no end of its own: progress is then that of the other learners.
    more
        Steps offered when the run has ended and its answer cannot be trusted yet; 0 for none.
    prolong
        Called with the number of added steps before a run continues after its end.
    """

    name: str
    label: str
    hue: Hue
    plan: Callable[[], Callable[[], Run[Any, Any]]]
    detail: Callable[[], str] = str
    state_text: Callable[[Tick[Any]], str] | None = None
    unit: Unit = "sweep"
    enabled: bool = True
    endless: bool = False
    more: int = 0
    prolong: Callable[[int], None] = _ignore
    begun: Callable[[Run[Any, Any]], None] = _ignore


@dataclass(frozen=True)
class Progress:
    """Progress of the longest learner.

    Attributes
    ----------
    unit, sweep, total
        "sweep", 3180, 20000; a total of 0 has no end.
    rate
        Steps per second of computing; NaN until known.
    left
        Seconds until the end at this rate; NaN until known.
    settled
        Whether it ended before its most steps, because nothing changed any more.
    """

    unit: Unit = "sweep"
    sweep: int = 0
    total: int = 0
    rate: float = math.nan
    left: float = math.nan
    settled: bool = False

    @property
    def share(self) -> float:
        """The part done, from 0 to 1."""
        return self.sweep / self.total if self.total else 0.0


class Runner:
    """All learners of one page.

    Parameters
    ----------
    rows
        In the order of their rows.

    Attributes
    ----------
    jobs : dict of str to Job
        Of the present or last run, by row name.
    failures : dict of str to BaseException
        The error, by row name; ``""`` for what belongs to no row.
    refused : dict of str to InputError
        Learners that cannot learn from these data while others run, and why.
    page_idle : threading.Event
        Cleared while the page is being drawn; the runs started from now on wait then.
    saver : Runs or None
        Keeps the runs with the document of the page.
    replays
        Whether some ticks of each run are kept for the replay slider.
    histories : TickHistories
        These ticks, by row name.
    ids : dict of str to str
        The id of the newest run of each row; it stays while results of the run may be in sight.
    past : PastRuns
        Earlier runs.
    wait_for : callable
        Called with the name of a row on the thread of its run, before that is made: it returns when
        what the run needs is ready.
    """

    def __init__(self, rows: Iterable[LearnerRow]) -> None:
        self.rows: dict[str, LearnerRow] = {row.name: row for row in rows}
        self.enabled = {row.name for row in self.rows.values() if row.enabled}
        self.jobs: dict[str, Job] = {}
        self.failures: dict[str, BaseException] = {}
        self.refused: dict[str, InputError] = {}
        self.page_idle = idle_page()
        self.saver: Runs | None = None
        self.replays = False
        self.histories = TickHistories()
        self.wait_for: Callable[[str], None] = _ignore
        self.ids: dict[str, str] = {}
        self.past = PastRuns()
        self._paces: dict[str, Pace] = {}
        self._begun: set[str] = set()
        self._seen: dict[str, Tick[Any]] = {}
        self._paused = False
        self._stopped = False
        self._leader = ""

    @property
    def alive(self) -> bool:
        """Whether the run is in progress; False after Stop, even while a learner finishes its last sweep."""
        return not self._stopped and any(job.alive for job in self.jobs.values())

    @property
    def phase(self) -> Phase:
        """The phase of the run as a whole."""
        if self.failures:
            return "failed"
        if not self.jobs:
            return "idle"
        if not self.alive:
            return "stopped" if self._stopped else "done"
        if self._paused:
            return "paused"
        live = [job for job in self.jobs.values() if job.alive]
        if all(job.state == "waiting" for job in live):
            return "waiting"
        return "running" if any(job.last for job in live) else "preparing"

    @property
    def ahead(self) -> int:
        """Number of waiting runs before this one; 0 if it is the next."""
        return max((job.jobs_ahead for job in self.jobs.values() if job.state == "waiting"), default=0)

    def start(self, *, paused: bool = False) -> None:
        """Make a new run of every ticked learner and start it, each on its own thread.

        A row that refuses the data or its settings, at once or while its run is made, is kept in
        :attr:`refused`, and the others run. If all refuse, or a run cannot be made for another
        reason, that is kept in :attr:`failures` and nothing runs.
        """
        self.clear()
        self.start_beside(self.enabled, paused=paused)

    def start_beside(self, names: Container[str], *, paused: bool) -> None:
        """Do as :meth:`start` for some rows; what is there of the others stays."""
        makers = {}
        for name in self.rows:
            if name in names:
                try:
                    makers[name] = self.rows[name].plan()
                except InputError as refusal:
                    self.refused[name] = refusal
                except Exception as failure:
                    self.failures[name] = failure
        if not makers and not self.jobs:
            self.failures.update(self.refused)
        if self.failures:
            return
        self._paused = paused
        self.ids |= dict.fromkeys(makers, secrets.token_urlsafe(6))
        if self.saver is not None:
            self.saver.expect([self._key(name) for name in makers])
        work = {
            name: Preparation(self._when_ready(name, make), self.page_idle) for name, make in makers.items()
        }
        self._paces |= {name: Pace() for name in work}
        for name, each in work.items():
            self.jobs[name] = self._job(name, each, paused=paused)
            self.jobs[name].start()

    def find(self, ids: Mapping[str, str]) -> dict[str, tuple[Run[Any, Any], Iterable[Tick[Any]]]]:
        """Return earlier runs and the kept ticks of each, by row; those that are not kept are missing."""
        self._put_by()
        load = (lambda _: None) if self.saver is None else self.saver.load
        found = {key[0]: self.past.find(key) or load(key) for key in ids.items()}
        return {name: each for name, each in found.items() if each is not None}

    @contextmanager
    def saved_already(self) -> Iterator[None]:
        """Return a context in which runs are shown that need not be saved again."""
        if self.saver is None:
            yield
            return
        self.saver.opening = True
        try:
            yield
        finally:
            self.saver.opening = False

    def _put_by(self) -> None:
        self.past.keep({self._key(name): job for name, job in self.jobs.items()}, self.histories)

    def _key(self, name: str) -> RunKey:
        return name, self.ids.get(name, "")

    @property
    def unseen(self) -> set[str]:
        """Rows whose run goes on, or has a tick that was not returned by :meth:`drain` yet."""
        return {n for n, job in self.jobs.items() if job.alive or job.last is not self._seen.get(n)}

    def restore(
        self,
        runs: Mapping[str, Run[Any, Any]],
        ticks: Mapping[str, Iterable[Tick[Any]]] | None = None,
        ids: Mapping[str, str] | None = None,
    ) -> None:
        """Restore saved runs: finished ones as done, the others paused where they were.

        `ticks` are earlier ones of these runs, which were kept; `ids` those of the runs.
        """
        self.clear()
        self.ids |= dict(ids or {})
        for name, kept in (ticks or {}).items():
            if earlier := tuple(kept):
                self.histories[name] = TickHistory.of(earlier)
        for run in runs.values():
            run.page_idle = self.page_idle
        self.jobs = {name: Job.restored(run, **self._kept_with(name)) for name, run in runs.items()}
        self._paces = {name: Pace() for name in runs}
        self._paused = self.alive

    def _job(self, name: str, work: Run[Any, Any] | Preparation[Any], *, paused: bool = False) -> Job:
        return Job(work, paused=paused, **self._kept_with(name))

    def _kept_with(self, name: str) -> dict[str, Any]:
        """Return what the job of a row belongs to, and what it is saved and replayed by."""
        history = self.histories.setdefault(name, TickHistory()) if self.replays else None
        return {"group": self, "after_tick": self._saving(name), "history": history}

    def _when_ready(self, name: str, make: Callable[[], Run[Any, Any]]) -> Callable[[], Run[Any, Any]]:
        def made() -> Run[Any, Any]:
            self.wait_for(name)
            return make()

        return made

    def _saving(self, name: str) -> Callable[[Run[Any, Any], bool], None] | None:
        """Return the function that a job calls between ticks; None if its run is not saved."""
        return None if self.saver is None else self.saver.taker(self._key(name))

    def pause(self) -> None:
        """Pause every learner after its tick in progress."""
        self._paused = True
        for job in self.jobs.values():
            job.pause()

    def resume(self) -> None:
        """Resume paused learners."""
        self._paused = False
        for job in self.jobs.values():
            job.resume()

    def step(self) -> None:
        """Do one step of every learner; start a paused run if there is none."""
        if not self.alive:
            self.start(paused=True)
        self.pause()
        for job in self.jobs.values():
            job.step()

    def stop(self) -> None:
        """Stop the run; its results stay."""
        if self.alive:
            self._stopped = True
        for job in self.jobs.values():
            job.cancel()

    def clear(self) -> None:
        """Stop the run, and show none; it is kept for Undo and Redo, if they lead back to it."""
        self.stop()
        self._put_by()
        self.jobs, self.failures, self._paces, self._seen = {}, {}, {}, {}
        self.refused, self._begun = {}, set()
        self.histories = TickHistories()
        self._paused = self._stopped = False
        self._leader = ""

    def forget(self) -> None:
        """Keep the last run only as long as Undo and Redo lead back to it: its results were deleted."""
        self.ids = {}
        if self.saver is not None:
            self.saver.forget_newest()

    def extend(self, more: Mapping[str, int]) -> None:
        """Continue these learners after the end for more steps, with the numbers of one longer run.

        Raises
        ------
        InputError
            If the run was stopped or failed, and cannot continue.
        """
        if self._stopped or self.failures or self.alive:
            raise InputError("the run did not reach its end; press Run")
        for name, steps in more.items():
            run = self.jobs[name].run
            run.total += steps
            self.jobs[name] = self._job(name, run).start()

    @property
    def longer(self) -> dict[str, float]:
        """Learners that can continue after the end, the steps they offer, and the seconds that may take."""
        if self.phase != "done":
            return {}
        offering = [row for row in self.rows.values() if row.more and row.name in self.jobs]
        return {row.name: row.more / self._paces[row.name].rate for row in offering}

    def drain(self) -> dict[str, Tick[Any]]:
        """Return the newest tick of every learner that has one, and record refusals and failures."""
        for name, job in list(self.jobs.items()):
            if job.made and name not in self._begun:
                self._begun.add(name)
                self.guard(self.rows[name].begun, job.run)
            elif (refusal := _refusal(job)) is not None:
                self.refused[name] = refusal
                del self.jobs[name]
                if self.saver is not None:
                    self.saver.drop(self._key(name))
        if self.refused and not self.jobs and not self.failures:
            self.failures = dict(self.refused)
        newest = {name: self.jobs[name].last for name in self._begun}  # a job that was just made waits
        ticks = {
            name: tick
            for name, tick in newest.items()
            if tick is not None and tick is not self._seen.get(name)
        }
        self._seen.update(ticks)
        for name, tick in ticks.items():
            self._paces[name].mark(tick)
        # What was refused meanwhile is taken next time.
        failed = {n: job.failure for n, job in self.jobs.items() if job.failure and _refusal(job) is None}
        if failed and not self.failures:
            self.failures = failed
            self.stop()
        return ticks

    def end_histories(self) -> None:
        """Make the kept ticks of each run end with the one that was shown last, and save them."""
        for name, history in self.histories.items():
            if name in self._seen:
                history.add(self._seen[name])
        if self.saver is not None and not self.failures:
            self.saver.keep_ticks({self._key(name): each for name, each in self.histories.items()})

    def fail(self, failure: BaseException) -> None:
        """Store an error that belongs to no learner, and stop the run."""
        self.failures.setdefault("", failure)
        self.stop()

    def guard(self, callback: Callable[..., None], *args: Any) -> None:
        """Call a function of the lab; an exception ends the run and is stored to be shown."""
        try:
            callback(*args)
        except Exception as failure:
            self.fail(failure)

    @property
    def preparation(self) -> tuple[str, int, int] | None:
        """Progress of making the run that is least ready: "input", 1200 of 28603; None if unknown."""
        known = [job.preparation for job in self.jobs.values() if job.preparation is not None]
        return min(known, key=lambda done: done[1] / max(1, done[2]), default=None)

    @property
    def progress(self) -> Progress:
        """Progress of the longest learner; another one takes over only if it is clearly longer.

        After the end it is that of the first learner that was stopped, or else of the first.
        """
        if not self.jobs:
            return Progress()
        made = [name for name, job in self.jobs.items() if job.made] or list(self.jobs)
        known = {name: self._progress_of(name) for name in made}
        live = [name for name in known if self.jobs[name].alive] or list(known)
        live = [name for name in live if not self.rows[name].endless] or live
        if not self.alive:  # in the order of the rows, so that it does not depend on their pace
            cut_short = (name for name in live if known[name].share < 1 and not known[name].settled)
            return known[next(cut_short, live[0])]
        longest = max(live, key=lambda name: _time_left(known[name]))
        leader = self._leader if self._leader in live else longest
        if _time_left(known[longest]) > 1.25 * _time_left(known[leader]) + 2.0:
            leader = longest
        self._leader = leader
        return known[leader]

    def row_text(self, name: str) -> str:
        """Return the text at the right end of a learner's row."""
        job = self.jobs.get(name)
        if name in self.refused:
            return "cannot learn"
        if name in self.failures:
            return "cannot learn" if isinstance(self.failures[name], InputError) else "failed"
        if job is None:
            return "" if name in self.enabled else "off"
        if job.last is None:
            before = {"waiting": "waiting", "paused": "waiting", "running": "preparing"}
            return before.get(job.state, "stopped")
        state_text = self.rows[name].state_text
        if state_text is not None:
            return state_text(job.last)
        return f"{self.rows[name].unit.capitalize()} {job.last.sweep:,}"

    def _progress_of(self, name: str) -> Progress:
        job, unit = self.jobs[name], self.rows[name].unit
        if not job.made:
            return Progress(unit)
        total = 0 if self.rows[name].endless else job.run.total
        if job.last is None:
            return Progress(unit, 0, total)
        rate = self._paces[name].rate
        if not total:
            return Progress(unit, job.last.sweep, rate=rate)
        if job.last.finished:
            settled = job.last.sweep < job.run.total
            return Progress(unit, job.last.sweep, job.last.sweep, rate, 0.0, settled)
        left = (job.run.total - job.last.sweep) / (rate * job.share) if rate > 0 else math.nan
        return Progress(unit, job.last.sweep, job.run.total, rate, left)


def _refusal(job: Job) -> InputError | None:
    """Return why a learner cannot learn from these data; None if it can, or failed while it ran."""
    return job.failure if not job.made and isinstance(job.failure, InputError) else None


def _time_left(progress: Progress) -> float:
    """Return the seconds left; unknown counts as the longest."""
    return progress.left if math.isfinite(progress.left) else 1e9 + progress.total
