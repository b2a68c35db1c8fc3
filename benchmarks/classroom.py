"""A class on one server: how long its pages wait, and what they cost.

    python -m benchmarks classroom [--bare] [--pages 30] [--seconds 20] [--waves 1] [--cores 0,1]
    python -m benchmarks classroom --short-run [--cores 0,1]
    python -m benchmarks classroom --growth [--pages 30] [--waves 10] [--cores 0,1]

One server, held to two cores, and as many real pages of Chromium as asked for: OT, tagging,
grammar and lexicon in turn, each with an example and a long run. They are opened within a
minute, run within some seconds, are watched for a while, stopped, and closed. What a page waits for
is measured in the page, from the click to the frame: it is acknowledged when the run panel changes,
and the picture has moved when its number of sweeps has; an update is a change of this number, or of how far
one of its learners is.

In a class room each page has a computer of its own; here all of them share the server's cores, and
opening one costs its browser about six times what it costs the server. ``--bare`` has visitors without
a browser, which ask, click and listen as a page does: what they wait for is what a class waits for at
the server; three more only edit meanwhile. The second table is the server's own part: its processor time,
how late its loop is, and how long it takes from a message coming in to the answer going out.
(``--browser-nice 19`` lets the server go first; since learners take all that it has, browsers then get
next to nothing.)

``--short-run`` has a run of 20,000 sweeps alone, and then among ten endless ones.

``--growth`` sends ten waves of visitors without a browser, a minute each, and prints what each leaves behind
and how the server's memory grows from wave to wave.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.classroom_report import Waits, Wave, show_growth
from benchmarks.classroom_server import Second
from benchmarks.classroom_sockets import SocketPage, open_socket_page
from benchmarks.measure import Row, at_most, show
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
SHORT = "ot_lab?example=ilokano_reduplication&sweeps=20000&learners=gibbs"
EDITORS = 3  # visitors without a browser that only edit while the class runs
EDIT_SECONDS = 1.0  # from one edit to the next
CLICKED_WITHIN = 5.0  # seconds over which the class presses Run, and later Stop
WAVES, WAVE_OPENED_WITHIN, WAVE_SECONDS = 10, 20.0, 8.0  # of --growth
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
                total.saving_seconds += second.saving_seconds
                total.written += second.written
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
    def warm(self) -> bool:
        """Whether the server's kernels are compiled and read."""
        lines = self.notes.read_text(encoding="utf-8").splitlines() if self.notes.exists() else []
        return bool(lines) and Second(**json.loads(lines[-1])).warm

    @property
    def megabytes(self) -> float:
        """Return the server's memory that no other process shares."""
        return self.server.memory_full_info().uss / 1e6


@dataclass(frozen=True)
class Visits:
    """How the class comes and goes.

    Attributes
    ----------
    pages, waves
        How many visitors, and how often they come.
    seconds
        For which all run.
    opened_within
        Seconds over which thirty of them come.
    """

    pages: int
    seconds: float
    waves: int = 1
    opened_within: float = OPENED_WITHIN


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks classroom", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--pages", type=int, default=THE_CLASS)
    parser.add_argument("--seconds", type=float, default=20, help="for which all run")
    parser.add_argument("--waves", type=int, help="how often the class comes and goes")
    parser.add_argument("--cores", default="0,1", help="those of the server")
    parser.add_argument("--browser-nice", type=int, default=0, help="19 lets the server go first")
    parser.add_argument("--bare", action="store_true", help="visitors without a browser")
    parser.add_argument("--short-run", action="store_true", help="a short run among ten endless ones")
    parser.add_argument("--growth", action="store_true", help="ten short waves: what they leave behind")
    args = parser.parse_args(argv)
    if args.short_run:
        show(short_run(args.cores))
        return 0
    visits, niceness = Visits(args.pages, args.seconds, args.waves or 1), args.browser_nice
    if args.growth:
        visits = Visits(args.pages, WAVE_SECONDS, args.waves or WAVES, WAVE_OPENED_WITHIN)
    waves = []
    for wave in campaign(visits, args.cores, niceness, bare=args.bare or args.growth):
        if args.growth:
            wave.show_memory()
        else:
            wave.show()
        waves.append(wave)
    show_growth(waves)
    broken = [fault for wave in waves for fault in wave.faults()]
    for fault in broken:
        print(fault, file=sys.stderr)
    return 1 if broken else 0


def campaign(visits: Visits, cores: str = "", nice: int = 0, *, bare: bool = False) -> Iterator[Wave]:
    """Serve, and send the waves, one after another."""
    with class_server(cores) as (url, use), asyncio.Runner() as runner:
        os.nice(nice)  # the browser is started from here
        waves = visit(sockets if bare else browsers, url, use, visits)
        while (wave := runner.run(anext(waves, None))) is not None:
            yield wave


@contextmanager
def class_server(cores: str) -> Iterator[tuple[str, Use]]:
    """Serve on these cores; yield the address and what it uses, once all kernels are compiled."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes.jsonl")
        command = ("benchmarks.classroom_server", str(notes), "--no-browser", "--port", "{port}")
        with server(*command, path="/ot_lab") as (url, process):
            use = Use(psutil.Process(process.pid), notes)
            if cores:
                use.server.cpu_affinity([int(core) for core in cores.split(",")])
            while not use.warm:
                time.sleep(0.2)
            yield url, use


def short_run(cores: str) -> dict[str, Row]:
    """Return how many times longer a run of 20,000 sweeps takes among ten endless runs."""
    with class_server(cores) as (url, _):
        asyncio.run(short_run_among(url, 0))  # its kernels are read from the disk
        alone = asyncio.run(short_run_among(url, 0))
        among = asyncio.run(short_run_among(url, 10))
    print(f"20,000 sweeps: {alone:.2f} s alone, {among:.2f} s among ten endless runs")
    times = among / alone
    return {"class: a short run among ten endless": at_most(times, "times", "15 times", 15, times / 15, 1)}


async def short_run_among(url: str, endless: int) -> float:
    """Return the seconds from pressing Run to the end of 20,000 sweeps."""
    others = [await open_socket_page(f"{url}/{PAGES[0]}", PATIENCE / 1000) for _ in range(endless)]
    await asyncio.gather(*(page.run(0) for page in others))
    page = await open_socket_page(f"{url}/{SHORT}", PATIENCE / 1000)
    seconds = await page.until_done()
    for other in (page, *others):
        await other.close()
    return seconds


async def keep_editing(page: SocketPage, waits: Waits, over: asyncio.Event) -> None:
    """Edit a page that does not run, again and again, until it is over."""
    for seed in count(1):
        waits.edited.append(await page.edit(seed))
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), EDIT_SECONDS)
        if over.is_set():
            break
    await page.close()


async def visit(
    visitors_of: Callable[[Use], AbstractAsyncContextManager[Opening]],
    url: str,
    use: Use,
    visits: Visits,
) -> AsyncIterator[Wave]:
    """Send the waves."""
    pages, seconds = visits.pages, visits.seconds
    async with visitors_of(use) as open_page:
        for place in dict.fromkeys(PAGES[:pages]):  # what the first visitor pays is not the class's
            await one_page(open_page, url, place, Waits(), 1.0, asyncio.Event(), warm=True)
        await asyncio.sleep(2)
        for number in range(1, visits.waves + 1):
            editors = [await open_socket_page(f"{url}/{PAGES[0]}", PATIENCE / 1000) for _ in range(EDITORS)]
            base, threads = use.megabytes, use.server.num_threads()
            print(f"before the class: {base:.0f} MB, {threads} threads", flush=True)
            waits, all_there = Waits(), asyncio.Event()
            begin, cpu = time.monotonic(), use.cpu()
            visitors = []
            for i in range(pages):
                late = CLICKED_WITHIN * i / pages
                task = one_page(open_page, url, PAGES[i % len(PAGES)], waits, seconds, all_there, late)
                visitors.append(asyncio.create_task(task))
                await asyncio.sleep(visits.opened_within / max(pages, THE_CLASS))
            while len(waits.opened) + len(waits.failed) < pages:
                await asyncio.sleep(0.1)
            opening = [(b - a) / pages for a, b in zip(cpu, use.cpu(), strict=True)]
            full = use.megabytes
            opened, cpu = time.monotonic(), use.cpu()
            over = asyncio.Event()
            editing = [asyncio.create_task(keep_editing(page, waits, over)) for page in editors]
            all_there.set()
            await asyncio.sleep(seconds)  # later, pages that are closed take their figures along
            ran = time.monotonic()
            running = [(b - a) / (ran - opened) for a, b in zip(cpu, use.cpu(), strict=True)]
            over.set()
            await asyncio.gather(*visitors, *editing)
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
                begin,
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
        waits.updates.setdefault(place, []).append(seen["updates"])
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
        return await open_socket_page(address, PATIENCE / 1000)

    yield opened
