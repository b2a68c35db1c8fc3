"""Every learner of every registry keeps to the one shape of `otlab.inference.learner`.

A system is one line of `SYSTEMS`: its registry and some data. Settings other than the
defaults are in `VARIANTS`.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest

from otlab import ot
from otlab.inference import Checkpoint, Job, Learner, fit, run
from otlab.inference.random import run_seed
from otlab.inference.results import digest

STEPS = 60
# System -> its registry, and data for all its learners.
SYSTEMS = {"ot": (ot.LEARNERS, ot.read("spanish"))}
# Learner -> other settings to test it with.
VARIANTS = {
    "ot gibbs": {"normal prior": {"prior_sd": 1.0}, "as published": {"variant": "published"}},
    "ot gla": {name: {"schedule": name, "sweeps": STEPS} for name in ("praat", "geometric", "constant")},
    "ot maxent": {"free, with a prior": {"weights": "free", "prior_sd": 1.0}},
}


def _cases():
    for system, (learners, data) in SYSTEMS.items():
        for name, entry in learners.items():
            for variant, settings in {"": {}, **VARIANTS.get(f"{system} {name}", {})}.items():
                yield pytest.param(entry, data, settings, id=f"{system} {name} {variant}".strip())


every_learner = pytest.mark.parametrize(("entry", "data", "settings"), list(_cases()))


def make(entry, data, settings):
    return entry.make(data, entry.settings(**settings))


def numbers(value):
    """Return all that a view holds, as plain values."""
    if is_dataclass(value):
        return [numbers(getattr(value, f.name)) for f in fields(value)]
    return np.array(value).tolist()


def ends(learner, **how):
    """Return what each of three chains shows at its end."""
    return [numbers(view) for view in run(learner, sweeps=STEPS, seed=11, chains=3, **how).finish().views]


@every_learner
def test_has_the_shape(entry, data, settings):
    learner = make(entry, data, settings)
    assert isinstance(learner, Learner)
    assert learner.name == entry.name
    with pytest.raises(FrozenInstanceError):
        learner.name = "other"
    view = learner.view(learner.init(np.random.default_rng(1)))
    assert is_dataclass(view)
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        setattr(view, fields(view)[0].name, 0)


@every_learner
def test_same_numbers_for_any_tick_size(entry, data, settings):
    learner = make(entry, data, settings)
    reference = ends(learner, every=STEPS)
    for every in (1, 7, None):
        assert ends(learner, every=every) == reference


@every_learner
def test_same_numbers_for_any_threads(entry, data, settings):
    learner = make(entry, data, settings)
    assert ends(learner, threads=1) == ends(learner, threads=3)


@every_learner
def test_chain_k_is_the_run_from_its_own_seed(entry, data, settings):
    learner = make(entry, data, settings)
    for k, chain in enumerate(ends(learner)):
        assert numbers(fit(learner, steps=STEPS, seed=run_seed(11, k)).view) == chain


@every_learner
def test_goes_on_from_a_checkpoint(entry, data, settings, tmp_path):
    learner = make(entry, data, settings)
    first = run(learner, sweeps=STEPS, seed=11, chains=3)
    first.advance(23)
    first.checkpoint().save(tmp_path / "c")
    second = run(learner, sweeps=STEPS, start=Checkpoint.load(tmp_path / "c"))
    assert [numbers(view) for view in second.finish().views] == ends(learner)


@every_learner
def test_a_view_is_a_snapshot(entry, data, settings):
    learner = make(entry, data, settings)
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view = learner.view(state)
    before = numbers(view)
    learner.step(rng, state, 500)
    assert numbers(view) == before


@every_learner
def test_writing_into_a_view_changes_no_state(entry, data, settings):
    learner = make(entry, data, settings)
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view, before = learner.view(state), numbers(learner.view(state))
    for f in fields(view):
        array = getattr(view, f.name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[:] = -1.0
    assert numbers(learner.view(state)) == before


@every_learner
def test_stops_when_a_job_is_cancelled(entry, data, settings):
    job = Job(run(make(entry, data, settings), sweeps=10**6, seed=1, every=1), paused=True).start()
    job.cancel()
    assert job.join(60)
    assert job.state == "stopped"


@every_learner
def test_settings_have_a_digest(entry, data, settings):
    assert digest(make(entry, data, settings)) == digest(make(entry, data, settings))


@every_learner
def test_a_fit_says_how_to_repeat_it(entry, data, settings):
    fitted = fit(make(entry, data, settings), steps=20, chains=2, seed=5)
    record = fitted.to_dict()
    assert (record["learner"], record["seed"]) == (entry.name, 5)
    assert {"settings", "versions"} <= record.keys()
    assert len(fitted.seeds) == 2
