"""The first run of each lab on a computer: its steps of compilation, each lab with an empty cache of kernels.

The page's step (exact probabilities, the parser) and that of the learner the lab begins with are compiled
in a process of their own, whose cache is a temporary folder. CPU seconds hardly depend on what else the
machine does; wall seconds are beside them, for an idle machine. The same two steps again, from the cache
that they left, are the reference.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Row

GOAL = 10.0
LABS = {
    "OT": ("ot", "page", "gibbs"),
    "tagging": ("tagging", "em"),
    "grammar": ("mg", "page", "vb"),
    "lexicon": ("discovery", "batch"),
}
_COMPILE = """
import sys
from otlab.compiling import steps_of
for step in sys.argv[2:]:
    steps_of(sys.argv[1])[step]()
"""


def seconds(cache: str, *steps: str) -> tuple[float, float]:
    """Return CPU and wall seconds of a process that does steps of a system, with its cache in a folder."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "OTLAB_CACHE": cache}
    subprocess.run([sys.executable, "-c", _COMPILE, *steps], env=environment, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def compare(lab: str) -> Row:
    """Return a row: the steps of a lab with an empty cache, then with the one they left."""
    with tempfile.TemporaryDirectory() as cache:
        first, wall = seconds(cache, *LABS[lab])
        later, _ = seconds(cache, *LABS[lab])
    return Row(
        value=first,
        unit=f"CPU s ({wall:.0f} s wall)",
        against="the same with kernels on disk",
        reference=later,
        ratio=first / later,
        goal=f"at most {GOAL:g} CPU s",
        holds=first <= GOAL,
    )


def run() -> dict[str, Row]:
    return {f"first run, {lab} lab": compare(lab) for lab in LABS}
