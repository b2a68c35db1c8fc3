"""What a visitor of the one-file page waits for, in Chromium, from a file.

Opening until the grid is drawn and the kernels are compiled; from Run to the first histogram; from Stop to
the next frame in which the page says so, at the beginning and late in a run; and the tasks of the page while
30 constraints and 60 candidates are typed, a key at a time: their processor time, since other work on the
machine makes every task longer.

    python -m benchmarks page
"""

from __future__ import annotations

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.measure import Row, at_most
from otlab.ot import Tableau, read
from otlab.web.page import lab_page
from tests.ui.browser import Visit, launched

REPEATS = 9
EARLY, LATE = 600, 2000  # ms into a run at which it is stopped; on a quick machine it ends after some seconds
KEYS = 200
BETWEEN_KEYS = 40  # ms

# Milliseconds from a click to the first frame in which something is so.
_UNTIL = """([label, reached]) => new Promise(done => {
  const began = performance.now(), there = new Function(`return ${reached}`)
  const look = () => there() ? done(performance.now() - began) : requestAnimationFrame(look)
  ;[...document.querySelectorAll("button")].find(button => button.textContent === label).click()
  requestAnimationFrame(look)
})"""
_DRAWN = "document.querySelector('[aria-label=Gibbs] svg rect')"
_STOPPED = "document.querySelector('progress + .remark').textContent.includes('stopped at')"
_MAIN_THREAD, _TASK = "CrRendererMain", "RunTask"


def run() -> dict[str, Row]:
    """Measure each, several times; return the medians, and of typing the longest task, too."""
    with TemporaryDirectory() as folder, launched() as browser:
        path = Path(folder) / "otlab.html"
        visit = Visit(browser, (1440, 900))
        measured = []
        for seed in range(REPEATS + 1):  # a page of its own each time: nothing is kept from the one before
            path.write_text(lab_page(read("spanish"), seed), encoding="utf-8")
            measured.append(_one_visit(visit, path.as_uri()))
        ready, first, early, late = (statistics.median(column) for column in zip(*measured[1:], strict=True))
        size = len(path.read_bytes()) / 1e3
        path.write_text(lab_page(_large()), encoding="utf-8")
        tasks = _typing(visit, path.as_uri())
        visit.close()
    longest, key = max(tasks), sum(tasks) / KEYS
    return {
        "page: grid drawn and kernels compiled": at_most(ready, "ms", "1 s", 1000, ready / 1000, 1),
        "page: Run to first histogram": at_most(first, "ms", ".3 s", 300, first / 300, 1),
        "page: Stop at the beginning of a run": at_most(early, "ms", "50 ms", 50, early / 50, 1),
        "page: Stop late in a run": at_most(late, "ms", "50 ms", 50, late / 50, 1),
        "page: longest task of 200 keys, 30 x 60": at_most(longest, "CPU ms", "50 ms", 50, longest / 50, 1),
        "page: all tasks of a key, 30 x 60": at_most(key, "CPU ms", "50 ms", 50, key / 50, 1),
        "page: size": at_most(size, "kB", "1 MB", 1000, size / 1000, 1),
    }


def _one_visit(visit: Visit, address: str) -> tuple[float, float, float, float]:
    """Return the milliseconds until the page is ready, to the first histogram, and of Stop early and late."""
    page = visit.page
    page.goto(address)
    page.locator("html[data-ready]").wait_for()
    ready = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
    page.get_by_label("Sweeps", exact=True).fill("1000000")
    first = page.evaluate(_UNTIL, ["Run", _DRAWN])
    page.wait_for_timeout(EARLY)
    early = page.evaluate(_UNTIL, ["Stop", _STOPPED])
    page.locator("#language:enabled").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(LATE)
    late = page.evaluate(_UNTIL, ["Stop", _STOPPED])
    return ready, first, early, late


def _typing(visit: Visit, address: str) -> list[float]:
    """Return the processor time of each task of the page's thread, in ms, while keys are pressed."""
    page = visit.page
    page.goto(address)
    page.locator("html[data-ready]").wait_for()
    page.wait_for_timeout(1000)
    session = visit.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda message: events.extend(message["value"]))
    session.on("Tracing.tracingComplete", lambda message: ended.append(message))
    traced = {"categories": "toplevel,devtools.timeline,__metadata", "transferMode": "ReportEvents"}
    session.send("Tracing.start", traced)
    for n in range(KEYS // 2):
        if n % 25 == 0:  # from the top of the next column
            page.locator("tbody tr").first.locator("input.number").nth(1 + n // 25).focus()
        for key in (str(n % 3), "Enter"):
            page.keyboard.press(key)
            page.wait_for_timeout(BETWEEN_KEYS)
    page.wait_for_timeout(1000)  # what follows the last edit
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    threads = {_thread(event) for event in events if event["args"].get("name") == _MAIN_THREAD}
    tasks = [event for event in events if event["name"].endswith(_TASK) and _thread(event) in threads]
    return [event["tdur"] / 1e3 for event in tasks if "tdur" in event]


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _large() -> Tableau:
    """Return 30 constraints and 60 candidates of ten inputs."""
    rng = np.random.default_rng(1)
    rows = [
        (f"input {n // 6}", f"candidate {n}", int(rng.integers(0, 5)), rng.integers(0, 3, 30).tolist())
        for n in range(60)
    ]
    return Tableau.from_rows(rows, constraints=[f"Constraint{n}" for n in range(30)], name="large")
