"""A class on one server: how long its pages wait, and what they cost.

    python -m benchmarks classroom [--pages 30] [--seconds 20] [--waves 1] [--cores 0,1]

One server, held to two cores, and as many real pages of Chromium as asked for: OT, tagging,
grammar and lexicon by turns, each with an example and a long run. They are opened within a
minute, run at once, are watched for some seconds, stopped, and closed. What a page waits for is
measured in the page, from the click to the frame: it is acknowledged when the run panel changes,
and the picture has moved when its number of sweeps has. The browser works on the same cores: its
processor time stands beside the server's.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.measure import Row, at_least, at_most, show
from tests.ui.browser import CHROMIUM, FLAGS, server

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PAGES = (
    "ot_lab?example=ilokano_reduplication&sweeps=100000000",
    "tagging_lab?iterations=100000",
    "ot_lab?example=spanish_diminutive&sweeps=100000000",
    "mg_lab?iterations=1000000",
    "ot_lab?example=ilokano_reduplication&sweeps=100000000",
    "lexicon_lab?iterations=100000",
)
OPENED_WITHIN = 60.0  # seconds over which the visitors come
PATIENCE = 240_000  # ms
QUIET = 20.0  # seconds after which a server has noticed that its visitors are gone


@dataclass
class Use:
    """What the server and the browser have used."""

    server: psutil.Process

    def cpu(self) -> tuple[float, float]:
        """Return processor seconds of the server, and of the browser below this process."""
        own = sum(self.server.cpu_times()[:2])
        browser = 0.0
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if child.pid != self.server.pid:
                    browser += sum(child.cpu_times()[:2])
        return own, browser

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
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20, help="for which all run")
    parser.add_argument("--waves", type=int, default=1, help="how often the class comes and goes")
    parser.add_argument("--cores", default="0,1", help="those of the server")
    args = parser.parse_args(argv)
    with server("otlab", "serve", "--no-browser", "--port", "{port}", path="/ot_lab") as (url, process):
        use = Use(psutil.Process(process.pid))
        use.server.cpu_affinity([int(core) for core in args.cores.split(",")])
        asyncio.run(visit(url, use, args))
    return 0


async def visit(url: str, use: Use, args: argparse.Namespace) -> None:
    """Send the waves, and print a table for each."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for place in PAGES:  # what the first visitor pays is not the class's
            await one_page(browser, url, place, Waits(), 1.0, asyncio.Event(), warm=True)
        base, threads = use.megabytes, use.server.num_threads()
        print(f"before the class: {base:.0f} MB, {threads} threads", flush=True)
        for wave in range(args.waves):
            waits, all_there = Waits(), asyncio.Event()
            cpu = use.cpu()
            visitors = []
            for i in range(args.pages):
                place = PAGES[i % len(PAGES)]
                visitors.append(
                    asyncio.create_task(one_page(browser, url, place, waits, args.seconds, all_there))
                )
                await asyncio.sleep(OPENED_WITHIN / args.pages)
            while len(waits.opened) + len(waits.failed) < args.pages:
                await asyncio.sleep(0.1)
            opening = [b - a for a, b in zip(cpu, use.cpu(), strict=True)]
            full = use.megabytes
            cpu, begin = use.cpu(), time.monotonic()
            all_there.set()
            await asyncio.sleep(args.seconds)  # later, pages that are closed take their figures along
            running = [(b - a) / (time.monotonic() - begin) for a, b in zip(cpu, use.cpu(), strict=True)]
            await asyncio.gather(*visitors)
            await asyncio.sleep(QUIET)
            print(f"wave {wave + 1}: {args.pages} pages; processor time per page opened: server", end=" ")
            print(f"{opening[0] / args.pages:.2f} s, browser {opening[1] / args.pages:.2f} s;", end=" ")
            print(f"while all ran: server {running[0]:.2f} cores, browser {running[1]:.2f}", flush=True)
            show(rows(waits, args.pages, base, full))
            left = use.server.num_threads() - threads
            print(f"after closing: {use.megabytes:.0f} MB, {left:+d} threads", flush=True)
            for line in waits.failed:
                print(f"  failed: {line}", file=sys.stderr)
        await browser.close()


async def one_page(
    browser: Any,
    url: str,
    place: str,
    waits: Waits,
    seconds: float,
    all_there: asyncio.Event,
    *,
    warm: bool = False,
) -> None:
    """Open a page, wait for the class, run, watch, stop, close."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    try:
        page = await context.new_page()
        begin = time.monotonic()
        await page.goto(f"{url}/{place}")
        await page.locator("#opening").wait_for(state="detached")
        waits.opened.append(1000 * (time.monotonic() - begin))
        await page.evaluate(SCRIPT)
        if not warm:
            await all_there.wait()
        seen = await page.evaluate(f"classroom.run({1000 * seconds}, {PATIENCE})")
        waits.heard.append(seen["heard"])
        waits.first.append(seen["first"])
        waits.updates.append(seen["updates"])
        waits.sweeps.setdefault(place, []).append(seen["sweeps"])
        waits.stopped.append(await page.evaluate(f"classroom.stop({PATIENCE})"))
    except Exception as error:  # one page's failure is told and must not end the campaign
        waits.failed.append(f"{place}: {error}")
        if warm:
            raise
    finally:
        await context.close()


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


def p95(times: list[float]) -> float:
    """Return the 95th percentile; infinite if there is nothing."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if ordered else float("inf")
