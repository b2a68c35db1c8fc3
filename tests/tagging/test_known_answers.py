"""Figures known to ten digits: forward-backward, decoding, free energy, f."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from otlab.inference.dirichlet import kl_divergence
from otlab.tagging import Corpus, Prior
from otlab.tagging.hmm.decode import marginal, viterbi
from otlab.tagging.hmm.estep import Expectation
from otlab.tagging.hmm.mstep import bayes_emissions, bayes_weights
from otlab.tagging.hmm.parameters import Counts, Weights
from otlab.tagging.kernels.weights import bayes_active_rows, bayes_rows, exp_all, log_all
from tests.tagging import naive

THETA = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.7, 0.3, 0.0]])
PHI = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
SENTENCES = [[0, 1, 2], [2, 0], [1]]


@pytest.fixture
def corpus():
    return Corpus(np.array([0, 1, 2, 2, 0, 1], np.int32), np.array([0, 3, 5, 6]), ("a", "b", "c"))


@pytest.mark.parametrize("sparse", [False, True])
def test_expected_counts(corpus, sparse):
    found = Expectation(corpus, 2, sparse=sparse)(Weights.of_probabilities(THETA, PHI.T))
    assert found.log_probability == pytest.approx(-12.598098151043684, abs=1e-9)
    transitions = [
        [0.9446937197, 0.9773911667, 1.1180015217],
        [0.2743863844, 0.8035287292, 1.8819984783],
        [1.821006304, 1.178993696, 0],
    ]
    np.testing.assert_allclose(found.counts.transitions, transitions, atol=1e-9)
    emissions = [[1.473741121, 1.1192604006, 0.4470848864], [0.526258879, 0.8807395994, 1.5529151136]]
    np.testing.assert_allclose(found.counts.emissions.T, emissions, atol=1e-9)


def test_the_two_decodings_differ_in_the_second_sentence(corpus):
    weights = Weights.of_probabilities(THETA, PHI.T)
    assert naive.split(marginal(corpus, weights), corpus.offsets) == [[0, 0, 1], [1, 0], [0]]
    assert naive.split(viterbi(corpus, weights), corpus.offsets) == [[0, 0, 1], [1, 1], [0]]


def test_the_free_energy_of_five_updates(corpus):
    counts = Counts(np.array([[3, 1, 1], [1, 3, 2], [2, 1.5, 0]]), np.array([[2, 0.5], [1, 1], [0.5, 2]]))
    engine, found = Expectation(corpus, 2), []
    for _ in range(6):
        weights, divergence = bayes_weights(counts, Prior(0.1, 0.1), "f64")
        expected = engine(weights)
        found.append(divergence - expected.log_probability)
        counts = expected.counts
    reference = [
        28.416355812529883, 26.777048513872458, 26.587487208967005,
        25.99730719519682, 24.773971172869818, 22.74919462026117,
    ]  # fmt: skip
    np.testing.assert_allclose(found, reference, atol=1e-9)


def log_f(value, prior=1e-9):
    """Digamma as the kernel computes it: the weight of a cell is exp of it, scaled."""
    emission, log_scale = np.empty((1, 1)), np.empty(1)
    bayes_rows(
        np.array([[value - prior]]),
        prior,
        np.ones((1, 1), bool),
        False,
        np.zeros(1),
        0,
        1,
        emission,
        log_scale,
    )
    assert emission[0, 0] == 1
    return log_scale[0]


@pytest.mark.parametrize(
    ("value", "f"),
    [(0.5, 0.140364871), (1, 0.561459484), (10, 9.50437852), (0.1, 2.97180801e-5), (1e-4, 0.0)],
)
def test_f(value, f):
    assert np.exp(log_f(value)) == pytest.approx(f, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("value", [1e-3, 0.02, 0.3, 1.7, 5.9, 7.1, 42.0, 1e3, 1e6])
def test_digamma_is_exact_and_the_papers_is_not(value):
    assert log_f(value) == pytest.approx(digamma(value), rel=1e-13, abs=1e-13)


def test_logarithm_by_a_polynomial_is_that_of_the_c_library():
    x = np.concatenate([np.geomspace(1e-300, 1e300, 5001), np.linspace(0.6, 1.6, 5001)])
    bits, found = np.empty(x.size, np.int64), np.empty(x.size)
    log_all(x.view(np.int64), bits.view(np.float64), bits, found)
    np.testing.assert_allclose(found, np.log(x), rtol=1e-15)


def test_exponential_by_a_polynomial_is_that_of_the_c_library():
    x = np.concatenate([-np.geomspace(1e-9, 699, 5001), -np.linspace(0, 2, 5001), [-700.0, -1e300]])
    bits, found = np.empty(x.size, np.int64), np.empty(x.size)
    exp_all(x, bits, bits.view(np.float64), found)
    np.testing.assert_allclose(found, np.where(x > -700, np.exp(x), 0.0), rtol=1e-15)


def test_divergence_is_the_sum_over_blocks_of_words():
    rng = np.random.default_rng(4)
    counts = np.where(rng.random((500, 9)) < 0.2, rng.gamma(3.0, 1e9, (500, 9)), 0.0)
    shift, weights, log_scale = digamma(counts.sum(0) + 50.0), np.empty(counts.shape), np.empty(500)

    def divergence(low, high):
        return bayes_active_rows(counts, 0.1, float(digamma(0.1)), shift, low, high, weights, log_scale)

    every = divergence(0, 500)
    for cut in (40, 150, 270):
        assert divergence(0, cut) + divergence(cut, 500) == pytest.approx(every, rel=1e-12)


@pytest.mark.parametrize("prior", [1e-4, 0.1, 3.0])
def test_counts_that_are_mostly_0_give_the_weights_and_divergence_of_all_cells(prior):
    rng = np.random.default_rng(1)
    counts = np.where(rng.random((101, 50)) < 0.1, rng.gamma(0.3, 50, (101, 50)), 0.0)
    counts[7], counts[8] = 0.0, 1.5
    shift = digamma(counts.sum(0) + 101 * prior)
    results = []
    kernels = {bayes_rows: (np.ones((1, 1), bool), False), bayes_active_rows: (float(digamma(prior)),)}
    for kernel, more in kernels.items():
        weights, log_scale = np.full(counts.shape, np.nan), np.full(101, np.nan)
        divergence = kernel(counts, prior, *more, shift, 0, 101, weights, log_scale)
        results.append((divergence, weights, log_scale))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-11)


def test_with_a_dictionary_each_state_has_the_posterior_of_its_own_words():
    rng, prior = np.random.default_rng(2), 0.4
    allowed = rng.random((40, 6)) < 0.5
    allowed[:, 5], allowed[:, 4] = False, True  # a state that no word may have
    allowed[:, 3] = np.arange(40) == 7
    counts = np.where(allowed & (rng.random((40, 6)) < 0.2), rng.gamma(1.0, 3.0, (40, 6)), 0.0)
    counts[7, 3] = 2.5
    emission, log_scale, divergence = bayes_emissions(counts, prior, "f64", allowed, 1, 0.25)
    expected, parts = np.zeros((40, 6)), 0.25
    for k in range(5):
        own = allowed[:, k]
        posterior = counts[own, k] + prior
        expected[own, k] = np.exp(digamma(posterior) - digamma(posterior.sum()))
        parts += kl_divergence(posterior[None], np.full((1, own.sum()), prior))
    np.testing.assert_allclose(emission * np.exp(log_scale)[:, None], expected, rtol=1e-10)
    assert divergence == pytest.approx(parts, rel=1e-10)


def paper_digamma(v, *, recurrence, fourth):
    """Equation (5), with either recurrence and either coefficient of x^-4."""
    if v > 7:
        x = v - 0.5
        return np.log(x) + 0.04167 * x**-2 + fourth * x**-4 + 0.00384 * x**-6 - 0.00413 * x**-8
    return recurrence(paper_digamma(v + 1, recurrence=recurrence, fourth=fourth), v)


def test_equation_5_has_two_slips():
    def right(psi, v):
        return psi - 1 / v

    def printed(psi, v):
        return (psi - 1) / v

    mended = paper_digamma(0.1, recurrence=right, fourth=-7 / 960)
    assert abs(mended - digamma(0.1)) < 1e-5 < 1e-4
    assert abs(paper_digamma(0.1, recurrence=printed, fourth=0.00729) - digamma(0.1)) > 10
    assert abs(paper_digamma(7.5, recurrence=right, fourth=0.00729) - digamma(7.5)) > 5e-6
    assert abs(log_f(7.5) - digamma(7.5)) < 1e-12
