"""The GLA's learning steps a second against Praat's own, in one process.

Praat runs inside praat-parselmouth: ``Learn...`` alone is timed, reading stays outside.
Both sides do OTSoft's schedule: symmetric updates on all constraints, evaluation noise 2,
four stages, the same number of steps on the same data. Streams differ, so the
distributions learnt are compared too, and must agree for a row to count. The ratio is that
of whole runs; beside the rate of the median hundredth of a run stands that of its slowest.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Iterations, Row, at_least, cpu_seconds, paired
from otlab.inference import fit
from otlab.inference import run as run_learner
from otlab.ot import Tableau, predict, read, to_praat, write_praat
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.schedules import schedule

NOISE = 2.0
TRIALS = 1_000_000
PARTS = 100
FIRST, LAST = 2.0, 0.002
GOAL = 3.0


def generated(inputs: int = 25, candidates: int = 4, constraints: int = 11, seed: int = 1) -> Tableau:
    """Return what a grammar produces as a tableau, by default as large as Praat's Finnish file."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 3, constraints)
    rows = []
    for x in range(inputs):
        marks = rng.integers(0, 3, size=(candidates, constraints))
        wins = np.zeros(candidates)
        for _ in range(200):
            order = np.argsort(-(values + NOISE * rng.normal(size=constraints)))
            wins[np.lexsort(marks[:, order[::-1]].T)[0]] += 1
        rows += [(f"x{x}", f"y{x}.{c}", wins[c], marks[c].tolist()) for c in range(candidates)]
    return Tableau.from_rows(rows, [f"C{i}" for i in range(constraints)])


def praat_files(tableau: Tableau, folder: Path) -> tuple[Path, Path]:
    """Write the OTGrammar and the PairDistribution that Praat reads."""
    paths = folder / "g.OTGrammar", folder / "d.PairDistribution"
    for path, one in zip(paths, to_praat(tableau), strict=True):
        path.write_text(write_praat(one), encoding="utf-8")
    return paths


class Praat:
    """Praat's learner on one tableau."""

    def __init__(self, tableau: Tableau) -> None:
        import parselmouth

        with tempfile.TemporaryDirectory() as folder:
            grammar, distribution = praat_files(tableau, Path(folder))
            self.grammar, self.pairs = parselmouth.read(str(grammar)), parselmouth.read(str(distribution))
        self.size = len(tableau.constraints)

    def learn(self) -> None:
        from parselmouth.praat import call

        factor = (LAST / FIRST) ** (1 / 3)
        call(self.grammar, "Reset all rankings...", 100)
        settings = (NOISE, "Symmetric all", FIRST, TRIALS // 4, factor, 4, 0.0, "yes", 1)
        call([self.grammar, self.pairs], "Learn...", *settings)

    @property
    def values(self) -> np.ndarray:
        from parselmouth.praat import call

        values = np.array([call(self.grammar, "Get ranking value...", i + 1) for i in range(self.size)])
        return values - values.mean()


def timed_parts(learner: GLA) -> Iterations:
    """Return the CPU seconds of each part of one run, all of equal length."""
    running = run_learner(learner, sweeps=TRIALS, seed=1, threads=1)
    return Iterations(tuple(cpu_seconds(lambda: running.advance(TRIALS // PARTS)) for _ in range(PARTS)))


def compare(name: str, tableau: Tableau) -> Row:
    praat = Praat(tableau)
    learner = GLA(tableau, NOISE, schedule("otsoft", TRIALS, FIRST, LAST))
    learnt = []

    def ours() -> None:
        learnt.append(fit(learner, steps=TRIALS, seed=len(learnt), threads=1).view.values)

    ours()
    _, theirs, ratio = paired(ours, praat.learn)
    parts = timed_parts(learner)
    apart = np.abs(
        predict(tableau, learnt[-1], NOISE).probability - predict(tableau, praat.values, NOISE).probability
    ).max()
    rate = TRIALS / PARTS / parts.median
    row = at_least(rate, "steps a second", f"Praat on {name}", TRIALS / theirs, ratio, GOAL)
    row |= {"slowest": TRIALS / PARTS / parts.slowest, "slowest_iteration": parts.slowest_iteration}
    # Two right runs differ by a few points at this plasticity; two different algorithms by more.
    row["holds"] = row["holds"] and bool(apart < 0.1)
    return row


def run() -> dict[str, Row]:
    tableaux = {
        "Ilokano": read("ilokano"),
        "Spanish": read("spanish"),
        "25 inputs, 4 candidates, 11 constraints": generated(),
        "60 inputs, 250 candidates, 12 constraints": generated(60, 250, 12),
    }
    return {f"GLA against Praat, {name}": compare(name, tableau) for name, tableau in tableaux.items()}
