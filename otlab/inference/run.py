"""Run a learner as an iterator of ticks, with several chains in parallel.

The command line, tests, notebooks and :class:`~otlab.inference.job.Job` all use
the same iterator; to fit a learner is to iterate to the end.

The number of sweeps per tick is chosen by time (about 60 ms), because one sweep per
call is slow on small data and a whole run in one call can be neither watched nor
stopped. Results never depend on it: each chain owns its generator and its state.
"""

from __future__ import annotations

import contextvars
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from otlab.errors import InputError, Interrupted, counted
from otlab.inference.blas import one_blas_thread
from otlab.inference.executors import worker_threads
from otlab.inference.learner import Learner, Tick
from otlab.inference.pages import idle_page
from otlab.inference.random import chain_generators, fresh_seed, run_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


__all__ = [
    "Preparation",
    "Run",
    "RunRecord",
    "check_interrupt",
    "others_wait",
    "report_preparation",
    "run",
]

S = TypeVar("S")
V = TypeVar("V")
T = TypeVar("T")

TICK_SECONDS = 0.06
COURTESY_SECONDS = 0.1
_cores = threading.BoundedSemaphore(os.cpu_count() or 1)
"""Limits the threads that compute to the number of cores. With more, a thread that holds the interpreter
would wait for a core, and the thread that draws pages would wait for the interpreter."""
_current_run: contextvars.ContextVar[Run[Any, Any] | Preparation[Any] | None] = contextvars.ContextVar(
    "run", default=None
)


def check_interrupt() -> None:
    """Raise Interrupted if the run that this step belongs to, or that is being made, was asked to stop.

    Long steps call this between their parts. It takes well under a microsecond, except that it waits
    while the page of the run is being drawn; see :func:`~otlab.inference.pages.page_first`.

    Raises
    ------
    Interrupted
        When :meth:`Run.interrupt` was called; the run drops the unfinished sweep.
    """
    run = _current_run.get()
    if run is None:
        return
    if run._stop.is_set():
        raise Interrupted("the run was stopped")
    if not run.page_idle.is_set():
        run.page_idle.wait(COURTESY_SECONDS)


def others_wait() -> bool:
    """Return whether other runs wait for their turns, so that this one should use one thread."""
    run = _current_run.get()
    return isinstance(run, Run) and run.others_wait


def report_preparation(what: str, done: int, total: int) -> None:
    """Report the progress of making a run, for the page that waits for it.

    Parameters
    ----------
    what, done, total
        For example "input", 1200, 28603.
    """
    current = _current_run.get()
    if isinstance(current, Preparation):
        current.done = (what, done, total)


@dataclass(frozen=True)
class RunRecord:
    """A run between two ticks, as data: learner, settings, and the chains with their generators.

    Attributes
    ----------
    learner, seed, total, every
        As in :class:`Run`.
    sweep, seconds
        Sweeps done, and time spent on them.
    chains
        (generator, state, whether it reached its optimum) of each chain; the generators are not copied.
        Empty before the first step: the chains then begin from the seed.
    n_chains
        How many chains there are; 0 in records of earlier versions, which always have `chains`.
    """

    learner: Any
    seed: int
    total: int
    every: int | None
    sweep: int
    seconds: float
    chains: tuple[tuple[np.random.Generator, Any, bool], ...]
    n_chains: int = 0

    def run(self) -> Run[Any, Any]:
        """Return a run that continues from here, with the numbers of one that never stopped."""
        chains = len(self.chains) or self.n_chains
        made = run(self.learner, sweeps=self.total, seed=self.seed, chains=chains, every=self.every)
        made._started = [_Chain(*chain) for chain in self.chains]
        made.sweep, made.seconds = self.sweep, self.seconds
        return made


class Preparation(Generic[T]):
    """The making of a run, or other work of some seconds, to be done on the thread of a job.

    Parameters
    ----------
    make
        Returns the run, or the result of the work. It may call :func:`check_interrupt` and
        :func:`report_preparation`. Runs that it steps itself stop when it is asked to stop.
    page_idle
        The event of the page that shows the run; see :func:`~otlab.inference.pages.page_first`.

    Attributes
    ----------
    done : tuple of (str, int, int) or None
        The last report of progress: "input", 1200 of 28603.
    before_step : callable
        Called with each run that the work steps itself, before its first state and between its ticks.
    """

    def __init__(self, make: Callable[[], T], page_idle: threading.Event | None = None) -> None:
        self._make = make
        self.page_idle = idle_page() if page_idle is None else page_idle
        self.done: tuple[str, int, int] | None = None
        self.before_step: Callable[[Run[Any, Any]], None] = lambda run: None
        self._stop = threading.Event()

    def finish(self) -> T:
        """Make the run and return it, or the result of the work.

        Raises
        ------
        Interrupted
            If :meth:`interrupt` was called meanwhile.
        InputError
            If the data or the settings are refused.
        """
        token = _current_run.set(self)
        try:
            made = self._make()
            check_interrupt()
        finally:
            _current_run.reset(token)
        if isinstance(made, Run):
            made.page_idle = self.page_idle
        return made

    def interrupt(self) -> None:
        """Ask the work to stop as soon as it can."""
        self._stop.set()

    def _take_along(self, run: Run[Any, Any]) -> None:
        """Make a run that the work steps itself stop with the work, and wait for the same page."""
        run._stop, run.page_idle = self._stop, self.page_idle
        self.before_step(run)


@dataclass
class _Chain(Generic[S]):
    rng: np.random.Generator
    state: S
    done: bool = False
    seconds: float = 0.0


@dataclass(repr=False)
class Run(Generic[S, V]):
    """An iterator of :class:`Tick`; see :func:`run`.

    Attributes
    ----------
    learner, seed, total
        The learner, the root seed, and the sweeps per chain. `total` may be
        raised while running: the run continues.
    sweep, seconds
        Its progress.
    tick_seconds
        How long a tick should take; no result depends on it.
    least_ticks
        The number of ticks that the run is cut into at least, if it has so many sweeps; no result depends on
        it.
    others_wait
        Whether other runs wait for the cores, so that steps use one thread; no result depends on it.
    page_idle : threading.Event
        Cleared while the page of the run is being drawn; long steps then wait.
    """

    learner: Learner[S, V]
    seed: int
    total: int
    chains: int
    every: int | None
    threads: int
    sweep: int = 0
    seconds: float = 0.0
    tick_seconds: float = TICK_SECONDS
    least_ticks: int = 1
    others_wait: bool = False
    page_idle: threading.Event = field(default_factory=idle_page, repr=False)
    _started: list[_Chain[S]] = field(default_factory=list, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _pace: float = field(default=0.0, repr=False)
    _cut: int = field(default=1, repr=False)

    def __repr__(self) -> str:
        chains = counted(self.chains, "chain")
        at = f"sweep {self.sweep:,} of {self.total:,}"
        return f"<Run of {self.learner.name}: {at}, {chains}, seed {self.seed}>"

    def __iter__(self) -> Iterator[Tick[V]]:
        return self

    def __next__(self) -> Tick[V]:
        """Do the sweeps of one tick and return it."""
        if self.finished:
            raise StopIteration
        return self.advance(self.every or self._sweeps_for_a_tick())

    @property
    def finished(self) -> bool:
        """Whether every chain has done `total` sweeps or reached its optimum."""
        return self.sweep >= self.total or (bool(self._started) and all(c.done for c in self._started))

    @property
    def started(self) -> bool:
        """Whether the chains have been given their first states."""
        return bool(self._started)

    @property
    def seeds(self) -> list[int]:
        """Each chain's seed: ``run`` with it and one chain repeats that chain alone."""
        return [run_seed(self.seed, chain) for chain in range(self.chains)]

    @property
    def chain_seconds(self) -> list[float]:
        """The time that each chain has spent in steps since it was started or restored."""
        return [chain.seconds for chain in self._start()]

    @property
    def states(self) -> list[S]:
        """Each chain's state; read it between ticks only."""
        return [chain.state for chain in self._start()]

    def advance(self, n: int) -> Tick[V]:
        """Do exactly `n` sweeps in each chain, or as many as are left.

        Raises
        ------
        Interrupted
            When :meth:`interrupt` was called in the middle of a long sweep. The run
            cannot go on then, except from an earlier :meth:`record`. Also when this run is part of
            work that was asked to stop.
        """
        self._follow_work()
        chains = self._start()
        n = min(n, self.total - self.sweep)
        begin = time.perf_counter()
        with one_blas_thread():
            busy = self._step_all(chains, n)
        took = time.perf_counter() - begin
        if n:
            self._pace = busy / n
        self.sweep += n
        self.seconds += took
        with _cores:
            return self.tick()

    def finish(self) -> Tick[V]:
        """Run to the end and return the last tick."""
        while not self.finished:
            next(self)
        return self.tick()

    def tick(self) -> Tick[V]:
        """Return a tick of the current state, without a step."""
        views = tuple(self.learner.view(chain.state) for chain in self._start())
        return Tick(self.sweep, self.total, views, self.seconds, self.finished)

    def interrupt(self) -> None:
        """Ask a step in progress on another thread to stop as soon as it can."""
        self._stop.set()

    def record(self) -> RunRecord:
        """Return the run as data, from which it can continue; pickle it before the next tick."""
        chains = tuple((chain.rng, chain.state, chain.done) for chain in self._started)
        return RunRecord(
            self.learner, self.seed, self.total, self.every, self.sweep, self.seconds, chains, self.chains
        )

    def _start(self) -> list[_Chain[S]]:
        if not self._started:
            self._follow_work()
            token = _current_run.set(self)
            try:
                rngs = chain_generators(self.seed, self.chains)
                with one_blas_thread():
                    self._started = [_Chain(rng, self.learner.init(rng)) for rng in rngs]
            finally:
                _current_run.reset(token)
        return self._started

    def _follow_work(self) -> None:
        """If a preparation steps this run, wait for its turn, and stop if it was asked to stop."""
        work = _current_run.get()
        if isinstance(work, Preparation):
            work._take_along(self)
        check_interrupt()

    def _step_all(self, chains: list[_Chain[S]], n: int) -> float:
        """Step every chain; return the seconds that it took without the waiting for cores that others use.

        Ticks would become shorter and shorter beside runs whose single steps take long.
        """
        live = [chain for chain in chains if not chain.done]
        workers = 1 if self.others_wait else min(self.threads, len(live))
        if workers <= 1:
            return sum(self._step(chain, n) for chain in live)
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(self._step, chain, n) for chain in live]
            try:
                return sum(future.result() for future in futures) / workers
            except KeyboardInterrupt:
                self.interrupt()  # otherwise the pool would wait until the sweeps are done
                raise

    def _step(self, chain: _Chain[S], n: int) -> float:
        """Step one chain; return the seconds that it had a core."""
        token = _current_run.set(self)
        begin, busy = time.perf_counter(), 0.0
        try:
            if n:
                with _cores:
                    started = time.perf_counter()
                    chain.state = self.learner.step(chain.rng, chain.state, n)
                    busy = time.perf_counter() - started
                self._check(chain.state)
            chain.done = self.learner.finished(chain.state)
            return busy
        finally:
            _current_run.reset(token)
            chain.seconds += time.perf_counter() - begin

    def _check(self, state: S) -> None:
        """Raise FloatingPointError if a parameter of a chain is NaN."""
        numbers = getattr(state, "numbers", None)
        if numbers is not None and np.isnan(numbers).any():
            raise FloatingPointError(
                f"what {self.learner.name} has learnt is no longer a number (NaN) after step {self.sweep:,}; "
                "look for extreme values in the data or the settings"
            )

    def _sweeps_for_a_tick(self) -> int:
        if self._pace > 0:
            # Grow at most eightfold, because the first sweep may have waited for a compiler.
            most = min(8 * self._cut, self.total // max(1, self.least_ticks))
            self._cut = max(1, min(int(self.tick_seconds / self._pace), most))
        return self._cut


def run(
    learner: Learner[S, V],
    *,
    sweeps: int,
    seed: int | None = None,
    chains: int = 1,
    every: int | None = None,
    threads: int | None = None,
) -> Run[S, V]:
    """Run a learner and watch it.

    Parameters
    ----------
    learner
        The learner to run.
    sweeps
        Sweeps (iterations, trials) in each chain.
    seed
        Root seed; a fresh one if None. The run has it as ``Run.seed``.
    chains
        Independent chains, stepped in parallel.
    every
        Sweeps per tick; chosen by time if None. The results do not depend on it.
    threads
        Worker threads; one per core if None. The results do not depend on it.

    Returns
    -------
    Run
        An iterator of ticks.

    Raises
    ------
    InputError
        If `sweeps` or `seed` is negative, or `chains` is below 1.

    Examples
    --------
    >>> from otlab.ot import Gibbs, read
    >>> for tick in run(Gibbs(read("ilokano")), sweeps=20, seed=1):
    ...     last = tick.sweep
    >>> last
    20
    """
    if sweeps < 0:
        raise InputError(f"{sweeps} sweeps: there must be 0 or more")
    if chains < 1:
        raise InputError(f"{chains} chains: there must be at least 1")
    if seed is not None and seed < 0:
        raise InputError(f"seed {seed}: there must be no minus")
    return Run(
        learner, fresh_seed() if seed is None else int(seed), sweeps, chains, every, worker_threads(threads)
    )
