"""Print the report of a class, see :mod:`benchmarks.classroom`."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.measure import Row, at_least, at_most, show

if TYPE_CHECKING:
    from benchmarks.classroom_server import Second

__all__ = ["Waits", "Wave", "show_growth"]


@dataclass
class Waits:
    """What the pages of one wave waited for, in ms; updates per second and sweeps by lab and data."""

    opened: list[float] = field(default_factory=list)
    heard: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    updates: dict[str, list[float]] = field(default_factory=dict)
    sweeps: dict[str, list[float]] = field(default_factory=dict)
    stopped: list[float] = field(default_factory=list)
    edited: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


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
    began
        When, by the machine's monotonic clock.
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
    began: float
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
        problems = [
            f"only {len(n)} of {self.pages} {what}" for what, n in counts.items() if len(n) < self.pages
        ]
        still = sum(n == 0 for each in waits.updates.values() for n in each)
        problems += [f"{still} pages stood still"] if still else []
        left = {"sessions": self.left.sessions, "runs": self.left.jobs}
        return problems + [f"{n} {what} were left" for what, n in left.items() if n]

    def show(self) -> None:
        """Print both tables, and what is left."""
        print(f"wave {self.number}: {self.pages} pages; processor time per page opened:", end=" ")
        print(f"server {self.opening[0]:.2f} s, browser {self.opening[1]:.2f} s;", end=" ")
        print(f"while all ran: server {self.running[0]:.2f} cores, browser {self.running[1]:.2f}", flush=True)
        show(rows(self.waits, self.pages, self.base, self.full))
        noted = self.server_running
        print(f"the server's own part: {len(noted.ticks) / self.seconds:.1f} pictures per second,", end=" ")
        cores, saving = (used / self.seconds for used in (noted.page_seconds, noted.saving_seconds))
        print(
            f"{cores:.2f} cores for the thread that draws and answers, {saving:.3f} for the one that saves,"
        )
        print(f"{noted.written / self.seconds / 1e6:.2f} MB written per second")
        for place, each in self.waits.updates.items():
            print(f"  {place}: {min(each):.2f} to {max(each):.2f} updates per second")
        show(server_rows(self))
        left = self.left
        print(
            f"after closing: {self.after:.0f} MB ({self.after - self.base:+.0f}), {self.threads:+d} threads,",
            end=" ",
        )
        print(f"{left.sessions} sessions, {left.jobs} runs", flush=True)
        for line in self.waits.failed:
            print(f"  failed: {line}", file=sys.stderr)

    def show_memory(self) -> None:
        """Print what this wave took and left behind, on one line."""
        print(
            f"wave {self.number}: {self.base:.0f} MB before, {self.full:.0f} with {self.pages} pages,",
            end=" ",
        )
        print(f"{self.after:.0f} after; {self.threads:+d} threads, {self.left.sessions} sessions,", end=" ")
        print(f"{self.left.jobs} runs; a page is usable within {p95(self.waits.opened):.0f} ms", flush=True)


def show_growth(waves: list[Wave]) -> None:
    """Print how the server's memory before each wave has grown after the third."""
    after = waves[3:]
    if len(after) < 2:
        return
    megabytes = [wave.base for wave in after]
    per_wave = statistics.linear_regression(range(len(after)), megabytes).slope
    per_second = statistics.linear_regression([wave.began for wave in after], megabytes).slope
    print(f"memory before each wave: {', '.join(f'{wave.base:.0f}' for wave in waves)} MB;", end=" ")
    print(f"after the third {100 * per_wave / megabytes[0]:+.2f} % per wave,", end=" ")
    print(f"{3600 * per_second:+.1f} MB per hour", flush=True)


def rows(waits: Waits, pages: int, base: float, full: float) -> dict[str, Row]:
    """Return the lines of one wave; times are 95th percentiles."""
    opened, heard, first = (p95(times) for times in (waits.opened, waits.heard, waits.first))
    slowest, stopped = min(map(min, waits.updates.values()), default=0.0), p95(waits.stopped)
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
    if waits.edited:
        edited = p95(waits.edited)
        lines["class: an edit is answered, p95"] = at_most(edited, "ms", "300 ms", 300, edited / 300, 1)
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
