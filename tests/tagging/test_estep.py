"""Forward-backward against enumeration, and its independence of threads and batches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab.tagging import Corpus, Prior, simulate_hmm
from otlab.tagging.hmm.batches import make_shards
from otlab.tagging.hmm.decode import viterbi
from otlab.tagging.hmm.estep import Expectation, Impossible
from otlab.tagging.hmm.mstep import bayes_weights, share_weights
from otlab.tagging.hmm.parameters import Counts, Weights
from otlab.tagging.kernels.sparse import SIDE_BY_SIDE, pair_work
from tests.tagging import naive
from tests.tagging.strategies import corpora, models, sentences_of


@settings(max_examples=60, deadline=None)
@given(st.data())
@pytest.mark.parametrize("sparse", [False, True])
def test_expected_counts_equal_enumeration(sparse, data):
    corpus = data.draw(corpora())
    theta, phi = data.draw(models(corpus.types))
    log_probability, between, by_word, marginals = naive.expected_counts(sentences_of(corpus), theta, phi)
    found = Expectation(corpus, phi.shape[1], sparse=sparse)(Weights.of_probabilities(theta, phi))
    assert found.log_probability == pytest.approx(log_probability, rel=1e-10)
    np.testing.assert_allclose(found.counts.transitions, between, atol=1e-9)
    np.testing.assert_allclose(found.counts.emissions, by_word, atol=1e-9)
    best = np.concatenate(marginals)
    chosen = best[np.arange(corpus.tokens), found.labels]
    np.testing.assert_allclose(chosen, best.max(1), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_viterbi_finds_the_best_path(data):
    corpus = data.draw(corpora())
    theta, phi = data.draw(models(corpus.types))
    labels = naive.split(viterbi(corpus, Weights.of_probabilities(theta, phi)), corpus.offsets)
    for words, path in zip(sentences_of(corpus), labels, strict=True):
        best = naive.path_weight(words, naive.best_path(words, theta, phi), theta, phi)
        assert naive.path_weight(words, path, theta, phi) == pytest.approx(best, rel=1e-12)


def test_equal_states_tie_and_the_lowest_is_taken():
    corpus = Corpus.from_sentences([["a", "b"], ["a"]])
    theta = np.full((3, 3), 1 / 3)
    weights = Weights.of_probabilities(theta, np.full((2, 2), 0.5))
    assert not Expectation(corpus, 2)(weights).labels.any()
    assert not Expectation(corpus, 2, sparse=True)(weights).labels.any()
    assert not viterbi(corpus, weights).any()


@pytest.fixture(scope="module")
def skewed():
    return simulate_hmm(6000, 4)


def random_weights(corpus, states, precision="f64", seed=3):
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.ones(states + 1), states + 1)
    return Weights.of_probabilities(theta, rng.dirichlet(np.ones(corpus.types), states).T, precision)


def test_threads_change_no_bit(skewed):
    weights = random_weights(skewed, 10, "f32")
    one, two, five = (Expectation(skewed, 10, "f32", threads=n)(weights) for n in (1, 2, 5))
    for other in (two, five):
        assert other.log_probability == one.log_probability
        assert np.array_equal(other.counts.emissions, one.counts.emissions)
        assert np.array_equal(other.counts.transitions, one.counts.transitions)
        assert np.array_equal(other.labels, one.labels)


def test_an_engine_gives_the_same_numbers_twice(skewed):
    weights, engine = random_weights(skewed, 6), Expectation(skewed, 6)
    first, second = engine(weights), engine(weights)
    assert first.log_probability == second.log_probability
    assert np.array_equal(first.counts.emissions, second.counts.emissions)


def test_order_and_batching_of_sentences_do_not_matter(skewed):
    weights = random_weights(skewed, 7)
    found = Expectation(skewed, 7)(weights)
    parts = np.split(skewed.words, skewed.offsets[1:-1])[::-1]
    offsets = np.concatenate([[0], np.cumsum([len(p) for p in parts])])
    backwards = Corpus(np.concatenate(parts), offsets, skewed.vocabulary)
    other = Expectation(backwards, 7)(weights)
    assert other.log_probability == pytest.approx(found.log_probability, rel=1e-12)
    np.testing.assert_allclose(other.counts.emissions, found.counts.emissions, atol=1e-9)


def test_every_token_is_in_one_batch():
    corpus = simulate_hmm(3000, 5)
    for tokens in (1, 50, 10**6):
        batches = [batch for shard in make_shards(corpus, tokens) for batch in shard]
        order = np.concatenate([batch.order for batch in batches])
        assert np.array_equal(np.sort(order), np.arange(corpus.tokens))
        assert all(np.array_equal(batch.words, corpus.words[batch.order]) for batch in batches)


def test_a_corpus_twice_gives_twice_the_counts(skewed):
    weights = random_weights(skewed, 5)
    doubled = Corpus(
        np.concatenate([skewed.words, skewed.words]),
        np.concatenate([skewed.offsets, skewed.offsets[1:] + skewed.tokens]),
        skewed.vocabulary,
    )
    once, twice = Expectation(skewed, 5)(weights).counts, Expectation(doubled, 5)(weights).counts
    np.testing.assert_allclose(twice.emissions, 2 * once.emissions, rtol=1e-10)
    np.testing.assert_allclose(twice.transitions, 2 * once.transitions, rtol=1e-10)
    same = share_weights(twice, "f64")
    np.testing.assert_allclose(same.emissions, share_weights(once, "f64").emissions, rtol=1e-10)


def test_float32_is_near_float64(skewed):
    exact = Expectation(skewed, 12)(random_weights(skewed, 12))
    fast = Expectation(skewed, 12, "f32")(random_weights(skewed, 12, "f32"))
    assert fast.log_probability == pytest.approx(exact.log_probability, rel=1e-6)
    assert np.abs(fast.counts.emissions - exact.counts.emissions).sum() < 1e-5 * skewed.tokens


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_the_sparse_way_equals_the_dense_one(skewed, precision):
    counts = Expectation(skewed, 12, precision)(random_weights(skewed, 12, precision)).counts
    for _ in range(8):
        weights, _ = bayes_weights(counts, Prior(1e-4, 1e-4), precision)
        dense = Expectation(skewed, 12, precision, sparse=False)(weights)
        sparse = Expectation(skewed, 12, precision, sparse=True)(weights)
        difference = np.abs(dense.counts.emissions - sparse.counts.emissions).sum()
        assert difference < 1e-6 * skewed.tokens
        assert abs(dense.log_probability - sparse.log_probability) < 1e-6 * skewed.tokens
        counts = dense.counts
    peaked = np.where(weights.emission == 1, weights.emission, 1e-20).astype(weights.emission.dtype)
    peaked = Weights(random_weights(skewed, 12).transitions, peaked, weights.log_scale)
    assert Expectation(skewed, 12, precision)(peaked).sparse
    assert not Expectation(skewed, 12, precision, exact=True)(peaked).sparse


def test_pairs_of_a_word_with_any_state_count_by_their_share(skewed):
    sizes = np.random.default_rng(2).choice([1, 3, 12], skewed.types).astype(np.int32)
    pairs = [
        (sizes[one], sizes[other])
        for sentence in np.split(skewed.words, skewed.offsets[1:-1])
        for one, other in itertools.pairwise(sentence)
    ]
    work = sum(int(n) * int(m) * (SIDE_BY_SIDE if 12 in (n, m) else 1) for n, m in pairs)
    batches = [batch for shard in make_shards(skewed) for batch in shard]
    found = sum(pair_work(batch.words, batch.starts, sizes, 12) for batch in batches)
    assert found == pytest.approx(work)


def test_the_exact_sparse_way_drops_nothing_but_zeros(skewed):
    weights = random_weights(skewed, 12, "f32")
    tiny = weights.emission.copy()
    tiny[:, 1:] *= np.float32(1e-12)
    tiny[:, 5] = 0
    weights = Weights(weights.transitions, tiny, weights.log_scale)
    dense = Expectation(skewed, 12, "f32", sparse=False)(weights).counts.emissions
    exact = Expectation(skewed, 12, "f32", sparse=True, exact=True)(weights).counts.emissions
    np.testing.assert_array_equal(exact > 0, dense > 0)
    rough = Expectation(skewed, 12, "f32", sparse=True)(weights).counts.emissions
    assert ((rough == 0) & (dense > 0)).any()


@pytest.mark.parametrize("states", [1, 3, 4, 9])
def test_words_of_any_number_of_states_have_the_same_counts_in_both_ways(skewed, states):
    """Words that may have one state, some, or any, in all orders; in float64 only rounding differs."""
    rng = np.random.default_rng(3)
    emission = rng.random((skewed.types, states))
    some = rng.random(emission.shape) < 0.4
    some[np.arange(skewed.types), rng.integers(states, size=skewed.types)] = True
    emission[(rng.random(skewed.types) < 0.7)[:, None] & ~some] = 0
    weights = Weights.of_probabilities(random_weights(skewed, states).transitions, emission)
    dense = Expectation(skewed, states, sparse=False)(weights)
    sparse = Expectation(skewed, states, sparse=True, exact=True)(weights)
    assert dense.log_probability == pytest.approx(sparse.log_probability, rel=1e-13)
    np.testing.assert_allclose(sparse.counts.emissions, dense.counts.emissions, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(sparse.counts.transitions, dense.counts.transitions, rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(sparse.labels, dense.labels)


def test_one_state_gives_the_unigram_likelihood_in_closed_form(skewed):
    frequency = skewed.word_counts / skewed.tokens
    going_on = (skewed.tokens - skewed.sentences) / skewed.tokens
    theta = np.array([[going_on, 1 - going_on], [1.0, 0.0]])
    closed = (skewed.word_counts * np.log(frequency)).sum()
    closed += (skewed.tokens - skewed.sentences) * np.log(going_on) + skewed.sentences * np.log(1 - going_on)
    found = Expectation(skewed, 1)(Weights.of_probabilities(theta, frequency[:, None]))
    assert found.log_probability == pytest.approx(closed, rel=1e-12)


def test_an_impossible_sentence_is_an_error_and_leaves_no_trace(skewed):
    theta = np.array([[0.5, 0.5], [0.0, 0.0]])
    engine = Expectation(skewed, 1)
    with pytest.raises(Impossible):
        engine(Weights.of_probabilities(theta, np.full((skewed.types, 1), 1.0)))
    fine = Weights.of_probabilities(
        np.array([[0.9, 0.1], [1.0, 0.0]]), np.full((skewed.types, 1), 1 / skewed.types)
    )
    assert engine(fine).counts.emissions.sum() == pytest.approx(skewed.tokens)


def test_counts_of_labels_equal_counting_by_hand():
    corpus = simulate_hmm(300, 8)
    labels = np.random.default_rng(1).integers(0, 4, corpus.tokens)
    counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, 4)
    between, by_word = naive.count(sentences_of(corpus), naive.split(labels, corpus.offsets), corpus.types, 4)
    assert np.array_equal(counts.transitions, between)
    assert np.array_equal(counts.emissions, by_word)


def test_emissions_are_laid_out_row_by_row_whatever_they_are_made_of():
    """Numba compiles anew for arrays that lie column by column in memory."""
    emission = np.full((2, 5), 0.5).T
    assert Weights(np.full((3, 3), 1 / 3), emission, np.zeros(5)).arrays.emission.flags.c_contiguous
