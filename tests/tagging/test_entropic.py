"""EM with the entropic prior: its M-step against numerical maximisation, its objective, the lab's row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from otlab.inference import fit
from otlab.tagging import fit_em, make_learner, simulate_hmm
from otlab.tagging.hmm.entropic import entropic_rows, negative_entropy


def log_posterior(counts, theta):
    return float((counts * np.log(theta)).sum()) + negative_entropy(theta)


def by_numbers(counts, rng):
    """Return the largest value that BFGS finds over softmax coordinates, from several starts."""

    def loss(z):
        theta = np.maximum(np.exp(z - np.logaddexp.reduce(z)), 1e-300)
        return -log_posterior(counts, theta)

    start = np.log(counts / counts.sum())
    starts = [start, *(start + rng.normal(size=counts.size) for _ in range(2))]
    return max(-minimize(loss, z, method="BFGS", options={"gtol": 1e-10}).fun for z in starts)


@pytest.mark.parametrize("size", [0.02, 0.5, 3.0, 100.0, 5000.0])
def test_the_m_step_is_the_numerical_maximum(size):
    rng = np.random.default_rng(int(100 * size))
    for outcomes in (2, 3, 5):
        counts = rng.gamma(0.7, size, outcomes) + 1e-3 * size
        theta = entropic_rows(counts[None])[0]
        assert theta.sum() == pytest.approx(1, abs=1e-12)
        best = by_numbers(counts, rng)
        assert log_posterior(counts, theta) > best - 1e-10 * max(1, abs(best))
        # The derivative is the same in each outcome that has a noticeable share.
        slopes = (counts / theta + np.log(theta))[theta > 1e-12]
        assert np.ptp(slopes) < 1e-8 * max(1, np.abs(slopes).max())


def test_outcomes_without_counts_have_none_and_large_counts_give_shares():
    rows = entropic_rows(np.array([[6e6, 0, 3e6, 1e6], [0, 0, 0, 0], [0, 4, 0, 0]]))
    assert rows[0] == pytest.approx([0.6, 0, 0.3, 0.1], abs=1e-5)
    assert rows[1].tolist() == [0, 0, 0, 0]
    assert rows[2].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("known", ["none", "40%"])
def test_the_log_posterior_never_falls_and_rows_are_more_certain_than_ems(known):
    corpus = simulate_hmm(1500, 3, tags=4, types=80)
    options = {"states": 6, "iterations": 15, "seed": 2, "known_tags": known}
    plain = fit_em(corpus, **options)
    learner = make_learner("entropic", corpus, states=6, known=plain.learner.known)
    entropic = fit(learner, steps=15, seed=2)
    assert np.all(np.diff(entropic.view.objective) >= -1e-7)
    assert entropic.view.alarm == ""
    entropies = [
        -negative_entropy(f.model.weights.transitions) - negative_entropy(f.model.weights.emissions)
        for f in (plain, entropic)
    ]
    assert entropies[1] < entropies[0]
