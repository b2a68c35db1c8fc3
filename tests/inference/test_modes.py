"""Peaks of a density are found where they are, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import find_peaks

from otlab.inference.modes import multimodal, peaks, prominent


@pytest.mark.parametrize("seed", range(8))
def test_one_normal_has_one_peak(seed):
    draws = np.random.default_rng(seed).normal(3, 2, 3000)
    (found,) = peaks(draws)
    assert found == pytest.approx(3, abs=1.0)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_two_normals_have_two(share):
    rng = np.random.default_rng(4)
    draws = np.where(rng.random(4000) < share, rng.normal(-3, 1, 4000), rng.normal(3, 1, 4000))
    assert peaks(draws) == pytest.approx([-3, 3], abs=0.4)


@pytest.mark.parametrize("n", [150, 1800, 7200, 20_000])
@pytest.mark.slow
def test_a_flat_density_has_one_peak(n):
    """Values that the data leave open are as probable everywhere between their bounds, of 40 as of one."""
    draws = np.random.default_rng(1).uniform(-12, 12, (n, 40))
    assert not multimodal(draws, [f"C{k}" for k in range(40)])


@pytest.mark.parametrize("n", [1000, 20_000])
def test_a_small_peak_that_is_clear_counts(n):
    rng = np.random.default_rng(3)
    draws = np.where(rng.random(n) < 0.1, rng.normal(6, 1, n), rng.normal(0, 1, n))
    assert peaks(draws) == pytest.approx([0, 6], abs=0.5)


def test_a_skewed_density_has_one_peak():
    assert len(peaks(np.random.default_rng(2).gamma(2.0, size=5000))) == 1


def test_correlated_draws_make_no_bumps():
    """A slow random walk looks many-peaked if its draws are counted one by one."""
    rng = np.random.default_rng(1)
    walk, value = np.empty(4000), 0.0
    for i in range(4000):
        value = 0.998 * value + 0.1 * rng.normal()
        walk[i] = value
    assert len(peaks(walk)) > 1
    assert len(peaks(walk, effective=10)) == 1


def test_constant_and_few_draws_have_one_peak():
    assert peaks(np.zeros(500)).tolist() == [0.0]
    assert peaks(np.array([1.0, 9.0])).tolist() == [5.0]


def test_two_peaks_may_show_only_in_a_difference():
    rng = np.random.default_rng(9)
    level, side = rng.normal(0, 6, 6000), np.where(rng.random(6000) < 0.5, 1.0, -1.0)
    draws = np.column_stack([level + side, level - side, level]) + rng.normal(0, 0.2, (6000, 3))
    found = multimodal(draws, ["a", "b", "c"])
    assert found == ["a - b", "a - c", "b - c"]


def test_prominent_peaks_are_those_of_scipy():
    rng = np.random.default_rng(3)
    for _ in range(200):
        values = np.round(rng.normal(size=rng.integers(1, 40)), rng.integers(0, 3))  # with flat peaks
        least = rng.choice([0.0, 0.5, 1.0])
        assert prominent(values, least).tolist() == find_peaks(values, prominence=least)[0].tolist()
