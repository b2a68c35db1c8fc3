"""The Gibbs sampler's sweeps against their floor: the same truncated normals without bookkeeping.

A sweep's draws are recorded (mean and interval of each): one a site, one for each
constraint some relation leaves out, one a ranking value. The floor draws the recorded
sequence again, one after another. What the sampler takes beyond it is finding the
intervals, adding up, and centring.
"""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np

from benchmarks.measure import Row, at_most, paired
from otlab.inference.jit import kernel
from otlab.inference.random import truncated_normal
from otlab.ot import read
from otlab.ot.augmentation import conjuncts_of
from otlab.ot.gibbs import Gibbs, GibbsState
from otlab.ot.steps import draw_sites

GOAL = 3.0
SETTLED = 200
SWEEPS = 4000
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
    layout, draws = learner.layout, []
    state = copy.deepcopy(state)
    for r, conjuncts in enumerate(conjuncts_of(learner.arrays)):
        sites = layout.site_constraint[layout.site_start[r] : layout.site_start[r + 1]]
        block = state.augmented[layout.value_start[r] : layout.value_start[r + 1]]
        for own in block.reshape(-1, sites.size):
            y = np.full(state.values.size, np.nan)
            y[sites] = own
            made = draw_sites(rng, conjuncts, sites.tolist(), y, state.values, learner.settings.noise)
            draws += [(draw.mean, draw.low, draw.high) for draw in made]
    sites = [set(layout.site_constraint[a:b]) for a, b in pairwise(layout.site_start)]
    left_out = [i for i in range(state.values.size) if not all(i in own for own in sites)]
    plain = [(mean, -np.inf, np.inf) for mean in (*state.values[left_out], *state.values)]
    return draws + plain


def compare(name: str) -> Row:
    learner = Gibbs(read(name), thin=SWEEPS)
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), SETTLED)
    recorded = []
    for _ in range(RECORDED):
        recorded += record(learner, rng, state)
        state = learner.step(rng, state, 1)
    means, lows, highs = np.array(recorded).T.copy()
    floor(rng, means, learner.settings.noise, lows, highs, 1)
    sampler, bare, pace = paired(
        lambda: learner.step(rng, state, SWEEPS),
        lambda: floor(rng, means, learner.settings.noise, lows, highs, SWEEPS // RECORDED),
        repeats=9,
    )
    n = len(recorded) / RECORDED * SWEEPS
    return at_most(
        sampler / n * 1e9,
        "ns a draw",
        f"its draws alone, {name}",
        bare / n * 1e9,
        1 / pace,
        GOAL,
    )


def run() -> dict[str, Row]:
    names = ("ilokano", "spanish", "lin2005_table2", "tagalog")
    return {f"Gibbs sweep, {name}": compare(name) for name in names}
