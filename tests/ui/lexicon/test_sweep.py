"""The Runs tab as a sweep: restart by restart the same numbers, on a sample and on a text with edits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from otlab.discovery.corpus import Corpus
from otlab.errors import InputError
from otlab.sweep import read_plan
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.sweep import kept_sweep
from tests.ui.lexicon.helpers import finished
from tests.ui.page import send
from tests.ui.sweep.helpers import run_download, unpacked

OWN_RULES = "Utterance -> Word+\n@Word 400 20 0.1\nWord -> Phon+\n"


def runs_tab(lab):
    (view,) = lab.showings
    view.go("Runs")
    return view.tab("Runs")


def assert_same_restarts(lab, runs):
    """The runs are the restarts of every kept run, in their order, with all that the tab lists of them."""
    restarts = [(run, c) for run in lab.state.runs.kept for c in run.candidates]
    assert [(run.spec.learner, run.spec.seed) for run in runs] == [(k.learner, c.seed) for k, c in restarts]
    for run, (_, candidate) in zip(runs, restarts, strict=True):
        shown = {name: getattr(candidate, name) for name in ("bigram", "unigram")}
        shown |= {"objective": candidate.bound, **(candidate.scores.as_dict() if candidate.scores else {})}
        assert {name: run.scores[name] for name in shown} == shown


@pytest.mark.slow
def test_restarts_on_a_shipped_text_are_the_same_runs(tmp_path):
    lab = LexiconLab("toy_phones")
    lab.page()
    lab.settings.param.update(iterations=3, restarts=2, seed=6)
    finished(lab)
    lab.settings.param.update(restarts=1, start="geometric", boundary=0.3)
    lab.runner.enable({"batch", "mcmc", "online", "noisy"})
    finished(lab)
    runs = run_download(runs_tab(lab), tmp_path)
    assert {run.spec.data for run in runs} == {"toy_phones"}
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
    assert_same_restarts(lab, runs)
    assert len(runs) == 2 + 4


@pytest.mark.slow
def test_texts_with_edits_and_own_grammars_come_along(lab, tmp_path):
    lab.settings.param.update(iterations=3, restarts=2)
    finished(lab)
    send(lab.runner, {"kind": "text", "value": OWN_RULES}, "GrammarBox")
    lab.settings.param.update(edited=20, seed=3, restarts=3)
    lab.state.threshold = 0.7
    finished(lab)
    tab = runs_tab(lab)
    text, names = unpacked(tab, tmp_path)
    assert len([name for name in names if "text" in name]) == 2
    assert len([name for name in names if "grammar" in name]) == 1
    assert "# The text has the edits made in the lab, of 20 % of its phones." in text
    assert "threshold = 0.7" in text
    assert "# Left out: the choice among restarts (rule: bigram)" in text
    runs = run_download(tab, tmp_path)
    assert len(runs) == 5
    assert_same_restarts(lab, runs)
    read = list(read_plan(tmp_path / "sweep.toml").data.values())
    assert [corpus.phones.tolist() for corpus in read] == [
        run.corpus.phones.tolist() for run in lab.state.runs.kept
    ]


@pytest.mark.parametrize("text", ["yu want tu si\nyu si tu", "yuwanttusi\nyusitu"])
def test_before_a_run_it_is_what_run_would_do(tmp_path, text):
    lab = LexiconLab(Corpus.from_text(text, "mine.txt"))
    lab.page()
    lab.settings.param.update(iterations=2, restarts=2, start="geometric", boundary=0.1)
    lab.runner.enable({"batch", "units"})
    tab = runs_tab(lab)
    words, names = unpacked(tab, tmp_path)
    assert names == ["sweep.toml", "mine_text.txt"]
    assert "# Left out: the learners of sound" in words
    assert 'start = "0.1"' in words
    before = run_download(tab, tmp_path)
    lab.runner.enable({"batch"})
    finished(lab)
    assert_same_restarts(lab, before)


def test_runs_without_settings_are_named_and_nothing_is_a_refusal(lab, tmp_path):
    finished(lab)
    finished(lab)
    kept = lab.state.runs.kept
    kept[0] = replace(kept[0], settings=None)
    tab = runs_tab(lab)
    text, _ = unpacked(tab, tmp_path)
    assert "# Left out: 1. Batch VB" in text
    assert text.count("[[sweep]]") == 1
    kept[:] = []
    lab.runner.enable(set())
    with pytest.raises(InputError, match="tick a learner"):
        kept_sweep(lab.state)
    lab.runner.enable({"batch"})
    send(lab.runner, {"kind": "text", "value": "Utterance => Word"}, "GrammarBox")
    with pytest.raises(InputError):
        kept_sweep(lab.state)
