"""Saved taggers: what is written is read, and new text is labelled."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.inference import fit
from otlab.tagging import LEARNERS, Corpus, Model, Normalize, fit_em, make_learner, simulate_hmm
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.model import unseen_mass
from tests.tagging import naive

UNSUPERVISED = [name for name in LEARNERS if name != "supervised"]


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=300)


@pytest.mark.parametrize("name", UNSUPERVISED)
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_tagger_survives_its_file(name, precision, corpus, tmp_path):
    fitted = fit(make_learner(name, corpus, states=5, precision=precision), steps=6, seed=1)
    fitted.model.named({2: "nouns"}).save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert loaded.state_names == ("state 0", "state 1", "nouns", "state 3", "state 4")
    assert (loaded.learner, loaded.seed) == (name, 1)
    assert np.array_equal(loaded.label(corpus), fitted.model.label(corpus))


@pytest.mark.parametrize("name", ["em", "vb"])
def test_the_training_text_gets_the_runs_own_labels(name, corpus):
    fitted = fit(make_learner(name, corpus, states=5), steps=6, seed=1)
    assert np.array_equal(fitted.model.label(corpus), fitted.view.labels)
    again = fit(make_learner(name, corpus, states=5, decode="viterbi"), steps=6, seed=1)
    assert np.array_equal(again.model.label(corpus, "viterbi"), again.view.labels)


def test_unknown_words_are_decided_by_their_neighbours():
    theta = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.9, 0.1, 0.0]])
    theta[:, 2] += 0.1
    model = Model.of(
        Weights.of_probabilities(theta / theta.sum(1, keepdims=True), [[1.0, 0.5], [0.0, 0.5]]), ("a", "b")
    )
    text = Corpus.from_sentences([["a", "zyx", "a"]])
    assert model.unknown(text) == 1
    for decode in ("marginal", "viterbi"):
        assert model.label(text, decode).tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="no decoding"):
        model.label(text, "best")


def test_new_text_is_treated_as_the_text_learnt_from(tmp_path):
    ways = Normalize(lowercase=True, digits=True, least=2)
    text = [["The", "1984", "dog"], ["the", "2001", "cat"]]
    fitted = fit_em(Corpus.from_sentences(text, normalize=ways), states=3, iterations=3, seed=1)
    fitted.model.save(tmp_path / "model")
    model = Model.load(tmp_path / "model")
    assert model.normalize == ways
    assert model.vocabulary == ("the", "0000", "UNK")
    raw = Corpus.from_sentences([["THE", "3000", "bird"]])
    counted = Corpus.from_sentences([["the", "0000", "UNK"]])
    assert np.array_equal(model.label(raw), model.label(counted))
    assert model.unknown(raw) == 0
    assert model.unknown(Corpus.from_sentences([["30"]])) == 0
    without = replace(model, normalize=replace(ways, least=1))
    assert without.unknown(raw) == 1


def test_an_impossible_text_is_refused():
    model = Model.of(Weights.of_probabilities(np.array([[0.0, 1.0], [1.0, 0.0]]), [[1.0]]), ("a",))
    with pytest.raises(InputError, match="probability 0"):
        model.label(Corpus.from_sentences([["a", "a"]]))


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04cut"])
def test_damaged_files(tmp_path, data):
    path = tmp_path / "m.npz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^m\.npz: this is no tagger"):
        Model.load(path)


def test_another_archive_is_no_tagger(tmp_path):
    np.savez(tmp_path / "m.npz", a=np.zeros(3))
    with pytest.raises(InputError, match="no tagger"):
        Model.load(tmp_path / "m.npz")


THETA = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.7, 0.3, 0.0]])
PHI = np.array([[0.5, 0.1], [0.4, 0.3], [0.1, 0.6]])


def by_hand(unseen=0.2):
    """The tagger of the known answers, over the words a, b, c."""
    return Model.of(Weights.of_probabilities(THETA, PHI), ("a", "b", "c"), unseen=unseen)


def with_unseen(unseen=0.2):
    """Its emissions with a fourth word for all that it has not seen."""
    return np.vstack([(1 - unseen) * PHI, np.full((1, 2), unseen)])


def test_new_text_is_scored_as_by_enumeration_with_one_word_for_all_unseen_ones():
    text = Corpus.from_sentences([["a", "zyx", "c"], ["b", "wvu"], ["b"]])
    sentences = [[0, 3, 2], [1, 3], [1]]
    log_probability, _, _, marginals = naive.expected_counts(sentences, THETA, with_unseen())
    model = by_hand()
    assert model.score(text) == pytest.approx(log_probability, rel=1e-12)
    assert model.perplexity(text) == pytest.approx(np.exp(-log_probability / (6 + 3)), rel=1e-12)
    assert model.predict_proba(text) == pytest.approx(np.concatenate(marginals), abs=1e-12)
    assert np.array_equal(model.predict_proba(text).argmax(1), model.label(text))


def test_probabilities_of_all_sentences_of_a_length_sum_to_that_length():
    """Each word or an unseen one at each place: what is left is the probability of the length."""
    total = sum(
        np.exp(by_hand().score(Corpus.from_sentences([words])))
        for words in itertools.product(["a", "b", "c", "never"], repeat=3)
    )
    inner = THETA[:-1, :-1]
    assert total == pytest.approx(THETA[-1, :-1] @ inner @ inner @ THETA[:-1, -1], rel=1e-12)


def test_equally_probable_words_and_ends_have_a_perplexity_of_their_number():
    model = Model.of(Weights.of_probabilities(np.full((2, 2), [0.8, 0.2]), np.full((4, 1), 0.25)), "abcd")
    text = Corpus.from_sentences([["a", "b", "c", "d"]])  # each word .8 / 4, the end .2
    assert model.perplexity(text) == pytest.approx(5, rel=1e-12)


def test_an_impossible_text_has_an_infinite_perplexity():
    unseen = Corpus.from_sentences([["a", "zyx"]])
    assert by_hand(0.0).score(unseen) == -np.inf
    assert by_hand(0.0).perplexity(unseen) == np.inf
    once = Model.of(Weights.of_probabilities(np.array([[0.0, 1.0], [1.0, 0.0]]), [[1.0]]), ("a",))
    twice = Corpus.from_sentences([["a", "a"]])
    assert once.perplexity(twice) == np.inf
    with pytest.raises(InputError, match="probability 0"):
        once.predict_proba(twice)


def test_the_mass_of_unseen_words_is_that_of_words_seen_once():
    text = [["the", "dog", "barks"], ["the", "cat", "barks"]]
    assert unseen_mass(Corpus.from_sentences(text)) == pytest.approx(2.5 / 7)
    assert unseen_mass(Corpus.from_sentences(text, normalize=Normalize(least=2))) == 0
    assert unseen_mass(Corpus.from_sentences([["a", "a"]], normalize=Normalize(least=2))) == 0.5 / 3


def test_em_scores_its_own_text_by_its_likelihood_but_for_the_unseen_mass(corpus):
    fitted = fit_em(corpus, states=4, iterations=6, seed=1)
    kept = corpus.tokens * np.log1p(-fitted.model.unseen)
    assert fitted.model.score(corpus) == pytest.approx(fitted.view.objective[-1] + kept, rel=1e-9)


@pytest.mark.parametrize("name", UNSUPERVISED)
def test_every_learners_probabilities_sum_to_1_and_survive_the_file(name, corpus, tmp_path):
    fitted = fit(make_learner(name, corpus, states=4, precision="f32"), steps=4, seed=1)
    means = fitted.model.probabilities or fitted.model.weights
    assert means.transitions.sum(-1) == pytest.approx(1, abs=1e-6)
    if name != "map-em":  # which clips words in all states and keeps them small
        assert means.emissions.sum(0) == pytest.approx(1, abs=1e-4)
    fitted.model.save(tmp_path / "model")
    new = simulate_hmm(600, 8, tags=6, types=400)
    assert np.isfinite(fitted.model.perplexity(new))
    assert Model.load(tmp_path / "model").perplexity(new) == fitted.model.perplexity(new)
