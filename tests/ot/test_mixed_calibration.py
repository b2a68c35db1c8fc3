"""Posteriors of speakers and items on generated sets: intervals that hold what was planted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.speakers import generate
from otlab.ot.learners.sot_mixed import fit_sot_mixed


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_stochastic_ot_finds_the_planted_spread():
    """The 90 % intervals of tau hold the planted one on 10 of 12 sets: on average, and on 8 for each."""
    held = np.zeros(6)
    for seed in range(12):
        tableau, _, tau = generate(30, 900, ranking=True, seed=100 + seed)
        found = fit_sot_mixed(tableau, sweeps=300, warmup=150, chains=2, seed=seed)
        low, high = np.quantile(found.posterior.pooled("tau"), [0.05, 0.95], axis=0)
        held += (low <= tau) & (tau <= high)
    assert held.mean() >= 10
    assert (held >= 8).all()
