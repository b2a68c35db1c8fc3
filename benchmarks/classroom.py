"""A class on one server: how long its pages wait, and what they cost.

    python -m benchmarks classroom [--bare] [--pages 30] [--seconds 20] [--waves 1] [--cores 0,1]

One server, held to two cores, and as many real pages of Chromium as asked for: OT, tagging,
grammar and lexicon in turn, each with an example and a long run. They are opened within a
minute, run within some seconds, are watched for a while, stopped, and closed. What a page waits for
is measured in the page, from the click to the frame: it is acknowledged when the run panel changes,
and the picture has moved when its number of sweeps has.

In a class room each page has a computer of its own; here all of them share the server's cores, and
opening one costs its browser about six times what it costs the server. ``--bare`` has visitors without
a browser, which ask, click and listen as a page does: what they wait for is what a class waits for at
the server. The second table is the server's own part: its processor time, how late its loop is, and how
long it takes from a message coming in to the answer going out. (``--browser-nice 19`` lets the server go
first; since learners take all that it has, browsers then get next to nothing.)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.classroom_server import Second
from benchmarks.classroom_sockets import SocketPage, open_page
from benchmarks.measure import Row, at_least, at_most, show
from tests.ui.browser import CHROMIUM, FLAGS, server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    Opening = Callable[[str], Awaitable["BrowserPage | SocketPage"]]

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PAGES = (
    "ot_lab?example=ilokano_reduplication&sweeps=100000000",
    "tagging_lab?iterations=100000",
    "ot_lab?example=spanish_diminutive&sweeps=100000000",
    "mg_lab?iterations=100000",
    "ot_lab?example=ilokano_reduplication&sweeps=100000000",
    "lexicon_lab?iterations=100000",
)
OPENED_WITHIN = 60.0  # seconds over which thirty visitors come
THE_CLASS = 30
PATIENCE = 240_000  # ms
CLICKED_WITHIN = 5.0  # seconds over which the class presses Run, and later Stop
QUIET = 15.0  # seconds after which the server has noticed that its visitors are gone


@dataclass
class Use:
    """What the server and the browser have used, and what the server has noted of itself."""

    server: psutil.Process
    notes: Path

    def cpu(self) -> tuple[float, float]:
        """Return processor seconds of the server, and of the browser and what drives it."""
        own = sum(self.server.cpu_times()[:2])
        here = psutil.Process()
        browser = sum(here.cpu_times()[:2])
        below = {child.pid for child in self.server.children(recursive=True)} | {self.server.pid}
        for child in here.children(recursive=True):
            with suppress(psutil.Error):
                if child.pid not in below:
                    browser += sum(child.cpu_times()[:2])
        return own, browser

    def noted(self, begin: float, end: float) -> Second:
        """Return all that the server noted between two times of the monotonic clock, in one."""
        total = Second(time=end)
        for line in self.notes.read_text(encoding="utf-8").splitlines():
            second = Second(**json.loads(line))
            if begin < second.time <= end:
                total.late += second.late
                total.pages += second.pages
                total.messages += second.messages
                total.ticks += second.ticks
                total.page_seconds += second.page_seconds
                total.sessions, total.jobs = second.sessions, second.jobs
        return total

    def give_sessions_our_niceness(self) -> None:
        """Give the sessions that this process has started its own niceness as groups, too.

        Linux shares the cores among sessions (autogroups) before it looks at niceness, and the browser
        starts a session of its own.
        """
        below = {self.server.pid} | {child.pid for child in self.server.children(recursive=True)}
        for child in psutil.Process().children(recursive=True):
            group = Path(f"/proc/{child.pid}/autogroup")
            if (
                child.pid not in below
                and group.exists()
                and os.getsid(child.pid) != os.getsid(self.server.pid)
            ):
                group.write_text(str(os.nice(0)), encoding="ascii")

    @property
    def compiling(self) -> bool:
        """Whether the server's kernels are being compiled, in a process of their own."""
        return bool(self.server.children())

    @property
    def megabytes(self) -> float:
        """Return the server's memory that no other process shares."""
        return self.server.memory_full_info().uss / 1e6


@dataclass
class Waits:
    """What the pages of one wave waited for, in ms; updates per second."""

    opened: list[float] = field(default_factory=list)
    heard: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    updates: list[float] = field(default_factory=list)
    sweeps: dict[str, list[float]] = field(default_factory=dict)
    stopped: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks classroom", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--pages", type=int, default=THE_CLASS)
    parser.add_argument("--seconds", type=float, default=20, help="for which all run")
    parser.add_argument("--waves", type=int, default=1, help="how often the class comes and goes")
    parser.add_argument("--cores", default="0,1", help="those of the server")
    parser.add_argument("--browser-nice", type=int, default=0, help="19 lets the server go first")
    parser.add_argument("--bare", action="store_true", help="visitors without a browser")
    args = parser.parse_args(argv)
    broken = []
    for wave in campaign(args.pages, args.seconds, args.waves, args.cores, args.browser_nice, bare=args.bare):
        wave.show()
        broken += wave.faults()
    for fault in broken:
        print(fault, file=sys.stderr)
    return 1 if broken else 0


@dataclass
class Wave:
    """A class that came, ran and went.

    Attributes
    ----------
    number, pages, seconds
        Which wave, how many pages, and for how long they ran.
    waits
        What the pages measured.
    opening, running
        Processor seconds per page opened, and cores used while all ran: server, browser.
    server_opening, server_running
        What the server noted of itself meanwhile.
    base, full, after
        Megabytes of the server before, with all pages, and after they were closed.
    threads, left
        Threads more than before, and what the server noted last.
    """

    number: int
    pages: int
    seconds: float
    waits: Waits
    opening: tuple[float, float]
    running: tuple[float, float]
    server_opening: Second
    server_running: Second
    base: float
    full: float
    after: float
    threads: int
    left: Second

    def faults(self) -> list[str]:
        """Return what may not happen however slow the machine: pages without an answer, things left over."""
        waits = self.waits
        counts = {"was opened": waits.opened, "was acknowledged": waits.heard, "moved": waits.first}
        counts["was stopped"] = waits.stopped
        said = [f"only {len(n)} of {self.pages} {what}" for what, n in counts.items() if len(n) < self.pages]
        still = sum(n == 0 for n in waits.updates)
        said += [f"{still} pages stood still"] if still else []
        left = {"sessions": self.left.sessions, "runs": self.left.jobs}
        return said + [f"{n} {what} were left" for what, n in left.items() if n]

    def show(self) -> None:
        """Print both tables, and what is left."""
        print(f"wave {self.number}: {self.pages} pages; processor time per page opened:", end=" ")
        print(f"server {self.opening[0]:.2f} s, browser {self.opening[1]:.2f} s;", end=" ")
        print(f"while all ran: server {self.running[0]:.2f} cores, browser {self.running[1]:.2f}", flush=True)
        show(rows(self.waits, self.pages, self.base, self.full))
        noted = self.server_running
        print(f"the server's own part: {len(noted.ticks) / self.seconds:.1f} pictures per second,", end=" ")
        print(f"{noted.page_seconds / self.seconds:.2f} cores for the thread that draws and answers")
        show(server_rows(self))
        left = self.left
        print(
            f"after closing: {self.after:.0f} MB ({self.after - self.base:+.0f}), {self.threads:+d} threads,",
            end=" ",
        )
        print(f"{left.sessions} sessions, {left.jobs} runs", flush=True)
        for line in self.waits.failed:
            print(f"  failed: {line}", file=sys.stderr)


def campaign(
    pages: int, seconds: float, waves: int = 1, cores: str = "", nice: int = 0, *, bare: bool = False
) -> Iterator[Wave]:
    """Serve, and send the waves, one after another."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes.jsonl")
        command = ("benchmarks.classroom_server", str(notes), "--no-browser", "--port", "{port}")
        with server(*command, path="/ot_lab") as (url, process):
            use = Use(psutil.Process(process.pid), notes)
            if cores:
                use.server.cpu_affinity([int(core) for core in cores.split(",")])
            while use.compiling:
                time.sleep(0.2)
            os.nice(nice)  # the browser is started from here
            with asyncio.Runner() as runner:
                visits = visit(sockets if bare else browsers, url, use, pages, seconds, waves)
                while (wave := runner.run(anext(visits, None))) is not None:
                    yield wave


async def visit(
    visitors_of: Callable[[Use], AbstractAsyncContextManager[Opening]],
    url: str,
    use: Use,
    pages: int,
    seconds: float,
    waves: int,
) -> AsyncIterator[Wave]:
    """Send the waves."""
    async with visitors_of(use) as open_page:
        for place in dict.fromkeys(PAGES[:pages]):  # what the first visitor pays is not the class's
            await one_page(open_page, url, place, Waits(), 1.0, asyncio.Event(), warm=True)
        await asyncio.sleep(2)
        for number in range(1, waves + 1):
            base, threads = use.megabytes, use.server.num_threads()
            print(f"before the class: {base:.0f} MB, {threads} threads", flush=True)
            waits, all_there = Waits(), asyncio.Event()
            begin, cpu = time.monotonic(), use.cpu()
            visitors = []
            for i in range(pages):
                late = CLICKED_WITHIN * i / pages
                task = one_page(open_page, url, PAGES[i % len(PAGES)], waits, seconds, all_there, late)
                visitors.append(asyncio.create_task(task))
                await asyncio.sleep(OPENED_WITHIN / max(pages, THE_CLASS))
            while len(waits.opened) + len(waits.failed) < pages:
                await asyncio.sleep(0.1)
            opening = [(b - a) / pages for a, b in zip(cpu, use.cpu(), strict=True)]
            full = use.megabytes
            opened, cpu = time.monotonic(), use.cpu()
            all_there.set()
            await asyncio.sleep(seconds)  # later, pages that are closed take their figures along
            ran = time.monotonic()
            running = [(b - a) / (ran - opened) for a, b in zip(cpu, use.cpu(), strict=True)]
            await asyncio.gather(*visitors)
            await asyncio.sleep(QUIET)
            end = time.monotonic()
            yield Wave(
                number,
                pages,
                ran - opened,
                waits,
                (opening[0], opening[1]),
                (running[0], running[1]),
                use.noted(begin, opened),
                use.noted(opened, ran),
                base,
                full,
                use.megabytes,
                use.server.num_threads() - threads,
                use.noted(ran, end),
            )


async def one_page(
    open_page: Opening,
    url: str,
    place: str,
    waits: Waits,
    seconds: float,
    all_there: asyncio.Event,
    late: float = 0.0,
    *,
    warm: bool = False,
) -> None:
    """Open a page, wait for the class, run, watch, stop, close."""
    page = None
    try:
        begin = time.monotonic()
        page = await open_page(f"{url}/{place}")
        waits.opened.append(1000 * (time.monotonic() - begin))
        if not warm:
            await all_there.wait()
            await asyncio.sleep(late)
        seen = await page.run(1000 * seconds)
        waits.heard.append(seen["heard"])
        waits.first.append(seen["first"])
        waits.updates.append(seen["updates"])
        waits.sweeps.setdefault(place, []).append(seen["sweeps"])
        waits.stopped.append(await page.stop())
    except Exception as error:  # one page's failure is printed and must not end the campaign
        waits.failed.append(f"{place}: {error!r}")
        if warm:
            raise
    finally:
        if page is not None:
            await page.close()


@dataclass
class BrowserPage:
    """One page in a real browser."""

    page: Any

    async def run(self, milliseconds: float) -> dict[str, float]:
        """Press Run and watch, see ``classroom.js``."""
        seen: dict[str, float] = await self.page.evaluate(f"classroom.run({milliseconds}, {PATIENCE})")
        return seen

    async def stop(self) -> float:
        """Press Stop; return the ms until the page says that it stopped."""
        return float(await self.page.evaluate(f"classroom.stop({PATIENCE})"))

    async def close(self) -> None:
        """Close the page, its cookies and its cache."""
        await self.page.context.close()


@asynccontextmanager
async def browsers(use: Use) -> AsyncIterator[Opening]:
    """Yield what opens a page in Chromium, each as a visitor of its own."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        use.give_sessions_our_niceness()

        async def opened(address: str) -> BrowserPage:
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            context.set_default_timeout(PATIENCE)
            page = await context.new_page()
            try:
                await page.goto(address)
                await page.locator("#opening").wait_for(state="detached")
                await page.evaluate(SCRIPT)
            except BaseException:
                await context.close()
                raise
            return BrowserPage(page)

        yield opened
        await browser.close()


@asynccontextmanager
async def sockets(_use: Use) -> AsyncIterator[Opening]:
    """Yield what opens a page without a browser."""

    async def opened(address: str) -> SocketPage:
        return await open_page(address, PATIENCE / 1000)

    yield opened


def rows(waits: Waits, pages: int, base: float, full: float) -> dict[str, Row]:
    """Return the lines of one wave; times are 95th percentiles."""
    opened, heard, first = (p95(times) for times in (waits.opened, waits.heard, waits.first))
    slowest, stopped = min(waits.updates, default=0.0), p95(waits.stopped)
    shares = [min(s) / statistics.mean(s) for s in waits.sweeps.values() if len(s) > 1]
    memory = (full - base) / pages
    lines = {
        "class: a page is usable, p95": at_most(opened, "ms", "10 s", 10_000, opened / 10_000, 1),
        "class: a click is acknowledged, p95": at_most(heard, "ms", "200 ms", 200, heard / 200, 1),
        "class: the first moved picture, p95": at_most(first, "ms", "3 s", 3000, first / 3000, 1),
        "class: updates of the slowest page": at_least(slowest, "1/s", "1 a second", 1, slowest, 1),
        "class: Stop, p95": at_most(stopped, "ms", "300 ms", 300, stopped / 300, 1),
        "class: memory per page": at_most(memory, "MB", "8 MB", 8, memory / 8, 1),
    }
    if shares:
        least = min(shares)
        lines["class: least share of a page"] = at_least(least, "of the mean", "half", 0.5, least / 0.5, 1)
    return lines


def server_rows(wave: Wave) -> dict[str, Row]:
    """Return the lines of the server's own part; times are 95th percentiles."""
    opening, running = wave.server_opening, wave.server_running
    cost, made = wave.opening[0], p95(opening.pages)
    heard, late, drawn = p95(running.messages), p95(running.late), p95(running.ticks)
    return {
        "server: processor time per page opened": at_most(cost, "s", "0.6 s", 0.6, cost / 0.6, 1),
        "server: a page is asked for and sent": at_most(made, "ms", "10 s", 10_000, made / 10_000, 1),
        "server: message in to answer out": at_most(heard, "ms", "200 ms", 200, heard / 200, 1),
        "server: its loop comes back late by": at_most(late, "ms", "200 ms", 200, late / 200, 1),
        "server: a tick is drawn": at_most(drawn, "ms", "200 ms", 200, drawn / 200, 1),
    }


def p95(times: list[float]) -> float:
    """Return the 95th percentile; infinite if there is nothing."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if ordered else float("inf")
