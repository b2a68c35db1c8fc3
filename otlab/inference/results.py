"""Store finished runs on disk by the hash of their settings.

A long table (ten seeds of four estimators) can be stopped and continued: finished runs are read back, a
run in progress continues from its last checkpoint, and the numbers are those of an uninterrupted run.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from otlab.errors import Interrupted
from otlab.inference.run import Checkpoint, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from otlab.inference.learner import Learner, Tick

__all__ = ["digest", "fit_cached"]

S = TypeVar("S")
V = TypeVar("V")


def digest(*things: object) -> str:
    """Return a hash of values: equal settings give equal digests on every machine.

    Understands numbers, strings, None, arrays, dataclasses, objects whose
    ``digest_parts()`` returns what they depend on, and tuples, lists and dicts of them.

    Raises
    ------
    TypeError
        For anything else: a hash by identity would never be found again.
    """
    h = hashlib.sha256()
    for thing in things:
        _feed(h, thing)
    return h.hexdigest()


def _feed(h: Any, thing: object) -> None:
    if thing is None or isinstance(thing, str | int | float | bool | bytes | np.generic):
        h.update(f"{type(thing).__name__}:{thing!r};".encode())
    elif isinstance(thing, np.ndarray):
        h.update(f"array:{thing.dtype}:{thing.shape};".encode())
        h.update(
            repr(thing.tolist()).encode() if thing.dtype == object else np.ascontiguousarray(thing).tobytes()
        )
    elif is_dataclass(thing) and not isinstance(thing, type):
        h.update(f"{type(thing).__module__}.{type(thing).__qualname__}(".encode())
        for f in fields(thing):
            # Fields left out of comparison (a number of threads) change no result.
            if f.init and f.compare:
                h.update(f"{f.name}=".encode())
                _feed(h, getattr(thing, f.name))
        h.update(b")")
    elif isinstance(thing, dict):
        for key in sorted(thing, key=repr):
            _feed(h, key)
            _feed(h, thing[key])
    elif isinstance(thing, tuple | list):
        h.update(f"[{len(thing)}".encode())
        for item in thing:
            _feed(h, item)
    elif hasattr(thing, "digest_parts"):
        h.update(f"{type(thing).__module__}.{type(thing).__qualname__}".encode())
        _feed(h, thing.digest_parts())
    else:
        raise TypeError(f"cannot hash a {type(thing).__qualname__} by value")


def fit_cached(
    learner: Learner[S, V],
    folder: Path,
    *,
    sweeps: int,
    seed: int,
    chains: int = 1,
    threads: int | None = None,
    version: str = "",
    save_every: float = 30.0,
    stopping: Callable[[], bool] = lambda: False,
) -> Tick[V]:
    """Run to the end, or read the end back from `folder`.

    A run that ended after fewer sweeps, or was interrupted, continues from its last checkpoint.

    Parameters
    ----------
    learner, sweeps, seed, chains, threads
        As for :func:`~otlab.inference.run.run`; all but `threads` make the key.
    folder
        Where results are kept; made if missing.
    version
        Anything else that invalidates old results (a digest of the kernels).
    save_every
        Seconds between checkpoints.
    stopping
        Called between ticks: a true answer ends the run, at a checkpoint.

    Raises
    ------
    Interrupted
        If `stopping` ended it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = digest(learner, seed, chains, version)[:24]
    done, last = folder / f"{name}-{sweeps}.tick", folder / f"{name}.checkpoint"
    if done.exists():
        tick: Tick[V] = pickle.loads(done.read_bytes())
        return tick
    start = Checkpoint.load(last) if last.exists() else None
    if start is not None and start.sweep > sweeps:
        start = None
    resumed = run(learner, sweeps=sweeps, seed=seed, chains=chains, threads=threads, start=start)
    saved = time.monotonic()
    while not resumed.finished:
        next(resumed)
        if stopping() and not resumed.finished:
            resumed.checkpoint().save(last)
            raise Interrupted("the run was stopped; it can continue from its checkpoint")
        if time.monotonic() - saved > save_every:
            resumed.checkpoint().save(last)
            saved = time.monotonic()
    resumed.checkpoint().save(last)
    tick = resumed.tick()
    part = done.with_suffix(".part")
    part.write_bytes(pickle.dumps(tick))
    part.replace(done)
    return tick
