"""The lexicon lab without a browser: state, settings, what-ifs, exports, faults."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.corpus import Corpus
from otlab.discovery.toy import ToyLanguage, generate
from otlab.ui.lexicon.lab import LexiconLab

SMALL = ToyLanguage(words=12, utterances=80)


@pytest.fixture
def lab():
    made = LexiconLab(generate(SMALL))
    made.settings.set(iterations=6)
    made.page()
    return made


def finished(lab):
    lab.runner.run()
    assert lab.runner.wait(120)
    assert not lab.runner.runner.failures
    return lab


@pytest.mark.parametrize("learner", ["batch", "online", "mcmc", "noisy"])
def test_every_learner_runs_and_every_tab_draws(lab, learner):
    lab.runner.enable({learner})
    lab.settings.set(edited=10.0 if learner == "noisy" else 0.0)
    finished(lab)
    (view,) = lab._views
    for tab in ("Trees", "Edits", "Runs", "Data", "Segment"):
        view.go(tab)
    assert lab.state.scores().token.f > 0.1
    assert lab.results[learner].ends.shape == lab.corpus.phones.shape
    assert lab.state.kept[-1].lane == learner


def test_restarts_are_judged_and_one_is_chosen(lab):
    lab.settings.set(restarts=3, start="geometric", boundary=0.4)
    finished(lab)
    kept = lab.state.kept[-1]
    codes = [c.bigram for c in kept.candidates]
    assert len(codes) == 3
    assert kept.chosen == int(np.argmin(codes))
    assert lab.state.view is kept.view


def test_threshold_recuts_and_rescores(lab):
    finished(lab)
    few, many = [], []
    lab.state.threshold = 0.98
    few = lab.state.cut.sum()
    lab.state.threshold = 0.02
    many = lab.state.cut.sum()
    assert few <= many


def test_a_word_lists_its_utterances(lab):
    finished(lab)
    word = lab.state.words(1)[0].string
    lab.state.word = word
    cut = lab.state.cut
    assert all(word in lab.corpus.words(int(u), cut) for u in lab.state.order("corpus"))


def test_least_certain_first(lab):
    finished(lab)
    order = lab.state.order("uncertain")
    p = np.clip(lab.state.ends, 1e-6, 1 - 1e-6)
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    entropy[lab.corpus.offsets[1:] - 1] = 0
    total = np.add.reduceat(entropy, lab.corpus.offsets[:-1])
    assert (np.diff(total[order]) <= 1e-9).all()


def test_banned_words_are_no_longer_looked_up_and_locked_ones_gain(lab):
    finished(lab)
    word = lab.state.words(1)[0].string
    before = lab.state.ends.copy()
    lab.state.try_word(word, "ban")
    banned = lab.state.ends
    assert not np.array_equal(before, banned)
    lab.state.try_word(word, "ban")
    assert np.array_equal(lab.state.ends, before)
    rare = lab.state.entries[-1].string
    lab.state.try_word(rare, "lock")
    assert lab.state.locked == {rare}
    assert not np.array_equal(lab.state.ends, before)


def test_a_faulty_grammar_is_shown_and_refused(lab):
    lab._grammar_heard({"kind": "text", "value": "S -> Wrod+\n@Word 1 1 2"})
    assert lab._grammar.bad
    assert "Grammar:2:11" in lab._grammar.said
    lab.runner.run()
    assert lab.runner.runner.failures
    lab._grammar_heard({"kind": "preset", "value": "collocation"})
    assert not lab._grammar.bad
    finished(lab)
    assert "Collocation" in lab.results["batch"].entries


def test_pasted_text_without_gold():
    lab = LexiconLab(["thedogbarks", "thecatsleeps", "thedogsleeps", "thecatbarks"] * 6)
    lab.settings.set(iterations=4)
    lab.page()
    finished(lab)
    assert lab.state.scores() is None
    assert lab.runner.report.stats[0].value == "–"
    lab.settings.set(edited=10.0)
    lab.runner.run()
    assert "gold blanks" in str(lab.runner.runner.failures[""])


def test_what_is_taken_home(lab):
    finished(lab)
    (view,) = lab._views
    make = view._others["Data"]._file
    name, data = make("segmented")
    again = Corpus.from_text(data.decode(), name)
    assert again.phones.size == lab.corpus.phones.size
    assert len(make("posteriors")[1].splitlines()) == lab.corpus.phones.size + 1
    assert make("lexicon")[1].decode().splitlines()[0] == "string,expected_count,weight,sd"
    assert b"batch" in make("runs")[1].lower()


def test_another_text_forgets_results(lab):
    finished(lab)
    lab.open_file("own.txt", b"ab ab\nab c\n")
    assert lab.results == {}
    assert lab.corpus.name == "own.txt"
    assert lab.example == ""
