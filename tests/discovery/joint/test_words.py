"""The word model on free strings: the numbers of batch VB, and a bound that never falls."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.channel.channel import Edits
from otlab.discovery.joint.learners.joint import learn_words
from otlab.discovery.joint.view import WordTokens
from otlab.discovery.joint.words import WordModel, candidates
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference.random import chain_generators


@pytest.fixture(scope="module")
def learnt():
    """Return batch VB of a toy language, its state, and the utterances as codes."""
    corpus = generate(ToyLanguage(words=8, utterances=60))
    learner = BatchVB(corpus, preset("word"))
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 8)
    tops = [
        corpus.phones[a:b].astype(np.int64) for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)
    ]
    return learner, state, tops


def test_numbers_are_those_of_batch_vb(learnt):
    learner, state, tops = learnt
    words = WordModel.from_batch(learner.parser, state)
    counts = words.expect(tops)
    assert counts.log_z == pytest.approx(state.expected.log_z, abs=1e-8)
    assert counts.ends == pytest.approx(state.expected.ends, abs=1e-9)
    used = state.expected.used[0, state.posterior.sticks[0].strings]
    assert counts.used[words.sticks.strings] == pytest.approx(used, abs=1e-8)
    assert counts.new == pytest.approx(state.expected.new[0], abs=1e-8)
    assert words.bound(counts) == pytest.approx(state.likelihood[-1] - state.penalty[-1], abs=1e-6)
    lattice = learner.parser.required_lattice
    rule = counts.rule + words.own_counts()
    assert rule[:6] == pytest.approx(state.expected.rule[lattice.rules], abs=1e-8)
    assert rule[6:] == pytest.approx(state.expected.rule[lattice.phone], abs=1e-8)


def test_the_bound_does_not_fall(learnt):
    learner, state, tops = learnt
    words = WordModel.from_batch(learner.parser, state)
    bounds = []
    for _ in range(6):
        counts = words.expect(tops)
        bounds.append(words.bound(counts))
        words = words.updated(counts)
    assert (np.diff(bounds) >= -1e-6 * np.abs(bounds[:-1])).all()


def test_the_words_behind_a_string_with_an_edit_are_proposed(learnt):
    """One phone of a long frequent word is replaced: the best words behind it put it right."""
    learner, _, tops = learnt
    units = len(learner.corpus.symbols)
    words = learn_words(tops, units, 10, np.random.default_rng(1), 1)
    expected = words.expect(tops).used
    k = max(range(len(words.words)), key=lambda w: (len(words.words[w]) >= 4) * expected[w])
    right = np.array(words.words[k])
    heard = right.copy()
    heard[1] = (heard[1] + 1) % units
    (tried,) = candidates(words, Edits.prior(units), [heard], [heard])
    assert any(np.array_equal(right, string) for string in tried[1:])


def test_tokens_are_cut_where_words_end():
    tops = [np.array([3, 1, 2]), np.array([5])]
    begins = [np.array([0, 4, 9]), np.array([0])]
    tokens = WordTokens.cut(tops, begins, np.array([False, True, True, False])).utterances
    assert [[tuple(t) for t in each] for each in tokens] == [[((3, 1), 0, 9), ((2,), 9, -1)], [((5,), 0, -1)]]
