"""A run made again from its draws is the run that was stopped there."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.inference import Tick, run
from otlab.inference.replay import TickHistory, tick_at
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


def history(ticks, size, **bounds):
    made = TickHistory(**bounds)
    for sweep in range(1, ticks + 1):
        made.add(Tick(sweep, ticks, (np.zeros(size),), 0.0, sweep == ticks))
    return made


def test_ticks_are_kept_evenly_and_the_first_and_last_always():
    few = history(7, 1)
    assert [few.at(share).sweep for share in (0, 0.3, 0.6, 1)] == [1, 2, 4, 7]
    many = history(1000, 1, most_ticks=20)
    assert 10 <= len(many) <= 20
    assert (many.at(0).sweep, many.at(1).sweep) == (1, 1000)
    for share in np.linspace(0, 1, 11):
        assert abs(many.at(share).sweep - 1000 * share) <= 100


def test_large_ticks_are_kept_in_fewer_bytes():
    assert len(history(100, 1000, most_bytes=80_000)) <= 10
    assert len(history(100, 1000, most_bytes=10)) == 2


def test_the_history_of_a_run_that_was_saved_goes_on():
    before = history(8, 1)
    made = TickHistory.of(before.within(10_000))
    made.add(Tick(6, 20, (np.zeros(1),), 0.0, False))  # it was saved before its last ticks
    made.add(Tick(20, 20, (np.zeros(1),), 0.0, True))
    assert [made.at(share).sweep for share in (0, 0.2, 0.3, 1)] == [1, 4, 6, 20]
    assert [tick.sweep for tick in history(9, 100).within(4000)] == [1, 3, 5, 7, 9]
    assert [tick.sweep for tick in history(9, 100).within(0)] == [1, 9]
