"""``otlab serve`` that records the waiting times of its visitors inside the server.

    python -m benchmarks.classroom_server FILE [OPTIONS OF otlab serve]

Once a second it writes one line of JSON to FILE, see :class:`Second`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import sys
import threading
import time
import weakref
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from bokeh.server.session import ServerSession
from bokeh.server.tornado import BokehTornado
from bokeh.server.views.ws import WSHandler
from panel.io.server import DocHandler

from otlab.cli.main import main
from otlab.ui.documents.writer import Writer
from otlab.ui.run_panel import RunPanel
from otlab.ui.server import warm

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LOOK = 0.05  # seconds between two looks at how late the server's loop is
FORGET_MS = (
    5000  # closed pages are forgotten after this, not after half a minute: the next class waits for it
)


@dataclass
class Second:
    """What happened in one second; times in milliseconds.

    Attributes
    ----------
    time
        Its end, by the machine's monotonic clock.
    late
        How much later than asked the server's loop came back, each :data:`LOOK` seconds.
    pages
        From a page being asked for to its HTML being written.
    messages
        From a message of a browser coming in to the answer having gone out.
    ticks
        From looking at what the learners of a page have done to having drawn it.
    page_seconds, saving_seconds
        Processor time of the thread that serves all pages, and of the one that saves documents.
    written
        Bytes written to all files meanwhile.
    sessions, jobs
        Sessions and runs that there are at its end.
    warm
        Whether all kernels are compiled and read.
    """

    time: float = 0.0
    late: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    messages: list[float] = field(default_factory=list)
    ticks: list[float] = field(default_factory=list)
    page_seconds: float = 0.0
    saving_seconds: float = 0.0
    written: int = 0
    sessions: int = 0
    jobs: int = 0
    warm: bool = False


_now = Second()
_sessions: weakref.WeakSet[ServerSession] = weakref.WeakSet()


def _timed(owner: type, name: str, times: str) -> None:
    """Have a method, plain or asynchronous, note how long it takes."""
    original = getattr(owner, name)

    def note(begin: float) -> None:
        getattr(_now, times).append(1000 * (time.perf_counter() - begin))

    async def until_done(begin: float, work: Awaitable[Any]) -> Any:
        try:
            return await work
        finally:
            note(begin)

    @functools.wraps(original)
    def timed(self: Any, *args: Any, **options: Any) -> Any:
        begin = time.perf_counter()
        result = original(self, *args, **options)
        if inspect.isawaitable(result):
            return until_done(begin, result)
        note(begin)
        return result

    setattr(owner, name, timed)


def _noting_saves(original: Callable[[Writer, str], None]) -> Callable[[Writer, str], None]:
    def saved(self: Writer, document: str) -> None:
        begin = time.thread_time()
        original(self, document)
        _now.saving_seconds += time.thread_time() - begin

    return saved


def _noting_sessions(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def created(self: ServerSession, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        _sessions.add(self)

    return created


async def _look(path: Path) -> None:
    """Note how late the loop is, and write a line each second."""
    global _now
    process = psutil.Process()
    written, used, bytes_written = time.monotonic(), time.thread_time(), process.io_counters().write_chars
    while True:
        begin = time.perf_counter()
        await asyncio.sleep(LOOK)
        _now.late.append(1000 * (time.perf_counter() - begin - LOOK))
        if time.monotonic() - written < 1:
            continue
        second, _now = _now, Second()
        written, second.page_seconds, used = time.monotonic(), time.thread_time() - used, time.thread_time()
        second.time, second.sessions = written, sum(not session.destroyed for session in _sessions)
        so_far = process.io_counters().write_chars
        second.written, bytes_written = so_far - bytes_written, so_far
        second.jobs = sum(thread.name == "job" for thread in threading.enumerate())
        second.warm = warm.kernels.loaded
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(second)) + "\n")


def _forgetful(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def made(self: BokehTornado, *args: Any, **options: Any) -> None:
        times = dict.fromkeys(
            ("check_unused_sessions_milliseconds", "unused_session_lifetime_milliseconds"), FORGET_MS
        )
        original(self, *args, **{**options, **times})

    return made


def serve(path: Path, options: list[str]) -> int:
    """Serve, and note."""
    tasks = set()
    start = BokehTornado.start

    def started(self: BokehTornado) -> None:
        start(self)
        tasks.add(asyncio.get_event_loop().create_task(_look(path)))

    BokehTornado.start = started
    BokehTornado.__init__ = _forgetful(BokehTornado.__init__)
    ServerSession.__init__ = _noting_sessions(ServerSession.__init__)
    Writer._do = _noting_saves(Writer._do)
    _timed(DocHandler, "get", "pages")
    _timed(WSHandler, "on_message", "messages")
    _timed(RunPanel, "tick", "ticks")
    return int(main(["serve", *options]) or 0)


if __name__ == "__main__":
    raise SystemExit(serve(Path(sys.argv[1]), sys.argv[2:]))
