"""Baselines against their definitions, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.tagging import BASELINES, Corpus, baselines, simulate_hmm
from otlab.tagging.scores import most_frequent_tags

TEXT = [
    [("the", "D"), ("run", "N"), ("ends", "V")],
    [("they", "P"), ("run", "V"), ("a", "D"), ("run", "N")],
    [("the", "D"), ("ends", "N")],
]


def test_a_word_has_its_most_frequent_tag_and_on_a_tie_the_corpus_most_frequent():
    corpus = Corpus.from_sentences(TEXT)
    found = [corpus.tagset[t] for t in most_frequent_tags(corpus)]
    tags = dict(zip(corpus.vocabulary, found, strict=True))
    assert tags == {"the": "D", "run": "N", "ends": "N", "they": "P", "a": "D"}
    assert baselines(corpus, states=2, seed=1)["most_frequent_tag"].many_to_one == pytest.approx(7 / 9)


def test_the_corpus_first_tag_counts_and_a_word_without_one_does_not():
    corpus = Corpus.from_sentences(
        [[("b", "V"), ("a", "N")], [("b", "N"), ("b", "N"), ("a", None), ("a", None)]]
    )
    assert [corpus.tagset[t] for t in most_frequent_tags(corpus)] == ["N", "N"]


def test_all_one_tag_gets_the_share_of_the_most_frequent_tag_and_no_information():
    corpus = simulate_hmm(3000, 1)
    scores = baselines(corpus, seed=1)["one_tag"]
    share = corpus.tag_counts / corpus.tokens
    assert scores.one_to_one == scores.many_to_one == pytest.approx(share.max())
    assert scores.v_measure == pytest.approx(0, abs=1e-12)
    assert scores.h_y_given_t == pytest.approx(0, abs=1e-12)
    assert scores.vi == pytest.approx(-(share * np.log2(share)).sum())


def test_random_states_tell_nothing_of_the_tags_and_use_all_their_entropy():
    corpus = simulate_hmm(20_000, 1)
    scores = baselines(corpus, states=8, seed=3)["random"]
    assert scores.h_y_given_t == pytest.approx(3, abs=0.01)
    # 2 N I (in nats) is chi-squared with 7 x 11 degrees of freedom: I is 0.003 bits, 4.5 sd more 0.005
    assert scores.v_measure * (3 + 4) / 2 < 0.005
    assert baselines(corpus, states=8, seed=3)["random"] == scores
    assert baselines(corpus, states=8, seed=4)["random"] != scores


def test_a_word_that_tells_its_tag_makes_the_most_frequent_tag_perfect():
    found = baselines(simulate_hmm(2000, 1, ambiguity=0.0), seed=1)
    assert list(found) == list(BASELINES)
    assert found["most_frequent_tag"].one_to_one == 1
    assert found["most_frequent_tag"].vi == pytest.approx(0, abs=1e-9)


def test_an_untagged_text_and_no_states_are_refused():
    with pytest.raises(InputError, match="no tags"):
        baselines(Corpus.from_sentences([["a", "b"]]))
    with pytest.raises(InputError, match="1 or more"):
        baselines(Corpus.from_sentences(TEXT), states=0)
