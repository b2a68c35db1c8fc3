"""Histograms that grow with a run agree with counting everything at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.viz.ot.histograms import DrawHistogram


@pytest.fixture
def draws():
    return np.random.default_rng(7).normal([-0.5, 0.0, 40.0], [0.1, 1.0, 3.0], size=(5000, 3))


def grown(draws, cuts):
    histogram = DrawHistogram(draws.shape[1])
    for n in [*cuts, len(draws)]:
        histogram.update([draws[: n // 2], draws[len(draws) // 2 :][: n - n // 2]])
    return histogram


def test_moments_and_quantiles(draws):
    histogram = grown(draws, [10, 11, 600])
    assert histogram.n == 5000
    np.testing.assert_allclose(histogram.mean, draws.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(histogram.sd, draws.std(axis=0, ddof=1), rtol=1e-12)
    levels = [0.025, 0.5, 0.975]
    np.testing.assert_allclose(
        histogram.quantiles(levels), np.quantile(draws, levels, axis=0), atol=2 * histogram.step
    )


def test_bins_are_exact_counts(draws):
    histogram = grown(draws, [100, 2000])
    edges, counts = histogram.bins(-3.0, 3.0, at_most=50)
    assert len(edges) - 1 <= 52
    assert edges[0] <= -3.0
    assert edges[-1] >= 3.0
    for column in range(3):
        inside = draws[:, column][(draws[:, column] >= edges[0]) & (draws[:, column] < edges[-1])]
        places = np.searchsorted(edges, inside, side="right") - 1
        np.testing.assert_array_equal(counts[column], np.bincount(places, minlength=len(edges) - 1))


@pytest.mark.slow
@given(st.lists(st.integers(0, 300), max_size=6), st.integers(0, 1000))
def test_how_ticks_cut_the_run_changes_nothing(cuts, seed):
    draws = np.random.default_rng(seed).standard_cauchy((300, 2))
    at_once, in_parts = grown(draws, []), grown(draws, sorted(cuts))
    for one, other in zip(at_once.bins(-9, 9, 40), in_parts.bins(-9, 9, 40), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(in_parts.mean, at_once.mean, rtol=1e-9, atol=1e-9)


def test_no_draws_yet():
    histogram = DrawHistogram(2)
    histogram.update([np.empty((0, 2))])
    assert histogram.n == 0
    assert np.isnan([*histogram.mean, *histogram.sd]).all()
    assert np.isnan(histogram.quantiles([0.5])).all()
    assert histogram.bins(-1, 1, 10)[1].sum() == 0


def test_rows_that_are_not_finite_are_left_out():
    histogram = DrawHistogram(2)
    histogram.add(np.array([[1.0, 2.0], [np.nan, 1.0], [np.inf, 0.0]]))
    assert histogram.n == 1
    np.testing.assert_allclose(histogram.mean, [1.0, 2.0])


def test_one_value_only():
    histogram = DrawHistogram(1)
    histogram.add(np.full((10, 1), 0.25))
    assert histogram.sd[0] == 0
    np.testing.assert_allclose(histogram.quantiles([0.1, 0.9]), 0.25, atol=histogram.step)
