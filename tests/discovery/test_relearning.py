"""Relearning: the source text, its words, and the rejection of words that lower the bound."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.channel.channel import corrupt
from otlab.discovery.corpus import Corpus
from otlab.discovery.learners import noisy
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.learners.starts import Peaks
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit, run
from otlab.inference.random import chain_generators


@pytest.fixture(scope="module")
def parser():
    return Parser(Corpus.from_text("ab abc\nab ab\ncab\nabcab"), preset("word"))


def number(parser, string):
    return next(s for s in range(len(parser.spans)) if parser.spell(s) == string)


def test_words_are_replaced_by_what_was_probably_meant(parser):
    ends = np.array(parser.corpus.gold)
    best = np.full(ends.size, -1)
    best[1], best[6] = number(parser, "cab"), number(parser, "b")
    text = noisy.source_text(parser, ends, best)
    assert ["".join(text.utterance(u)) for u in range(len(text))] == ["cababc", "bab", "cab", "abcab"]
    assert text.gold is None


def test_an_utterance_the_grammar_cannot_generate_stays_out():
    from otlab.discovery.grammar_file import parse_grammar

    corpus = Corpus.from_text("ab ab\nabc\nab")
    with pytest.warns(match="no rule for 'c'"):
        parser = Parser(corpus, parse_grammar("S -> W+\n@W 9 1 0\nW -> P+\nP -> 'a'\nP -> 'b'"))
    text = noisy.source_text(parser, np.array(corpus.gold), np.full(corpus.phones.size, -1))
    assert ["".join(text.utterance(u)) for u in range(len(text))] == ["abab", "ab"]


def test_words_go_on_with_their_counts(parser):
    (rng,) = chain_generators(1, 1)
    learner = NoisyVB(parser.corpus, warmup=2)
    found = learner.init(rng).reading.expected
    words = {"Word": {learner.parser.codes(number(parser, "ab")).tobytes(): 5.0, b"never heard": 3.0}}
    used = noisy.with_words(learner.parser, found, words).used
    assert used[0, number(parser, "ab")] == 5.0
    assert used.sum() == 5.0


def test_the_words_of_a_clean_text_are_found_again():
    clean = generate(ToyLanguage(words=20, utterances=400, seed=6))
    (rng,) = chain_generators(1, 1)
    words = noisy.learn_words(clean, preset("word"), Peaks(), 10, rng, 1)["Word"]
    gold = {clean.phones[a:b].tobytes() for a, b in _edges(clean)}
    assert len(gold & words.keys()) >= 0.8 * len(gold)
    assert min(words.values()) >= noisy.FEWEST_USES


def _edges(corpus):
    stops = np.flatnonzero(corpus.gold) + 1
    return zip(np.concatenate([[0], stops[:-1]]), stops, strict=True)


@pytest.fixture(scope="module")
def misheard():
    return corrupt(
        generate(ToyLanguage(words=20, utterances=400, seed=3)), 0.2, np.random.default_rng(2)
    ).corpus


@pytest.mark.slow
def test_relearning_does_not_end_below_the_words_before_it(misheard):
    view = fit(NoisyVB(misheard, relearnings=2), steps=38, seed=1).view
    assert [m.iteration for m in view.marks if m.what.startswith("relearnt")] == [8, 16]
    assert view.bound >= view.objective[[7, 15]].max()


@pytest.mark.slow
def test_words_that_lower_the_bound_are_given_up(misheard, monkeypatch):
    """After a relearning that found only single phones, the previous words are restored."""
    alone = {"Word": {np.array([k], dtype=np.int32).tobytes(): 50.0 for k in range(len(misheard.symbols))}}
    monkeypatch.setattr(noisy, "learn_words", lambda *args: alone)
    learner = NoisyVB(misheard, relearnings=1, relearn_every=4)
    view = fit(learner, steps=10, seed=1).view
    assert "earlier words taken back" in [m.what for m in view.marks]
    assert view.objective[4] < view.objective[3]
    assert view.objective[8] >= view.objective[3] - 1e-6 * abs(view.objective[3])


@pytest.mark.slow
def test_relearnings_do_not_depend_on_ticks_or_threads(misheard):
    views = [
        run(NoisyVB(misheard, relearn_every=3, threads=t), sweeps=10, seed=1, every=e).finish().view
        for t, e in ((1, 1), (3, 7))
    ]
    assert (views[0].objective == views[1].objective).all()
    assert views[0].marks == views[1].marks
