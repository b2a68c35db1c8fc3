"""Loading a large OTGrammar of Praat with its PairDistribution, to a checked tableau.

The file has the size of Praat's metrics grammar: 60 inputs, 250 candidates each, 12 constraints.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, at_most, cpu_seconds
from otlab.ot import Tableau, read, to_praat, write_praat

INPUTS, CANDIDATES, CONSTRAINTS = 60, 250, 12
GOAL = 2.0  # seconds
REPEATS = 5


def generated(seed: int = 1) -> Tableau:
    """Return a tableau of that size."""
    rng = np.random.default_rng(seed)
    marks = rng.integers(0, 4, (INPUTS * CANDIDATES, CONSTRAINTS)).tolist()
    rows = [
        (f"x{n // CANDIDATES}", f"[L{n}] → /(L{n})/", float(n % 7 == 0), row) for n, row in enumerate(marks)
    ]
    return Tableau.from_rows(rows, [f"C{c}" for c in range(CONSTRAINTS)])


def run() -> dict[str, Row]:
    grammar, pairs = to_praat(generated())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.OTGrammar"
        path.write_text(write_praat(grammar), encoding="utf-8")
        path.with_suffix(".PairDistribution").write_text(write_praat(pairs), encoding="utf-8")
        taken = statistics.median(cpu_seconds(lambda: read(path)) for _ in range(REPEATS))
    against = f"{GOAL:g} s, an OTGrammar of {INPUTS} inputs and {INPUTS * CANDIDATES:,} candidates"
    return {"praat_files: load": at_most(taken, "seconds", against, GOAL, taken / GOAL, 1.0)}
