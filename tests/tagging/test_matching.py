"""States matched by their emissions: permuted taggers come back, names go along, files too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.tagging import Corpus, Model, fit_em, fit_vb, match_states, simulate_hmm
from otlab.tagging.hmm.parameters import Weights


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=200)


@pytest.fixture(scope="module")
def fitted(corpus):
    return fit_vb(corpus, states=6, iterations=30, chains=2, seed=1, emission_prior=0.01)


def permuted(model, order):
    ends = [*order, len(order)]
    made = [
        Weights(w.transitions[np.ix_(ends, ends)], np.ascontiguousarray(w.emission[:, order]), w.log_scale)
        for w in (model.weights, model.probabilities)
    ]
    names = tuple(model.state_names[k] for k in order)
    return replace(model, weights=made[0], probabilities=made[1], state_names=names)


def test_a_permuted_tagger_comes_back(fitted, corpus):
    model, order = fitted.model, [3, 0, 5, 1, 4, 2]
    other = permuted(model, order)
    assert match_states(other, model).tolist() == order
    back = other.like(model.named({2: "nouns"}))
    assert np.array_equal(back.label(corpus), model.label(corpus))
    assert np.array_equal(back.weights.transitions, model.weights.transitions)
    assert back.state_names == ("state 0", "state 1", "nouns", "state 3", "state 4", "state 5")
    assert back.score(corpus) == pytest.approx(model.score(corpus), rel=1e-12)


def test_chains_share_more_labels_once_they_are_matched(fitted, corpus):
    first, second = fitted.matched()
    plain = (fitted.model_of(1).label(corpus) == first.label(corpus)).mean()
    matched = (second.label(corpus) == first.label(corpus)).mean()
    assert matched > plain
    assert second.score(corpus) == pytest.approx(fitted.model_of(1).score(corpus), rel=1e-12)


@pytest.mark.parametrize("states", [4, 8])
def test_another_number_of_states_keeps_the_names_of_those_matched(fitted, corpus, states):
    reference = fitted.model.named({k: f"name {k}" for k in range(6)})
    model = fit_em(corpus, states=states, iterations=10, seed=3).model.like(reference)
    named = [name for name in model.state_names if name.startswith("name")]
    assert len(set(model.state_names)) == states
    assert len(named) == min(states, 6)
    assert named == sorted(named)
    assert np.isfinite(model.score(corpus))


def test_taggers_without_a_common_word_are_refused(fitted):
    other = fit_em(Corpus.from_sentences([["x", "y"]]), states=2, iterations=1, seed=1).model
    with pytest.raises(InputError, match="no word in common"):
        other.like(fitted.model)


def test_a_saved_tagger_is_numbered_and_named_as_another(tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("the/DT dog/NN barks/VBZ\na/DT cat/NN sleeps/VBZ\n" * 5, encoding="utf-8")
    options = ["tag", str(path), "--learner", "em", "--states", "3", "--iterations", "30"]
    assert main([*options, "--seed", "1", "--out", str(tmp_path / "old")]) == 0
    old = Model.load(tmp_path / "old")
    corpus = Corpus.from_sentences([["the", "dog", "barks"]])
    old = old.named(dict(zip(old.label(corpus).tolist(), ("D", "N", "V"), strict=True)))
    old.save(tmp_path / "named")
    match = ["--match", str(tmp_path / "named")]
    assert main([*options, "--seed", "4", "--out", str(tmp_path / "new"), *match]) == 0
    new = Model.load(tmp_path / "new")
    assert new.state_names == old.state_names
    assert np.array_equal(new.label(corpus), old.label(corpus))
    capsys.readouterr()
    assert main([*options, "--match", str(tmp_path / "nothing")]) == 2
