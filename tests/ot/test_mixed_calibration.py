"""Posteriors of speakers and items on generated sets: ranks of planted values, intervals that hold them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.speakers import generate
from benchmarks.speakers_calibration import BINS, LEAST, NAMES, histograms, ranks_of
from otlab.ot.learners.sot_mixed import fit_sot_mixed

SETS = 100


@pytest.mark.slow
def test_ranks_of_what_was_planted_are_uniform():
    """Simulation-based calibration (Talts et al. 2018) of m, tau and omega; p > .001 after Bonferroni."""
    counts, p = histograms(ranks_of(range(SETS)))
    assert counts.shape == (len(NAMES), BINS)
    assert p.min() > LEAST / len(NAMES), counts[p.argmin()]


def test_ranks_that_are_not_uniform_are_found():
    even = np.arange(200) % 100
    assert histograms(np.column_stack([even, even // 2]))[1].tolist() == pytest.approx([1.0, 0.0])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_stochastic_ot_finds_the_planted_spread():
    """The 90 % intervals of tau hold the planted one on 16 of 20 sets: on average, and on 14 for each."""
    held = np.zeros(6)
    for seed in range(20):
        tableau, _, tau = generate(30, 900, ranking=True, seed=100 + seed)
        found = fit_sot_mixed(tableau, sweeps=300, warmup=150, chains=2, seed=seed)
        low, high = np.quantile(found.posterior.pooled("tau"), [0.05, 0.95], axis=0)
        held += (low <= tau) & (tau <= high)
    assert held.mean() >= 16
    assert (held >= 14).all()
