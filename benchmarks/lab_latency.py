"""What a reader of the OT lab waits for: the first histogram, the next ones, Stop, a dragged constraint.

A server of its own, warmed by a first run, and one page in Chromium; Stop is measured
without a page, from the call until every learner's thread has ended. Waiting depends on
what else the machine does, so the figures belong to a quiet one.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, at_least, at_most
from otlab.ui.ot.lab import OTLab
from tests.ui.browser import Visit, launched, serving

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
RUNS, SECONDS, KEYS, STOPS = 5, 3, 9, 5


def run() -> dict[str, Row]:
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as url, launched() as browser:
        visit = Visit(browser)
        page = visit.open(f"{url}/ot_lab?example=ilokano_reduplication&seed=2005&sweeps=10000000")
        page.evaluate(SCRIPT)
        _one_run(page)  # reads the kernels
        measured = [_one_run(page) for _ in range(RUNS)]
        key = page.evaluate(f"latency.keyToBars({KEYS})")
        visit.close()
    first, often = (statistics.median(column) for column in zip(*measured, strict=True))
    stop = statistics.median(_seconds_to_stop() for _ in range(STOPS)) * 1000
    return {
        "OT lab, Run to first histogram": at_most(first, "ms", "1 s", 1000, first / 1000, 1),
        "OT lab, updates a second": at_least(often, "1/s", "4 a second", 4, often / 4, 1),
        "OT lab, Stop": at_most(stop, "ms", "100 ms", 100, stop / 100, 1),
        "OT lab, key to bars": at_most(key, "ms", "100 ms", 100, key / 100, 1),
    }


def _one_run(page: Any) -> tuple[float, float]:
    page.get_by_role("button", name="Reset", exact=True).click(force=True)
    page.get_by_text("press Run to begin").wait_for()
    first, often = page.evaluate(f"latency.firstAndOften({SECONDS})")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("Stopped", exact=True).wait_for()
    return first, often


def _seconds_to_stop() -> float:
    lab = OTLab("ilokano")
    lab.settings.param.update(sweeps=100_000_000)
    lab.runner.run()
    while not all(job.last for job in lab.runner.runner.jobs.values()):
        time.sleep(0.01)
    jobs = list(lab.runner.runner.jobs.values())
    begin = time.perf_counter()
    lab.runner.stop()
    for job in jobs:
        job.join()
    return time.perf_counter() - begin
