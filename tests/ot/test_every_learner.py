"""Every learner keeps to the one shape of `otlab.inference.learner`."""

from __future__ import annotations

import time
from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest

from otlab.inference import Job, Learner, fit, run
from otlab.inference.results import digest
from otlab.ot import read
from otlab.ot.learners.gibbs import Gibbs, NormalPrior
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.schedules import schedule

SPANISH, ILOKANO = read("spanish"), read("ilokano")
PRIOR = NormalPrior(np.zeros(4), np.ones(4))

# Name -> a learner, made afresh at each call.
LEARNERS = {
    "gibbs": lambda: Gibbs(SPANISH),
    "gibbs, a third kept": lambda: Gibbs(SPANISH, thin=3),
    "gibbs, normal prior": lambda: Gibbs(SPANISH, prior=PRIOR),
    "gibbs, as published": lambda: Gibbs(SPANISH, variant="published"),
    "gla, otsoft": lambda: GLA(SPANISH, schedule=schedule("otsoft", 60), record_every=7),
    "gla, praat": lambda: GLA(SPANISH, schedule=schedule("praat", 60), record_every=7),
    "gla, geometric": lambda: GLA(SPANISH, schedule=schedule("geometric", 60), record_every=7),
    "gla, constant": lambda: GLA(ILOKANO, schedule=schedule("constant", 10), record_every=5),
    "maxent": lambda: MaxEnt(SPANISH, prior=PRIOR, weights="free"),
    "maxent, no prior": lambda: MaxEnt(SPANISH),
}
SWEEPS = 60

every_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)


def numbers(view):
    """All a view holds, as plain values."""
    return [np.array(getattr(view, f.name)).tolist() for f in fields(view)]


def last(make, **how):
    return [numbers(view) for view in fit(make(), steps=SWEEPS, seed=11, chains=3, **how).views]


@every_learner
def test_has_the_shape(make):
    learner = make()
    assert isinstance(learner, Learner)
    assert learner.name in {"gibbs", "gla", "maxent"}
    with pytest.raises(FrozenInstanceError):
        learner.tableau = None
    view = learner.view(learner.init(np.random.default_rng(1)))
    assert is_dataclass(view)
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        setattr(view, fields(view)[0].name, 0)


@every_learner
def test_same_numbers_for_any_tick_size(make):
    reference = last(make, every=SWEEPS)
    for every in (1, 7, None):
        assert last(make, every=every) == reference


@every_learner
def test_same_numbers_for_any_threads(make):
    assert last(make, threads=1) == last(make, threads=3)


@every_learner
def test_chains_are_those_of_a_shorter_table(make):
    alone = numbers(fit(make(), steps=SWEEPS, seed=11, chains=1).view)
    assert last(make)[0] == alone


@every_learner
def test_goes_on_from_a_checkpoint(make, tmp_path):
    going = run(make(), sweeps=SWEEPS, seed=11, chains=3)
    going.advance(23)
    going.checkpoint().save(tmp_path / "c")
    start = going.checkpoint().load(tmp_path / "c")
    again = run(make(), sweeps=SWEEPS, start=start).finish()
    assert [numbers(view) for view in again.views] == last(make)


@every_learner
def test_view_is_a_snapshot(make):
    learner = make()
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view = learner.view(state)
    before = numbers(view)
    learner.step(rng, state, 2000)
    assert numbers(view) == before


@every_learner
def test_arrays_of_a_view_are_read_only_or_copies(make):
    learner = make()
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view = learner.view(state)
    for f in fields(view):
        array = getattr(view, f.name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[:] = -1.0
    assert -1.0 not in np.ravel(learner.view(state).values if hasattr(view, "values") else [0.0])


@every_learner
def test_pauses_steps_and_stops(make):
    job = Job(run(make(), sweeps=10**6, seed=1, every=1), paused=True).start()
    deadline = time.monotonic() + 10
    while job.state != "paused" and time.monotonic() < deadline:
        time.sleep(0.005)
    assert job.state == "paused"
    assert job.last is None
    job.step(2)
    while (job.last is None or job.last.sweep < 2) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert job.last.sweep == 2
    job.cancel()
    assert job.join(5)
    assert job.state == "stopped"


@every_learner
def test_settings_have_a_digest(make):
    assert digest(make()) == digest(make())


def test_digests_differ():
    assert len({digest(make()) for make in LEARNERS.values()}) == len(LEARNERS)
