"""A sweep and a trial in plain Python give the numbers of the kernels."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot import ERC, read
from otlab.ot.learners.gibbs import Gibbs, sweep, trace_sweep
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.priors import NormalPrior
from otlab.ot.learners.schedules import schedule
from otlab.ot.steps import draw_sites, site_interval, trace_trial

PRIOR = NormalPrior(np.array([0.5, 0.0, -0.5, 0.0, 0.0]), np.full(5, 2.0))
SWEEPS = {
    "ilokano": ("ilokano", {}),
    "spanish, near its bound": ("spanish", {"bound": 1.0}),
    "normal prior": ("lin2005_table2", {"prior": PRIOR}),
    "one observation per input": ("lin2005_table2", {"total": 1}),
}


@pytest.mark.parametrize(("name", "settings"), SWEEPS.values(), ids=SWEEPS)
def test_the_sweep_in_plain_python_is_the_kernels(name, settings):
    learner = Gibbs(read(name), **settings)
    ours, kernels = np.random.default_rng(7), np.random.default_rng(7)
    plain, compiled = learner.init(ours), learner.init(kernels)
    for _ in range(5):
        draws = list(sweep(ours, learner, plain))
        compiled = learner.step(kernels, compiled, 1)
        assert len(draws) == sum(relation.count for relation in learner.relations)
        assert plain.disharmonies.tolist() == compiled.disharmonies.tolist()
        assert plain.values.tolist() == compiled.values.tolist()
    assert learner.view(plain).draws.tolist() == learner.view(compiled).draws.tolist()
    assert ours.random() == kernels.random()


@pytest.mark.parametrize("name", ["ilokano", "spanish", "lin2005_table2"])
def test_traced_draws_are_those_of_the_next_sweep(name):
    learner = Gibbs(read(name))
    rng, again = np.random.default_rng(7), np.random.default_rng(7)
    state = learner.step(rng, learner.init(rng), 3)
    other = learner.step(again, learner.init(again), 3)
    swept = [[draw.value for draw in draws] for draws in sweep(again, learner, other)]
    for number, relation in enumerate(learner.relations):
        for observation in (0, relation.count - 1):
            traced = trace_sweep(learner, rng, state, number, observation)
            before = sum(earlier.count for earlier in learner.relations[:number])
            assert [draw.value for draw in traced] == swept[before + observation]
            assert all(draw.low < draw.value < draw.high for draw in traced)


def test_table_4():
    # Lin 2005: max(C1, C2) > C3 from (1, -1, 0); C1 and C2 take turns in holding C3 down.
    values = np.array([1.0, -1.0, 0.0])
    conjuncts = [ERC(frozenset({0, 1}), frozenset({2}))]
    first = draw_sites(np.random.default_rng(3), conjuncts, [0, 1, 2], values.copy(), values, 1.0)
    assert (first[0].low, first[0].low_by) == (0.0, 2)
    assert (first[1].low, first[1].high) == (-np.inf, np.inf)
    assert first[2].high == max(first[0].value, first[1].value)
    assert first[2].high_by == (0 if first[0].value > first[1].value else 1)
    # The fourth row of the table: C1 is free while C2 is above C3.
    assert site_interval(conjuncts, 0, np.array([2.38, 2.0, -1.0]))[0] == -np.inf


@pytest.mark.parametrize("plan", ["otsoft", "praat", "geometric"])
def test_trial_gives_the_kernels_numbers(plan):
    learner = GLA(read("spanish"), 2.0, schedule(plan, 40))
    rng = np.random.default_rng(5)
    state = learner.init(rng)
    errors = 0
    for _ in range(40):
        traced = trace_trial(learner, rng, state)
        state = learner.step(rng, state, 1)
        np.testing.assert_allclose(state.values, traced.after, rtol=0, atol=1e-12)
        errors += traced.error
        assert traced.error == (traced.step != 0)
    assert errors == state.errors > 0


def test_unknown_observation():
    learner = Gibbs(read("ilokano"))
    rng = np.random.default_rng(1)
    with pytest.raises(IndexError, match="no observation 33"):
        trace_sweep(learner, rng, learner.init(rng), 0, 33)
