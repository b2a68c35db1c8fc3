"""Pictures per second while the replay slider is dragged over a finished run, in each of the four labs.

    python -m benchmarks replay

A server of its own and a page in Chromium. Each picture is timed in the page, from the input to the frame
that shows it, one after another; a line's value is the median, and the slowest is beside it. The first
picture, for which the page reads what it has kept of the run, is left out.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.measure import Row, at_least
from tests.ui.browser import Visit, launched, serving

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PLACES, GOAL, PATIENCE = 40, 10, 300_000
LABS = {
    "OT": "ot_lab?example=ilokano_reduplication&seed=2005&sweeps=20000",
    "tagging": "tagging_lab?seed=2005&iterations=60&runs=2",
    "grammar": "mg_lab?seed=2005",
    "lexicon": "lexicon_lab?seed=2005",
}


def run() -> dict[str, Row]:
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as url, launched() as browser:
        return {f"replay in the {lab} lab": _row(browser, f"{url}/{place}") for lab, place in LABS.items()}


def _row(browser: object, address: str) -> Row:
    visit = Visit(browser)
    page = visit.open(address)
    page.evaluate(SCRIPT)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("slider", name="Replay").wait_for(timeout=PATIENCE)
    took = page.evaluate(f"replaying.drag({PLACES})")
    visit.close()
    median, slowest = statistics.median(took), max(took)
    row = at_least(1000 / median, "1/s", f"{GOAL} a second", GOAL, 1000 / median / GOAL, 1)
    return {**row, "slowest": 1000 / slowest}
