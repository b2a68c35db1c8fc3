"""Runs of the lexicon lab: kept, judged, compared."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from otlab.cli import main
from otlab.discovery import discover
from otlab.discovery.corpus import Corpus
from otlab.discovery.learners import BASELINES, LEARNERS, MODELS
from otlab.errors import Fault, InputError
from otlab.inference.random import run_seed
from otlab.ui.background import Background
from otlab.ui.lexicon.runs import compared
from otlab.ui.lexicon.texts import corpus_text
from tests.ui.lexicon.helpers import finished
from tests.ui.page import parts, send, shown_text


@pytest.mark.slow
def test_restarts_are_judged_and_one_is_chosen(lab):
    assert "ELBO is not always" not in shown_text(lab.runner)  # with one run there is nothing to choose
    lab.settings.param.update(restarts=3, start="geometric", boundary=0.4)
    assert "The best ELBO is not always the best segmentation" in shown_text(lab.runner)
    finished(lab)
    kept = lab.state.runs.kept[-1]
    codes = [c.bigram for c in kept.candidates]
    assert len(codes) == 3
    assert kept.chosen == int(np.argmin(codes))
    assert lab.state.view is kept.view


def _raising(error):
    def make(*_):
        raise error

    return make


def test_a_refused_run_never_appears_in_runs_and_leaves_the_last_results(lab, monkeypatch):
    finished(lab)
    (view,) = lab.showings
    learnt, stats = lab.results["batch"], lab.runner.report.stats
    send(lab.runner, {"kind": "text", "value": "Utterance => Word"}, "GrammarBox")
    lab.state.threshold = 0.9
    lab.runner.run()
    lab.runner.tick()
    assert lab.runner.runner.failures
    view.go("Runs")
    assert [run.label for run in lab.state.runs.kept] == ["Batch VB, word, peaks"]
    assert lab.results["batch"] is learnt
    assert lab.runner.report is not None
    assert len(stats) == len(lab.runner.report.stats)
    send(lab.runner, {"kind": "preset", "value": "collocation"}, "GrammarBox")
    assert not lab.runner.runner.failures
    assert lab.runner.report is not None
    lab.runner.enable({"noisy"})
    refused = InputError(Fault("this learner does not take this grammar", "choose another"))
    monkeypatch.setitem(MODELS, "noisy", replace(MODELS["noisy"], make=_raising(refused)))
    monkeypatch.setitem(LEARNERS, "noisy", MODELS["noisy"])
    lab.runner.run()
    assert "does not take this grammar" in str(lab.runner.runner.failures[""])
    assert len(lab.state.runs.kept) == 1
    assert lab.results["batch"] is learnt


def test_a_run_that_is_repeated_before_it_was_cut_is_kept_too(lab, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Background, "do", lambda *_: None)  # the other thread is still at it
        finished(lab)
        assert not lab.state.runs.kept
        lab.runner.run()
        assert len(lab.state.runs.kept) == 1
    lab.runner.wait()
    assert [run.number for run in lab.state.runs.kept] == [1, 2]


@pytest.mark.slow
def test_badges_name_a_choice_only_where_there_was_one(lab):
    finished(lab)
    (view,) = lab.showings
    view.go("Runs")
    assert ">chosen<" not in shown_text(view.tab("Runs"))
    lab.settings.param.update(restarts=3)
    finished(lab)
    assert shown_text(view.tab("Runs")).count(">chosen<") == 1


@pytest.mark.slow
@pytest.mark.parametrize("learner", MODELS)
def test_restart_k_is_the_same_in_the_lab_on_the_command_line_in_the_library_and_alone(
    lab, learner, tmp_path, capsys
):
    lab.runner.enable({learner})
    lab.settings.param.update(restarts=3, start="geometric", boundary=0.4, seed=7)
    finished(lab)
    here = lab.state.runs.kept[-1].candidates
    assert len({c.bound for c in here}) == 3
    assert [c.seed for c in here] == [run_seed(7, k) for k in range(3)]
    settings = {"learner": learner, "start": "0.4", "iterations": 6}
    library = discover(lab.corpus, restarts=3, seed=7, **settings)
    assert library.candidates == here
    alone = discover(lab.corpus, seed=here[2].seed, **settings)
    assert alone.candidates[0] == replace(here[2], agreement=None)  # there is no other run to agree with
    text = tmp_path / "text.txt"
    text.write_text(corpus_text(lab.corpus), encoding="utf-8")
    options = ["--learner", learner, "--start", "0.4", "--iterations", "6", "--restarts", "3", "--seed", "7"]
    assert main(["discover", str(text), *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["choice"]
    figures = [(c.start, c.seed, c.bound, c.bigram, c.scores.token.f) for c in here]
    assert [
        (c["start"], c["seed"], c["bound"], c["bigram"], c["scores"]["token_f"])
        for c in printed["candidates"]
    ] == figures
    assert printed["chosen"] == lab.state.runs.kept[-1].chosen
    (view,) = lab.showings
    view.go("Runs")
    for candidate in here:
        assert f"<td>{candidate.seed}</td>" in shown_text(view.tab("Runs"))


def test_what_the_rule_is_worth_is_told_below_the_table_and_not_cut_in_its_head(lab):
    finished(lab)
    (view,) = lab.showings
    view.go("Runs")
    assert "chosen without gold" in shown_text(view.tab("Runs"))
    assert "rank correlation: 0.30 (Brent), 0.89 (German)." in shown_text(view.tab("Runs"))


def test_the_runs_tab_lists_what_baselines_find_in_the_text_shown(lab):
    (view,) = lab.showings
    view.go("Runs")
    for name, entry in BASELINES.items():
        found = discover(lab.corpus, learner=name, seed=lab.settings.seed)
        assert f"<td>{entry.label}</td>" in shown_text(view.tab("Runs"))
        assert f"{found.scores.token.f:.3f}" in shown_text(view.tab("Runs"))
    lab.open_corpus(Corpus.from_text("thedog\nthecat\nthedog"))
    view.go("Runs")
    assert ">baseline<" in shown_text(view.tab("Runs"))
    assert f"{found.scores.token.f:.3f}" not in shown_text(view.tab("Runs"))


@pytest.mark.slow
def test_any_two_runs_are_compared(lab):
    for name in ("word", "collocation", "word"):
        send(lab.runner, {"kind": "preset", "value": name}, "GrammarBox")
        finished(lab)
    state = lab.state
    assert [run.number for run in state.runs.pair] == [2, 3]
    state.runs.compare(left=1)
    assert [run.number for run in state.runs.pair] == [1, 3]
    state.runs.compare(right=2)
    one, other = state.runs.pair
    assert (one.label, other.label) == ("Batch VB, word, peaks", "Batch VB, collocation, peaks")
    found = compared(one, other, "Word")
    strings = [{e.string for e in run.words("Word")} for run in (one, other)]
    assert found.common == len(strings[0] & strings[1])
    assert [{e.string for e in only} for only in found.only] == [
        strings[0] - strings[1],
        strings[1] - strings[0],
    ]
    differ = [
        u for u in range(len(lab.corpus)) if lab.corpus.words(u, one.cut) != lab.corpus.words(u, other.cut)
    ]
    assert list(found.utterances) == differ


def test_runs_of_different_texts_share_no_utterances(lab):
    finished(lab)
    lab.settings.param.update(edited=10.0)
    finished(lab)
    assert compared(*lab.state.runs.pair, "Word").utterances is None
    assert lab.state.runs.kept[-1].label.endswith("10 % edited")


@pytest.mark.slow
def test_another_rule_takes_another_restart(lab):
    lab.settings.param.update(restarts=3, start="geometric", boundary=0.3)
    finished(lab)
    (view,) = lab.showings
    view.go("Runs")
    for rule in ("unigram", "bound", "bigram"):
        (picker, _) = parts(view.tab("Runs"), "Pickers")
        send(picker, {"name": "rule", "value": rule})
        (kept,) = lab.state.runs.kept
        merits = [c.merit(rule) for c in kept.candidates]
        assert kept.chosen == int(np.argmax(merits))
        assert lab.state.view is kept.view


def test_one_run_is_compared_with_nothing(lab):
    finished(lab)
    (view,) = lab.showings
    view.go("Runs")
    (_, two) = parts(view.tab("Runs"), "Pickers")
    assert not two.visible
    assert "After two runs" in shown_text(view.tab("Runs"))
    send(two, {"name": "left", "value": "1"})
    assert lab.state.runs.pair is None
    assert "After two runs" in shown_text(view.tab("Runs"))


def test_a_rule_chosen_while_an_earlier_iteration_is_shown_applies_to_the_end(lab):
    lab.settings.param.update(restarts=3, start="geometric", boundary=0.3)
    finished(lab)
    (kept,) = lab.state.runs.kept
    send(lab.runner, {"kind": "replay", "share": 0.0}, "RunHead")
    early = lab.state.results["batch"]
    assert early is not kept.views
    for rule in ("bound", "unigram", "bigram"):
        lab.state.choose_by(rule)
        assert lab.state.results["batch"] is early
        assert lab.state.runs.kept[0].chosen == int(np.argmax([c.merit(rule) for c in kept.candidates]))
    send(lab.runner, {"kind": "replay", "share": 1.0}, "RunHead")
    assert lab.state.view is lab.state.runs.kept[0].view
