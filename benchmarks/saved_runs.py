"""Long runs that can be stopped and continued: their results and records are files in a folder.

A table of ten seeds of four estimators takes hours. Finished runs are read back, a run in progress continues
from its last record, and the numbers are those of a run that was not interrupted.
"""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, TypeVar

from otlab.errors import Interrupted
from otlab.inference import run
from otlab.inference.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otlab.inference import Learner, Run, RunRecord, Tick

S = TypeVar("S")
V = TypeVar("V")


def fit_saved(
    learner: Learner[S, V],
    folder: Path,
    *,
    sweeps: int,
    seed: int,
    chains: int = 1,
    threads: int = 1,
    version: str = "",
    save_every: float = 30.0,
    stopping: Callable[[], bool] = lambda: False,
) -> Tick[V]:
    """Return the last tick of a run, which is read from `folder` if the run was finished before.

    A run that ended after fewer sweeps, or was interrupted, continues from its last record.

    Parameters
    ----------
    learner, sweeps, seed, chains, threads
        As for :func:`~otlab.inference.run.run`; all but `threads` identify the run.
    folder
        Where the files are; made if missing.
    version
        Anything else that makes old results invalid (a digest of the kernels).
    save_every
        Seconds between two records.
    stopping
        Called between ticks: the run is recorded and ends if it returns true.

    Raises
    ------
    Interrupted
        If `stopping` ended it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = digest(learner, seed, chains, version)[:24]
    done, last = folder / f"{name}-{sweeps}.tick", folder / f"{name}.record"
    if done.exists():
        tick: Tick[V] = pickle.loads(done.read_bytes())
        return tick
    current = _recorded(last, sweeps) or run(learner, sweeps=sweeps, seed=seed, chains=chains)
    current.threads = threads
    saved = time.monotonic()
    while not current.finished:
        next(current)
        if stopping() and not current.finished:
            _write(last, current.record())
            raise Interrupted("the run was stopped; it can continue from its record")
        if time.monotonic() - saved > save_every:
            _write(last, current.record())
            saved = time.monotonic()
    _write(last, current.record())
    tick = current.tick()
    _write(done, tick)
    return tick


def _recorded(path: Path, sweeps: int) -> Run[S, V] | None:
    """Return a recorded run, now of `sweeps` sweeps; None if there is no record, or only of more sweeps."""
    record: RunRecord | None = pickle.loads(path.read_bytes()) if path.exists() else None
    if record is None or record.sweep > sweeps:
        return None
    recorded = record.run()
    recorded.total = sweeps
    return recorded


def _write(path: Path, value: object) -> None:
    """Pickle a value to a file, which is replaced as a whole."""
    part = path.with_suffix(f"{path.suffix}.part")
    part.write_bytes(pickle.dumps(value))
    part.replace(path)
