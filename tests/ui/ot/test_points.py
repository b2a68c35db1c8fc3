"""Which ranking values a picture shows is written on it, and it does not jump to others by itself."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot.point import BEST, MEDIAN
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.parameters import parameters_html
from tests.ui.ot.helpers import finished, view_of
from tests.ui.page import press


@pytest.fixture
def unsure():
    """A lab whose chains are too few and too short to converge."""
    lab = OTLab("spanish")
    lab.runner.enable(["gibbs"])
    lab.settings.param.update(sweeps=200, seed=1)
    lab.layout = lab.main()
    yield lab
    lab.close()


def test_the_line_stays_at_the_medians_when_the_run_ends(unsure):
    tab = view_of(unsure).tab("Learn")
    assert tab.line_card.remark == "all at 0"
    finished(unsure)
    gibbs = unsure.state.gibbs
    assert not gibbs.readable
    np.testing.assert_allclose(tab.line.values, gibbs.median)
    assert tab.line_card.remark == "the posterior median of Gibbs"
    assert tab.line_card.stale == "not converged"
    assert tab.tableau.card.remark == "one draw, from the posterior median of Gibbs, not converged"
    for card in (tab.posterior.card, tab.predicted.card):
        assert card.stale == "Gibbs not converged"


def test_the_best_draw_is_shown_when_it_is_asked_for(unsure):
    finished(unsure)
    tab, gibbs = view_of(unsure).tab("Learn"), unsure.state.gibbs
    press(tab, "Show the best draw")
    np.testing.assert_allclose(tab.line.values, gibbs.best)
    assert tab.line_card.remark.startswith(f"the {BEST} of Gibbs")
    press(tab, f"Show the {MEDIAN}")
    np.testing.assert_allclose(tab.line.values, gibbs.median)


def test_the_table_of_values_has_both_and_names_them(unsure):
    finished(unsure)
    page = parameters_html(unsure.state)
    assert page.index(">Gibbs, median</th>") < page.index(">Gibbs, best draw</th>")
    assert "its best draw is one grammar that fits; its medians are not converged" in page


def test_after_an_edit_the_line_stays_and_is_marked(unsure):
    finished(unsure)
    tab, before = view_of(unsure).tab("Learn"), unsure.state.learnt_values
    assert not unsure.state.document.type(0, "c_0", "3").reason
    np.testing.assert_allclose(tab.line.values, before)
    assert tab.line_card.stale == "from the old table"
    unsure.state.document.history.undo()
    assert tab.line_card.stale == "not converged"
