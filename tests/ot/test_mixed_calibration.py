"""Posteriors of speakers and items on generated sets: ranks of planted values, intervals that hold them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2

from benchmarks.speakers import generate
from otlab.ot import NormalPrior, Tableau
from otlab.ot.groups import Groups
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
from otlab.ot.learners.sot_mixed import fit_sot_mixed

SETS, BINS, DRAWS = 100, 20, 99
CONSTRAINTS, SPEAKERS, ITEMS, INPUTS, EACH = 6, 12, 8, 6, 2


def planted(seed):
    """Return a set of tokens drawn from the prior of all parameters, and m, tau and omega."""
    rng = np.random.default_rng(seed)
    violations = rng.integers(0, 2, (INPUTS, 2, CONSTRAINTS))
    m, tau, omega = rng.normal(0, 1, CONSTRAINTS), *np.abs(rng.normal(0, 1, (2, CONSTRAINTS)))
    u = tau * rng.standard_normal((SPEAKERS, CONSTRAINTS))
    v = omega * rng.standard_normal((ITEMS, CONSTRAINTS))
    g, i, x = (
        a.reshape(-1) for a in np.meshgrid(range(SPEAKERS), range(ITEMS), range(INPUTS), indexing="ij")
    )
    advantage = ((violations[x, 1] - violations[x, 0]) * (m + u[g] + v[i])).sum(axis=1)
    first = rng.binomial(EACH, expit(advantage))
    rows = [(f"x{r // 2}", f"c{r % 2}", 0, violations[r // 2, r % 2].tolist()) for r in range(2 * INPUTS)]
    bare = Tableau.from_rows(rows, [f"C{k}" for k in range(CONSTRAINTS)])
    names = [f"s{n}" for n in g] * 2, [f"w{n}" for n in i] * 2
    groups = Groups.of(*names, [*(2 * x), *(2 * x + 1)], [*first, *(EACH - first)])
    tableau = replace(bare, frequencies=groups.sums(bare.n_rows), groups=groups)
    return tableau, np.concatenate([m, tau, omega])


@pytest.mark.slow
def test_ranks_of_what_was_planted_are_uniform():
    """Simulation-based calibration (Talts et al. 2018) of m, tau and omega; p > .001 after Bonferroni."""
    prior = NormalPrior(np.zeros(CONSTRAINTS), np.ones(CONSTRAINTS))
    ranks = np.empty((SETS, 3 * CONSTRAINTS), np.int64)
    for seed in range(SETS):
        tableau, truth = planted(seed)
        found = fit_maxent_mixed(
            tableau, prior=prior, weights="free", sweeps=600, warmup=200, chains=2, seed=seed
        )
        draws = np.hstack([found.posterior.pooled(name) for name in ("weight", "tau", "omega")])
        some = draws[np.linspace(0, len(draws) - 1, DRAWS).round().astype(int)]
        ranks[seed] = (some < truth).sum(axis=0)
    expected = SETS / BINS
    for k in range(ranks.shape[1]):
        counts = np.bincount(ranks[:, k] * BINS // (DRAWS + 1), minlength=BINS)
        p = chi2.sf(((counts - expected) ** 2 / expected).sum(), BINS - 1)
        assert p > 0.001 / ranks.shape[1], (k, counts)


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
