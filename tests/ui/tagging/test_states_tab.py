"""The States tab of the tagging lab without a browser: before a run, after it, and with another one."""

from __future__ import annotations

import pytest

from otlab.ui.tagging.components import ConfusionGrid
from tests.ui.page import control, parts, shown_text
from tests.ui.tagging.helpers import finished


@pytest.fixture
def tab(lab, view):
    view.go("States")
    return view.tab("States")


def test_nothing_of_a_run_stays_after_a_reset(lab, tab):
    merge = control(tab, "Merge states")
    assert merge.disabled
    assert "Press Run to see the transitions" in shown_text(tab)
    finished(lab)
    assert not merge.disabled
    assert parts(tab, ConfusionGrid)
    assert "Press Run" not in shown_text(tab)
    tab.merge()
    lab.runner.reset()
    assert merge.disabled
    assert not parts(tab, ConfusionGrid)
    assert "Press Run to see the transitions" in shown_text(tab)
    assert "First merged" not in shown_text(tab)


@pytest.mark.slow
def test_the_grid_of_transitions_says_how_many_states_it_shows(lab, tab):
    lab.settings.param.update(states=40)
    finished(lab)
    used = lab.state.result.view.states_used
    assert used > 24
    assert tab.transitions.scale.endswith(f"; 24/{used} states")
    assert len(tab.transitions.data["rows"]) == 24 + 1  # and the boundary


def test_mergers_belong_to_the_run_that_is_shown(lab, tab):
    finished(lab)
    lab.state.look_at("em")
    tab.merge()
    lab.state.name_state(0, "nouns")
    assert "First merged" in shown_text(tab)
    lab.state.look_at("vb")
    assert "First merged" not in shown_text(tab)
    assert "After a run: joins the two states" in shown_text(tab)
    tab.merge()
    assert "First merged" in shown_text(tab)
    finished(lab)
    assert "First merged" not in shown_text(tab)
