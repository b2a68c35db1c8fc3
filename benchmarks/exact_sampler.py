"""The exact sampler against the Gibbs sampler: effective draws per CPU second, of the same posterior.

The smaller of the effective sample sizes of values and of their squares, the worst constraint's,
for each CPU second of the whole run, the warm-up in which steps are tuned included. Each side
runs two chains on one thread. A ratio counts only if both sides have 100 effective draws and
R-hat below 1.05, and if their means agree within 4.5 standard errors.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.measure import Row, at_least
from otlab import ot
from otlab.inference import run as start
from otlab.inference.diagnostics import assess
from otlab.ot.learners.exact import Exact
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.priors import equal_prior

if TYPE_CHECKING:
    from otlab.ot import Tableau
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.learners.sampler import RankingSampler

SWEEPS, WARMUP = 6000, 600
KEPT = 20_000


class Measured(NamedTuple):
    """Effective draws of two chains and what they cost."""

    per_second: float
    valid: bool
    mean: np.ndarray
    error: np.ndarray


def measure(learner: RankingSampler, sweeps: int, warmup: int) -> Measured:
    """Run two chains and return what they are worth."""
    start(learner, sweeps=2, seed=1).finish()
    running = start(learner, sweeps=sweeps, seed=3, chains=2, threads=1)
    begin = time.process_time()
    running.finish()
    seconds = time.process_time() - begin
    draws = np.stack([view.draws[warmup // learner.thin :] for view in running.tick().views])
    trust, pooled = assess(draws), draws.reshape(-1, draws.shape[2])
    valid = trust.smallest_ess >= 100 and trust.largest_rhat < 1.05
    error = pooled.std(axis=0) / np.sqrt(trust.ess)
    return Measured(trust.smallest_ess / seconds, bool(valid), pooled.mean(axis=0), error)


def ten_constraints(each: int, seed: int = 4) -> Tableau:
    """Return 12 inputs of 3 candidates under 10 constraints, with `each` observations, from a grammar."""
    rng, constraints = np.random.default_rng(seed), 10
    values = rng.normal(0, 1, constraints)
    rows = [
        (f"x{x}", f"y{c}", 0, rng.integers(0, 3, constraints).tolist()) for x in range(12) for c in range(3)
    ]
    tableau = ot.Tableau.from_rows(rows, [f"C{i}" for i in range(constraints)], noise=1.0)
    p = ot.predict(tableau, values).probability
    counts = [rng.multinomial(each, p[tableau.rows(x)] / p[tableau.rows(x)].sum()) for x in range(12)]
    return replace(tableau, frequencies=np.concatenate(counts).astype(float))


def compare(
    name: str, tableau: Tableau, gibbs_sweeps: int, goal: float, prior: NormalPrior | None = None
) -> Row:
    """Return a row; the ratio is 0 if a side has too few effective draws, or they disagree."""
    exact = measure(Exact(tableau, prior=prior, warmup=WARMUP), SWEEPS, WARMUP)
    thin = max(1, gibbs_sweeps // KEPT)
    gibbs = measure(Gibbs(tableau, prior=prior, thin=thin), gibbs_sweeps, gibbs_sweeps // 10)
    agree = np.all(np.abs(exact.mean - gibbs.mean) < 4.5 * np.hypot(exact.error, gibbs.error))
    ratio = exact.per_second / gibbs.per_second if exact.valid and gibbs.valid and agree else 0.0
    against = f"the Gibbs sampler, {name}"
    return at_least(exact.per_second, "ESS a second", against, gibbs.per_second, ratio, goal)


def run() -> dict[str, Row]:
    spanish, ilokano = ot.read("spanish"), ot.read("ilokano")
    cases = {
        "Spanish, M = 300": (replace(spanish, frequencies=10 * spanish.frequencies), 400_000, 50.0),
        "Ilokano, M = 999": (replace(ilokano, total=999), 10_000, 4.0),
        "Ilokano, M = 9999": (replace(ilokano, total=9999), 2_000, 30.0),
    }
    rows = {f"Exact sampler, {name}": compare(name, *case) for name, case in cases.items()}
    name, tableau = "10 constraints, 12 inputs, M = 600, prior sd 1", ten_constraints(50)
    rows[f"Exact sampler, {name}"] = compare(name, tableau, 80_000, 5.0, equal_prior(tableau, 1.0))
    return rows
