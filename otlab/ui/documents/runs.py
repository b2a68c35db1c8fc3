"""The runs of a document: saved between two ticks of theirs, and taken up again.

A run is saved before its first step, every two seconds, more seldom if that takes long, and when it ends
or is stopped. Each press of Run has an id of its own, so that a run stays where it is saved while other data
are open, for as long as it is in sight or Undo and Redo lead back to it. All runs that go on share so many
bytes per second: a class of thirty would write hundreds of megabytes. A run comes back with the states and
generators of its chains: what has ended shows its results, what has not is paused where it was, and goes on
with the numbers of a run that was never stopped. One that was saved before its first step begins from its
seed, and so does one that waited for its turn: of that the settings are saved, and a digest of the data that
it was to learn from. What is saved in another way, such as recordings, is no part of a run. When a run ends,
some of its earlier ticks are saved beside it, for the replay slider.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import threading
import time
from typing import TYPE_CHECKING, Any

from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.documents.writer import writer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from otlab.inference import Run, Tick
    from otlab.inference.replay import TickHistory
    from otlab.ui.documents.store import DocumentStore
    from otlab.ui.past_runs import RunKey
    from otlab.ui.state import State

__all__ = [
    "BYTES_PER_SECOND",
    "COST_SHARE",
    "MOST_PAST_BYTES",
    "MOST_REPLAY_BYTES",
    "MOST_RUN_BYTES",
    "REPLAY",
    "RUN",
    "SIGHT",
    "Runs",
    "WriteBudget",
    "data_digest",
    "part_name",
]

_log = logging.getLogger(__name__)
RUN = "run "
"""What the names of the parts with runs begin with."""
REPLAY = "replay "
"""What the names of the parts with earlier ticks of runs begin with."""
SIGHT = "sight"
"""The part that has the ids of the runs in sight, and their context."""
MOST_RUN_BYTES = 64_000_000
"""The runs of learners whose draws take more are not saved."""
MOST_PAST_BYTES = 256_000_000
"""What the runs of a document that are not in sight may take together: of more the nearest are kept."""
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
        Whether runs are shown that are saved already.
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
        self._expected: tuple[Collection[RunKey], Callable[[], dict[str, Any]]] | None = None
        self._lock = threading.Lock()
        self._newest: frozenset[RunKey] = frozenset()  # begun last: saved before the document refers to them
        self._kept: frozenset[RunKey] = frozenset()
        self._due: dict[RunKey, float] = {}
        self._data: dict[RunKey, bytes] = {}
        self._ticks: dict[RunKey, tuple[Any, Mapping[str, Any]]] = {}  # beside what is saved elsewhere
        self.left_out: set[str] = set()
        self.superseded = self.opening = False

    def expect(self, keys: Collection[RunKey]) -> None:
        """Save that these runs wait for their turn, with the present settings."""
        self._newest = frozenset(keys)
        self._begin()
        with self._lock:
            self._expected = (keys, self._plain())
            self.left_out -= {row for row, _ in keys}
        self._order(0.0)

    def drop(self, key: RunKey) -> None:
        """Delete what was saved of a run: it is refused."""
        with self._lock:
            self._data[key] = b""
        self._order(0.0)

    def taker(self, key: RunKey) -> Callable[[Run[Any, Any], bool], None]:
        """Return the function that a job calls between ticks with its run, and whether it ends."""
        self._begin()
        elsewhere = self._state.run_data()

        def take(run: Run[Any, Any], ended: bool) -> None:
            now = time.monotonic()
            if not ended and (now < self._due.get(key, 0.0) or not _budget.free):
                return
            wanted = key in self._newest or key in self._kept
            if wanted and not self.superseded and self._document():
                try:
                    size = self._take(key, run, elsewhere)
                    if not ended:
                        _budget.spend(size)
                except Exception:  # the run continues all the same
                    _log.exception("the run of %s could not be saved", key[0])
                cost = time.monotonic() - now
                self._due[key] = now + max(SECONDS, COST_SHARE * cost)

        return take

    def keep_ticks(self, histories: Mapping[RunKey, TickHistory]) -> None:
        """Save earlier ticks of runs that have ended, for the replay slider."""
        if self.opening:  # they come from the document
            return
        elsewhere = self._state.run_data()
        ticks = {key: history.within(MOST_REPLAY_BYTES) for key, history in histories.items()}
        with self._lock:
            self._ticks |= {key: (kept, elsewhere) for key, kept in ticks.items() if len(kept) > 1}
        self._order(0.0)

    def forget_newest(self) -> None:
        """Save the runs begun last only as long as they are in sight, or Undo and Redo lead back to them."""
        self._newest = frozenset()

    def keep(self, keys: Sequence[RunKey]) -> None:
        """Set the runs that are in sight, or that Undo and Redo lead back to: the others are not saved."""
        self._kept = frozenset(keys)

    def unwanted(
        self, document: str, keys: Sequence[RunKey], shown: Collection[RunKey]
    ) -> tuple[set[str], set[str]]:
        """Return the saved parts that nothing leads back to or that have no room, and the rows of the latter.

        Parameters
        ----------
        document
            Its id.
        keys
            The runs in sight, and those that Undo and Redo lead back to, the most important first.
        shown
            Those in sight.
        """
        if self.superseded:
            return set(), set()
        kept, crowded, room = set(self._newest), set[str](), MOST_PAST_BYTES
        sizes = self._store.part_sizes(document, RUN)
        for key in keys:
            size = 0 if key in shown or key in self._newest else sizes.get(part_name(RUN, key), 0)
            if size <= room:
                kept.add(key)
                room -= size
            else:
                crowded.add(key[0])
        there = {*sizes, *self._store.part_sizes(document, REPLAY)}
        return there - {part_name(kind, key) for kind in (RUN, REPLAY) for key in kept}, crowded

    def load(self, key: RunKey) -> tuple[Run[Any, Any], Iterable[Tick[Any]]] | None:
        """Return a saved run and its earlier ticks; None if it is not there, or cannot be read."""
        document = self._document()
        writer.flush(f"{document} runs")
        record = self._read(part_name(RUN, key))
        if record is None or isinstance(record, dict):
            return None
        try:
            return record.run(), self._read(part_name(REPLAY, key)) or ()
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            _log.info("the run of %s in a document was left out: %s", key[0], error)
            return None

    def waiting(self, keys: Collection[RunKey]) -> dict[str, Mapping[str, Any]]:
        """Return settings and data of those of these runs that had no turn yet, by row."""
        read = {key[0]: self._read(part_name(RUN, key)) for key in keys}
        return {row: one for row, one in read.items() if isinstance(one, dict)}

    def _read(self, name: str) -> Any:
        data = self._store.part(self._document(), name)
        try:
            return loads(data, self._state.run_data()) if data else None
        except ValueError as error:
            _log.info("the part %r of a document was left out: %s", name, error)
            return None

    def _take(self, key: RunKey, run: Run[Any, Any], elsewhere: Mapping[str, Any]) -> int:
        """Schedule the writing of a run; return its size in bytes."""
        data = dumps(run.record(), elsewhere)
        with self._lock:
            if len(data) > MOST_RUN_BYTES:
                self.left_out.add(key[0])
                data = b""  # in place of what was saved while it waited
            self._data[key] = data
        self._order(0.0)
        return len(data)

    def _order(self, seconds: float) -> None:
        document = self._document()
        if document and not self.superseded:
            writer.put(f"{document} runs", lambda: self._write(document), seconds)

    def _write(self, document: str) -> None:
        with self._lock:
            expected, self._expected = self._expected, None
            data, self._data = self._data, {}
            ticks, self._ticks = self._ticks, {}
        parts = {part_name(RUN, key): each for key, each in data.items()}
        parts |= {part_name(REPLAY, key): dumps(*each) for key, each in ticks.items()}
        if expected is not None:
            keys, values = expected[0], expected[1]()
            waiting = dumps({"settings": values["settings"], "data": data_digest(values)})
            parts = {**{part_name(RUN, key): waiting for key in keys}, **parts}
        try:
            self._store.put_parts(document, parts)
        except Exception:
            with self._lock:  # the writer tries again, with what is newer since
                self._data, self._ticks = {**data, **self._data}, {**ticks, **self._ticks}
                self._expected = self._expected or expected
            raise


def part_name(kind: str, key: RunKey) -> str:
    """Return the name of a run's part of one kind; runs of earlier versions of otlab have no id.

    >>> part_name(RUN, ("gibbs", "f3")), part_name(RUN, ("gibbs", ""))
    ('run gibbs f3', 'run gibbs')
    """
    row, identity = key
    return f"{kind}{row} {identity}".rstrip()


def data_digest(values: Mapping[str, Any]) -> str:
    """Return a digest of the data in what a lab's ``to_dict`` returns, before and after they were JSON."""
    data = json.loads(json.dumps([values["example"], values["name"], values["document"]]))
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
