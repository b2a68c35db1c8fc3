"""Pictures per second while the replay slider is dragged over a finished run, in each of the four labs.

    python -m benchmarks replay

A server of its own and a page in Chromium. Each picture is timed in the page, from the input to the frame
that shows it, one after another; a line's value is the median, and the slowest is beside it. The first
picture, for which the page reads what it has kept of the run, is left out.

A second line of each lab has the processor time that the server takes for a picture, a mean over all of them:
it does not depend on what else the machine does, as the pictures per second do.
"""

from __future__ import annotations

import statistics
from pathlib import Path

import psutil

from benchmarks.measure import Row, at_least, at_most
from tests.ui.browser import Visit, launched, server

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PLACES, GOAL, PATIENCE = 40, 10, 300_000
MOST_MS = 1000  # waited at a place where nothing changes: a short run has fewer pictures than places
LABS = {
    "OT": "ot_lab?example=ilokano_reduplication&seed=2005&sweeps=20000",
    "tagging": "tagging_lab?seed=2005&iterations=60&runs=2",
    "grammar": "mg_lab?seed=2005",
    "lexicon": "lexicon_lab?seed=2005",
}


def run() -> dict[str, Row]:
    rows: dict[str, Row] = {}
    starting = server("otlab", "serve", "--no-browser", "--port", "{port}")
    with starting as (url, process), launched() as browser:
        for lab, place in LABS.items():
            pictures, processor = _rows(browser, f"{url}/{place}", psutil.Process(process.pid))
            rows |= {f"replay in the {lab} lab": pictures, f"replay in the {lab} lab, the server": processor}
    return rows


def _rows(browser: object, address: str, process: psutil.Process) -> tuple[Row, Row]:
    """Return the line of pictures per second, and that of the server's processor time for a picture."""
    visit = Visit(browser)
    page = visit.open(address)
    page.evaluate(SCRIPT)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("slider", name="Replay").wait_for(timeout=PATIENCE)
    page.evaluate("replaying.drag(1, 30000)")
    before = _cpu_ms(process)
    took = page.evaluate(f"replaying.drag({PLACES}, {MOST_MS})")
    each = (_cpu_ms(process) - before) / PLACES
    visit.close()
    median, slowest = statistics.median(took), max(took)
    row = at_least(1000 / median, "1/s", f"{GOAL} a second", GOAL, 1000 / median / GOAL, 1)
    budget = 1000 / GOAL
    processor = at_most(each, "ms", f"{GOAL} a second", budget, each / budget, 1)
    return {**row, "slowest": 1000 / slowest}, processor


def _cpu_ms(process: psutil.Process) -> float:
    times = process.cpu_times()
    return 1000 * (times.user + times.system)
