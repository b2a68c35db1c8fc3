"""Draws against the distributions they should come from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from otlab.inference.jit import kernel
from otlab.inference.kernels.draws import categorical, dirichlet, log_gamma_variate, truncated_normal
from otlab.inference.random import chain_generators, run_seed

INF = np.inf
INTERVALS = [
    (-INF, INF),
    (-2.0, INF),
    (0.0, INF),
    (0.3, INF),
    (0.6, INF),
    (4.0, INF),
    (9.0, INF),
    (-INF, 1.0),
    (-INF, -5.0),
    (-1.0, 0.2),
    (-3.0, 2.0),
    (1.0, 4.0),
    (1.0, 1.05),
    (-4.0, -3.9),
    (6.0, 6.001),
    (30.0, INF),
]


@kernel
def many(rng, mean, sd, low, high, out):
    for i in range(out.size):
        out[i] = truncated_normal(rng, mean, sd, low, high)


def draw(rng, low, high, size=40_000, mean=0.0, sd=1.0):
    out = np.empty(size)
    many(rng, mean, sd, low, high, out)
    return out


@pytest.mark.parametrize(("low", "high"), INTERVALS)
def test_truncated_normal(low, high):
    # 16 intervals at p > 1e-7 each: a right sampler fails once in half a million runs.
    draws = draw(np.random.default_rng(12), low, high)
    assert ((draws >= low) & (draws <= high)).all()
    assert stats.kstest(draws, stats.truncnorm(low, high).cdf).pvalue > 1e-7


def test_truncated_normal_is_scaled_and_shifted():
    standard = draw(np.random.default_rng(3), 0.5, 2.0, 100)
    moved = draw(np.random.default_rng(3), 10.0 + 0.5 * 3, 10.0 + 2.0 * 3, 100, mean=10.0, sd=3.0)
    np.testing.assert_allclose(moved, 10 + 3 * standard, rtol=1e-12)


def paper_envelope(c, sd):
    """Lin's section 5.2 as printed: the root lacks the square on c."""
    return (c + np.sqrt(c + 4 * sd**2)) / (2 * sd**2)


def robert_envelope(c, sd):
    return (c + np.sqrt(c**2 + 4 * sd**2)) / (2 * sd**2)


def tail_draws(envelope, keep, a, size, rng):
    lam = envelope(a, 1.0)
    z = a + rng.exponential(size=size) / lam
    return z[keep(rng.random(size), np.exp(-((z - lam) ** 2) / 2))]


@pytest.mark.parametrize(
    ("envelope", "keep", "right"),
    [
        (robert_envelope, np.less, True),
        (paper_envelope, np.less, True),
        (robert_envelope, np.greater, False),
        (paper_envelope, np.greater, False),
    ],
    ids=["corrected", "root without the square", "acceptance taken for rejection", "both slips"],
)
def test_the_printed_truncated_normal_is_wrong(envelope, keep, right):
    # The printed root alone leaves a valid (only slower) envelope; its acceptance rate gives it away below.
    draws = tail_draws(envelope, keep, 1.5, 60_000, np.random.default_rng(8))
    follows = stats.kstest(draws, stats.truncnorm(1.5, INF).cdf).pvalue > 1e-7
    assert bool(follows) is right


def test_the_printed_root_is_a_worse_envelope():
    rng = np.random.default_rng(8)
    good, printed = (len(tail_draws(e, np.less, 4.0, 40_000, rng)) for e in (robert_envelope, paper_envelope))
    assert printed < 0.9 * good


def test_categorical_follows_its_weights():
    rng = np.random.default_rng(5)
    weights = np.array([0.0, 1.0, 3.0, 0.0, 6.0, 0.0])
    counts = np.bincount([categorical(rng, weights) for _ in range(20_000)], minlength=6)
    assert counts[[0, 3, 5]].sum() == 0
    assert stats.chisquare(counts[[1, 2, 4]], 20_000 * weights[[1, 2, 4]] / 10).pvalue > 1e-7


@pytest.mark.parametrize("shape", [1e-4, 0.01, 0.5, 1.0, 7.3])
def test_log_gamma_variates(shape):
    rng = np.random.default_rng(2)
    logs = np.array([log_gamma_variate(rng, shape) for _ in range(20_000)])
    assert np.isfinite(logs).all()
    assert stats.kstest(logs, stats.loggamma(shape).cdf).pvalue > 1e-7


def test_dirichlet_stays_right_where_gammas_underflow():
    rng = np.random.default_rng(2)
    alpha, out = np.full(45, 1e-4), np.empty(45)
    tops = []
    for _ in range(4000):
        dirichlet(rng, alpha, out)
        assert abs(out.sum() - 1) < 1e-12
        tops.append(out.argmax())
    assert stats.chisquare(np.bincount(tops, minlength=45)).pvalue > 1e-7


def test_chains_are_independent_and_repeatable():
    first, again = chain_generators(11, 3), chain_generators(11, 3)
    streams = [rng.random(1000) for rng in first]
    for stream, rng in zip(streams, again, strict=True):
        np.testing.assert_array_equal(stream, rng.random(1000))
    assert abs(np.corrcoef(streams) - np.eye(3)).max() < 0.15


def test_each_run_of_a_root_seed_is_repeated_alone_by_its_own_seed():
    seeds = [run_seed(7, number) for number in range(40)]
    assert seeds[0] == 7
    assert len(set(seeds)) == 40
    assert all(run_seed(seed, 0) == seed for seed in seeds)
    for seed, rng in zip(seeds, chain_generators(7, 40), strict=True):
        (alone,) = chain_generators(seed, 1)
        np.testing.assert_array_equal(rng.random(5), alone.random(5))
