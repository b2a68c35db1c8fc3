"""The state of the OT lab: what edits, settings and ticks of a run do to what it holds."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import read
from otlab.ui.ot.state import OTState
from otlab.ui.ot.sweep import compared_sweep
from otlab.ui.ot.trust import trust_report
from tests.ui.ot.helpers import begun
from tests.ui.waiting import until


def test_own_ranking_values_go_with_the_constraints_they_were_of():
    state = OTState(read("ilokano"))
    state.choose(np.array([1.0, 0.0, -1.0]))
    assert state.values_words == "the values as dragged"  # "one draw, from the values as dragged"
    state.document.type(0, "c_0", "4")
    assert state.values.tolist() == [1, 0, -1]
    state.document.add_constraint()
    assert state.values.tolist() == [0, 0, 0, 0]
    assert state.values_words == "all at 0"


def test_strata_set_as_they_are_are_no_edit():
    state = OTState(read("ilokano"))
    state.set_strata(((0,), (1, 2)))
    state.set_strata(((0,), (1, 2)))
    assert state.history.undo() == "Strata changed"
    assert not state.history.can_undo


def test_another_table_opened_in_a_run_shows_none_of_its_results(lab):
    lab.settings.param.update(sweeps=100_000_000)
    lab.runner.enable(["gibbs"])
    lab.runner.run()
    until(lambda: lab.runner.tick() or lab.state.has_results)
    late = lab.runner.runner.jobs["gibbs"].last
    lab.choose("spanish_diminutive")
    lab.state.take({"gibbs": late})  # on its way as the table was opened
    lab.runner.tick()
    assert not lab.state.has_results
    assert lab.tableau == read("spanish_diminutive")
    assert lab.runner.wait(20)


def test_maxent_is_not_judged_before_its_end():
    state = OTState(read("spanish"))
    state.settings.weight_sd = 1.0
    run = begun(state, "maxent", 1)
    assert not state.maxent.tick.finished
    report = trust_report(state, {"maxent"}, False, list, list)
    assert report.badge.text == "Too early to say"
    assert [stat.label for stat in report.stats] == ["Log likelihood", "Observations"]
    while not run.finished:
        state.take({"maxent": run.advance(100)})
    assert trust_report(state, {"maxent"}, True, list, list).badge.text == "Optimum found"


def test_without_runs_and_learners_there_is_no_sweep():
    state = OTState(read("ilokano"))
    state.learners = []
    with pytest.raises(InputError, match="no runs to write down: tick a learner"):
        compared_sweep(state)
    state.learners = ["maxent"]
    assert [part.learner for part in compared_sweep(state).parts] == ["maxent"]
