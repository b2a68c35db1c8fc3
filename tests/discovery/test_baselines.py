"""Baselines of word segmentation: small texts worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery import discover
from otlab.discovery.corpus import Corpus
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners import BASELINES
from otlab.discovery.learners.baselines import (
    DiphoneSegmentation,
    Puddle,
    RandomBoundaries,
    TransitionalProbability,
    boundary_probability,
    transitional_probability,
)
from otlab.discovery.presets import load_grammar
from otlab.inference import fit


def words(text, learner, **settings):
    """Return the utterances as a baseline cuts them, words separated by blanks."""
    corpus = Corpus.from_text(text)
    made = learner(corpus, load_grammar("word"), **settings)
    ends = fit(made, steps=1, seed=1).view.ends > 0.5
    return [" ".join(corpus.words(u, ends)) for u in range(len(corpus))]


def test_transitional_probabilities_by_counting():
    # Pairs: ab twice, ba once, ac once. c(a.) = 3, c(b.) = 1; c(.b) = 2, c(.a) = 1, c(.c) = 1.
    corpus = Corpus.from_text("aba\nab\nac")
    nan = np.nan
    np.testing.assert_allclose(transitional_probability(corpus), [2 / 3, 1, nan, 2 / 3, nan, 1 / 3, nan])
    np.testing.assert_allclose(transitional_probability(corpus, backward=True), [1, 1, nan, 1, nan, 1, nan])


TEXT = "abcd\nabxy\nqrcd\nab"
# Forward: ab 3/3, bc 1/2, cd 2/2, bx 1/2, xy 1, qr 1, rc 1. Backward: bc 1/2, rc 1/2, all others 1.


def test_relative_cuts_are_at_local_minima():
    assert words(TEXT, TransitionalProbability) == ["ab cd", "ab xy", "qrcd", "ab"]
    backward = words(TEXT, TransitionalProbability, direction="backward")
    assert backward == ["ab cd", "abxy", "qr cd", "ab"]


def test_the_outermost_places_of_an_utterance_are_no_local_minima():
    # Forward: ab 1/3, ac 1/3, ad 1/3; nothing is lower on both sides.
    assert words("ab\nac\nad", TransitionalProbability) == ["ab", "ac", "ad"]


def test_absolute_cuts_are_below_the_mean():
    # The mean of ab bc cd ab bx xy qr rc cd ab is (8 + 2/2) / 10 = .9: both halves lie below.
    assert words(TEXT, TransitionalProbability, cut="absolute") == ["ab cd", "ab xy", "qrcd", "ab"]
    # ab 1/3, ac 1/3, ad 1/3, xy 1: mean 1/2.
    assert words("ab\nac\nad\nxy", TransitionalProbability, cut="absolute") == ["a b", "a c", "a d", "xy"]


def test_diphones_by_hand():
    # Utterances: ab, ba, abba. First: a 2/3, b 1/3. Last: b 1/3, a 2/3. Pairs: ab 2, ba 2, bb 1 of 5.
    corpus = Corpus.from_text("ab\nba\nabba")
    found = boundary_probability(corpus, 0.5)
    ab = (2 / 3) * 0.5 * (1 / 3) / (2 / 5)
    ba = (1 / 3) * 0.5 * (2 / 3) / (2 / 5)
    bb = (1 / 3) * 0.5 * (1 / 3) / (1 / 5)
    np.testing.assert_allclose(found, [ab, 1, ba, 1, ab, bb, ba, 1])


def test_diphones_that_meet_only_at_edges_are_cut():
    text = "\n".join(["abc"] * 10 + ["abcabc"])  # ca: as likely as chance would have at a boundary
    assert words(text, DiphoneSegmentation)[-1] == "abc abc"


def test_puddle_cuts_at_words_it_knows():
    assert words("kat\nsi\nsikat\nkatsi", Puddle) == ["kat", "si", "si kat", "kat si"]


def test_puddle_leaves_nothing_that_does_not_end_like_a_word():
    # "at" is known, but "k" ends no known word, nor does "s" begin one.
    assert words("at\nkat\nats", Puddle) == ["at", "kat", "ats"]


def test_puddle_prefers_the_more_frequent_word():
    # ka is known twice and katu once; after ka, tu is a beginning that is known.
    assert words("ka\nka\ntu\nkatu", Puddle)[-1] == "ka tu"


def test_random_cuts_have_their_share_and_their_seed():
    corpus = Corpus.from_text("\n".join(["ab" * 100] * 40))
    made = RandomBoundaries(corpus, load_grammar("word"), boundary=0.3)
    places = 40 * 199
    ends = fit(made, steps=1, seed=3).view.ends
    assert (ends.sum() - 40) / places == pytest.approx(0.3, abs=4.5 * (0.21 / places) ** 0.5)
    np.testing.assert_array_equal(ends, fit(made, steps=5, seed=3).view.ends)
    assert (ends != fit(made, steps=1, seed=4).view.ends).any()


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_is_a_learner_like_others(name, toy):
    found = discover(toy, "word", name, seed=1, restarts=2)
    assert found.scores is not None
    assert found.view.objective.size == 2
    assert sum(entry.expected_count for entry in found.lexicon) == np.count_nonzero(found.ends)
    assert found.candidates[0].bigram == pytest.approx(-found.view.bound)
    blind = Corpus.from_text("\n".join("".join(toy.utterance(u)) for u in range(len(toy))))
    assert [e.string for e in discover(blind, "word", name, seed=1).lexicon] == [
        e.string for e in discover(toy, "word", name, seed=1).lexicon
    ]


def test_utterances_are_words(toy):
    found = discover(toy, "word", "utterances", seed=1)
    assert found.ends.sum() == len(toy)
    assert found.scores.boundary.recall == 0


def test_a_grammar_that_does_not_adapt_words_is_served(toy):
    rules = "Utterance -> Pair+\n@Pair 100 10 0\nPair -> Word+\nWord -> Phon+\n"
    by_pairs = discover(toy, parse_grammar(rules), "tp", seed=1)
    assert [e.string for e in by_pairs.lexicon] == [
        e.string for e in discover(toy, "word", "tp", seed=1).lexicon
    ]
