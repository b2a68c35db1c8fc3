"""The Table tab of the tagging lab: which rows are run, and what they have or do without."""

from __future__ import annotations

import pytest

from otlab.tagging.experiments.table1 import TABLE_1
from otlab.ui.fields import values_of
from otlab.ui.tagging.settings import TaggingSettings, annealing_of
from otlab.ui.tagging.table import other_settings
from tests.ui.tagging.helpers import finished


@pytest.fixture
def tab(lab, view):
    view.go("Table")
    return view.tab("Table")


def test_rows_of_the_paper_are_chosen_by_their_learner(tab):
    tab.choice.group = "all"
    assert tab.rows() == list(TABLE_1)
    for group in ("em", "vb"):
        tab.choice.group = group
        assert tab.rows() == [row for row in TABLE_1 if row.learner == group]


def test_more_rows_than_a_table_holds_are_refused(lab, tab, monkeypatch):
    warnings = []
    monkeypatch.setattr(lab, "warn", warnings.append)
    tab.choice.group = "grid"
    tab.grid.param.update(learners="vb", states=list(range(2, 54)), emission=[0.1, 0.5], transition=[0.1])
    tab.start()
    assert warnings == ["These are 104 rows; ask for at most 100"]
    assert not lab.state.table.running


def test_an_annealed_run_is_a_row_of_its_own(lab):
    lab.settings.param.update(temperature=4.0, cooling=2, iterations=3, runs=1, start="jitter", jitter=0.5)
    finished(lab)
    assert annealing_of(lab.results["em"].settings).start == 4.0
    rows = {row.estimator.learner: row.others for row in lab.state.table.rows}
    assert rows["em"].startswith("from T = 4 over 2, ")
    assert rows["em"].endswith("noise 0.5")


def test_the_usual_settings_are_not_named():
    usual = values_of(TaggingSettings())
    assert other_settings({**usual, "estimator": "em"}) == ""


def test_a_sweep_of_the_table_says_what_its_rows_do_without(lab, tab):
    tab.choice.group = "em"
    assert not [line for line in tab._sweep().remarks if "one learner alone" in line]
    lab.settings.param.update(discount=0.2, temperature=2.0)
    notes = " ".join(tab._sweep().remarks)
    assert "Left out, as in the rows of the table: annealing." in notes
    assert "what one learner alone has: its rows have the usual values." in notes
