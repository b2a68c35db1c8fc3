"""Settings are hashed by value; finished and half-finished runs are found again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import Interrupted
from otlab.inference import fit, run
from otlab.inference.results import digest, fit_cached
from otlab.inference.run import Checkpoint
from tests.inference.toys import Arrays, Walk

SETTINGS = Arrays(np.arange(4.0), (1.0, 2.5), {"b": None, "a": "x"})


def test_equal_settings_have_equal_digests():
    other = Arrays(np.arange(4.0), (1.0, 2.5), {"a": "x", "b": None})
    assert digest(SETTINGS) == digest(other)


@pytest.mark.parametrize(
    "change",
    [
        {"data": np.arange(5.0)},
        {"data": np.arange(4)},
        {"data": np.arange(4.0).reshape(2, 2)},
        {"weights": (1.0, 2.5000001)},
        {"weights": (1, 2.5)},
        {"options": {"a": "x"}},
        {"options": {"a": "y", "b": None}},
    ],
)
def test_any_change_changes_the_digest(change):
    assert digest(replace(SETTINGS, **change)) != digest(SETTINGS)


def test_what_has_no_value_is_refused():
    with pytest.raises(TypeError, match="cannot hash"):
        digest(object())


class Watched(Walk):
    """Counts how often it is stepped."""

    steps = 0

    def step(self, rng, state, n):
        Watched.steps += n
        return super().step(rng, state, n)


def test_a_finished_run_is_read_back(tmp_path):
    Watched.steps = 0
    first = fit_cached(Watched(), tmp_path, sweeps=40, seed=1)
    again = fit_cached(Watched(), tmp_path, sweeps=40, seed=1)
    assert Watched.steps == 40
    assert again.views == first.views
    assert fit_cached(Watched(), tmp_path, sweeps=40, seed=2).views != first.views


def test_a_run_cut_off_goes_on_from_its_checkpoint(tmp_path):
    whole = fit(Watched(), steps=40, seed=1).views
    half = run(Watched(), sweeps=40, seed=1)
    half.advance(25)
    name = digest(Watched(), 1, 1, "")[:24]
    half.checkpoint().save(tmp_path / f"{name}.checkpoint")
    Watched.steps = 0
    assert fit_cached(Watched(), tmp_path, sweeps=40, seed=1).views == whole
    assert Watched.steps == 15


def test_a_longer_run_goes_on_where_a_shorter_one_ended(tmp_path):
    whole = fit(Watched(), steps=40, seed=1).views
    short = fit_cached(Watched(), tmp_path, sweeps=25, seed=1)
    Watched.steps = 0
    assert fit_cached(Watched(), tmp_path, sweeps=40, seed=1).views == whole
    assert Watched.steps == 15
    assert fit_cached(Watched(), tmp_path, sweeps=25, seed=1).views == short.views


def test_a_shorter_run_does_not_take_a_longer_one_s_end(tmp_path):
    fit_cached(Watched(), tmp_path, sweeps=40, seed=1)
    expected = fit(Watched(), steps=30, seed=1).views
    assert fit_cached(Watched(), tmp_path, sweeps=30, seed=1).views == expected


def test_a_run_that_is_stopped_goes_on_from_its_checkpoint(tmp_path):
    whole = fit_cached(Watched(), tmp_path / "whole", sweeps=40, seed=1).views
    with pytest.raises(Interrupted, match="checkpoint"):
        fit_cached(Watched(), tmp_path, sweeps=40, seed=1, stopping=lambda: True)
    (saved,) = tmp_path.glob("*.checkpoint")
    assert 0 < Checkpoint.load(saved).sweep < 40
    assert fit_cached(Watched(), tmp_path, sweeps=40, seed=1).views == whole
