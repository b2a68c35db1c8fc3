"""Theories compared, and learners of the lab's lexicon, as a sweep: the same runs."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.files import json_values
from otlab.inference.random import run_seed
from otlab.samples import load_sample
from otlab.sweep import read_plan
from otlab.ui.mg.sweep import learners_sweep
from tests.ui.mg.helpers import tab_of
from tests.ui.page import waited
from tests.ui.sweep.helpers import run_download, unpacked


@pytest.fixture
def compared(shown):
    """A lab with its lexicon, a changed one and a shipped one compared, and the Compare tab."""
    lab, view, _ = shown
    lab.settings.param.update(restarts=3, iterations=12, seed=5)
    lexicon = lab.lexicon
    other = lexicon.with_items(i for i in lexicon.items if i.text() != "with :: =d n= n")
    lab.state.theories.add('Without "with"', other)
    lab.state.theories.add("Questions", load_sample("figure1_wh"))
    tab = tab_of(view, "Compare")
    view.showing.go("Compare")
    tab.task.start()
    assert waited(tab.task, 60)
    return lab, tab


def assert_same_theories(lab, tab, runs):
    """Starts 1, 2, ... of each theory are the runs of the sweep, in their order; the best one is shown."""
    starts = lab.state.theories.asked.settings["restarts"]
    assert len(runs) == starts * len(tab.verdicts)
    jobs = tab.task.runner.jobs
    for number, verdict in enumerate(tab.verdicts):
        own = runs[starts * number : starts * (number + 1)]
        objectives = [run.scores["objective"] for run in own]
        assert objectives == [view.objective for view in jobs[str(number)].last.views]
        assert max(objectives) == verdict.figures.elbo
        best = own[int(np.argmax(objectives))]
        assert best.scores["well_formed_mass"] == verdict.figures.well_formed_mass
        assert [run.spec.seed for run in own] == [run_seed(5, k) for k in range(starts)]


@pytest.mark.slow
def test_theories_are_the_same_runs(compared, tmp_path):
    lab, tab = compared
    runs = run_download(tab, tmp_path)
    assert_same_theories(lab, tab, runs)
    assert list(dict.fromkeys(run.spec.data for run in runs)) == [
        "attachment_wh",
        "theory_2.mg",
        "figure1_wh",
    ]
    text, names = unpacked(tab, tmp_path)
    assert names == ["sweep.toml", "theory_2.mg", "training.txt"]
    assert '# theory_2.mg: Without "with"' in text
    assert "sentences held out" in text


def test_theories_have_the_settings_and_lexicons_of_their_comparison(compared, tmp_path):
    lab, tab = compared
    lab.settings.param.update(restarts=2, iterations=9, alpha=0.3, seed=5)
    tab.task.start()
    assert waited(tab.task, 60)
    lab.settings.param.update(restarts=1, iterations=3, seed=8)
    lab.state.theories.settings.held_out = 0.5
    runs = run_download(tab, tmp_path)
    assert {run.spec.values["alpha"] for run in runs} == {0.3}
    assert_same_theories(lab, tab, runs)


def test_before_a_comparison_it_is_what_compare_would_do(shown, tmp_path):
    lab, view, _ = shown
    tab = tab_of(view, "Compare")
    tab.keep()
    planned, _ = lab.state.theories.planned(lab.state.theories.all)
    tab.task.start()
    assert waited(tab.task, 60)
    assert lab.state.theories.asked == planned
    lab.state.theories.put_ended(lab.state.theories.ended)  # as a document does that is opened again
    text, _ = unpacked(tab, tmp_path)
    assert "Compared before the document was opened" in text


@pytest.mark.slow
@pytest.mark.parametrize("edited", [False, True])
def test_learners_are_the_same_runs(shown, tmp_path, edited):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    lab.settings.param.update(restarts=3, start="jitter", iterations=15, chains=2, sweeps=60, seed=4)
    if edited:
        state = lab.state
        state.edit(0, "alpha", "0.123456789")
        state.set_count(next(iter(state.counts)), 3)
    lab.runner.enable({"vb", "em", "gibbs"})
    lab.runner.run()
    assert lab.runner.wait(60)
    lab.settings.param.update(restarts=1, sweeps=5)
    runs = list(run_download(data, tmp_path))
    files = {path.name for path in tmp_path.iterdir() if path.name != "sweep.toml"}
    assert files == ({"attachment_wh_lexicon.mg", "sentences.txt"} if edited else set())
    for name in ("vb", "em", "gibbs"):
        induction = lab.inductions[name]
        own = [runs.pop(0) for _ in range(1 if name == "gibbs" else induction.chains)]
        assert {run.spec.learner for run in own} == {name}
        if name == "gibbs":
            assert own[0].result["theta"] == json_values(induction.to_dict()["theta"])
            assert own[0].result["restarts"] == list(induction.objectives)
        else:
            assert [run.result["restarts"] for run in own] == [[value] for value in induction.objectives]
            best = own[induction.best(lambda view: view.objective)]
            assert best.result["theta"] == json_values(induction.to_dict()["theta"])
    assert not runs


def test_without_the_shortest_move_constraint_or_a_learner_there_are_no_runs(shown):
    lab, _, _ = shown
    lab.settings.smc = False
    with pytest.raises(InputError, match="shortest move constraint"):
        learners_sweep(lab.state)
    lab.runner.enable(set())
    with pytest.raises(InputError, match="tick a learner"):
        learners_sweep(lab.state)


@pytest.mark.slow
def test_before_a_run_it_is_what_run_would_do(shown, tmp_path):
    lab, view, _ = shown
    data = tab_of(view, "Data")
    lab.runner.enable({"vb", "gibbs"})
    unpacked(data, tmp_path)
    before = read_plan(tmp_path / "sweep.toml").runs
    lab.runner.run()
    assert lab.runner.wait(60)
    unpacked(data, tmp_path)
    assert read_plan(tmp_path / "sweep.toml").runs == before
