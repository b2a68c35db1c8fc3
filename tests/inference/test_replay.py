"""A run made again from its draws is the run that was stopped there."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.inference import run
from otlab.inference.replay import tick_at
from otlab.ot import read
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.maxent import MaxEnt


def last(learner, sweeps, **options):
    made = run(learner, sweeps=sweeps, seed=5, **options)
    *_, tick = made
    return made, tick


@pytest.mark.parametrize("thin", [1, 4])
def test_of_gibbs_the_same_draws_as_of_a_shorter_run(thin):
    learner = Gibbs(read("ilokano"), thin=thin)
    made, tick = last(learner, 400, chains=2)
    _, short = last(learner, 100, chains=2)
    earlier = tick_at(made, tick, 0.25)
    assert (earlier.sweep, earlier.total, earlier.finished) == (100, 400, False)
    for view, expected in zip(earlier.views, short.views, strict=True):
        np.testing.assert_array_equal(view.draws, expected.draws)
        np.testing.assert_allclose(view.values, expected.values, atol=1e-12)


def test_of_the_gla_the_values_recorded_then():
    learner = GLA(read("spanish"), record_every=100)
    made, tick = last(learner, 2000, chains=2)
    _, short = last(learner, 500, chains=2)
    for view, expected in zip(tick_at(made, tick, 0.25).views, short.views, strict=True):
        np.testing.assert_array_equal(view.values, expected.values)
        np.testing.assert_array_equal(view.trace, expected.trace)


def test_at_the_end_it_is_the_end_and_at_least_one_sweep_is_shown():
    made, tick = last(Gibbs(read("ilokano")), 50)
    assert tick_at(made, tick, 1.0).finished
    np.testing.assert_array_equal(tick_at(made, tick, 1.0).view.draws, tick.view.draws)
    assert tick_at(made, tick, 0.0).sweep == 1


def test_a_learner_that_keeps_nothing_has_no_replay():
    made, tick = last(MaxEnt(read("ilokano")), 50)
    assert tick_at(made, tick, 0.5) is None
