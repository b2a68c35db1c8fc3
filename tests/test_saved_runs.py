"""Finished and interrupted runs of a campaign are found again, with the numbers of one that never stopped."""

from __future__ import annotations

import pickle

import pytest

from benchmarks.saved_runs import fit_saved
from otlab.errors import Interrupted
from otlab.inference import fit
from tests.inference.toys import Walk


class Watched(Walk):
    """Counts how often it is stepped."""

    steps = 0

    def step(self, rng, state, n):
        Watched.steps += n
        return super().step(rng, state, n)


def test_a_finished_run_is_read_back(tmp_path):
    Watched.steps = 0
    first = fit_saved(Watched(), tmp_path, sweeps=40, seed=1)
    again = fit_saved(Watched(), tmp_path, sweeps=40, seed=1)
    assert Watched.steps == 40
    assert again.views == first.views
    assert fit_saved(Watched(), tmp_path, sweeps=40, seed=2).views != first.views


def test_a_longer_run_goes_on_where_a_shorter_one_ended(tmp_path):
    whole = fit(Watched(), steps=40, seed=1).views
    short = fit_saved(Watched(), tmp_path, sweeps=25, seed=1)
    Watched.steps = 0
    assert fit_saved(Watched(), tmp_path, sweeps=40, seed=1).views == whole
    assert Watched.steps == 15
    assert fit_saved(Watched(), tmp_path, sweeps=25, seed=1).views == short.views


def test_a_shorter_run_does_not_take_a_longer_one_s_end(tmp_path):
    fit_saved(Watched(), tmp_path, sweeps=40, seed=1)
    expected = fit(Watched(), steps=30, seed=1).views
    assert fit_saved(Watched(), tmp_path, sweeps=30, seed=1).views == expected


def test_a_run_that_is_stopped_goes_on_from_its_record(tmp_path):
    whole = fit_saved(Watched(), tmp_path / "whole", sweeps=40, seed=1).views
    with pytest.raises(Interrupted, match="record"):
        fit_saved(Watched(), tmp_path, sweeps=40, seed=1, stopping=lambda: True)
    (saved,) = tmp_path.glob("*.record")
    assert 0 < pickle.loads(saved.read_bytes()).sweep < 40
    assert fit_saved(Watched(), tmp_path, sweeps=40, seed=1).views == whole
