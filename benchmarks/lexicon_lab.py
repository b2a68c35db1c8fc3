"""What a reader of the lexicon lab waits for on a real text: the first posteriors, and Stop.

Without a page: from Run to the first boundary posteriors that are drawn, and from Stop until
the learner's thread has ended, in the middle of a run. Kernels are read once before. The text
is Brent where it is at hand, else a generated one of its size.

    python -m benchmarks lexicon_lab
"""

from __future__ import annotations

import statistics
import time

from benchmarks.discovery import corpus
from benchmarks.measure import Row, at_most
from otlab.ui.lexicon.lab import LexiconLab
from tests.ui.page import send

REPEATS = 5
UNDER_WAY = 1.0
"""Seconds into a run at which it is stopped."""


def run() -> dict[str, Row]:
    """Measure both, for batch VB with words and for the sampler with collocations."""
    lab = LexiconLab(corpus())
    lab.settings.param.update(iterations=10_000)
    lab.page()
    rows = {}
    for learner, grammar in (("batch", "word"), ("mcmc", "collocation")):
        send(lab.runner, {"kind": "preset", "value": grammar}, "GrammarBox")
        lab.runner.enable({learner})
        measured = [_one_run(lab) for _ in range(REPEATS + 1)][1:]
        first, stop = (statistics.median(column) for column in zip(*measured, strict=True))
        name = f"lexicon lab, {learner}, {grammar}"
        rows[f"{name}: Run to first posteriors"] = at_most(first, "s", "2 s", 2, first / 2, 1)
        rows[f"{name}: Stop"] = at_most(stop, "s", "1 s", 1, stop, 1)
    return rows


def _one_run(lab: LexiconLab) -> tuple[float, float]:
    """Return the seconds from Run to the first posteriors, and from Stop to the end of the thread."""
    begin = time.perf_counter()
    lab.runner.run()
    while lab.state.view is None:
        time.sleep(0.005)
        lab.runner.tick()
        if lab.runner.runner.failures:
            raise RuntimeError(str(lab.runner.runner.failures))
    first = time.perf_counter() - begin
    until = time.monotonic() + UNDER_WAY
    while time.monotonic() < until:
        time.sleep(0.1)
        lab.runner.tick()
    jobs = list(lab.runner.runner.jobs.values())
    begin = time.perf_counter()
    lab.runner.stop()
    for job in jobs:
        job.join()
    stopped = time.perf_counter() - begin
    lab.runner.reset()
    return first, stopped
