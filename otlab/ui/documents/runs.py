"""The runs of a document: saved between two ticks of theirs, and taken up again.

A run is saved before its first step, every two seconds, more seldom if that takes long, and when it ends
or is stopped. All runs that go on share so many bytes per second: a class of thirty would write hundreds
of megabytes. A run comes back with the states and generators of its chains: what has ended shows its
results, what has not is paused where it was, and goes on with the numbers of a run that was never stopped.
One that was saved before its first step begins from its seed, and so does one that waited for its turn:
of that the settings are saved, and a digest of the data that it was to learn from. What is saved in another
way, such as recordings, is no part of a run; and when other rows run, those whose results stay in sight stay
saved. When a run ends, some of its earlier ticks are saved beside it, for the replay slider.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import threading
import time
from typing import TYPE_CHECKING, Any

from otlab.ui.documents.safe_pickle import dumps
from otlab.ui.documents.writer import writer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from otlab.inference import Run
    from otlab.inference.replay import TickHistories
    from otlab.ui.documents.store import DocumentStore
    from otlab.ui.state import State

__all__ = [
    "BYTES_PER_SECOND",
    "COST_SHARE",
    "MOST_REPLAY_BYTES",
    "MOST_RUN_BYTES",
    "REPLAY",
    "RUN",
    "Runs",
    "WriteBudget",
    "data_digest",
]

_log = logging.getLogger(__name__)
RUN = "run "
"""What the names of the parts with runs begin with."""
REPLAY = "replay "
"""What the names of the parts with earlier ticks of runs begin with."""
MOST_RUN_BYTES = 64_000_000
"""The runs of learners whose draws take more are not saved."""
MOST_REPLAY_BYTES = 4_000_000
"""Of the earlier ticks of each learner so many bytes are saved, evenly spaced."""
SECONDS = 2.0
COST_SHARE = 20  # at most a twentieth of a run's time goes into saving it
BYTES_PER_SECOND = 8_000_000
"""Bytes that all current runs of a server write together; one run of a tagger has nine million."""


class WriteBudget:
    """The bytes per second that several runs share.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at = -math.inf
        self._lock = threading.Lock()

    @property
    def free(self) -> bool:
        """Whether another run may be written now."""
        return self._clock() >= self._free_at

    def spend(self, size: int) -> None:
        """Record that `size` bytes are written."""
        with self._lock:
            self._free_at = max(self._clock(), self._free_at) + size / BYTES_PER_SECOND


_budget = WriteBudget()


class Runs:
    """Save the runs of one page in the store.

    Parameters
    ----------
    store
        Where.
    document
        Returns the id of the page's document; empty while there is none.
    begin
        Makes a document of the open data, unless there is one; called when a run starts.
    plain
        Returns a function that returns data and settings as they are now, for JSON, on any thread.
    state
        The lab's, which says which rows' results are shown and what is saved elsewhere.

    Attributes
    ----------
    left_out
        Rows whose runs are too large to be saved.
    superseded
        Whether a page opened later shows the same document: its runs are saved.
    opening
        Whether the page is going from one document to another: both keep the runs that are stored.
    """

    def __init__(
        self,
        store: DocumentStore,
        document: Callable[[], str],
        begin: Callable[[], None],
        plain: Callable[[], Callable[[], dict[str, Any]]],
        state: State,
    ) -> None:
        self._store, self._document, self._begin, self._plain = store, document, begin, plain
        self._state = state
        self._expected: tuple[Collection[str], Callable[[], dict[str, Any]]] | None = None
        self._lock = threading.Lock()
        self._generation = 0  # counts runs: a late tick of an earlier one is not saved
        self._due: dict[str, float] = {}
        self._data: dict[str, bytes] = {}
        self._ticks: dict[str, tuple[Any, Mapping[str, Any]]] = {}  # beside what is saved elsewhere
        self._keeping: set[str] | None = None  # all others are to be deleted; None: none is
        self.left_out: set[str] = set()
        self.superseded = self.opening = False

    def expect(self, names: Collection[str]) -> None:
        """Save that the runs of these rows wait for their turn, with the present settings."""
        self._begin()
        with self._lock:
            self._expected = (names, self._plain())
        self._order(0.0)

    def drop(self, name: str) -> None:
        """Delete what was saved of a row: its run is refused."""
        with self._lock:
            self._data[name] = b""
        self._order(0.0)

    def taker(self, name: str) -> Callable[[Run[Any, Any], bool], None]:
        """Return the function that a job calls between ticks with the run of a row, and whether it ends."""
        self._begin()
        generation, elsewhere = self._generation, self._state.run_data()

        def take(run: Run[Any, Any], ended: bool) -> None:
            now = time.monotonic()
            if not ended and (now < self._due.get(name, 0.0) or not _budget.free):
                return
            if generation == self._generation and not self.superseded and self._document():
                try:
                    size = self._take(name, run, elsewhere)
                    if not ended:
                        _budget.spend(size)
                except Exception:  # the run continues all the same
                    _log.exception("the run of %s could not be saved", name)
                cost = time.monotonic() - now
                self._due[name] = now + max(SECONDS, COST_SHARE * cost)

        return take

    def keep_ticks(self, histories: TickHistories) -> None:
        """Save earlier ticks of the rows whose runs have ended, for the replay slider."""
        if self.opening:  # they come from the document
            return
        elsewhere, ticks = self._state.run_data(), histories.within(MOST_REPLAY_BYTES)
        with self._lock:
            self._ticks |= {name: (kept, elsewhere) for name, kept in ticks.items() if len(kept) > 1}
        self._order(0.0)

    def forget(self) -> None:
        """Delete from the store the runs whose results are no longer shown: others begin, or all end."""
        kept = set() if self.opening else set(self._state.rows_shown())
        with self._lock:
            self._generation += 1
            self._expected, self._due = None, {}
            self._data = {name: data for name, data in self._data.items() if name in kept}
            self._ticks = {name: ticks for name, ticks in self._ticks.items() if name in kept}
            before = kept if self._keeping is None else self._keeping
            self._keeping = None if self.opening else before & kept
            self.left_out &= kept
        if not self.opening:
            self._order(0.0)

    def _take(self, name: str, run: Run[Any, Any], elsewhere: Mapping[str, Any]) -> int:
        """Schedule the writing of a run; return its size in bytes."""
        data = dumps(run.record(), elsewhere)
        with self._lock:
            if len(data) > MOST_RUN_BYTES:
                self.left_out.add(name)
                data = b""  # in place of what was saved while it waited
            self._data[name] = data
        self._order(0.0)
        return len(data)

    def _order(self, seconds: float) -> None:
        document = self._document()
        if document and not self.superseded:
            writer.put(f"{document} runs", lambda: self._write(document), seconds)

    def _write(self, document: str) -> None:
        with self._lock:
            expected, self._expected = self._expected, None
            parts = {RUN + name: data for name, data in self._data.items()}
            ticks, self._ticks = self._ticks, {}
            self._data, keeping, self._keeping = {}, self._keeping, None
        parts |= {REPLAY + name: dumps(*each) for name, each in ticks.items()}
        if expected is not None:
            names, values = expected[0], expected[1]()
            waiting = dumps({"settings": values["settings"], "data": data_digest(values)})
            parts = {**{RUN + name: waiting for name in names}, **parts}
        dropped: set[str] = set()
        if keeping is not None:
            for kind in (RUN, REPLAY):
                dropped |= self._store.part_names(document, kind) - {kind + name for name in keeping}
        self._store.put_parts(document, parts, without=dropped)


def data_digest(values: Mapping[str, Any]) -> str:
    """Return a digest of the data in what a lab's ``to_dict`` returns, before and after they were JSON."""
    data = json.loads(json.dumps([values["example"], values["name"], values["document"]]))
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
