"""Utterances of hundreds of phones without a pause, whose weights are far below the smallest float64."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.learners.joint import learn_words
from otlab.discovery.joint.words import WordModel
from otlab.discovery.learners.sticks import Sticks
from otlab.discovery.parsing.estep import expect
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset

SYMBOLS = 40


def text(lengths, seed=0):
    """Return utterances of random phones, with a few words said again and again."""
    rng = np.random.default_rng(seed)
    words = [rng.integers(0, SYMBOLS, size) for size in (3, 4, 5, 6)]
    out = []
    for length in lengths:
        pieces = [
            words[rng.integers(4)] if rng.random() < 0.7 else rng.integers(0, SYMBOLS, 2)
            for _ in range(length)
        ]
        out.append(np.concatenate(pieces)[:length])
    return out


def corpus(strings):
    offsets = np.concatenate([[0], np.cumsum([s.size for s in strings])]).astype(np.int64)
    names = tuple(f"{k}." for k in range(SYMBOLS))
    phones = np.concatenate(strings).astype(np.int32)
    return Corpus("units", names, phones, offsets, None, tuple(range(1, len(strings) + 1)))


def stored_weights(parser):
    """Return weights with which some strings are stored."""
    weights = parser.no_strings(np.full(parser.chart.rules, 1.0 / parser.chart.rules))
    weights.mass[0] = np.random.default_rng(1).random(weights.mass.shape[1]) / weights.mass.shape[1]
    return weights


@pytest.mark.parametrize("length", [300, 700])
def test_a_text_whose_weights_underflow_has_the_counts_found_with_a_factor_that_fits(length):
    parser = Parser(corpus(text([length, 30])), preset("word"))
    weights = stored_weights(parser)
    plain = expect(parser, weights, [np.zeros(0, np.int64)], 1.0)
    fitting = float(np.exp(-plain.log_z.sum() / parser.corpus.phones.size))
    scaled = expect(parser, weights, [np.zeros(0, np.int64)], fitting)
    assert plain.log_z[0] < np.log(np.finfo(float).tiny)
    np.testing.assert_allclose(plain.log_z, scaled.log_z, rtol=1e-12)
    for name in ("rule", "used", "new", "ends"):
        np.testing.assert_allclose(getattr(plain, name), getattr(scaled, name), rtol=1e-8, atol=1e-12)


def log_z(model, string):
    """Sum over all segmentations of a string, in logarithms, word by word."""
    rule = np.log(model.weights())
    mass = dict(zip(model.words, np.log(model.sticks.weights), strict=True))
    alpha = np.full(string.size + 1, -np.inf)
    alpha[0] = rule[0]
    for j in range(1, string.size + 1):
        for i in range(j):
            word = tuple(string[i:j].tolist())
            built = np.log(model.sticks.leftover) + rule[3] + rule[4] + (j - i - 1) * rule[5]
            w = built + rule[6 + string[i:j]].sum()
            if word in mass:
                w = np.logaddexp(w, mass[word])
            alpha[j] = np.logaddexp(alpha[j], alpha[i] + w + (rule[2] if i else 0.0))
    return alpha[-1] + rule[1]


@pytest.mark.slow
def test_words_of_units_are_counted_in_an_utterance_of_any_length():
    strings = text([250, 20], seed=3)
    words = tuple({tuple(strings[0][i : i + 4].tolist()) for i in range(0, 100, 7)})
    sticks = Sticks.fitted(np.arange(len(words)), np.ones(len(words)), 5.0, 1.0, 0.0)
    # Units that the model takes to be rare: e^-9 each, whatever the factor per phone.
    tau = np.concatenate([np.ones(6), np.full(SYMBOLS, 1.0), [9000.0 * SYMBOLS]])
    model = WordModel(words, sticks, tau)
    counts = model.expect(strings)
    assert counts.log_z[0] < -1000
    np.testing.assert_allclose(counts.log_z, [log_z(model, s) for s in strings], rtol=1e-10)
    # Each unit is in one word: built from rules, or looked up.
    inside = counts.rule[6:].sum() + (counts.used * [len(w) for w in words]).sum()
    assert inside == pytest.approx(sum(s.size for s in strings), rel=1e-9)


def test_words_are_learnt_from_unbroken_utterances():
    strings = text([500, 450, 600], seed=5)
    model = learn_words(strings, SYMBOLS, 6, np.random.default_rng(0), 1)
    assert np.isfinite(model.bound(model.expect(strings)))
    assert len(model.words) > 3


def test_long_utterances_are_not_said_to_have_no_analysis(recwarn):
    lengths = [260, 12]
    assert Parser(corpus(text(lengths)), preset("word")).items.size == 2
    assert Parser(corpus(text([110, 12])), preset("collocation")).items.size == 2
    assert not recwarn.list
