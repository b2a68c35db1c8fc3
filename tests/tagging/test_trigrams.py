"""Trigram taggers on texts of at most six tokens, against all sequences of states."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import gammaln

from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.inference.dirichlet import kl_divergence
from otlab.tagging import Corpus, Model, make_learner, simulate_hmm
from otlab.tagging.experiments.comparison import free_parameters
from otlab.tagging.hmm.decode import posteriors, viterbi
from otlab.tagging.hmm.known import KnownTags
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.hmm.trigrams import TrigramExpectation, count_trigrams

STATES = 3


@pytest.fixture(scope="module")
def tiny():
    return Corpus.from_sentences([["a", "b", "a", "c"], ["b"], ["c"]])


def random_weights(seed, states, types):
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.ones(states + 1), (states + 1, states + 1))
    theta[-1, -1] = np.append(rng.dirichlet(np.ones(states)), 0)
    return theta, rng.dirichlet(np.ones(types), states).T


def weight_of(words, path, theta, phi):
    """The weight of one sentence with its states, by the definition."""
    end = len(theta) - 1
    padded = (end, end, *path, end)
    total = np.prod([phi[w, k] for w, k in zip(words, path, strict=True)])
    return total * np.prod([theta[padded[i : i + 3]] for i in range(len(padded) - 2)])


def enumerated(corpus, theta, phi):
    """Log probability, expected trigrams and emissions, marginals and best paths, over all paths."""
    states = phi.shape[1]
    trigrams, by_word = np.zeros_like(theta), np.zeros_like(phi)
    log_probability, marginals, best = 0.0, [], []
    for words in np.split(corpus.words, corpus.offsets[1:-1]):
        paths = list(itertools.product(range(states), repeat=len(words)))
        weights = np.array([weight_of(words, path, theta, phi) for path in paths])
        log_probability += np.log(weights.sum())
        best += paths[int(weights.argmax())]
        of_words = np.zeros((len(words), states))
        for path, share in zip(paths, weights / weights.sum(), strict=True):
            padded = (states, states, *path, states)
            for i in range(len(padded) - 2):
                trigrams[padded[i : i + 3]] += share
            for t, (w, k) in enumerate(zip(words, path, strict=True)):
                by_word[w, k] += share
                of_words[t, k] += share
        marginals.append(of_words)
    return log_probability, trigrams, by_word, np.concatenate(marginals), best


@pytest.mark.parametrize(("states", "threads"), [(1, 1), (2, 2), (3, 1)])
def test_the_e_step_and_decoding_equal_enumeration(tiny, states, threads):
    theta, phi = random_weights(states, states, tiny.types)
    weights = Weights.of_probabilities(theta, phi)
    expected = TrigramExpectation(tiny, states, threads=threads)(weights)
    log_probability, trigrams, by_word, marginals, best = enumerated(tiny, theta, phi)
    assert expected.log_probability == pytest.approx(log_probability, abs=1e-12)
    np.testing.assert_allclose(expected.counts.transitions, trigrams, atol=1e-12)
    np.testing.assert_allclose(expected.counts.emissions, by_word, atol=1e-12)
    np.testing.assert_array_equal(expected.labels, marginals.argmax(1))
    np.testing.assert_array_equal(viterbi(tiny, weights), best)
    np.testing.assert_allclose(posteriors(tiny.words[:4], weights), marginals[:4], atol=1e-12)
    model = Model.of(weights, tiny.vocabulary)
    assert model.score(tiny) == pytest.approx(log_probability, abs=1e-12)
    np.testing.assert_array_equal(model.label(tiny), marginals.argmax(1))


def test_an_em_iteration_is_the_shares_of_enumerated_counts(tiny):
    learner = make_learner("em-trigram", tiny, states=STATES)
    state = run(learner, sweeps=3, seed=1)
    state.advance(3)
    weights = state.states[0].weights
    log_probability, trigrams, by_word, _, _ = enumerated(tiny, weights.transitions, weights.emissions)
    assert state.states[0].trace.objective[-1] == pytest.approx(log_probability, abs=1e-10)
    after, _ = learner.maximize(state.states[0].expected.counts)
    used = trigrams.sum(2) > 1e-9
    shares = trigrams[used] / trigrams[used].sum(1, keepdims=True)
    np.testing.assert_allclose(after.transitions[used], shares, atol=1e-10)
    np.testing.assert_allclose(after.emissions, by_word / by_word.sum(0), atol=1e-10)


def test_vbs_free_energy_equals_enumeration(tiny):
    prior = Prior(0.3, 0.2)
    learner = make_learner("vb-trigram", tiny, states=2, prior=prior)
    state = run(learner, sweeps=2, seed=1)
    state.advance(1)
    counts = state.states[0].expected.counts
    state.advance(1)
    weights = state.states[0].weights
    log_probability = enumerated(tiny, weights.transitions, weights.emissions)[0]
    divergence = kl_divergence(counts.transitions + prior.transition, np.array(prior.transition))
    divergence += kl_divergence(counts.emissions.T + prior.emission, np.array(prior.emission))
    assert state.states[0].trace.objective[-1] == pytest.approx(divergence - log_probability, abs=1e-9)


@pytest.mark.parametrize("known", ["none", "40%"])
def test_objectives_move_one_way_and_begin_as_those_of_pairs(known):
    corpus = simulate_hmm(900, 2, tags=3, types=60)
    options = {"states": 4, "known": KnownTags(known)}
    for name, sign in (("em", 1), ("vb", -1)):
        trigrams = fit(make_learner(f"{name}-trigram", corpus, **options), steps=12, seed=3)
        assert np.all(sign * np.diff(trigrams.view.objective) >= -1e-7)
        assert trigrams.view.alarm == ""
        assert trigrams.view.transitions.shape == (5, 5)
        if name == "em":
            pairs = fit(make_learner("em", corpus, **options), steps=1, seed=3)
            assert trigrams.view.objective[0] == pytest.approx(pairs.view.objective[0], rel=1e-12)
            assert trigrams.view.objective[-1] > pairs.view.objective[-1]


def test_all_tags_given_are_counts():
    corpus = simulate_hmm(300, 2, tags=3, types=20)
    view = run(make_learner("em-trigram", corpus, states=3, known=KnownTags("all")), sweeps=2, seed=1)
    view.advance(1)
    counts = view.states[0].expected.counts.transitions
    np.testing.assert_allclose(counts, count_trigrams(corpus.tags, corpus.offsets, 3), atol=1e-9)


def log_joint(corpus, labels, states, prior):
    """ln P(words, labels), parameters summed out, by the definition."""
    rows = np.zeros((corpus.types, states))
    np.add.at(rows, (corpus.words, labels), 1)
    trigrams = np.zeros((states + 1,) * 3)
    for path in np.split(np.asarray(labels), corpus.offsets[1:-1]):
        padded = (states, states, *path, states)
        for i in range(len(padded) - 2):
            trigrams[padded[i : i + 3]] += 1
    total = 0.0
    for table, alpha in ((rows.T, prior.emission), (trigrams, prior.transition)):
        size = table.shape[-1]
        total += (gammaln(table + alpha) - gammaln(alpha)).sum()
        total += (gammaln(size * alpha) - gammaln(table.sum(-1) + size * alpha)).sum()
    return total


@pytest.mark.parametrize("barred", [False, True])
def test_the_gibbs_sampler_draws_from_the_enumerated_posterior(tiny, barred):
    prior, states = Prior(0.4, 0.3), 2
    allowed = np.array([[True, True], [True, not barred], [True, True]])
    learner = make_learner("gibbs-trigram", tiny, states=states, prior=prior, allowed=allowed)
    paths = np.array(list(itertools.product(range(states), repeat=tiny.tokens)))
    possible = allowed[tiny.words, paths].all(1)
    logs = np.array([log_joint(tiny, path, states, prior) for path in paths])
    if barred:  # a state's prior is over the words that it may have
        ones = (paths == 1).sum(1)
        logs += gammaln(2 * prior.emission) - gammaln(ones + 2 * prior.emission)
        logs -= gammaln(3 * prior.emission) - gammaln(ones + 3 * prior.emission)
    shares = np.where(possible, np.exp(logs - logs[possible].max()), 0)
    shares /= shares.sum()
    sampler = run(learner, sweeps=30_000, seed=4)
    state, drawn = sampler.states[0], []
    rng = np.random.default_rng(7)
    for _ in range(30_000):
        learner.sweep(rng, state, 1.0)
        drawn.append(int("".join(map(str, state.labels)), 2))
    found = np.array([np.bincount(part, minlength=len(paths)) for part in np.split(np.array(drawn), 30)])
    found = found / found.sum(1, keepdims=True)
    error = found.std(0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(0) - shares) <= 5 * error + 2e-4)
    np.testing.assert_array_equal(state.trigrams[0], count_trigrams(state.labels, tiny.offsets, states))


def test_the_samplers_log_joint_is_the_definitions():
    corpus = simulate_hmm(200, 2, tags=3, types=20)
    learner = make_learner("gibbs-trigram", corpus, states=3, known=KnownTags("30%"))
    fitted = fit(learner, steps=5, seed=1)
    labels = fitted.view.labels
    assert fitted.view.objective[-1] == pytest.approx(log_joint(corpus, labels, 3, learner.prior), abs=1e-8)
    known = learner.known_states()
    np.testing.assert_array_equal(labels[known >= 0], known[known >= 0])


def test_a_trigram_model_is_saved_and_matched(tmp_path):
    corpus = simulate_hmm(500, 2, tags=3, types=30)
    first, second = (
        fit(make_learner("em-trigram", corpus, states=4), steps=8, seed=seed).model for seed in (1, 2)
    )
    first.save(tmp_path / "model.npz")
    again = Model.load(tmp_path / "model.npz")
    assert again.score(corpus) == first.score(corpus)
    matched = second.like(first)
    assert matched.score(corpus) == pytest.approx(second.score(corpus))
    assert sorted(matched.weights.transitions.ravel()) == pytest.approx(
        sorted(second.weights.transitions.ravel())
    )


def test_free_parameters_and_too_many_states():
    assert free_parameters(types=5, states=2, order=2) == 2**3 + 2**2 + 2 - 1 + 2 * 4
    corpus = simulate_hmm(200, 1, tags=3, types=20)
    for name in ("em-trigram", "vb-trigram", "gibbs-trigram"):
        with pytest.raises(InputError, match="use 200 or fewer"):
            make_learner(name, corpus, states=201)
