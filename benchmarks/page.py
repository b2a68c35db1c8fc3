"""What a visitor of the one-file page waits for, in Chromium, from a file.

Opening until the grid is drawn and the kernels are compiled; from Run to the first histogram; from Stop to
the next frame, in the middle of a run; and the longest task of the page while numbers of 30 constraints and
60 candidates are typed.

    python -m benchmarks page
"""

from __future__ import annotations

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import Row, at_most
from otlab.ot import Tableau, read
from otlab.web.page import lab_page
from tests.ui.browser import Visit, launched

REPEATS = 7
UNDER_WAY = 600  # ms into a run at which it is stopped

# Milliseconds from a click to the first frame in which something is so.
_UNTIL = """([label, reached]) => new Promise(done => {
  const began = performance.now(), there = new Function(`return ${reached}`)
  const look = () => there() ? done(performance.now() - began) : requestAnimationFrame(look)
  ;[...document.querySelectorAll("button")].find(button => button.textContent === label).click()
  requestAnimationFrame(look)
})"""
_DRAWN = "document.querySelector('[aria-label=Gibbs] svg rect')"
_STOPPED = "[...document.querySelectorAll('button')].some(b => b.textContent === 'Stop' && b.disabled)"
_LONGEST = """async () => {
  let longest = 0
  const watch = new PerformanceObserver(list => {
    for (const task of list.getEntries()) longest = Math.max(longest, task.duration)
  })
  watch.observe({ entryTypes: ["longtask"] })
  for (const field of [...document.querySelectorAll("input.number")].slice(0, 40)) {
    field.value = "1"
    field.dispatchEvent(new Event("change"))
    await new Promise(done => setTimeout(done, 60))
  }
  await new Promise(done => setTimeout(done, 400))
  watch.disconnect()
  return longest
}"""


def run() -> dict[str, Row]:
    """Measure each, several times; return the medians, and the longest task."""
    with TemporaryDirectory() as folder, launched() as browser:
        path, large = Path(folder) / "otlab.html", Path(folder) / "large.html"
        path.write_text(lab_page(read("spanish")), encoding="utf-8")
        large.write_text(lab_page(_large()), encoding="utf-8")
        visit = Visit(browser, (1440, 900))
        measured = [_one_visit(visit, path.as_uri()) for _ in range(REPEATS + 1)][1:]
        ready, first, stop = (statistics.median(column) for column in zip(*measured, strict=True))
        visit.page.goto(large.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        longest = visit.page.evaluate(_LONGEST)
        visit.close()
        size = len(path.read_bytes()) / 1e3
    return {
        "page: grid drawn and kernels compiled": at_most(ready, "ms", "1 s", 1000, ready / 1000, 1),
        "page: Run to first histogram": at_most(first, "ms", ".3 s", 300, first / 300, 1),
        "page: Stop": at_most(stop, "ms", "50 ms", 50, stop / 50, 1),
        "page: longest task of 40 edits, 30 x 60": at_most(longest, "ms", "50 ms", 50, longest / 50, 1),
        "page: size": at_most(size, "kB", "1 MB", 1000, size / 1000, 1),
    }


def _one_visit(visit: Visit, address: str) -> tuple[float, float, float]:
    """Return the milliseconds until the page is ready, to the first histogram, and of Stop."""
    page = visit.page
    page.goto(address)
    page.locator("html[data-ready]").wait_for()
    ready = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
    page.get_by_label("Sweeps", exact=True).fill("1000000")
    first = page.evaluate(_UNTIL, ["Run", _DRAWN])
    page.wait_for_timeout(UNDER_WAY)
    stop = page.evaluate(_UNTIL, ["Stop", _STOPPED])
    page.evaluate("memory.forget()")
    return ready, first, stop


def _large() -> Tableau:
    """Return 30 constraints and 60 candidates of ten inputs."""
    rng = np.random.default_rng(1)
    rows = [
        (f"input {n // 6}", f"candidate {n}", int(rng.integers(0, 5)), rng.integers(0, 3, 30).tolist())
        for n in range(60)
    ]
    return Tableau.from_rows(rows, constraints=[f"Constraint{n}" for n in range(30)], name="large")
