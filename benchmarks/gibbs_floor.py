"""The Gibbs sampler's sweeps against their floor: the same truncated normals without bookkeeping.

A sweep's draws are recorded (mean and interval of each): one a site, one for each
constraint some relation leaves out, one a ranking value. The floor draws the recorded
sequence again, one after another. What the sampler takes beyond it is finding the
intervals, adding up, and centring. The run is timed from its start in parts of 400 sweeps:
the median part, and the slowest beside it.
"""

from __future__ import annotations

import copy

import numpy as np

from benchmarks.measure import Iterations, Row, at_most, cpu_seconds
from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import truncated_normal
from otlab.ot import read
from otlab.ot.learners.gibbs import Gibbs, GibbsState, sweep

GOAL = 3.0
SETTLED = 200
PARTS = 100
SWEEPS = 400  # in each part
RECORDED = 40


@kernel
def floor(rng, means, sd, lows, highs, times):
    """Draw the recorded sequence `times` times; return the sum, so that it is needed."""
    total = 0.0
    for _ in range(times):
        for i in range(means.size):
            total += truncated_normal(rng, means[i], sd, lows[i], highs[i])
    return total


def record(learner: Gibbs, rng: np.random.Generator, state: GibbsState) -> list[tuple[float, float, float]]:
    """Return mean, low and high of every draw of the next sweep."""
    before, state = state.values, copy.deepcopy(state)
    made = [draw for draws in sweep(copy.deepcopy(rng), learner, state) for draw in draws]
    left_out = [i for i in range(before.size) if not all(i in r.sites for r in learner.relations)]
    plain = [(mean, -np.inf, np.inf) for mean in (*before[left_out], *before)]
    return [(draw.mean, draw.low, draw.high) for draw in made] + plain


def recorded_draws(learner: Gibbs) -> np.ndarray:
    """Return mean, low and high of every draw of some sweeps of a settled run, shape (3, draws)."""
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), SETTLED)
    recorded = []
    for _ in range(RECORDED):
        recorded += record(learner, rng, state)
        state = learner.step(rng, state, 1)
    return np.array(recorded).T.copy()


def compare(name: str) -> Row:
    """Return a row: a run from its start in parts of equal length, the floor after each."""
    learner = Gibbs(read(name), thin=PARTS * SWEEPS)
    means, lows, highs = recorded_draws(learner)
    floor_rng, rng = np.random.default_rng(2), np.random.default_rng(1)
    state = learner.init(rng)

    def bare() -> None:
        floor(floor_rng, means, learner.settings.noise, lows, highs, SWEEPS // RECORDED)

    bare()
    pairs = [(cpu_seconds(lambda: learner.step(rng, state, SWEEPS)), cpu_seconds(bare)) for _ in range(PARTS)]
    ours, theirs = (Iterations(side) for side in zip(*pairs, strict=True))
    scale = 1e9 / (means.size / RECORDED * SWEEPS)
    row = at_most(
        ours.median * scale,
        "ns a draw",
        f"its draws alone, {name}",
        theirs.median * scale,
        ours.median / theirs.median,
        GOAL,
    )
    return ours.beside(row, scale)


def run() -> dict[str, Row]:
    names = ("ilokano", "spanish", "lin2005_table2", "tagalog")
    return {f"Gibbs sweep, {name}": compare(name) for name in names}
