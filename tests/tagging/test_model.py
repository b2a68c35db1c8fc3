"""Saved taggers: what is written is read, and new text is labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.inference import fit
from otlab.tagging import LEARNERS, Corpus, Model, Normalize, fit_em, make_learner, simulate_hmm
from otlab.tagging.hmm.parameters import Weights


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=300)


@pytest.mark.parametrize("name", LEARNERS)
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
