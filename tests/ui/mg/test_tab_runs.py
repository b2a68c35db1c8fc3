"""Runs of the grammar lab's tabs, which have results of their own."""

import pytest

from tests.ui.mg.helpers import tab_of
from tests.ui.page import shown_text, waited


@pytest.mark.parametrize("title", ["Compare", "Learn lexicon"])
def test_a_run_of_a_tab_ends_when_its_results_are_deleted(shown, title):
    lab, view, showing = shown
    showing.go(title)
    tab = tab_of(view, title)
    lab.state.theories.keep()
    lab.settings.param.update(iterations=10_000, restarts=50)
    lab.state.pool.settings.param.update(iterations=10_000, restarts=50)
    tab.task.start()
    assert tab.task.runner.alive
    lab.runner.reset()
    assert waited(tab.task, 20)
    assert not lab.state.theories.shown
    assert not lab.state.pool.starts
    assert "yet" in shown_text(tab)


@pytest.mark.parametrize("title", ["Compare", "Learn lexicon"])
def test_a_run_of_a_tab_ends_out_of_sight_when_a_document_with_other_results_is_opened(shown, title):
    lab, view, showing = shown
    tab = tab_of(view, title)

    def start(**settings):
        lab.settings.param.update(**settings)
        lab.state.pool.settings.param.update(**settings)
        lab.state.theories.keep()
        tab.task.start()

    start(iterations=2, restarts=1)
    assert waited(tab.task, 60)
    saved, results = lab.to_dict(), lab.state.tab_results()
    assert any(results)
    start(iterations=10_000, restarts=50)
    showing.go("Induce")
    lab.from_dict(saved)
    lab.state.put_tab_results(results)
    assert tab.task.runner.alive
    assert waited(tab.task, 20)
    assert not tab.task.runner.failures
    if title == "Compare":
        assert lab.state.tab_results() == results
        assert len(lab.state.theories.shown) == 2
    else:
        (start,) = lab.state.pool.starts
        assert start is lab.state.tab_results()[1].starts[0] is results[1].starts[0]
